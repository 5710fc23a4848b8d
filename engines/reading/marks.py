"""Tells a reply's own object by the mark that the reply was asked to carry.

With the right mark any form is read: an object, YAML, a list, a table, tags, the call of a
tool. Without it only a reply counts that is the object and nothing else, and whose values
were not sent. What is found is given to the readers as an object that is the whole reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from . import LARGEST, bare, parse, repaired, slices
from .contradiction import contradicted
from .decoding import already_sent, undoubted
from .fields import Doubt, Field, plain
from .marked_lines import marked_lines
from .ownership import Fence, announces, disowned, fences

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
    r"(?:(?:here|this) is )?my (?:own |final )?(?:word|verdict|ruling|decision|judge?ment"
    r"|answer|reply|grade|rating|verification|evaluation|assessment|conclusion)[:.]?"
    r"|(?:以下|这)?是?我(?:自己)?的(?:最终)?(?:裁决|判断|判定|结论|评分|等级|答案|回复|核查)[:：。]?",
    re.IGNORECASE,
)
"""All that may stand before an object without its mark: that it is the reply's own."""
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
    text = _bare(text)
    if len(text) > LARGEST:
        raise Doubt("the reply is too long to be the object asked for")
    if mark in text.casefold():
        found = _in_objects(text, mark, schema)
        if found is None:
            found = _in_lines(text, mark, schema)
        if found is not None:
            return found
    return _whole(text, schema, list(sent))


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
    pair = rf"[\"'*`]{{0,2}}mark[\"'*`]{{0,2}}\s*[:=：]\s*[\"'*`]{{0,2}}{value}[\"'*`]{{0,2}}"
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


class _Part(NamedTuple):
    """An object that carries the mark, without it, and its place in the reply."""

    text: str
    value: dict[Any, Any] | None
    """None where it is broken: then the reader mends it."""
    start: int
    end: int


def _in_objects(text: str, mark: str, schema: Mapping[str, Any]) -> str | None:
    """The object in braces that carries the mark; None if there is none."""
    found: list[_Part] = []
    for start, end in slices(text):
        if mark in text[start:end].casefold():
            part = _part(text, start, end, mark)
            found += [] if part is None else [part]
    if not found:
        return None
    first = found[0]
    if any(one.text != first.text for one in found):
        raise Doubt("the reply holds two different objects with its mark")
    if any(disowned(text, one.start, one.end, marked=True) for one in found):
        raise Doubt("the reply seems to quote what carries its mark")
    if first.value is not None:
        _check_prose(_around(text, found), first.value, schema)
    alone = (first.start, first.end) == (0, len(text))
    return first.text if alone else _fenced(first.text)


def _part(text: str, start: int, end: int, mark: str) -> _Part | None:
    piece = text[start:end]
    parsed = parse(_uncommented(piece))
    if parsed is None:
        if _PAIR.search(piece) is None:
            return None
        return _Part(_PAIR.sub("", piece, count=1), None, start, end)
    holders = list(_holders(parsed[0], mark))
    if not holders or any(one != holders[0] for one in holders):
        return None
    value = _opened(holders[0])
    written = str(value) if parsed[1] == "literal" else _written(value)
    return _Part(written, value, start, end)


def _holders(value: Any, mark: str) -> Iterator[dict[Any, Any]]:
    """The objects in a value that carry the mark, without it; also those in a text of it."""
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
    _check_prose([text[:first], text[last:]], found.value, schema)
    return _fenced(_written(found.value))


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


def _around(text: str, parts: list[_Part]) -> list[str]:
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
        return _fenced(found) if found[:1] in ("{", "[") else found
    inner, fenced = _only_fence(text)
    if inner[:1] in ("{", "[", "("):
        return _whole_object(text, inner, sent, fenced=fenced)
    if inner[:1] == '"' and isinstance((undoubted(parse, inner) or (None,))[0], str):
        return text
    if len(inner) <= _SHORT and "\n" not in inner and "{" not in inner:
        return _single_value(inner, schema)
    if "{" not in inner and _lists(schema) and _is_list(inner):
        return text
    raise Doubt("the reply does not carry its mark, and is more than the object")


def _without_heading(text: str) -> str:
    """The reply without a first line that says `My verdict:` and nothing else."""
    first, _, rest = text.partition("\n")
    return rest.strip() if _MINE.fullmatch(first.strip(_SIGNS)) else text


def _only_fence(text: str) -> tuple[str, bool]:
    """What is in the fence that is the whole reply, else the reply; and whether it is one."""
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
    if already_sent(value, sent, _objects):
        raise Doubt("what it says stands in what the model was sent")
    if not isinstance(value, dict):
        return text
    own = _without_mark(value)
    opened = _unwrapped(own)
    if opened is not own:
        return _fenced(_written(opened))
    written = str(own) if parsed[1] == "literal" else _written(own)
    if len(own) == len(value) and inner == _uncommented(inner):
        return text
    return _fenced(written) if fenced or parsed[1] == "literal" else written


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
        if value is not None and already_sent(value, sent, _objects):
            raise Doubt("what it says stands in what the model was sent")
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


def _single_value(text: str, schema: Mapping[str, Any]) -> str:
    """A reply of one value: as it is, or as an object where only one number is asked for."""
    decisive = [
        (name, spec)
        for name, spec in schema.get("properties", {}).items()
        if name not in (KEY, "reason")
    ]
    if len(decisive) != 1 or decisive[0][1].get("type") not in ("number", "integer"):
        return text
    name, spec = decisive[0]
    found = re.fullmatch(
        r"[*_`\"]{0,3}(?:(?P<key>[A-Za-z]+(?: [A-Za-z]+)?|[\u4e00-\u9fff]{2,4})\s*[:：]\s*)?"
        r"[*_`\"]{0,3}(?P<value>\d{1,3}(?:\.\d{1,9})?)(?:\s*/\s*(?P<of>\d{1,3}))?"
        r"[*_`\"]{0,3}[.。]?",
        text,
    )
    if found is None or (found["key"] and not _names(found["key"], name)):
        return text
    if found["of"] and int(found["of"]) != spec.get("maximum", 1):
        return text
    return _fenced(_written({name: float(found["value"])}))


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
