"""Reads a marked reply that has no braces: YAML, `key: value` lines, a table, tags."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .announcing import announces
from .fields import plain

KEYS = frozenset(("mark", "标记"))
LONGEST_LINE = 20_000
"""Most characters of a line that can be a pair."""


class MarkedLines(NamedTuple):
    """The values of the lines that carry the mark, and their place in the text."""

    value: dict[str, Any]
    start: int
    end: int


class _PairLine(NamedTuple):
    """One line: a pair (`key` is set), an item of a list, blank, or other text."""

    kind: str
    """`pair`, `item`, `blank`, `frame` (around pairs) or `prose`."""
    start: int
    end: int
    key: str = ""
    value: str = ""


_PAIR = re.compile(
    r"\s{0,20}(?:[-*+•]\s{1,4}|\d{1,2}[.)、]\s{0,4})?\|?\s{0,4}"
    r"[*_`\"'“【]{0,3}(?P<key>[^\W\d_][\w -]{0,30})[*_`\"'”】]{0,3}\s{0,4}"
    r"(?P<sep>:|：|=|＝|->|→|\|)[*_`]{0,3}(?P<value>[^\n]*)"
)
_ITEM = re.compile(r"\s{0,20}(?:[-*+•]\s{1,4}|\d{1,2}[.)、]\s{0,4})(?P<value>\S[^\n]*)")
_FRAME = re.compile(r"\s*(?:\|?[-:| ]{3,}\|?|-{3,}|```\w*|</?[a-z_]+>)\s*$")
_TAG = re.compile(r"<(?P<key>[A-Za-z_]\w{1,30})>(?P<value>[^<]{0,5000})</(?P=key)>")
_HAN_KEY = re.compile(r"[\u4e00-\u9fff]{1,8}")
_OTHERS = re.compile(r"正方的|反方的|对方|他们|引用|原文|写")


_BRACKETED = re.compile(r"^[ \t]*【([^】\n]{1,20})】[ \t]*[:：]?[ \t]*", re.MULTILINE)
_HEADED = re.compile(r"^#{1,6} ([\w ]{1,30})\n{1,3}(?=[^#\s])", re.MULTILINE)
_ASKED = re.compile(r"^(\w{1,30})\?[ \t]", re.MULTILINE)
_GLOSSED = re.compile(r"^([*_`]{0,3})[^\W\d]{1,10}[(（]mark[)）]", re.MULTILINE)
_WHY = re.compile(r"^why(?=\s?[:：])", re.MULTILINE | re.IGNORECASE)


def as_pairs(text: str) -> str:
    """A text whose headings, brackets and questions are keys, as lines `key: value`."""
    text = _GLOSSED.sub(r"\1mark", _BRACKETED.sub(r"\1: ", text))
    return _WHY.sub("reason", _ASKED.sub(r"\1: ", _HEADED.sub(r"\1: ", text)))


def marked_lines(
    text: str, mark: str, properties: Mapping[str, Any]
) -> MarkedLines | None:
    """The values that stand beside the mark; None where there are none to read.

    Only what adjoins the line with the mark counts: prose between ends it. A key with
    two values makes it unread.
    """
    for read in (_mapping, _tags, _columns, _run):
        found = read(text, mark, properties)
        if found is not None:
            if found.value:
                return found
            return None
    return None


def _mapping(text: str, mark: str, properties: Mapping[str, Any]) -> MarkedLines | None:
    """A text that is YAML as a whole, with no key that was not asked for."""
    value = _yaml(text)
    while len(value) == 1:
        key, inner = next(iter(value.items()))
        if not isinstance(inner, dict) or not announces(key):
            break
        value = inner
    if not all(_known(key, properties) for key in value):
        return None
    if not any(_carries(key, str(one), mark) for key, one in value.items()):
        return None
    pairs = [
        (
            _name(key, "", properties),
            _value(one, [], False) if isinstance(one, str) else one,
        )
        for key, one in value.items()
    ]
    return MarkedLines(_joined(pairs), 0, len(text))


def _yaml(text: str) -> dict[str, Any]:
    """A YAML mapping with texts as values; empty for any other text."""
    if re.search(r"[:\-]\s+[&*]\w", text):  # an alias can make much of little
        return {}
    import yaml

    try:
        value = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    keys = re.findall(r"^([^\s:#-][^:\n]{0,40}):", text, re.MULTILINE)
    if not isinstance(value, dict) or len(set(keys)) < len(keys):
        return {}
    return {str(key): one for key, one in value.items()}


def _tags(text: str, mark: str, properties: Mapping[str, Any]) -> MarkedLines | None:
    """`<mark>…</mark><preference>true</preference>`"""
    tags = list(_TAG.finditer(text))
    if not any(_carries(one["key"], one["value"], mark) for one in tags):
        return None
    pairs = [(one["key"].casefold(), one["value"].strip()) for one in tags]
    known = [(key, one) for key, one in pairs if _known(key, properties)]
    return MarkedLines(_joined(known), tags[0].start(), tags[-1].end())


def _columns(text: str, mark: str, properties: Mapping[str, Any]) -> MarkedLines | None:
    """A table whose head has the keys and whose row has the values."""
    rows = [
        (found.start(), found.end(), _cells(found[0]))
        for found in re.finditer(r"^[ \t]*\|[^\n]*\|[ \t]*$", text, re.MULTILINE)
    ]
    for at, (_, end, cells) in enumerate(rows):
        row = next((i for i, one in enumerate(cells) if _bare(one) == mark), None)
        above = [one for one in rows[:at] if len(one[2]) == len(cells)]
        if row is None or not above or plain(above[0][2][row]) not in KEYS:
            continue
        pairs = zip(above[0][2], cells, strict=True)
        known = [
            (plain(key), _bare(one)) for key, one in pairs if _known(key, properties)
        ]
        return MarkedLines(_joined(known), above[0][0], end)
    return None


def _cells(line: str) -> list[str]:
    return [one.strip(" *_`") for one in line.strip().strip("|").split("|")]


def _run(text: str, mark: str, properties: Mapping[str, Any]) -> MarkedLines | None:
    """The lines around the mark, as far as they are pairs and items."""
    lines = list(_lines(text, mark, properties))
    marked = [at for at, one in enumerate(lines) if _carries(one.key, one.value, mark)]
    if not marked:
        return None
    first = last = marked[0]
    while first > 0 and lines[first - 1].kind != "prose":
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].kind != "prose":
        last += 1
    run = lines[first : last + 1]
    start, end = run[0].start, run[-1].end
    return MarkedLines(_joined(_pairs(run, properties)), start, end)


def _lines(text: str, mark: str, properties: Mapping[str, Any]) -> Iterator[_PairLine]:
    start = 0
    below_key = False
    for whole in text.splitlines(keepends=True):
        line = whole.rstrip("\r\n")
        end = start + len(line)
        parts = _split(line, properties) if mark in line.casefold() else [line]
        for part in parts:
            made = _line(part, start, end, properties)
            if made.kind == "prose" and below_key and part[:1] in (" ", "\t"):
                made = made._replace(kind="item", value=part.strip())
            below_key = made.kind in ("item", "pair")
            yield made
        start += len(whole)


def _split(line: str, properties: Mapping[str, Any]) -> list[str]:
    """The pairs of a line that has several: `mark: …, grade: 2`."""
    names = "|".join(re.escape(name) for name in (*properties, *KEYS))
    return re.split(
        rf"[,;，；]\s*(?=[\"'*`]{{0,2}}(?:{names})[\"'*`]{{0,2}}\s*[:：=])", line
    )


def _line(line: str, start: int, end: int, properties: Mapping[str, Any]) -> _PairLine:
    if not line.strip():
        return _PairLine("blank", start, end)
    if line.lstrip().startswith(">") or len(line) > LONGEST_LINE:
        return _PairLine("prose", start, end)
    if _FRAME.match(line):
        return _PairLine("frame", start, end)
    pair = _PAIR.match(line)
    if pair is not None:
        key, value = pair["key"].strip(), pair["value"].strip()
        if pair["sep"] == "|":
            value = value.removesuffix("|").strip()
        if _known(key, properties) or _scale(key, value, properties):
            return _PairLine("pair", start, end, _name(key, value, properties), value)
        if not value and announces(key):
            return _PairLine("frame", start, end)
    item = _ITEM.match(line)
    if item is not None:
        return _PairLine("item", start, end, value=item["value"])
    return _PairLine("prose", start, end)


def _known(key: str, properties: Mapping[str, Any]) -> bool:
    """True for a key that was asked for, or a short Chinese one: the readers know
    those.
    """
    words = plain(key)
    if words in KEYS or any(words == plain(name) for name in properties):
        return True
    return _HAN_KEY.fullmatch(words) is not None and _OTHERS.search(words) is None


def _scale(key: str, value: str, properties: Mapping[str, Any]) -> bool:
    """True for a common word for the only number that is asked for: `Score: 85`."""
    return (
        len(_numbers(properties)) == 1
        and plain(key).removeprefix("final").removeprefix("最终") in _SCALES
        and re.match(r"[*_`\"]{0,3}\d", value) is not None
    )


_SCALES = frozenset(("score", "rating", "grade", "level", "value", "stance"))
_SCALES |= {"评分", "得分", "分数"}


def _numbers(properties: Mapping[str, Any]) -> list[str]:
    kinds = ("number", "integer")
    return [name for name, spec in properties.items() if spec.get("type") in kinds]


def _name(key: str, value: str, properties: Mapping[str, Any]) -> str:
    """The name of a key as the readers know it."""
    words = plain(key)
    if words in KEYS:
        return "mark"
    own = next((name for name in properties if plain(name) == words), None)
    if own is not None:
        return own
    if _scale(key, value, properties):
        return _numbers(properties)[0]
    return key


def _carries(key: str, value: str, mark: str) -> bool:
    return plain(key) in KEYS and _bare(value).casefold() == mark


def _bare(value: str) -> str:
    """A value without mark-up and quotation marks around it."""
    value = value.strip().strip("*_`").rstrip(",，").strip()
    quoted = re.fullmatch(r"[\"'“‘「](.*)[\"'”’」]", value, re.DOTALL)
    if quoted is not None:
        return quoted[1]
    return value


def _pairs(
    run: list[_PairLine], properties: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Keys with their values; a value may be a list, or go on in the lines below."""
    lists = [name for name, spec in properties.items() if spec.get("type") == "array"]
    key, said, items = "", "", list[str]()
    for line in (*run, _PairLine("pair", 0, 0)):
        if line.kind == "item":
            items.append(_bare(line.value))
        if line.kind != "pair":
            continue
        if key and key != "mark":
            yield key, _value(said, items, key in lists)
        elif items and len(lists) == 1:
            yield lists[0], items
        key, said, items = line.key, line.value, []


def _value(said: str, items: list[str], listed: bool) -> Any:
    text = _bare(said)
    if listed and text.startswith("["):
        try:
            return json.loads(text)
        except ValueError:
            return text
    if listed and not text:
        return items
    if text in ("|", ">", "|-", ">-", ""):
        return " ".join(items)
    if items:
        return " ".join([text, *items])
    return text


def _joined(pairs: Any) -> dict[str, Any]:
    """The pairs as an object; empty where a key has two values."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if plain(key) in KEYS:
            continue
        if key in made and made[key] != value:
            return {}
        made[key] = value
    return made
