"""Ranks the results of another retriever by an embedding model, a reranking model, or
both. Off by default.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec

from ...sessions.events import Reference, Usage, known_sum, total_usage
from ...sessions.session import Seat
from ..models.calls import Target
from ..models.config import Config
from ..models.port import ModelError
from .embedders import embed, find, rerank
from .port import (
    ANY,
    Lexicon,
    PassageFilter,
    RetrievalError,
    RetrievalKind,
    RetrievalResult,
    Retriever,
)

_KINDS: dict[str, RetrievalKind] = {
    "auth": "auth",
    "missing-key": "missing-key",
    "rate-limit": "rate-limit",
    "server": "server",
    "connection": "connection",
    "cut": "connection",
    "timeout": "timeout",
    "not-local": "not-local",
    "internal": "internal",
}


class Reranker:
    """Reranks the max(4k, 20) best results of a retriever: by cosine similarity to the
    query (`embed`), by the scores of a reranking model (`rerank`), with both by the
    latter. The references keep both scores. Given references are all kept.

    Failures of the models are RetrievalErrors. Usage and cost are sums over all models
    asked; a figure that one does not give is unknown.
    """

    def __init__(
        self,
        inner: Retriever,
        *,
        embed: Seat | None,
        rerank: Seat | None,
        config: Config,
        env: Mapping[str, str],
    ) -> None:
        self.inner = inner
        self.name = inner.name
        self._embed, self._rerank = embed, rerank
        self._config, self._env = config, env

    def lexicon(self) -> Lexicon | None:
        return self.inner.lexicon()

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        narrow = wanted._replace(context="passage")
        found = await self.inner.retrieve(query, max(4 * k, 20), narrow)
        if not found.references:
            return found
        references = [msgspec.structs.replace(one) for one in found.references]
        texts = [
            f"{one.title}\n{one.text}" if one.title else one.text for one in references
        ]
        spent: list[tuple[Usage | None, float | None]] = (
            [(found.usage, found.cost)] if found.vectors_by else []
        )
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
        ordered = _sorted(
            references, _by_model if self._rerank is not None else _by_vector
        )
        kept = ordered if self.name == "given" else ordered[:k]
        for n, one in enumerate(kept, 1):
            one.n = n
        if widened := getattr(self.inner, "widened", None):
            kept = widened(kept, wanted)
        usages, costs = zip(*spent, strict=True)
        return msgspec.structs.replace(
            found, references=kept, usage=total_usage(usages), cost=known_sum(costs)
        )

    async def _target(self, seat: Seat, *, asked: bool = False) -> Target:
        try:
            return await find(seat, self._config, self._env)
        except ModelError as error:
            raise refused(error, asked=asked) from None


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Cosine similarity, -1 to 1; 0 if a vector has no length."""
    lengths = math.hypot(*one) * math.hypot(*other)
    if lengths:
        return max(
            -1.0,
            min(
                1.0,
                math.fsum(
                    a * b
                    for a, b in zip(
                        one,
                        other,
                        strict=True,
                    )
                )
                / lengths,
            ),
        )
    return 0.0


def _by_vector(one: Reference) -> float | None:
    return one.embed_score


def _by_model(one: Reference) -> float | None:
    return one.rerank_score


def _sorted(
    references: list[Reference], score: Callable[[Reference], float | None]
) -> list[Reference]:
    """Best first; equal ones stay in order, and those without a score come last."""
    return sorted(
        references,
        key=lambda one: -math.inf if (value := score(one)) is None else value,
        reverse=True,
    )


def refused(error: ModelError, *, asked: bool = False) -> RetrievalError:
    """The failure of a model's call, as a RetrievalError."""
    return RetrievalError(
        _KINDS.get(error.kind, "bad-request"), str(error), asked=asked
    )
