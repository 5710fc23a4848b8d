"""The fields that a reply should have, and the error where a value is in doubt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

JsonSchema = Mapping[str, Any]
"""A JSON Schema, its properties, or one of them."""
JsonObject = dict[Any, Any]
"""An object of a reply, with keys and values as they are written there."""


class Doubt(ValueError):
    """There is a value, but it may not be the reply's own, or there is another one.

    `str()` says which, in a few words.
    """


class Field(msgspec.Struct, frozen=True):
    """One wanted value: its possible keys, and how it is read (`read` raises ValueError
    for a wrong value).
    """

    names: tuple[str, ...]
    """Compared without case, spaces, `_`, `-` and `?`."""
    read: Callable[[Any], Any]
    needed: bool = True
    text: bool = False
    """Any text is a valid value, so only a colon or the like after the key shows that
    there is one.
    """
    also: tuple[str, ...] = ()
    """Other words that state the value in prose, before a colon: `Conclusion: not
    relevant`.
    """
    contrary: Callable[[Any], re.Pattern[str] | None] | None = None
    """Returns a pattern of prose that contradicts a value; None if there is none."""
    remark: bool = False
    """A reason: two reasons may differ in words and say the same."""


REASON_KEYS = (
    "reason",
    "reasoning",
    "reasons",
    "explanation",
    "rationale",
    "rank_reason",
    "理由",
    "原因",
    "说明",
    "分析",
)


def _reason(value: object) -> str:
    """A text, or texts below each other; "" for anything else: it only says why."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    if isinstance(value, str):
        return value
    return ""


REASON = Field(REASON_KEYS, _reason, needed=False, remark=True)
"""The reason of a reply that has a reason and a value."""


@lru_cache(maxsize=1024)
def plain(key: str) -> str:
    """A key as it is compared."""
    return re.sub(r"[\s_\-?？]+", "", key).casefold()


def pattern(names: Iterable[str]) -> str:
    """A regular expression for the names, with any white space, `_` or `-` between
    their words.
    """
    return "|".join(
        r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", name)))
        for name in sorted(names, key=len, reverse=True)
    )


@lru_cache(maxsize=64)
def skeleton(text: str) -> str:
    """A text without what may change when it is quoted: white space, quotation marks,
    escapes, emphasis, case, width.
    """
    if "\\u" in text:
        text = re.sub(
            r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text
        )
    text = re.sub(r"\\[nrt]", "", text)
    plain = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\s\"'“”‘’「」『』`*_\\>]+", "", plain)
