"""Reads XML such as DocBook: the text of its elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .document import Document, RawFile, missing, unreadable
from .packed import tree
from .shortfall import compare, texts


def xml(raw: RawFile) -> Iterator[Document]:
    try:
        import lxml.etree  # noqa: F401
    except ImportError:
        raise missing("XML") from None
    try:
        root = tree(raw.data)
    except (ValueError, SyntaxError) as error:
        raise unreadable("wrong.documents.xml", kind=type(error).__name__) from None
    title = next(filter(None, map(_line, root.iter("{*}title"))), "")
    text = "\n\n".join(_blocks(root))
    compare(raw, texts(root), text)
    yield Document(title or raw.stem, text, raw.name)


def _blocks(root: Any) -> Iterator[str]:
    """What has text of its own is a block, whatever is within it; a title is a heading
    as deep as its element.
    """
    waiting = [(root, 0)]
    while waiting:
        element, depth = waiting.pop()
        inner = list(element.iterchildren("*"))
        own = (element.text or "", *(one.tail or "" for one in inner))
        if any(map(str.strip, own)):
            heading = element.tag.rpartition("}")[2] == "title"
            yield ("#" * min(max(depth - 1, 1), 6) + " ") * heading + _line(element)
        else:
            waiting += [(one, depth + 1) for one in reversed(inner)]


def _line(element: Any) -> str:
    return " ".join("".join(element.itertext("*")).split())
