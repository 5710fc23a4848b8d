"""A corpus on Milvus, as `index --to` sends it or takes it up."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from ...cli import bar, console
from ...sessions.clean import clean
from ...sessions.errors import bad_input
from ...sessions.paths import paths
from ...texts import t

if TYPE_CHECKING:
    from ...engines.retrieval.corpus import Corpora
    from .address import Address, KnownCollection
    from .filling import FillResult
    from .head import Head
    from .server import MilvusConnection


class CorpusUpload:
    """One corpus, and where it lives on Milvus."""

    def __init__(self, name: str, where: Address, token_env: str | None) -> None:
        """`token_env`: None takes the name that was given for this address before.

        Raises: BadInput.
        """
        from ...engines.retrieval.port import as_bad_input
        from .address import Register

        self.name, self.where = name, where
        with as_bad_input():
            entry = Register(paths()).get(name)
        self._known = None if entry is None else entry.at(where)
        self._token_env = (
            token_env
            if token_env is not None or self._known is None
            else self._known.token_env
        )

    def try_it(self) -> None:
        """Raises: BadInput if the server cannot be reached, or something else stands
        under the name.
        """
        self._head()

    def _head(self) -> Head | None:
        """What the collection says of itself; None where there is none.

        Raises: BadInput.
        """
        from ...engines.retrieval.port import as_bad_input

        with as_bad_input(), closing(self._connect()) as server:
            return server.head()

    def send(self, corpora: Corpora) -> tuple[str, dict[str, object], str]:
        """Sends what differs.

        Returns what was done in one line, the same for programs, and in one sentence
        why it was not all of it.

        Raises: BadInput.
        """
        from ...engines.retrieval.home import CorpusFolder
        from ...engines.retrieval.port import RetrievalError
        from .filling import fill

        progress = UploadProgress()
        try:
            server = self._connect()
            try:
                origin = None if self._known is None else self._known.origin
                done = fill(
                    server,
                    CorpusFolder(corpora.path(self.name)),
                    self.name,
                    origin,
                    begun=self._remember,
                    progress=progress.show,
                )
            finally:
                server.close()
        except RetrievalError as error:
            why = f"{error} {t('wrong.milvus.kept')}" if progress.begun else str(error)
            return "", {"milvus": {"address": str(self.where), "error": why}}, why
        finally:
            progress.end()
        self._remember(done.head)
        counts = {"sent": done.sent, "unchanged": done.kept, "removed": done.removed}
        figures = {
            "address": str(self.where),
            "corpus": f"milvus:{self.name}",
            "passages": done.head.passages,
            **counts,
            "rebuilt": done.rebuilt,
        }
        return sent_in_words(self.name, self.where, done), {"milvus": figures}, ""

    def take_up(self, output: str) -> int:
        """Takes up a collection that was sent from elsewhere.

        Raises: BadInput if there is none.
        """
        head = self._head()
        if head is None:
            raise bad_input(
                "wrong.milvus.nothing",
                name=self.name,
                place=self.where.place,
                collection=self.where.collection,
            )
        self._remember(head)
        if output == "json":
            console.out_json(
                {
                    "name": self.name,
                    "milvus": {
                        "address": str(self.where),
                        "corpus": f"milvus:{self.name}",
                        "passages": head.passages,
                    },
                }
            )
        else:
            told = t(
                "report.milvus.taken_up",
                name=self.name,
                address=self.where,
                passages=f"{head.passages:,}",
            )
            console.line(clean(told, newlines=False))
        return console.DONE

    def _connect(self) -> MilvusConnection:
        from .corpus import connect

        return connect(self.where, self._token_env, paths())

    def _remember(self, head: Head) -> None:
        from .address import Register

        register = Register(paths())
        register.put(
            self.name,
            entry_of(self.where, self._token_env, head, register.get(self.name)),
        )


def entry_of(
    where: Address, token_env: str | None, head: Head, before: KnownCollection | None
) -> KnownCollection:
    """What is to be known of a corpus from now on. `before`: what was known of it."""
    from .address import KnownCollection

    elsewhere = {} if before is None else before.everywhere()
    elsewhere.pop(str(where), None)

    return KnownCollection(
        **where._asdict(),
        token_env=token_env,
        origin=head.origin,
        elsewhere=elsewhere,
        passages=head.passages,
        documents=head.documents,
        languages=head.languages,
        words=head.words,
        built=head.built,
        dense=head.dense,
    )


def sent_in_words(name: str, where: Address, done: FillResult) -> str:
    """What was sent, in one line, and how the corpus is named from now on."""
    counts = {
        "sent": f"{done.sent:,}",
        "kept": f"{done.kept:,}",
        "removed": f"{done.removed:,}",
    }
    again = f" {t(f'report.milvus.again_{done.rebuilt}')}" if done.rebuilt else ""
    return clean(
        t("report.milvus.sent", name=name, address=where, **counts) + again,
        newlines=False,
    )


class UploadProgress:
    """How many passages were sent."""

    def __init__(self) -> None:
        self.begun = False
        self._meter = bar.ProgressBar()

    def show(self, done: int, total: int) -> None:
        """How many of all are on the server."""
        self.begun = True
        self._meter.show(
            done,
            total,
            t("report.milvus.sending", done=f"{done:,}", total=f"{total:,}"),
        )

    def end(self) -> None:
        """The bar goes away."""
        self._meter.clear()
