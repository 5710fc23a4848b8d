"""What a question says of its answer: the choices that it offers, the unit that it asks
for, whether yes or no answers it, and the words that a reply repeats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...texts.patterns import lazy
from ..reading.numerals import listed
from .quantities import Quantity, agree, numerals_in, plain, whole
from .sentences import sentences, unsure
from .units import CURRENCIES, NO_UNIT, converted, table

LONGEST = 1000
"""Characters of a question that are read: its end."""


class AskedQuestion(NamedTuple):
    """What a question says of its answer.

    `words`: what it speaks of, as `stems` has it; `choices`: the texts that it offers,
    by their letters, or by their places (`0`, `1`) in `Gold or silver?`; `unit`: of the
    number that it asks for; `closed`: yes or no is an answer; `text`: the question made
    plain; `unordered`: the order of a list says nothing; `person`: it asks who; `kind`:
    `river` of `Which river?`.
    """

    words: tuple[str, ...] = ()
    choices: dict[str, str] = {}
    unit: str = ""
    closed: bool = False
    text: str = ""
    unordered: bool = False
    person: bool = False
    kind: str = ""

    def speaks_of(self, word: str) -> bool:
        """Whether a word of a reply is one of the question, or a form of one."""
        return word in self.words or any(
            len(word) > 3 < len(one) and (word.startswith(one) or one.startswith(word))
            for one in self.words
        )


_MARK = lazy(
    r"(?<![\w'])[(（]?(?:(?P<letter>[A-Ha-h①-⑧1-8])[)）.、:：]\s*"
    r"|(?P<bare>[A-H①-⑧])(?:\s(?=[^\s=])|(?<=[①-⑧])))"
)
_EITHER = lazy(
    r"(?:[,:;]\s|^(?:do|does|did|is|are|was|were)\s)(?:is\s|a\s|the\s)*"
    r"(?P<one>[^,:;?]{1,40}?),?\sor\s(?:is\s|a\s|the\s)*(?P<two>[^,:;?]{1,40}?)"
    r"(?=\?|$|\s(?:[a-z]+\s)?[a-z]+er\b)"
    r"|(?:^|[,，:：])(?P<han>[^,，:：?？]{1,8}?)(?:还是(?P<other>[^,，:：?？]{1,8}?)[?？]"
    r"|[和与](?P<more>[^,，:：?？]{1,8}?)(?:谁|哪个?)更?[^,，?？]{1,4}[?？])",
    re.IGNORECASE,
)
_CLOSED = lazy(
    r"(?:.*[,，.]\s*)?(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would"
    r"|should|must)\s.*|.*(?:吗|是否|能否|是不是).*",
    re.IGNORECASE | re.DOTALL,
)
_UNIT = lazy(
    r"\bhow many\s(?P<many>(?!(?:of|more|now|left|times|things)\b)[a-z]+)"
    r"|\bin\s(?P<unit>[a-z]+)\W*$|(?:多少|几)(?:(?P<thing>个[\u3400-\u9fff]{1,3})(?=[?？]|$)"
    r"|(?P<han>[\u3400-\u9fff]{1,3}))"
    r"|\b(?P<old>how old)\b|\b(?P<share>percent(?:age)?\b|百分)",
    re.IGNORECASE,
)


_UNORDERED = lazy(
    r"(?!.*(?:\border|\bsort|sequence|ascend|descend|rank|coordinate|vertex|point"
    r"|顺序|排))"
    r"(?:.*\b(?:name|list|which|who|what)\b|.*(?:哪|列|说出|写出))",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_WHO = lazy(r"\bwho(?:m|se)?\b", re.IGNORECASE)


_KIND = lazy(
    r"\b(?:which|what)\s(?:(?:kind|type|sort|breed|form|part)s?\sof\s)?"
    r"(?P<one>(?!is\b|are\b|was\b|were\b|does\b|do\b|did\b|of\b)[a-z]+)"
    r"|(?:哪|什么|几)(?:一?[个条座位种部片])?(?P<han>[省市县州国河江山湖海岛])",
    re.IGNORECASE,
)


def _kind(text: str) -> str:
    match = _KIND.search(text)
    return (match["one"] or match["han"]).casefold() if match else ""


@lru_cache(maxsize=256)
def read(question: str) -> AskedQuestion:
    """What a question says of its answer; nothing of an empty one."""
    text = plain(question[-LONGEST:])
    if not text.strip():
        return AskedQuestion()
    choices = _choices(question[-LONGEST:])
    closed = not choices and _CLOSED.fullmatch(text.strip()) is not None
    return AskedQuestion(
        tuple(stems(text)),
        choices,
        _unit(text),
        closed,
        text,
        _UNORDERED.match(text) is not None,
        _ASKS_WHO.search(text) is not None,
        _kind(text),
    )


def _choices(text: str) -> dict[str, str]:
    marks: list[re.Match[str]] = []
    for mark in _MARK.finditer(text):
        letter = (mark["letter"] or mark["bare"]).casefold()
        if letter in "a1①" or (marks and ord(letter) == ord(_letter(marks[-1])) + 1):
            marks = [*(marks if letter not in "a1①" else ()), mark]
    if len(marks) > 1:
        stops = [*(mark.start() for mark in marks[1:]), len(text)]
        return {
            _letter(mark): _CHOICE_END.sub("", text[mark.end() : stop])
            for mark, stop in zip(marks, stops, strict=True)
        }
    match = _EITHER.search(text)
    if match is None:
        return {}
    pair = (
        (match["one"], match["two"])
        if match["one"]
        else (match["han"], match["other"] or match["more"])
    )
    return {str(place): one.strip() for place, one in enumerate(pair)}


_CHOICE_END = lazy(
    r"[\s,;.，；。、?？]*(?:\s(?:and|or))?\s*(?:[(（][^()（）]*[)）])?[\s.?？]*$"
)


def _letter(mark: re.Match[str]) -> str:
    return str(mark["letter"] or mark["bare"]).casefold()


def _unit(text: str) -> str:
    match = _UNIT.search(text)
    if match is None:
        return ""
    if match["old"]:
        return "years"
    if match["share"]:
        return "%"
    unit = match["thing"] or match["many"] or match["unit"] or match["han"] or ""
    for end in range(len(unit), 0, -1) if match["han"] else (len(unit),):
        measured = whole(f"2 {unit[:end]}")
        known = measured and (
            converted(measured.unit[0]) or measured.unit[0] in CURRENCIES.values()
        )
        if known or (measured and (match["many"] or match["thing"])):
            return unit[:end]
    return ""


JOINT = lazy(
    r"(?:(?<![.!?;:,—–])[.!?;:,—–]++|\s[-–—])\s++"
    r"(?:(?:and|but|then|so|while|whereas|although|though|yet)\s)?"
    r"|\s(?:and|but|while|whereas|although|though|because|after|before|that|who"
    r"|which|whom|whose|where)\s(?=\S+\s\S)"
    r"|[，；。：、\n]|[,;:](?=[\u3400-\u9fff])|\s[(（]|[)）]"
)
"""Between two clauses of a plain text."""

# ------------------------------------------------------------------ words

_WORD = lazy(r"(?:(?![\u3400-\u9fff])[^\W\d_])+|\d+|[\u3400-\u9fff]")
SAY_NOTHING = frozenset(
    listed(
        """
    a an the of in on at to for from by with as and or is are was were be been do does
    did
    has have had can could will would which what who whom whose when where why how it he
    she they this that these those there its his her their my our your i we you one
    many much name number answer question option choice according following text
    passage article story not yet"""
    )
)
_IRREGULAR = table(
    """won=win wrote=write written=write sank=sink began=begin begun=begin fell=fall
    built=build born=birth died=death die=death dies=death sold=sell made=make led=lead
    held=hold sang=sing sung=sing spoke=speak spoken=speak found=find got=get went=go
    gone=go ran=run came=come gave=give given=give took=take taken=take left=leave
    paid=pay bought=buy lost=lose met=meet knew=know known=know grew=grow drew=draw
    flew=fly tall=height high=height heavy=weight weighs=weight long=length old=age
    fast=speed cost=price far=distance"""
)


_SHORTENED = lazy(r"\w{1,9}n['’]t\b|['’][a-z]{1,2}\b")


def stems(text: str) -> Iterator[str]:
    """The words of a text that say something, each cut to what its forms share; Chinese
    by pairs of characters."""
    han = ""
    for found in _WORD.finditer(_SHORTENED.sub("", text.casefold())):
        word = found[0]
        if word >= "\u3400":
            if han:
                yield han + word
            han = word
            continue
        han = ""
        if word not in SAY_NOTHING:
            word = _IRREGULAR.get(word, word)
            for end in ("ing", "ed", "es", "s", "e"):
                if (
                    len(word) > len(end) + 2
                    and word.endswith(end)
                    and not (end == "s" and word.endswith("ss"))
                ):
                    word = word[: -len(end)]
                    break
            yield word


# --------------------------------------------------------------- the part that answers

_KEYS = frozenset(listed("answer final result value 答案 结果"))
_TAG = lazy(
    r"<([^\W\d][\w-]{0,40})(?:\s[^<>=]{0,50}=[\"']([^<>\"']{0,50})[\"'])?>"
    r"([^<>]{1,200})</\1>"
)
_FIELD = lazy(
    r"^[ >*_#-]*+(?P<key>[^\W\d][^:：\n|*_]{0,40}?)[*_]*\s?[:：]"
    r"[*_]*\s?(?P<text>\S.{0,200})$",
    re.MULTILINE,
)


def part(text: str, asked: AskedQuestion) -> str:
    """The field that a question asks for of an object, a list of tags or of labelled
    lines; the text itself where it has none."""
    bare = text.strip().removeprefix("```json").strip("`\n ")
    head = _HEADING.match(bare)
    if head is not None and asked.words and head[1].count(" ") < 4:
        rest = set(stems(plain(head[1]))) - {*asked.words}
        if rest and not _PARTS.search(head[1]):
            return head[1]
    if not asked.words or bare[:1] not in "{<*#-" + bare[:1] * ("\n" in bare):
        return text
    fields: Sequence[tuple[str, object]] = ()
    if bare[:1] == "{":
        try:
            fields = list(json.loads(bare).items())
        except (ValueError, RecursionError, AttributeError):
            return part(bare.replace("'", '"'), asked) if "'" in bare else text
    elif bare[:1] == "<":
        fields = [
            (tag[1], f"{tag[3]} {tag[2] or ''}" if whole(tag[3]) else tag[3])
            for tag in _TAG.finditer(bare)
        ]
    else:
        fields = [(one["key"], one["text"]) for one in _FIELD.finditer(bare)]
        if len(fields) != len(bare.splitlines()) - bare.count("\n\n"):
            return text
    return _field(fields, asked) or text


_HEADING = lazy(r"(?:#{1,6}\s+|\*\*)([^\n*:：]{1,60}?)(?:\*\*)?\s*\n\s*\n(?=[^\n])")
_PARTS = lazy(
    r"\b(?:step|solution|explanation|analysis|reasoning|working|overview|summary|result"
    r"|conclusion|background|context|note|calculation|given)|[解步分析过程结论]",
    re.IGNORECASE,
)


def _field(fields: Sequence[tuple[str, object]], asked: AskedQuestion) -> str | None:
    inner = [
        more
        for _, value in fields
        if isinstance(value, dict)
        for more in value.items()
        if more[0].casefold() in _KEYS
    ]
    ranked: dict[int, list[str]] = {}
    for key, value in (*fields, *inner):
        shown = _shown(value)
        words = set(stems(key.replace("_", " ")))
        if shown is None or (asked.unit and not any(map(str.isdigit, shown))):
            continue
        rank = 9 if key.casefold() in _KEYS else len(words & {*asked.words})
        if rank < 9 and isinstance(value, str) and {*stems(shown)} <= {*asked.words}:
            continue
        ranked.setdefault(rank, []).append(shown)
    best = ranked.get(max(ranked, default=0), [])
    return best[0] if len(best) == 1 else None


def _shown(value: object) -> str | None:
    """A value as text: `31 March 2023` of an object with a day, a month and a year."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        parts = list(map(_shown, value.values()))
        return " ".join(map(str, parts)) if parts and None not in parts else None
    if isinstance(value, list):
        parts = list(map(_shown, value))
        return ", ".join(map(str, parts)) if parts and None not in parts else None
    return str(value) if isinstance(value, str | int | float) else None


# ------------------------------------------------------------- what a question changes

_PLACE = lazy(
    r"(?:it(?:'s| is)\s)?(?:the\s)?"
    r"(?P<place>first|second|third|fourth|former|latter|last)"
    r"(?:\s(?:one|option|choice|answer))?",
    re.IGNORECASE,
)
_PLACES = table("first=0 former=0 second=1 latter=1 third=2 fourth=3 last=-1")


def chosen(answer: str, asked: AskedQuestion) -> str:
    """`silver` of `the latter`, where a question offers `gold or silver`."""
    match = _PLACE.fullmatch(plain(answer).strip(" .*"))
    texts = list(asked.choices.values())
    place = int(_PLACES[match["place"].casefold()]) if match else len(texts)
    return texts[place] if match and place < len(texts) else answer


def without_kind(text: str, asked: AskedQuestion) -> str:
    """`Thames` of `the River Thames`, where a question asks which river."""
    if not asked.kind:
        return text
    bare = plain(text).strip(" .。")
    if not asked.kind.isascii():
        return bare.removesuffix(asked.kind) or text
    match = re.fullmatch(
        rf"(?:the\s)?(?:{asked.kind}\s(?:of\s)?(?P<one>.+)|(?P<two>.+)\s{asked.kind})",
        bare,
        re.IGNORECASE,
    )
    return (match["one"] or match["two"]) if match else text


def with_unit(text: str, asked: AskedQuestion) -> str:
    """`7 years` of `7`, where a question asks how many years."""
    bare = plain(text).strip(" .")
    value = whole(bare) if asked.unit else None
    if value is None or value.unit != NO_UNIT or value.places is None or "%" in bare:
        return text
    if asked.unit == "%":
        return text if " " in bare else f"{bare}%"
    return f"{bare} {asked.unit}"


_PRONOUN = lazy(r"\b(?:it|he|she|they|this|that)\b", re.IGNORECASE)
_HARDLY = lazy(
    r"\b(?:only|hardly|barely|far from|fail\w*|some|few|most|rather|except"
    r"|partly|sometimes|used to|incorrect\w*|un\w+|false\w*)\b",
    re.IGNORECASE,
)


def truth(answer: str, asked: AskedQuestion) -> str:
    """`yes` of a statement that repeats what a question asks, `no` of one that denies
    it; "" where it says neither for certain."""
    if not asked.closed or not asked.words:
        return ""
    if _HARDLY.search(asked.text):
        return ""
    text = plain(answer).strip()
    short = _IDIOM.fullmatch(text.rstrip(" .!。！"))
    if short is not None:
        return "yes" if short["yes"] else "no"
    if _HAN.search(asked.text):
        core, said = (
            _HAN_ASKS.sub("", one)
            for one in (asked.text, re.split("[,，。;]", text)[0])
        )
        bare = re.sub("[不没未非]有?", "", said)
        if len(bare) < 2 or bare not in core:
            return ""
        return "yes" if bare == said else "no"
    if other_event(text, asked):
        return "no"
    clauses = [one for one in JOINT.split(text.rstrip(" .!")) if one]
    for said in (
        *clauses[-1:],
        *(_BUT.split(sentence)[0] for sentence in sentences(text)),
    ):
        if made := _truth_of(said.strip(" .!"), asked):
            return made
    return ""


def _truth_of(said: str, asked: AskedQuestion) -> str:
    words, wanted = [*stems(said)], [*asked.words]
    if _HARDLY.search(said):
        return ""
    if _NO.search(said):
        return "no" if wanted[-1] in words or {*words} <= {*wanted} else ""
    if any(
        _OPPOSITE.sub("", word) != word and _OPPOSITE.sub("", word) in wanted
        for word in words
    ):
        return "no"
    if unsure(said) or ("will" in said.split() and "will" not in asked.text.split()):
        return ""
    if _SO_IT_IS.search(said):
        return "yes"
    subject = _PRONOUN.search(asked.text) is None
    if subject and _PRONOUN.search(said) and len(wanted) > 1:
        wanted = wanted[1:]
    short = {*words} & {*asked.words[subject:]} if len(words) < 3 else ()
    if short and {*words} <= {*asked.words}:
        wanted = [word for word in wanted if word in words]
    rest = iter(words)
    return "yes" if all(word in rest for word in wanted) else ""


_BUT = lazy(r",\s(?:but|al?though|despite|because|since)\s")
_SO_IT_IS = lazy(
    r"\b(?:it|he|she|they)\s(?:is|was|are|were|does|do|did|can|has|have|had)$",
    re.IGNORECASE,
)
_IDIOM = lazy(
    r"(?:(?P<yes>right|sure(?: thing)?|yup|aye|exactly|without (?:a|any) doubt"
    r"|that is the case"
    r"|(?:it|he|she|they) (?:most )?(?:certainly|surely|definitely) "
    r"(?:is|are|was|does|do|did)"
    r"|[会能有可以对行]{1,2}的?|是的|没错|[✅✓✔👍]+)"
    r"|[❌✗✘👎]+|nah|by no means|never|not (?:yet|really|quite|in the least)"
    r"|on the contrary"
    r"|far from it|(?:unfortunately|sadly),? (?:it|he|she|they) \w+n't"
    r"|[无没否]|没有|不[会能行是])",
    re.IGNORECASE,
)
_HAN = lazy(r"[\u3400-\u9fff]")
_HAN_ASKS = lazy(r"[它他她们这那]|吗|[^\w]|是的|的确|确实")
_NO = lazy(
    r"\b(?:not|never|cannot|no(?!\s(?:doubt|question|wonder|problem)))\b|n't\b",
    re.IGNORECASE,
)


def as_truth(text: str, asked: AskedQuestion) -> str:
    """`yes` of `valid` and `no` of `invalid`, to a question whether it is valid."""
    if not asked.closed:
        return text
    if _HAN.search(text):
        return "no" if _HAN_NO.match(text) else "yes" if len(text) < 3 else text
    words = [*stems(text)]
    if not asked.words or len(words) != 1:
        return text
    if words[0] == asked.words[-1]:
        return "yes"
    bare = _OPPOSITE.sub("", words[0])
    return "no" if bare != words[0] and bare in asked.words[-1:] else text


_HAN_NO = lazy(r"[不没无否非错假]")
_OPPOSITE = lazy(r"^(?:un|im|in|ir|il|non|dis)")


def outdoes(answer: str, mine: str, other: str, asked: AskedQuestion) -> bool:
    """`Gold is heavier than silver.`, where a question asks which is heavier."""
    text = (JOINT.split(plain(answer).strip(" .。!")) or [""])[-1]
    one, two = re.escape(mine), re.escape(other)
    found = re.fullmatch(
        rf"\W*(?:[a-z]+\s){{0,3}}{one}\b(?P<said>[^.;,]{{1,60}}?)\b(?:the\s)?{two}\W*"
        rf"|.{{0,6}}{one}比{two}(?P<han>[^，。]{{1,4}})。?",
        text,
        re.IGNORECASE,
    )
    if found is None or unsure(text.replace("than", "")):
        return False
    if found["han"]:
        return any(sign in "".join(asked.words) for sign in found["han"][:2])
    match = _THAN.search(found["said"])
    if match is None:
        return False
    return match[1] is None or {*stems(match[1])} <= {*asked.words}


_THAN = lazy(
    r"\s(\w+(?:\s(?!than)\w+)?) than\s|^\s(?:>|beat|beats|defeat\w*|outlived?s?)\s",
    re.IGNORECASE,
)


def counts(answer: str, accepted: Iterable[str], asked: AskedQuestion) -> bool:
    """Whether all that the last sentence counts in an accepted unit is the accepted
    number: `120 minutes, or two hours`. Numbers of the question say nothing."""
    text = plain(answer)
    last = _STOP.split(text.strip(" .。"))[-1]
    given = {one and one.value for _, one, _ in numerals_in(asked.text)}
    quantities: list[Quantity] = []
    for start, quantity, end in numerals_in(last):
        if quantity is None:
            return False
        noun = _NOUN_BEHIND.match(last, end) if quantity.unit == NO_UNIT else None
        whole_one = whole(last[start : noun.end()]) if noun else None
        quantity = whole_one or quantity
        worked = _WORKED.search(last[:start]) or _WORKS.match(last, end)
        if not worked and (quantity.unit != NO_UNIT or quantity.value not in given):
            quantities.append(quantity)
    if unsure(last.replace(" or ", " ")) or _SIGN.search(last):
        return False
    for text in accepted:
        wanted = whole(plain(text))
        if wanted is None or wanted.unit == NO_UNIT:
            continue
        alike = [quantity for quantity in quantities if _comparable(quantity, wanted)]
        if any(one.unit != NO_UNIT for one in alike) and all(
            agree(one, wanted) for one in alike
        ):
            return True
    return False


_STOP = lazy(r"(?<=[.!?])\s+|[。！？\n]")
_NOUN_BEHIND = lazy(
    r"[\s-][a-z]+|个?(?:(?![和与的及])[\u3400-\u9fff]){1,4}", re.IGNORECASE
)
_WORKED = lazy(r"[+*×/÷-]\s?$")
_WORKS = lazy(r"\s?[+*×/÷=-]")
_SIGN = lazy(
    r"[<>≤≥±]|\b(?:over|under|least|most|more|fewer|about|times|each|every"
    r"|before|after|since|ago|until)\b|[每前后]"
)


def _comparable(quantity: Quantity, other: Quantity) -> bool:
    """Whether both are of one kind; a bare number may be of any."""
    first, second = converted(quantity.unit[0]), converted(other.unit[0])
    return (
        NO_UNIT in (quantity.unit, other.unit)
        or quantity.unit == other.unit
        or (first is not None and second is not None and first[0] == second[0])
    )


_EVENTS = table(
    """open=open clos=close shut=close begin=begin start=begin launch=begin found=begin
    end=end finish=end bear=bear birth=bear death=die announc=announce
    sign=sign publish=publish arriv=arrive leav=leave depart=leave marri=marry
    marry=marry
    invent=invent discover=discover elect=elect reign=reign
    land=land pass=pass fail=fail win=win los=lose lose=lose rise=rise fall=fall
    increas=rise
    decreas=fall buy=buy sell=sell"""
)


def other_event(text: str, asked: AskedQuestion) -> bool:
    """Whether a text tells of another event than a question asks for: `It closed.`"""
    wanted, said = (
        {_EVENTS[word] for word in words if word in _EVENTS}
        for words in (asked.words, stems(text))
    )
    others = _OTHERS.match(text)
    if others is not None and not {*stems(others[1])} & {*asked.words}:
        return next(stems(others[1]), None) is not None
    return bool(wanted and said) and not wanted & said


_OTHERS = lazy(
    r"(?:his|her|its|their)\s(\w+)\s(?:is|was|are|were|has|had)\b", re.IGNORECASE
)
