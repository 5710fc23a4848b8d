"""Says whether an object was sent to a model already, also encoded or under other
keys.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote

from .fields import Doubt, JsonObject, skeleton
from .places import plain

DEPTH = 2
"""How many encodings may lie one in another."""
MOST_VERSIONS = 60
"""Most decoded versions of one text."""
LEAST_REASON = 8
"""Letters and digits of a reason that nobody writes twice by chance."""
AROUND = 400
"""Letters and digits on both sides of a reason that contains an object."""

_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһкмтвгАЕОРСУХІЈЅКМТВНαοειρυχνκτηАΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhkmtbrAEOPCYXIJSKMTBHaoeipuxvktnABEZHIKMNOPTYX",
)
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_TAGS = re.compile("[\U000e0020-\U000e007e]")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}(?:\s[A-Za-z0-9+/_-]{16,})*={0,2}")
_HEX = re.compile(r"(?:(?:0x|\\x|\\u00)?[0-9a-fA-F]{2}[\s:,-]{0,2}){12,}")
_BASE32 = re.compile(r"\b[A-Z2-7]{24,}={0,6}")
_CODES = re.compile(r"(?:\b\d{2,8}\b[\s,;-]{1,2}){12,}\d{2,8}\b")
_HEX_SIGNS = re.compile(r"0x|\\x|\\u00|[\s:,-]")

_WORDS = {
    **dict.fromkeys(("true", "yes", "y", "是", "有", "对", "真"), "yes"),
    **dict.fromkeys(("false", "no", "n", "否", "没有", "不", "假"), "no"),
    **dict.fromkeys(("affirmative", "aff", "pro", "正方"), "affirmative"),
    **dict.fromkeys(("negative", "neg", "con", "反方"), "negative"),
    **dict.fromkeys(("none", "null", "na", "无"), ""),
}
"""Words that say the same, by what they are compared as."""


def already_sent(
    value: Any,
    sent: Iterable[str],
    objects: Callable[[str], Iterator[Any]],
) -> bool:
    """True if one of the texts holds an object with all values of this one.

    `objects` finds the objects in a text; lines `key: value` are one, too. Keys are not
    compared. Where a text had to be decoded, its reason with the other values around is
    enough. In plain words it is not: judges copy what a debater has said well.
    """
    wanted = Counter(_leaves(value))
    if not wanted:
        return False
    for text in sent:
        known = _known(text, objects)
        if not (known.objects or known.cut or known.signs):
            continue
        if any(_same(wanted, found) for found in known.objects):
            return True
        if any(_continued(wanted, cut) for cut in known.cut):
            return True
        if isinstance(value, dict) and any(_told(value, sign) for sign in known.signs):
            return True
    return False


def translated(
    value: Mapping[Any, Any],
    sent: Iterable[str],
    objects: Callable[[str], Iterator[Any]],
) -> bool:
    """True if one of the texts holds an object with as many values as this one and the
    same digits, and with none of its keys: this one may be its translation.
    """
    keys = set(map(plain, map(str, value)))
    for text in sent:
        for other in objects(text):
            if (
                len(other) == len(value)
                and keys.isdisjoint(map(plain, map(str, other)))
                and _digits(other) == _digits(value)
            ):
                return True
    return False


def _digits(value: Any) -> list[str]:
    return sorted(
        re.findall(r"\d+", json.dumps(value, default=str, ensure_ascii=False))
    )


class _DecodedText(NamedTuple):
    """A text that was sent, decoded in all ways."""

    objects: list[Counter[str]]
    """The values of every object in it."""
    signs: list[str]
    """The letters and digits of every version of it that had to be decoded."""
    cut: list[list[str]]
    """The texts of every object in it that is cut off, as it is compared."""


@lru_cache(maxsize=256)
def _known(text: str, objects: Callable[[str], Iterator[Any]]) -> _DecodedText:
    made = versions(text)
    found = [Counter(_leaves(value)) for one in made for value in objects(one)]
    found += [
        run
        for place, one in enumerate(made)
        for run in _runs(one)
        if place or run.total() > 1 or any(len(leaf) >= LEAST_REASON for leaf in run)
    ]
    signs = [plain(_seen(_joined_lookalikes(one))) for one in made[1:]]
    return _DecodedText(found, signs, [cut for one in made if (cut := _cut_off(one))])


_TEXT = re.compile(r"[:：]\s{0,4}[\"“](?P<text>[^\"“”\\]{1,2000})")


def _cut_off(text: str) -> list[str]:
    """The texts in an object that the text begins and does not end."""
    start = text.rfind("{")
    if start < 0 or "}" in text[start:]:
        return []
    return [_leaf(found["text"]) for found in _TEXT.finditer(text, start)]


def _continued(wanted: Counter[str], cut: list[str]) -> bool:
    """True if an object has all texts of one that was cut off, the last one perhaps
    whole.
    """
    *whole, last = cut
    return (
        max(map(len, cut)) >= LEAST_REASON
        and all(one in wanted for one in whole)
        and any(one.startswith(last) for one in wanted)
    )


_PAIR = re.compile(
    r"[ \t]{0,20}(?:[-*+•|][ \t]{0,4}|\d{1,2}[.)、][ \t]{0,4})?[*_`\"'“]{0,3}"
    r"[^\W\d][\w -]{0,30}[*_`\"'”]{0,3}[ \t]{0,4}(?:[:：=＝|]|->|→)(?P<value>[^\n]*)"
)


def _runs(text: str) -> Iterator[Counter[str]]:
    """The values of every run of lines `key: value`."""
    run: Counter[str] = Counter()
    for line in (*text.splitlines(), ""):
        pair = _PAIR.match(line)
        if pair is not None:
            value = pair["value"].strip(" \t*_`|\"'“”,，")
            run.update(_leaves(value))
        elif run:
            yield run
            run = Counter()


def versions(text: str) -> tuple[str, ...]:
    """A text as it is and decoded in every way that changes it, the plain one first."""
    found = {text: None}
    last = [text]
    for _ in range(DEPTH):
        last = [made for one in last for made in _decoded(one) if made not in found]
        found |= dict.fromkeys(last)
        if len(found) > MOST_VERSIONS:
            break
    return tuple(found)[:MOST_VERSIONS]


def _decoded(text: str) -> Iterator[str]:
    """The text with every encoding undone that can be in it, one at a time."""
    for undo in _UNDONE:
        made = undo(text)
        if made and made != text:
            yield made


def _joined_lookalikes(text: str) -> str:
    return text.translate(_LOOKALIKES)


def _seen(text: str) -> str:
    return _UNSEEN.sub("", text)


def _tagged(text: str) -> str:
    return "".join(chr(ord(sign) - 0xE0000) for sign in _TAGS.findall(text))


def _base64_in(text: str) -> str:
    return "\n".join(filter(None, map(_of_base64, _BASE64.findall(text))))


def _of_base64(run: str) -> str:
    signs = (
        re.sub(
            r"\s",
            "",
            run,
        )
        .rstrip("=")
        .replace("-", "+")
        .replace("_", "/")
    )
    try:
        data = base64.b64decode(signs + "=" * (-len(signs) % 4))
        return data.decode()
    except (binascii.Error, ValueError):
        return ""


def _hex_in(text: str) -> str:
    return "\n".join(filter(None, map(_of_hex, _HEX.findall(text))))


def _of_hex(run: str) -> str:
    try:
        return bytes.fromhex(_HEX_SIGNS.sub("", run)).decode()
    except ValueError:
        return ""


def _base32_in(text: str) -> str:
    return "\n".join(filter(None, map(_of_base32, _BASE32.findall(text))))


def _of_base32(run: str) -> str:
    bare = run.rstrip("=")
    try:
        return base64.b32decode(bare + "=" * (-len(bare) % 8)).decode()
    except (binascii.Error, ValueError):
        return ""


def _codes_in(text: str) -> str:
    """Runs of numbers, binary or decimal, as the signs that they stand for."""
    return "\n".join(filter(None, map(_of_codes, _CODES.findall(text))))


def _of_codes(run: str) -> str:
    codes = re.findall(r"\d+", run)
    base = 2 if all(len(code) >= 7 and not code.strip("01") for code in codes) else 10
    signs = [int(code, base) for code in codes]
    if max(signs) < 0x3000:
        return "".join(map(chr, signs))
    return ""


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    text = re.sub(r"\\x([0-9a-fA-F]{2})", lambda found: chr(int(found[1], 16)), text)
    return re.sub(r"\\([\"'\\/])", r"\1", text)


def _rotated(text: str) -> str:
    rotated = codecs.encode(text, "rot13")
    if _TELLING.search(rotated):
        return rotated
    return text


def _turned_round(text: str) -> str:
    turned = text[::-1]
    if _TELLING.search(turned):
        return turned
    return text


_TELLING = re.compile(
    r"(?i)\{\s*[\"']\w|reason|true|false|answer|grade|score|value|candidates|query|理"
    r"由|答案",
)
"""Words of an object: a text that has none of them when it is decoded was not encoded.
"""


_UNDONE: tuple[Callable[[str], str], ...] = (
    html.unescape,
    unquote,
    _base64_in,
    _hex_in,
    _base32_in,
    _codes_in,
    _unescaped,
    lambda text: unicodedata.normalize("NFKC", text),
    _seen,
    _tagged,
    _joined_lookalikes,
    _turned_round,
    _rotated,
)


def _same(wanted: Counter[str], given: Counter[str]) -> bool:
    """Whether an object has these values and no others, or has them among others.

    Short values such as `true` occur in many objects: among others, they count only
    next to a reason and a mark.
    """
    if not wanted <= given:
        return False
    if any(len(one) >= LEAST_REASON for one in wanted):
        return True
    beside = given - wanted
    reasons = sum(n for one, n in beside.items() if len(one) >= LEAST_REASON)
    return reasons <= 1 and beside.total() - reasons <= 1


def _leaves(value: Any) -> Iterator[str]:
    """Every value in an object, as it is compared; those that say nothing are left
    out.
    """
    if isinstance(value, dict):
        for one in value.values():
            yield from _leaves(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one)
    elif leaf := _leaf(value):
        yield leaf


def _leaf(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        if value:
            return "yes"
        return "no"
    if isinstance(value, int | float):
        return _number(float(value))
    text = str(value).translate(_LOOKALIKES)
    try:
        return _number(float(text))
    except ValueError:
        signs = plain(_seen(text)) or skeleton(text)
        return _WORDS.get(signs, signs)


def _number(value: float) -> str:
    if math.isfinite(value):
        return f"{value:.12g}"
    return ""


def _told(value: JsonObject, signs: str) -> bool:
    """True if a text has the reason word for word, and all other values beside it."""
    reasons = [
        _leaf(one)
        for key, one in value.items()
        if isinstance(one, str) and plain(str(key)) in _REASONS
    ]
    if len(reasons) != 1 or len(reasons[0]) < LEAST_REASON:
        return False
    at = signs.find(reasons[0])
    if at < 0:
        return False
    near = signs[max(at - AROUND, 0) : at + len(reasons[0]) + AROUND]
    others = [leaf for leaf in _leaves(value) if leaf != reasons[0]]
    return all(_written_in(near, other) for other in others)


_REASONS = frozenset(
    ("reason", "reasons", "reasoning", "explanation", "rationale", "理由", "原因")
)


def _written_in(near: str, leaf: str) -> bool:
    words = [word for word, same in _WORDS.items() if same == leaf]
    return any(plain(one) in near for one in (leaf, *words))


def undoubted(read: Callable[[str], Any], piece: str) -> Any:
    """What is read of a piece; None where it is in doubt."""
    try:
        return read(piece)
    except Doubt:
        return None
