"""Signals that reveal a level without weighing the facts: how cases end, legal facts in
the query's own words, and what material reasons weigh.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ....prompts.demonstrations import LEVELS, DemonstrationCase, DemonstrationSet
from ....texts import t
from .reasons import ReasonDoubt, doubt

MOST = 1 / 3
"""Share of the groups up to which level 1 ends without a conviction, its reason leaves
a difference to law, or a higher level repeats one more of the query's legal facts; and
from which on a difference decides level 0.
"""
SOME = 1 / 10
"""Share of levels 2 and 3 from which on cases end as level 1 does."""

_NOT_CONVICTED = re.compile(
    r"不起诉|无罪|撤销|终止审理"
    r"|acquit|no evidence offered|not prosecuted|discontinued|quashed|stayed",
    re.IGNORECASE,
)
_LEFT_TO_LAW = re.compile(
    r"法律(?:一面|一侧|评价|判断|上|要回答)|下一步|[怎如][样何]评价|罪过问题|故意问题"
    r"|主观方面|legal side|next step|judged separately|question of law",
    re.IGNORECASE,
)
_ASPECT = re.compile(
    r"身份|关系|角色|主体|起因|缘由|经过|过程|手段"
    r"|\b(?:part(?:y|ies)|relation|roles?|cause|process|course|means|manner)\b",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"决定性|决定作用|(?<!不是)关键[在是]|\bdecisive\b|\bturns on\b", re.IGNORECASE
)
_NEGATED = re.compile(r"不是决定|不起决定|并非|\bnot decisive\b", re.IGNORECASE)

_LEVEL_NAMES = ("zero", "one", "two", "three")


class LevelSignals(NamedTuple):
    """The figures of a set, by level where levels differ."""

    unconvicted: Mapping[int, int]
    """Cases that end without a conviction, as their charge says."""
    equal_legal_facts: Mapping[int, int]
    """Legal facts that are word for word the query's, circumstances of sentencing
    aside.
    """
    left_to_law: int
    """Material reasons of level 1 that leave a difference to law."""
    decisive_differences: int
    """Groups whose level 0 is told apart by parties, cause or process."""

    def in_words(self, groups: int) -> list[str]:
        """Return the figures, one sentence each."""
        named = {"unconvicted": self.unconvicted, "equal_facts": self.equal_legal_facts}
        said = [
            t(
                f"report.said.{name}",
                **{_LEVEL_NAMES[level]: n for level, n in found.items()},
            )
            for name, found in named.items()
        ]
        told = {"left": self.left_to_law, "decisive": self.decisive_differences}
        return [*said, t("report.said.weighed", total=groups, **told)]


def level_signals(made: DemonstrationSet) -> LevelSignals:
    """Return the figures of a set. The words of a reason show what it weighs."""
    ended, equal = dict.fromkeys(LEVELS, 0), dict.fromkeys(LEVELS, 0)
    left = decisive = 0
    for group in made.groups:
        known = set(_judged(group.query))
        for one in group.candidates:
            if one.level not in LEVELS:
                continue
            reason = one.judged("material").reason
            ended[one.level] += bool(_NOT_CONVICTED.search(one.charge))
            equal[one.level] += sum(fact in known for fact in _judged(one))
            left += one.level == 1 and bool(_LEFT_TO_LAW.search(reason))
            decisive += one.level == 0 and _names_decisive(reason)
    return LevelSignals(ended, equal, left, decisive)


def remarks(found: LevelSignals, of: int) -> Iterator[ReasonDoubt]:
    """Return the doubts that the figures of this many groups give rise to."""
    ended, equal = found.unconvicted, found.equal_legal_facts
    if ended[1] > MOST * of:
        yield doubt("endings", "unconvicted_level_1", n=ended[1], total=of)
    below = max(equal[1], equal[0])
    for level in (3, 2):
        if ended[1] and ended[level] < SOME * of:
            yield doubt("endings", "convicted", level=level, n=ended[level], total=of)
        if equal[level] > below + MOST * of:
            told = {"level": level, "n": equal[level], "below": below}
            yield doubt("equal-facts", "equal_facts", total=of, **told)
    if found.left_to_law > MOST * of:
        yield doubt("weighing", "left_to_law", n=found.left_to_law, total=of)
    if found.decisive_differences < MOST * of:
        yield doubt("weighing", "decisive", n=found.decisive_differences, total=of)


def _judged(case: DemonstrationCase) -> list[str]:
    return [one.fact.strip() for one in case.legal if not one.secondary]


def _names_decisive(reason: str) -> bool:
    return any(
        _ASPECT.search(sentence)
        and _DECIDES.search(sentence)
        and not _NEGATED.search(sentence)
        for sentence in re.split(r"[。；;]|\.\s", reason)
    )
