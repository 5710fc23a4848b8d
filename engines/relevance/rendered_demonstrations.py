"""How prompts show demonstrations and facts. Facts have ids. Prompts that judge a pair
omit the circumstances of sentencing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...prompts import render
from ...prompts.demonstrations import DemonstrationCase, LegalFact
from ...sessions.events.relevance import DemonstrationItem, FactItem, Stage
from ..models.tokens import estimate
from .matching import DemonstrationPool
from .plan import KINDS, Kind, kind_of

Templates = Mapping[str, str]
Listing = Callable[[Iterable[str]], str]
"""Makes one text of the lines of a list."""

LETTERS: dict[Kind, str] = {"material": "M", "legal": "L"}


class DemonstrationBlock(NamedTuple):
    """A text to enclose, rendered with the template of this name."""

    name: str
    text: str


class RenderedDemonstration(NamedTuple):
    """One demonstration."""

    blocks: list[DemonstrationBlock]
    reply: str
    """As the seat is to reply."""
    spans: str = ""
    """What the facts rest on: words of the text, or material facts."""


class NumberedFact(NamedTuple):
    """A fact with its id, which is its place in the list. An omitted fact
    leaves a gap.
    """

    id: str
    text: str

    @property
    def line(self) -> str:
        return f"{self.id} {' '.join(self.text.split())}"


def numbered(
    facts: Iterable[str | FactItem], kind: Kind, *, judged: bool = False
) -> list[NumberedFact]:
    """Number the facts of a list.

    `judged`: the list is for a judgement, so circumstances of sentencing are omitted.
    """
    return [
        NumberedFact(
            f"{LETTERS[kind]}{number}", fact if isinstance(fact, str) else fact.text
        )
        for number, fact in enumerate(facts, 1)
        if not (judged and isinstance(fact, FactItem) and fact.secondary)
    ]


def facts_of(
    case: DemonstrationCase, kind: Kind, *, judged: bool = False
) -> list[NumberedFact]:
    """Return the facts of a demonstrated case, as `numbered` does."""
    items = [
        FactItem(
            text=fact.fact, secondary=isinstance(fact, LegalFact) and fact.secondary
        )
        for fact in case.facts(kind)
    ]
    return numbered(items, kind, judged=judged)


def listed(templates: Templates, lines: Iterable[str]) -> str:
    """Return the facts as a list in text."""
    return render(
        templates, "facts", facts=[" ".join(line.split()) for line in lines]
    ).rstrip()


def shown(
    listing: Listing,
    pool: DemonstrationPool,
    stage: Stage,
    id_: str,
    *,
    extraction: bool,
) -> RenderedDemonstration:
    """Render a demonstration for the prompt of a stage.

    Raises: DemonstrationGone if the set does not have it.
    """
    kind = kind_of(stage)
    if not stage.startswith("judgement"):
        return _extracted(
            listing, pool.case(id_), kind, chinese=pool.language.startswith("zh")
        )
    query, candidate = pool.pair(id_)
    if extraction:
        blocks = [
            DemonstrationBlock(
                f"name_{name}_{one}",
                listing(fact.line for fact in facts_of(case, one, judged=True)),
            )
            for one in (KINDS if kind == "legal" else ("material",))
            for name, case in (("query", query), ("candidate", candidate))
        ]
    else:
        blocks = [
            DemonstrationBlock("name_query", query.text),
            DemonstrationBlock("name_candidate", candidate.text),
        ]
    judged = candidate.judged(kind)
    return RenderedDemonstration(
        blocks, _json({"reason": judged.reason, "relevant": judged.relevant})
    )


def size_of(
    pool: DemonstrationPool, stage: Stage, id_: str, *, extraction: bool
) -> int:
    """Return the approximate size of a demonstration in the prompt of a stage, in
    tokens.
    """
    one = shown("\n".join, pool, stage, id_, extraction=extraction)
    return sum(
        map(estimate, [*(block.text for block in one.blocks), one.reply, one.spans])
    )


def fitting(
    items: Sequence[DemonstrationItem],
    shots: int,
    tokens: int,
    size: Callable[[str], int],
) -> tuple[list[DemonstrationItem], list[str]]:
    """Return the best items, at most `shots`, that fit into the token budget together,
    best first, and the ids of better items that were skipped.

    If no item fits, the shortest one is returned.
    """
    chosen: list[DemonstrationItem] = []
    passed = []
    left = tokens
    for item in items:
        if len(chosen) == shots:
            break
        needed = size(item.id)
        if needed <= left:
            chosen.append(item)
            left -= needed
        else:
            passed.append(item.id)
    if not chosen and shots and items:
        chosen = [min(items, key=lambda item: size(item.id))]
        passed.remove(chosen[0].id)
    return chosen, passed


def _extracted(
    listing: Listing, case: DemonstrationCase, kind: Kind, *, chinese: bool
) -> RenderedDemonstration:
    if kind == "material":
        spans = [
            f"M{number} {_known(one.span, one.why, chinese=chinese)}"
            for number, one in enumerate(case.material, 1)
        ]
        return RenderedDemonstration(
            [DemonstrationBlock("name_case", case.text)],
            _json({"facts": _texts(case.material)}),
            listing(spans),
        )
    rests = [
        f"L{number}: {_known(', '.join(one.rests_on), one.why, chinese=chinese)}"
        for number, one in enumerate(case.legal, 1)
        if one.rests_on
    ]
    reply = {
        "facts": _texts([one for one in case.legal if not one.secondary]),
        "secondary": _texts([one for one in case.legal if one.secondary]),
    }
    material = listing(one.line for one in facts_of(case, "material"))
    return RenderedDemonstration(
        [DemonstrationBlock("name_material", material)],
        _json(reply),
        listing(rests) if rests else "",
    )


def _known(grounds: str, why: str, *, chinese: bool) -> str:
    """What a fact rests on, with the legal knowledge behind it."""
    if not why:
        return grounds
    if chinese:
        return f"{grounds}\uff08{why}\uff09"
    return f"{grounds} ({why})"


def _texts(facts: Sequence[Any]) -> list[str]:
    return [one.fact for one in facts]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
