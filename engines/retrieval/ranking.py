"""Ranks what another retriever found by an embedding model, a reranking model, or both. Off unless asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec

from ...sessions.events import Reference, Usage
from ...sessions.session import Seat
from ..models.calls import Target
from ..models.config import Config
from ..models.outside import embed, rerank
from ..models.port import ModelError
from ..models.targets import find
from .port import Found, Lexicon, RetrievalError, RetrievalKind, Retriever

_KINDS: dict[str, RetrievalKind] = {
    "auth": "auth", "missing-key": "missing-key", "rate-limit": "rate-limit", "server": "server", "connection": "connection",
    "cut": "connection", "timeout": "timeout", "not-local": "not-local", "internal": "internal",
}  # fmt: skip


class Ranked:
    """A retriever whose max(4k, 20) best are put in order again: by cosine similarity to the query (`embed`), by the scores of a reranking
    model (`rerank`), with both by the latter. Both figures are kept in the references. Of given references none is cut off.

    Failures of the models are RetrievalErrors; usage and cost are the sum over both, each figure unknown where one is.
    """

    def __init__(self, inner: Retriever, *, embed: Seat | None, rerank: Seat | None, config: Config, env: Mapping[str, str]) -> None:
        self.inner = inner
        self.name = inner.name
        self._embed, self._rerank = embed, rerank
        self._config, self._env = config, env

    def lexicon(self) -> Lexicon | None:
        return self.inner.lexicon()

    async def retrieve(self, query: str, k: int) -> Found:
        found = await self.inner.retrieve(query, max(4 * k, 20))
        if not found.references:
            return found
        references = [msgspec.structs.replace(one) for one in found.references]
        texts = [f"{one.title}\n{one.text}" if one.title else one.text for one in references]
        spent: list[tuple[Usage | None, float | None]] = []
        if self._embed is not None:
            target = await self._target(self._embed)
            try:
                vectors = await embed(target, [query, *texts], self._env)
            except ModelError as error:
                raise refused(error, asked=True) from None
            spent.append((vectors.usage, vectors.cost))
            for one, vector in zip(references, vectors.values[1:], strict=True):
                one.embed_score = cosine(vectors.values[0], vector)
        if self._rerank is not None:
            target = await self._target(self._rerank, asked=bool(spent))
            try:
                relevance = await rerank(target, query, texts, self._env)
            except ModelError as error:
                raise refused(error, asked=True) from None
            spent.append((relevance.usage, relevance.cost))
            for one, score in zip(references, relevance.scores, strict=True):
                one.rerank_score = score
        ordered = _sorted(references, _by_model if self._rerank is not None else _by_vector)
        kept = ordered if self.name == "given" else ordered[:k]
        for n, one in enumerate(kept, 1):
            one.n = n
        usage, cost = _total(spent)
        return msgspec.structs.replace(found, references=kept, usage=usage, cost=cost)

    async def _target(self, seat: Seat, *, asked: bool = False) -> Target:
        try:
            return await find(seat, self._config, self._env)
        except ModelError as error:
            raise refused(error, asked=asked) from None


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Between -1 and 1; 0 where a vector has no length."""
    lengths = math.hypot(*one) * math.hypot(*other)
    return max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(one, other, strict=True)) / lengths)) if lengths else 0.0


def _by_vector(one: Reference) -> float | None:
    return one.embed_score


def _by_model(one: Reference) -> float | None:
    return one.rerank_score


def _sorted(references: list[Reference], score: Callable[[Reference], float | None]) -> list[Reference]:
    """Best first; equal ones stay in order, and those without a score come last."""
    return sorted(references, key=lambda one: -math.inf if (value := score(one)) is None else value, reverse=True)


def _total(spent: list[tuple[Usage | None, float | None]]) -> tuple[Usage, float | None]:
    costs = [cost for _, cost in spent]
    inputs = [usage and usage.input for usage, _ in spent]
    outputs = [usage and usage.output for usage, _ in spent]
    usage = Usage(
        input=None if None in inputs else sum(count or 0 for count in inputs),
        output=None if None in outputs else sum(count or 0 for count in outputs),
    )
    return usage, None if None in costs else math.fsum(cost or 0.0 for cost in costs)


def refused(error: ModelError, *, asked: bool = False) -> RetrievalError:
    """The failure of a model's call, as one of a retrieval."""
    return RetrievalError(_KINDS.get(error.kind, "bad-request"), str(error), asked=asked)
