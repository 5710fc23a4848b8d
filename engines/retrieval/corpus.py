"""Lists, builds, deletes and opens the user's corpora.

An open corpus is a Retriever.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
from msgspec import UNSET

from ...sessions import plugins
from ...sessions.errors import BadInput
from ...sessions.events import Reference
from ...sessions.paths import Paths, private_dir
from ...texts import t
from ...texts.closest import with_closest
from .build import (
    BuildCancelled,
    BuildReport,
    BuildRequest,
    OtherSources,
    Progress,
    build,
    never,
    quiet,
)
from .context import widened
from .dense import DenseMeta
from .home import CorpusFolder, Meta, describe
from .index import Data
from .near import Shingles
from .open_corpus import Embedder, OpenCorpus
from .pace import ReadingSpeed
from .passage_selection import SelectedPassage, choose
from .plugin import CorpusInfo, plugin_of
from .port import ANY, Mode, PassageFilter, RetrievalError, RetrievalResult
from .query import read
from .ranks import Ranking, by_both, by_vectors, by_words
from .spelling import near as near_in_spelling
from .tokeniser import Tokeniser
from .where import Fields, parse

if TYPE_CHECKING:
    from .store import Array

__all__ = [
    "BuildCancelled",
    "BuildReport",
    "Corpora",
    "Corpus",
    "CorpusInfo",
    "OtherSources",
]

EXAMPLE = "example"
_NAME = re.compile(r"\w[\w.-]{0,63}")


class Corpora:
    """All corpora of a user."""

    def __init__(self, places: Paths) -> None:
        self._places = places

    def path(self, name: str) -> Path:
        """The folder of a corpus of that name, whether or not it exists."""
        return self._places.corpora / name

    def list(self, *, known: bool = False) -> Sequence[CorpusInfo]:
        """All corpora by name, the bundled example first.

        The example is indexed for this list, unless `known` is set.
        """
        homes = _homes(self._places.corpora)
        if not known:
            with contextlib.suppress(BadInput):
                self._refresh_example()
        here = [(self._example(), EXAMPLE), *((home, home.path.name) for home in homes)]
        elsewhere = plugins.every("retrievers").values()
        return [
            *(self._info(home, name) for home, name in here),
            *(info for one in elsewhere for info in one.listed(self._places)),
        ]

    def build(
        self,
        name: str,
        sources: Sequence[Path | str] = (),
        *,
        words: str | None = None,
        limit_mb: float | None = None,
        passage_size: int | None = None,
        overlap: int | None = None,
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        add: bool = False,
        replace: bool = False,
        ocr: str | None = None,
        progress: Progress = quiet,
        cancelled: Callable[[], bool] = never,
        pace: ReadingSpeed | None = None,
    ) -> BuildReport:
        """Creates a corpus or updates it; only changed files are read again.

        Sources, words, limit, size of passages (in words), overlap (in sentences) and
        patterns of files default to those of the corpus; `[""]`: no patterns. `add`:
        add the sources to the existing ones; `replace`: replace them. `ocr`: a command
        that reads the pictures of PDF pages without text. `progress(done,
        total, file)` counts files; `pace` first receives the progress in large files of
        rows. If the build is stopped, the corpus stays unchanged. Raises: Cancelled if
        `cancelled()` is true; OtherSources (a BadInput) if the corpus has other sources
        and neither `add` nor `replace` is set; BadInput if the name is invalid, a
        source does not exist, nothing can be indexed, or another build is running.
        """
        if not _NAME.fullmatch(name) or name == EXAMPLE:
            why = (
                t("wrong.corpus.name_bundled")
                if name == EXAMPLE
                else t("wrong.corpus.name_letters")
            )
            raise BadInput(t("wrong.corpus.name", name=name[:80], why=why))
        home = CorpusFolder(self._places.corpora / name)
        order = BuildRequest(
            [Path(source) for source in sources],
            words,
            limit_mb,
            passage_size,
            overlap,
            None if include is None else tuple(filter(None, include)),
            None if exclude is None else tuple(filter(None, exclude)),
            add,
            replace,
            ocr or "",
        )
        return build(home, order, progress, cancelled, name, pace=pace)

    @contextlib.contextmanager
    def trial(self, name: str) -> Iterator[Corpora]:
        """Return Corpora with only this corpus, for experiments. The copy is deleted at
        the end; the corpus itself does not change.

        Raises: BadInput if another process is building it.
        """
        folder, path = (
            self._places.corpora / f".trial-{secrets.token_hex(4)}",
            self._places.corpora / name,
        )
        private_dir(folder)
        try:
            if _NAME.fullmatch(name) and path.is_dir():
                with CorpusFolder(path).lock():
                    shutil.copytree(
                        path,
                        folder / name,
                        copy_function=_linked,
                        ignore=shutil.ignore_patterns("*.part", "*.part.npy"),
                    )
            yield Corpora(dataclasses.replace(self._places, corpora=folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def sample(self, one: CorpusInfo, count: int) -> Sequence[tuple[str, str]]:
        """Title and text of `count` passages from all over a corpus; none of one that
        is on a server or cannot be opened.

        Raises: RetrievalError, OSError, ValueError.
        """
        if one.lives or not one.passages:
            return []
        home = CorpusFolder(one.path)
        with contextlib.closing(
            Data(home.path / home.meta(one.name).generation)
        ) as data:
            of = len(data.passages)
            return [data.passage(at) for at in range(0, of, -(-of // count))]

    def delete(self, name: str) -> None:
        """Delete a corpus, but not its documents.

        A corpus on a server is not deleted there, only removed from the list.

        Raises: BadInput if there is none, or if it is being built.
        """
        plugin = plugin_of(name)
        if plugin is not None:
            plugin.forget(name, self._places)
            return
        home = CorpusFolder(self._places.corpora / name)
        if not _NAME.fullmatch(name) or not home.path.is_dir():
            raise BadInput(self._nothing("no_corpus", name, 80))
        home.delete()

    def open(
        self,
        name_or_path: str,
        *,
        known: bool = False,
        progress: Progress = quiet,
        cancelled: Callable[[], bool] = never,
    ) -> OpenCorpus:
        """Opens a corpus by name, or a folder or file, which is first indexed in the
        cache (again if it has changed).

        `known`: only if it has been indexed here before. Raises: RetrievalError,
        Cancelled.
        """
        try:
            plugin = plugin_of(name_or_path)
            if plugin is not None:
                return cast(
                    OpenCorpus, plugin.open(name_or_path, self._places, os.environ)
                )
            if name_or_path == EXAMPLE:
                self._refresh_example()
                return Corpus(self._example(), EXAMPLE)
            if _NAME.fullmatch(name_or_path):
                home = CorpusFolder(self._places.corpora / name_or_path)
                if home.path.is_dir() or home.building() is not None:
                    return Corpus(home, name_or_path)
            path = Path(os.path.abspath(os.path.expanduser(name_or_path)))
            if not name_or_path or "\0" in name_or_path or not os.path.lexists(path):
                raise RetrievalError(
                    "corpus", self._nothing("nothing_called", name_or_path, 200)
                )
            home = self._cached(hashlib.sha256(os.fsencode(path)).hexdigest()[:16])
            if known and not home.path.exists():
                raise RetrievalError(
                    "corpus",
                    t("wrong.corpus.not_asked", corpus=describe(str(path))),
                )
            build(
                home,
                BuildRequest([path], replace=True),
                progress,
                cancelled,
                str(path),
                wait=True,
            )
            return Corpus(home, str(path))
        except (BadInput, OSError) as error:
            raise RetrievalError("corpus", error.args[0]) from None

    def _nothing(self, sentence: str, name: str, most: int) -> str:
        """Return the error that there is no such corpus, with the closest name."""
        why = t(f"wrong.corpus.{sentence}", name=name[:most])
        homes = _homes(self._places.corpora)
        return with_closest(why, name, [EXAMPLE, *(home.path.name for home in homes)])

    def _example(self) -> CorpusFolder:
        return self._cached(EXAMPLE)

    def _refresh_example(self) -> None:
        home = self._example()
        try:
            build(
                home,
                BuildRequest([Path(__file__).parent / EXAMPLE], replace=True),
                quiet,
                never,
                EXAMPLE,
                wait=True,
            )
        except BadInput:
            if not home.path.is_dir():
                raise

    def _cached(self, name: str) -> CorpusFolder:
        return CorpusFolder(self._places.cache / "indexes" / name)

    def _info(self, home: CorpusFolder, name: str) -> CorpusInfo:
        try:
            meta = home.meta(name)
        except RetrievalError as error:
            return CorpusInfo(
                name,
                0,
                0,
                "",
                "",
                "",
                home.bytes(),
                home.path,
                str(error),
                home.sources(),
                home.building(),
            )
        counts = (meta.passages, meta.documents, meta.languages, meta.words, meta.built)
        whole = meta.dense is not None and meta.dense.generation == meta.generation
        return CorpusInfo(
            name,
            *counts,
            home.bytes(),
            home.path,
            None,
            meta.sources,
            home.building(),
            meta.dense,
            whole,
        )


def lacks_vectors(called: str, dense: DenseMeta | None, *, whole: bool) -> str:
    """Why the vectors of a corpus cannot be searched, in one sentence; empty if they
    can.
    """
    if dense is None:
        return t(
            "wrong.milvus.no_vectors" if plugin_of(called) else "wrong.dense.none",
            corpus=describe(called),
        )
    if whole:
        return ""
    return t("wrong.dense.incomplete", corpus=describe(called), model=dense.model)


def _homes(folder: Path) -> list[CorpusFolder]:
    """The corpora in a folder by name, also those that are being built for the first
    time and have no folder yet.
    """
    try:
        entries = list(folder.iterdir())
    except OSError:
        return []
    there = {
        entry.name
        for entry in entries
        if entry.is_dir() and not entry.name.startswith(".")
    }
    begun = [
        name[1:-5]
        for entry in entries
        if (name := entry.name).startswith(".") and name.endswith(".lock")
    ]
    there |= {
        name
        for name in begun
        if _NAME.fullmatch(name) and CorpusFolder(folder / name).building() is not None
    }
    return [CorpusFolder(folder / name) for name in sorted(there)]


def _linked(source: str, target: str) -> None:
    """The same file again, without a second copy of it where the file system can do
    that. The files of an index only take each other's place; what is appended to is
    copied.
    """
    try:
        if not os.path.basename(source).startswith("paid-"):
            return os.link(source, target)
    except OSError:
        pass
    shutil.copyfile(source, target)


class Corpus:
    """An open index. Several threads may use it at once."""

    name = "corpus"

    def __init__(self, home: CorpusFolder, called: str) -> None:
        """Opens the index in `home`.

        Before vectors are searched, `embedder` must be set.

        Raises: RetrievalError if it is missing, incomplete, or of another version or
        tokeniser.
        """
        self.called = called
        self.meta: Meta
        self.meta, self.data, self._scores = home.open(called)
        self._vectors = home.vectors(self.meta)
        self.embedder: Embedder | None = None
        self.words = Tokeniser(self.meta.words)
        self.words.warm()
        self._filtered: dict[str, Array] = {}
        """The passages that fit the latest filter: a batch asks with one."""

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        if wanted.mode == "bm25" or not query.strip() or k < 1:
            return await asyncio.to_thread(self.search, query, k, wanted)
        self.check(wanted.mode)
        assert self.embedder is not None
        assert self.meta.dense is not None
        # so that nothing is paid for a filter that cannot be read
        await asyncio.to_thread(self.fitting, wanted.where)
        asked = await self.embedder(self.meta.dense, query)
        found = await asyncio.to_thread(self.search, query, k, wanted, asked.vector)
        by = self.meta.dense.answered or self.meta.dense.model
        return msgspec.structs.replace(
            found, usage=asked.usage, cost=asked.cost, vectors_by=by
        )

    def check(self, mode: Mode) -> None:
        """Raises: RetrievalError if the index cannot be searched in this way, with what
        to do.
        """
        dense = self.meta.dense
        why = lacks_vectors(
            self.called,
            dense,
            whole=dense is not None and dense.generation == self.meta.generation,
        )
        if mode != "bm25" and (why or self._vectors is None):
            raise RetrievalError(
                "corpus", why or t("wrong.dense.damaged", corpus=describe(self.called))
            )

    def search(
        self,
        query: str,
        k: int,
        wanted: PassageFilter = ANY,
        vector: Array | None = None,
    ) -> RetrievalResult:
        """As `retrieve`, but not async.

        `vector`: the query's, of length 1, of the model whose vectors the corpus holds.

        Raises: RetrievalError if the filter cannot be read, or names a field that no
        document has, or if there are no vectors to search.
        """
        self.check(wanted.mode)
        asked = read(query, self.words, self.data.terms.find)
        among = self.fitting(wanted.where)
        chosen, left_out = choose(
            self._ranking(asked.words, among, wanted.mode, vector),
            k,
            wanted,
            self._look,
        )
        references = [
            self._reference(n, one, asked.times) for n, one in enumerate(chosen, 1)
        ]
        references = self.widened(references, wanted)
        message = (
            None if references else self._why(query, asked.words, k, among, wanted.mode)
        )
        return RetrievalResult(
            index=self.meta.index,
            references=references,
            unknown=asked.unknown,
            message=message,
            left_out=left_out,
        )

    def widened(
        self, references: list[Reference], wanted: PassageFilter
    ) -> list[Reference]:
        """Return references with the requested context around them."""
        if wanted.context == "passage":
            return references
        return widened(self.data, references, wanted)

    def fields(self) -> list[str]:
        """What the documents can be filtered by: `path`, `title`, `kind`, and what
        their metadata has.
        """
        return self._fields.names

    def fitting(self, where: str) -> Array | None:
        """For each passage whether its document fits a filter; None: all do.

        Raises: RetrievalError if the filter cannot be read, or names a field that no
        document has.
        """
        if not where.strip():
            return None
        found = self._filtered.get(where)
        if found is None:
            try:
                fitting = self._fields.fitting(parse(where))
            except BadInput as error:
                raise RetrievalError("bad-request", error.args[0]) from None
            found = fitting[self.data.passages[:, 0]]
            self._filtered = {where: found}
        return found

    def _ranking(
        self, known: list[int], among: Array | None, mode: Mode, vector: Array | None
    ) -> Ranking:
        if mode == "bm25":
            return by_words(self._scores, known, among)
        if vector is None or self._vectors is None:
            return lambda depth: []
        if mode == "dense":
            return by_vectors(self._vectors, vector, among)
        return by_both(self._scores, known, self._vectors, vector, among)

    def _look(self, at: int) -> tuple[Shingles, int]:
        """The shingles of a passage, and its document."""
        document = int(self.data.passages[at, 0])
        start, end = self.data.tokens_at[at : at + 2].tolist()
        title = len(self.words.raw(self.data.title(at), characters=True))
        return Shingles(self.data.tokens[start:end], title), document

    def document(self, file: str) -> str:
        """The text of a document as it was indexed.

        Offsets of references count in this text.

        Raises: RetrievalError if there is no such document.
        """
        at = self.data.files.place(file)
        if at is None:
            raise RetrievalError(
                "corpus",
                t(
                    "wrong.corpus.no_document",
                    corpus=describe(self.called),
                    file=file[:200],
                ),
            )
        return self.data.texts[at].replace("\f", " ")

    def lexicon(self) -> CorpusLexicon:
        return self._lexicon

    def close(self) -> None:
        self.data.close()

    @functools.cached_property
    def _fields(self) -> Fields:
        return Fields(self.data)

    @functools.cached_property
    def _lexicon(self) -> CorpusLexicon:
        return CorpusLexicon(self)

    def frequency(self, word: str) -> int:
        """The number of passages with a word of the index."""
        number = self.data.terms.find(word)
        if number is None:
            return 0
        return self._scores.frequency(number)

    def _id(self, at: int) -> str:
        document, start = self.data.passages[at, :2].tolist()
        return f"{self.data.files[document]}@{start}"

    def _reference(self, n: int, chosen: SelectedPassage, times: int) -> Reference:
        one = chosen.candidate
        document, start, end, *_ = self.data.passages[one.at].tolist()
        title, text = self.data.passage(one.at)
        return Reference(
            n=n,
            id=self._id(one.at),
            title=title,
            file=self.data.files[document],
            start=start,
            end=end,
            score=None if one.score is None else round(one.score / times, 4),
            text=text,
            found_by=one.found_by or UNSET,
            dense_score=UNSET if one.dense is None else round(one.dense, 4),
            alike=[self._id(at) for at in chosen.alike] or UNSET,
            metadata={**self.data.metadata(document), **self.data.page(one.at)}
            or UNSET,
        )

    def _why(
        self, query: str, known: list[int], k: int, among: Array | None, mode: Mode
    ) -> str:
        if not query.strip():
            return t("wrong.corpus.empty_query")
        if among is not None and not among.any():
            return t("wrong.corpus.none_fits")
        if not known and mode == "bm25":
            return t("wrong.corpus.no_word")
        if k >= 1 and among is not None:
            return t("wrong.corpus.no_word_fitting")
        if k < 1:
            return t("wrong.corpus.none_asked")
        return t("wrong.corpus.none_found")


class CorpusLexicon:
    """The Lexicon of a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.size: int = corpus.meta.passages

    def words(self, text: str) -> list[str]:
        return self._corpus.words.cut(text)

    def frequency(self, word: str) -> int:
        return self._corpus.frequency(word)

    def near(self, word: str) -> Sequence[str]:
        data = self._corpus.data
        return near_in_spelling(
            word,
            lambda low, high: (
                (some, data.form_counts[at].tolist())
                for at, some in data.forms.of_length(low, high)
            ),
        )
