"""Finds the facts that a reason cites: `案件甲 M1 至 M3 与案件乙 L2`, `M2 and L1 of case B`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from .groups import Step

Side = Literal["query", "candidate"]
SIDES: dict[str, Side] = {
    "案件甲": "query",
    "案件乙": "candidate",
    "case a": "query",
    "case b": "candidate",
}
"""What prompts call the two cases."""

_ID = r"(?<![A-Za-z0-9])[ML]\d{1,2}(?![A-Za-z0-9])"
_NAME = r"案件甲|案件乙|(?<![A-Za-z])case [AB](?![A-Za-z0-9])"
_FOUND = re.compile(
    rf"(?P<name>{_NAME})|(?P<ids>{_ID}(?:\s*(?:至|到|to|-|–|~)\s*{_ID})?)",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"(?:\s*(?:,|and|or|to|-|–)\s*{_ID}|\s*{_ID})*\s+(?:of|in"
    rf"|from)\s+(?P<name>{_NAME})",
    re.IGNORECASE,
)


class FactCitation(NamedTuple):
    """One fact, cited in a reason."""

    side: Side | None
    """The case named last before it, or right behind it; None where none is."""
    kind: Step
    number: int

    @property
    def id(self) -> str:
        return f"{self.kind[0].upper()}{self.number}"


def cited(reason: str) -> Iterator[FactCitation]:
    """The facts that a reason cites, in order; of a range each one."""
    side: Side | None = None
    for found in _FOUND.finditer(reason):
        if found["name"]:
            side = SIDES[found["name"].casefold()]
            continue
        behind = _BEHIND.match(reason, found.end())
        whose = SIDES[behind["name"].casefold()] if behind else side
        ids = re.findall(r"([ML])(\d+)", found["ids"].upper())
        first, last = ids[0], ids[-1]
        numbers = range(int(first[1]), int(last[1]) + 1) if first[0] == last[0] else ()
        for letter, number in [(first[0], one) for one in numbers] or [
            (one, int(at)) for one, at in ids
        ]:
            yield FactCitation(whose, "material" if letter == "M" else "legal", number)


def names(reason: str) -> set[Side]:
    """Which of the two cases a reason names as prompts do."""
    return {
        SIDES[found["name"].casefold()]
        for found in _FOUND.finditer(reason)
        if found["name"]
    }
