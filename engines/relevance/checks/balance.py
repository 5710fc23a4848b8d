"""What a set teaches as a whole: charge and outcome by level, near misses, lengths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

from ....prompts.demonstrations import LEVELS, DemonstrationGroup, DemonstrationSet
from ....texts import t
from . import signals
from .reasons import ReasonDoubt, doubt
from .signals import LevelSignals
from .words import CaseTokenizer

FEWEST = 6
"""Groups from which on the balance of a set is warned of; below, it is only told."""
SHARE = 1 / 3
SHORT = {"zh": 400, "en": 250}
"""Size below which a case is too short to be like a judgment: characters, or words."""
LONG = 800
"""Characters from which on a Chinese case has room for evidence, defence and findings.
"""
SHOWN = 6
"""Most cases that one remark names."""


class Balance(NamedTuple):
    """The figures of a set."""

    language: str
    groups: int
    same: dict[int, int]
    """Level to the groups in which its charge is the query's."""
    same_below: int
    """Groups in which level 1 or level 0 has the query's charge."""
    hard: int
    """Groups whose level 0 is nearer to the query in words than their level 2."""
    sizes: dict[str, int]
    """Case to its size: characters without white space, or words."""
    signals: LevelSignals

    @property
    def long(self) -> int:
        return sum(size > LONG for size in self.sizes.values())

    def as_json(self) -> dict[str, object]:
        sizes = sorted(self.sizes.values())
        unit = "characters" if self.language == "zh" else "words"
        return {
            "groups": self.groups,
            "charges": {
                str(level): {
                    "same": self.same[level],
                    "other": self.groups - self.same[level],
                }
                for level in LEVELS
            },
            "same_charge_below": self.same_below,
            "hard_zeros": self.hard,
            "sizes": {
                "unit": unit,
                "min": sizes[0],
                "median": median(sizes),
                "max": sizes[-1],
            }
            if sizes
            else None,
            "long": self.long,
            **self.signals._asdict(),
        }

    def in_words(self) -> list[str]:
        """Return the figures, one sentence each."""
        if not self.groups:
            return []
        sizes = sorted(self.sizes.values())
        charges = [
            t(
                "report.said.charges_of_level",
                level=level,
                same=self.same[level],
                other=self.groups - self.same[level],
            )
            for level in sorted(LEVELS, reverse=True)
        ]
        told = {
            "n": len(sizes),
            "least": sizes[0],
            "middle": median(sizes),
            "most": sizes[-1],
            "long": self.long / len(sizes),
        }
        return [
            t(
                "report.said.charges",
                levels=t("report.said.charges_between").join(charges),
                n=self.same_below,
            ),
            t("report.said.hard_zeros", n=self.hard, total=self.groups),
            *self.signals.in_words(self.groups),
            t(f"report.said.lengths_{self.language}", over=LONG, **told),
        ]


def balance(made: DemonstrationSet, words: CaseTokenizer, language: str) -> Balance:
    """Return the figures of a set in one language, `zh` or `en`."""
    same = dict.fromkeys(LEVELS, 0)
    below = hard = 0
    for group in made.groups:
        alike = {
            one.level
            for one in group.candidates
            if _charge(one.charge) == _charge(group.query.charge)
        }
        for level in alike & same.keys():
            same[level] += 1
        below += bool(alike & {0, 1})
        hard += _is_hard(group, words)
    sizes = {
        name: _size(case.text, language)
        for group in made.groups
        for name, case in group.cases()
    }
    given = signals.level_signals(made)
    return Balance(language, len(made.groups), same, below, hard, sizes, given)


def remarks(found: Balance) -> Iterator[ReasonDoubt]:
    """Return the doubts that the figures give rise to."""
    short = [name for name, size in found.sizes.items() if size < SHORT[found.language]]
    if short:
        shown = ", ".join(short[:SHOWN]) + (", \u2026" if len(short) > SHOWN else "")
        yield doubt(
            "lengths",
            f"shorter_{found.language}",
            n=len(short),
            least=SHORT[found.language],
            places=shown,
        )
    if found.groups < FEWEST:
        return
    other = found.groups - found.same[3]
    if other < SHARE * found.groups:
        yield doubt("charges", "charge_level_3", n=other, total=found.groups)
    if found.same_below < SHARE * found.groups:
        yield doubt("charges", "charge_below", n=found.same_below, total=found.groups)
    if found.hard < SHARE * found.groups:
        yield doubt("hard-zeros", "hard_zeros", n=found.hard, total=found.groups)
    yield from signals.remarks(found.signals, found.groups)
    if found.language == "zh" and found.long < SHARE * len(found.sizes):
        yield doubt(
            "lengths",
            "few_long",
            n=found.long,
            total=len(found.sizes),
            length=LONG,
        )


def _charge(charge: str) -> str:
    """Return a charge without its outcome: 故意伤害罪（不起诉） is 故意伤害罪."""
    return re.sub(r"[\uff08(].*?[\uff09)]|\s", "", charge).casefold()


def _is_hard(group: DemonstrationGroup, words: CaseTokenizer) -> bool:
    texts = {one.level: one.text for one in group.candidates}
    return {0, 2} <= texts.keys() and words.near(
        group.query.text, texts[0]
    ) > words.near(group.query.text, texts[2])


def _size(text: str, language: str) -> int:
    if language == "zh":
        return len("".join(text.split()))
    return len(text.split())
