"""The answer that a sentence supports: the value at its end, and whether it gives a
name as its answer or only mentions it (`a rival of Dickens`, `all but Paris`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...texts.patterns import lazy
from ..reading.numerals import listed
from .quantities import whole

LONGEST = 300
MOST_ENDS = 10
MOST_OF_A_PHRASE = 12
"""Words, or Chinese characters, of a phrase that is no sentence."""
MOST_OF_A_LABEL = 6
"""Words of a phrase that may be one longer name: `DNA polymerase`."""
MOST_ASKED = 200
"""Longest distance, in characters, between a name and its negation."""

_BREAK = lazy(
    r"(?:(?<![A-Z])(?<!\bMt)(?<!\bSt)(?<!\bDr)(?<!\bMr)(?<!\bMrs)"
    r"(?<!\bvs)(?<!\bInc)(?<!\bCorp)(?<!\bi\.e)"
    r"(?<!\b[ap]\.m)\.|[!?])\s+|[!?](?=[\u3400-\u9fff])|[。！？；;\n]\s*"
)
_CLAUSE = lazy(r"[;；:：]\s|,\s+but\s|[,，](?=\s*(?:其实|而是))|—")
_LEADS = frozenset(
    listed(
        """
    is are was were be equals equal becomes become gives give gave makes make takes take
        took comes as so thus therefore hence giving was: is: are: gets get got has have
        had needs need costs cost
                interval formula set number value pair point total find finds found us
        together only him her them exactly reads read yields yield meant it's that's
        """
    )
)
_PREPOSITIONS = frozenset(listed("on in at by during"))
_SPEAKERS = frozenset(listed("i we you they"))
_COME = frozenset(
    listed("come comes came amount amounts equal up adds sums made consists consist")
)
_NO_VERBS = frozenset(
    listed("times plus minus less unless this its his thus perhaps always as and or")
)
_UNSURE = lazy(
    r"\b(?:not|never|no|neither|nor|or|if|except|than|unless|maybe|might|could"
    r"|(?<!\d )(?<!of )may(?! \d)"
    r"|perhaps"
    r"|possibly|doubt|wrong|false|incorrect|claims?|claimed|says?|said|thinks?|thought"
    r"|mentions?|mentioned|believes?|believed|opponents?|cannot|nobody|none"
    r"|whether|until|without)\b"
    r"|n't\b|[?？]|[不没非误错若]|如果|除|对方|可能|也许|或许|认为|吗",
    re.IGNORECASE,
)
BEFORE_HAN = "是为了有要需共于得约达转用花到付剩走跑卖吃喝赚计回长高重宽出成"
"""Characters after which a Chinese sentence gives a count."""
_HAN_LEAD = lazy(
    rf"等于|需要?|应该是|是|为|有|(?<!\d)到|共|在|于|(?<!\d)[{BEFORE_HAN}](?=\d)"
)

_SIDE = lazy(r"(?P<of>\S*?)\s?(?:=|→|⇒|->)")
_UNKNOWN = lazy(r"(?:.*\W)?\d*[a-z]", re.IGNORECASE)


def sentences(text: str) -> list[str]:
    """The sentences of a text with their marks, without those of white space alone."""
    found, start = [], 0
    for mark in _BREAK.finditer(text):
        found.append(text[start : mark.end()].strip())
        start = mark.end()
    return [one for one in (*found, text[start:].strip()) if one]


_OPINION = lazy(
    r"\bI\s+(?:think|believe|guess|would say|say)\s+(?:that\s+)?|我认为"
    r"|^(?:most\s+)?(?:probably|likely),?\s|^if\s(?:memory serves|I recall|I remember)"
    r"(?:\scorrectly)?,\s|,\s(?:but|though|although)\sI'?a?m\snot\s[^,.;]{0,20}"
    r"(?:sure|certain)$",
    re.IGNORECASE,
)
_BEHIND = lazy(
    r"(?:[,，]\s*I(?:'d)?\s+(?:think|believe|guess|say)|\s+is\s+(?:the\s+(?:correct\s+"
    r"|right\s+|final\s+)?"
    r"(?:answer|result|solution|value)|correct|right))$",
    re.IGNORECASE,
)
_REMARK = lazy(r"(?<=[^\s(（])\s*[(（][^()（）]*[)）]$")
_WORDY = lazy(r"[^\W\d_]{3}|约")
_REASON = lazy(
    r",?\s+because\s|,\s+(?:since|as|so(?!.*=)|which|for)\s|[,，](?:因为|由于|其中)"
)


def ends(text: str) -> Iterator[str]:
    """What the last sentence may give for an answer, at its end or before `is the
    answer`, the shortest first: `3.14` of `The ratio comes out as 3.14.` Nothing where
    it denies or doubts.
    """
    found = sentences(text[-2 * LONGEST :])
    while len(found) > 1 and _CHECKS.match(found[-1]):
        found.pop()
    last = found[-1].rstrip(" .。") if found else ""
    if not last or len(last) > LONGEST or _asks(last):
        return
    last = unhedged(last)
    behind = _BEHIND.search(last)
    if behind is not None:
        last = last[: behind.start()]
        yield last
    reason = _REASON.search(last)
    if reason is not None and reason.start():
        yield from _ends(last[: reason.start()])
    bare = _REMARK.sub("", last)
    yield from _ends(bare)
    if bare != last and not _WORDY.search(last, len(bare)):
        yield from _ends(last)


_CHECKS = lazy(
    r"\W*(?:(?:let me|let's|to|a) )?(?:quick )?(?:double-?|re)?(?:check|verify)\b"
    r"|\W*(?:correct|✓|✔)\W*$",
    re.IGNORECASE,
)


def unhedged(text: str) -> str:
    """A text without `I think` and `if memory serves`, which say nothing of it."""
    return str(_OPINION.sub("", text))


def unsure(text: str) -> bool:
    """Whether a text denies, doubts or asks, or speaks of somebody else's answer."""
    text = unhedged(text)
    return any((_asks(text), _UNSURE.search(text), _DOUBTED.search(text)))


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" \"'”’)）").endswith(("?", "？"))


def _ends(last: str) -> Iterator[str]:
    clause = 0
    for mark in _CLAUSE.finditer(last):
        clause = mark.end()
    sides = [
        one.end() for one in _SIDE.finditer(last) if not _UNKNOWN.fullmatch(one["of"])
    ]  # 7 × 12 = 84, but not x = 3
    leads = [one.end() for one in _HAN_LEAD.finditer(last)]
    places = [*_word_ends(last), *sides, *leads]
    colon = _COLON.search(last)
    if colon is not None and _UNSURE.search(last, 0, colon.end()) is None:
        places.append(colon.end())
    for place in sorted(places, reverse=True)[:MOST_ENDS]:
        if place < clause or not last[place:].strip():
            continue
        end = last[place:].strip()
        if _UNSURE.search(last, clause, place) is None and not (
            last[:place].split()[-1:][0].casefold() in _PREPOSITIONS
            and whole(end) is not None
        ):
            yield end


_COLON = lazy(r"(?<=[^\W\d])[:：]\s*(?=[^:：]*$)")


def _word_ends(text: str) -> Iterator[int]:
    """Where a word ends that an answer may follow."""
    before = ""
    for found in re.finditer(r"\S+", text):
        word = found[0].rstrip(",:").casefold()
        verb = (
            len(word) > 3
            and word.endswith(("s", "ed"))
            and (found[0][:1].islower() or word.endswith(("'s", "’s")))
            and word not in _NO_VERBS
            and whole(before) is None
        )
        verb = verb or (before.casefold() in _SPEAKERS and word not in _NO_VERBS)
        comes_to = word in ("to", "of") and before.casefold() in _COME
        if word in _LEADS or word in _PREPOSITIONS or verb or comes_to:
            yield found.end()
        before = found[0]


_VERBS = frozenset(
    listed(
        """
    is are was were be been has have had does did do will would can could should must
        won wins lost goes went came comes gave gives took takes wrote writes made makes
                said says began begins became becomes fell rose sank grew grows led
        leads built
        """
    )
)
_HAN_VERBS = frozenset("是为由在有了于被会说")
_PRONOUNS = frozenset(listed("he she it they who which that we you i this there"))
_RELATIVE = frozenset(listed("which who whose whom where"))
_ARTICLES = frozenset(listed("the a an"))
_ASIDE = frozenset(
    listed(
        """
    than except excluding besides unlike versus vs or nor beyond false pseudo anti quasi
        ex former mock rms hms uss"""
    )
)
_OF_A_FRAGMENT = frozenset(
    listed(
        "of after before following outside from for with to near against and & or by"
    )
)
_CALLED = frozenset(
    listed(
        """
    city town village state island republic kingdom name country river lake mount county
        province university battle planet element isle gulf"""
    )
)
_NAMED = frozenset(
    listed("named called titled published written directed founded sung")
)
_LATER = frozenset(listed("jr sr junior ii iii iv bc bce"))
_LEFT_OUT = lazy(
    r"\b(?:except|excluding|other than|rather than|instead of|apart from"
    r"|but not|as opposed to"
    r"|(?:all|everything|everyone|anyone|anything|nothing|any|every \w+) but"
    r"|although|though|despite|even if|in spite of"
    r"|mistakenly|wrongly|contrary to|misconception)\b"
    r"|误以为|误认|并非|不是|除了|除外|而非|没有"
)
_DOUBTED = lazy(
    r"\b(?:might|could|(?<!\d )(?<!of )may(?! \d)|maybe|perhaps"
    r"|possibly|doubts?|opponents?|other side|if"
    r"|either"
    r"|whether|unlikely|nearly|almost|twice|half|opposite of|question (?:mentions"
    r"|asks))\b"
    r"|也许|可能|对方|或许|如果|是否",
    re.IGNORECASE,
)
_DISOWNED = lazy(
    r"\W{0,3}(?:or\b|(?:is|are|was|were)\s+(?:not|wrong|incorrect|false|irrelevant)"
    r"|(?:isn't|wasn't|aren't|isnt|wasnt|arent)\b)|[^。]{0,6}(?:是错|不对|吗)|[以之]外"
)
_FIRST = lazy(
    r"\b(?:used to|people|many|some|others|first|initially|might|may|seems?"
    r"|guess(?:ed)?|thought)\b"
    r"|有人|很多人|以为|起初|一开始"
)
_BUT = lazy(r"[^.]{0,40}(?:\b(?:but|however|yet)\b|;)|[^。]{0,20}(?:但|其实|不过)")
_INSTEAD = lazy(
    r"(?:\s+at\s+first|\s+initially)\b|"
    r"[^.]{0,80}[,;]\s+(?:but|yet|however,?)\s+(?:the|it|this|that|in)\b"
    r"[^.]{0,60}\b(?:is|was|are"
    r"|were|it)\b"
)
"""After a name: the sentence turns to another answer."""
_SECOND = lazy(
    r"[是为][^,，。;；]{1,20}[,，;；]\s*[而但]?$|[,;]\s(?:while|whereas)\s(?:the\s)?$"
    r"|\b(?:is|was|are|were)\s[^,.;]{1,60}(?:, (?:and|but) |; )(?:the\s)?$"
)
"""Before a name: another clause gives an answer, and this one speaks of the name."""
_NOT = frozenset(
    listed(
        """
    not no non nothing never nor neither isnt wasnt arent werent doesnt didnt dont
    cannot cant wont without hardly
        """
    )
)


def is_its_own(
    words: Sequence[str],
    gaps: Sequence[str],
    start: int,
    end: int,
    around: tuple[str, str],
) -> bool:
    """Whether a sentence names the words from `start` to `end` as its own answer.

    `words`: those of the sentence, folded; `gaps`: what is before each of them, and
    behind the last one. `around`: the sentence up to the name and from there.
    """
    text, rest = around
    if _asks(rest):
        return False
    before, after = words[max(0, start - MOST_ASKED) : start], words[end : end + 2]
    if _LEFT_OUT.search(text[-MOST_ASKED:]) and not _corrected(before):
        return False
    if _DOUBTED.search(text[-MOST_ASKED:]) or _DISOWNED.match(rest):
        return False
    if _BUT.match(rest[:MOST_ASKED]) and _FIRST.search(text[-MOST_ASKED:]):
        return False
    if _INSTEAD.match(rest[:MOST_ASKED]) or _SECOND.search(text[-MOST_ASKED:]):
        return False
    if _denied(before) or (after and after[0] in _LATER and gaps[end] in (" ", ", ")):
        return False
    last = next((word for word in reversed(before) if word not in _ARTICLES), "")
    if last in _ASIDE or (last == "but" and not _corrected(before)):
        return False
    if _has_verb(before):
        return True
    han = bool(after) and after[0] >= "\u3400"
    if han and (len(words) > MOST_OF_A_PHRASE or _HAN_VERBS & set(words)):
        return True
    if (
        len(words) <= MOST_OF_A_LABEL
        and after
        and gaps[end] == " "
        and after[0].isascii()
        and after[0] not in _KIND_BEHIND | _VERBS
        and not after[0].endswith("ed")
    ):
        return False
    latin = words[end - 1] < "\u3400"
    return not _beside(before, last, after, " " if han and latin else gaps[end])


def _denied(before: Sequence[str]) -> bool:
    """Whether a denial comes shortly before, without a `but` in between."""
    near = list(before[-6:])
    if "but" in near:
        near = near[len(near) - near[::-1].index("but") :]
    if "only" in near:
        near = near[near.index("only") :]
    return bool(_NOT & set(near)) or "不" in before[-2:] or "非" in before[-2:]


def _corrected(before: Sequence[str]) -> bool:
    """`not Lyon but …`"""
    return "but" in before and bool(_NOT & set(before[: list(before).index("but")]))


def _has_verb(before: Sequence[str]) -> bool:
    """Whether a verb of the main clause is before."""
    for place, word in enumerate(before):
        if word in _RELATIVE and place:
            return False
        if word in _VERBS or word in "是为由":
            return True
        if word.endswith("s") and place and before[place - 1] in _PRONOUNS:
            return True
        if word.endswith("ed") and len(word) > 4:
            return True
    return False


_PREFIXES = frozenset("亚过次偏非反续伪假准副半")
"""亚硫酸 is another acid than 硫酸."""
_KIND_BEHIND = _CALLED | frozenset(
    listed(
        """in on at as for by with from of to is was which who whom that because since
        and or gas dynasty language people ion ions metal molecule instead then too
        alone
        only itself here there i you ad ce bc exist exists mission"""
    )
)
"""What may follow a name in a phrase: `helium gas`, but not `DNA polymerase`."""
_HONOURS = frozenset("市先女同老")
"""What may follow a Chinese name: 鲁迅先生, but not 北京路."""


def _beside(
    before: Sequence[str],
    last: str,
    after: Sequence[str],
    gap: str,
) -> bool:
    """Whether a part of a sentence uses the name to describe another thing: `a rival of
    Dickens`, `Dickens's rival`, `Mongolia, whose capital is …`
    """
    if _RELATIVE & set(before[1:]):
        return True
    if before and before[-1] in _PREFIXES:
        return True
    if after and not gap and after[0] not in _HONOURS and after[0] >= "\u3400":
        return True
    if after and (after[0] in ("ʼs", "and", "or", "&") or after[0] in "的和与或及"):
        return True
    if last == "of":
        kind = next((word for word in reversed(before[:-1]) if word != "of"), "")
        return kind not in _CALLED
    return last in _OF_A_FRAGMENT and not _NAMED & set(before)
