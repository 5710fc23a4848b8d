"""The user's corpora: listed, built, deleted, opened; and one that is open, which is a Retriever."""

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
from .build import Cancelled, Progress, build, never, quiet
from .build import Report as BuildReport
from .home import Home, Meta, describe
from .near import Spelling
from .port import Found, RetrievalError
from .words import Words, is_cjk

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
    """When, in UTC (ISO 8601)."""
    bytes: int
    """On disk."""
    path: Path
    problem: str | None
    """Why it cannot be opened, in one sentence; the counts are 0 then."""
    sources: list[str]
    """The folders and files it was made of."""


class Corpora:
    """All corpora of a user."""

    def __init__(self, places: Paths) -> None:
        self._places = places

    def path(self, name: str) -> Path:
        """The folder of a corpus of that name, whether it is there or not."""
        return self._places.corpora / name

    def list(self, *, known: bool = False) -> Sequence[CorpusInfo]:
        """By name, the bundled example first; that is indexed for it, unless only what is `known` is wanted."""
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
        """Makes a corpus, or brings it up to date: only what changed is read again. No sources, words or limit: those it had.

        `progress(done, total, file)` counts files. Stopped by `cancelled()` (Cancelled) or KeyboardInterrupt the corpus is as it was.
        BadInput where the name is no name, a source is not there, nothing can be indexed, or somebody else is building it.
        """
        if not _NAME.fullmatch(name) or name == EXAMPLE:
            why = "that is the bundled one's" if name == EXAMPLE else "it may have letters, digits, . _ and - and at most 64 of them"
            raise BadInput(f"A corpus cannot be called {name[:80]!r}: {why}; choose another name.")
        home = Home(self._places.corpora / name)
        return build(home, [Path(source) for source in sources], words, limit_mb, progress, cancelled, name)

    def delete(self, name: str) -> None:
        """Removes a corpus. The documents it was made of are left alone. BadInput where there is none, or it is being built."""
        home = Home(self._places.corpora / name)
        if not _NAME.fullmatch(name) or not home.path.is_dir():
            raise BadInput(f"There is no corpus called {name[:80]!r}; `verifytui corpora` lists them.")
        home.delete()

    def open(self, name_or_path: str, *, known: bool = False, progress: Progress = quiet, cancelled: Callable[[], bool] = never) -> Corpus:
        """A corpus by name; or a folder or file, which is indexed in the cache first, or again if it changed. RetrievalError, Cancelled.

        `known`: only if it has been indexed here before.
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
                    f"There is no corpus and no folder or file called {name_or_path[:200]!r};"
                    " `verifytui corpora` lists the corpora, `verifytui index PATH --name NAME` makes one.",
                )
            home = self._cached(hashlib.sha256(os.fsencode(path)).hexdigest()[:16])
            if known and not home.path.exists():
                raise RetrievalError(
                    "corpus",
                    f"The session wants {describe(str(path))} to be read, which nobody has asked for here; if you want that:"
                    f" verifytui corpora search {describe(str(path))} WORD",
                )
            build(home, [path], None, None, progress, cancelled, str(path), wait=True)
            return Corpus(home, str(path))
        except (BadInput, OSError) as error:
            raise RetrievalError("corpus", str(error)) from None

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
    """An open index. May be asked by several threads at once."""

    name = "corpus"

    def __init__(self, home: Home, called: str) -> None:
        """RetrievalError where it is missing, half written, or of another version or tokeniser."""
        self.called = called
        self.meta: Meta
        self.meta, self.data, self._scores = home.open(called)
        self.words = Words(self.meta.words)
        self.words.warm()

    async def retrieve(self, query: str, k: int) -> Found:
        return await asyncio.to_thread(self.search, query, k)

    def search(self, query: str, k: int) -> Found:
        """As `retrieve`, at once."""
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
        """The text of a document as it was indexed; offsets of references count in it. RetrievalError where there is none."""
        at = self._documents.get(file)
        if at is None:
            raise RetrievalError("corpus", f"The corpus {describe(self.called)} has no document called {file[:200]!r}.")
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
        """In how many passages a word of the index stands."""
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
