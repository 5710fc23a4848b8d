"""The verifier's six scores: those of one iteration as bars, those of several as a
table with their trend. Nothing here is a widget.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content

from ....engines.rag.plan import SCORES, RagIteration
from ....sessions.events.rag import Verification
from ....texts import t
from ...bars import bar, trend
from ...showing import clean
from ...title_columns import fit
from .claims import counts

Parts = list["str | Content | tuple[str, str]"]

BAR, SHORT_BAR = 10, 8
"""Cells of a score's bar, and where two iterations stand side by side."""
LABEL = 22
"""Cells of a score's name."""
COLUMNS = 2
"""Iterations that have a column of figures; the trend is of all."""


def judged(judgement: str | None, made: bool = True) -> tuple[str, str]:
    """The judgement as a word in its colour."""
    if judgement is None:
        if made:
            return (t("rag.unread"), "bold $warning")
        return ("–", "$quiet")
    return t(f"rag.judged_{judgement}"), {
        "true": "bold $success",
        "false": "bold $error",
    }.get(judgement, "bold $warning")


def _colour(name: str, value: float) -> str:
    good = 1 - value if name == "bias" else value
    if good >= 0.6:
        return "$success"
    if good >= 0.3:
        return "$warning"
    return "$error"


def score_line(
    name: str,
    value: float | None,
    *,
    made: bool,
    measured: bool = True,
    cells: int = BAR,
) -> Content:
    """A score as a bar and a number.

    Unread and not measured are no numbers, and bias is named as what it is: 1 is bad.
    """
    label = (fit(t(f"rag.{name}"), LABEL), "$quiet")
    if not measured:
        return Content.assemble(label, (t("rag.unmeasured") + "\n", "$quiet"))
    if value is None:
        return Content.assemble(
            label,
            (t("rag.unread") if made else "–", "$warning" if made else "$quiet"),
            "\n",
        )
    full, rest = bar(value, cells)
    return Content.assemble(
        label, (full, _colour(name, value)), (rest, "$quiet"), f" {value:.2f}\n"
    )


def one(verification: Verification | None, cells: int = BAR) -> list[Content]:
    """The six scores of one iteration, with bars of so many cells."""
    unmeasured = verification.unmeasured if verification is not None else []
    made = verification is not None
    return [
        score_line(
            name,
            getattr(verification, name, None),
            made=made,
            measured=name not in unmeasured,
            cells=cells,
        )
        for name in SCORES
    ]


def over(turns: Sequence[RagIteration]) -> list[Content]:
    """The six scores and the judgement of several iterations: a column for the newest
    ones, and the trend of all.
    """
    made = [
        (turn.iteration, turn.verification)
        for turn in turns
        if turn.verification is not None
    ]
    last = made[-COLUMNS:]
    head = "".join(f"{number:>5} " for number, _ in last)
    lines = [Content.styled(" " * LABEL + head + " " + t("rag.trend") + "\n", "$quiet")]
    for name in SCORES:
        parts: Parts = [(fit(t(f"rag.{name}"), LABEL), "$quiet")]
        for _, verification in last:
            value = getattr(verification, name)
            if value is not None:
                parts.append((f"{value:>5.2f} ", _colour(name, value)))
            else:
                parts.append(
                    ("    – ", "$quiet")
                    if name in verification.unmeasured
                    else ("    ? ", "$warning")
                )
        values = [
            None if name in each.unmeasured else getattr(each, name) for _, each in made
        ]
        signs = trend(values) if any(value is not None for value in values) else ""
        lines.append(Content.assemble(*parts, " ", signs, "\n"))
    parts = [(fit(t("rag.judgement"), LABEL), "$quiet")]
    for _, verification in last:
        mark = {"true": "✓", "false": "✗"}.get(verification.judgement or "", "?")
        parts.append((f"    {mark} ", judged(verification.judgement)[1]))
    every = [each for _, each in made]
    notes = (
        [t("rag.unread_sign")]
        if any(
            getattr(each, name) is None and name not in each.unmeasured
            for each in every
            for name in SCORES
        )
        else []
    )
    notes += (
        [t("rag.unmeasured_sign")] if any(each.unmeasured for each in every) else []
    )
    lines.append(
        Content.assemble(
            *parts, "\n", (" · ".join(notes) + "\n" if notes else "", "$quiet")
        )
    )
    return lines


def queries(turns: Sequence[RagIteration]) -> list[Content]:
    """What each iteration before the last was judged, and the query that followed."""
    lines = []
    for turn in turns[:-1]:
        if turn.verification is None:
            continue
        revised = (turn.verification.revised_query or "").strip()
        query: Parts = [" → ", clean(revised, newlines=False)] if revised else []
        lines.append(
            Content.assemble(
                (f"{turn.iteration} ", "$quiet"),
                judged(turn.verification.judgement),
                *query,
                "\n",
            )
        )
    return lines


def scores_line(turn: RagIteration | None, width: int) -> Content:
    """The six scores and the claims in one line, for narrow screens; names are whole,
    and gaps wide, where there is room.
    """
    verification = turn.verification if turn is not None else None
    judgement = getattr(verification, "judgement", None)
    line = Content()
    for prefix, gap in (("", "  "), ("short_", "  "), ("short_", " ")):
        parts: Parts = []
        for name in SCORES:
            value = getattr(verification, name, None)
            unread = verification is not None and name not in verification.unmeasured
            parts += [
                (t(f"rag.{prefix}{name}") + " ", "$quiet"),
                ("?" if unread else "–") if value is None else f"{value:.2f}",
                gap,
            ]
        line = Content.assemble(
            *parts,
            judged(judgement, verification is not None)
            if verification is not None
            else "",
            gap,
            counts(turn),
        )
        if cell_len(line.plain) <= width:
            break
    return line
