"""An index on disk. It is written once, into a folder of its own, and then only read.

The folder contains, as strings and arrays of store.py: per document `texts`, `titles`,
`files`, `metas` (its metadata in JSON, empty if it has none); per passage `passages`
(document, start and end in characters of its text, start and end in bytes of all
texts), `sections` (the headings above it), `headers` (the header of the table whose
rows it begins with) and `tokens` (its words, title and headings first, as numbers of
`raws`), which begin at `tokens_at`; `raws`, the words as written; `terms`, their folded
forms, sorted by bytes; `forms` and `form_counts`, for spelling; and the files of bm25s.
`sources.json` records the state of each file when it was read.
"""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from .documents import Document, LargeText, markup_of
from .passages import DEFAULT, PassageSize, passages
from .spelling import forms
from .store import ArrayWriter, Strings, StringWriter, load, piece
from .text_window import TextWindow
from .tokeniser import Tokeniser, is_cjk
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from .store import Array

STRINGS = (
    "texts",
    "titles",
    "files",
    "metas",
    "sections",
    "headers",
    "raws",
    "terms",
    "forms",
)

BETWEEN = " \u203a "
"""Between the title of a document and the headings above a passage."""

_TOKENS = 1_000_000
"""Words of passages that are in memory at once."""

_STRETCH = 100_000
"""Passages of an older index that are copied at once."""


class IndexedFile(msgspec.Struct):
    """The state of a file when it was read, and its documents and passages: the first,
    and how many.
    """

    path: str
    name: str
    size: int
    mtime_ns: int
    sha256: str
    document: int = 0
    documents: int = 0
    passage: int = 0
    passages: int = 0
    odd: list[str] = []
    """Rows that were left out, a reason each."""
    remarks: list[str] = []
    """What the user should know of how it was read."""


class Data:
    """The arrays and strings of an index, memory-mapped.

    Raises: OSError or ValueError if one is missing or incomplete.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._strings = [Strings(folder, name) for name in STRINGS]
        (
            self.texts,
            self.titles,
            self.files,
            self.metas,
            self.sections,
            self.headers,
            self.raws,
            self.terms,
            self.forms,
        ) = self._strings
        self.passages, self.tokens, self.tokens_at = (
            load(folder, name) for name in ("passages", "tokens", "tokens_at")
        )
        self.form_counts = load(folder, "form_counts")

    def sources(self) -> list[IndexedFile]:
        return msgspec.json.decode(
            (self.folder / "sources.json").read_bytes(), type=list[IndexedFile]
        )

    def title(self, at: int) -> str:
        """The passage's title: its document's title and the headings above it."""
        title = self.titles[int(self.passages[at, 0])]
        return BETWEEN.join(filter(None, (title, self.sections[at])))

    def part(self, low: int, high: int) -> str:
        """As that of `texts`, with a space where a page of PDF begins."""
        return self.texts.part(low, high).replace("\f", " ")

    def page(self, at: int) -> dict[str, str]:
        """The page of PDF that a passage begins on, as metadata."""
        document, *_, low, high = self.passages[at].tolist()
        if not self.files[document].lower().endswith(".pdf"):
            return {}
        start, end = self.texts.start(document), self.texts.start(document + 1)
        if b"\f" not in self.texts.raw_part(start, end):
            return {}
        low = high - len(self.texts.raw_part(low, high).lstrip())
        return {"page": str(self.texts.raw_part(start, low).count(b"\f") + 1)}

    def passage(self, at: int) -> tuple[str, str]:
        """Title and text of a passage; later rows of a table follow its header."""
        low, high = self.passages[at, 3:].tolist()
        text = self.part(low, high)
        header = self.headers[at]
        return self.title(at), f"{header}\n{text}" if header else text

    def metadata(self, document: int) -> dict[str, str]:
        """Return the metadata that the file gives for a document, by name."""
        raw = self.metas.raw(document)
        if raw:
            return msgspec.json.decode(raw, type=dict[str, str])
        return {}

    def close(self) -> None:
        for strings in self._strings:
            strings.close()


class IndexWriter:
    """Collects documents (new ones, or those of an older index) and writes an index of
    them into an empty folder.

    What is collected goes to disk at once: memory does not grow with the number of
    documents.
    """

    def __init__(
        self, folder: Path, words: Tokeniser, size: PassageSize = DEFAULT
    ) -> None:
        self.folder, self.words, self.size = folder, words, size
        self.files: list[IndexedFile] = []
        self._vocabulary = Vocabulary(folder)
        self._adopted: dict[int, int] = {}
        """The first number here of the words of each older index."""
        self._numbered = ArrayWriter(folder, "numbered", "i")
        """The words of all passages, in the vocabulary's numbers."""
        self._tokens_at, self._passages = (
            ArrayWriter(folder, "tokens_at", "q"),
            ArrayWriter(folder, "passages", "q", 5),
        )
        self._tokens_at.append(0)
        self._strings = [StringWriter(folder, name) for name in STRINGS[:6]]
        (
            self._texts,
            self._titles,
            self._names,
            self._metas,
            self._sections,
            self._headers,
        ) = self._strings
        self._writers: list[ArrayWriter | StringWriter] = [
            *self._strings,
            self._numbered,
            self._tokens_at,
            self._passages,
        ]

    @property
    def passages(self) -> int:
        return len(self._tokens_at) - 1

    @property
    def documents(self) -> int:
        return len(self._texts)

    def add(self, documents: Iterable[Document | LargeText], file: IndexedFile) -> None:
        """Cuts and adds the documents of a file as they come: all of them, or none
        where they end in an error.

        The counts in `file` are set here.
        """
        file.document, file.passage = self.documents, self.passages
        tokens = len(self._numbered)
        ends = [(len(strings), strings.end) for strings in self._strings]
        try:
            for document in documents:
                self._document(document)
        except Exception:
            self._numbered.truncate(tokens)
            self._tokens_at.truncate(file.passage + 1)
            self._passages.truncate(file.passage * 5)
            for strings, (count, end) in zip(self._strings, ends, strict=True):
                strings.truncate(count, end)
            raise
        file.documents, file.passages = (
            self.documents - file.document,
            self.passages - file.passage,
        )
        self.files.append(file)

    def _document(self, document: Document | LargeText) -> None:
        number, numbers = self.documents, self._vocabulary.numbers
        window = TextWindow(self._texts.passed(document.pieces()))
        places = _BytePlaces(window, self._texts.end)
        for start, end, path, header in passages(
            window, markup_of(document.file), self.size
        ):
            passage = window.part(start, end)
            low, high = places[start], places[end]
            self._passages.extend((number, start, end, low, high))
            section = section_of(path, document.title)
            for text in (f"{document.title}\n{section}", f"{header}\n{passage}"):
                self._numbered.extend(
                    map(numbers.__getitem__, self.words.raw(text, characters=True))
                )
            self._sections.add(section)
            self._headers.add(header)
            self._tokens_at.append(len(self._numbered))
            self._vocabulary.rest()
        self._titles.add(document.title)
        self._names.add(document.file)
        self._metas.add_bytes(
            msgspec.json.encode(document.metadata) if document.metadata else b""
        )

    def keep(self, old: Data, file: IndexedFile) -> None:
        """Adds a file from an older index."""
        first = self._adopted.get(id(old))
        if first is None:
            first = self._adopted[id(old)] = self._vocabulary.adopt(old.raws)
        kept = msgspec.structs.replace(
            file, document=self.documents, passage=self.passages
        )
        shift = self._texts.end - old.texts.start(file.document)
        last = file.passage + file.passages
        for strings, olds in zip(
            self._strings[:4],
            (old.texts, old.titles, old.files, old.metas),
            strict=True,
        ):
            strings.copy(olds, file.document, file.document + file.documents)
        self._sections.copy(old.sections, file.passage, last)
        self._headers.copy(old.headers, file.passage, last)
        for low in range(file.passage, last, _STRETCH):
            high = min(low + _STRETCH, last)
            rows = piece(old.folder, "passages", low, high)
            rows[:, 0] += kept.document - file.document
            rows[:, 3:] += shift
            self._passages.write(rows)
            ends = piece(old.folder, "tokens_at", low, high + 1)
            self._tokens_at.write(ends[1:] - ends[0] + len(self._numbered))
            self._numbered.write(
                piece(
                    old.folder,
                    "tokens",
                    int(ends[0]),
                    int(ends[-1]),
                )
                + first
            )
        self.files.append(kept)

    def finish(self, check: Callable[[], None]) -> str:
        """Writes what is left and indexes the words; returns the languages (`zh`, `en`,
        `zh+en`, or "" where there are no words).

        `check` is called now and then; it may raise to stop.
        """
        for writer in self._writers:
            writer.__exit__(None, None, None)
        (self.folder / "sources.json").write_bytes(msgspec.json.encode(self.files))
        order = self._order(check)
        self._index(order, check)
        (self.folder / "numbered.npy").unlink()
        return order.languages

    def _order(self, check: Callable[[], None]) -> _Order:
        """Writes the words in order."""
        import numpy

        counts = numpy.zeros(len(self._vocabulary), dtype="int32")
        for low in range(0, len(self._numbered), _TOKENS):
            check()
            numbers = piece(self.folder, "numbered", low, low + _TOKENS)
            least = int(numbers.min())
            found = numpy.bincount(numbers - least)
            counts[least : least + len(found)] += found.astype("int32")
        raw_of, term_of, occurrences = (
            array("i", bytes(4 * len(counts))),
            array("i"),
            array("q"),
        )
        languages = _Languages()
        with contextlib.ExitStack() as stack:
            raws, terms, spelt = (
                stack.enter_context(StringWriter(self.folder, name))
                for name in ("raws", "terms", "forms")
            )
            form_counts = stack.enter_context(
                ArrayWriter(self.folder, "form_counts", "q")
            )
            for term, written in self._vocabulary.merged(counts):
                if len(occurrences) % 50_000 == 0:
                    check()
                total = 0
                for raw, count, numbers_of in written:
                    for number in numbers_of:
                        raw_of[number] = len(term_of)
                    term_of.append(len(occurrences))
                    raws.add(raw)
                    total += count
                terms.add(term)
                occurrences.append(total)
                languages.add(term, total)
                for form, count in forms(
                    [raw for raw, *_ in written], [count for _, count, _ in written]
                ).items():
                    spelt.add(form)
                    form_counts.append(count)
        return _Order(
            numpy.array(raw_of),
            numpy.array(term_of),
            numpy.array(occurrences),
            str(languages),
        )

    def _index(self, order: _Order, check: Callable[[], None]) -> None:
        """Writes the words of the passages by their places in order, and the scores."""
        import numpy

        from .bm25 import Builder

        at = piece(self.folder, "tokens_at", 0, self.passages + 1)
        builder = Builder(self.folder / "bm25", order.occurrences)
        try:
            with ArrayWriter(self.folder, "tokens", "i") as tokens:
                low = 0
                while low < self.passages:
                    check()
                    high = max(
                        low + 1,
                        int(numpy.searchsorted(at, at[low] + _TOKENS, side="right"))
                        - 1,
                    )
                    numbers = order.raw_of[
                        piece(
                            self.folder,
                            "numbered",
                            int(at[low]),
                            int(at[high]),
                        )
                    ]
                    tokens.write(numbers)
                    builder.add(order.term_of[numbers], numpy.diff(at[low : high + 1]))
                    low = high
            builder.finish(check)
        except BaseException:
            builder.abandon()
            raise

    def abandon(self) -> None:
        for writer in self._writers:
            writer.__exit__(InterruptedError, None, None)


def section_of(path: Sequence[str], title: str) -> str:
    """The headings above a passage in one line, without one that is the title of its
    document.
    """
    return BETWEEN.join(path[1:] if path[:1] == (title,) else path)[-300:]


class _BytePlaces:
    """Where the characters of a text are, in bytes; they are asked for in about their
    order.
    """

    def __init__(self, window: TextWindow, start: int) -> None:
        self._window, self._at, self._byte = window, 0, start

    def __getitem__(self, at: int) -> int:
        low, high = sorted((at, self._at))
        size = len(self._window.part(low, high).encode())
        self._byte += size if at >= self._at else -size
        self._at = at
        return self._byte


class _Order(NamedTuple):
    """The words in order: the place in `raws` of each number of the vocabulary, the
    place in `terms` of each of `raws`, and how often each of `terms` occurs.
    """

    raw_of: Array
    term_of: Array
    occurrences: Array
    languages: str


class _Languages:
    """Counts the words of each language; as text, the languages with a tenth of them or
    more.
    """

    def __init__(self) -> None:
        self._counts = {"zh": 0, "en": 0}

    def add(self, term: str, count: int) -> None:
        if is_cjk(term):
            self._counts["zh"] += count
        elif term[0].isalpha():
            self._counts["en"] += count

    def __str__(self) -> str:
        both = sum(self._counts.values())
        return "+".join(
            name for name, count in self._counts.items() if both and count / both >= 0.1
        )
