"""Reads books in EPUB: a document a chapter, in the order of reading."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from ....texts import t
from .blocks import page_text, shown
from .document import Document, RawFile, Unreadable, missing, unreadable
from .html import decoded, parsed
from .metadata import flat
from .packed import tree, unpacked
from .shortfall import compare

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
            places = {
                str(one.get("id")): str(one.get("href"))
                for one in _named(package, "item")
                if "html" in str(one.get("media-type"))
            }
            listed = [
                unquote(places[place])
                for one in _named(package, "itemref")
                if (place := str(one.get("idref"))) in places
            ]
            unlisted = [
                unquote(places[str(one.get("id"))])
                for one in _named(package, "item")
                if str(one.get("id")) in places
                and "nav" not in str(one.get("properties")).split()
            ]
            words: list[tuple[str, str]] = []
            texts = []
            # each once, or a small book could be read without end
            for number, place in enumerate(dict.fromkeys([*listed, *unlisted]), 1):
                try:
                    page = parsed(
                        decoded(
                            archive.read(posixpath.join(posixpath.dirname(root), place))
                        )
                    )
                except (KeyError, Unreadable):
                    continue  # a page that is not there, or a picture
                words += [
                    (t("wrong.documents.book_place", page=place, place=at), said)
                    for at, said in shown(page)
                ]
                if place not in listed:
                    continue
                text = page_text(page)
                texts.append(text)
                heading = _heading(page)
                named = f"{title}: {heading}" if heading and heading != title else title
                yield Document(named, text, f"{raw.name}#{number}", metadata)
            compare(raw, words, "\n".join(texts))
    except Unreadable:
        raise
    except Exception as error:
        raise unreadable("wrong.documents.book", kind=type(error).__name__) from None


def _heading(page: Any) -> str:
    for tag in ("h1", "h2", "h3"):
        if text := " ".join((page.findtext(f".//{tag}") or "").split()):
            return text
    return ""


def _named(node: Any, name: str) -> Any:
    """The elements of that name, in whatever namespace."""
    return node.iter(f"{{*}}{name}", name)
