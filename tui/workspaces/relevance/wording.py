"""Sentences and lines of the relevance screen. No widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from ....engines.cases.rating import GOLD, MACHINE
from ....engines.figures.measure import without_verdict
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
from ...showing import clean, clean_line
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
    """The content of a candidate's row."""

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
    title = clean_line(str(case.get("title", "") or ""))
    return f"{clean_line(str(case.get('id', '')))}{' · ' + title if title else ''}"


def _sizes(columns: CandidateColumns) -> dict[str, int]:
    """Cells of each column after the title, by name: as many as its heading has."""
    names = ["mf", "lf", "score"]
    names += ["baseline"] if columns.baseline else []
    names += ["own", *(["gold"] if columns.gold else [])]
    return {name: cell_len(t(f"relevance.head_{name}")) for name in names}


def _title(title: str, columns: CandidateColumns, width: int) -> str:
    """The title, in the room that the other columns leave, between two gaps."""
    sizes = _sizes(columns)
    room = max(width - columns.id - 1 - sum(sizes.values()) - len(sizes), 0)
    return f" {fit(title, room)}"


def head_row(columns: CandidateColumns, width: int) -> Content:
    """The names of the columns."""
    names = " ".join(t(f"relevance.head_{name}") for name in _sizes(columns))
    title = _title(t("relevance.head_title"), columns, width)
    return Content.styled(f"{fit('id', columns.id)}{title} {names}", "bold $quiet")


def progress(done: int, of: int, annotator: str, blind: bool) -> Content:
    """Count the candidates that the user has labelled."""
    told = t("relevance.progress", n=done, total=of, annotator=clean_line(annotator))
    mark = ("  " + t("relevance.blind") if blind else "", "bold $warning")
    return Content.assemble(
        (t("relevance.candidates"), "bold"), ("  " + told, "$quiet"), mark
    )


def row(one: CandidateRow, columns: CandidateColumns, width: int) -> Content:
    """Format a candidate: id, title, MF, LF, score, the user's level, gold."""
    unread = one.standing.score is not None and one.standing.score.value is None
    machine = None if one.standing.score is None else one.standing.score.value
    told = {
        "mf": _bit(one, "material"),
        "lf": _bit(one, "legal"),
        "score": ("?", "bold $warning") if unread else _level(machine, "bold"),
        "baseline": _level(one.baseline, "$quiet"),
        "own": _level(one.own, _agrees(one)),
        "gold": _level(one.gold, "$quiet"),
    }
    if one.hidden:
        told["score"] = told["baseline"] = ("", "")
    parts: Parts = [
        (fit(clean_line(one.id), columns.id), "bold"),
        (_title(clean_line(one.title), columns, width), "$quiet"),
    ]
    for name, size in _sizes(columns).items():
        text, style = told[name]
        parts.append((" " + fit(text, size), style))
    return Content.assemble(*parts)


def _level(value: int | None, style: str) -> tuple[str, str]:
    return ("-", "$quiet") if value is None else (str(value), style)


def _agrees(one: CandidateRow) -> str:
    score = one.standing.score
    if one.hidden or score is None or score.value is None:
        return "bold"
    if score.value == one.own:
        return "bold $success"
    return "bold $warning"


def _bit(one: CandidateRow, kind: Kind) -> tuple[str, str]:
    """Return the judged bit. For a grade, which has no judgements, that of its
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
    """Returns a case with its facts: numbered, in its text where they are there, and
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


def judged_line(
    row: CandidateRow, *, bits: bool = True, graded: Sequence[Event] = ()
) -> Content:
    """Format the user's level, never cut, then bits and score. `graded`: the grade."""
    score, made = row.standing.score, [*row.standing.made.values(), *graded]
    told = [("head_own", _level(row.own, "bold"))]
    if row.hidden:
        told.append(("hidden", ("", "")))
    else:
        told += [
            (kind, _judgement_text(row.standing.judgement(kind)))
            for kind in KINDS
            if bits
        ]
        value = _level(None if score is None else score.value, "bold")
        if score is not None and score.value is None:
            value = (t(f"relevance.{without_verdict(made)}_short"), "bold")
        told.append(("head_score", value))
        told += [
            (name, _level(level, "bold"))
            for name, level in (("baseline", row.baseline), ("head_gold", row.gold))
            if level is not None
        ]
    parts: Parts = [(t("relevance.judged"), "bold")]
    for number, (name, value_told) in enumerate(told):
        gap = "   " if number else "  "
        parts += [(f"{gap}{t(f'relevance.{name}')} ", "$quiet"), value_told]
    return Content.assemble(*parts).rstrip()


def _judgement_text(judgement: Judgement | None) -> tuple[str, str]:
    if judgement is None:
        return "-", "$quiet"
    if judgement.relevant is None:
        why = without_verdict([judgement])
        return t(f"relevance.{why}_short"), "bold $warning"
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
    """Return a candidate's stages, judgements first.

    In blind mode only a note that they are hidden.
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
        parts += ["  ", _judgement_text(made)]
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
        if made.unreadable:
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
        parts += ["  " if number else "", clean_line(one.id)]
        told = (
            []
            if one.relevant is None
            else [
                t("relevance.relevant") if one.relevant else t("relevance.irrelevant")
            ]
        )
        told += [clean_line(" ".join(one.words))] if one.words else []
        parts.append((" " + " · ".join(told), "$quiet"))
    if not event.items:
        parts.append((t("relevance.none"), "$quiet"))
    if event.passed_over:
        names = clean_line(", ".join(event.passed_over))
        parts.append(("  " + t("judged.passed_over", names=names), "$quiet"))
    return Content.assemble(*parts, "\n")


def step_name(step: RelevanceStep) -> str:
    """The next step in words: `legal facts, query`."""
    if step.stage is None:
        return t(f"relevance.step_{step.what}")
    whose = (
        t("relevance.query") if step.candidate is None else clean_line(step.candidate)
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
    return clean_line(name)


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
    """Summarise the agreement of each two raters: equal levels of all shared ones.

    The user's blind labels and the baseline are separate. The agreement screen has the
    tables and base rates that a kappa needs.
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
        told = t("relevance.alike", n=same, total=pairs)
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
    """Return the line-up and the cost, in a few lines."""
    parts: Parts = []
    for role, seat in seats:
        mark = "\u25b8" if role == speaking else " "
        parts += [
            f"\n{mark}{wording.role_name(role)}",
            (f"  {wording.model_name(seat)}", "$quiet"),
        ]
    spent = "  ".join(f"{label} {value}" for label, value in wording.spent(totals)[1:])
    name = clean_line(demonstrations_name)
    shown = f"\n {t('relevance.demonstrations')} {name}" if name else ""
    return Content.assemble(*parts, (f"{shown}\n {spent}", "$quiet"))
