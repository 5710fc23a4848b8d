"""The verifier's six scores, as bars or as a table with a trend. No widgets."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content

from ....engines.rag.plan import SCORES, RagIteration
from ....sessions.events.rag import Verification
from ....texts import t
from ...bars import bar, trend
from ...title_columns import fit
from .claims import counts

Parts = list["str | Content | tuple[str, str]"]

BAR, SHORT_BAR = 10, 8
"""Cells of a score's bar, and where two iterations stand side by side."""
LABEL = 22
"""Cells of a score's name."""
FIGURE = 5
"""Cells of a figure, with a blank before it."""
COLUMNS = 2
"""Iterations that have a column of figures; the trend is of all."""


def judged(made: Verification | None) -> tuple[str, str]:
    """The judgement as a word in its colour; a panel's tie is read, and undecided."""
    if made is None:
        return ("–", "$quiet")
    judgement = made.judgement
    if judgement is None:
        tied = "judgement" in made.ties
        return t("rag.judged_undecided" if tied else "rag.unread"), "bold $warning"
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


def one(verification: Verification | None, cells: int = BAR) -> list[Content]:
    """The six scores of one iteration, with bars of this many cells.

    Unread and not measured are not numbers, and bias is named as what it is: 1 is bad.
    """
    lines = []
    for name in SCORES:
        value = getattr(verification, name, None)
        if value is not None:
            full, rest = bar(value, cells)
            bar_parts: Parts = [(full, _colour(name, value)), (rest, "$quiet")]
            bar_parts.append(f" {value:.2f}")
        elif verification is None:
            bar_parts = [("–", "$quiet")]
        elif name in verification.unmeasured:
            bar_parts = [(t("rag.unmeasured"), "$quiet")]
        else:
            bar_parts = [(t("rag.unread"), "$warning")]
        label = (fit(t(f"rag.{name}"), LABEL), "$quiet")
        lines.append(Content.assemble(label, *bar_parts, "\n"))
    return lines


def over(turns: Sequence[RagIteration], cells: int) -> list[Content]:
    """Format the scores and judgements of several iterations.

    One column for each of the newest iterations that fit, and a trend.
    """
    every = [turn.verification for turn in turns if turn.verification is not None]
    last = every[-COLUMNS:]
    width = LABEL - 1
    head = "".join(f"{one.iteration:>{FIGURE}}" for one in last)
    room = max(cells - width - len(head), 2)
    title = f" {t('rag.trend')}"
    title = title if cell_len(title) <= room else ""
    lines = [Content.styled(f"{' ' * width}{head}{title}\n", "$quiet")]
    unread = False
    for name in SCORES:
        parts: Parts = [(fit(t(f"rag.{name}"), width), "$quiet")]
        values = [getattr(one, name) for one in every]
        there = [name not in one.unmeasured for one in every]
        unread |= (None, True) in zip(values, there, strict=True)
        for value, measured in [*zip(values, there, strict=True)][-COLUMNS:]:
            if value is not None:
                parts.append((f"{value:>5.2f}", _colour(name, value)))
            else:
                parts.append(("    ?", "$warning") if measured else ("    –", "$quiet"))
        signs = trend(values) if any(value is not None for value in values) else ""
        lines.append(Content.assemble(*parts, f" {signs}"[-room:], "\n"))
    parts = [(fit(t("rag.judgement"), width), "$quiet")]
    for verification in last:
        mark = {"true": "✓", "false": "✗"}.get(verification.judgement or "", "?")
        parts.append((f"    {mark}", judged(verification)[1]))
    notes = [t("rag.unread_sign")] if unread else []
    if any(one.unmeasured for one in every):
        notes.append(t("rag.unmeasured_sign"))
    remarks = (" · ".join(notes) + "\n" if notes else "", "$quiet")
    return [*lines, Content.assemble(*parts, "\n", remarks)]


def scores_line(turn: RagIteration | None, width: int) -> Content:
    """The six scores and the claims in one line, for narrow screens; names are whole,
    and gaps wide, where there is room.
    """
    verification = turn.verification if turn is not None else None
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
            judged(verification) if verification is not None else "",
            gap,
            counts(turn),
        )
        if cell_len(line.plain) <= width:
            break
    return line
