"""Tells a reply's own object by the mark that the reply was asked to carry.

With the right mark any form is read: an object, YAML, a list, a table, tags, the call
of a tool. Without it only a reply counts that is the object and nothing else, and whose
values were not sent. What is found is given to the readers as an object that is the
whole reply.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from . import LARGEST, bare, parse, repaired, slices
from .announcing import announces, words
from .contradiction import distance
from .decoding import already_sent, translated, undoubted, versions
from .fields import REASON_KEYS, Doubt, JsonObject, JsonSchema, plain
from .marked_lines import KEYS, as_pairs, marked_lines
from .marked_prose import (
    contradicts,
    marked_prose,
    only_number,
    quotable,
    states,
    without_mark,
)
from .ownership import Fence, disowned, fences, leading, quoted
from .scales import NUMERIC, decides, scaled
from .statements import names_member
from .unmarked_phrases import NEGATION, OWN
from .vocabulary import is_verdict, member, named

KEY = "mark"
"""The key under which a reply carries its mark."""

_OTHERS = re.compile(
    r"(?i)draft|example|sample|prev|prior|earlier|old|quot|sourc|material|input|doc"
    r"|text"
    r"|found|their|other|expected|reject|template|format|schema|page|[草例引原前旧他]",
)
"""Keys above an object that is somebody else's, or not meant."""
_MORE = "the reply has text besides its object and lacks the mark of the call"
_PAIRS = ({"key", "value"}, {"name", "value"})
_HOLDERS = words(
    "data attributes payload fields values arguments parameters args input function"
)
"""Keys that only announce a value below them."""
_ENDS = re.compile(
    r"(?i)(?:<\|[a-z_]{2,30}\|>|</?s>|<(?:eos|eot|end_of_turn|end_of_sentence|pad)>"
    r"|<｜[^｜\n]{2,30}｜>|\[/?INST\])$",
)
"""A token that ends a turn and that a server did not take away."""
_BEGINS = re.compile(r"(?i)(?:<s>|<\|im_start\|>(?:assistant)?|\[/INST\])\s*")
_SIGNS = " *_#"
_SHORT = 40
"""Most characters of a reply that is one value and no object."""
_MINE = re.compile(
    r"(?i)(?:(?:here|this) is )?my (?:own |final )?(?:word|verdict|ruling|decision"
    r"|judge?ment"
    r"|answer|reply|grade|rating|verification|evaluation|assessment|conclusion)[:.]?"
    r"|(?:以下|这)?是?我(?:自己)?的(?:最终)?(?:裁决|判断|判定|结论|评分|等级|答案"
    r"|回复|核查)[:：。]?",
)
"""All that may be before an object without its mark: that it is the reply's own."""
_TYPING_ERRORS = 2
"""Letters in which a mark that was copied badly may differ."""
_DRAFT = re.compile(
    r"(?i)\b(?:draft|discarded|abandoned|superseded|dropped|scratch|first (?:try"
    r"|attempt"
    r"|version|thoughts?))\b|初稿|草稿|草案|放弃|作废|舍弃",
)
_FINAL = re.compile(
    r"(?i)\b(?:final|revised?|correct(?:ed|ion)|chang(?:e|ing)|instead|reflection"
    r"|wait|oops"
    r"|second (?:thought|reading|look)s?|actually|mistaken?|retract|amend\w*|fix(?:ed)?"
    r"|re-?(?:read|check|consider)\w*)\b|最终|更正|修正|改|再看|等等|不对|重新",
)
"""Between two verdicts: the second one takes the place of the first."""
_FENCED = re.compile(r"(?m)^[ \t]*(?:```|~~~)")
_KEY = re.compile(r"\"\w{1,40}\"\s?:")
_ITEM = re.compile(
    r"\s*(?:[-*+•]\s|\d{1,2}\s?[.)、:：]|[①-⑳]|[^\n:：{}]{1,40}[:：]\s*\S)"
)
_PAIR = re.compile(
    r"[\"'“”]?(?:mark|标记)[\"'“”]?\s*[:：]\s*[\"'“”]?\w+[\"'“”]?\s*[,，]?"
)
_WIDE = str.maketrans("｛｝［］＂", '{}[]"')
_DIGITS = str.maketrans("０１２３４５６７８９．", "0123456789.")
_ONLY_MARK = re.compile(
    r"(?<![:,\[])(?<![:,]\s)\{\s*[\"']?mark[\"']?\s*:\s*[\"']?(\w{1,20})[\"']?\s*\}"
)
_COMMENT = re.compile(
    r"(?P<text>\"(?:[^\"\\\n]|\\.)*+\"?)|(?<![:\w])//[^\n]*"
    r"|/\*[^*]*(?:\*(?!/)[^*]*)*\*/"
    r"|(?<=\s)(?:#|<!?--|--)[^\n]*|(?P<comma>,[\s,]*+)"
)


def own_part(text: str, mark: str, schema: JsonSchema, sent: Iterable[str]) -> str:
    """The part of a reply that is certainly its own, for the readers of whole replies.

    `schema`: the JSON Schema of the wanted object; `sent`: the texts that were shown.
    Raises: Doubt if no part is.
    """
    text, sent = _bare(text), list(sent)
    if len(text) > LARGEST:
        raise Doubt("the reply is too long to be the requested object")
    if mark in text.casefold() and not any(mark in one.casefold() for one in sent):
        text, free = _opened_text(text), not quotable(sent, _asked(schema))
        found = _in_objects(_closed(text, mark), mark, schema, free=free)
        if found is not None:
            return found
        value = _in_lines_or_prose(text, mark, schema, sent, free=free)
        if value is not None:
            return _fenced(_written(value))
        text = _announced(text, mark, free=free)
    return _whole(text, mark, schema, sent)


def follows(text: str, schema: JsonSchema) -> bool:
    """True if a reply is an object with the keys that a schema names, each of its
    type.
    """
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
        text, count = re.subn(
            pattern,
            rest,
            text,
            flags=re.IGNORECASE | re.MULTILINE,
        )
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


def _of_type(value: Any, spec: JsonSchema) -> bool:
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
    value: JsonObject | None
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
    text = _ONLY_MARK.sub(r"mark: \1", _STRUCK.sub("", text.translate(_WIDE)))
    lines = text.splitlines()
    if all(line.startswith(">") for line in lines):
        return "\n".join(line[1:].removeprefix(" ") for line in lines)
    return text


def _in_prose(
    text: str, mark: str, schema: JsonSchema, *, free: bool
) -> dict[str, object] | None:
    """The values that the prose states next to the mark; None without any."""
    if _FENCED.search(text):
        return None
    text = _BOXED.sub(r" \1 ", text)
    text = _without_objects(text)
    if mark not in text.casefold():
        return None
    if "{" in text:  # an object that is cut off
        return None
    return marked_prose(text, mark, _asked(schema), free=free)


def _check_sent(value: Any, sent: Iterable[str]) -> None:
    """Raises: Doubt if what a reply says was sent."""
    if already_sent(value, sent, _objects):
        raise Doubt("the object is a copy of text in the prompt")


def _closed(text: str, mark: str) -> str:
    """A reply that is an object without its end, with it, if no value that decides can
    have been cut off.
    """
    if _KEY.match(text):
        text = "{" + text
    start = text.find("{")
    first = next(slices(text), (-1, 0))
    if first[0] == start or text[:start].strip(_SIGNS + "`json\n"):
        return text
    for end in ("}", '"}', "}}", '"}}'):
        whole = text[start:].rstrip("`\n ,") + end
        parsed = undoubted(parse, whole)
        value = parsed[0] if parsed is not None else None
        while isinstance(value, dict) and value:
            key, inner = next(reversed(value.items()))
            if plain(str(key)) in KEYS or key in REASON_KEYS or end[0] == "}":
                return whole
            value = inner
    return text


def _announced(text: str, mark: str, *, free: bool) -> str:
    """The only object of a reply that has its mark elsewhere, if the words around it
    give it as its own; else the reply.
    """
    places = list(slices(text))
    if len(places) != 1:
        return text
    start, end = places[0]
    rest = without_mark(f"{text[:start]} {text[end:]}", mark)
    rest = re.sub("</?mark>", " ", rest)
    words = re.sub(
        r"</?([a-z_]{2,20})>|[`→,<>.:：;-]", lambda tag: f" {tag[1] or ''} ", rest
    )
    ours = free and not disowned(text, start, end, marked=True)
    if ours or not words.strip() or announces(words):
        return text[start:end]
    return text


def _asked(schema: JsonSchema) -> JsonSchema:
    """The fields of a schema except the mark and the reason."""
    properties = schema.get("properties", {}).items()
    return {name: one for name, one in properties if name not in (KEY, "reason")}


def _in_objects(text: str, mark: str, schema: JsonSchema, *, free: bool) -> str | None:
    """The object in braces that carries the mark; None if there is none."""
    found: list[_MarkedPart] = []
    for start, end in slices(text):
        if mark in text[start:end].casefold():
            part = _part(text, start, end, mark, schema, free=free)
            found += [] if part is None else [part]
    if not found:
        return None
    counts = [one for one in found if not _is_draft(text, one.start)] or found
    if any(count.text != counts[0].text for count in counts):
        before, counts = counts[-2], counts[-1:]
        if not _FINAL.search(text[before.end : counts[0].start]):
            raise Doubt("the reply contains two different objects with its mark")
    for one in counts:
        whole = _without_objects(text[: one.start]) + text[one.start :]
        if disowned(whole, one.start, one.end, marked=True):
            raise Doubt("the object with the mark seems to be a quotation")
    one = counts[0]
    if one.value is not None:
        _check_prose(text, one.start, one.end, one.value, schema)
    alone = (one.start, one.end) == (0, len(text))
    if alone:
        return one.text
    return _fenced(one.text)


def _is_draft(text: str, start: int) -> bool:
    """True if the line above an object calls it a draft."""
    lines = [
        line for line in text[:start].splitlines() if line.strip(_SIGNS + "`json~")
    ]
    return bool(lines) and _DRAFT.search(lines[-1]) is not None


def _on_scale(value: JsonObject, schema: JsonSchema, *, free: bool) -> JsonObject:
    """An object with `85/100` as 85, where a number of that scale is asked for, and
    without the signs beside a value that is chosen.
    """
    specs = schema.get("properties", {})
    value = {key: _single(one) if key in specs else one for key, one in value.items()}
    made: JsonObject = {}
    for key, one in value.items():
        spec = specs.get(key, {})
        if isinstance(one, str) and (decides(spec) or not str(key).isascii()):
            one = _alone(one, free=free)
        if isinstance(one, str) and "enum" in spec:
            one = member(one, spec["enum"])
        elif spec.get("type") in NUMERIC and scaled(str(one), spec) != str(one):
            one = scaled(str(one), spec)
        made[key] = one
    return made


_TICKS = dict.fromkeys("✓✔✅☑", "true") | dict.fromkeys("✗✘❌✖", "false")
_STRUCK = re.compile(
    r"~~[^~\n]{1,100}~~|(?m:^[ \t*+-]{0,6}(?:\[ ?\]|☐)[^\n]*)|\[[xX✓]\]"
)
_BOXED = re.compile(r"\\boxed\{([^{}\n]{1,60})\}")
_SCALED_ASIDE = re.compile(r"\d\s*分?\s*[(（][^)）]*\d")
_REMARK = re.compile(r"(?<=\S)\s*[(（]([^()（）\n]{1,200})[)）]\s*$")


def _alone(text: str, *, free: bool) -> str:
    """A value without a remark about the reply itself behind it and without pictures; a
    tick or a cross alone is a value. Any remark where nothing was sent to quote.
    """
    remark = _REMARK.search(text)
    if remark is not None and OWN.search(remark[1]) and not NEGATION.search(remark[1]):
        text = text[: remark.start()]
    if free and not _SCALED_ASIDE.search(text):
        text = re.split(r"\s?[(（,，]|\s+#|\s[-–—]+\s", text, maxsplit=1)[0]
    bare = "".join(
        " " if unicodedata.category(sign) in ("So", "Mn") else sign for sign in text
    ).strip()
    if bare:
        return bare
    return next((_TICKS[sign] for sign in text if sign in _TICKS), text)


def _single(value: Any) -> Any:
    """The value in `[85]` and in `{"value": 85, …}` or `{"text": …}`."""
    if isinstance(value, dict):
        return next((value[key] for key in ("value", "text") if key in value), value)
    if (
        isinstance(value, list)
        and len(value) == 1
        and isinstance(value[0], int | float)
    ):
        return value[0]
    return value


def _part(
    text: str, start: int, end: int, mark: str, schema: JsonSchema, *, free: bool
) -> _MarkedPart | None:
    piece = text[start:end]
    parsed = parse(_uncommented(piece)) or parse(_narrowed(piece))
    if parsed is None:
        if _PAIR.search(piece) is None:
            return None
        return _MarkedPart(_PAIR.sub("", piece, count=1), None, start, end)
    holders = list(_holders(parsed[0], mark))
    if not holders or any(holder != holders[0] for holder in holders):
        return None
    pairs = [one for one in _objects(text) if free or one.keys() == {"key", "value"}]
    places = [holders[0], parsed[0], pairs]
    value = _unwrapped(_lifted(places, _asked(schema), free=free))
    _check_names(value, _asked(schema))
    value = _on_scale(value, schema, free=free)
    written = str(value) if parsed[1] == "literal" else _written(value)
    return _MarkedPart(written, value, start, end)


def _holders(value: Any, mark: str) -> Iterator[JsonObject]:
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
        rest = {key: one for key, one in value.items() if not _is(one, mark)}
        if len(rest) < len(value):
            yield rest
            return
        for key, one in value.items():
            if isinstance(one, dict) and _is(key, mark):
                yield one
                return
            yield from _holders(one, mark)


def _is(value: Any, mark: str) -> bool:
    value = _single(value)
    return isinstance(value, str) and value.strip(" .。*`<>[]\"'").casefold() == mark


def _without_mark(value: JsonObject) -> JsonObject:
    return {key: one for key, one in value.items() if plain(str(key)) not in KEYS}


def _lifted(places: list[Any], asked: JsonSchema, *, free: bool) -> JsonObject:
    """The first object with the values that were asked for from the objects in it, or
    in the other places; only below keys that give them as the reply's own.
    """
    value = _renamed(places[0], asked, free=free)
    for around in places:
        inner = [_renamed(one, asked, free=free) for one in _inner(around, free=free)]
        found = {
            name: [one[name] for one in inner if name in one]
            for name in asked.keys() - value.keys()
        }
        if any(found.values()) and all(len(given) < 2 for given in found.values()):
            reasons = [one for one in inner if "reason" in one and value is not one]
            given = {name: one[0] for name, one in found.items() if one}
            kept = {key: one for key, one in value.items() if key in (*asked, "reason")}
            return (reasons[0] if reasons else {}) | kept | given
    return value


def _check_names(value: JsonObject, asked: JsonSchema) -> None:
    """Raises: Doubt if an unknown key may be a missing one."""
    lacks = [name for name in asked.keys() - value.keys() if decides(asked[name])]
    if lacks and any(
        named(str(key), tuple(asked)) is None and not _holds_more(one)
        for key, one in value.items()
    ):
        raise Doubt(f"the object has no `{lacks[0]}`, and has an unknown key")


def _renamed(value: JsonObject, asked: JsonSchema, *, free: bool) -> JsonObject:
    """The object with its keys renamed to those of the schema.

    If the request contains a value, an unknown key can mean that the values are quoted.
    """
    names = tuple(asked)
    chosen = [name for name, spec in asked.items() if decides(spec)]
    given = {
        key: None if _holds_more(one) else named(str(key), names)
        for key, one in value.items()
    }
    for key in value:
        more = _holds_more(value[key])
        if (
            given[key] is None
            and len(chosen) == 1
            and is_verdict(str(key))
            and not more
        ):
            given[key] = chosen[0]
        if given[key] is None and not more and not free:
            return value
    made: JsonObject = {}
    for key, one in value.items():
        name = given[key]
        only = list(given.values()).count(name) == 1
        made[name if name in (*names, "reason") and only else key] = one
    return made


def _holds_more(value: Any) -> bool:
    """True for an object with several values, also in a text."""
    if isinstance(value, str):
        return value.lstrip()[:1] == "{"
    return isinstance(value, dict) and _single(value) is value


def _inner(value: Any, *, free: bool) -> Iterator[JsonObject]:
    """The objects in an object or a list, below keys that announce them."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        value = (undoubted(parse, value.strip()) or ("",))[0]
    if isinstance(value, list):
        for one in value:
            yield from _inner(one, free=free)
    elif isinstance(value, dict) and value.keys() in _PAIRS:
        yield {str(value.get("key", value.get("name"))): value["value"]}
    elif isinstance(value, dict) and _single(value) is value:
        yield value
        for key, one in value.items():
            known = announces(str(key)) or plain(str(key)) in _HOLDERS
            if known or (free and not _OTHERS.search(str(key))):
                yield from _inner(one, free=free)


def _unwrapped(value: JsonObject) -> JsonObject:
    """The object in an object whose only key announces one's own, such as `verdict`.

    Raises: Doubt for any other key, such as `quoted`.
    """
    if len(value) != 1:
        return value
    key, one = next(iter(value.items()))
    if not isinstance(one, dict) or _single(one) is not one:
        return value
    if not announces(str(key)):
        raise Doubt("the key of the object does not present it as the reply")
    return _unwrapped(one)


def _in_lines_or_prose(
    text: str, mark: str, schema: JsonSchema, sent: Iterable[str], *, free: bool
) -> dict[str, object] | None:
    """The values next to the mark; where its lines lack one, those of the prose.

    Raises: Doubt if they differ.
    """
    lines = _in_lines(text, mark, schema, free=free)
    if lines is not None:
        others = [key for key in lines if not key.isascii()]
        if len(_asked(schema).keys() - lines.keys()) <= len(others):
            if any(lines.get(name) for name in REASON_KEYS):
                _check_sent(lines, sent)
            return lines
    prose = _in_prose(text, mark, schema, free=free)
    if prose is None:
        lacks = _asked(schema).keys() - (lines or {}).keys()
        if lines and any(names_member(text, _asked(schema)[name]) for name in lacks):
            raise Doubt("a value may be under an unknown key")
        return lines
    if any(prose.get(name, line) != str(line) for name, line in (lines or {}).items()):
        raise Doubt("the reply states two different results")
    _check_sent(prose, sent)
    if any(
        states(version, prose, _asked(schema))
        for text in sent
        for version in versions(text)
    ):
        raise Doubt("the object is a copy of text in the prompt")
    return (lines or {}) | prose


def _in_lines(
    text: str, mark: str, schema: JsonSchema, *, free: bool
) -> dict[str, object] | None:
    """The YAML, list, table or tags that carry the mark, as an object; None if none
    do.
    """
    text = as_pairs(text, mark)
    blocks = fences(text)
    at = text.casefold().index(mark)
    block = next((block for block in blocks if block.start <= at < block.end), None)
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
    if disowned(
        text,
        first,
        last,
        marked=True,
    ) or _headed(text[:first], found.value):
        raise Doubt("the object with the mark seems to be a quotation")
    value = _on_scale(found.value, schema, free=free)
    _check_prose(text, first, last, value, schema)
    return value


_MARKUP = re.compile(r"<[^<>\n]{1,80}>|\\\w{1,20}\{[^{}\n]{0,40}\}")


def _headed(before: str, value: Mapping[str, object]) -> bool:
    """True if a heading, as a line or as a key without a value, leads up to lines and
    does not give them as the reply's own.
    """
    first = next(iter(value))
    clause, label = leading(_MARKUP.sub("", before))
    heads = [clause] if label else []
    heads += [first] if not first.isascii() and value[first] == "" else []
    return any(head and not announces(head) and not OWN.search(head) for head in heads)


def _check_prose(
    text: str, start: int, end: int, value: Mapping[Any, Any], schema: JsonSchema
) -> None:
    """Raises: Doubt if the prose gives a key another value than the lines or the object
    between these places do. What is before a correction no longer counts.
    """
    corrected = [0, *(one.end() for one in _FINAL.finditer(text, 0, start))][-1]
    for prose in (text[corrected:start], text[end:]):
        if contradicts(_without_objects(prose), value, _asked(schema)):
            raise Doubt("the text of the reply contradicts its object")


def _without_objects(text: str) -> str:
    for start, end in list(slices(text)):
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _blanked(text: str, blocks: Iterable[Fence]) -> str:
    """The text with spaces for its fenced blocks, so that all places stay."""
    for block in blocks:
        inside = re.sub(r"[^\n]", " ", text[block.start : block.end])
        text = text[: block.start] + inside + text[block.end :]
    return text


# ----------------------------------------------------------------- without the mark


def _whole(text: str, mark: str, schema: JsonSchema, sent: list[str]) -> str:
    """A reply that is the object, or its only fence, and nothing else.

    Raises: Doubt if it is more, or if what it says was sent.
    """
    body = _without_heading(text)
    if body is not text:
        found = _whole(body, mark, schema, sent)
        if found[:1] in ("{", "["):
            return _fenced(found)
        return found
    inner, fenced = _only_fence(text)
    if inner[:1] in ("{", "[", "("):
        return _whole_object(text, inner, mark, sent, fenced=fenced)
    if inner[:1] == '"' and isinstance((undoubted(parse, inner) or (None,))[0], str):
        return text
    if len(inner) <= _SHORT and "\n" not in inner and "{" not in inner:
        return _single_value(inner, schema, sent)
    if "{" not in inner and _lists(schema) and _is_list(inner):
        return text
    raise Doubt(_MORE)


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


def _whole_object(
    text: str, inner: str, mark: str, sent: list[str], *, fenced: bool
) -> str:
    parsed = parse(_uncommented(inner))
    if parsed is None:
        return _whole_pieces(text, inner, sent)
    value = parsed[0]
    if not isinstance(value, dict):
        _check_sent(value, sent)
        return text
    given = _without_mark(value)
    others = [str(value[key]).casefold() for key in value.keys() - given.keys()]
    if any(
        len(other) > 3 and distance(other, mark) > _TYPING_ERRORS for other in others
    ):
        raise Doubt("the object has a different mark")
    for one in (value, given):
        _check_sent(one, sent)
    if translated(given, sent, _objects):
        raise Doubt("the object may be a translation of text in the prompt")
    opened = _unwrapped(given)
    if opened is not given:
        return _fenced(_written(opened))
    written = str(given) if parsed[1] == "literal" else _written(given)
    if len(given) == len(value) and inner == _uncommented(inner):
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
        raise Doubt(_MORE)
    for start, end in places:
        piece = inner[start:end]
        parsed = parse(piece)
        value = parsed[0] if parsed is not None else repaired(piece)
        if value is not None:
            _check_sent(value, sent)
    return text


def _objects(text: str) -> Iterator[JsonObject]:
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
    """For a text with too many objects: all that contain no other one."""
    return [found.span() for found in _FLAT.finditer(text)]


def _single_value(text: str, schema: JsonSchema, sent: Iterable[str]) -> str:
    """A reply of one value: as it is, or as an object where only one number is asked
    for.

    Raises: Doubt for a number that was sent in an object, or with its name.
    """
    asked = _asked(schema)
    number = only_number(text, asked)
    if number is None:
        return text
    if not text.strip(" *_`.。")[0].isdigit() and quoted(text.strip(" *_`.。"), sent):
        raise Doubt("the object is a copy of text in the prompt")
    value = dict.fromkeys(asked, float(number))
    _check_sent(value, sent)
    return _fenced(_written(value))


def _lists(schema: JsonSchema) -> bool:
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
    """An object with full-width colons and commas between its texts as JSON has
    them.
    """
    piece = piece.translate(_DIGITS)
    if '"' not in piece:
        piece = re.sub("[“”]", '"', piece)
    if '"' not in piece:
        piece = re.sub(r"(?<=[{,:\s])‘|’(?=\s?[,:}])", '"', piece)
    piece = re.sub(r'(?<=")\s?：', ":", piece)
    return re.sub(r'(?<=["\d\]el])\s?，(?=\s?")', ",", piece)


def _uncommented(piece: str) -> str:
    """An object without comments and commas at its end, which JSON does not have."""
    if undoubted(parse, piece) is not None:
        return piece
    for _ in range(2):
        piece = _COMMENT.sub(_kept, piece)
    return piece


def _kept(found: re.Match[str]) -> str:
    """What stays of a text, a comment or commas in a row."""
    if found["comma"] and found.string[found.end() : found.end() + 1] not in ("}", "]"):
        return ","
    return found["text"] or ""


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _fenced(text: str) -> str:
    """An object that was in other text, for the readers, which then say `sliced`."""
    return f"```json\n{text}\n```"
