"""Faults of form in demonstrations: what makes a set unusable, or an anchor or a
citation point at nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...texts import t
from .citing import FactCitation, cited
from .converting import Place
from .groups import (
    LEVELS,
    DemonstrationCandidate,
    DemonstrationCase,
    DemonstrationGroup,
    LegalFact,
)

SHORTEST = 200
"""Characters below which a case shows little of how cases are judged."""
GRAM = 5
ALIKE = 0.3
"""Two cases that share at least this part of their five-character grams count as copies
of one template.
"""


def faults(group: DemonstrationGroup, missing: set[Place]) -> Iterator[str]:
    """The faults of a group, but not those of parts that something is `missing` from:
    that has been named.
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,60}", group.id) and ("id",) not in missing:
        yield t("wrong.demonstrations.no_id", id=group.id)
    levels = sorted(one.level for one in group.candidates)
    if levels != list(LEVELS) and not any(
        place[:1] == ("candidates",) and (len(place) < 3 or place[2] == "level")
        for place in missing
    ):
        yield t("wrong.demonstrations.levels", id=group.id, levels=levels)
    whole = [
        not any(place[:2] in (("candidates",), ("candidates", at)) for place in missing)
        for at in range(len(group.candidates))
    ]
    for (name, case), is_whole in zip(
        group.cases(),
        [not any(place[:1] == ("query",) for place in missing), *whole],
        strict=True,
    ):
        if is_whole:
            yield from _case(name, case)
    for one, is_whole in zip(group.candidates, whole, strict=True):
        yield from _judgements(group, one) if is_whole else ()


def short_cases(group: DemonstrationGroup) -> list[str]:
    """A sentence for each case of less than `SHORTEST` characters, blanks aside."""
    return [
        t("wrong.demonstrations.short", name=name, size=size, least=SHORTEST)
        for name, case in group.cases()
        if (size := len("".join(case.text.split()))) < SHORTEST
    ]


def unanchored(group: DemonstrationGroup) -> list[str]:
    """The legal facts that do not say what they rest on, as `theft-1/3 L2`."""
    return [
        f"{name} L{number}"
        for name, case in group.cases()
        for number, fact in enumerate(case.legal, 1)
        if not fact.rests_on and fact.fact
    ]


def alike(cases: Sequence[tuple[str, DemonstrationCase]]) -> Iterator[str]:
    """Names the pairs of cases that tell one story under two names."""
    grams = [(name, grams_of(case.text)) for name, case in cases]
    for place, (name, mine) in enumerate(grams):
        for other, theirs in grams[:place]:
            least = min(len(mine), len(theirs))
            shared = len(mine & theirs) / least if least else 0.0
            if shared >= ALIKE:
                yield t(
                    "wrong.demonstrations.alike", other=other, name=name, shared=shared
                )


def grams_of(text: str) -> set[str]:
    """Five-character grams of a text without white space, punctuation, digits and the
    names of persons (张某, 李某甲).
    """
    plain = re.sub(
        r"[\W\d_]+", "", re.sub(r"[\u4e00-\u9fff]某[某甲乙丙丁A-Z]?", "", text)
    ).casefold()
    return {plain[place : place + GRAM] for place in range(len(plain) - GRAM + 1)}


def _judgements(
    group: DemonstrationGroup, one: DemonstrationCandidate
) -> Iterator[str]:
    name = f"{group.id}/{one.level}"
    for step, bit in (
        ("material", one.level in (1, 3)),
        ("legal", one.level in (2, 3)),
    ):
        judged = one.judged(step)  # type: ignore[arg-type]
        if one.level in LEVELS and judged.relevant is not bit:
            yield t(
                "wrong.demonstrations.judgement",
                name=name,
                step=step,
                relevant=judged.relevant,
                level=one.level,
                bit=bit,
            )
        if len(judged.reason.strip()) < 10:
            yield t("wrong.demonstrations.no_reason", name=name, step=step)
        if group.is_anchored():
            yield from _citations(name, step, judged.reason, group.query, one)


def _citations(
    name: str,
    step: str,
    reason: str,
    query: DemonstrationCase,
    candidate: DemonstrationCase,
) -> Iterator[str]:
    for one in dict.fromkeys(cited(reason)):
        sides = (
            [query, candidate]
            if one.side is None
            else [query if one.side == "query" else candidate]
        )
        if not any(
            one.number in range(1, len(side.facts(one.kind)) + 1) for side in sides
        ):
            yield t(
                "wrong.demonstrations.cites_nothing",
                name=name,
                step=step,
                id=one.id,
                case=_called(one),
            )
        elif all(_is_secondary(side, one) for side in sides):
            yield t(
                "wrong.demonstrations.cites_secondary",
                name=name,
                step=step,
                id=one.id,
                case=_called(one),
            )


def _is_secondary(case: DemonstrationCase, one: FactCitation) -> bool:
    return (
        one.kind == "legal"
        and one.number in range(1, len(case.legal) + 1)
        and case.legal[one.number - 1].secondary
    )


def _called(one: FactCitation) -> str:
    return t(f"wrong.demonstrations.case_{one.side or 'either'}")


def _case(name: str, case: DemonstrationCase) -> Iterator[str]:
    for kind, facts in (("material", case.material), ("legal", case.legal)):
        if not facts:
            yield t("wrong.demonstrations.no_facts", name=name, kind=kind)
        for number, fact in enumerate(facts, 1):
            if not fact.fact.strip():
                yield t("wrong.demonstrations.empty_fact", name=name, kind=kind)
            needs_span = not isinstance(fact, LegalFact) or bool(fact.span)
            if needs_span and (not fact.span.strip() or fact.span not in case.text):
                yield t(
                    "wrong.demonstrations.span",
                    name=name,
                    span=fact.span[:40],
                    kind=kind,
                )
            if isinstance(fact, LegalFact):
                yield from _anchors(f"{name} L{number}", fact, len(case.material))


def _anchors(name: str, fact: LegalFact, material: int) -> Iterator[str]:
    for id_ in fact.rests_on:
        found = re.fullmatch(r"M(\d{1,3})", id_)
        if found is None:
            yield t("wrong.demonstrations.no_material_id", name=name, id=id_[:20])
        elif not 1 <= int(found[1]) <= material:
            yield t("wrong.demonstrations.no_such_fact", name=name, id=id_, n=material)
