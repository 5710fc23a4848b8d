"""Whether a sentence that names an answer gives it as the answer to a question.

A text is read clause by clause. The clause that names the answer must be the one that
says most of what the question asks, and no other may name another thing instead:
`Venus is closest; Mercury comes second` names Mercury and gives Venus.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...texts.patterns import lazy
from ..reading.numerals import listed
from .quantities import plain, whole
from .questions import JOINT, SAY_NOTHING, AskedQuestion, stems
from .sentences import sentences, unsure


class StatedClause(NamedTuple):
    """A clause: how many words of the question it has (`repeats`), which other words
    say something (`new`), and whether another name is its subject or is said to be the
    answer (`rival`). `follows`: it only says more of the clause before."""

    text: str
    own: bool
    repeats: int
    new: tuple[str, ...]
    rival: bool
    follows: bool


_RELATIVE = frozenset(listed("that who which whom whose where because"))
_NAME = lazy(
    r"(?:^\W*(?:(?:the|a|an|then|that|while|although)\s)*"
    r"|\b(?:is|was|are|were|by|named|called)\s(?:the\s)?)"
    r"(?P<name>[A-Z][\w'-]*)(?!\s(?:the|an?|this|that|these)\b)"
)
_CAPITAL = lazy(r"(?<![\w'])[A-Z][\w'-]*")
_NO_SUBJECT = SAY_NOTHING | frozenset(
    listed(
        """
    no yes so thus hence therefore well january february march april may june july
    august september october november december monday tuesday wednesday thursday friday
    saturday sunday born then since if while although though both known also correct
    right contrary note based final dr mr mrs ms miss madame sir president king queen
    professor among during because"""
    )
)
_CONCEDED = lazy(
    r"\b(?:not|never|often|many|people|at first|initially|thought|assumed"
    r"|contrary|despite"
    r"|unlike|mistaken\w*|wrong\w*|known as|pen name|alias)\b|n't\b|不|有人",
    re.IGNORECASE,
)
_OF_SPEECH = lazy(
    r"'(?:s|m|re|ve|d|ll)\b|\bcame\b|\b(?:(?:un)?sure|certain\w*|confident"
    r"|right|correct|true"
    r"|probably|likely|pretty|quite|\w{3,}ly|attribut\w*|called|named|known|looks?"
    r"|seems?|appears?|believe|think|say|says|turns?|out|just|ad|ce|better|also|would"
    r"|president|king|queen|professor|dr|mr|mrs|miss|ms|sir|january|february|march"
    r"|april|may|june|july|august|september|october|november|december|century|year"
    r"|early|late|morning|evening|night|happen\w*|occur\w*|took|takes?|place"
    r"|dates?|back"
    r"|around|about|circa|exactly)\b|[年月日]",
    re.IGNORECASE,
)
"""Says nothing of what is asked."""
_APART = lazy(
    r"\s(?:to|from|with|by|in|on|at|near|for|than|as|after|before|and|or|is|was|has|had"
    r"|have|are|were|did|does|[a-z]+ed|[a-z]{2,}s|wrote|taught|made|gave|led|met)\s",
)
_HAN = lazy(r"[\u3400-\u9fff]")
_HAN_BESIDE = "受和与比对向跟把从离像"
_ARTICLE = lazy(r"^(?:the|an?)\s", re.IGNORECASE)


def asserts(text: str, names: Sequence[str], asked: AskedQuestion) -> bool:
    """Whether a text that names an answer gives it for the answer to a question."""
    found = _clauses(plain(text), names, asked)
    own = [one for one in found if one.own]
    if not own:
        return True
    best, first = max(one.repeats for one in own), found.index(own[0])
    bare = not own[0].new and not own[0].repeats
    for place, one in enumerate(found):
        if one.own or not one.new or _CONCEDED.search(one.text):
            continue
        better = one.repeats > best
        if place < first:
            wrong = one.rival or (better and not (bare and len(found) == 2))
        elif bare:
            wrong = one.rival and better
        else:
            wrong = (one.rival or not one.follows) and (
                better or (one.rival and one.repeats == best)
            )
        if wrong:
            return False
    return _of_itself(own[0], best, names, asked) and not _ends_otherwise(
        text, names, asked
    )


def _clauses(
    text: str, names: Sequence[str], asked: AskedQuestion
) -> list[StatedClause]:
    made, start, joint = [], 0, ""
    wanted = re.compile("|".join(map(_pattern, names)), re.IGNORECASE)
    dated = any(name[:1].isdigit() for name in names)
    for mark in (*JOINT.finditer(text), None):
        said = text[start : mark.start() if mark else len(text)].strip()
        if said:
            own = wanted.search(said) is not None
            words = [*stems(_OF_SPEECH.sub("", wanted.sub("", said)))]
            made.append(
                StatedClause(
                    said,
                    own,
                    len({word for word in stems(said) if asked.speaks_of(word)}),
                    tuple(
                        word
                        for word in words
                        if not (asked.speaks_of(word) or word.isdigit())
                    ),
                    not dated and _rival(wanted.sub("", said), asked),
                    joint in _RELATIVE,
                )
            )
        start, joint = (mark.end(), mark[0].strip()) if mark else (start, joint)
    return made


def _pattern(name: str) -> str:
    bare = re.escape(_ARTICLE.sub("", name))
    return rf"(?<![^\W_\u3400-\u9fff]){bare}(?![^\W_\u3400-\u9fff])"


def _rival(clause: str, asked: AskedQuestion) -> bool:
    return any(_is_other(found["name"], asked) for found in _NAME.finditer(clause))


def _is_other(word: str, asked: AskedQuestion) -> bool:
    """Whether a capitalised word is a name that the question does not mention."""
    bare = word.casefold().partition("'")[0]
    return not (
        bare in _NO_SUBJECT
        or whole(bare)
        or any(asked.speaks_of(stem) for stem in stems(bare))
    )


def _of_itself(
    own: StatedClause, best: int, names: Sequence[str], asked: AskedQuestion
) -> bool:
    """Whether a clause says what is asked of the answer, and of nothing else by it."""
    said = "|".join(map(_pattern, names))
    if _HAN.search(own.text):
        return not re.search(
            rf"[{_HAN_BESIDE}](?:{said})|(?<![是为由])(?:{said})的|曾|以前|原先",
            own.text,
        )
    there = re.search(said, own.text, re.IGNORECASE)
    beside = (
        there is not None
        and there[0][:1].isupper()
        and not own.text[there.end() :].strip(" .!")
        and not _APART.search(f" {own.text[: there.start()]} ")
    )
    if (own.new and not beside and (not best or "0" in asked.choices)) or re.search(
        rf"(?i:{said})'s?\s\w", own.text
    ):
        return False
    if there is None or there[0][:1].isdigit():
        return True
    return not any(
        _is_other(found[0], asked)
        and _APART.search(own.text, found.end(), there.start())
        for found in _CAPITAL.finditer(own.text, 0, there.start())
    )


def _ends_otherwise(text: str, names: Sequence[str], asked: AskedQuestion) -> bool:
    """`Paris. Hmm. Lyon.`"""
    last = sentences(plain(text))[-1]
    said = "|".join(map(_pattern, names))
    return (
        last.istitle()
        and _rival(last, asked)
        and not re.search(said, last, re.IGNORECASE)
    )


def repeats(text: str, names: Sequence[str], asked: AskedQuestion) -> bool:
    """Whether a text says a name and nothing else but words of the question."""
    mine = {word for name in names for word in stems(name)}
    return (
        bool(asked.words)
        and not unsure(
            " ".join(
                word
                for word in text.split()
                if word.casefold() not in asked.text.casefold()
            )
        )
        and {*stems(plain(text))} <= {*asked.words} | mine
        and not mine
        <= {*asked.words}
        - {word for choice in asked.choices.values() for word in stems(choice)}
    )


def surnames(text: str, accepted: Sequence[str], asked: AskedQuestion) -> list[str]:
    """`Austen` of `Jane Austen`, where a question asks for a person and the text names
    no other one of that name."""
    made = []
    for name in accepted if asked.person else ():
        *given, last = name.split()
        if not 0 < len(given) < 4 or not (name.isascii() and name.istitle()):
            continue
        before = re.findall(rf"(\S+)\s+{re.escape(last)}\b", text)
        elsewhere = re.search(rf"\b{re.escape(last)}, [A-Z]", text)
        if (
            len(last) > 3
            and not elsewhere
            and all(
                word[:1].islower()
                or word in given
                or word.casefold().strip(".") in _NO_SUBJECT
                for word in before
            )
        ):
            made.append(last)
    return made
