"""Finds contradictions between an object and the prose around it: a reply that says two
things says neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from .fields import Field, pattern, plain, skeleton
from .unmarked_phrases import ATTRIBUTED


def contradicted(
    prose: str, fields: Mapping[str, Field], value: Mapping[str, object]
) -> str | None:
    """The wanted key that has another value in the prose than in the object; None if
    there is none.

    Naming a key gives it no value. A key counts with any mark-up around it, in a table
    or a tag, and if it is misspelt.
    """
    known = {
        name: key
        for key, field in fields.items()
        if not field.remark and key in value
        for name in (*field.names, *field.also)
    }
    if not known:
        return None
    for key, field in fields.items():
        against = (
            field.contrary(value[key])
            if field.contrary is not None and key in value
            else None
        )
        if against is not None and against.search(prose):
            return key
    for name, said, hard in _assignments(prose, tuple(known)):
        field, given = fields[known[name]], value[known[name]]
        if _another(field, given, said, hard and name not in field.also):
            return name
    return None


_HARD = r"(?:[:：=＝|>]|->|=>|→|⇒)"
_AFTER_KEY = r"[?？]?[\"'”’`*_)\]】」』]*"


def _assignments(prose: str, names: tuple[str, ...]) -> Iterator[tuple[str, str, bool]]:
    """(name, what stands behind it, whether a colon or the like is between) for
    every place where a key may be given a value.
    """
    exact = re.compile(
        rf"(?i)(?:(?<![A-Za-z0-9])"
        rf"|(?<=[\u2e80-\u9fff]))(?P<name>{pattern(names)})(?![A-Za-z]){_AFTER_KEY}[ "
        rf"\t]*"
        rf"(?:(?P<sep>{_HARD}|[-–—]{{1,2}}(?=[ \t])|[(（]|(?:is|are|was|be"
        rf"|remains?|equals?)\b|[为是])(?P<said>[^\n]*)|(?=\n))"
        r"(?=(?:\n(?P<below>[^\n]*))?)",
    )
    plains = {plain(name): name for name in names}
    for found in exact.finditer(_flat(prose)):
        if ATTRIBUTED.search(
            found.string,
            max(found.start() - 40, 0),
            found.start(),
        ):
            continue
        line, hard = found["said"], re.fullmatch(_HARD, found["sep"] or "") is not None
        if line is None or (hard and not line.strip(_EMPTY)):
            line, hard = found["below"] or "", False
        yield plains[plain(found["name"])], line, hard
    latin = tuple(plain for plain in plains if plain.isascii() and len(plain) >= 5)
    for found in _LABELLED.finditer(prose):
        near = _near(found[1].casefold(), latin)
        if near is not None and not ATTRIBUTED.search(
            prose, max(found.start() - 40, 0), found.start()
        ):
            yield plains[near], found[2], True


def _flat(prose: str) -> str:
    """Emphasis and code marks in a line are no part of a key or of a value."""
    return re.sub(r"\*\*|__|`", "", prose)


_EMPTY = " \t*_`\"'“”{[("
_LABELLED = re.compile(
    rf"([A-Za-z][A-Za-z_ \-]{{3,40}}?){_AFTER_KEY}[ \t]*{_HARD}[ \t]*([^\n]*)"
)


@lru_cache(maxsize=512)
def _near(label: str, names: tuple[str, ...]) -> str | None:
    """The name that a label's last words are a misspelling of; None if there is
    none.
    """
    words = re.split(r"[\s_-]+", label.strip(" _-"))
    for count in range(1, min(len(words), 6) + 1):
        written = "".join(words[-count:])
        for name in names:
            most = 2 if len(name) >= 8 else 1
            if (
                written != name
                and written[:1] == name[0]
                and abs(len(written) - len(name)) <= most
                and distance(written, name) <= most
            ):
                if written in names:
                    return None
                return name
    return None


def distance(one: str, other: str) -> int:
    """Number of letters to add, drop, change or swap."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, sign in enumerate(one, 1):
        older, before, row = before, row, [at]
        for there, wanted in enumerate(other, 1):
            best = min(
                before[there] + 1, row[-1] + 1, before[there - 1] + (sign != wanted)
            )
            if (
                at > 1
                and there > 1
                and sign == other[there - 2]
                and one[at - 2] == wanted
            ):
                best = min(best, older[there - 2] + 1)
            row.append(best)
    return row[-1]


_CUT = re.compile(
    r"(?i)(?:[,，;；。|<}\])）(（]|[.!](?:\s|$)|\s[-–—]+\s|\s(?:because|since|as|so)\b"
    r"|因为|由于)",
)
_AROUND = " \t\r\n\"'“”‘’「」『』`*_|{}[]()（）<>,，;；:：。="


def _another(field: Field, given: Any, said: str, hard: bool) -> bool:
    """True if what stands behind a key gives it another value."""
    said = said.strip(_AROUND)
    if not said or "\ufffc" in said:
        return False
    if field.text and not hard:
        return False
    cut = _CUT.split(said, maxsplit=1)[0].rstrip().strip(_AROUND)
    readable = False
    for one in (said, cut) if hard else (cut, " ".join(cut.split()[:1])):
        try:
            read = field.read(one.rstrip(".!。！")) if not field.text else one
        except (ValueError, TypeError):
            continue
        if read is None and given is not None and not hard:
            continue
        if read == given or (
            isinstance(given, str)
            and isinstance(read, str)
            and skeleton(read).rstrip(".") == skeleton(given).rstrip(".")
        ):
            return False
        readable = True
    if (
        isinstance(given, float)
        and not readable
        and given in map(float, re.findall(r"(?<![\d.])\d+(?:\.\d+)?", said))
    ):
        return False
    if (
        field.text
        and given in (None, "")
        and skeleton(cut).strip(".")
        in ("", "none", "-", "empty", "n/a", "无", "没有", "空")
    ):
        return False
    return readable or (hard and (field.needed or len(said.split()) <= 3))
