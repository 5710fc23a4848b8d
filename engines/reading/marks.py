"""Tells a reply's own object by the mark that the reply was asked to carry.

With the right mark any form is read: an object, YAML, a list, a table, tags, the call
of a tool. Without it only a reply counts that is the object and nothing else, and whose
values were not sent. What is found is given to the readers as an object that is the
whole reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from . import LARGEST, bare, parse, repaired, slices
from .announcing import announces
from .contradiction import contradicted
from .decoding import already_sent, undoubted
from .fields import Doubt, Field, plain
from .marked_lines import as_pairs, marked_lines
from .marked_prose import marked_prose, scaled, without_mark
from .ownership import Fence, disowned, fences, quoted

KEY = "mark"
"""The key under which a reply carries its mark."""

_KEYS = frozenset((KEY, "标记"))
_CALLS = frozenset(("arguments", "parameters", "args", "input"))
"""Keys under which the call of a tool has its object."""
_ENDS = re.compile(
    r"(?:<\|[a-z_]{2,30}\|>|</?s>|<(?:eos|eot|end_of_turn|end_of_sentence|pad)>"
    r"|<｜[^｜\n]{2,30}｜>|\[/?INST\])$",
    re.IGNORECASE,
)
"""A token that ends a turn and that a server did not take away."""
_BEGINS = re.compile(
    r"(?:<s>|<\|im_start\|>(?:assistant)?|\[/INST\])\s*", re.IGNORECASE
)
_SIGNS = " *_#"
_SHORT = 40
"""Most characters of a reply that is one value and no object."""
_MINE = re.compile(
    r"(?:(?:here|this) is )?my (?:own |final )?(?:word|verdict|ruling|decision"
    r"|judge?ment"
    r"|answer|reply|grade|rating|verification|evaluation|assessment|conclusion)[:.]?"
    r"|(?:以下|这)?是?我(?:自己)?的(?:最终)?(?:裁决|判断|判定|结论|评分|等级|答案"
    r"|回复|核查)[:：。]?",
    re.IGNORECASE,
)
"""All that may stand before an object without its mark: that it is the reply's own."""
_FINAL = re.compile(r"\b(?:final|revised|corrected)\b|最终|更正", re.IGNORECASE)
"""Between two objects with the mark: the second one takes the place of the first."""
_NUMERIC = ("number", "integer")
_FENCED = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_ITEM = re.compile(
    r"\s*(?:[-*+•]\s|\d{1,2}\s?[.)、:：]|[①-⑳]|[^\n:：{}]{1,40}[:：]\s*\S)"
)
_PAIR = re.compile(
    r"[\"'“”]?(?:mark|标记)[\"'“”]?\s*[:：]\s*[\"'“”]?\w+[\"'“”]?\s*[,，]?"
)
_COMMENT = re.compile(
    r"(?P<text>\"(?:[^\"\\\n]|\\.)*\")|(?<![:\w])//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*\*/"
)


def own_part(
    text: str, mark: str, schema: Mapping[str, Any], sent: Iterable[str]
) -> str:
    """The part of a reply that is certainly its own, for the readers of whole replies.

    `schema`: the JSON Schema of the wanted object; `sent`: the texts that were shown.
    Raises: Doubt if no part is.
    """
    text, sent = _bare(text), list(sent)
    if len(text) > LARGEST:
        raise Doubt("the reply is too long to be the object asked for")
    if mark in text.casefold():
        text = _opened_text(text)
        for read in (_in_objects, _in_lines):
            found = read(text, mark, schema)
            if found is not None:
                return found
        value = _in_prose(text, mark, schema)
        if value is not None:
            _check_sent(value, sent)
            return _fenced(_written(value))
        text = _announced(text, mark)
    return _whole(text, schema, sent)


def follows(text: str, schema: Mapping[str, Any]) -> bool:
    """True if a reply is an object with the keys that a schema names, each of its type."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    properties = schema.get("properties", {})
    return (
        isinstance(value, dict)
        and value.keys() >= set(schema.get("required", ()))
        and value.keys() <= properties.keys()
        and all(_of_type(one, properties[key]) for key, one in value.items())
    )


def unmarked(text: str, mark: str) -> str:
    """A reply without its mark, as it would be had nobody asked for one."""
    value = re.escape(mark)
    pair = (
        rf"[\"'*`]{{0,2}}mark[\"'*`]{{0,2}}\s*[:=：]\s*[\"'*`]{{0,"
        rf"2}}{value}[\"'*`]{{0,2}}"
    )
    for pattern, rest in (
        (rf"\s*<mark>\s*{value}\s*</mark>", ""),
        (rf"^[ \t]*(?:[-*+] )?\|?[ \t]*{pair}[ \t]*\|?[ \t]*(?:\n|\Z)", ""),
        (rf"(?<=[{{\[])(\s*){pair}\s*,\s*", r"\1"),
        (rf"\s*,\s*{pair}", ""),
        (rf"{pair}\s*", ""),
    ):
        text, count = re.subn(pattern, rest, text, flags=re.IGNORECASE | re.MULTILINE)
        if count:
            break
    return text


_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}


def _of_type(value: Any, spec: Mapping[str, Any]) -> bool:
    kind = spec.get("type")
    if "enum" in spec and value not in spec["enum"]:
        return False
    if not isinstance(kind, str):
        return True
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, _TYPES.get(kind, (object,)))


def _bare(text: str) -> str:
    """A reply without its reasoning, and without the tokens around its turn."""
    text = bare(text)
    begun = _BEGINS.match(text)
    if begun is not None:
        text = text[begun.end() :]
    while (ended := _ENDS.search(text)) is not None:
        text = text[: ended.start()].rstrip()
    return text


# -------------------------------------------------------------------- with the mark


class _MarkedPart(NamedTuple):
    """An object that carries the mark, without it, and its place in the reply."""

    text: str
    value: dict[Any, Any] | None
    """None where it is broken: then the reader mends it."""
    start: int
    end: int


def _opened_text(text: str) -> str:
    """A reply that is a text in JSON or a block quote as a whole, without that."""
    if text.startswith('"'):
        inside = undoubted(parse, text)
        if inside and isinstance(inside[0], str):
            return inside[0]
        return text
    lines = text.splitlines()
    if all(line.startswith(">") for line in lines):
        return "\n".join(line[1:].removeprefix(" ") for line in lines)
    return text


def _joined_pairs(text: str) -> str:
    """A list of `{"key": …, "value": …}` that is the whole reply, as one object."""
    listed = undoubted(parse, text) if text.startswith("[") else None
    pairs = listed[0] if listed else None
    if not isinstance(pairs, list) or not all(
        isinstance(one, dict) and one.keys() == {"key", "value"} for one in pairs
    ):
        return text
    made = {one["key"]: one["value"] for one in pairs}
    if len(made) == len(pairs):
        return _written(made)
    return text


def _in_prose(text: str, mark: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The values that the prose states beside the mark; None if there are none."""
    if _FENCED.search(text) or any(True for _ in slices(text)):
        return None
    return marked_prose(text, mark, _asked(schema))


def _check_sent(value: Any, sent: Iterable[str]) -> None:
    """Raises: Doubt if what a reply says was sent."""
    if already_sent(value, sent, _objects):
        raise Doubt("what it says stands in what the model was sent")


def _announced(text: str, mark: str) -> str:
    """The only object of a reply that has its mark elsewhere, if all other words
    announce it; else the reply.
    """
    places = list(slices(text))
    if len(places) != 1:
        return text
    start, end = places[0]
    rest = without_mark(f"{text[:start]} {text[end:]}", mark)
    rest = re.sub("</?mark>", " ", rest)
    words = re.sub(
        r"</?([a-z_]{2,20})>|[`→,<>-]", lambda tag: f" {tag[1] or ''} ", rest
    )
    if announces(words):
        return text[start:end]
    return text


def _asked(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What a schema asks for beside the mark and the reason."""
    properties = schema.get("properties", {}).items()
    return {name: one for name, one in properties if name not in (KEY, "reason")}


def _in_objects(text: str, mark: str, schema: Mapping[str, Any]) -> str | None:
    """The object in braces that carries the mark; None if there is none."""
    text = _joined_pairs(text)
    found: list[_MarkedPart] = []
    for start, end in slices(text):
        if mark in text[start:end].casefold():
            part = _part(text, start, end, mark, schema)
            found += [] if part is None else [part]
    if not found:
        return None
    counts = found
    if any(one.text != found[0].text for one in found):
        counts = found[-1:]
        if not _FINAL.search(text[found[-2].end : counts[0].start]):
            raise Doubt("the reply holds two different objects with its mark")
    if any(disowned(text, one.start, one.end, marked=True) for one in counts):
        raise Doubt("the reply seems to quote what carries its mark")
    one = counts[0]
    if one.value is not None:
        _check_prose(_around(text, found), one.value, schema)
    alone = (one.start, one.end) == (0, len(text))
    if alone:
        return one.text
    return _fenced(one.text)


def _on_scale(value: dict[Any, Any], schema: Mapping[str, Any]) -> dict[Any, Any]:
    """An object with `85/100` as 85, where a number of that scale is asked for."""
    specs = schema.get("properties", {})
    return {
        key: scaled(one, specs[key])
        if isinstance(one, str) and specs.get(key, {}).get("type") in _NUMERIC
        else one
        for key, one in value.items()
    }


def _part(
    text: str, start: int, end: int, mark: str, schema: Mapping[str, Any]
) -> _MarkedPart | None:
    piece = text[start:end]
    parsed = parse(_uncommented(piece)) or parse(_narrowed(piece))
    if parsed is None:
        if _PAIR.search(piece) is None:
            return None
        return _MarkedPart(_PAIR.sub("", piece, count=1), None, start, end)
    holders = list(_holders(parsed[0], mark))
    if not holders or any(one != holders[0] for one in holders):
        return None
    value = _on_scale(_opened(holders[0]), schema)
    written = str(value) if parsed[1] == "literal" else _written(value)
    return _MarkedPart(written, value, start, end)


def _holders(value: Any, mark: str) -> Iterator[dict[Any, Any]]:
    """The objects in a value that carry the mark, without it; also those in a text of
    it.
    """
    if isinstance(value, str) and value.lstrip()[:1] == "{" and mark in value:
        inside = undoubted(parse, value.strip())
        if inside is not None:
            yield from _holders(inside[0], mark)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _holders(one, mark)
    elif isinstance(value, dict):
        marks = [one for key, one in value.items() if plain(str(key)) in _KEYS]
        if any(_is(one, mark) for one in marks):
            yield _without_mark(value)
            return
        for one in value.values():
            yield from _holders(one, mark)


def _is(value: Any, mark: str) -> bool:
    return isinstance(value, str) and value.strip(" .。*`<>[]\"'").casefold() == mark


def _without_mark(value: dict[Any, Any]) -> dict[Any, Any]:
    return {key: one for key, one in value.items() if plain(str(key)) not in _KEYS}


def _opened(value: dict[Any, Any]) -> dict[Any, Any]:
    """The object itself, without the call of a tool or the key for a verdict around it."""
    for key, one in value.items():
        if plain(str(key)) in _CALLS:
            inside = undoubted(parse, one) if isinstance(one, str) else (one,)
            if inside is not None and isinstance(inside[0], dict):
                return _without_mark(inside[0])
    return _unwrapped(value)


def _unwrapped(value: dict[Any, Any]) -> dict[Any, Any]:
    """The object in an object whose only key announces one's own, such as `verdict`.

    Raises: Doubt for any other key, such as `quoted`.
    """
    if len(value) != 1:
        return value
    key, one = next(iter(value.items()))
    if not isinstance(one, dict):
        return value
    if not announces(str(key)):
        raise Doubt("the object stands under a key that does not give it as its own")
    return one


def _in_lines(text: str, mark: str, schema: Mapping[str, Any]) -> str | None:
    """The YAML, list, table or tags that carry the mark, as an object; None if none do."""
    text = as_pairs(text)
    blocks = fences(text)
    at = text.casefold().index(mark)
    block = next((one for one in blocks if one.start <= at < one.end), None)
    if block is not None:
        body, start = text[block.inner : block.outer], block.inner
    else:
        body, start = _blanked(text, blocks), 0
    found = marked_lines(body, mark, schema.get("properties", {}))
    if found is None:
        return None
    first, last = found.start + start, found.end + start
    if block is not None:
        first, last = block.start, block.end
    if disowned(text, first, last, marked=True):
        raise Doubt("the reply seems to quote what carries its mark")
    value = _on_scale(found.value, schema)
    _check_prose([text[:first], text[last:]], value, schema)
    return _fenced(_written(value))


def _check_prose(
    prose: Iterable[str],
    value: Mapping[Any, Any],
    schema: Mapping[str, Any],
) -> None:
    """Raises: Doubt if the prose gives a key another value than the object does."""
    fields: dict[str, Field] = {}
    given: dict[str, Any] = {}
    for name, spec in schema.get("properties", {}).items():
        if name not in value or not _decides(spec):
            continue
        try:
            given[name] = _read_plain(value[name])
        except ValueError:
            continue
        fields[name] = Field((name,), _read_plain, needed=False)
    for text in prose:
        if fields and contradicted(_said(text), fields, given) is not None:
            raise Doubt("the reply says in its prose something else than its object")


def _decides(spec: Mapping[str, Any]) -> bool:
    return spec.get("type") in ("boolean", "number", "integer") or "enum" in spec


def _read_plain(value: Any) -> Any:
    """A decisive value as it is compared. Raises: ValueError if it is none."""
    if isinstance(value, bool):
        return value
    text = str(value).strip(" .。*`\"'").casefold()
    if text in ("true", "yes", "是"):
        return True
    if text in ("false", "no", "否"):
        return False
    try:
        return float(text)
    except ValueError:
        if not text or len(text.split()) > 2:
            raise ValueError("no value") from None
        return text


def _said(text: str) -> str:
    """Prose without objects, fenced blocks and lines that are marked as quotations."""
    text = _blanked(text, fences(text))
    for start, end in list(slices(text)):
        text = text[:start] + " " * (end - start) + text[end:]
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(">")]
    return re.sub(r"[\"“`「][^\"”`」\n]*[\"”`」]", " ", "\n".join(lines))


def _around(text: str, parts: list[_MarkedPart]) -> list[str]:
    places = [0, *(place for one in parts for place in (one.start, one.end)), len(text)]
    pairs = zip(places[::2], places[1::2], strict=True)
    return [text[start:end] for start, end in pairs]


def _blanked(text: str, blocks: Iterable[Fence]) -> str:
    """The text with spaces for its fenced blocks, so that all places stay."""
    for one in blocks:
        inside = re.sub(r"[^\n]", " ", text[one.start : one.end])
        text = text[: one.start] + inside + text[one.end :]
    return text


# ----------------------------------------------------------------- without the mark


def _whole(text: str, schema: Mapping[str, Any], sent: list[str]) -> str:
    """A reply that is the object, or its only fence, and nothing else.

    Raises: Doubt if it is more, or if what it says was sent.
    """
    body = _without_heading(text)
    if body is not text:
        found = _whole(body, schema, sent)
        if found[:1] in ("{", "["):
            return _fenced(found)
        return found
    inner, fenced = _only_fence(text)
    if inner[:1] in ("{", "[", "("):
        return _whole_object(text, inner, sent, fenced=fenced)
    if inner[:1] == '"' and isinstance((undoubted(parse, inner) or (None,))[0], str):
        return text
    if len(inner) <= _SHORT and "\n" not in inner and "{" not in inner:
        return _single_value(inner, schema, sent)
    if "{" not in inner and _lists(schema) and _is_list(inner):
        return text
    raise Doubt("the reply does not carry its mark, and is more than the object")


def _without_heading(text: str) -> str:
    """The reply without a first line that says `My verdict:` and nothing else."""
    first, _, rest = text.partition("\n")
    if _MINE.fullmatch(first.strip(_SIGNS)):
        return rest.strip()
    return text


def _only_fence(text: str) -> tuple[str, bool]:
    """What is in the fence that is the whole reply, else the reply; and whether it is
    one.
    """
    blocks = fences(text)
    if len(blocks) != 1 or text[: blocks[0].start].strip():
        return text, False
    if text[blocks[0].end :].strip():
        return text, False
    return text[blocks[0].inner : blocks[0].outer].strip(), True


def _whole_object(text: str, inner: str, sent: list[str], *, fenced: bool) -> str:
    parsed = parse(_uncommented(inner))
    if parsed is None:
        return _whole_pieces(text, inner, sent)
    value = parsed[0]
    _check_sent(value, sent)
    if not isinstance(value, dict):
        return text
    own = _without_mark(value)
    opened = _unwrapped(own)
    if opened is not own:
        return _fenced(_written(opened))
    written = str(own) if parsed[1] == "literal" else _written(own)
    if len(own) == len(value) and inner == _uncommented(inner):
        return text
    if fenced or parsed[1] == "literal":
        return _fenced(written)
    return written


def _whole_pieces(text: str, inner: str, sent: list[str]) -> str:
    """A broken object, or the same object twice: the reader decides about them."""
    places = list(slices(inner))
    between = [0, *(place for pair in places for place in pair), len(inner)]
    gaps = zip(between[::2], between[1::2], strict=True)
    if inner[:1] == "{" and (not places or any(inner[a:b].strip() for a, b in gaps)):
        raise Doubt("the reply does not carry its mark, and is more than the object")
    for start, end in places:
        piece = inner[start:end]
        parsed = parse(piece)
        value = parsed[0] if parsed is not None else repaired(piece)
        if value is not None:
            _check_sent(value, sent)
    return text


def _objects(text: str) -> Iterator[dict[Any, Any]]:
    """The objects in a text that was sent; broken ones, too."""
    try:
        places = list(slices(text))
    except Doubt:
        places = _last_places(text)
    for start, end in places:
        piece = text[start:end]
        parsed = undoubted(parse, piece)
        value = parsed[0] if parsed is not None else repaired(piece)
        if isinstance(value, dict):
            yield value


_FLAT = re.compile(r"\{[^{}]{0,5000}\}")


def _last_places(text: str) -> list[tuple[int, int]]:
    """Where a text has too many objects: all that hold no other one."""
    return [found.span() for found in _FLAT.finditer(text)]


def _single_value(text: str, schema: Mapping[str, Any], sent: Iterable[str]) -> str:
    """A reply of one value: as it is, or as an object where only one number is asked
    for.

    Raises: Doubt for a number that was sent in an object, or with its name.
    """
    decisive = [
        (name, spec)
        for name, spec in schema.get("properties", {}).items()
        if name not in (KEY, "reason")
    ]
    if len(decisive) != 1 or decisive[0][1].get("type") not in ("number", "integer"):
        return text
    name, spec = decisive[0]
    found = re.fullmatch(
        r"[*_`\"]{0,3}(?:(?P<key>[A-Za-z]+(?: [A-Za-z]+)?|[\u4e00-\u9fff]{2,"
        r"4})\s*[:：]\s*)?"
        r"[*_`\"]{0,3}(?P<value>\d{1,3}(?:\.\d{1,9})?)(?:\s*/\s*(?P<of>\d{1,3}))?"
        r"[*_`\"]{0,3}[.。]?",
        text,
    )
    if found is None or (found["key"] and not _names(found["key"], name)):
        return text
    if found["of"] and int(found["of"]) != spec.get("maximum", 1):
        return text
    if found["key"] and quoted(text.strip(" *_`.。"), sent):
        raise Doubt("what it says stands in what the model was sent")
    value = {name: float(found["value"])}
    _check_sent(value, sent)
    return _fenced(_written(value))


_SCORES = frozenset(
    (
        "score",
        "rating",
        "grade",
        "level",
        "value",
        "评分",
        "得分",
        "分数",
        "等级",
        "分歧",
    )
)


def _names(label: str, name: str) -> bool:
    """True if a label is that of this value, or a common word for one."""
    words = plain(label)
    return words == plain(name) or words.removeprefix("final") in _SCORES


def _lists(schema: Mapping[str, Any]) -> bool:
    properties = schema.get("properties", {}).values()
    return any(spec.get("type") == "array" for spec in properties)


def _is_list(text: str) -> bool:
    """True if a text has items alone, below a heading that announces one's own list."""
    first, *rest = [line for line in text.splitlines() if line.strip()]
    headed = first.rstrip("*_ ").endswith((":", "：")) and announces(
        first.strip(_SIGNS + ":：")
    )
    return all(
        _ITEM.match(line) for line in ([] if headed and rest else [first]) + rest
    )


def _narrowed(piece: str) -> str:
    """An object with full-width colons and commas between its texts as JSON has them."""
    piece = re.sub(r'(?<=")\s?：', ":", piece)
    return re.sub(r'(?<=["\d\]el])\s?，(?=\s?")', ",", piece)


def _uncommented(piece: str) -> str:
    """An object without comments, which JSON does not have."""
    if "//" not in piece and "/*" not in piece:
        return piece
    return _COMMENT.sub(lambda found: found["text"] or "", piece)


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _fenced(text: str) -> str:
    """An object that stood in other text, for the readers, which then say `sliced`."""
    return f"```json\n{text}\n```"
