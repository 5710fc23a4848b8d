"""An index on disk. It is written once, into a folder of its own, and then only read.

The folder holds, as strings and arrays of store.py: per document `texts`, `titles`, `files`; per passage `passages` (document, start
and end in characters of its text, start and end in bytes of all texts) and `tokens` (its words, title first, as numbers of `raws`),
which begin at `tokens_at`; `raws`, the words as written; `terms`, what they are folded to, sorted by their bytes; `forms` and
`form_counts`, for spelling; and what bm25s saved. `sources.json` says of each file what it was when it was read.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from .documents import Document
from .passages import cut
from .spelling import forms
from .store import Strings, StringWriter, load, save
from .tokeniser import Tokeniser, fold, is_cjk

if TYPE_CHECKING:
    from .store import Array

STRINGS = ("texts", "titles", "files", "raws", "terms", "forms")


class File(msgspec.Struct):
    """The state of a file when it was read, and its documents and passages: the first, and how many."""

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


class Data:
    """The arrays and strings of an index, memory-mapped.

    Raises: OSError or ValueError if one is missing or incomplete.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts, self.titles, self.files, self.raws, self.terms, self.forms = (Strings(folder, name) for name in STRINGS)
        self.passages, self.tokens, self.tokens_at = (load(folder, name) for name in ("passages", "tokens", "tokens_at"))
        self.form_counts = load(folder, "form_counts")

    def sources(self) -> list[File]:
        return msgspec.json.decode((self.folder / "sources.json").read_bytes(), type=list[File])

    def close(self) -> None:
        for strings in (self.texts, self.titles, self.files, self.raws, self.terms, self.forms):
            strings.close()


class _Numbers(dict[str, int]):
    """Gives every new word the next number."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class Writer:
    """Collects documents (new ones, or those of an older index) and writes an index of them into an empty folder."""

    def __init__(self, folder: Path, words: Tokeniser) -> None:
        self.folder, self.words = folder, words
        self.files: list[File] = []
        self._numbers = _Numbers()
        self._tokens, self._tokens_at = array("i"), array("q", [0])
        self._passages = array("q")
        self._texts, self._titles, self._names = (StringWriter(folder, name) for name in ("texts", "titles", "files"))

    @property
    def passages(self) -> int:
        return len(self._tokens_at) - 1

    @property
    def documents(self) -> int:
        return len(self._texts.ends) - 1

    def add(self, documents: Sequence[Document], file: File) -> None:
        """Cuts and adds the documents of a file; the counts in `file` are set here."""
        file.document, file.passage = self.documents, self.passages
        for document in documents:
            self._document(document)
        file.documents, file.passages = self.documents - file.document, self.passages - file.passage
        self.files.append(file)

    def _document(self, document: Document) -> None:
        text, number = document.text, self.documents
        here, place = self._texts.ends[-1], 0
        title = [self._numbers[raw] for raw in self.words.raw(document.title)]
        ascii_only = text.isascii()
        known = 0
        """Bytes of the text before `place`."""
        for start, end in cut(text):
            passage = text[start:end]
            if ascii_only:
                low, high = start, end
            else:
                low = known + len(text[place:start].encode()) if start >= place else known - len(text[start:place].encode())
                high = low + len(passage.encode())
                place, known = end, high
            self._passages.extend((number, start, end, here + low, here + high))
            self._tokens.extend(title)
            self._tokens.extend(map(self._numbers.__getitem__, self.words.raw(passage)))
            self._tokens_at.append(len(self._tokens))
        self._texts.add(text)
        self._titles.add(document.title)
        self._names.add(document.file)

    def keep(self, old: Data, file: File, numbers: Array) -> None:
        """Adds a file from an older index. `numbers`: the new numbers of its words, from `renumber`."""
        kept = msgspec.structs.replace(file, document=self.documents, passage=self.passages)
        shift = self._texts.ends[-1] - old.texts.start(file.document)
        for at in range(file.document, file.document + file.documents):
            self._texts.add_bytes(old.texts.raw(at))
            self._titles.add_bytes(old.titles.raw(at))
            self._names.add_bytes(old.files.raw(at))
        rows = old.passages[file.passage : file.passage + file.passages].copy()
        rows[:, 0] += kept.document - file.document
        rows[:, 3:] += shift
        self._passages.frombytes(rows.tobytes())
        ends = old.tokens_at[file.passage : file.passage + file.passages + 1]
        self._tokens_at.frombytes((ends[1:] - ends[0] + len(self._tokens)).tobytes())
        self._tokens.frombytes(numbers[old.tokens[int(ends[0]) : int(ends[-1])]].tobytes())
        self.files.append(kept)

    def renumber(self, old: Data, files: Sequence[File]) -> Array:
        """Gives the words of an older index' files their numbers here: old number to new; -1 for words of other files."""
        import numpy

        used = numpy.zeros(len(old.raws), dtype=bool)
        for file in files:
            used[old.tokens[int(old.tokens_at[file.passage]) : int(old.tokens_at[file.passage + file.passages])]] = True
        numbers = numpy.full(len(old.raws), -1, dtype="int32")
        words = old.raws.all()
        for at in numpy.flatnonzero(used).tolist():
            numbers[at] = self._numbers[words[at]]
        return numbers

    def finish(self, check: Callable[[], None]) -> str:
        """Writes what is left and indexes the words; returns the languages (`zh`, `en`, `zh+en`, or "" where there are no words).

        `check` is called now and then; it may raise to stop.
        """
        import numpy

        for strings in (self._texts, self._titles, self._names):
            strings.__exit__(None, None, None)
        raws = list(self._numbers)
        self._numbers.clear()
        tokens = numpy.frombuffer(self._tokens, dtype="int32") if self._tokens else numpy.empty(0, dtype="int32")
        counts = numpy.bincount(tokens, minlength=len(raws))
        folded = [fold(raw) for raw in raws]
        terms = sorted(set(folded))  # code points sort as their bytes in UTF-8 do
        place = {term: at for at, term in enumerate(terms)}
        term_of = numpy.fromiter((place[term] for term in folded), dtype="int32", count=len(folded))
        del place, folded
        spelt = forms(raws, counts.tolist())
        for name, words in (("raws", raws), ("terms", terms), ("forms", list(spelt))):
            with StringWriter(self.folder, name) as writer:
                writer.add_all(words)
        save(self.folder, "form_counts", list(spelt.values()))
        save(self.folder, "tokens", tokens)
        save(self.folder, "tokens_at", self._tokens_at)
        save(self.folder, "passages", numpy.frombuffer(self._passages, dtype="int64").reshape(-1, 5))
        (self.folder / "sources.json").write_bytes(msgspec.json.encode(self.files))
        languages = _languages(raws, counts)
        size = len(terms)
        del raws, terms, counts, spelt
        from .bm25 import build

        check()
        build(self.folder / "bm25", _Terms(tokens, term_of, self._tokens_at, check), size)
        return languages

    def abandon(self) -> None:
        for strings in (self._texts, self._titles, self._names):
            strings.__exit__(InterruptedError, None, None)


class _Terms:
    """The passages as lists of term numbers, built again at each pass over them."""

    def __init__(self, tokens: Array, term_of: Array, at: array[int], check: Callable[[], None]) -> None:
        self._tokens, self._term_of, self._at, self._check = tokens, term_of, at, check

    def __len__(self) -> int:
        return len(self._at) - 1

    def __iter__(self) -> Iterator[list[int]]:
        for number in range(len(self)):
            if number % 1000 == 0:
                self._check()
            yield self._term_of[self._tokens[self._at[number] : self._at[number + 1]]].tolist()


def _languages(raws: list[str], counts: Array) -> str:
    cjk = latin = 0
    for raw, count in zip(raws, counts.tolist(), strict=True):
        if is_cjk(raw):
            cjk += count
        elif raw[0].isalpha():
            latin += count
    both = cjk + latin
    return "+".join(name for name, count in (("zh", cjk), ("en", latin)) if both and count / both >= 0.1)
