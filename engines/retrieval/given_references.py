"""References from the user: pasted, or in a file."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ...sessions.clean import scrub
from ...sessions.errors import bad_input, unread
from ...sessions.events import Reference
from ...texts import t
from ..metrics.values import first_in
from .items import LIST_NAMES, LONGEST, digest, reference
from .port import ANY, PassageFilter, RetrievalResult

LARGEST = 10 << 20
"""Most bytes of a file of references."""
MOST = 500
"""Most references; for more, build a corpus."""

_NUMBERED = re.compile(r"^[ \t]*\[(\d{1,4})\][ \t]*", re.MULTILINE)
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t#]*\Z")


class GivenReferences:
    """Retriever over given references.

    Every query returns all of them in order, numbered from 1, and `k` does not limit
    them: a user who gives references wants an answer from all of them.
    """

    name = "given"

    def __init__(self, references: Sequence[Reference]) -> None:
        self._references = [
            msgspec.structs.replace(one, n=number)
            for number, one in enumerate(references, 1)
        ]
        self._lexicon: GivenLexicon | None = None

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        """All references, whatever the query."""
        if not self._references:
            return RetrievalResult(message="No references were given.")
        return RetrievalResult(
            references=[msgspec.structs.replace(one) for one in self._references]
        )

    def lexicon(self) -> GivenLexicon:
        if self._lexicon is None:
            self._lexicon = GivenLexicon(
                [f"{one.title}\n{one.text}" for one in self._references]
            )
        return self._lexicon


class GivenLexicon:
    """The words of a few texts. Implements `port.Lexicon`."""

    def __init__(self, texts: Sequence[str]) -> None:
        from .spelling import Spelling, forms
        from .tokeniser import Tokeniser

        self._words = Tokeniser()
        self.size = len(texts)
        self._frequency = Counter(
            word for text in texts for word in set(self._words.cut(text))
        )
        written = Counter(word for text in texts for word in self._words.raw(text))
        self._spelling = Spelling(forms(written, written.values()))

    def words(self, text: str) -> list[str]:
        return self._words.cut(text)

    def frequency(self, word: str) -> int:
        return self._frequency[word]

    def near(self, word: str) -> list[str]:
        return self._spelling.near(word)


def read_references(path: Path) -> list[Reference]:
    """The references of a file: .json and .jsonl (texts, objects with `title` and
    `text` or the like, or objects that hold a list of them as `references`, `contexts`
    or `retrieved_contexts`), otherwise text as for `parse_references`. BadInput in one
    sentence.
    """
    text = _read(path)
    if path.suffix.lower() in (".json", ".jsonl", ".ndjson"):
        return references_from(_json(path, text), str(path))
    return pasted_references(text, str(path))


def pasted_references(
    text: str, where: str = t("wrong.references.pasted")
) -> list[Reference]:
    """As `parse_references`.

    Raises: BadInput without references or with too many; `where` is the start of its
    message.
    """
    found = parse_references(text)
    if not found:
        raise bad_input("wrong.references.none", where=where)
    return _counted(found, where)


def parse_references(text: str) -> list[Reference]:
    """The references of a pasted text: parts that begin with `[1]`, `[2]` … where the
    first one does, else paragraphs. A heading of Markdown is the title of the
    paragraphs below it. Empty for a blank text.
    """
    text = scrub(text.replace("\r\n", "\n").replace("\r", "\n"))[0].strip("\ufeff \t\n")
    if _NUMBERED.match(text):
        ends = list(_NUMBERED.finditer(text))
        pieces = [
            ("", text[a.end() : b.start() if b else None])
            for a, b in zip(ends, [*ends[1:], None], strict=True)
        ]
    else:
        pieces = list(_paragraphs(text))
    kept = [
        (title, piece.strip()[:LONGEST]) for title, piece in pieces if piece.strip()
    ]
    return [
        Reference(n=n, id=f"given:{digest(piece)}", title=title, text=piece)
        for n, (title, piece) in enumerate(kept, 1)
    ]


def references_from(
    value: object, where: str = t("wrong.references.The_references")
) -> list[Reference]:
    """References from JSON or from a session's task; `where` is the start of a
    BadInput's message.
    """
    items = list(_items(value))
    if not items:
        raise bad_input("wrong.references.no_list", where=where)
    found = []
    for n, item in enumerate(items, 1):
        try:
            found.append(reference(item, n, "given"))
        except ValueError as error:
            raise bad_input(
                "wrong.references.reference", where=where, n=n, error=error
            ) from None
    return _counted(found, where)


def _counted(found: list[Reference], where: str) -> list[Reference]:
    if len(found) > MOST:
        raise bad_input("wrong.references.many", where=where, n=len(found), most=MOST)
    return found


def _items(value: object) -> Iterator[object]:
    """The single references in a list, or in an object that holds one."""
    if isinstance(value, dict):
        inner = first_in(value, LIST_NAMES, list)
        yield from inner if inner is not None else [value]
    elif isinstance(value, list):
        for item in value:
            held = isinstance(item, dict) and any(
                isinstance(item.get(name), list) for name in LIST_NAMES
            )
            yield from _items(item) if held else [item]
    elif isinstance(value, str):
        yield from (msgspec.structs.asdict(one) for one in parse_references(value))


def _paragraphs(text: str) -> Iterator[tuple[str, str]]:
    title = ""
    for block in _BLANK.split(text):
        lines = []
        for line in block.split("\n"):
            heading = _HEADING.match(line)
            if heading is None:
                lines.append(line)
                continue
            yield title, "\n".join(lines)
            lines, title = [], heading[1].strip()[:500]
        yield title, "\n".join(lines)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise unread(path, error) from None
    if len(raw) > LARGEST:
        raise bad_input("wrong.references.large", path=path, most=LARGEST >> 20)
    if b"\0" in raw and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise bad_input("wrong.references.no_text", path=path)
    for encoding in (
        ("utf-16",)
        if raw.startswith((b"\xff\xfe", b"\xfe\xff"))
        else ("utf-8-sig", "gb18030")
    ):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise bad_input("wrong.references.encoding", path=path)


def _json(path: Path, text: str) -> object:
    try:
        if path.suffix.lower() == ".json":
            return json.loads(text)
        return [
            item
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip()
            for item in [_line(path, number, line)]
        ]
    except RecursionError:
        raise bad_input("wrong.references.deep", path=path) from None
    except ValueError as error:
        place = (
            t("wrong.references.at_line", lineno=error.lineno)
            if isinstance(error, json.JSONDecodeError)
            else ""
        )
        raise bad_input("wrong.references.no_json", path=path, place=place) from None


def _line(path: Path, number: int, line: str) -> object:
    try:
        return json.loads(line)
    except RecursionError:
        raise
    except ValueError:
        raise bad_input("wrong.references.line", path=path, number=number) from None
