"""Reads Rich Text Format."""

from __future__ import annotations

import codecs
import contextlib
import re
from collections.abc import Iterator

from .document import Document, RawFile, unreadable

_TOKEN = re.compile(
    r"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|(.)",
    re.IGNORECASE | re.DOTALL,
)
_UNREAD = frozenset(
    (
        *("fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "header"),
        *("headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"),
        *("listtable", "listoverridetable", "revtbl", "rsidtbl", "generator"),
        *("themedata", "colorschememapping", "latentstyles", "datastore", "xmlnstbl"),
        "fldinst",
    )
)
"""Groups that are no text of the document."""
_SIGNS = {
    **{"par": "\n\n", "sect": "\n\n", "page": "\n\n", "row": "\n", "line": "\n"},
    **{"tab": " ", "cell": " | ", "emdash": "\u2014", "endash": "\u2013"},
    **{"lquote": "\u2018", "rquote": "\u2019", "bullet": "\u2022"},
    **{"ldblquote": "\u201c", "rdblquote": "\u201d", "~": "\u00a0", "_": "-"},
    **{"\\": "\\", "{": "{", "}": "}", "\n": "\n\n", "\r": "\n\n"},
}


def rtf(raw: RawFile) -> Iterator[Document]:
    """The text, without tables of fonts, headers, pictures and the code of fields."""
    if not raw.data.lstrip().startswith(b"{\\rtf"):
        raise unreadable("wrong.documents.rtf")
    text = "".join(_RtfReader().read(raw.data.decode("latin-1")))
    lines = (" ".join(line.split(" ")).strip() for line in text.split("\n"))
    joined = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    yield Document(
        raw.stem,
        joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
        raw.name,
    )


class _RtfReader:
    """Reads the groups of a file."""

    def __init__(self) -> None:
        self._groups: list[tuple[bool, int]] = []
        """Of the groups around: whether they are read, and how many characters stand
        for one of Unicode.
        """
        self._shown, self._fallback = True, 1
        self._skip = 0
        """Characters that only stand for the last one."""
        self._encoding = "cp1252"
        self._bytes = bytearray()

    def read(self, data: str) -> Iterator[str]:
        for word, number, code, sign, brace, plain in _TOKEN.findall(data):
            byte = int(code, 16) if code else ord(plain) if plain else -1
            if byte >= 0:
                if self._skip:
                    self._skip -= 1
                elif self._shown:
                    self._bytes.append(byte)
                continue
            if self._bytes:
                yield self._bytes.decode(self._encoding, "replace")
                self._bytes.clear()
            if brace == "{":
                self._groups.append((self._shown, self._fallback))
            elif brace and self._groups:
                self._shown, self._fallback = self._groups.pop()
            elif word or sign:
                said = self._said(word, int(number or 0), sign)
                yield said if self._shown else ""
        yield self._bytes.decode(self._encoding, "replace")

    def _said(self, word: str, number: int, sign: str) -> str:
        if word in _UNREAD or sign == "*":
            self._shown = False
        elif word == "shptxt":  # a text box, in a group that old readers leave out
            self._shown = True
        elif word == "uc":
            self._fallback = number
        elif word == "u":
            self._skip = self._fallback
            return chr(number & 0xFFFF)
        elif word == "ansicpg":
            with contextlib.suppress(LookupError):
                self._encoding = codecs.lookup(f"cp{number}").name
        return _SIGNS.get(word or sign, "")
