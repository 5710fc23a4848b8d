"""A corpus on Milvus, as `index --to` sends it or takes it up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..sessions.clean import clean
from ..sessions.errors import BadInput
from ..sessions.paths import paths
from ..texts import t
from . import bar, console

if TYPE_CHECKING:
    from ..engines.retrieval.corpus import Corpora
    from ..engines.retrieval.milvus.address import Address, KnownCollection
    from ..engines.retrieval.milvus.filling import FillResult
    from ..engines.retrieval.milvus.head import Head
    from ..engines.retrieval.milvus.server import MilvusConnection


def sending(
    name: str, to: str | None, token_env: str | None, *, dry_run: bool
) -> CorpusUpload | None:
    """Where a corpus is to be sent; None: nowhere.

    The server is asked at once, so that nothing long is done in vain.

    Raises: BadInput, with one sentence for whatever is wrong.
    """
    if to is None:
        if token_env is not None:
            raise BadInput(t("wrong.milvus.token_alone"))
        return None
    if dry_run:
        raise BadInput(t("wrong.milvus.dry_run"))
    from ..engines.retrieval.milvus.address import address, token_name

    one = CorpusUpload(
        name, address(to, name), None if token_env is None else token_name(token_env)
    )
    one.try_it()
    return one


class CorpusUpload:
    """One corpus, and where it lives on Milvus."""

    def __init__(self, name: str, where: Address, token_env: str | None) -> None:
        """`token_env`: None takes the name that was given for this address before.

        Raises: BadInput.
        """
        from ..engines.retrieval.milvus.address import Register
        from ..engines.retrieval.port import RetrievalError

        self.name, self.where = name, where
        try:
            entry = Register(paths()).get(name)
        except RetrievalError as error:
            raise BadInput(error.args[0]) from None
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
        from ..engines.retrieval.port import RetrievalError

        try:
            server = self._connect()
            try:
                server.head()
            finally:
                server.close()
        except RetrievalError as error:
            raise BadInput(error.args[0]) from None

    def send(self, corpora: Corpora) -> tuple[str, dict[str, Any], str]:
        """Sends what differs.

        Returns what was done in one line, the same for programs, and in one sentence
        why it was not all of it.

        Raises: BadInput.
        """
        from ..engines.retrieval.home import CorpusFolder
        from ..engines.retrieval.milvus.filling import fill
        from ..engines.retrieval.port import RetrievalError

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
        from ..engines.retrieval.port import RetrievalError

        try:
            server = self._connect()
            try:
                head = server.head()
            finally:
                server.close()
        except RetrievalError as error:
            raise BadInput(error.args[0]) from None
        if head is None:
            raise BadInput(
                t(
                    "wrong.milvus.nothing",
                    name=self.name,
                    place=self.where.place,
                    collection=self.where.collection,
                )
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
            console.out(clean(told, newlines=False) + "\n")
        return console.DONE

    def _connect(self) -> MilvusConnection:
        from ..engines.retrieval.milvus.corpus import connect

        return connect(self.where, self._token_env, paths())

    def _remember(self, head: Head) -> None:
        from ..engines.retrieval.milvus.address import Register

        register = Register(paths())
        register.put(
            self.name,
            entry_of(self.where, self._token_env, head, register.get(self.name)),
        )


def entry_of(
    where: Address, token_env: str | None, head: Head, before: KnownCollection | None
) -> KnownCollection:
    """What is to be known of a corpus from now on. `before`: what was known of it."""
    from ..engines.retrieval.milvus.address import KnownCollection

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
        """So many of so many are on the server."""
        self.begun = True
        self._meter.show(
            done,
            total,
            t("report.milvus.sending", done=f"{done:,}", total=f"{total:,}"),
        )

    def end(self) -> None:
        """The bar goes away."""
        self._meter.clear()
