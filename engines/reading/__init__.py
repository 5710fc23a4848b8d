"""Reads a model's reply into typed values, or `Unread` with the reason.

Never a default, never a guess.

It tries, in this order: the provider's schema mode (`schema`), the whole text as JSON
(`json`), JSON in a fence or in prose (`sliced`), a Python literal (`literal`), and
json-repair (`repaired`). Every value is validated. Two different objects that both fit
give no value. An object in prose must be the reply's own (`ownership`), and the prose
must not contradict it (`contradiction`).
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Generic, NamedTuple, SupportsIndex, TypeVar

import msgspec

from ...sessions.events import Read
from ..models.reasoning import opens, split
from .contradiction import contradicted
from .fields import Doubt, JsonObject, pattern, plain
from .fields import Field as Field
from .ownership import own

LARGEST = 200_000
"""Most characters of a reply; a longer one is unread."""
MOST = 20
"""Most objects in one reply; with more it is unread, since one of the rest might fit
too.
"""

LONGEST_REPAIRED = 20_000
MOST_READS = 12
"""How often json-repair may read each character of a broken object, on average; real
ones take 1 to 5."""

T = TypeVar("T")


class Unread(msgspec.Struct, frozen=True):
    """There is no value; `reason` says why, in a few words."""

    reason: str


class ReadValue(NamedTuple, Generic[T]):
    """A value, and the place in the text that it was read from.

    `raw` is the parsed object.
    """

    value: T
    rung: Read
    raw: Any
    start: int
    end: int


def read_object(
    text: str,
    fields: Mapping[str, Field],
    *,
    structured: bool = False,
    sent: Iterable[str] = (),
) -> tuple[dict[str, Any], Read] | Unread:
    """Reads one object with `fields` from a reply.

    Optional fields that are missing are left out of the dict.

    `structured` says that the provider's own schema mode made the text. `sent` are the
    texts that the model was shown: an object cut out of prose is unread if it is in
    one of them.
    """
    text = bare(text)
    if len(text) > LARGEST:
        return Unread("the reply is too long to be the requested object")
    if "{" not in text:
        return Unread("the reply contains no JSON object")
    try:
        whole = parse(text)
        if whole is not None:
            value, rung = unwrapped(whole)
            fitting = fit(value, fields)
            if fitting is not None:
                return fitting, in_mode(rung, structured)
            return Unread(
                "the JSON object in the reply lacks the requested keys and values"
            )
        found = only(text, lambda piece: _fitting(parse(piece), fields)) or only(
            text, lambda piece: _fitting(_repair(piece, fields), fields)
        )
        if found is None:
            return Unread(
                "no JSON object in the reply has the requested keys and values"
            )
        prose = own(
            text, found.start, found.end, sent, pairs=_pairs_of(found.raw, fields)
        )
        certain(prose, fields, found.value)
        return found.value, found.rung
    except Doubt as doubt:
        return Unread(str(doubt))


def bare(text: str) -> str:
    """A reply without leading white space, byte order mark and reasoning, which replies
    from elsewhere may have.
    """
    text = text.strip().removeprefix("\ufeff").strip()
    if opens(text):
        return split(text)[0].strip()
    return text


def unwrapped(whole: tuple[Any, Read]) -> tuple[Any, Read]:
    """The value of a whole reply: itself, or the only object of its list."""
    value, rung = whole
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        return value[0], "sliced" if rung == "json" else rung
    return whole


def only(
    text: str, take: Callable[[str], tuple[T, Read, Any] | None]
) -> ReadValue[T] | None:
    """The one object in the text that `take` takes; equal ones with nothing between
    them are one.

    Raises: Doubt if there is another one.
    """
    found: ReadValue[T] | None = None
    for start, end in slices(text):
        taken = take(text[start:end])
        if taken is None:
            continue
        value, rung, raw = taken
        if found is None:
            found = ReadValue(
                value, "sliced" if rung == "json" else rung, raw, start, end
            )
        elif value != found.value:
            raise Doubt(
                "the reply contains two different objects of the requested form"
            )
        elif text[found.end : start].strip():
            raise Doubt(
                "the reply contains the object twice, with other text in between"
            )
        else:
            found = found._replace(end=end)
    return found


def certain(
    prose: str, fields: Mapping[str, Field], value: Mapping[str, object]
) -> None:
    """Checks the prose around an object.

    Raises: Doubt if it gives a wanted key another value, or holds a second object,
    broken or cut off.
    """
    name = contradicted(prose, fields, value)
    if name is not None:
        raise Doubt(f"the reply gives `{name}` another value outside the object")
    if any(
        _quoted_key(field.names).search(prose)
        for field in fields.values()
        if not field.remark
    ):
        raise Doubt("the reply contains a second object that cannot be read")


def _quoted_key(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?i)[\"'“](?:{pattern(names)})\??[\"'”]\s*[:：]")


def _fitting(
    parsed: tuple[Any, Read] | None, fields: Mapping[str, Field]
) -> tuple[dict[str, object], Read, Any] | None:
    value = fit(parsed[0], fields) if parsed is not None else None
    if parsed is not None and value is not None:
        return (value, parsed[1], parsed[0])
    return None


def _pairs_of(
    raw: Mapping[Any, Any], fields: Mapping[str, Field]
) -> list[tuple[str, Any]]:
    """Keys and values of the object itself, without reasons and what is not asked
    for.
    """
    wanted = {
        plain(name)
        for field in fields.values()
        if not field.remark
        for name in field.names
    }
    return [(str(key), one) for key, one in raw.items() if plain(str(key)) in wanted]


def in_mode(rung: Read, structured: bool) -> Read:
    """The rung of a whole reply: `schema` for JSON that the provider's mode made."""
    return "schema" if structured and rung == "json" else rung


def parse(
    text: str, *, constant: Callable[[str], Any] | None = None
) -> tuple[Any, Read] | None:
    """A text that is as a whole JSON (`json`) or a Python literal (`literal`).

    `constant` makes a value of NaN, Infinity and -Infinity; without it they are no
    JSON. Raises: ValueError if an object has one key twice with different values.
    """
    try:
        return json.loads(
            text, object_pairs_hook=_pairs, parse_constant=constant or _no_constant
        ), "json"
    except Doubt:
        raise
    except (ValueError, RecursionError):
        pass
    if "#" in text and _commented(text):
        return None
    try:
        with (
            warnings.catch_warnings()
        ):  # a warning about an unknown escape must not reach the screen
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict):
                _pairs(
                    [
                        (ast.literal_eval(key), ast.dump(value))
                        for key, value in zip(node.keys, node.values, strict=True)
                        if key
                    ]
                )
        return ast.literal_eval(tree), "literal"
    except Doubt:
        raise
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _commented(text: str) -> bool:
    """True if Python would pass over a part of the text: a heading or a remark behind
    `#` is prose, and no part of a literal.
    """
    try:
        return any(
            token.type == tokenize.COMMENT
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
        )
    except (tokenize.TokenError, SyntaxError, ValueError):
        return True


def slices(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of the outermost {…} of a text, outside of which nothing is looked
    at. Braces inside quotes do not count.

    Raises: ValueError for too many.
    """
    start, found = 0, 0
    while (start := text.find("{", start)) >= 0:
        found += 1
        if found > MOST:
            raise Doubt("the reply contains too many objects")
        end = _closing(text, start)
        if end is None:
            start += 1
        else:
            yield start, end
            start = end


def fit(value: object, fields: Mapping[str, Field]) -> dict[str, Any] | None:
    """The fields of an object, read and validated; None if it is another kind of
    object.

    Raises: ValueError if two keys give one field different values.
    """
    if not isinstance(value, dict):
        return None
    names = {plain(name): key for key, field in fields.items() for name in field.names}
    given: dict[str, object] = {}
    for key, one in value.items():
        wanted = names.get(plain(str(key)))
        if wanted is None:
            continue
        try:
            read = fields[wanted].read(one)
        except (ValueError, TypeError):
            return None
        if wanted in given and given[wanted] != read:
            raise Doubt(f"the reply gives `{wanted}` twice, with different values")
        given[wanted] = read
    if all(key in given for key, field in fields.items() if field.needed):
        return given
    return None


def _repair(piece: str, fields: Mapping[str, Field]) -> tuple[Any, Read] | None:
    """json-repair, for broken quotes and commas: only where each wanted key is in
    the text once, with its whole value behind it.
    """
    value = repaired(piece)
    if value is None:
        return None
    found = {plain(str(key)): one for key, one in value.items()}
    for field in fields.values():
        given = [found[name] for name in map(plain, field.names) if name in found]
        if (
            len(_places(field.names, piece)) != len(given)
            or len(given) > 1
            or (field.needed and not given)
        ):
            return None
        if given and not stands(given[0], field.names, piece):
            return None
    return value, "repaired"


class _CostlyRepair(Exception):
    """A repair that takes far more than the length of its text."""


class _Metered(str):
    """A text that may be read only so often: json-repair scans some broken texts once
    for each of their signs."""

    def __new__(cls, text: str) -> _Metered:
        made = super().__new__(cls, text)
        made._left = MOST_READS * len(text) + 1_000
        return made

    _left: int

    def __getitem__(self, place: SupportsIndex | slice) -> str:
        piece = str.__getitem__(self, place)
        self._left -= len(piece)
        if self._left < 0:
            raise _CostlyRepair
        return piece


@lru_cache(maxsize=8)
def repaired(piece: str) -> JsonObject | None:
    """The object that json-repair makes of a broken one; None if it makes none or takes
    too long.

    It cuts, joins and invents values, so check each with `stands`. Do not change the
    result.
    """
    import json_repair

    if len(piece) > LONGEST_REPAIRED:
        return None
    try:
        value = json_repair.loads(_Metered(piece), skip_json_loads=True)
    except (ValueError, RecursionError, TypeError, IndexError, _CostlyRepair):
        return None
    if isinstance(value, dict):
        return value
    return None


def stands(value: object, names: Iterable[str], piece: str) -> bool:
    """True if one of these keys is in the broken object, once in all, with this
    whole value behind it.
    """
    places = _places(names, piece)
    return len(places) == 1 and _whole_value(value, piece, places[0].end())


def _places(names: Iterable[str], piece: str) -> list[re.Match[str]]:
    return list(
        re.finditer(
            rf"(?<!\w)(?:{pattern(names)})\??[\"'”’]?\s*[:：]", piece, re.IGNORECASE
        )
    )


def repeated(names: Iterable[str], piece: str) -> bool:
    """True if a broken object has one of these keys more than once."""
    return len(_places(names, piece)) > 1


def _whole_value(value: object, piece: str, start: int) -> bool:
    """True if from `start` on the text has this value, from its one border to the
    other: the repair has neither cut nor joined it.
    """
    if isinstance(value, str):
        if "\\" in value:  # an escape that the repair did not understand
            return False
        written = rf"[\"'“‘]{re.escape(value)}[\"'”’]"
    elif isinstance(value, bool | int | float) or value is None:
        written = rf"(?:{re.escape(json.dumps(value))}|{value})"
    else:
        return False
    following = r"[\"'“]?\w[\w -]*\??[\"'”]?\s*[:：]"
    return (
        re.compile(rf"(?i)\s*{written}\s*(?:[,，]?\s*}}|[,，\n]\s*{following})").match(
            piece, start
        )
        is not None
    )


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


def _pairs(pairs: list[tuple[Any, Any]]) -> JsonObject:
    made: JsonObject = {}
    for key, value in pairs:
        if key in made and made[key] != value:
            raise Doubt(f"the reply gives `{key}` twice, with different values")
        made[key] = value
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(name)
