"""Reads the structure of a text with light markup or of source code: its blocks of
lines, and the headings above each.

The text is read while its blocks are requested, so few of them are in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from .text_window import TextWindow

Markup = Literal["markdown", "asciidoc", "org", "code"]
BlockKind = Literal["heading", "text", "item", "table", "code"]

LONGEST = 20_000
"""Characters of a block, at most; a longer one goes on in the next block."""

_SLICE = 4096
"""Characters of a line that are looked at as one."""

_NUMBER_SIGNS = r"(?P<sharp>#{1,6})[ \t]+(?P<title>\S.*?)[ \t#]*"
_HEADINGS: dict[Markup, re.Pattern[str]] = {
    "markdown": re.compile(
        rf"{_NUMBER_SIGNS}|<h(?P<tag>[1-6])\b[^>]*>(?P<marked>.+?)</h[1-6]>\s*"
    ),
    "asciidoc": re.compile(
        rf"{_NUMBER_SIGNS}|(?P<equal>={{1,6}})[ \t]+(?P<marked>\S.*)"
    ),
    "org": re.compile(r"(?P<star>\*{1,6})[ \t]+(?P<title>\S.*)"),
}
_FENCES: dict[Markup, re.Pattern[str]] = {
    "markdown": re.compile(r"(`{3,})[^`]*|(~{3,}).*"),
    "asciidoc": re.compile(r"(`{3,}).*|(-{4,}|\.{4,}|\+{4,})"),
    "org": re.compile(r"(?i)#\+begin_(?:src|example).*()"),
}
_UNDERLINE = re.compile(r"={3,}|-{3,}")
_ITEM = re.compile(r"(?:[-*+\u2022\u00b7]{1,5}|\.{1,5}|\d{1,3}[.)])[ \t]|\d{1,3}\u3001")
_RULED = re.compile(r"\|[\s:|-]*-[\s:|-]*|\|={3,}")
_PADDING = re.compile(r"-{4,}|[ \t]{2,}")
_TAG = re.compile(r"<[^<>]*>|\{#[^{}]*\}")
_LINKED = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_DEFINITION = re.compile(
    r"[ \t]*(?:(?:export|default|public|private|protected|internal|static|final"
    r"|abstract|async|pub(?:\([a-z]+\))?|unsafe|open|override|sealed|data)[ \t]+)*"
    r"(?:class|def|fn|func|fun|function|interface|struct|impl|trait|module|namespace"
    r"|enum|type|object|protocol|extension|message|service)[ \t]+"
    r"(?:\([^()]*\)[ \t]*)?(?P<title>[\w$]+(?:(?:\.|::)\w+)*)"
)


class MarkedBlock(NamedTuple):
    """A run of lines, `start` to `end` in characters of the text."""

    kind: BlockKind
    start: int
    end: int
    path: tuple[str, ...] = ()
    """The headings above it, its own at the end where it is one."""
    header: str = ""
    """The rows at the head of the table."""
    body: int = 0
    """Where the first row below them begins."""


def blocks(window: TextWindow, markup: Markup = "markdown") -> Iterator[MarkedBlock]:
    """The blocks of a text in order; blank lines lie between them or within them."""
    reader = _CodeReader(window) if markup == "code" else _MarkReader(window, markup)
    yield from reader.read()


def first_heading(text: str, markup: Markup = "markdown") -> str:
    """The first heading of a text without marks, or ""."""
    found = blocks(TextWindow([text]), markup)
    return next((one.path[-1] for one in found if one.kind == "heading"), "")


class _Outline:
    """The headings above a place, by their level."""

    def __init__(self) -> None:
        self._levels: list[int] = []
        self._titles: list[str] = []

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(self._titles)

    def leave(self, level: int) -> None:
        """Close headings of this level and of lower ones."""
        while self._levels and self._levels[-1] >= level:
            self._levels.pop()
            self._titles.pop()

    def enter(self, level: int, title: str) -> None:
        self.leave(level)
        self._levels.append(level)
        self._titles.append(title[:100])


class _BlockReader:
    """Collects the lines of a block."""

    def __init__(self, window: TextWindow) -> None:
        self.window, self.outline = window, _Outline()
        self.kind: BlockKind = "text"
        self.start = self.end = 0
        """The block that is being read; empty where they are the same."""
        self.header, self.body = "", 0
        """The rows at the head of the table that is being read, and where they end."""

    def lines(self) -> Iterator[tuple[int, int, bool]]:
        """Start and end of each line, and whether it continues one that is too long."""
        window, at, going_on = self.window, 0, False
        while True:
            low = at - window.base
            found = window.held.find("\n", low, low + _SLICE)
            if found < 0 and len(window.held) < low + _SLICE and not window.whole:
                window.read()
                continue
            end = found + 1 if found >= 0 else min(low + _SLICE, len(window.held))
            if end <= low:
                return
            end += window.base
            yield at, end, going_on
            at, going_on = end, found < 0

    def begin(self, kind: BlockKind, start: int, end: int) -> Iterator[MarkedBlock]:
        """Ends the block, and begins another one with this line."""
        yield from self.finish()
        self.kind, self.start, self.end = kind, start, end

    def add(self, end: int) -> Iterator[MarkedBlock]:
        """Adds the line that ends there to the block."""
        if end - self.start > LONGEST and self.end > self.start:
            yield self._block()
            self.start = self.end
        self.end = end

    def finish(self) -> Iterator[MarkedBlock]:
        if self.end > self.start:
            yield self._block()
            self.start = self.end

    def _block(self) -> MarkedBlock:
        table = (self.header, self.body) if self.kind == "table" else ("", 0)
        return MarkedBlock(self.kind, self.start, self.end, self.outline.path, *table)


class _MarkReader(_BlockReader):
    """Reads the blocks of a text in light marks."""

    def __init__(self, window: TextWindow, markup: Markup) -> None:
        super().__init__(window)
        self._heading, self._fence = _HEADINGS[markup], _FENCES[markup]
        self._open = ""
        """The mark that ends the code which is being read."""
        self._blank = True
        """The line before is blank."""
        self._indent = 0
        """Of the item that is being read."""

    def read(self) -> Iterator[MarkedBlock]:
        for start, end, going_on in self.lines():
            line = self.window.part(start, end)
            said = line.strip()
            if going_on:
                yield from self.add(end)
            elif self._open:
                yield from self._code(said, end)
            elif not said:
                if self.kind != "item":
                    yield from self.finish()
                self._blank = True
                continue
            else:
                indent = len(line) - len(line.lstrip(" \t"))
                yield from self._line(said, indent, start, end)
            self._blank = False
        yield from self.finish()

    def _code(self, said: str, end: int) -> Iterator[MarkedBlock]:
        yield from self.add(end)
        mark = self._open
        if said.lower().startswith(mark) and (
            mark[0] == "#" or not said.strip(mark[0])
        ):
            self._open = ""
            if self.kind == "code":
                yield from self.finish()

    def _line(
        self, said: str, indent: int, start: int, end: int
    ) -> Iterator[MarkedBlock]:
        reading = self.end > self.start
        within = reading and self.kind == "item" and indent > self._indent
        fence = self._fence.fullmatch(said)
        if fence is not None:
            self._open = next(filter(None, fence.groups()), "#+end_")
            yield from (self.add(end) if within else self.begin("code", start, end))
        elif within:
            yield from self.add(end)
        elif (
            len(said) <= 300
            and indent < 4
            and (heading := self._heading.fullmatch(said))
        ):
            yield from self._headed(heading, start, end)
        elif self._underlined(said):
            self.outline.enter(1 if said[0] == "=" else 2, self._plain(self._held()))
            self.end, self.kind = end, "heading"
            yield self._block()
            self.start = end
        elif said.startswith("|"):
            yield from self._row(said, start, end)
        elif _ITEM.match(said):
            yield from self.begin("item", start, end)
            self._indent = indent
        elif reading and (
            self.kind == "text" or (self.kind == "item" and not self._blank)
        ):
            yield from self.add(end)
        else:
            yield from self.begin("text", start, end)

    def _headed(
        self, found: re.Match[str], start: int, end: int
    ) -> Iterator[MarkedBlock]:
        yield from self.begin("heading", start, end)
        marks = found.groupdict()
        level = (
            int(marks["tag"])
            if marks.get("tag")
            else len(
                marks.get("sharp") or marks.get("equal") or marks.get("star") or ""
            )
        )
        title = marks.get("title") or marks.get("marked") or ""
        self.outline.enter(level, self._plain(title))
        yield self._block()
        self.start = end

    def _underlined(self, said: str) -> bool:
        """Whether the line before is a heading by this one."""
        return (
            self.kind == "text"
            and not self._blank
            and _UNDERLINE.fullmatch(said) is not None
            and 0 < self.end - self.start <= 200
            and "\n" not in self._held()
        )

    def _held(self) -> str:
        return self.window.part(self.start, self.end).strip()

    def _row(self, said: str, start: int, end: int) -> Iterator[MarkedBlock]:
        ruled = _RULED.fullmatch(said) is not None
        if self.kind != "table" or self.end == self.start:
            yield from self.begin("table", start, end)
            self.header = ""
        else:
            yield from self.add(end)
        if not self.header.strip("|=\n") or (ruled and self.body == start):
            row = _PADDING.sub(lambda found: found[0][:3].rstrip() or " ", said)
            self.header = f"{self.header}\n{row}" if self.header else row
            self.body = end

    @staticmethod
    def _plain(title: str) -> str:
        """A heading without marks for its looks, links and anchors."""
        said = _LINKED.sub(r"\1", _TAG.sub("", title)).replace("`", "")
        return " ".join(said.replace("**", "").split())


class _CodeReader(_BlockReader):
    """Reads source code and settings: blank lines separate blocks, and the enclosing
    definitions are the headings.
    """

    def read(self) -> Iterator[MarkedBlock]:
        self.kind, blank = "code", True
        inside: list[tuple[int, str]] = []
        """Definitions of the block that is being read."""
        for start, end, going_on in self.lines():
            line = self.window.part(start, end)
            if not going_on and not line.strip():
                yield from self.finish()
                blank = True
                continue
            indent = len(line) - len(line.lstrip(" \t"))
            if blank and not going_on:
                for level, title in inside:
                    self.outline.enter(level, title)
                inside.clear()
                self.outline.leave(indent + 1)
                self.start, blank = start, False
            found = None if going_on else _DEFINITION.match(line)
            if found:
                inside.append((indent + 1, found["title"]))
            yield from self.add(end)
        yield from self.finish()
