"""An open corpus on Milvus."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from ...engines.models.config import load_config
from ...engines.models.providers import on_this_machine
from ...engines.retrieval.home import describe
from ...engines.retrieval.items import without_sent
from ...engines.retrieval.passage_selection import SelectedPassage, choose
from ...engines.retrieval.port import (
    ANY,
    Mode,
    PassageFilter,
    RetrievalError,
    RetrievalResult,
)
from ...engines.retrieval.query import read
from ...engines.retrieval.ranks import Ranking
from ...engines.retrieval.tokeniser import Tokeniser
from ...engines.retrieval.where import OWN, fits, parse
from ...sessions.errors import BadInput
from ...sessions.events import Reference
from ...sessions.paths import Paths
from ...texts import t
from .address import PREFIX, Address, KnownCollection, Register
from .head import Head, QueryScores, place_of_file
from .ranking import Fits, MilvusSearch
from .server import EXACT, MilvusConnection

if TYPE_CHECKING:
    from ...engines.retrieval.open_corpus import Embedder
    from ...engines.retrieval.store import Array


def connect(
    where: Address,
    token_env: str | None,
    places: Paths,
    env: Mapping[str, str] = os.environ,
) -> MilvusConnection:
    """Connects to a collection.

    Raises: RetrievalError if the server cannot be reached, the token is missing, or
    `local_only` forbids it.
    """
    try:
        config = load_config(places.config_file, env)
    except BadInput as error:
        raise RetrievalError("bad-request", error.args[0]) from None
    if (
        where.host
        and config.local_only
        and not on_this_machine(where.host, config.private_hosts)
    ):
        raise RetrievalError("not-local", t("wrong.milvus.not_local", host=where.host))
    token = env.get(token_env) if token_env else None
    if token_env and not token:
        raise RetrievalError(
            "missing-key", t("wrong.milvus.no_token", name=token_env, place=where.place)
        )
    return MilvusConnection(where, token, env)


def _connected(
    name: str, places: Paths, env: Mapping[str, str]
) -> tuple[KnownCollection, MilvusConnection]:
    """The registration of the corpus `milvus:NAME`, and a connection to it.

    Raises: RetrievalError.
    """
    entry = Register(places).get(name.removeprefix(PREFIX))
    if entry is None:
        raise RetrievalError("corpus", t("wrong.milvus.unknown", name=describe(name)))
    return entry, connect(entry.address, entry.token_env, places, env)


def open_corpus(
    name: str, places: Paths, env: Mapping[str, str] = os.environ
) -> MilvusCorpus:
    """Opens the corpus `milvus:NAME`. Raises: RetrievalError."""
    _, server = _connected(name, places, env)
    try:
        return MilvusCorpus(server, name)
    except BaseException:
        server.close()
        raise


def drop(name: str, places: Paths, env: Mapping[str, str] = os.environ) -> None:
    """Drops the collection of the corpus `milvus:NAME`.

    Raises: RetrievalError if it is not the registered one.
    """
    entry, server = _connected(name, places, env)
    try:
        head = server.head()
        if head is not None and head.origin != entry.origin:
            raise RetrievalError(
                "corpus",
                t(
                    "wrong.milvus.other",
                    place=server.where.place,
                    collection=server.where.collection,
                ),
            )
        server.drop()
    finally:
        server.close()


class MilvusCorpus:
    """An open corpus on Milvus, safe to use from several threads.

    Implements `port.Retriever`, and is searched like `corpus.Corpus`.
    """

    name = "corpus"

    def __init__(self, server: MilvusConnection, called: str) -> None:
        """Set `embedder` before searching vectors.

        Raises: RetrievalError if the collection is missing, incomplete, or uses another
        tokenizer.
        """
        self.called, self._server = called, server
        self.embedder: Embedder | None = None
        head = server.head()
        if head is None:
            raise RetrievalError(
                "corpus",
                t(
                    "wrong.milvus.gone",
                    corpus=describe(called),
                    place=server.where.place,
                ),
            )
        try:
            self.words = Tokeniser(head.words)
        except BadInput as error:
            raise RetrievalError("corpus", error.args[0]) from None
        self.head = self._ready(head)
        self.words.warm()

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        if wanted.mode == "bm25" or not query.strip() or k < 1:
            return await asyncio.to_thread(self.search, query, k, wanted)
        self.check(wanted.mode)
        assert self.embedder is not None
        assert self.head.dense is not None
        self.fitting(
            wanted.where
        )  # so that nothing is paid for a filter that cannot be read
        dense = self.head.dense
        asked = await self.embedder(dense, query)
        found = await asyncio.to_thread(self.search, query, k, wanted, asked.vector)
        return msgspec.structs.replace(
            found,
            usage=asked.usage,
            cost=asked.cost,
            vectors_by=dense.answered or dense.model,
        )

    def check(self, mode: Mode) -> None:
        """Raises: RetrievalError if this kind of search is not possible, with what to
        do.
        """
        if mode != "bm25" and self.head.dense is None:
            raise RetrievalError(
                "corpus", t("wrong.milvus.no_vectors", corpus=describe(self.called))
            )

    def search(
        self,
        query: str,
        k: int,
        wanted: PassageFilter = ANY,
        vector: Array | None = None,
    ) -> RetrievalResult:
        """The synchronous form of `retrieve`. `vector`: of the query, with length 1,
        from the model of the corpus.

        Raises: RetrievalError if the server fails, or the filter cannot be read, names
        an unknown field, or matches too few passages.
        """
        self.check(wanted.mode)
        if wanted.context != "passage":
            raise RetrievalError("bad-request", t("wrong.milvus.context"))
        fitting = self.fitting(wanted.where)
        if not query.strip() or k < 1:
            none = "none_asked" if query.strip() else "empty_query"
            return RetrievalResult(message=t(f"wrong.corpus.{none}"))
        head, known = self._server.words(_words_of(query, self.words))
        self.head = self._ready(head)
        numbers = {word: at.number for word, at in known.items()}
        asked = read(query, self.words, numbers.get)
        figures = QueryScores(
            head, asked.words, {at.number: at.frequency for at in known.values()}
        )
        search = MilvusSearch(
            self._server, self.words, figures, numbers, fitting, head.passages > EXACT
        )
        chosen, left_out = choose(
            self._ranking(search, wanted.mode, vector), k, wanted, search.look
        )
        if search.cut and fitting is not None and len(chosen) < k:
            raise RetrievalError(
                "bad-request",
                t("wrong.milvus.narrow", n=len(chosen), place=self._server.where.place),
            )
        found, altered = [], False
        for n, one in enumerate(chosen, 1):
            reference, hidden = without_sent(_reference(search, n, one, asked.times))
            found.append(reference)
            altered = altered or hidden
        message = None
        if not found:
            lacking = not asked.words and wanted.mode == "bm25"
            none = "none_found" if fitting is None else "no_word_fitting"
            message = t(f"wrong.corpus.{'no_word' if lacking else none}")
        return RetrievalResult(
            index=f"{head.origin} {head.stamp}",
            references=found,
            unknown=asked.unknown,
            message=message,
            left_out=left_out,
            altered=altered,
        )

    def fields(self) -> list[str]:
        """The fields for filters: `path`, `title`, `kind`, and the metadata."""
        return [*OWN, *sorted(name for name in self.head.fields if name not in OWN)]

    def fitting(self, where: str) -> Fits | None:
        """Returns a function that matches a document with a filter; None: all match.

        Raises: RetrievalError if the filter cannot be read, or names a field that no
        document has.
        """
        try:
            if where.strip():
                return fits(parse(where), self.head.fields)
            return None
        except BadInput as error:
            raise RetrievalError("bad-request", error.args[0]) from None

    def document(self, file: str) -> str:
        """The text of a document, joined from its passages. The number of blanks
        between passages is preserved, not their kind.

        Raises: RetrievalError if there is no such document.
        """
        text = ""
        for row in self._server.passages_of(place_of_file(file)):
            start, part = int(row["start"]), str(row["text"])
            if row["file"] == file and start + len(part) > len(text):
                text = (
                    text.ljust(start, "\n" if start - len(text) > 1 else " ")[:start]
                    + part
                )
        if not text:
            raise RetrievalError(
                "corpus",
                t(
                    "wrong.corpus.no_document",
                    corpus=describe(self.called),
                    file=file[:200],
                ),
            )
        return text

    def lexicon(self) -> MilvusLexicon:
        return MilvusLexicon(self, self._server)

    def close(self) -> None:
        self._server.close()

    def _ready(self, head: Head) -> Head:
        """The head, if the collection can be searched. Raises: RetrievalError."""
        if not head.whole:
            raise RetrievalError(
                "corpus", t("wrong.milvus.filling", corpus=describe(self.called))
            )
        if head.words_id != self.words.id:
            raise RetrievalError(
                "corpus",
                t(
                    "wrong.milvus.words",
                    corpus=describe(self.called),
                    tokenizer=head.words_id,
                ),
            )
        return head

    def _ranking(
        self, search: MilvusSearch, mode: Mode, vector: Array | None
    ) -> Ranking:
        if mode == "bm25":
            return search.by_words()
        if vector is None:
            return lambda depth: []
        if mode == "dense":
            return search.by_vectors(vector)
        return search.by_both(vector)


class MilvusLexicon:
    """The Lexicon of a corpus on Milvus. Caches the words it looked up."""

    def __init__(self, corpus: MilvusCorpus, server: MilvusConnection) -> None:
        self._words, self._server = corpus.words, server
        self.size: int = corpus.head.passages
        self._known: dict[str, int] = {}

    def words(self, text: str) -> list[str]:
        return self._words.cut(text)

    def frequency(self, word: str) -> int:
        if word not in self._known:
            _, found = self._server.words([word])
            self._known[word] = found[word].frequency if word in found else 0
        return self._known[word]

    def near(self, word: str) -> Sequence[str]:
        """None: spellings are only on the machine that created the corpus."""
        return ()


def _words_of(query: str, words: Tokeniser) -> list[str]:
    """Every word that reading a query may look up, whether or not the collection has
    it.
    """
    asked: dict[str, None] = {}

    def without(word: str) -> None:
        asked[word] = None

    def having(word: str) -> int:
        asked[word] = None
        return 0

    read(query, words, without)
    read(query, words, having)
    return list(asked)


def _reference(
    search: MilvusSearch, n: int, chosen: SelectedPassage, times: int
) -> Reference:
    one = chosen.candidate
    passage = search.passage(one.at)
    return Reference(
        n=n,
        id=passage.id,
        title=passage.title,
        file=passage.file,
        start=passage.start,
        end=passage.end,
        score=None if one.score is None else round(one.score / times, 4),
        text=passage.text,
        found_by=one.found_by or UNSET,
        dense_score=UNSET if one.dense is None else round(one.dense, 4),
        alike=[search.passage(at).id for at in chosen.alike] or UNSET,
        metadata=passage.metadata or UNSET,
    )
