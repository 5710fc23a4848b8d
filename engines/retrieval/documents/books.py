"""Reads books in EPUB: a document a chapter, in the order of reading."""

from __future__ import annotations

import contextlib
import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ....texts import t
from .blocks import page_text, shown
from .document import Document, RawFile, Unreadable, missing, unreadable
from .html import decoded, parsed
from .metadata import flat
from .packed import tree, unpacked
from .shortfall import compare

if TYPE_CHECKING:
    from zipfile import ZipFile

_ABOUT = (
    "title",
    "creator",
    "language",
    "publisher",
    "date",
    "subject",
    "description",
    "identifier",
)


def book(raw: RawFile) -> Iterator[Document]:
    try:
        import lxml.etree  # noqa: F401
    except ImportError:
        raise missing("EPUB") from None
    try:
        with unpacked(raw) as archive:
            container = tree(archive.read("META-INF/container.xml"))
            root = next(
                str(one.get("full-path")) for one in _named(container, "rootfile")
            )
            package = tree(archive.read(root))
            about = {
                name: next(
                    (one.text for one in _named(package, name) if one.text), None
                )
                for name in _ABOUT
            }
            metadata = flat(about)
            title = metadata.pop("title", "") or raw.stem
            words: list[tuple[str, str]] = []
            texts = []
            pages = _pages(archive, posixpath.dirname(root), package)
            for number, place, page, listed in pages:
                words += [
                    (t("wrong.documents.book_place", page=place, place=at), said)
                    for at, said in shown(page)
                ]
                if listed:
                    texts.append(page_text(page))
                    heading = _heading(page)
                    more = f": {heading}" if heading and heading != title else ""
                    yield Document(
                        title + more, texts[-1], f"{raw.name}#{number}", metadata
                    )
            compare(raw, words, "\n".join(texts))
    except Unreadable:
        raise
    except Exception as error:
        raise unreadable("wrong.documents.book", kind=type(error).__name__) from None


def _pages(
    archive: ZipFile, folder: str, package: Any
) -> Iterator[tuple[int, str, Any, bool]]:
    """Number, place and tree of each page, and whether it is in the reading order; then
    those that are not, without tables of contents.
    """
    items = [
        one for one in _named(package, "item") if "html" in str(one.get("media-type"))
    ]
    places = {str(one.get("id")): unquote(str(one.get("href"))) for one in items}
    listed = [
        places[place]
        for one in _named(package, "itemref")
        if (place := str(one.get("idref"))) in places
    ]
    others = [
        places[str(one.get("id"))]
        for one in items
        if "nav" not in str(one.get("properties")).split()
    ]
    # each once, or a small book could be read without end
    for number, place in enumerate(dict.fromkeys([*listed, *others]), 1):
        # a page that is not there, or a picture
        with contextlib.suppress(KeyError, Unreadable):
            page = parsed(decoded(archive.read(posixpath.join(folder, place))))
            yield number, place, page, place in listed


def _heading(page: Any) -> str:
    for tag in ("h1", "h2", "h3"):
        if text := " ".join((page.findtext(f".//{tag}") or "").split()):
            return text
    return ""


def _named(node: Any, name: str) -> Any:
    """Return the elements with that name, in any namespace."""
    return node.iter(f"{{*}}{name}", name)
