"""Sentences and lines of the relevance screen, made from what is in force.

Nothing here is a widget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from ....engines.cases.rating import GOLD, MACHINE
from ....engines.relevance.plan import (
    KINDS,
    STAGES,
    CurrentStages,
    Kind,
    RelevanceState,
    RelevanceStep,
    readable,
)
from ....engines.relevance.rendered_demonstrations import numbered
from ....sessions.events import Event
from ....sessions.events.relevance import (
    Agreement,
    Demonstrations,
    Facts,
    Judgement,
    RelevanceResult,
    Stage,
)
from ....sessions.session import Seat, Totals
from ....texts import t
from ... import wording
from ...showing import clean
from ...title_columns import fit
from ...widgets.flowing import flowing
from ..rag.wording import plain as plain
from .widgets.page import CharacterSpan, Listing, Page, PageFact

Parts = list["str | Content | tuple[str, str]"]

BITS = {
    True: ("\u2713", "bold $success"),
    False: ("\u2717", "$quiet"),
    None: ("?", "bold $warning"),
}


class CandidateRow(NamedTuple):
    """What a candidate's row shows."""

    id: str
    title: str
    standing: CurrentStages
    own: int | None
    gold: int | None
    """None: there is none, or it is not to be seen."""
    hidden: bool
    baseline: int | None = None
    """The level of the baseline, beside an example."""


def candidate_of(event: Event) -> str | None:
    """The candidate that an event is about, if it is about one."""
    if isinstance(event, Facts):
        return event.case
    return getattr(event, "candidate", None)


class CandidateColumns(NamedTuple):
    """Cells of the columns that vary."""

    id: int
    gold: bool
    baseline: bool = False


def case_name(case: Mapping[str, object]) -> str:
    """Id and title."""
    title = clean(str(case.get("title", "") or ""), newlines=False)
    return f"{clean(str(case.get('id', '')), newlines=False)}{' · ' + title if title else ''}"


def _cells(columns: CandidateColumns) -> int:
    return columns.id + 20 + 6 * (columns.gold + columns.baseline)


def head_row(columns: CandidateColumns, width: int) -> Content:
    """The names of the columns."""
    shown = (
        ("mf", "lf", "score", "baseline", "own")
        if columns.baseline
        else ("mf", "lf", "score", "own")
    )
    names = [
        fit(t(f"relevance.head_{name}"), 3 if name in ("mf", "lf") else 5)
        for name in shown
    ]
    gold = " " + fit(t("relevance.head_gold"), 5) if columns.gold else ""
    room = max(width - _cells(columns) - 2, 0)
    return Content.styled(
        f"{fit('id', columns.id)} {fit(t('relevance.head_title'), room)} "
        f"{' '.join(names)}{gold}",
        "bold $quiet",
    )


def progress(done: int, of: int, annotator: str, blind: bool) -> Content:
    """How many candidates have one's own label."""
    told = t(
        "relevance.progress", n=done, of=of, annotator=clean(annotator, newlines=False)
    )
    mark = ("  " + t("relevance.blind") if blind else "", "bold $warning")
    return Content.assemble(
        (t("relevance.candidates"), "bold"), ("  " + told, "$quiet"), mark
    )


def row(one: CandidateRow, columns: CandidateColumns, width: int) -> Content:
    """A candidate in one line: id, title, MF, LF, score, one's own level, gold."""
    parts: Parts = [(fit(clean(one.id, newlines=False), columns.id), "bold"), " "]
    room = max(width - _cells(columns) - 2, 0)
    parts += [(fit(clean(one.title, newlines=False), room), "$quiet"), " "]
    for kind in KINDS:
        parts += [_bit(one, kind), "   "[: 3 - 1], " "]
    score = one.standing.score
    if one.hidden or score is None:
        parts.append(("-    " if not one.hidden else "     ", "$quiet"))
    else:
        parts.append(
            (
                fit("?" if score.value is None else str(score.value), 5),
                "bold $warning" if score.value is None else "bold",
            )
        )
    if columns.baseline:
        level = "-" if one.baseline is None else str(one.baseline)
        parts += [" ", (fit("" if one.hidden else level, 5), "$quiet")]
    parts += [
        " ",
        (
            fit("-" if one.own is None else str(one.own), 5),
            "$quiet" if one.own is None else _agrees(one),
        ),
    ]
    if columns.gold:
        parts += [" ", (fit("-" if one.gold is None else str(one.gold), 5), "$quiet")]
    return Content.assemble(*parts)


def _agrees(one: CandidateRow) -> str:
    score = one.standing.score
    if one.hidden or score is None or score.value is None:
        return "bold"
    if score.value == one.own:
        return "bold $success"
    return "bold $warning"


def _bit(one: CandidateRow, kind: Kind) -> tuple[str, str]:
    """What was judged; of a grade, which stands without judgements, the bit of its
    level.
    """
    judgement, score = one.standing.judgement(kind), one.standing.score
    if one.hidden:
        return " ", ""
    if judgement is None and score is not None:
        return BITS[
            None
            if score.value is None
            else bool(score.value & (1 if kind == "material" else 2))
        ]
    if judgement is not None:
        return BITS[judgement.relevant]
    return ("-", "$quiet")


# The two cases


def page(text: str, standing: CurrentStages, upto: int) -> Page:
    """Returns a case with its facts: numbered, in its text where they stand there, and
    listed. `upto`: how many characters are shown.
    """
    listings = [
        listing(facts, len(text))
        for kind in KINDS
        if (facts := standing.facts(kind)) is not None
    ]
    later = sum(
        fact.place is not None and fact.place.start >= upto
        for one in listings
        for fact in one.facts
    )
    more = (
        t("relevance.more", n=f"{len(text) - upto:,}", facts=later)
        if len(text) > upto
        else ""
    )
    return Page(text, listings, upto, more)


def listing(facts: Facts, length: int) -> Listing:
    """Returns one kind of facts of a text of some length with their numbers, and what
    is to be said of them.
    """
    warnings = []
    if facts.left_out:
        warnings.append(t("relevance.left_out", n=f"{facts.left_out:,}"))
    if facts.pieces > 1:
        warnings.append(t("relevance.pieces", n=facts.pieces))
    if facts.read == "unread" and not facts.edited:
        warnings.append(t("relevance.unread"))
    elif not facts.items:
        warnings.append(t("relevance.no_facts"))
    items = []
    for one, (label, _) in zip(
        facts.items, numbered(facts.items, facts.kind), strict=True
    ):
        found = (
            facts.kind == "material"
            and one.start is not None
            and one.end is not None
            and 0 <= one.start < one.end <= length
        )
        place = CharacterSpan(one.start or 0, one.end or 0) if found else None
        remarks = [
            t("relevance.secondary") if one.secondary else "",
            t("relevance.not_in_text")
            if facts.kind == "material" and place is None
            else "",
        ]
        items.append(
            PageFact(label, one.text, place, " · ".join(filter(None, remarks)))
        )
    return Listing(t(f"relevance.facts_{facts.kind}"), _made(facts), warnings, items)


def _made(event: Facts | Judgement) -> str:
    if isinstance(event, Facts) and event.edited:
        return t("relevance.by_you")
    return wording.meta(event)


# The stages


def judged_line(row: CandidateRow, *, bits: bool = True) -> Content:
    """Bits, score and one's own level in a line."""
    parts: Parts = [(t("relevance.judged"), "bold"), "  "]
    if row.hidden:
        parts += [(t("relevance.hidden"), "$quiet"), "  "]
    else:
        for kind in KINDS if bits else ():
            judgement = row.standing.judgement(kind)
            parts += [(t(f"relevance.{kind}") + " ", "$quiet"), _told(judgement), "   "]
        score = row.standing.score
        value = (
            "-"
            if score is None
            else t("relevance.unread_short")
            if score.value is None
            else str(score.value)
        )
        parts += [(t("relevance.head_score") + " ", "$quiet"), (value, "bold"), "   "]
        if row.baseline is not None:
            parts += [
                (t("relevance.baseline") + " ", "$quiet"),
                (str(row.baseline), "bold"),
                "   ",
            ]
        if row.gold is not None:
            parts += [
                (t("relevance.head_gold") + " ", "$quiet"),
                (str(row.gold), "bold"),
                "   ",
            ]
    parts += [
        (t("relevance.head_own") + " ", "$quiet"),
        ("-" if row.own is None else str(row.own), "bold"),
    ]
    return Content.assemble(*parts)


def _told(judgement: Judgement | None) -> tuple[str, str]:
    if judgement is None:
        return "-", "$quiet"
    if judgement.relevant is None:
        return t("relevance.unread_short"), "bold $warning"
    if judgement.relevant:
        return (t("relevance.relevant"), "bold $success")
    return (t("relevance.irrelevant"), "bold")


def stages(
    fold: RelevanceState,
    shown: CandidateRow,
    coming: RelevanceStep | None,
    result: RelevanceResult | None,
    invitation: Content | None = None,
) -> Content:
    """What has been made of a candidate, the judgements first; in blind mode only that
    something is hidden.
    """
    parts: Parts = [judged_line(shown), "\n"]
    if invitation is not None:
        parts += ["\n", invitation, "\n"]
    if coming is not None:
        parts.append((t("relevance.coming", what=step_name(coming)) + "\n", "$quiet"))
    elif result is not None and not shown.hidden:
        parts.append(
            (
                t("relevance.all_done", n=len(result.ranking), unread=result.unread)
                + "\n",
                "$quiet",
            )
        )
    if shown.hidden:
        return Content.assemble(*parts, (t("relevance.hidden_about"), "$quiet"))
    for kind in KINDS:
        if fold.query.facts(kind) is not None and not readable(fold.query.facts(kind)):
            parts.append(
                (
                    t("relevance.query_unread", kind=t(f"relevance.{kind}")) + "\n",
                    "$warning",
                )
            )
    for stage in reversed(STAGES):
        if stage.startswith("judgement"):
            parts.append(_stage(shown.standing, stage, ""))
    for stage in STAGES[:2]:
        parts += [
            _stage(shown.standing, stage, t("relevance.of_candidate")),
            _stage(fold.query, stage, t("relevance.of_query")),
        ]
    return Content.assemble(*parts)


def _stage(standing: CurrentStages, stage: Stage, whose: str) -> Content:
    made, chosen = standing.made.get(stage), standing.demonstrations.get(stage)
    if made is None and chosen is None:
        return Content("")
    name = t(f"relevance.stage_{stage.replace('-', '_')}") + (
        f", {whose}" if whose else ""
    )
    parts: Parts = ["\n", (name, "bold")]
    if isinstance(made, Judgement):
        parts += ["  ", _told(made)]
    elif isinstance(made, Facts):
        parts.append(f"  {t('relevance.count', n=len(made.items))}")
    if made is not None:
        parts.append(("  " + _made(made), "$quiet"))
    parts.append("\n")
    if isinstance(made, Judgement):
        if made.left_out:
            parts.append(
                (t("relevance.left_out", n=f"{made.left_out:,}") + "\n", "$warning")
            )
        if made.read == "unread":
            parts.append((t("relevance.unread") + "\n", "$warning"))
        elif made.reason:
            parts += [flowing(clean(made.reason)), "\n"]
        parts += wording.votes(made)
    if chosen is not None:
        parts.append(demonstrations(chosen))
    return Content.assemble(*parts)


def demonstrations(event: Demonstrations) -> Content:
    """Which ones were chosen, best first, and the shared words that decided."""
    parts: Parts = [(t("relevance.demonstrations") + " ", "$quiet")]
    for number, one in enumerate(event.items):
        parts += ["  " if number else "", clean(one.id, newlines=False)]
        told = (
            []
            if one.relevant is None
            else [
                t("relevance.relevant") if one.relevant else t("relevance.irrelevant")
            ]
        )
        told += [clean(" ".join(one.words), newlines=False)] if one.words else []
        parts.append((" " + " · ".join(told), "$quiet"))
    if not event.items:
        parts.append((t("relevance.none"), "$quiet"))
    if event.passed_over:
        names = clean(", ".join(event.passed_over), newlines=False)
        parts.append(("  " + t("judged.passed_over", names=names), "$quiet"))
    return Content.assemble(*parts, "\n")


def step_name(step: RelevanceStep) -> str:
    """The next step in words: `legal facts, query`."""
    if step.stage is None:
        return t(f"relevance.step_{step.what}")
    whose = (
        t("relevance.query")
        if step.candidate is None
        else clean(step.candidate, newlines=False)
    )
    name = t(f"relevance.stage_{step.stage.replace('-', '_')}")
    if step.what == "demonstrations":
        return t("relevance.step_demonstrations", what=name, case=whose)
    return f"{name}, {whose}"


# Agreement


def rater(name: str, own: str) -> str:
    """A rater as the screen calls it."""
    if name in (MACHINE, GOLD):
        return t(f"relevance.{name}")
    if name == own:
        return t("relevance.you")
    return clean(name, newlines=False)


def kappa(value: float | None) -> str:
    if value is None:
        return t("relevance.undefined")
    return f"{value:.2f}"


def agreement(
    found: Sequence[Agreement],
    own: str,
    blind: tuple[int, int],
    width: int,
    baseline: tuple[int, int] = (0, 0),
) -> Content:
    """How many candidates every two raters have given the same level, and of how many;
    one's blind labels and the baseline apart.

    There is no room for tables and base rates here, without which a kappa says little:
    those are on the screen of agreement.
    """
    parts: Parts = [
        (t("relevance.agreement"), "bold"),
        ("  " + t("relevance.agreement_how"), "$quiet"),
    ]
    alike = [sum(row[level] for level, row in enumerate(one.table)) for one in found]
    rows = [
        (f"{rater(one.raters[0], own)} - {rater(one.raters[1], own)}", n, one.pairs)
        for one, n in zip(found, alike, strict=True)
    ]
    if baseline[0]:
        rows.append(
            (
                t("relevance.machine") + " - " + t("relevance.baseline"),
                baseline[1],
                baseline[0],
            )
        )
    if blind[0]:
        rows.append((t("relevance.blind_labels"), blind[1], blind[0]))
    for name, same, pairs in rows:
        told = t("relevance.alike", n=same, of=pairs)
        parts.append(f"\n{fit(name, max(width - cell_len(told) - 1, 8))} {told}")
    if not rows:
        parts.append(("\n" + t("relevance.no_agreement"), "$quiet"))
    return Content.assemble(*parts)


def about(
    seats: Sequence[tuple[str, Seat]],
    speaking: str,
    totals: Totals,
    demonstrations_name: str,
) -> Content:
    """Who answers for what and what it has cost, in a few lines."""
    parts: Parts = []
    for role, seat in seats:
        mark = "\u25b8" if role == speaking else " "
        parts += [
            f"\n{mark}{wording.role_name(role)}",
            (f"  {wording.model_name(seat)}", "$quiet"),
        ]
    spent = "  ".join(f"{label} {value}" for label, value in wording.spent(totals)[1:])
    name = clean(demonstrations_name, newlines=False)
    shown = f"\n {t('relevance.demonstrations')} {name}" if name else ""
    return Content.assemble(*parts, (f"{shown}\n {spent}", "$quiet"))
