"""Blocks that all methods for cases show to a reader: the cases, a person's label, the
ranking, and how far raters agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from ...sessions.events import Event, ReplyEvent
from ...sessions.events.labels import Label
from ...sessions.events.relevance import LEAST_PAIRS, Agreement, RelevanceResult, Score
from ...sessions.export.block import Block, Grid
from ...sessions.session import Session
from ...texts import t
from ..metrics.agreement import bits
from ..metrics.gwet import gwet_table
from ..metrics.heatmap import step
from ..metrics.levels import LEVELS, bit
from .task import candidates, gold, is_level

KINDS: tuple[Literal["material", "legal"], ...] = ("material", "legal")


def case_blocks(session: Session) -> list[Block]:
    """Return blocks of the query and every candidate."""
    asked = session.header.task.get("query")
    cases = [_case(t("relevance.query"), asked)] if isinstance(asked, dict) else []
    return cases + [
        _case(t("block.candidate", n=name), case)
        for name, case in candidates(session).items()
    ]


def _case(part: str, case: Mapping[str, object]) -> Block:
    levels = (
        [(t("judged.level_in_data"), str(case["gold"]))]
        if case.get("gold") is not None
        else []
    )
    return Block(
        kind="case",
        heading=str(case.get("title") or ""),
        text=str(case.get("text", "")),
        facts=levels,
        part=part,
    )


def say_case_event(
    block: Block, event: Event, session: Session, bits: Mapping[str, str] | None = None
) -> None:
    """Show a score, a label or the result. `bits`: of the score, as `bits_of` returns
    them.
    """
    match event:
        case Score():
            value = level_in_words(session, event.candidate, event.value)
            words = bits_of(event.value) if bits is None else bits
            block.notes = [t("judged.score", value=value, **words)]
        case Label():
            say_label(block, event)
        case RelevanceResult():
            say_result(block, event, session)


def left_out_note(characters: int) -> list[str]:
    """Return how much of a case was left out; nothing if all of it was read."""
    return [t("judged.left_out", n=f"{characters:,}")] if characters else []


def say_label(block: Block, event: Label) -> None:
    """Show who gave which level, and whether they had seen the model's level."""
    value = t("judged.no_level") if event.value is None else str(event.value)
    block.notes = [
        t("judged.label", annotator=event.annotator, case=event.candidate, value=value)
    ]
    block.notes.append(t("judged.seen" if event.seen_machine else "judged.unseen"))
    block.meta = [f"{event.seconds:.1f} s"] if event.seconds else []


def bits_of(level: int | None) -> dict[str, str]:
    """Return both bits of a level, `-` without a level."""
    return {kind: "-" if level is None else str(bit(level, kind)) for kind in KINDS}


def level_in_words(session: Session, candidate: str, level: int | None) -> str:
    """Return the level, or why there is none: a panel's tie, or unread replies."""
    tied = any(
        isinstance(event, ReplyEvent)
        and event.ties
        and getattr(event, "candidate", "") == candidate
        for event in session.events
    )
    if level is not None:
        return str(level)
    return t("judged.no_level" if tied else "judged.unread")


def say_result(block: Block, event: RelevanceResult, session: Session) -> None:
    """Show the ranking, and how far raters agree."""
    known, levels = candidates(session), gold(session)
    block.remark = t("judged.ranking")
    for place, (name, value) in enumerate(
        zip(event.ranking, event.scores, strict=False), 1
    ):
        remark = [t("judged.bits", **bits_of(value))] if is_level(value) else []
        remark += [t("judged.gold", value=levels[name])] if name in levels else []
        remark += (
            [str(known[name]["title"])] if known.get(name, {}).get("title") else []
        )
        block.scores.append(
            (
                f"{place}. {name}",
                level_in_words(session, name, value),
                " · ".join(remark),
            )
        )
    block.notes = [t("judged.left_unread", n=event.unread)] if event.unread else []
    for found in event.agreement:
        _agreement(block, found)


def _agreement(block: Block, found: Agreement) -> None:
    """Show two raters: kappa, then the base rates and the table behind it.

    Without a table, there is no kappa of the levels.
    """
    first, second = (*found.raters, "", "")[:2]
    kappas = {"material": found.material, "legal": found.legal}
    gwet: dict[str, float | None] = {}
    if _is_table(found.table):
        kappas["levels"] = found.levels
        gwet = {kind: gwet_table(bits(found.table, kind)) for kind in KINDS}
        gwet["levels"] = gwet_table(found.table, "quadratic")
        most = max(map(max, found.table))
        shades = [[step(count, most) for count in row] for row in found.table]
        title = t("judged.table", first=first, second=second)
        block.grids.append(
            Grid(
                title=title,
                down=first,
                across=second,
                counts=found.table,
                shades=shades,
            )
        )
    told, beside = (
        {
            name: t("judged.undefined") if value is None else f"{value:.2f}"
            for name, value in values.items()
        }
        for values in (kappas, gwet)
    )
    key = (
        "judged.kappa_few"
        if found.pairs < LEAST_PAIRS
        else "judged.kappa"
        if "levels" in told
        else "judged.kappa_bits"
    )
    block.notes.append(
        t(
            key,
            first=first,
            second=second,
            pairs=found.pairs,
            least=LEAST_PAIRS,
            **told,
        )
    )
    if gwet and found.pairs >= LEAST_PAIRS:
        block.notes.append(t("judged.gwet", **beside))
    block.notes += _base_rates(found)


def _base_rates(found: Agreement) -> Iterator[str]:
    """Show how often each rater gave which level and set which bit."""
    names = (*found.raters, "", "")[:2]
    for name, shares, positives in zip(
        names, found.shares, found.positives, strict=False
    ):
        levels = ", ".join(
            f"{level}: {share:.0%}" for level, share in enumerate(shares)
        )
        rates = {kind: f"{positives.get(kind, 0):.0%}" for kind in KINDS}
        yield t("judged.rates", rater=name, levels=levels, **rates)
        if 1 in shares:
            yield t("judged.single", rater=name, level=shares.index(1))


def _is_table(table: list[list[int]]) -> bool:
    """Return whether a session, which may be foreign, contains a table of the four
    levels.
    """
    return len(table) == len(LEVELS) and all(
        len(row) == len(LEVELS) and min(row) >= 0 for row in table
    )
