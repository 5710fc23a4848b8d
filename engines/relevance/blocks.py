"""What the events of a query and its candidates say to a reader: facts, judgements with reasons, scores, labels, the ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...sessions.events import Event
from ...sessions.events.relevance import (
    LEAST_PAIRS,
    Agreement,
    DemonstrationItem,
    Demonstrations,
    Facts,
    Judgement,
    Label,
    RelevanceResult,
    Score,
)
from ...sessions.export.block import Block, Grid, Tone, read_as, shared
from ...sessions.session import Session
from ...texts import t
from ..metrics.heatmap import step
from ..metrics.levels import LEVELS, bit
from .plan import KINDS, QUERY, ROLES, Fold, candidates, gold, is_level

TONES: dict[str, Tone] = {"extractor": "blue", "annotator": "green"}

READ_OUT = frozenset(ROLES)
"""Roles whose replies are data: a reader gets what was read from them, not the text as it streams."""


def task(session: Session) -> list[Block]:
    """What is judged by which demonstrations, then the query and every candidate."""
    asked, shown = session.header.task.get("query"), str(session.header.settings.get("demonstrations", ""))
    known = candidates(session)
    notes = [t("judged.candidates", n=len(known), set=shown)]
    seated = {seat.model for _, seat in session.seated(ROLES)}
    notes += [t(f"judged.{name}") for name in ("script", "lexical") if name in seated]
    cases = [_case(t("relevance.query"), asked)] if isinstance(asked, dict) else []
    cases += [_case(t("block.candidate", n=name), case) for name, case in known.items()]
    return [Block(kind="task", heading="", notes=notes), *cases]


def _case(part: str, case: Mapping[str, Any]) -> Block:
    levels = [(t("judged.level_in_data"), str(case["gold"]))] if case.get("gold") is not None else []
    return Block(kind="case", heading=str(case.get("title") or ""), text=str(case.get("text", "")), facts=levels, part=part)


def block(event: Event, session: Session) -> Block:
    """One event."""
    block = shared(event)
    match event:
        case Demonstrations():
            block.part = block.part or t("relevance.query")
            block.heading = t("judged.demonstrations", step=t(f"judged.step_{event.step.replace('-', '_')}"))
            block.notes = [", ".join(map(_chosen, event.items)) or t("judged.none")]
        case Facts():
            _facts(block, event)
        case Judgement():
            _judgement(block, event)
        case Score():
            value = t("judged.unread") if event.value is None else str(event.value)
            block.notes = [t("judged.score", value=value, **_bits_of(event, session))]
        case Label():
            value = t("judged.no_level") if event.value is None else str(event.value)
            block.notes = [t("judged.label", annotator=event.annotator, case=event.candidate, value=value)]
            block.notes.append(t("judged.seen" if event.seen_machine else "judged.unseen"))
            block.meta = [f"{event.seconds:.1f} s"] if event.seconds else []
        case RelevanceResult():
            _result(block, event, session)
    return block


def _chosen(item: DemonstrationItem) -> str:
    remarks = [t("judged.at_random")] if item.score is None else []
    remarks += [t("judged.shared", words=" ".join(item.words))] if item.words else []
    remarks += [] if item.relevant is None else [t("judged.relevant" if item.relevant else "judged.irrelevant")]
    return f"{item.id} ({', '.join(remarks)})" if remarks else item.id


def _facts(block: Block, event: Facts) -> None:
    block.part = t("relevance.query") if event.case == QUERY else t("block.candidate", n=event.case)
    block.remark = t(f"judged.facts_{event.kind}")
    block.unread = block.unread and not event.edited
    read_as(block, "\n".join(f"- {item.text}" for item in event.items) or t("judged.none"))
    block.notes = [t("judged.query_unread")] if block.unread and event.case == QUERY else []
    block.notes += [t("judged.left_out", n=f"{event.left_out:,}")] if event.left_out else []
    block.notes += [t("judged.pieces", n=event.pieces)] if event.pieces > 1 else []
    block.notes += [t("judged.edited")] if event.edited else []


def _judgement(block: Block, event: Judgement) -> None:
    judged = t({True: "judged.relevant", False: "judged.irrelevant", None: "judged.unread"}[event.relevant])
    block.remark = t(f"judged.judgement_{event.kind}", value=judged)
    block.unread = event.relevant is None
    read_as(block, event.reason)
    block.notes = [t("judged.left_out", n=f"{event.left_out:,}")] if event.left_out else []


def _bits_of(event: Score, session: Session) -> dict[str, str]:
    """Both bits of a score. A score without a value may have one bit: that of the judgement then in force."""
    if is_level(event.value):
        return _bits(event.value)
    standing = Fold(session.prefix(event.number)).candidates.get(event.candidate) if event.value is None else None
    judged = {kind: standing.judgement(kind) if standing is not None else None for kind in KINDS}
    return {kind: "-" if made is None or made.relevant is None else str(int(made.relevant)) for kind, made in judged.items()}


def _bits(level: int | None) -> dict[str, str]:
    return {kind: "-" if level is None else str(bit(level, kind)) for kind in KINDS}


def _result(block: Block, event: RelevanceResult, session: Session) -> None:
    """The ranking, and how far raters agree."""
    known, levels = candidates(session), gold(session)
    block.remark = t("judged.ranking")
    for place, (name, value) in enumerate(zip(event.ranking, event.scores, strict=False), 1):
        remark = [t("judged.bits", **_bits(value))] if is_level(value) else []
        remark += [t("judged.gold", value=levels[name])] if name in levels else []
        remark += [str(known[name]["title"])] if known.get(name, {}).get("title") else []
        block.scores.append((f"{place}. {name}", t("judged.unread") if value is None else str(value), " · ".join(remark)))
    block.notes = [t("judged.left_unread", n=event.unread)] if event.unread else []
    for found in event.agreement:
        _agreement(block, found)


def _agreement(block: Block, found: Agreement) -> None:
    """Two raters: kappa, then the base rates and the table that it rests on. Without a table, no kappa of the levels."""
    first, second = (*found.raters, "", "")[:2]
    kappas = {"material": found.material, "legal": found.legal}
    if _is_table(found.table):
        kappas["levels"] = found.levels
        most = max(map(max, found.table))
        shades = [[step(count, most) for count in row] for row in found.table]
        title = t("judged.table", one=first, other=second)
        block.grids.append(Grid(title=title, down=first, across=second, counts=found.table, shades=shades))
    told = {name: t("judged.undefined") if value is None else f"{value:.2f}" for name, value in kappas.items()}
    key = "judged.kappa_few" if found.pairs < LEAST_PAIRS else "judged.kappa" if "levels" in told else "judged.kappa_bits"
    block.notes.append(t(key, one=first, other=second, pairs=found.pairs, least=LEAST_PAIRS, **told))
    for name, shares, positives in zip((first, second), found.shares, found.positives, strict=False):
        levels = ", ".join(f"{level}: {share:.0%}" for level, share in enumerate(shares))
        block.notes.append(t("judged.rates", rater=name, levels=levels, **{kind: f"{positives.get(kind, 0):.0%}" for kind in KINDS}))
        block.notes += [t("judged.single", rater=name, level=shares.index(1))] if 1 in shares else []


def _is_table(table: list[list[int]]) -> bool:
    """Whether a session, from elsewhere perhaps, holds a table of the four levels."""
    return len(table) == len(LEVELS) and all(len(row) == len(LEVELS) and min(row) >= 0 for row in table)


def closing(session: Session, raters: Sequence[str] = ()) -> list[Block]:
    """How the raters of the session agree, with tables and every kappa. BadInput for a rater that nobody is."""
    from .agreed import agreement_blocks

    return agreement_blocks(session, raters)
