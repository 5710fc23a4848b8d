"""Lists, builds, deletes and opens the user's corpora. An open corpus is a Retriever."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ...sessions.errors import BadInput
from ...sessions.events import Reference
from ...sessions.paths import Paths
from ...texts import t
from .build import Cancelled, Progress, build, never, quiet
from .build import Report as BuildReport
from .home import Home, Meta, describe
from .port import Found, RetrievalError
from .spelling import Spelling
from .tokeniser import Tokeniser, is_cjk

__all__ = ["BuildReport", "Cancelled", "Corpora", "Corpus", "CorpusInfo"]

EXAMPLE = "example"
_NAME = re.compile(r"\w[\w.-]{0,63}")


class CorpusInfo(NamedTuple):
    """A line of the list of corpora."""

    name: str
    passages: int
    documents: int
    languages: str
    """`zh`, `en` or `zh+en`."""
    words: str
    """How its words were cut."""
    built: str
    """When it was built, in UTC (ISO 8601)."""
    bytes: int
    """Size on disk."""
    path: Path
    problem: str | None
    """Why it cannot be opened, in one sentence; the counts are 0 then."""
    sources: list[str]
    """The folders and files it was built from."""


class Corpora:
    """All corpora of a user."""

    def __init__(self, places: Paths) -> None:
        self._places = places

    def path(self, name: str) -> Path:
        """The folder of a corpus of that name, whether or not it exists."""
        return self._places.corpora / name

    def list(self, *, known: bool = False) -> Sequence[CorpusInfo]:
        """All corpora by name, the bundled example first. The example is indexed for this list, unless `known` is set."""
        try:
            homes = [Home(entry) for entry in sorted(self._places.corpora.iterdir()) if entry.is_dir() and not entry.name.startswith(".")]
        except OSError:
            homes = []
        if not known:
            with contextlib.suppress(BadInput):
                self._refresh_example()
        return [self._info(home, name) for home, name in [(self._example(), EXAMPLE), *((home, home.path.name) for home in homes)]]

    def build(
        self,
        name: str,
        sources: Sequence[Path | str] = (),
        *,
        words: str | None = None,
        limit_mb: float | None = None,
        progress: Progress = quiet,
        cancelled: Callable[[], bool] = never,
    ) -> BuildReport:
        """Builds a corpus or updates it; only changed files are read again. Without sources, words or limit it keeps its own.

        `progress(done, total, file)` counts files. If the build is stopped, the corpus stays as it was.
        Raises: Cancelled if `cancelled()` says so; BadInput if the name is not valid, a source does not exist, nothing can be indexed, or
        somebody else is building it.
        """
        if not _NAME.fullmatch(name) or name == EXAMPLE:
            why = t("wrong.corpus.name_bundled") if name == EXAMPLE else t("wrong.corpus.name_letters")
            raise BadInput(t("wrong.corpus.name", name=name[:80], why=why))
        home = Home(self._places.corpora / name)
        return build(home, [Path(source) for source in sources], words, limit_mb, progress, cancelled, name)

    def delete(self, name: str) -> None:
        """Deletes a corpus, but not its documents.

        Raises: BadInput if there is none, or if it is being built.
        """
        home = Home(self._places.corpora / name)
        if not _NAME.fullmatch(name) or not home.path.is_dir():
            raise BadInput(t("wrong.corpus.no_corpus", name=name[:80]))
        home.delete()

    def open(self, name_or_path: str, *, known: bool = False, progress: Progress = quiet, cancelled: Callable[[], bool] = never) -> Corpus:
        """Opens a corpus by name, or a folder or file, which is first indexed in the cache (again if it has changed).

        `known`: only if it has been indexed here before. Raises: RetrievalError, Cancelled.
        """
        try:
            if name_or_path == EXAMPLE:
                self._refresh_example()
                return Corpus(self._example(), EXAMPLE)
            if _NAME.fullmatch(name_or_path) and (self._places.corpora / name_or_path).is_dir():
                return Corpus(Home(self._places.corpora / name_or_path), name_or_path)
            path = Path(os.path.abspath(os.path.expanduser(name_or_path)))
            if not name_or_path or "\0" in name_or_path or not os.path.lexists(path):
                raise RetrievalError(
                    "corpus",
                    t("wrong.corpus.nothing_called", name_or_path=name_or_path[:200]),
                )
            home = self._cached(hashlib.sha256(os.fsencode(path)).hexdigest()[:16])
            if known and not home.path.exists():
                raise RetrievalError(
                    "corpus",
                    t("wrong.corpus.not_asked", corpus=describe(str(path))),
                )
            build(home, [path], None, None, progress, cancelled, str(path), wait=True)
            return Corpus(home, str(path))
        except (BadInput, OSError) as error:
            raise RetrievalError("corpus", error.args[0]) from None

    def _example(self) -> Home:
        return self._cached(EXAMPLE)

    def _refresh_example(self) -> None:
        home = self._example()
        try:
            build(home, [Path(__file__).parent / EXAMPLE], None, None, quiet, never, EXAMPLE, wait=True)
        except BadInput:
            if not home.path.is_dir():
                raise

    def _cached(self, name: str) -> Home:
        return Home(self._places.cache / "indexes" / name)

    def _info(self, home: Home, name: str) -> CorpusInfo:
        try:
            meta = home.meta(name)
        except RetrievalError as error:
            return CorpusInfo(name, 0, 0, "", "", "", home.bytes(), home.path, str(error), [])
        return CorpusInfo(
            name, meta.passages, meta.documents, meta.languages, meta.words, meta.built, home.bytes(), home.path, None, meta.sources
        )


class Corpus:
    """An open index. Several threads may use it at once."""

    name = "corpus"

    def __init__(self, home: Home, called: str) -> None:
        """Opens the index in `home`.

        Raises: RetrievalError if it is missing, incomplete, or of another version or tokeniser.
        """
        self.called = called
        self.meta: Meta
        self.meta, self.data, self._scores = home.open(called)
        self.words = Tokeniser(self.meta.words)
        self.words.warm()

    async def retrieve(self, query: str, k: int) -> Found:
        return await asyncio.to_thread(self.search, query, k)

    def search(self, query: str, k: int) -> Found:
        """As `retrieve`, but not async."""
        known: list[int] = []
        unknown: list[str] = []
        previous = ""
        for raw, word in self.words.pairs(query):
            number = self.data.terms.find(word)
            if number is not None:
                known.append(number)
                previous = ""
            elif previous and is_cjk(raw) and previous[-1] == raw[0] and len(raw) == 2:
                unknown[-1] += raw[1]  # two-character grams that overlap: one stretch of the query
                previous = raw
            else:
                unknown.append(raw)
                previous = raw if is_cjk(raw) else ""
        unknown = list(dict.fromkeys(unknown))
        references = [self._reference(n, at, score) for n, (at, score) in enumerate(self._scores.best(known, k), 1)]
        return Found(references=references, unknown=unknown, message=None if references else self._why(query, known, k))

    def document(self, file: str) -> str:
        """The text of a document as it was indexed. Offsets of references count in this text.

        Raises: RetrievalError if there is no such document.
        """
        at = self._documents.get(file)
        if at is None:
            raise RetrievalError("corpus", t("wrong.corpus.no_document", corpus=describe(self.called), file=file[:200]))
        return self.data.texts[at]

    def lexicon(self) -> CorpusLexicon:
        return self._lexicon

    def close(self) -> None:
        self.data.close()

    @functools.cached_property
    def _documents(self) -> dict[str, int]:
        return {file: at for at, file in enumerate(self.data.files.all())}

    @functools.cached_property
    def _lexicon(self) -> CorpusLexicon:
        return CorpusLexicon(self)

    def frequency(self, word: str) -> int:
        """The number of passages with a word of the index."""
        number = self.data.terms.find(word)
        return 0 if number is None else self._scores.frequency(number)

    def _reference(self, n: int, at: int, score: float) -> Reference:
        document, start, end, low, high = self.data.passages[at].tolist()
        file = self.data.files[document]
        return Reference(
            n=n,
            id=f"{file}@{start}",
            title=self.data.titles[document],
            file=file,
            start=start,
            end=end,
            score=round(score, 4),
            text=self.data.texts.part(low, high),
        )

    def _why(self, query: str, known: list[int], k: int) -> str:
        if not query.strip():
            return "The query is empty, so nothing was looked for."
        if not known:
            return "No passage has any word of the query; ask with other words."
        return "No passage was asked for." if k < 1 else "No passage was found."


class CorpusLexicon:
    """The Lexicon of a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.size: int = corpus.meta.passages
        self._spelling = functools.cache(self._load)

    def _load(self) -> Spelling:
        data = self._corpus.data
        return Spelling(dict(zip(data.forms.all(), data.form_counts.tolist(), strict=True)))

    def words(self, text: str) -> list[str]:
        return self._corpus.words.cut(text)

    def frequency(self, word: str) -> int:
        return self._corpus.frequency(word)

    def near(self, word: str) -> Sequence[str]:
        return self._spelling().near(word)
