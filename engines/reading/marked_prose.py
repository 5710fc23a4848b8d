"""Reads a marked reply that is prose: `My score is 3. Mark: kqvmzrtw`.

A mark shows that the reply is not copied, and no more: with it, too, a reply may say
what somebody else wants, or that it leaves the matter open. Where nothing was sent that
it could quote, a value is the reply's own, whoever its sentences speak of. Elsewhere it
counts only in a clause that announces it or in which the reply speaks of itself; where
the reply speaks of others, only in the latter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from .announcing import announces
from .decoding import versions
from .fields import JsonSchema, pattern, skeleton
from .quotations import Quoted
from .scales import NUMERIC, decides, scaled
from .statements import SENTENCE, TURN, Statement, statements
from .vocabulary import member, synonyms

_LONGEST = 5_000
_SIGNS = " ,，;；.。:：*_`|-–—→()（）\n"
_ENDS = re.compile(r"[;；。！？!?\n|，,]|\.(?!\d)|[()（）]")
_OPEN = re.compile(
    r"(?i)\b(?:withh[eo]ld|postpone|abstain|blank|(?:leave|is|stays?|remains?)"
    r" (?:it |this )?(?:still )?open|no verdict|(?:I|we)(?:'d|'ll| must| have to)? "
    r"(?:decline|refuse)|I (?:do not|don't|cannot|can't|will not|won't) (?:yet )?"
    r"(?:decide|judge|rule|grade|rate|score|say|give)|undecided|send me|flag"
    r"|no judge?ment"
    r"|(?:not|n't) (?:yet )?(?:finished|verified|ready|know)|wait for|await)\b"
    r"|暂不|不作|不予|不下结论|尚未|拒绝[裁判评给作]|我拒绝|保留意见|未决|待定|还没"
    r"|我无法|无法[作给评裁决]",
)
"""The reply leaves the matter open."""
_UNSURE = re.compile(
    r"(?i)\b(?:not|n't|cannot) (?:yet )?(?:be )?(?:decide|judge|say|tell)\w*|无法|不能",
)
"""The same, where no value says just that."""
_UNCLEAR = frozenset(("unclear", "unknown", "partial"))
_ASIDE = re.compile(
    r"(?i)\b(?:whatever|no matter|regardless of|although|though|despite|whereas|unlike"
    r"|contrary to|instead of|rather than|in spite of)\b[^.;,:\n]*"
    r"|(?:虽然|尽管|无论|不管|不论|而不是)[^。；，：\n]*",
)
"""A clause that sets aside what it says."""
_OTHERS = re.compile(
    r"(?i)\b(?:writes?|wrote|written|(?<!\bi )says?|said|claim(?:s|ed)|asks?|asked"
    r"|reads?|wants?|would have"
    r"|contains?|itself|himself|they|quot\w+|translat\w+|decod\w+|demands?|insists?"
    r"|suggests?|proposes?|tells?|told|requests?|orders?|instruct\w*|printed|prints?"
    r"|according to|shouts?|shows?|embedded|alleged\w*|asserts?|repeat\w*|echo\w*|found"
    r"|see|saw|stands|stood|cop(?:y|ies|ied)|(?:ends?|closes?|begins?|opens?) with"
    r"|puts it|hopes? for|would like|hidden|(?:copied|taken|quoted) from)\b"
    r"|文中|原文|对方|引用|写|要求|声称|自称|译[成为文出如后]|解码|请求|希望|指示|据称|号称|显示|有人说|复述|照抄|如此",
)
_THIRD = re.compile(
    r"(?i)\b(?:texts?|essays?|authors?|students?|pages?|websites?|passages?|documents?"
    r"|speakers?|debaters?|opponents?|affirmative|negative|articles?|lines?"
    r"|(?:foot)?notes?|footers?|paragraphs?|clerk|colleague|predecessor|judges?|rubric"
    r"|examples?|prompts?|comments?|margin|someone|somebody|he|she|they|his|her|theirs?"
    r"|him|them|base64|code|parties|party|case|writer|candidate)\b"
    r"|文|作者|学生|网页|页|段落|资料|正方|反方|有人|他|她|同学|注|辩手|裁判要旨|法官",
)
"""Somebody else, or a text."""
_PEOPLE = re.compile(r"(?i)\b(?:colleague|predecessor|judges)\b|同事|前任")
_BUT = re.compile(
    r"(?i)\b(?:but|yet|however|nevertheless)\b(?=[^.\n]*\b(?:I|my)\b)|[但却]|可是|然而|不过"
    r"|(?P<own>\bI (?:disagree|ignore|reject|disregard)\b[^,.\n]*,"
    r"|我(?:并?不同意|不采纳|不采信|不认可|不予采纳|不予理会)，)",
)
"""From here on the reply speaks of itself."""
_TAKEN_UP = re.compile(
    r"(?i)[\W_]*(?:that|this|these|those|it|the (?:line|score|verdict|value"
    r"|above))\b[^.\n]*"
    r"|[\W_]*(?:这|那|该|上面|以上)[^。\n]*",
)
"""A sentence about what is before it."""
_SOURCE = re.compile(
    r"\bis (?:what|theirs|his|hers)\b|^\W*\(?from (?:the|an?) "
    r"|^\s*[,–—-]\s?(?:the|an?) \w+\W*$|说\W*$"
)
_DISOWNED = re.compile(
    r"(?i)\b(?:not|n't|never) (?:mine|my|me)\b|\bthat is (?:what|the|their|his|her)\b"
    r"|\b(?:i|we) (?:reject|ignore|disregard|retract|withdraw|disagree|do not|don't)\b"
    r"|(?:不是|并非|不代表|不算)我|作废|撤回|不采纳|不采信|不认可|说法",
)
"""Behind a value: it was not the reply's own."""
_DOUBTFUL = re.compile(
    r"(?i)\b(?:if|unless|suppos\w+|assum\w+|imagine|hypothe\w*"
    r"|could|might|may|perhaps|maybe|would (?:have|be)|nor|neither|example|e\.g|were"
    r"|had|until|before|whether|first|earlier|initially|almost|nearly|tempted|draft)\b"
    r"|如果|假如|假设|要是|倘若|若|可能|也许|或许|例如|比如|[让叫要请求对]我"
    r"|给我|是否|还是|原本|本来|本想|起初|差点",
)
"""Before a value, in the same sentence: it is not, or not yet, stated."""
_NEGATED = re.compile(r"(?i)\b(?:not|no|never|cannot|\w+n't)\b|[不没未非]")
"""The same, but only in the same clause."""
_CONDITION = re.compile(
    r"(?i)\b(?:if|unless|provided|assuming|suppos\w+|were it|imagine|would have)\b"
    r"|如果|若|除非|要是|的话|假如|倘若|本想|原想",
)
_NOT = frozenset(("false", "no", "否"))
"""Where nothing is decided, there need be no text."""
_RIGHT = re.compile(r"(?i)\b(?:right|correct)\b")
_OWN = re.compile(
    r"(?i)\b(?:my|mine|i|hence|therefore|thus|overall|final(?:ly)?)\b|我|因此|所以|综上|综合"
    r"|最终|本次",
)
_OBJECT = re.compile(r"\{\s*[\"'“‘]?[^\W\d]\w*[\"'”’]?\s*[:：]")
_SKIPPED = re.compile(
    r"(?i)\b(?:if|unless|whether|suppos\w+|assum\w+|imagine|could|might|may|perhaps"
    r"|maybe|would(?: have)? be|example|e\.g|once|until|when|after|before I|at first"
    r"|initially"
    r"|first|draft|tempted|either|or not|expected|follow"
    r"|I(?:['’]ll| will| am going to))\b|[?？]"
    r"|如果|假如|若|要是|可能|也许|是否(?![^，,。]{1,4}[:：])|之后|稍后|收到|例如|比如|起初|初步|原本",
)
"""A part of a sentence that asserts nothing, or not yet."""
_HANDED_ON = re.compile(
    r"(?i)\b(?:says|said|they say|writes?|wrote|claim(?:s|ed)|asserts?|according to"
    r"|labell?ed|asks?"
    r"|wants?|(?:juror|reviewer|critic|judge|grader|teacher|author|student|bot|model|he"
    r"|she|they)s? (?:\w+ )?(?:gave|gives?|thinks?|believes?|holds?|rates?d?|calls?))\b"
    r"|写|声称|自称|根据|据[说称]|要求"
    r"|(?:学生|作者|评[审委]|裁判|老师|同学|有人|他|她)[^，,。]{0,4}[认给打判说]"
    r"|(?:(?<!\bit)['’]s|\btheir|\bhis|\bher|(?<!我)的)\s{0,2}$",
)
"""Matches a clause that may report somebody else's statement."""
_SCALE = re.compile(
    r"(?i)\b(?:where|ranges?|runs? from|up to|at (?:most|least)|between|maximum|minimum"
    r"|limit|possible)\b|\A\s*To\b",
)
"""A part of a sentence that says what a value may be."""
_UNSAID = re.compile(
    r"(?i)(?:something|what|which|not|no|hidden|given|unknown|in|on|to|as|the one)\b"
    r"|什么|哪|谁|未|不|没",
)
"""A text that is no value."""
_LABEL = re.compile(
    r"(?i)\W*((?:an?|the|another|one|some|[\w-]+['’]s?) [\w'’-]+(?: [\w'’-]+){0,3}"
    r"|[^\W\d]+)\s?[:：]",
)
"""Words that may say who speaks behind them."""
_REFUSED = re.compile(
    r"(?i)\b(?:sorry|unable|not able|refuse|decline|withh[eo]ld|abstain|as an ai"
    r"|(?:cannot|can['’]t|won['’]t|don['’]t|do not|will not) (?:\w+ )?(?:judge|rate"
    r"|grade"
    r"|score|assess|evaluate|decide|determine|tell|say|take|name|choose|rule|answer"
    r"|speculate|verify|know)|not (?:yet )?(?:been )?(?:given|received|decided|read"
    r"|seen)"
    r"|undecided|no verdict|please (?:send|paste|upload)|TBD|quot(?:e|ed|es|ing|ation)"
    r"|translates?|translated|(?:my|a) translation|in (?:english|chinese)"
    r"|I(?:['’]d)? (?:still |first )?need"
    r"|verbatim|not mine)\b"
    r"|抱歉|对不起|无法|不能[评判给作]|拒绝|暂不|不作|不予|尚未|还没|未收到|请(?:提供|发|先|上传)|译|引用|摘录|抄录|转述|复述|不是我"
    r"|不代表",
)
"""A reply that gives no verdict, or not yet."""


def marked_prose(
    text: str, mark: str, properties: JsonSchema, *, free: bool = False
) -> dict[str, object] | None:
    """The values that a reply states in prose; None if a decisive one is missing.

    Two values for one name count as none. `free`: the request contained nothing that
    the reply could quote.
    """
    lists = any(one.get("type") in ("array", "object") for one in properties.values())
    if lists or len(text) > _LONGEST or _OPEN.search(text):
        return None
    alone = only_number(without_mark(text, mark).strip(_SIGNS + "$"), properties)
    if alone is not None:
        return dict.fromkeys(properties, alone)
    prose = _Prose(without_mark(text, mark), properties)
    strict = _chosen(prose.own(), properties, text)
    if strict is None and free and not _REFUSED.search(text):
        return _chosen(prose.meant(), properties, text)
    return strict


def _chosen(
    found: Iterator[Statement], properties: JsonSchema, text: str
) -> dict[str, Any] | None:
    """The only value of each name; a query, and a text where nothing is decided, may be
    missing.
    """
    values: dict[str, set[str]] = {name: set() for name in properties}
    for one in found:
        values[one.name].add(one.value)
    value = {name: min(value) for name, value in values.items() if len(value) == 1}
    said = {one.casefold() for one in value.values()}
    for name in properties.keys() - value.keys():
        free = "query" in name or (_NOT & said and not decides(properties[name]))
        if values[name] or not free:
            return None
    if not _UNCLEAR & said and _UNSURE.search(text):
        return None
    return value or None


def only_number(text: str, properties: JsonSchema) -> str | None:
    """The number that a text is, perhaps with its name, where no more is asked for."""
    if len(properties) != 1:
        return None
    ((name, spec),) = properties.items()
    text = text.strip(" *_`.。")
    label = _label_of(name).match(text)
    number = scaled(text[label.end() :] if label else text, spec)
    if spec.get("type") in NUMERIC and re.fullmatch(r"\d{1,3}(?:\.\d{1,9})?", number):
        return number
    return None


@lru_cache(maxsize=64)
def _label_of(name: str) -> re.Pattern[str]:
    words = pattern(synonyms(name))
    return re.compile(
        rf"(?i)(?:final |最终)?(?:{words})[*_`\s]{{0,4}}[:：][*_`\s]{{0,4}}"
    )


def contradicts(text: str, value: Mapping[str, object], properties: JsonSchema) -> bool:
    """Whether prose around an object gives another value for one of its fields."""
    return any(
        decides(properties[one.name])
        and one.name in value
        and one.value != (given := _compared(value[one.name]))
        and len(given.split()) < 3
        for one in _Prose(text, properties).own()
    )


def _compared(value: Any) -> str:
    """A value that is chosen, as a text states it."""
    if isinstance(value, float):
        return f"{value:.12g}"
    return member(str(value), ("true", "false")).casefold()


def states(text: str, value: Mapping[str, object], properties: JsonSchema) -> bool:
    """True if a text that was sent has each of these values behind its name, whoever
    states it there.
    """
    said = {
        (statement.name, skeleton(statement.value))
        for statement in statements(text, properties)
    }
    return bool(value) and all(
        (name, skeleton(str(one))) in said for name, one in value.items()
    )


def quotable(sent: Sequence[str], properties: JsonSchema) -> bool:
    """Whether prose could quote what was sent: a text that was sent holds an object or
    states one of the values. True also if the texts sent are unknown.
    """
    lists = any(one.get("type") in ("array", "object") for one in properties.values())
    if lists or not any(sent):
        return True
    key = _key_of(tuple(properties))
    return any(
        _OBJECT.search(version)
        or key.search(version)
        or any(statements(version, properties))
        for text in sent
        for version in versions(text)
    )


@lru_cache(maxsize=64)
def _key_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """A name in a tag, a table or a pair."""
    wanted = pattern([word for name in names for word in synonyms(name)])
    return re.compile(
        rf"(?i)[<|]\s{{0,4}}[*_`\"']{{0,3}}(?:{wanted})(?![a-z])"
        rf"|(?<![a-z])(?:{wanted})[*_`\"'”]{{0,3}}\s{{0,4}}[:：=|>→\t]",
    )


def without_mark(text: str, mark: str) -> str:
    """The text with commas in the place of the mark and the words for it."""
    said = (
        rf"(?:(?:under|with|the)\s){{0,3}}(?:mark|token|标"
        rf"记)?\s?(?:\(mark\))?[\s:：=→>*_`(（\[]{{0,9}}{mark}"
    )
    return re.sub(
        rf"[(（\[]?{said}[*_`)）\]]{{0,4}}[:：]?",
        lambda found: "," * len(found[0]),
        text,
        flags=re.IGNORECASE,
    )


class _Prose:
    """Prose without what it quotes and what it sets aside."""

    def __init__(self, text: str, properties: JsonSchema) -> None:
        self._specs = properties
        opened = re.sub(r"[\"“‘「](\w{1,20})[\"”’」]", r" \1 ", text)
        quoted = Quoted(opened)
        bare = _ASIDE.sub(lambda found: " " * len(found[0]), text)
        self._bare = "".join(
            " " if quoted.covers(place) else sign for place, sign in enumerate(bare)
        )
        found = sorted(
            statements(bare, properties), key=lambda statement: statement.start
        )
        self._found = [
            one
            for one in found
            if not (
                quoted.covers(one.start)
                or _UNSAID.match(one.value)
                or _SCALE.search(self._said(one))
            )
        ]

    def meant(self) -> Iterator[Statement]:
        """The text's statements, whoever they are about."""
        for one in self._found:
            said = self._said(one)
            asked = self._bare[one.end :].lstrip(" )*_").startswith(("?", "？"))
            before = said[: len(said) - one.end + one.start]
            lead = _LABEL.match(before)
            clauses = (re.split("[,，]", each)[-1] for each in (said, before))
            others = any(map(_HANDED_ON.search, clauses))
            if lead is not None:
                others = others or not announces(lead[1])
            open_ = said if decides(self._specs[one.name]) else before
            if not (_SKIPPED.search(open_) or others or asked):
                yield one

    def _said(self, statement: Statement) -> str:
        """The part of its sentence up to the end of a statement."""
        return TURN.split(SENTENCE.split(self._bare[: statement.end])[-1])[-1]

    def own(self) -> Iterator[Statement]:
        """What the reply states as its own, by the words around it."""
        end, own = 0, False
        for one in self._found:
            between = self._bare[min(end, one.start) : one.start]
            lead = _RIGHT.sub(" ", _ENDS.split(between)[-1]).strip(" *_`:：-–—→")
            continued = end > 0 and announces(between.strip(_SIGNS) or "is")
            own = self._own(one.start) or (own and continued)
            end = one.end
            if self._taken_back(one.end) or not (own or not lead or announces(lead)):
                continue
            if own or continued or not self._led_up(one.start):
                yield one

    def _own(self, place: int) -> bool:
        """True if the reply speaks of itself before a place, in the same sentence, and
        of nobody else.
        """
        before = SENTENCE.split(self._bare[:place])[-1]
        turn = next(reversed([*_BUT.finditer(before)]), None)
        before = before[turn.end() :] if turn is not None else before
        own = _OWN.search(before)
        start = own.start() if own is not None else 0
        told = own is not None or (turn is not None and turn["own"] is not None)
        return told and not (
            _THIRD.search(before, 0, start)
            or _PEOPLE.search(before)
            or _doubtful(before)
        )

    def _led_up(self, place: int) -> bool:
        """True if what is before a place may lead up to it as somebody else's."""
        before = self._bare[:place]
        if _CONDITION.search(SENTENCE.split(before)[-1]):
            return True
        others = _OTHERS.search(before) or _THIRD.search(before)
        return others is not None and not before.rstrip(_SIGNS[:1] + "*_`|").endswith(
            ",,,,"
        )

    def _taken_back(self, end: int) -> bool:
        """Whether the text after a value retracts it, makes it conditional, or
        attributes it to somebody else.
        """
        if re.match(r"[\s*_)）\"”]*[?？]", self._bare[end : end + 20]):
            return True
        rest, *others = SENTENCE.split(self._bare[end : end + 400])
        following = next((other for other in others if other.strip(_SIGNS)), "")
        about = _TAKEN_UP.match(rest) or _TAKEN_UP.match(following)
        return bool(
            _CONDITION.search(rest)
            or _OTHERS.search(rest)
            or _SOURCE.search(rest)
            or (about and (_OTHERS.search(about[0]) or _THIRD.search(about[0])))
            or _DISOWNED.search(self._bare, end)
        )


def _doubtful(before: str) -> bool:
    """True if what is before a value in its sentence does not assert it."""
    clause = re.split("[,，]", before)[-1]
    return bool(
        _DOUBTFUL.search(before) or _OTHERS.search(before) or _NEGATED.search(clause)
    )
