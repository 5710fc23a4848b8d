"""Buys the vectors of a corpus from an embedding model: only those that are not on disk
yet. Each batch is stored before the next one starts.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...sessions.errors import BadInput, cause
from ...sessions.events import Usage, known_sum, total_usage
from ...sessions.session import Seat
from ...texts import t
from ...texts.amounts import money
from ..models import prices
from ..models.calls import Target
from ..models.config import Config
from ..models.lineup import BUILTINS
from ..models.other_endpoints import AT_ONCE, Embeddings
from ..models.port import ModelError
from ..models.providers import FREE
from ..models.retries import passing, pause
from ..models.seating import seat
from ..models.targets import parameters
from ..models.tokens import estimate
from . import dense, embedders
from .dense import DenseMeta, StoredVectors, unit
from .home import CorpusFolder, Meta
from .index import Data
from .open_corpus import EmbeddedQuery, Embedder
from .port import RetrievalError
from .ranking import refused

if TYPE_CHECKING:
    from .store import Array

NONE = "none"
"""In place of a model: no dense index."""


class EmbeddingPlan(NamedTuple):
    """The vectors to buy, with their estimated cost."""

    model: str
    host: str
    """Where the texts go; empty if nothing is to be bought."""
    passages: int
    """Of the corpus."""
    missing: int
    """Different passages without a vector."""
    tokens: int
    """Estimated."""
    cost: float | None
    """US dollars, estimated; None: the price is unknown."""

    def describe(self, name: str) -> str:
        """Describe the vectors to buy, in one sentence."""
        if not self.missing:
            return t(
                "report.dense.nothing",
                name=name,
                model=self.model,
                passages=f"{self.passages:,}",
            )
        if self.cost is None:
            price = t("report.dense.price_unknown")
        elif not self.cost:
            price = t("report.dense.price_nothing")
        else:
            price = t("report.dense.price", price=money(self.cost))
        counts = {
            "missing": f"{self.missing:,}",
            "passages": f"{self.passages:,}",
            "tokens": f"{self.tokens:,}",
        }
        return t(
            "report.dense.plan",
            name=name,
            model=self.model,
            host=self.host,
            price=price,
            **counts,
        )


class EmbeddingPurchase(NamedTuple):
    """The vectors that were bought."""

    model: str
    answered: str
    """The model's id as it called itself."""
    size: int
    """Numbers of a vector."""
    passages: int
    embedded: int
    """Vectors that were bought."""
    usage: Usage | None
    """None: it is not known. Also `cost`."""
    cost: float | None


class VectorSource:
    """Where a corpus' vectors come from: its model, and the user's configuration and
    keys.
    """

    def __init__(self, model: str, config: Config, env: Mapping[str, str]) -> None:
        """Raises: BadInput if there can be no such model, or if it is a built-in, which
        embeds nothing.
        """
        self.model, self.config, self.env = embedders.absolute(model), config, env
        self.seat: Seat = seat(self.model, config)
        if self.seat.model in BUILTINS:
            raise BadInput(
                t(
                    "wrong.ranking.wrong_model",
                    setting="--dense",
                    model=self.seat.model,
                    condition="embeds",
                )
            )

    @property
    def key(self) -> str:
        """Return the model's identifier in the digests of its vectors. Equal
        identifiers mean equal vectors.

        Raises: BadInput if an encoder no longer exists.
        """
        if embedders.is_local(self.seat.model):
            return embedders.key(self.seat.model)
        more = parameters(self.seat, self.config)[1].get("dimensions")
        if more is None:
            return self.seat.model
        return f"{self.seat.model} {more}"

    async def target(self) -> Target:
        """Where it is reached. Raises: RetrievalError."""
        try:
            return await embedders.find(self.seat, self.config, self.env)
        except ModelError as error:
            raise refused(error) from None

    async def embed(
        self, target: Target, texts: list[str], say: Callable[[str], None]
    ) -> Embeddings:
        """Return a vector for each text, with the usual retries.

        `say` gets a sentence for each retry.

        Raises: RetrievalError after the last attempt.
        """
        attempt = 0
        while True:
            attempt += 1
            try:
                return await embedders.embed(target, texts, self.env)
            except ModelError as error:
                if attempt > self.config.retries or not passing(error):
                    raise refused(error, asked=True) from None
                seconds = pause(error, attempt, self.config.retry_wait)
                say(t("report.dense.again", why=str(error), seconds=seconds))
            await asyncio.sleep(seconds)


def embedder(config: Config, env: Mapping[str, str]) -> Embedder:
    """Return the client that embeds queries for a dense index."""

    async def asked(meta: DenseMeta, query: str) -> EmbeddedQuery:
        try:
            shop = VectorSource(meta.model, config, env)
        except BadInput as error:
            raise RetrievalError("bad-request", error.args[0]) from None
        answer = await shop.embed(await shop.target(), [query], lambda message: None)
        _check_model(meta, answer)
        return EmbeddedQuery(_unit(meta, answer.values[0]), answer.usage, answer.cost)

    return asked


class Dense:
    """The dense index of one corpus, as it is bought."""

    def __init__(
        self, home: CorpusFolder, called: str, shop: VectorSource, batch: int = AT_ONCE
    ) -> None:
        """`batch`: texts in a call, at most 96."""
        self.home, self.called, self.shop, self.batch = (
            home,
            called,
            shop,
            min(max(batch, 1), AT_ONCE),
        )
        self.cost: float | None = 0.0
        """US dollars that `complete` has spent so far; None: unknown."""

    async def plan(self) -> EmbeddingPlan:
        """Plan the missing vectors. Buys nothing. Raises: RetrievalError."""
        missing = await asyncio.to_thread(self._look)
        return await self._plan(missing)

    async def complete(
        self,
        *,
        announce: Callable[[EmbeddingPlan], None],
        progress: Callable[[int, int], None],
        say: Callable[[str], None],
    ) -> EmbeddingPurchase:
        """Buy the missing vectors, then put the new vectors in force.

        `announce` is called before anything is bought, `progress` with the number of
        missing vectors bought so far, `say` for each retry. After a cancellation or
        error at any moment, the paid vectors are on disk, and the next call continues
        from there.

        Raises: RetrievalError if the model fails; BadInput if another process is
        building the corpus, or it cannot be written.
        """
        try:
            with self.home.lock() as turn:
                missing = await asyncio.to_thread(self._look)
                meta = missing.meta.dense
                if meta is None or meta.model != self.shop.model or not missing.size:
                    meta = DenseMeta(model=self.shop.model)
                announce(await self._plan(missing))
                spent: list[tuple[Usage | None, float | None]] = []

                def count_stored(done: int, total: int) -> None:
                    self.cost = known_sum(cost for _, cost in spent)
                    turn.tell(done, total, vectors=True)
                    progress(done, total)

                answered = (
                    await self._buy(missing, meta, spent, count_stored, say)
                    if len(missing.first)
                    else meta.answered
                )
                size = await asyncio.to_thread(self._finish, missing, answered)
        except OSError as error:
            raise BadInput(
                t("wrong.corpus.not_written", name=self.called, why=cause(error))
            ) from None
        usages, costs = (
            zip(*spent, strict=True) if spent else ((Usage(input=0, output=0),), (0.0,))
        )
        embedded = len(missing.first)
        return EmbeddingPurchase(
            self.shop.model,
            answered,
            size,
            missing.meta.passages,
            embedded,
            total_usage(usages),
            known_sum(costs),
        )

    def _look(self) -> _Missing:
        """Which passages have no vector yet."""
        meta = self.home.meta(self.called)
        digests = self._digests(meta)
        return _missing(meta, digests, list(dense.known(self.home.path)))

    def _digests(self, meta: Meta) -> Array:
        import numpy

        with closing(Data(self.home.path / meta.generation)) as data:
            made = (
                dense.digest(self.shop.key, *data.passage(at))
                for at in range(meta.passages)
            )
            return numpy.fromiter(made, dtype=f"S{dense.DIGEST}", count=meta.passages)

    async def _plan(self, missing: _Missing) -> EmbeddingPlan:
        if not len(missing.first):
            return EmbeddingPlan(self.shop.model, "", missing.meta.passages, 0, 0, 0.0)
        target = await self.shop.target()
        tokens = await asyncio.to_thread(self._tokens, missing)
        return EmbeddingPlan(
            self.shop.model,
            target.host,
            missing.meta.passages,
            len(missing.first),
            tokens,
            _price(target, tokens),
        )

    def _tokens(self, missing: _Missing) -> int:
        with closing(Data(self.home.path / missing.meta.generation)) as data:
            return sum(estimate(_text(data, at)) for at in missing.first.tolist())

    async def _buy(
        self,
        missing: _Missing,
        meta: DenseMeta,
        spent: list[tuple[Usage | None, float | None]],
        progress: Callable[[int, int], None],
        say: Callable[[str], None],
    ) -> str:
        import numpy

        target, places = await self.shop.target(), missing.first.tolist()
        # in force until the first vectors of another model are paid for
        stored_meta = missing.meta.dense
        answered, size = meta.answered, missing.size
        progress(0, len(places))
        for low in range(0, len(places), self.batch):
            at = places[low : low + self.batch]
            with closing(Data(self.home.path / missing.meta.generation)) as data:
                texts = [_text(data, place) for place in at]
            answer = await self.shop.embed(target, texts, say)
            checked = DenseMeta(model=self.shop.model, answered=answered, size=size)
            _check_model(checked, answer)
            vectors = numpy.stack(
                [_unit(checked, vector) for vector in answer.values]
            ).astype("<f2")
            spent.append((answer.usage, answer.cost))
            # at once, so that nothing comes between
            dense.keep(self.home.path, missing.digests[at].tolist(), vectors)
            answered, size = answered or answer.model, vectors.shape[1]
            meta = msgspec.structs.replace(meta, answered=answered)
            # so that the next call goes on with this model, and notices if another one
            # answers
            if meta != stored_meta:
                stored_meta = meta
                self.home.write(msgspec.structs.replace(missing.meta, dense=meta))
            progress(min(low + self.batch, len(places)), len(places))
        return answered

    def _finish(self, missing: _Missing, answered: str) -> int:
        """Writes the vectors of all passages and names them in `index.json`; returns
        their size.
        """
        meta, digests = missing.meta, missing.digests
        now = meta.dense
        if (
            not len(missing.first)
            and now is not None
            and now.model == self.shop.model
            and self.home.vectors(meta) is not None
        ):
            return now.size
        sources = _sources(list(dense.known(self.home.path)), digests)
        name = f"dense-{secrets.token_hex(4)}"
        dense.write(self.home.path, name, digests, sources)
        made = DenseMeta(
            model=self.shop.model,
            answered=answered,
            size=sources[0].size,
            name=name,
            generation=meta.generation,
        )
        self.home.write(msgspec.structs.replace(meta, dense=made))
        dense.drop(self.home.path, name)
        return made.size


def drop(home: CorpusFolder, called: str) -> bool:
    """Removes the dense index of a corpus; False if there is none.

    Raises: BadInput, RetrievalError.
    """
    try:
        with home.lock():
            meta = home.meta(called)
            if meta.dense is not None:
                home.write(msgspec.structs.replace(meta, dense=None))
            dense.drop(home.path)
            return meta.dense is not None
    except OSError as error:
        raise BadInput(
            t("wrong.corpus.not_written", name=called, why=cause(error))
        ) from None


class _Missing(NamedTuple):
    meta: Meta
    digests: Array
    first: Array
    """Of each different passage without a vector the first place, in order."""
    size: int
    """Numbers of the vectors that are there; 0 if there are none."""


def _missing(meta: Meta, digests: Array, found: list[StoredVectors]) -> _Missing:
    import numpy

    sources = _sources(found, digests)
    lacks = numpy.ones(len(digests), dtype=bool)
    for source in sources:
        lacks &= source.find(digests) < 0
    places = numpy.flatnonzero(lacks)
    _, first = numpy.unique(digests[places], return_index=True)
    return _Missing(
        meta, digests, places[numpy.sort(first)], sources[0].size if sources else 0
    )


def _sources(found: list[StoredVectors], digests: Array) -> list[StoredVectors]:
    """Those that have some of the vectors; if they are of several sizes, those of the
    size of the most.
    """
    having = [(source, int((source.find(digests) >= 0).sum())) for source in found]
    sizes: dict[int, int] = {}
    for source, count in having:
        sizes[source.size] = sizes.get(source.size, 0) + count
    size = max(sizes, key=sizes.__getitem__, default=0)
    return [source for source, count in having if count and source.size == size]


def _text(data: Data, at: int) -> str:
    title, text = data.passage(at)
    if title:
        return f"{title}\n{text}"
    return text


def _price(target: Target, tokens: int) -> float | None:
    if target.prices is None and target.provider in FREE:
        return 0.0
    return prices.money(target, Usage(input=tokens, output=0, estimated=True))


def _check_model(meta: DenseMeta, answer: Embeddings) -> None:
    """Raises RetrievalError if another model answered than the one that made the
    vectors.
    """
    if meta.answered and answer.model and answer.model != meta.answered:
        raise RetrievalError(
            "bad-request",
            t(
                "wrong.dense.other_model",
                model=meta.model,
                answered=answer.model,
                before=meta.answered,
            ),
        )


def _unit(meta: DenseMeta, vector: list[float]) -> Array:
    if meta.size and len(vector) != meta.size:
        raise RetrievalError(
            "bad-request",
            t(
                "wrong.dense.size",
                model=meta.model,
                n=len(vector),
                size=meta.size,
            ),
        )
    try:
        return unit(vector)
    except ValueError:
        raise RetrievalError(
            "bad-request", t("wrong.dense.zero", model=meta.model)
        ) from None
