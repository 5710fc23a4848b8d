"""Reads a marked reply that has no braces: YAML, `key: value` lines, a table, tags."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from .announcing import announces
from .fields import JsonSchema, plain
from .scales import decides
from .vocabulary import named

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
    r"\s{0,20}(?:[-*+•★►▶]\s{1,4}|\d{1,2}[.)、]\s{0,4})?\|?\s{0,4}"
    r"[*_`\"'“【]{0,3}(?P<key>[^\W\d_][\w -]{0,30}"
    r"(?:[(（][^()（）\n]{0,20}[)）])?)[*_`\"'”】]{0,3}\s{0,4}"
    r"(?P<sep>:|：|=>?|＝|->|[→➜►▶⇒]|\||[–—]|-(?=\s))[*_`]{0,3}(?P<value>[^\n]*)"
)
_ITEM = re.compile(r"\s{0,20}(?:[-*+•]\s{1,4}|\d{1,2}[.)、]\s{0,4})(?P<value>\S[^\n]*)")
_FRAME = re.compile(r"\s*(?:\|?[-:| ]{3,}\|?|-{3,}|```\w*|</?[a-z_]+>)\s*$")
_TAG = re.compile(r"<(?P<key>[^\W\d]\w{1,30})>(?P<value>[^<]{0,5000})</(?P=key)>")
_NAMED_TAG = re.compile(
    r"<(?P<tag>\w{1,30})(?: name)?=\"?(?P<key>\w{1,30})\"?>"
    r"(?P<value>[^<]{0,5000})</(?P=tag)>"
)
_NAMED = re.compile(r"(?i)mark|标记")
_VALUE_TAG = re.compile(r"<(\w{1,30}) value=\"([^\"<>]{1,2000})\"\s?/>")
_ANY_TAG = re.compile(r"<(\w{1,30})[\s>]")
_CALLS = frozenset(
    ("function", "function_calls", "invoke", "tool_call", "tool_use", "xml")
)
"""Tags around the call of a tool, which has its values in tags of their own."""
_WITH_MARK = re.compile(r"<(\w{1,30}) mark=[\"'](\w{1,20})[\"']>(?=\s*<)")
_OPEN_MARK = re.compile(r"<mark>(\w{1,20})\s*\Z")
_HAN_KEY = re.compile(r"[\u4e00-\u9fff]{1,8}")
_OTHERS = re.compile(r"正方的|反方的|对方|他们|引用|原文|写")


_BRACKETED = re.compile(r"(?m)^[ \t]*【([^】\n]{1,20})】[ \t]*[:：]?[ \t]*")
_HEADED = re.compile(
    r"(?m)^(?:#{1,6} |\[|\*\*)([\w ]{1,30})(?:\]"
    r"|\*\*)?\n{1,3}(?=[^#\s*])(?![\w ]{1,30}[:：])"
    r"|^([^\W\d_][\w ]{0,30})\n: {0,3}",
)
_ASKED = re.compile(
    r"(?m)^[-*+ \t]{0,4}[*_]{0,3}(\w[\w ]{0,30})[?？][*_]{0,3}[ \t]+(?:[→=]|->)?"
)
_GLOSSED = re.compile(r"(?m)^([*_`]{0,3})[^\W\d]{1,10}[(（]mark[)）]")
_BLOCKS = re.compile(
    r"</?(?:table|thead|tbody|tr|dl|dt|ul|ol|li|p|div|br|h[1-6])\b[^<>]{0,60}>"
)
_CELL = re.compile(r"(?:</t[hd]>[ \t]{0,4})?<t[hd]\b[^<>]{0,60}>|</t[hd]>")
_TERM = re.compile(r"</dt>\s{0,4}<dd>")
_INLINE = re.compile(r"</?(?:b|strong|i|em|code|span|dd|font)\b[^<>]{0,60}>")
_WHY = re.compile(r"(?im)^why(?=\s?[:：])")


def as_pairs(text: str, mark: str) -> str:
    """A text whose headings, brackets and questions are keys, as lines `key: value`.

    A line of the mark alone is one, too, where no word names the mark.
    """
    if not _NAMED.search(text):
        text = re.sub(
            rf"^[ \t(（*_`·—–]*{mark}[ \t)）*_`.。]*$",
            f"mark: {mark}",
            text,
            flags=re.MULTILINE | re.IGNORECASE,
        )
    text = _VALUE_TAG.sub(r"<\1>\2</\1>", text)
    if "[/" in text:
        text = re.sub(r"\[(/?\w{1,30})\]", r"<\1>", text)
    if "</" in text:
        text = re.sub(
            rf"<!--(?:\s?mark:?)?\s?{mark}\s?-->", f"<mark>{mark}</mark>", text
        )
        text = _NAMED_TAG.sub(r"<\g<key>>\g<value></\g<key>>", text)
        text = _OPEN_MARK.sub(r"<mark>\1</mark>", _WITH_MARK.sub(_mark_inside, text))
        text = _CELL.sub("|", _BLOCKS.sub("\n", _TERM.sub(": ", text)))
        text = _INLINE.sub("", text)
    text = _GLOSSED.sub(r"\1mark", _BRACKETED.sub(r"\1: ", text))
    return _WHY.sub("reason", _ASKED.sub(r"\1: ", _HEADED.sub(r"\1\2: ", text)))


def _mark_inside(found: re.Match[str]) -> str:
    """The mark in an attribute of a tag as a tag of its own, if that tag gives its
    content as the reply's own."""
    if announces(found[1]):
        return f"<mark>{found[2]}</mark>"
    return found[0]


def marked_lines(text: str, mark: str, properties: JsonSchema) -> MarkedLines | None:
    """The values on the lines next to the mark; None without readable ones.

    Only adjacent lines count; prose in between ends the search. A key with two values
    makes the reply unread.
    """
    for read in (_mapping, _tags, _columns, _assigned, _run):
        found = read(text, mark, properties)
        if found is not None and found.value:
            return found
    return None


def _mapping(text: str, mark: str, properties: JsonSchema) -> MarkedLines | None:
    """A text that is YAML as a whole, with no key that was not asked for."""
    value = _yaml(text)
    while len(value) == 1:
        key, inner = next(iter(value.items()))
        if not isinstance(inner, dict) or not announces(key):
            break
        value = inner
    if not all(_name(key, properties) for key in value):
        return None
    if not any(_carries(key, str(one), mark) for key, one in value.items()):
        return None
    pairs = [
        (
            _name(key, properties),
            _value(one, [], False) if isinstance(one, str) else one,
        )
        for key, one in value.items()
    ]
    return MarkedLines(_joined(pairs), 0, len(text))


def _yaml(text: str) -> dict[str, Any]:
    """A YAML mapping with texts as values; empty for any other text."""
    # an alias can make much of little, and PyYAML is slow where brackets nest
    if re.search(r"[:\-]\s+[&*]\w|(?:[\[{][\s\"']*+){30}", text):
        return {}
    if not all(announces(one) for one in re.findall(r"^[ \t]*#([^\n]+)", text, re.M)):
        return {}
    import yaml

    try:
        value = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    keys = re.findall(r"^([^\s:#-][^:\n]{0,40}):", text, re.MULTILINE)
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        pairs = [pair for one in value for pair in one.items()]
        keys, value = [key for key, _ in pairs], dict(pairs)
    if not isinstance(value, dict) or len(set(keys)) < len(keys):
        return {}
    return {str(key): one for key, one in value.items()}


def _tags(text: str, mark: str, properties: JsonSchema) -> MarkedLines | None:
    """`<mark>…</mark><preference>true</preference>`"""
    tags = list(_TAG.finditer(text))
    if not any(_carries(tag["key"], tag["value"], mark) for tag in tags):
        return None
    around = {one[1] for one in _ANY_TAG.finditer(text)} - {tag["key"] for tag in tags}
    if not all(announces(one) or one.casefold() in _CALLS for one in around):
        return None
    pairs = [(tag["key"].casefold(), tag["value"].strip()) for tag in tags]
    known = [
        (name, one)
        for key, one in pairs
        if (name := _name(key, properties)) and not one.startswith("{")
    ]
    return MarkedLines(_joined(known), tags[0].start(), tags[-1].end())


def _columns(text: str, mark: str, properties: JsonSchema) -> MarkedLines | None:
    """A table with the keys in its head and the values in its row."""
    lines = re.finditer(r"[^\n]+", text)
    rows = [(line.start(), line.end(), _cells(line[0])) for line in lines]
    for (start, _, above), (_, end, cells) in _below(rows):
        row = next((i for i, cell in enumerate(cells) if _bare(cell) == mark), None)
        if row is None or plain(above[row]) not in KEYS:
            continue
        pairs = zip(above, cells, strict=True)
        known = [
            (name, _bare(one)) for key, one in pairs if (name := _name(key, properties))
        ]
        return MarkedLines(_joined(known), start, end)
    return None


_Row = tuple[int, int, list[str]]


def _below(rows: list[_Row]) -> Iterator[tuple[_Row, _Row]]:
    """Each row below the first one that has as many cells, and that one."""
    heads: dict[int, _Row] = {}
    for row in rows:
        count = len(row[2])
        if count < 2:
            continue
        if count in heads:
            yield heads[count], row
        else:
            heads[count] = row


def _cells(line: str) -> list[str]:
    """The cells of a row, between bars, tabs, semicolons or commas."""
    line = line.strip()
    sign = next((one for one in "|\t;," if one in line), None)
    if sign is None:
        return []
    if sign == "|":
        line = line.strip("|")
    cells = next(csv.reader([line], delimiter=sign, skipinitialspace=True), [])
    return [cell.strip(" *_`") for cell in cells]


_ASSIGNED = re.compile(
    r"(?m)(?<![\w-])(?P<key>[A-Za-z_]\w{0,30})\s?=\s?"
    r"(?:\"(?P<double>[^\"\n]{0,2000})\"|'(?P<single>[^'\n]{0,2000})'"
    r"|(?P<bare>[^\s,;&()\"'<>=]{1,60})(?=\s{0,4}(?:$|[,;&)>]|/>|\w{1,30}\s?=)))",
)


def _assigned(text: str, mark: str, properties: JsonSchema) -> MarkedLines | None:
    """`grade(score=3, mark="…")`, `<grade score="3" mark="…"/>`, `score=3&mark=…`"""
    found = list(_ASSIGNED.finditer(text))
    pairs = [
        (one["key"], one["double"] or one["single"] or one["bare"]) for one in found
    ]
    if not any(_carries(key, value or "", mark) for key, value in pairs):
        return None
    at = text.casefold().index(mark)
    start = text.rfind("\n", 0, at) + 1
    end = (text + "\n").index("\n", at)
    inside = text[found[0].start() : found[-1].end()]
    known = [(_name(key, properties), value or "") for key, value in pairs]
    if "\n" in inside or not all(name for name, _ in known):
        return None
    return MarkedLines(_joined(known), start, end)


def _run(text: str, mark: str, properties: JsonSchema) -> MarkedLines | None:
    """The lines around the mark, as far as they are pairs and items."""
    lines = list(_lines(text, mark, properties))
    marked = [
        at for at, line in enumerate(lines) if _carries(line.key, line.value, mark)
    ]
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


def _lines(text: str, mark: str, properties: JsonSchema) -> Iterator[_PairLine]:
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


def _split(line: str, properties: JsonSchema) -> list[str]:
    """The pairs of a line that has several: `mark: …, grade: 2`."""
    names = "|".join(re.escape(name) for name in (*properties, *KEYS))
    return re.split(
        rf"[,;，；|。]\s*(?=[\"'*`]{{0,2}}(?:{names}|(?<=。)[\u4e00-\u9fff]{{2,4}})"
        r"[\"'*`]{0,2}\s*[:：=])",
        line,
        flags=re.IGNORECASE,
    )


def _line(line: str, start: int, end: int, properties: JsonSchema) -> _PairLine:
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
        name = _name(key, properties)
        others = [one for one in properties if one != name and one in value]
        if not value and plain(name or key) != plain(key) and announces(key):
            return _PairLine("frame", start, end)
        if others and decides(properties.get(name or "", {})):
            return _PairLine("prose", start, end)
        if name is not None:
            return _PairLine("pair", start, end, name, value)
        if not value and announces(key):
            return _PairLine("frame", start, end)
    item = _ITEM.match(line)
    if item is not None:
        return _PairLine("item", start, end, value=item["value"])
    return _PairLine("prose", start, end)


def _name(key: str, properties: JsonSchema) -> str | None:
    """The name of a key; a short Chinese one that is unknown is its own: the readers
    know more of those.
    """
    found = named(key, tuple(properties))
    if found or not _HAN_KEY.fullmatch(plain(key)) or _OTHERS.search(key):
        return found
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


def _pairs(run: list[_PairLine], properties: JsonSchema) -> Iterator[tuple[str, Any]]:
    """Keys with their values; a value can be a list, or continue on the lines below."""
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
    if text in ("|", ">", "|-", ">-", "", "-", "–", "—"):
        return " ".join(items)
    if items:
        return " ".join([text, *items])
    return text


def _joined(pairs: Any) -> dict[str, Any]:
    """The pairs as an object; empty where a key has two values."""
    made: dict[str, object] = {}
    for key, value in pairs:
        if plain(key) in KEYS:
            continue
        if key in made and made[key] != value:
            return {}
        made[key] = value
    return made
