"""Reads plain text, and decodes it for others."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from .document import Document, RawFile, unreadable

_PIECE = 1 << 16
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decode(data: bytes) -> str:
    """Decodes UTF-8, UTF-16 with a byte order mark, or GB18030.

    Raises: Unreadable for other bytes.
    """
    return data.decode(charset(io.BytesIO(data)))


def charset(file: BinaryIO) -> str:
    """The name of the encoding of a file, as Python calls it: one of those that
    `decode` knows. The file is read in pieces.

    Raises: Unreadable for other bytes.
    """
    file.seek(0)
    head = file.read(_PIECE)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        if _fits(file, "utf-16"):
            return "utf-16"
        raise unreadable("wrong.documents.binary")
    if b"\0" in head:
        raise unreadable("wrong.documents.binary")
    if _fits(file, "utf-8"):  # its decoder with a mark lets half a mark at the end pass
        name = "utf-8-sig"
    elif _chinese(file) and _fits(file, "gb18030"):
        name = "gb18030"
    else:
        raise unreadable("wrong.documents.encoding")
    sample = head.decode(name, "ignore")
    if len(_CONTROL.findall(sample)) > len(sample) / 50:
        raise unreadable("wrong.documents.binary")
    return name


def _fits(file: BinaryIO, name: str) -> bool:
    """Whether the whole file can be decoded so."""
    decoder = codecs.getincrementaldecoder(name)()
    try:
        for piece in _pieces(file):
            decoder.decode(piece)
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return False
    return True


def _chinese(file: BinaryIO) -> bool:
    """Whether a file is GB18030, which puts high bytes next to each other; in one-byte
    European encodings they are isolated among letters.
    """
    high = alone = 0
    for piece in _pieces(file):
        high += len(re.findall(rb"[\x80-\xff]", piece))
        alone += len(re.findall(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])", piece))
    return alone * 4 <= high


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    while piece := file.read(_PIECE):
        yield piece


def decoded(file: BinaryIO, name: str, seen: Callable[[bytes], None]) -> Iterator[str]:
    """The text of a file of that encoding in pieces.

    `seen` gets the bytes of each. Raises: UnicodeDecodeError.
    """
    decoder = codecs.getincrementaldecoder(name)()
    for piece in _pieces(file):
        seen(piece)
        yield decoder.decode(piece)
    yield decoder.decode(b"", True)


def plain_text(raw: RawFile) -> Iterator[Document]:
    yield Document(raw.stem, decode(raw.data), raw.name)
