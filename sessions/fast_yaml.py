"""Reads a document that our own writer wrote, several times as fast as a YAML reader:
the inverse of `emit`, as far as it is sure.

Taken are `key: value` lines, literal blocks, and mappings or lists of plain values on
one line; whatever is nested, or written in any other way, is left to the YAML reader.
What is taken here must be what that reader gives.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, NamedTuple

from .emit import NO_TEXT, NOT_PLAIN, NOT_PLAIN_IN_FLOW, TIME, TIME_KEYS, UNPRINTABLE

_LINE = re.compile(r"([a-z][a-z_]*):(?: (.+))?")
_FLOW_PART = re.compile(r"([a-z][a-z_]*): (.+)")
_INT = re.compile(r"-?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")
_HALF_OR_SLASH = re.compile(r"\\(?:/|u[dD][89a-fA-F])")
"""Escapes that JSON and YAML do not read alike."""
_NO_KEYS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""Words that YAML takes for something else than text."""
_CONSTANTS: dict[str, object] = {"null": None, "true": True, "false": False}


class _Unsure(Exception):
    """Not written as these documents mostly are."""


def read_written(chunk: bytes) -> dict[str, object] | None:
    """The document; None where it has to be read as YAML."""
    try:
        text = chunk.decode()
        if UNPRINTABLE.search(text):
            return None
        return _mapping(text.split("\n"))
    except (_Unsure, ValueError):
        return None


def _mapping(lines: list[str]) -> dict[str, object]:
    """The mapping of a whole document."""
    if lines[0] != "---" or lines[-2:] != ["...", ""]:
        raise _Unsure
    mapping: dict[str, object] = {}
    place, end = 1, len(lines) - 2
    while place < end:
        line = lines[place]
        key, value = _entry(line) if len(line) <= _SHORT else _new_entry(line)
        if key in mapping:
            raise _Unsure
        place += 1
        if isinstance(value, _Open):
            if value.text[0] == "|":
                start = place
                while place < end and lines[place][:2] in ("", "  "):
                    place += 1
                mapping[key] = _block(lines[start:place], value.text)
            else:
                mapping[key] = _flow(value.text)
        else:
            mapping[key] = value
    if not mapping:
        raise _Unsure
    return mapping


class _Open(NamedTuple):
    """What is not yet a value: the head of a literal block, or a mapping or list, which
    every document must have for itself.
    """

    text: str


def _new_entry(line: str) -> tuple[str, object]:
    """The key of a line, and its value."""
    found = _LINE.fullmatch(line)
    if found is None or found[1] in _NO_KEYS:
        raise _Unsure
    key, value = found.groups()
    if value in ("|2-", "|2", "|2+") or (value is not None and value[0] in "{["):
        return key, _Open(value)
    return key, value if key in TIME_KEYS and value is not None and TIME.fullmatch(
        value
    ) else _value(value)


_SHORT = 60
"""Characters of a line up to which it may well come again: `attempts: 1`."""
_entry = lru_cache(maxsize=4096)(_new_entry)


def _block(lines: list[str], head: str) -> str:
    """The text of a literal block.

    One that says how it ends and ends otherwise is left unchanged.
    """
    body = [line[2:] for line in lines]
    if not body or not body[0] or (not body[-1]) != (head == "|2+"):
        raise _Unsure
    return "\n".join(body) + ("" if head == "|2-" else "\n")


def _value(text: str | None, *, flow: bool = False) -> Any:
    """One value on a line of its own, or within a mapping or list on one line."""
    if text is None:
        raise _Unsure
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] == '"' and not flow:
        if _HALF_OR_SLASH.search(text):
            raise _Unsure
        return json.loads(text)
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if (
        text[-1] in " :"
        or not (text[0].isalnum() or text[0] in "/(_")
        or (NOT_PLAIN_IN_FLOW if flow else NOT_PLAIN).search(text)
    ):
        raise _Unsure
    if NO_TEXT.fullmatch(text):
        raise _Unsure
    return text


def _flow(text: str) -> Any:
    """A mapping or a list of plain values."""
    inside = text[1:-1]
    if text not in (f"{{{inside}}}", f"[{inside}]"):
        raise _Unsure
    parts = inside.split(", ") if inside else []
    if text[0] == "[":
        return [_value(part, flow=True) for part in parts]
    made: dict[str, object] = {}
    for part in parts:
        found = _FLOW_PART.fullmatch(part)
        if found is None or found[1] in made or found[1] in _NO_KEYS:
            raise _Unsure
        made[found[1]] = _value(found[2], flow=True)
    return made
