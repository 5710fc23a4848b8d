"""What gives a level away to a reader who weighs no facts: how cases end, legal facts in
the query's own words, and what material reasons weigh.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ....prompts.demonstrations import (
    LEVELS,
    DemonstrationCandidate,
    DemonstrationCase,
    DemonstrationSet,
)
from ....texts import t
from .reasons import ReasonDoubt

MOST = 1 / 3
"""Share of level 1 up to which cases end without a conviction, or reasons leave a
difference to law; and of the groups from which on a difference decides level 0.
"""
SOME = 1 / 10
"""Share of levels 2 and 3 from which on cases end as level 1 does; and how much more
often than below their legal facts may repeat the query's.
"""

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


class LevelSignals(NamedTuple):
    """The figures of a set."""

    groups: int
    unconvicted: dict[int, int]
    """Level to its cases that end without a conviction, as their charge says."""
    equal: dict[int, tuple[int, int]]
    """Level to the legal facts that are word for word the query's, and to all of them,
    circumstances of sentencing aside.
    """
    deferred: int
    """Material reasons of level 1 that leave a difference to law."""
    decisive: int
    """Groups whose level 0 is told apart by parties, cause or process."""

    def as_json(self) -> dict[str, object]:
        return {
            "unconvicted": {str(level): n for level, n in self.unconvicted.items()},
            "equal_legal_facts": {
                str(level): {"equal": equal, "of": of}
                for level, (equal, of) in self.equal.items()
            },
            "deferred_to_law": self.deferred,
            "decisive_differences": self.decisive,
        }

    def in_words(self) -> list[str]:
        """The figures, a sentence each."""
        ended = [(level, n, self.groups) for level, n in self.unconvicted.items()]
        equal = [(level, *found) for level, found in self.equal.items()]
        return [
            t("report.said.unconvicted", levels=_by_level(ended)),
            t("report.said.equal_facts", levels=_by_level(equal)),
            t(
                "report.said.weighed",
                deferred=self.deferred,
                decisive=self.decisive,
                of=self.groups,
            ),
        ]


def level_signals(made: DemonstrationSet) -> LevelSignals:
    """The figures of a set. What reasons weigh is told by their words."""
    levels = sorted(LEVELS, reverse=True)
    unconvicted = dict.fromkeys(levels, 0)
    equal = dict.fromkeys(levels, (0, 0))
    deferred = decisive = 0
    for group in made.groups:
        known = set(_judged(group.query))
        for one in group.candidates:
            if one.level not in equal:
                continue
            unconvicted[one.level] += bool(_NOT_CONVICTED.search(one.charge))
            facts = _judged(one)
            same, of = equal[one.level]
            equal[one.level] = (same + sum(f in known for f in facts), of + len(facts))
            deferred += one.level == 1 and bool(_LEFT_TO_LAW.search(_reason(one)))
            decisive += one.level == 0 and _names_decisive(_reason(one))
    return LevelSignals(len(made.groups), unconvicted, equal, deferred, decisive)


def remarks(found: LevelSignals) -> Iterator[ReasonDoubt]:
    """What the figures give to doubt."""
    of = found.groups
    ended = found.unconvicted
    if ended[1] > MOST * of:
        yield _doubt("endings", "unconvicted_level_1", n=ended[1], of=of)
    for level in (3, 2) if ended[1] else ():
        if ended[level] < SOME * of:
            yield _doubt("endings", "convicted", level=level, n=ended[level], of=of)
    below = max(_share(found.equal[level]) for level in (1, 0))
    for level in (3, 2):
        if _share(found.equal[level]) > below + SOME:
            n, facts = found.equal[level]
            yield _doubt("equal-facts", "equal_facts", level=level, n=n, of=facts)
    if found.deferred > MOST * of:
        yield _doubt("weighing", "deferred", n=found.deferred, of=of)
    if found.decisive < MOST * of:
        yield _doubt("weighing", "decisive", n=found.decisive, of=of)


def _doubt(rule: str, key: str, **told: object) -> ReasonDoubt:
    return ReasonDoubt(rule, t(f"wrong.demonstrations.{key}", **told))


def _by_level(figures: Iterable[tuple[int, int, int]]) -> str:
    said = (t("report.said.of_level", level=at, n=n, of=of) for at, n, of in figures)
    return t("report.said.charges_between").join(said)


def _share(found: tuple[int, int]) -> float:
    return found[0] / found[1] if found[1] else 0.0


def _judged(case: DemonstrationCase) -> Sequence[str]:
    return [" ".join(one.fact.split()) for one in case.legal if not one.secondary]


def _reason(one: DemonstrationCandidate) -> str:
    return one.judged("material").reason


def _names_decisive(reason: str) -> bool:
    return any(
        _ASPECT.search(sentence)
        and _DECIDES.search(sentence)
        and not _NEGATED.search(sentence)
        for sentence in re.split(r"[。；;]|\.\s", reason)
    )
