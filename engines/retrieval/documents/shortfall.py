"""Compares the words of a file with those that were read."""

from __future__ import annotations

from collections.abc import Iterable

from ....texts import t
from .document import RawFile


def compare(raw: RawFile, parts: Iterable[tuple[str, str]], text: str) -> None:
    """Says which of the words that there are were not read into `text`, and where the
    first of them stand.

    `parts`: the words of the file, counted by other means, in pieces with their places.
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
    if lost:
        raw.remark(
            t(
                "wrong.documents.shortfall",
                n=sum(len(said.split()) for _, said in lost),
                total=total,
                place=lost[0][0],
                first=lost[0][1][:60],
            )
        )


def _bare(text: str) -> str:
    return "".join(text.replace("|", "").split())
