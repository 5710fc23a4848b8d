"""What a sentence says for an answer: the value it ends with, and whether it names a
name as its own answer or only beside it (`a rival of Dickens`, `all but Paris`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .numerals import listed
from .quantities import whole

LONGEST = 300
MOST_ENDS = 10
MOST_OF_A_PHRASE = 12
"""Words, or Chinese characters, of a phrase that is no sentence."""
MOST_ASKED = 200
"""Characters of a text in which a name may stand far from what denies it."""

_BREAK = re.compile(
    r"(?:(?<![A-Z])(?<!\bMt)(?<!\bSt)(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bvs)(?<!\bi\.e)"
    r"(?<!\b[ap]\.m)\.|[!?])\s+|[。！？；;\n]\s*"
)
_CLAUSE = re.compile(r"[;；:：]\s|,\s+but\s|[,，](?=\s*(?:其实|而是))|—")
_LEADS = frozenset(
    listed(
        """
    is are was were be equals equal becomes become gives give gave makes make takes take
        took comes as so thus therefore hence giving was: is: are: gets get got has have
        had needs need costs cost:
                interval formula set number value pair point total find finds found us
        him her them exactly reads read yields yield
        """
    )
)
_PREPOSITIONS = frozenset(listed("on in at by during"))
_COME = frozenset(listed("come comes came amount amounts equal up adds sums"))
_NO_VERBS = frozenset(
    listed("times plus minus less unless this its his thus perhaps always as")
)
_UNSURE = re.compile(
    r"\b(?:not|never|no|neither|nor|or|if|except|than|unless|maybe|might|could|may"
    r"|perhaps"
    r"|possibly|doubt|wrong|false|incorrect|claims?|claimed|says?|said|thinks?|thought"
    r"|mentions?|mentioned|believes?|believed|opponents?|cannot|nobody|none"
    r"|whether|twice|half|until|without)\b"
    r"|n't\b|[?？]|[不没非误错若]|如果|除|对方|可能|也许|或许|认为|吗",
    re.IGNORECASE,
)
_HAN_LEAD = re.compile(r"(?:等于|应该是|是|为|有|到|共|在|于)(?=\S)")


def sentences(text: str) -> list[str]:
    """The sentences of a text with their marks, without those of white space alone."""
    found, start = [], 0
    for mark in _BREAK.finditer(text):
        found.append(text[start : mark.end()].strip())
        start = mark.end()
    return [one for one in (*found, text[start:].strip()) if one]


_OPINION = re.compile(
    r"\bI\s+(?:think|believe|guess|would say|say)\s+(?:that\s+)?", re.I
)
_BEHIND = re.compile(
    r"(?:[,，]\s*I\s+(?:think|believe|guess)|\s+is\s+(?:the\s+(?:correct\s+"
    r"|right\s+|final\s+)?"
    r"(?:answer|result|solution|value)|correct|right))$",
    re.IGNORECASE,
)
_REASON = re.compile(
    r",?\s+because\s|,\s+(?:since|as|so|which|for)\s|[,，](?:因为|由于)"
)


def ends(text: str) -> Iterator[str]:
    """What the last sentence may give for an answer, at its end or before `is the
    answer`, the shortest first: `3.14` of `The ratio comes out as 3.14.` Nothing where
    it denies or doubts.
    """
    found = sentences(text[-2 * LONGEST :])
    last = found[-1].rstrip(" .。") if found else ""
    if not last or len(last) > LONGEST or _asks(last):
        return
    last = _OPINION.sub("", last)
    behind = _BEHIND.search(last)
    if behind is not None:
        last = last[: behind.start()]
        yield last
    reason = _REASON.search(last)
    if reason is not None and reason.start():
        yield from _ends(last[: reason.start()])
    yield from _ends(last)


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" \"'”’)）").endswith(("?", "？"))


def _ends(last: str) -> Iterator[str]:
    clause = 0
    for mark in _CLAUSE.finditer(last):
        clause = mark.end()
    places = [*_word_ends(last), *(one.end() for one in _HAN_LEAD.finditer(last))]
    for place in sorted(places, reverse=True)[:MOST_ENDS]:
        if place < clause or not last[place:].strip():
            continue
        end = last[place:].strip()
        if _UNSURE.search(last, clause, place) is None and not (
            last[:place].split()[-1:][0].casefold() in _PREPOSITIONS
            and whole(end) is not None
        ):
            yield end


def _word_ends(text: str) -> Iterator[int]:
    """Where a word ends that an answer may follow."""
    before = ""
    for found in re.finditer(r"\S+", text):
        word = found[0].rstrip(",:").casefold()
        verb = (
            len(word) > 3
            and word.endswith(("s", "ed"))
            and found[0][:1].islower()
            and word not in _NO_VERBS
            and whole(before) is None
        )
        comes_to = (word == "to" and before.casefold() in _COME) or (
            word == "=" and whole(before) is not None  # 7 × 12 = 84, but not x = 3
        )
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
_LEFT_OUT = re.compile(
    r"\b(?:except|excluding|other than|rather than|instead of|apart from|but not"
    r"|(?:all|everything|everyone|anyone|anything|nothing|any|every \w+) but"
    r"|although|though|despite|even if|in spite of"
    r"|mistakenly|wrongly|contrary to|misconception)\b"
    r"|误以为|误认|并非|不是|除了|除外|而非|没有"
)
_DOUBTED = re.compile(
    r"\b(?:might|could|may|maybe|perhaps|possibly|doubts?|opponents?|other side|if"
    r"|either"
    r"|whether|unlikely|nearly|almost|twice|half|opposite of|question (?:mentions"
    r"|asks))\b"
    r"|也许|可能|对方|或许|如果|是否",
    re.IGNORECASE,
)
_DISOWNED = re.compile(
    r"\W{0,3}(?:or\b|(?:is|are|was|were)\s+(?:not|wrong|incorrect|false|irrelevant)"
    r"|(?:isn't|wasn't|aren't|isnt|wasnt|arent)\b)|[^。]{0,6}(?:是错|不对|吗)"
)
_FIRST = re.compile(
    r"\b(?:people|many|some|others|first|initially|might|may|seems?|guess(?:ed)?"
    r"|thought)\b"
    r"|有人|很多人|以为|起初|一开始"
)
_BUT = re.compile(r"[^.]{0,40}\b(?:but|however|yet)\b|[^。]{0,20}(?:但|其实|不过)")
_NOT = frozenset(
    listed(
        """
    not no non never nor neither isnt wasnt arent werent doesnt didnt dont cannot cant
    wont
        without hardly"""
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

    `words`: those of the sentence, folded; `gaps`: what stands before each of them, and
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
    if _denied(before) or (after and after[0] in _LATER and gaps[end] in (" ", ", ")):
        return False
    if tuple(after) in (("以", "外"), ("之", "外")):
        return False
    last = next((word for word in reversed(before) if word not in _ARTICLES), "")
    if last in _ASIDE or (last == "but" and not _corrected(before)):
        return False
    if _has_verb(before):
        return True
    han = bool(after) and after[0] >= "\u3400"
    if han and (len(words) > MOST_OF_A_PHRASE or _HAN_VERBS & set(words)):
        return True
    return not _beside(before, last, after, gaps[end])


def _denied(before: Sequence[str]) -> bool:
    """Whether a denial stands shortly before, with no `but` between."""
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
    """Whether a verb of the main clause stands before."""
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


_HONOURS = frozenset("市先女同老")
"""What may follow a Chinese name: 鲁迅先生, but not 北京路."""


def _beside(
    before: Sequence[str],
    last: str,
    after: Sequence[str],
    gap: str,
) -> bool:
    """Whether a part of a sentence says another thing by means of the name: `a rival of
    Dickens`, `Dickens's rival`, `Mongolia, whose capital is …`"""
    if _RELATIVE & set(before[1:]):
        return True
    if after and not gap and after[0] not in _HONOURS and after[0] >= "\u3400":
        return True
    if after and (after[0] in ("ʼs", "and", "or", "&") or after[0] in "的和与或及"):
        return True
    if last == "of":
        kind = next((word for word in reversed(before[:-1]) if word != "of"), "")
        return kind not in _CALLED
    return last in _OF_A_FRAGMENT and not _NAMED & set(before)
