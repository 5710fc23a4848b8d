"""Uploads a corpus to Milvus or registers it, for `index --to`."""

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
    """A corpus and its address on Milvus."""

    def __init__(self, name: str, where: Address, token_env: str | None) -> None:
        """`token_env`: None uses the name given for this address before.

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
        """Raises: BadInput if the server cannot be reached, or the name belongs to
        something else.
        """
        self._head()

    def _head(self) -> Head | None:
        """The head of the collection; None if there is none. Raises: BadInput."""
        from ...engines.retrieval.port import as_bad_input

        with as_bad_input(), closing(self._connect()) as server:
            return server.head()

    def send(self, corpora: Corpora) -> tuple[str, dict[str, object], str]:
        """Sends the differences. Returns a summary in one line, the same as JSON, and
        one sentence if the upload is incomplete.

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
        """Registers a collection that was sent from another machine.

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
            text = t(
                "report.milvus.taken_up",
                name=self.name,
                address=self.where,
                passages=f"{head.passages:,}",
            )
            console.line(clean(text, newlines=False))
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
    """The new registration of the corpus. `before`: the previous one."""
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
    """The summary of an upload in one line, with the name for later use."""
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
    """Number of passages sent."""

    def __init__(self) -> None:
        self.begun = False
        self._meter = bar.ProgressBar()

    def show(self, done: int, total: int) -> None:
        """Number of passages on the server, of all."""
        self.begun = True
        self._meter.show(
            done,
            total,
            t("report.milvus.sending", done=f"{done:,}", total=f"{total:,}"),
        )

    def end(self) -> None:
        """Removes the progress bar."""
        self._meter.clear()
