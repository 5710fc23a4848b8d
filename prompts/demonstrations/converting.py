"""Converts data from a file into structs, and names every mistake: a wrong key does not
hide the others.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

MOST = 200
"""Most mistakes that are named for one file."""

_PATH = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_PART = re.compile(r"\.(\w+)|\[(\d+)\]")
_FIELD = re.compile(
    r"^Object (?P<what>contains unknown|missing required) field `(?P<name>.*?)`"
)
_WANTED = re.compile(r"^Expected `(\w+)")
_EMPTY: dict[str, object] = {
    "str": "",
    "int": 0,
    "bool": False,
    "array": [],
    "object": {},
}

Place = tuple[str | int, ...]


def converted(data: object, type_: type[T]) -> tuple[T | None, list[str], set[Place]]:
    """The struct, the mistakes, and the places that were filled with an empty value so
    that the reading could go on.

    The struct is None if the data is too far from it to continue.
    """
    data = copy.deepcopy(data)
    mistakes: list[str] = []
    filled: set[Place] = set()
    while len(mistakes) < MOST:
        try:
            return msgspec.convert(data, type_), mistakes, filled
        except msgspec.ValidationError as error:
            place = _place(str(error))
            if not any(place[: len(one)] == one for one in filled):
                mistakes.append(plain(error))
            if not _mend(data, str(error), place, filled):
                break
    return None, mistakes, filled


def plain(error: msgspec.ValidationError) -> str:
    """The mistake, in words for the author of the file."""
    return (
        str(error)
        .replace("Object contains unknown field", "there is no field")
        .replace("Object missing required field", "it lacks the field")
    )


def _place(error: str) -> Place:
    """Where the mistake is."""
    found = _PATH.search(error)
    if found:
        return tuple(_parts(found["path"]))
    return ()


def _parts(path: str) -> Iterator[str | int]:
    for name, index in _PART.findall(path):
        yield name or int(index)


def _mend(data: object, error: str, place: Place, filled: set[Place]) -> bool:
    """Removes the mistake, so that the next one can be found. False if it cannot."""
    field, wanted = _FIELD.match(error), _WANTED.match(error)
    try:
        if field is not None:
            holder = _at(data, place)
            if field["what"].startswith("missing"):
                holder[field["name"]] = None
                filled.add((*place, field["name"]))
            else:
                del holder[field["name"]]
        elif wanted is not None and place:
            _at(data, place[:-1])[place[-1]] = copy.copy(_EMPTY[wanted[1]])
            filled.add(place)
        else:
            return False
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _at(data: Any, place: Place) -> Any:
    for part in place:
        data = data[part]
    return data
