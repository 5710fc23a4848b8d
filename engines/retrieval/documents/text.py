"""Reads plain text, and decodes it for others."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import BinaryIO

from ....texts import t
from .document import Document, RawFile, unreadable
from .encoding import guess

_PIECE = 1 << 16
_BEYOND = re.compile(r"[^\x00-\x7f]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


_SURE = ("utf-8-sig", "utf-16")
"""Encodings that hold for every byte of a file; the others are guessed."""

_SPOILT = 0.05
"""Share of the characters beyond ASCII that may be replaced in a text."""

_REPLACED = "\ufffd"


def decode(data: bytes) -> str:
    """Decodes UTF-8, UTF-16 with a byte order mark, or GB18030.

    Raises: Unreadable for other bytes.
    """
    name = charset(io.BytesIO(data))
    if said_of(name):
        raise unreadable("wrong.documents.encoding")
    return data.decode(name)


def text_of(raw: RawFile) -> str:
    """The text of a file, with a remark where its encoding is guessed or bytes are
    replaced.

    Raises: Unreadable for other bytes.
    """
    file = io.BytesIO(raw.data)
    name = charset(file)
    if told := said_of(name):
        raw.remark(told)
    return "".join(decoded(file, name, lambda _: None))


def said_of(name: str) -> str:
    """Return a remark about a text with the encoding `charset`; "" for none."""
    if name in (*_SURE, "gb18030"):
        return ""
    if name == "utf-8":
        return t("wrong.documents.replaced")
    return t("wrong.documents.guessed", encoding=name.upper().replace("_", "-"))


def charset(file: BinaryIO) -> str:
    """The name of the encoding of a file, as Python calls it; `utf-8` where some of its
    bytes are not. The file is read in pieces.

    Raises: Unreadable for other bytes.
    """
    file.seek(0)
    head = file.read(_PIECE)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        name = "utf-16"
    elif b"\0" not in head and _spoilt(file, "utf-8-sig") == 0:
        name = "utf-8-sig"
    elif b"\0" not in head and _spoilt(file, "utf-8") <= _SPOILT:
        name = "utf-8"
    else:
        name = guess(head, cut_off=len(head) == _PIECE)
    if not name:
        raise unreadable(
            "wrong.documents.binary" if b"\0" in head else "wrong.documents.encoding"
        )
    sample = codecs.getincrementaldecoder(name)("ignore").decode(head)
    if len(_CONTROL.findall(sample)) > len(sample) / 50 or (
        _spoilt(file, name) > (0 if name in (*_SURE, "gb18030") else _SPOILT)
    ):
        raise unreadable("wrong.documents.binary")
    return name


def _spoilt(file: BinaryIO, name: str) -> float:
    """The share of the characters beyond ASCII that an encoding decodes wrongly."""
    replaced = beyond = 0
    decoder = codecs.getincrementaldecoder(name)("replace")
    for piece in chain(_pieces(file), (b"",)):
        text = decoder.decode(piece, not piece)
        if not text.isascii():
            # what the file itself has as a replaced character is right
            own = piece.count(_REPLACED.encode()) if name.startswith("utf-8") else 0
            replaced += max(0, text.count(_REPLACED) - own)
            beyond += len(_BEYOND.findall(text))
    return replaced / beyond if beyond else 0


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    while piece := file.read(_PIECE):
        yield piece


def decoded(file: BinaryIO, name: str, seen: Callable[[bytes], None]) -> Iterator[str]:
    """The text of a file of that encoding in pieces.

    `seen` gets the bytes of each. Raises: UnicodeDecodeError.
    """
    errors = "strict" if name in _SURE else "replace"
    decoder = codecs.getincrementaldecoder(name)(errors)
    for piece in _pieces(file):
        seen(piece)
        yield decoder.decode(piece)
    yield decoder.decode(b"", True)


def plain_text(raw: RawFile) -> Iterator[Document]:
    yield Document(raw.stem, text_of(raw), raw.name)
