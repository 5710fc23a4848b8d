"""Doubts about single reasons: names, citations, words that are not in the lists of
facts, and one template for several reasons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from ....prompts.demonstrations import (
    DemonstrationCandidate,
    DemonstrationCase,
    DemonstrationGroup,
    DemonstrationSet,
    Step,
    grams_of,
)
from ....prompts.demonstrations.citing import cited, names
from ....texts import t
from ..plan import KINDS
from .words import CaseTokenizer, numbers

ALIKE = 0.5
"""Two reasons that share more than this part of their five-character grams are one
template.
"""
SHOWN = 8
"""Most words or numbers that one remark names."""

_OTHER_NAMES = re.compile(
    r"\u67e5\u8be2\u6848(?:\u4ef6)?|\u5019\u9009\u6848(?:\u4ef6)?|\u672c\u6848"
    r"|\u524d\u6848|\u540e\u6848|\u8be5\u6848"
    r"|\b(?:the|this) query\b|\bthe candidate\b|\bthis case\b|\bthe (?:first"
    r"|second|former|latter|present) case\b",
    re.IGNORECASE,
)


class ReasonDoubt(NamedTuple):
    """One doubt."""

    rule: str
    text: str


def doubt(rule: str, key: str, **told: object) -> ReasonDoubt:
    """Return a doubt in the words of `wrong.demonstrations.<key>`."""
    return ReasonDoubt(rule, t(f"wrong.demonstrations.{key}", **told))


class _Reason(NamedTuple):
    group: DemonstrationGroup
    candidate: DemonstrationCandidate
    step: Step

    @property
    def name(self) -> str:
        return f"{self.group.id}/{self.candidate.level}"

    @property
    def text(self) -> str:
        return self.candidate.judged(self.step).reason


def remarks(made: DemonstrationSet, words: CaseTokenizer) -> Iterator[ReasonDoubt]:
    """Return the doubts about the reasons of a set, reason by reason."""
    reasons = [
        _Reason(group, one, step)
        for group in made.groups
        for one in group.candidates
        for step in KINDS
        if one.judged(step).reason
    ]
    for one in reasons:
        yield from _named(one)
        if (
            one.group.is_anchored()
        ):  # a set of before cites nothing, and one warning says so
            yield from _cites(one)
        yield from _foreign(one, words)
    yield from _templates(reasons)


def _named(one: _Reason) -> Iterator[ReasonDoubt]:
    said = list(dict.fromkeys(found[0] for found in _OTHER_NAMES.finditer(one.text)))
    if said:
        yield doubt(
            "names",
            "other_names",
            name=one.name,
            step=one.step,
            phrase=", ".join(said),
        )
    elif len(names(one.text)) < 2:
        yield doubt("names", "unnamed", name=one.name, step=one.step)


def _cites(one: _Reason) -> Iterator[ReasonDoubt]:
    ids = list(cited(one.text))
    if not ids:
        yield doubt("citations", "no_ids", name=one.name, step=one.step)
    elif one.step == "material" and any(id_.kind == "legal" for id_ in ids):
        yield doubt("citations", "material_cites_legal", name=one.name)


def _foreign(one: _Reason, words: CaseTokenizer) -> Iterator[ReasonDoubt]:
    """Yield a doubt about words of the cases that their lists lack, which a judge of
    the lists cannot know, and about numbers that the lists lack.
    """
    sides = (one.group.query, one.candidate)
    lists, texts = (
        "\n".join(map(_listed, sides)),
        "\n".join(side.text for side in sides),
    )
    found = [
        raw
        for word, raw in words.story(one.text).items()
        if words.has(texts, word, raw) and not words.has(lists, word, raw)
    ]
    there = set(numbers(lists))
    found += [
        number for number in dict.fromkeys(numbers(one.text)) if number not in there
    ]
    if found:
        shown = ", ".join(found[:SHOWN]) + (", \u2026" if len(found) > SHOWN else "")
        yield doubt(
            "foreign-words",
            "foreign_words",
            name=one.name,
            step=one.step,
            terms=shown,
        )


def _listed(case: DemonstrationCase) -> str:
    return "\n".join(
        f"{fact.fact}\n{fact.why}" for fact in (*case.material, *case.legal)
    )


def _templates(reasons: Sequence[_Reason]) -> Iterator[ReasonDoubt]:
    grams = [(one, grams_of(re.sub(r"[ML]\d+", "", one.text))) for one in reasons]
    for (one, mine), (other, theirs) in combinations(grams, 2):
        least = min(len(mine), len(theirs))
        if least and len(mine & theirs) > ALIKE * least:
            shared = len(mine & theirs) / least
            yield doubt(
                "template",
                "template",
                name=f"{one.name} ({one.step})",
                other=f"{other.name} ({other.step})",
                shared=shared,
            )
