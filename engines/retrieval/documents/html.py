"""Reads HTML: the main text of a page, or all of its text where the main text lacks
much of it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ....texts import t
from ..charsets import encodings
from .blocks import page_text, rows, shown, words
from .document import Document, RawFile, missing, quiet, unreadable
from .metadata import flat
from .shortfall import compare
from .spans import spread
from .text import decode
from .within import Late, within

if TYPE_CHECKING:
    from .blocks import Element

SHARE = 0.6
"""Of the words of a page, and of the rows of its tables, that its main text must hold.
"""
MOST_TAGS = 50_000
"""Most tags of a page whose main text is looked for, and SECONDS the longest time for
that: it may take minutes.
"""
SECONDS = 20.0

_CHARSET = re.compile(rb"""(?i)<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})""")
_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}\?>")
_NAMED = re.compile(
    r"(?i)(?:docsearch[:.]|article[:.]|og[:.]|dc[:.]|dcterms[:.]|citation_)?"
    r"(author|creator|date|created|modified|issued|published_time|modified_time"
    r"|publication_date|updated_time|publisher|section|tag|subject|"
    r"description|keywords|language|lang|version|product|type|site_name)"
)
"""Names of meta tags that say something of the document, with what is put before them.
"""


def page(raw: RawFile) -> Iterator[Document]:
    tree = parsed(decoded(raw.data))
    metadata = _metadata(tree)
    title = (
        " ".join((tree.findtext(".//title") or tree.findtext(".//h1") or "").split())
        or raw.stem
    )
    whole = page_text(tree)
    compare(raw, shown(tree), whole)
    enough, tables = SHARE * words(whole), SHARE * rows(whole)
    for text in _main_texts(tree):
        if words(text) >= enough and rows(text) >= tables:
            yield Document(title, text, raw.name, metadata)
            return
    if whole:
        raw.remark(t("wrong.documents.main", share=round(SHARE * 100)))
    yield Document(title, whole, raw.name, metadata)


def parsed(text: str) -> Element:
    """The tree of a page or a fragment.

    Pages that are kept as a template within a script are unfolded.

    Raises: Unreadable.
    """
    try:
        from lxml import etree
        from lxml import html as lxml_html
    except ImportError:
        raise missing("HTML") from None
    parser = lxml_html.HTMLParser(
        remove_comments=True, remove_pis=True, no_network=True
    )
    try:
        tree = lxml_html.document_fromstring(
            _DECLARATION.sub("", text, count=1), parser=parser
        )
        for script in tree.xpath("//script[contains(@type, 'template')]"):
            if script.text and "<" in script.text:
                inner = lxml_html.document_fromstring(script.text, parser=parser)
                inner.tag = "div"
                (tree if tree.find("body") is None else tree.find("body")).append(inner)
    except etree.ParserError:  # comments, or nothing at all
        raise unreadable("wrong.documents.nothing") from None
    except (etree.LxmlError, ValueError, AssertionError) as error:
        raise unreadable("wrong.documents.no_text", kind=type(error).__name__) from None
    spread(tree)
    return tree


def _main_texts(tree: Element) -> Iterator[str]:
    """What may be the text of a page without what stands around it on every page,
    likeliest first. The tree is used up.
    """
    marked = tree.xpath("//main | //*[@role='main']")
    if len(marked) == 1:
        yield page_text(marked[0])
    try:
        import trafilatura
    except ImportError:
        raise missing("HTML") from None
    quiet("trafilatura", "htmldate", "justext", "courlan")
    if tree.xpath("count(//*)") <= MOST_TAGS:
        # whatever a broken page does to the library, its own text is left
        with contextlib.suppress(Late, Exception):
            yield within(
                SECONDS,
                lambda: (
                    trafilatura.extract(
                        tree, include_comments=False, favor_recall=True, fast=True
                    )
                    or ""
                ),
            )


def _metadata(tree: Element) -> dict[str, str]:
    found: dict[object, Any] = (
        {"language": tree.get("lang")} if tree.get("lang") else {}
    )
    for tag in tree.iter("meta"):
        known = _NAMED.fullmatch(tag.get("name") or tag.get("property") or "")
        if known and tag.get("content"):
            found.setdefault(known[1].lower(), tag.get("content"))
    return flat(found)


def decoded(data: bytes) -> str:
    """By what the page says of itself; by its bytes where it says nothing, or something
    that does not fit.
    """
    declared = _CHARSET.search(data[:4096])
    named = encodings(declared[1].decode("ascii", "replace")) if declared else ()
    for encoding in (*(("utf-8-sig",) if "cp1252" in named else ()), *named):
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode(encoding)
    return decode(data)
