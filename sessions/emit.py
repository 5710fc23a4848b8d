"""Writes one document of a session file: YAML that a person can read and compare, and
that gives back every character.

A general YAML writer quotes any text with an emoji or a trailing space, and folds long
lines. Here multi-line and long text is always a literal block, and only what YAML
cannot hold literally (control characters, CR, NEL, U+2028, U+2029, BOM) forces double
quotes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache

from ..texts.patterns import lazy

_WIDTH = 120
"""Columns up to which a mapping or list of short values is on one line, and text
counts as short.
"""

UNPRINTABLE = lazy("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ESCAPED = lazy("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
NOT_PLAIN = lazy(rf"[\n\t]|: | #|{UNPRINTABLE.pattern}")
NOT_PLAIN_IN_FLOW = lazy(rf"[\n\t,\[\]{{}}:\"'?#&*!|>%@`]|{UNPRINTABLE.pattern}")
NO_TEXT = lazy(
    "y|n|yes|no|on|off|true|false|null|[0-9][0-9a-fx_,.:o+-]*|[0-9]{4}-[0-9]{1,"
    "2}-[0-9]{1,2}.*",
    re.IGNORECASE | re.ASCII,
)
"""What YAML takes for a truth value, a number or a date."""
TIME = lazy(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", re.ASCII)
TIME_KEYS = ("time", "created", "made")


def document(mapping: Mapping[str, object], *, first: bool = False) -> bytes:
    """One mapping of plain values (None, bool, int, float, str, list, dict with text
    keys) as a YAML document ending with the line `...`.

    `first` leaves out the `---` that a document after another one needs.
    UnicodeEncodeError if a text holds a lone surrogate.
    """
    lines = _mapping(mapping, 0)
    return "\n".join([*([] if first else ["---"]), *lines, "...", ""]).encode()


def _mapping(mapping: Mapping[str, object], indent: int) -> list[str]:
    lines: list[str] = []
    for key, value in mapping.items():
        head = " " * indent + _key(key) + ":"
        if (
            indent == 0
            and key in TIME_KEYS
            and isinstance(value, str)
            and TIME.fullmatch(value)
        ):
            lines.append(f"{head} {value}")
        else:
            lines += _entry(head, value, indent)
    return lines


def _entry(head: str, value: object, indent: int) -> list[str]:
    """Lines of one value after `key:` or `-`, which are at column `indent`."""
    if isinstance(value, str):
        if _is_block(value):
            return [f"{head} |2{_chomping(value)}", *_block(value, indent + 2)]
        return [f"{head} {_inline(value, False)}"]
    if not isinstance(value, (dict, list)):
        return [f"{head} {_scalar(value)}"]
    flow = _flow(value, _WIDTH - len(head))
    if flow is not None:
        return [f"{head} {flow}"]
    if isinstance(value, dict):
        return [head, *_mapping(value, indent + 2)]
    lines = [head]
    for item in value:
        lines += _item(item, indent + 2)
    return lines


def _item(item: object, indent: int) -> list[str]:
    dash = " " * indent + "-"
    if isinstance(item, dict) and item and _flow(item, _WIDTH - len(dash)) is None:
        lines = _mapping(item, indent + 2)
        return [f"{dash} {lines[0][indent + 2 :]}", *lines[1:]]
    return _entry(dash, item, indent)


def _is_block(text: str) -> bool:
    return (
        ("\n" in text or len(text) > _WIDTH)
        and not text.isspace()
        and not UNPRINTABLE.search(text)
    )


def _chomping(text: str) -> str:
    if not text.endswith("\n"):
        return "-"
    if text.endswith("\n\n"):
        return "+"
    return ""


def _block(text: str, indent: int) -> list[str]:
    pad = " " * indent
    return [pad + line if line else "" for line in text.removesuffix("\n").split("\n")]


def _flow(value: object, room: int) -> str | None:
    """The value on one line, or None if it does not fit or holds text that wants a
    block.
    """
    if isinstance(value, str):
        if _is_block(value):
            return None
        return _inline(value, True)
    if isinstance(value, (dict, list)):
        parts: list[str] = []
        for key in value:
            part = _flow(value[key] if isinstance(value, dict) else key, room)
            if part is None:
                return None
            parts.append(f"{_key(key)}: {part}" if isinstance(value, dict) else part)
            room -= len(parts[-1]) + len(", ")
            if room <= 0:
                return None
        joined = ", ".join(parts)
        if isinstance(value, dict):
            return f"{{{joined}}}"
        return f"[{joined}]"
    return _scalar(value)


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        if value:
            return "true"
        return "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    raise TypeError(f"a session file cannot hold a {type(value).__name__}")


def _float(value: float) -> str:
    if value != value:
        return ".nan"
    if value in (float("inf"), float("-inf")):
        if value > 0:
            return ".inf"
        return "-.inf"
    digits, exponent, power = repr(value).partition("e")
    # YAML 1.1 takes 1e-07 for text: a float needs its point.
    return digits + ("" if "." in digits else ".0") + exponent + power


@lru_cache(maxsize=1024)
def _key(text: str) -> str:
    """A key; the same few come again and again."""
    return _quoted(text, True)


def _inline(text: str, flow: bool) -> str:
    """Text on one line; names and words come again and again, long text does not."""
    if len(text) > _WIDTH:
        return _quoted(text, flow)
    return _short(text, flow)


def _quoted(text: str, flow: bool) -> str:
    """Text on one line: plain where no reader can take it for anything else, else in
    double quotes.
    """
    if _is_plain(text, flow):
        return text
    return _ESCAPED.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False)
    )


_short = lru_cache(maxsize=1024)(_quoted)


def _is_plain(text: str, flow: bool) -> bool:
    return bool(
        text
        and (text[0].isalnum() or text[0] in "/(_")
        and not text[-1].isspace()
        and text[-1] != ":"
        and not (NOT_PLAIN_IN_FLOW if flow else NOT_PLAIN).search(text)
        and not NO_TEXT.fullmatch(text)
    )
