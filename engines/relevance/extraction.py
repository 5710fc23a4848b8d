"""Reads the extractor's reply into a list of facts.

It does not guess: two lists, or half a list, are unread.

It reads a JSON array, an object with one list in it under any key (`facts` takes
precedence), the same in a fence or in prose, an array whose facts contain quotation
marks, and lists in plain text, numbered or with bullets. An object may have a second
list, `secondary`, for circumstances of sentencing. A fact that is an object may have
`secondary: true`, and the `span` of the case that it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from ...sessions.events import Read
from ..reading import LARGEST, Unread, bare, in_mode, parse
from ..reading.announcing import announces
from ..reading.contradiction import contradicted
from ..reading.fields import Field
from ..reading.ownership import own
from ..reading.places import plain

MOST = 300
"""Most facts in one reply; with more it is not a list of facts."""
LONGEST = 4_000
"""Most characters of one fact."""
KEYS = ("fact", "text", "content", "事实", "内容")
"""Of an object that stands for one fact."""

_NONE = frozenset(["none", "nofacts", "na", "\u65e0", "\u6ca1\u6709"])
"""Texts of a single list item that mean an empty list."""

SECONDARY = (
    "secondary",
    "secondary facts",
    "secondary_facts",
    "\u91cf\u5211\u60c5\u8282",
    "\u6b21\u8981\u4e8b\u5b9e",
)
"""Of the list of circumstances of sentencing."""


class FactsReading(NamedTuple):
    """The facts of a reply, without duplicates, and how they were read."""

    facts: list[str]
    read: Read
    secondary: frozenset[str] = frozenset()
    """Those of the facts that are circumstances of sentencing."""
    spans: Mapping[str, str] = {}
    """Fact to the words of the case that the reply says it comes from."""


class _Fact(NamedTuple):
    text: str
    secondary: bool = False
    span: str = ""


def read_facts(
    text: str, structured: bool = False, sent: Iterable[str] = ()
) -> FactsReading | Unread:
    """Return the facts of a reply. `structured`: the provider's own schema mode
    produced it.

    `sent`: what the extractor received. A list found in prose is unread if it also
    occurs in `sent`.
    """
    text = bare(text)
    if len(text) > LARGEST:
        return Unread("the reply is too long to be a list of facts")
    try:
        found = _whole(text, structured) or _sliced(text, sent) or _listed(text, sent)
    except ValueError as doubt:
        return Unread(str(doubt))
    return found or Unread("the reply contains no list")


def once(facts: list[str]) -> list[str]:
    """Remove duplicates. Facts that differ only in white space, punctuation, case or
    width are the same; the first is kept.
    """
    made: dict[str, str] = {}
    for fact in facts:
        made.setdefault(plain(fact) or fact, fact)
    return list(made.values())


def _reading(facts: list[_Fact], rung: Read) -> FactsReading:
    secondary = frozenset(one.text for one in facts if one.secondary)
    return FactsReading(
        [one.text for one in facts],
        rung,
        secondary,
        {one.text: one.span for one in facts if one.span},
    )


def _whole(text: str, structured: bool) -> FactsReading | None:
    if not text.startswith(("[", "{", "(")):
        return None
    parsed = parse(text)
    facts = _facts(parsed[0]) if parsed is not None else None
    if parsed is not None and facts is None:
        raise ValueError("the reply contains no list")
    if parsed is None or facts is None:
        return None
    return _reading(facts, in_mode(parsed[1], structured))


def _facts(value: Any) -> list[_Fact] | None:
    """Return the facts of a parsed value; None if it has none.

    Raises: ValueError if an item is not a fact, or there are two lists.
    """
    if isinstance(value, dict):
        beside = [
            key
            for key, one in value.items()
            if str(key).casefold().strip() in SECONDARY and isinstance(one, list)
        ]
        if beside:
            facts = (
                _facts({key: one for key, one in value.items() if key not in beside})
                or []
            )
            return _checked(
                [
                    *facts,
                    *(
                        one._replace(secondary=True)
                        for key in beside
                        for one in _facts(value[key]) or []
                    ),
                ]
            )
        lists = {str(key): one for key, one in value.items() if isinstance(one, list)}
        named = [one for key, one in lists.items() if key.casefold().strip() == "facts"]
        if (
            len(lists) == 1
            and not named
            and len(value) > 1
            and not _lists_facts(next(iter(lists)))
        ):
            raise ValueError("the list in the reply is not labelled as a list of facts")
        if len(lists) == 1 or len(named) == 1:
            return _facts(named[0] if named else next(iter(lists.values())))
        if lists:
            raise ValueError("the reply contains several lists")
        inner = [one for one in value.values() if isinstance(one, dict)]
        if len(value) == 1 and inner:
            return _facts(inner[0])
        return None
    if not isinstance(value, list):
        return None
    if (
        len(value) == 1
        and isinstance(value[0], dict)
        and any(isinstance(one, list) for one in value[0].values())
    ):
        return _facts(value[0])
    return _checked([_fact(one) for one in value])


def _lists_facts(key: str) -> bool:
    """Return True if a key names the requested facts. A key such as `injected_facts`
    names other facts.
    """
    return _LISTING.search(key) is not None and announces(
        _LISTING.sub("list", re.sub(r"facts?|results?", "list", key.casefold()))
    )


def _fact(value: Any) -> _Fact:
    secondary, span = False, ""
    if isinstance(value, dict):
        secondary = value.get("secondary") is True
        span = value["span"] if isinstance(value.get("span"), str) else ""
        texts = [
            one for key, one in value.items() if str(key).casefold().strip() in KEYS
        ]
        value = texts[0] if len(texts) == 1 else None
    if not isinstance(value, str) or (
        value.lstrip()[:1] in ("{", "[")
        and isinstance(_parsed(value.strip()), dict | list)
    ):
        raise ValueError("the list contains an entry that is not a fact")
    return _Fact(value, secondary, span)


def _parsed(text: str) -> Any:
    parsed = parse(text)
    if parsed is not None:
        return parsed[0]
    return None


_LISTING = re.compile(
    r"(?i)fact|item|list|result|\u4e8b\u5b9e|\u8981\u7d20|\u6e05\u5355|\u5217\u8868"
    r"|\u7ed3\u679c",
)


def _checked(facts: Iterable[_Fact]) -> list[_Fact]:
    """Return the facts without duplicates. A fact that is also listed as secondary is
    secondary.
    """
    kept: dict[str, _Fact] = {}
    for fact in facts:
        text = " ".join(fact.text.split())
        if not text:
            continue
        key = plain(text) or text
        first = kept.get(key)
        kept[key] = (
            fact._replace(text=text)
            if first is None
            else first._replace(
                secondary=first.secondary or fact.secondary,
                span=first.span or fact.span,
            )
        )
    if len(kept) == 1 and next(iter(kept)) in _NONE:
        return []
    made = list(kept.values())
    if len(made) > MOST:
        raise ValueError(f"the reply lists more than {MOST} facts")
    if any(len(fact.text) > LONGEST for fact in made):
        raise ValueError("one of the facts is as long as a whole case")
    return made


def _sliced(text: str, sent: Iterable[str]) -> FactsReading | None:
    """Return the one list in a fence or in prose.

    A second list that differs, or a list that breaks off, makes the reply unread.
    """
    found = []
    for start, end in _pieces(text):
        if end is None:
            raise ValueError("the list is cut off")
        piece = text[start:end]
        parsed = parse(piece)
        facts = _facts(parsed[0]) if parsed is not None else None
        if facts is not None and parsed is not None:
            found.append(
                (
                    _reading(facts, "sliced" if parsed[1] == "json" else "literal"),
                    start,
                    end,
                )
            )
            continue
        lines = _by_line(piece) if parsed is None else None
        if lines is not None:
            found.append((_reading(_checked(lines), "repaired"), start, end))
        elif '"' in piece and ("," in piece or "\uff0c" in piece):
            raise ValueError("the list is incomplete")
    if not found:
        return None
    if any(reading.facts != found[0][0].facts for reading, _, _ in found):
        raise ValueError("the reply contains several lists")
    if any(text[one[2] : other[1]].strip() for one, other in pairwise(found)):
        raise ValueError(
            "the reply contains its list twice, with other text in between"
        )
    prose = own(
        text,
        found[0][1],
        found[-1][2],
        sent,
    )
    if _several_items(prose) or contradicted(
        prose, _LISTS, {"facts": "; ".join(found[0][0].facts)}
    ):
        raise ValueError("the reply contains a second list in its other text")
    return found[0][0]


_LISTS = {
    "facts": Field(
        (
            "facts",
            "material facts",
            "legal facts",
            "\u4e8b\u5b9e",
            "\u5b9e\u8d28\u4e8b\u5b9e",
            "\u6cd5\u5f8b\u4e8b\u5b9e",
        ),
        str,
        text=True,
    )
}


def _several_items(prose: str) -> bool:
    """Return True if lines of the prose are a list, numbered or with bullets."""
    return sum(_item(line) is not None for line in prose.splitlines()) > 1


def _pieces(text: str) -> Iterator[tuple[int, int | None]]:
    """Return start and end of the outermost [...] and {...} that look like JSON; no end
    for one that is not closed.
    """
    start = 0
    while match := _OPENING.search(text, start):
        end = _closing(text, match.start())
        yield match.start(), end
        start = end or len(text)


_OPENING = re.compile(r"\[\s*(?:[\[{\"'\u201c]|\]\s*(?:$|\n|`))|\{\s*[\"'\u201c]")


def _closing(text: str, start: int) -> int | None:
    """Return the position after the bracket that closes the one at `start`.

    Brackets between quotation marks do not count.
    """
    depth, quoted, place = 0, False, start
    while place < len(text):
        sign = text[place]
        if quoted:
            if sign == "\\":
                place += 1
            elif sign == '"' and _AFTER_QUOTE.match(text, place + 1):
                quoted = False
        elif sign == '"':
            quoted = True
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
            if not depth:
                return place + 1
        place += 1
    return None


_AFTER_QUOTE = re.compile(r"\s*+(?:[,\]}:\uff0c]|\Z)")
_LINE = re.compile(r'\s*"(.*)"\s*[,\uff0c]?\s*')
_TWO = re.compile(r'"\s*[,\uff0c]\s*"')


_BESIDE = re.compile(
    rf""",\s*"(?:{"|".join(SECONDARY)})"\s*:\s*(?P<list>\[[^\[\]]*\])(?=\s*\}}\s*$)""",
    re.IGNORECASE,
)


def _by_line(piece: str) -> list[_Fact] | None:
    """Return an array with one fact per line, whose facts can contain unescaped
    quotation marks.
    """
    beside = _BESIDE.search(piece)
    if beside is not None:
        first, second = (
            _by_line(piece[: beside.start()] + piece[beside.end() :]),
            _by_line(beside["list"]),
        )
        empty = not beside["list"].strip("[] \t\r\n")
        if first is None or (second is None and not empty):
            return None
        return [*first, *(one._replace(secondary=True) for one in second or [])]
    inside = (
        piece[piece.index("[") + 1 : piece.rindex("]")]
        if "[" in piece and "]" in piece
        else ""
    )
    before = piece[: piece.index("[")] if inside else ""
    if not inside or not re.fullmatch(r"\s*(?:\{\s*\"[^\"]{1,40}\"\s*:\s*)?", before):
        return None
    lines = [line for line in inside.splitlines() if line.strip()]
    matched = [_LINE.fullmatch(line) for line in lines]
    facts = [match[1] for match in matched if match is not None]
    if (
        not facts
        or len(facts) < len(lines)
        or any(_TWO.search(fact) or "\\" in fact for fact in facts)
    ):
        return None
    return [_Fact(fact) for fact in facts]


_CIRCLED = (
    "\u2460\u2461\u2462\u2463\u2464\u2465\u2466\u2467\u2468\u2469\u246a\u246b\u246c"
    "\u246d\u246e\u246f\u2470\u2471\u2472\u2473"
)
_ITEM = re.compile(
    rf"(?P<indent>[^\S\n]*)(?:\**[(\uff08]?(?P<number>\d{{1,"
    rf"3}})(?:[.)\uff09\u3001\uff0e:\uff1a](?!\d))\**"
    rf"|(?P<circled>[{_CIRCLED}])[.\u3001]?"
    r"|[(\uff08](?P<han>[\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d"
    r"\u5341]{1,"
    r"3})[)\uff09]|(?P<bullet>[-*\u2022\u00b7\u25cf\u25cb\u25aa\u2013])(?=\s))"
    r"[^\S\n]*(?P<text>.*)"
)


class _Item(NamedTuple):
    indent: int
    number: int | None
    lines: list[str]

    @property
    def text(self) -> str:
        return " ".join(self.lines)


def _listed(text: str, sent: Iterable[str]) -> FactsReading | None:
    """Return numbered or bulleted lines: one list, its numbers in order.

    A heading between two lists makes the reply unread.
    """
    items: list[_Item] = []
    remark = False
    text = re.sub(r"(?m)^[ \t]*(?:```|~~~)\w*[ \t]*$", "", text)
    begins = ends = place = 0
    for whole in text.splitlines(keepends=True):
        line, place = whole.rstrip("\r\n"), place + len(whole)
        if not line.strip():
            continue
        item = _item(line)
        if item is not None and not items:
            begins = place - len(whole)
        if item is None:
            if items and line[:1].isspace() and not remark:
                items[-1].lines.append(line.strip())
                ends = place
            else:
                remark = bool(items)
        elif remark:
            raise ValueError("the reply contains several lists")
        else:
            items.append(item)
            ends = place
    if not items:
        return None
    if text[:begins].strip() or text[ends:].strip():
        own(
            text,
            begins,
            begins + len(text[begins:ends].rstrip()),
            sent,
        )
    least = min(item.indent for item in items)
    numbers = [item.number for item in items if item.indent == least]
    if any(number is not None for number in numbers) and numbers != list(
        range(1, len(numbers) + 1)
    ):
        raise ValueError("the numbers of the list are not in order")
    facts = [item.text for at, item in enumerate(items) if not _heads(items, at)]
    return _reading(_checked([_Fact(_bare(fact)) for fact in facts]), "sliced")


def _item(line: str) -> _Item | None:
    match = _ITEM.fullmatch(line.rstrip())
    if match is None or not match["text"].strip():
        return None
    number = None
    if match["number"]:
        number = int(match["number"])
    elif match["circled"]:
        number = _CIRCLED.index(match["circled"]) + 1
    return _Item(len(match["indent"].expandtabs(4)), number, [match["text"].strip()])


def _heads(items: list[_Item], at: int) -> bool:
    """Return True if an item only introduces the list below it."""
    below = at + 1 < len(items) and items[at + 1].indent > items[at].indent
    return below and _bare(items[at].text).endswith((":", "\uff1a"))


def _bare(fact: str) -> str:
    """Return the text without Markdown asterisks, and without quotation marks around
    all of it.
    """
    bare = re.sub(r"\*\*(.+?)\*\*", r"\1", fact).strip()
    whole = re.fullmatch(r'"([^"]*)",?|\u201c([^\u201d]*)\u201d', bare)
    if whole:
        return whole[1] or whole[2] or ""
    return bare
