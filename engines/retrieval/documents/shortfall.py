"""Compares the words of a file with those that were read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from ....texts import t
from .document import RawFile

_WORD = re.compile(r"[^\W_]{3,}")


def compare(
    raw: RawFile, parts: Iterable[tuple[str, str]], text: str, least: float = 0.0
) -> None:
    """Report words of a file that were not read into `text`, and the place of the first
    ones.

    `parts`: the words of the file, counted by other means, in pieces with their places.
    `least`: the share of them that may be missing without a remark.
    """
    read, at = _bare(text), 0
    lost: list[tuple[str, str]] = []
    total = 0
    for place, said in parts:
        total += len(said.split())
        wanted = _bare(said)
        found = read.find(wanted, at)
        at = max(0, found)
        if found < 0 and wanted not in read:
            pieces = [one for one in said.split() if _bare(one) not in read]
            if pieces:
                lost.append((place, " ".join(pieces)))
    n = sum(len(said.split()) for _, said in lost)
    if n > least * total:
        shortfall(raw, n, total, *lost[0])


def compare_source(raw: RawFile, lines: Iterable[tuple[int, str]], text: str) -> None:
    """Report words of a marked-up source that were not read into `text`, in any order.

    `lines`: line number and the text of the line without its marks.
    """
    read = set(_WORD.findall(_unaccented(text)))
    total = n = 0
    place, first = "", ""
    for number, said in lines:
        words = _WORD.findall(_unaccented(said))
        lost = [one for one in words if one not in read]
        if lost and not n:
            place, first = t("wrong.documents.line_place", n=number), " ".join(lost)
        total, n = total + len(words), n + len(lost)
    if n:
        shortfall(raw, n, total, place, first)


def _unaccented(text: str) -> str:
    """Text in lower case without accents, which formats write in several ways."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join([each for each in parts if not unicodedata.combining(each)])


def shortfall(raw: RawFile, n: int, of: int, place: str, first: str) -> None:
    """Says that `n` of `of` words were not read, the `first` ones at `place`."""
    first = " ".join(first[:300].split())[:60]
    raw.remark(t("wrong.documents.shortfall", n=n, total=of, place=place, first=first))


def texts(root: Any, unread: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """Each text of a tree of lxml with the line where its element starts, without
    those within elements of the names `unread`.
    """
    hidden = {one for name in unread for one in root.iter(name)}
    for text in root.xpath("//text()[normalize-space()]"):
        above = text.getparent()
        around = [above, *above.iterancestors()][text.is_tail :]
        seen = isinstance(above.tag, str) or text.is_tail
        if seen and hidden.isdisjoint(around):
            yield t("wrong.documents.line_place", n=above.sourceline or 1), text


def _bare(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).replace("|", "").split())
