"""Makes metadata of what files say of themselves: text by name, in bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MOST = 50
"""Names of a document."""
LONGEST = 500
"""Characters of a value; the rest is cut off."""
LONGEST_NAME = 80
DEEPEST = 4
"""Objects within objects."""


def flat(values: Mapping[Any, object]) -> dict[str, str]:
    """Values as text by name.

    Names of nested objects are joined by dots, simple values of a list by commas; what
    is empty is left out.
    """
    found: dict[str, str] = {}
    for name, value in _pairs(values, "", DEEPEST):
        if len(found) == MOST:
            break
        if name and len(name) <= LONGEST_NAME and value.strip():
            found.setdefault(name, value.strip()[:LONGEST])
    return found


def plain(value: object) -> str | None:
    """A simple value as text; None for a list, an object, or nothing."""
    if isinstance(value, bool):
        if value:
            return "true"
        return "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return None


def _pairs(
    values: Mapping[Any, object], before: str, deeper: int
) -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        name = before + " ".join(str(key).split())
        if isinstance(value, Mapping):
            if deeper:
                yield from _pairs(value, f"{name}.", deeper - 1)
        elif isinstance(value, list | tuple):
            simple = [text for one in value[:MOST] if (text := plain(one)) is not None]
            yield name, ", ".join(simple)
        elif (text := plain(value)) is not None:
            yield name, text
