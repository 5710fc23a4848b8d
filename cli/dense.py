"""Creates the vectors of a corpus for `index --dense`.

Shows the cost first, then the progress.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from ..sessions.clean import clean
from ..sessions.paths import paths
from ..texts import t
from ..texts.amounts import money
from . import bar, console
from .progress import span

if TYPE_CHECKING:
    from ..engines.retrieval.corpus import Corpora
    from ..engines.retrieval.embedding import Dense, EmbeddingPlan, EmbeddingPurchase


class VectorBuild:
    """Plans and creates the vectors of one corpus. The corpus must be built."""

    def __init__(self, name: str, model: str | None, batch: int) -> None:
        """`model`: the requested one; None: that of the corpus, if it has one.

        Raises: BadInput if there is no such model, or it cannot be called.
        """
        from ..engines.models.config import load_config
        from ..engines.retrieval.embedding import NONE

        self.name, self.batch = name, batch
        self.dropped = model == NONE
        self.model = None if self.dropped else model
        self._config = load_config(paths().config_file, os.environ)
        if self.model is not None:
            self._check(self.model)

    def plan(self, corpora: Corpora) -> EmbeddingPlan | None:
        """Plan the vectors to create.

        None if the corpus has no vectors and needs none. Raises: BadInput.
        """
        from ..engines.retrieval.port import as_bad_input

        dense = self._dense(corpora)
        if dense is None:
            return None
        with as_bad_input():
            return console.run(dense.plan())

    def settle(self, corpora: Corpora) -> tuple[str, dict[str, object], str]:
        """Buys or drops them.

        Returns what was done in one line, the same for programs, and in one sentence
        why it was not all of it.

        Each is empty where there is nothing to say. Raises: BadInput.
        """
        if self.dropped:
            dropped = self._drop(corpora)
            return (
                t(
                    "report.dense.dropped" if dropped else "report.dense.had_none",
                    name=self.name,
                ),
                {"dense": None},
                "",
            )
        dense = self._dense(corpora)
        if dense is None:
            return "", {}, ""
        bought, why = self._complete(dense)
        if bought is None:
            return "", {"dense": {"model": dense.shop.model, "error": why}}, why
        return (
            bought_in_words(self.name, bought),
            {"dense": _bought_as_json(bought)},
            "",
        )

    def _complete(self, dense: Dense) -> tuple[EmbeddingPurchase | None, str]:
        from ..engines.retrieval.port import RetrievalError

        progress = EmbeddingProgress(dense)
        try:
            return console.run(
                dense.complete(
                    announce=self._announce, progress=progress.show, say=progress.say
                )
            ), ""
        except RetrievalError as error:
            done = (
                t(
                    "wrong.dense.kept",
                    done=f"{progress.done:,}",
                    total=f"{progress.total:,}",
                )
                if progress.total
                else ""
            )
            return None, " ".join(part for part in (str(error), done) if part)
        finally:
            progress.end()

    def _drop(self, corpora: Corpora) -> bool:
        """Whether there were vectors to remove."""
        from ..engines.retrieval.embedding import drop
        from ..engines.retrieval.home import CorpusFolder
        from ..engines.retrieval.port import as_bad_input

        with as_bad_input():
            return drop(CorpusFolder(corpora.path(self.name)), self.name)

    def _dense(self, corpora: Corpora) -> Dense | None:
        from ..engines.retrieval.embedding import Dense, VectorSource
        from ..engines.retrieval.home import CorpusFolder
        from ..engines.retrieval.port import as_bad_input

        home = CorpusFolder(corpora.path(self.name))
        model = self.model
        if model is None and not self.dropped:
            with as_bad_input():
                kept = home.meta(self.name).dense
            model = kept.model if kept is not None else None
        if model is None:
            return None
        return Dense(
            home,
            self.name,
            VectorSource(model, self._config, os.environ),
            self.batch,
        )

    def _check(self, model: str) -> None:
        """Before documents are read, which takes long."""
        from ..engines.retrieval.embedding import VectorSource
        from ..engines.retrieval.port import as_bad_input

        with as_bad_input():
            console.run(VectorSource(model, self._config, os.environ).target())

    def _announce(self, plan: EmbeddingPlan) -> None:
        console.note(plan.describe(self.name))


def bought_in_words(name: str, bought: EmbeddingPurchase) -> str:
    """Describe the created vectors in one line."""
    spent = ""
    if bought.embedded:
        tokens = (
            ""
            if bought.usage is None or bought.usage.input is None
            else t("report.dense.tokens", n=f"{bought.usage.input:,}")
        )
        spent = "".join(
            t("report.dense.spent", part=part)
            for part in (tokens, money(bought.cost) if bought.cost is not None else "")
            if part
        )
    counts = {
        "passages": f"{bought.passages:,}",
        "embedded": f"{bought.embedded:,}",
        "size": bought.size,
    }
    return clean(
        t("report.dense.done", name=name, model=bought.model, spent=spent, **counts),
        newlines=False,
    )


def _bought_as_json(bought: EmbeddingPurchase) -> dict[str, object]:
    """Return the created vectors as JSON data."""
    usage = (
        None
        if bought.usage is None
        else {"input": bought.usage.input, "output": bought.usage.output}
    )
    return {**bought._asdict(), "usage": usage}


class EmbeddingProgress:
    """How many passages are embedded, on stderr: a bar on a terminal, a line now and
    then elsewhere.
    """

    LOG_SECONDS = 10.0

    def __init__(self, dense: Dense) -> None:
        from ..engines.retrieval.pace import ReadingSpeed

        self.done = self.total = 0
        self._dense = dense
        self._pace = ReadingSpeed()
        self._bar = sys.stderr.isatty()
        self._last = time.monotonic()
        self._drawn = False

    def show(self, done: int, total: int) -> None:
        """How many of all have their vectors."""
        self.done, self.total = done, total
        now = time.monotonic()
        left = self._pace.left(done, total)
        told = t("report.dense.embedding", done=f"{done:,}", total=f"{total:,}")
        if left is not None and done < total:
            told = f"{told}  {t('report.dense.left', span=span(left))}"
        if self._dense.cost:
            told = f"{told}  {t('report.dense.so_far', cost=money(self._dense.cost))}"
        if self._bar:
            bar.draw(done, total, told, widest=20)
            self._drawn = True
        elif now - self._last >= self.LOG_SECONDS:
            self._last = now
            console.note(told)

    def say(self, message: str) -> None:
        """A sentence above the bar."""
        self.end()
        console.say(message)

    def end(self) -> None:
        """The bar goes away."""
        if self._drawn:
            bar.clear()
            self._drawn = False
