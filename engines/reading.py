"""Model text to typed value, or `Unread` with the reason. Never a default, never a guess.

A ladder, best rung first: the provider's schema mode (`schema`), the whole text as JSON (`json`), JSON cut out of a fence or of prose
(`sliced`),
a Python literal (`literal`), and json-repair (`repaired`) as the last. Every rung is validated. Two different objects that both fit are no
value.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from ..sessions.events import Read

LARGEST = 200_000
"""Characters of a reply that are looked at; a longer one is unread."""
MOST = 20
"""Objects looked at in one reply; with more it is unread, since one of the rest might fit too."""


LONGEST_REPAIRED = 20_000


class Field(msgspec.Struct, frozen=True):
    """One wanted value: the keys it may stand under, and how it is read (ValueError: this is no such value)."""

    names: tuple[str, ...]
    """Compared without case, spaces, `_`, `-` and `?`."""
    read: Callable[[Any], Any]
    needed: bool = True


class Unread(msgspec.Struct, frozen=True):
    """There is no value; `reason` says why, in a few words."""

    reason: str


class _Doubt(ValueError):
    """The text holds the value twice, and not the same."""


def read_object(text: str, fields: Mapping[str, Field], *, structured: bool = False) -> tuple[dict[str, Any], Read] | Unread:
    """Reads one object with `fields` from a reply. Fields that are not needed and not there are left out of the dict.

    `structured` says that the provider's own schema mode made the text.
    """
    text = text.strip().removeprefix("\ufeff").strip()
    if len(text) > LARGEST:
        return Unread("the reply is too long to be the object asked for")
    if "{" not in text:
        return Unread("there is no object in the reply")
    try:
        whole = _whole(text, fields, structured)
        if whole is not None:
            return whole
        found = _only(text, fields, parse) or _only(text, fields, _repair)
        return found or Unread("no object in the reply has the keys and values asked for")
    except _Doubt as doubt:
        return Unread(str(doubt))


def _whole(text: str, fields: Mapping[str, Field], structured: bool) -> tuple[dict[str, Any], Read] | None:
    parsed = parse(text)
    if parsed is None:
        return None
    value, rung = parsed
    fitting = fit(value, fields)
    if fitting is None:
        return None
    return fitting, "schema" if structured and rung == "json" else rung


def _only(
    text: str, fields: Mapping[str, Field], how: Callable[[str, Mapping[str, Field]], tuple[Any, Read] | None]
) -> tuple[dict[str, Any], Read] | None:
    """The one object in the text that fits. Raises _Doubt if there is another one: a different one, or one that is broken or cut off."""
    found: list[tuple[dict[str, Any], Read]] = []
    seen = 0
    for piece in slices(text):
        parsed = how(piece, fields)
        fitting = fit(parsed[0], fields) if parsed else None
        if parsed and fitting is not None:
            found.append((fitting, "sliced" if parsed[1] == "json" else parsed[1]))
            seen += _keys(piece, fields)
    if any(value != found[0][0] for value, _ in found):
        raise _Doubt("the reply holds two different objects that fit")
    if found and _keys(text, fields) > seen:
        raise _Doubt("the reply holds a second object that cannot be read")
    return found[0] if found else None


def _keys(text: str, fields: Mapping[str, Field]) -> int:
    """How often a needed key stands in the text, in quotation marks and before a colon."""
    return sum(
        len(re.findall(rf"[\"'“](?:{_pattern(field.names)})\??[\"'”]\s*[:：]", text, re.IGNORECASE))
        for field in fields.values()
        if field.needed
    )


def _pattern(names: Iterable[str]) -> str:
    return "|".join(r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", name))) for name in names)


def parse(text: str, fields: object = None, *, constant: Callable[[str], Any] | None = None) -> tuple[Any, Read] | None:
    """A text that is as a whole JSON (`json`) or a Python literal (`literal`).

    `constant` makes a value of NaN, Infinity and -Infinity; without it they are no JSON. Raises ValueError where an object has one key
    twice, differently.
    """
    try:
        return json.loads(text, object_pairs_hook=_pairs, parse_constant=constant or _no_constant), "json"
    except _Doubt:
        raise
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():  # an escape that Python does not know is no matter for the screen
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict):
                _pairs([(ast.literal_eval(key), ast.dump(value)) for key, value in zip(node.keys, node.values, strict=True) if key])
        return ast.literal_eval(tree), "literal"
    except _Doubt:
        raise
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def slices(text: str) -> Iterator[str]:
    """The outermost {…} of a text, outside of which nothing is looked at. Braces inside quotes do not count.

    Raises ValueError for too many.
    """
    start, found = 0, 0
    while (start := text.find("{", start)) >= 0:
        found += 1
        if found > MOST:
            raise _Doubt("the reply holds too many objects")
        end = _closing(text, start)
        if end is None:
            start += 1
        else:
            yield text[start:end]
            start = end


def fit(value: object, fields: Mapping[str, Field]) -> dict[str, Any] | None:
    """The fields of an object, read and validated; None if it is another kind of object.

    Raises ValueError if two keys give one field differently.
    """
    if not isinstance(value, dict):
        return None
    names = {_plain(name): key for key, field in fields.items() for name in field.names}
    given: dict[str, Any] = {}
    for key, one in value.items():
        wanted = names.get(_plain(str(key)))
        if wanted is None:
            continue
        try:
            read = fields[wanted].read(one)
        except (ValueError, TypeError):
            return None
        if wanted in given and given[wanted] != read:
            raise _Doubt(f"the reply gives `{wanted}` twice, and not the same")
        given[wanted] = read
    return given if all(key in given for key, field in fields.items() if field.needed) else None


def _repair(piece: str, fields: Mapping[str, Field]) -> tuple[Any, Read] | None:
    """json-repair, for broken quotes and commas: only where each wanted key stands in the text once, with its whole value behind it."""
    value = repaired(piece)
    if value is None:
        return None
    found = {_plain(str(key)): one for key, one in value.items()}
    for field in fields.values():
        given = [found[name] for name in map(_plain, field.names) if name in found]
        if len(_places(field.names, piece)) != len(given) or len(given) > 1 or (field.needed and not given):
            return None
        if given and not stands(given[0], field.names, piece):
            return None
    return value, "repaired"


def repaired(piece: str) -> dict[Any, Any] | None:
    """What json-repair makes of a broken object; None if it is none. It cuts, joins and makes up values: ask `stands` about each."""
    import json_repair

    if len(piece) > LONGEST_REPAIRED:
        return None
    try:
        value = json_repair.loads(piece, skip_json_loads=True)
    except (ValueError, RecursionError, TypeError, IndexError):
        return None
    return value if isinstance(value, dict) else None


def stands(value: object, names: Iterable[str], piece: str) -> bool:
    """True if one of these keys stands in the broken object, once in all, with this whole value behind it."""
    places = _places(names, piece)
    return len(places) == 1 and _whole_value(value, piece, places[0].end())


def _places(names: Iterable[str], piece: str) -> list[re.Match[str]]:
    return list(re.finditer(rf"(?<!\w)(?:{_pattern(names)})\??[\"'”’]?\s*[:：]", piece, re.IGNORECASE))


def _whole_value(value: object, piece: str, start: int) -> bool:
    """True if from `start` on the text has this value, from its one border to the other: the repair has neither cut nor joined it."""
    if isinstance(value, str):
        if "\\" in value:  # an escape that the repair did not understand
            return False
        written = rf"[\"'“‘]{re.escape(value)}[\"'”’]"
    elif isinstance(value, bool | int | float) or value is None:
        written = rf"(?:{re.escape(json.dumps(value))}|{value})"
    else:
        return False
    following = r"[\"'“]?\w[\w -]*\??[\"'”]?\s*[:：]"
    return re.compile(rf"\s*{written}\s*(?:[,，]?\s*}}|[,，\n]\s*{following})", re.IGNORECASE).match(piece, start) is not None


def _closing(text: str, start: int) -> int | None:
    depth, quote, position = 0, "", start
    while position < len(text):
        sign = text[position]
        if quote:
            if sign == "\\":
                position += 1
            elif sign == quote:
                quote = ""
        elif sign in "\"'" and text[position - 1 : position].strip(" \n\t{[,:(") == "":
            quote = sign
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if not depth:
                return position + 1
        position += 1
    return None


def _pairs(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    for key, value in pairs:
        if key in made and made[key] != value:
            raise _Doubt(f"the reply gives `{key}` twice, and not the same")
        made[key] = value
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _plain(key: str) -> str:
    return re.sub(r"[\s_\-?？]+", "", key).casefold()
