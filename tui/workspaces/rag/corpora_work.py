"""Background work of the corpora screen: builds, vectors, searches.

Runs one build or purchase at a time.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ....engines.retrieval.corpus import Corpora
from ....engines.retrieval.home import CorpusFolder
from ....engines.retrieval.pace import ReadingSpeed
from ....engines.retrieval.port import PassageFilter, RetrievalError, RetrievalResult
from ....engines.threads import in_thread
from ....texts import t
from . import corpora_rows
from .surroundings import around

if TYPE_CHECKING:
    from ....engines.models.config import Config
    from ....engines.retrieval.corpus import BuildReport
    from ....engines.retrieval.embedding import Dense, EmbeddingPlan, EmbeddingPurchase
    from ....sessions.events import Reference


class CorporaWork:
    """`doing` says how far it is, in words; empty while nothing is done."""

    def __init__(self, corpora: Corpora, config: Config) -> None:
        self.doing = ""
        self._corpora = corpora
        self._config = config
        self._stop: threading.Event | None = None
        self._buying: asyncio.Task[EmbeddingPurchase] | None = None

    @property
    def busy(self) -> bool:
        return self._stop is not None

    def cancel(self) -> None:
        """Stops what is being done; what was paid for is kept."""
        if self._stop is not None:
            self._stop.set()
        if self._buying is not None:
            self._buying.cancel()

    async def build(
        self, name: str, sources: Sequence[Path], *, add: bool, replace: bool
    ) -> BuildReport:
        """As `Corpora.build`, in a thread. Raises as that does."""
        stop = self._stop = threading.Event()
        pace = ReadingSpeed()

        def progress(done: int, total: int, file: str) -> None:
            self.doing = corpora_rows.progress(
                done, total, file, pace.left(done, total)
            )

        try:
            return await in_thread(
                lambda: self._corpora.build(
                    name,
                    sources,
                    add=add,
                    replace=replace,
                    progress=progress,
                    cancelled=stop.is_set,
                    pace=pace,
                )
            )
        finally:
            stop.set()
            self._stop, self.doing = None, ""

    async def plan(self, name: str, model: str) -> EmbeddingPlan:
        """Plan the vectors for this model. Raises: BadInput, RetrievalError."""
        self.doing = t("corpora.counting")
        try:
            return await self._dense(name, model).plan()
        finally:
            self.doing = ""

    async def buy(self, name: str, model: str) -> EmbeddingPurchase:
        """Buys the vectors that are missing.

        Raises:
            BadInput, RetrievalError: they cannot be had; asyncio.CancelledError: it was
            stopped. What was paid for is kept.
        """
        self._stop = threading.Event()

        def progress(done: int, total: int) -> None:
            self.doing = corpora_rows.buying(
                done, total, pace.left(done, total), dense.cost
            )

        def again(message: str) -> None:
            self.doing = message

        dense, pace = self._dense(name, model), ReadingSpeed()
        self._buying = asyncio.create_task(
            dense.complete(announce=lambda _plan: None, progress=progress, say=again)
        )
        try:
            return await self._buying
        finally:
            self._buying = None
            self._stop, self.doing = None, ""

    async def drop(self, name: str) -> bool:
        """Whether there were vectors to remove. Raises: BadInput, RetrievalError."""
        from ....engines.retrieval.embedding import drop

        return await in_thread(
            lambda: drop(CorpusFolder(self._corpora.path(name)), name)
        )

    def _dense(self, name: str, model: str) -> Dense:
        from ....engines.retrieval.embedding import Dense, VectorSource

        return Dense(
            CorpusFolder(self._corpora.path(name)),
            name,
            VectorSource(model, self._config, os.environ),
        )

    async def search(
        self, name: str, query: str, k: int, wanted: PassageFilter
    ) -> RetrievalResult:
        """Raises: RetrievalError."""
        corpus = await in_thread(lambda: self._corpora.open(name))
        try:
            if wanted.mode != "bm25":
                from ....engines.retrieval.embedding import embedder

                corpus.embedder = embedder(self._config, os.environ)
                return await corpus.retrieve(query, k, wanted)
            return await in_thread(lambda: corpus.search(query, k, wanted))
        finally:
            corpus.close()

    async def around(self, name: str, reference: Reference) -> tuple[str | None, str]:
        """The text of the document that a reference is in; None where it cannot be
        read, and why.
        """

        def read() -> tuple[str | None, str]:
            corpus = self._corpora.open(name)
            try:
                return around(lambda: corpus, reference)
            finally:
                corpus.close()

        try:
            return await in_thread(read)
        except RetrievalError as error:
            return None, str(error)
