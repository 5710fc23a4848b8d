"""The RAG tab's view of a `rank` session: answers, rankings by criterion, ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from ....engines.rank.blocks import criterion_name, in_order, order_of, with_query
from ....engines.rank.plan import (
    RANKER,
    RankStep,
    accepted,
    answers,
    criteria,
    rankings,
    result,
    shown,
    upcoming,
)
from ....sessions.events.rank import Ranking, RankResult
from ....texts import has, t
from ... import wording
from ...showing import clean, clean_line
from ...title_columns import fit
from ...widgets.flowing import flowing

if TYPE_CHECKING:
    from ....sessions.events import Event
    from ....sessions.session import Session

Parts = list["str | Content | tuple[str, str]"]

NAME, CELL = 12, 5
"""Cells of an answer's name and of a rank in the table."""


def hides_names(session: Session) -> bool:
    """Whether a person ranks, and so must not see which system wrote an answer."""
    return session.seat(RANKER).model == "human" and upcoming(session) is not None


def builtin_note(session: Session) -> str:
    """Explain the built-in that ranks, as a paragraph; "" for other models and
    people.
    """
    model = session.seat(RANKER).model
    if model in ("script", "lexical"):
        return t(f"ranked.{model}") + "\n\n"
    return ""


def answers_head(session: Session) -> Content:
    """The title above the answers."""
    return Content.assemble(
        t("ranked.title"), (f"  {len(answers(session))}", "not bold $quiet")
    )


def answers_of(session: Session) -> Content:
    """Return every answer with its number and name.

    For a person who ranks, without names and in scoring order.
    """
    parts: Parts = []
    for n, (name, text) in enumerate(_listed(session), 1):
        parts += [(f"{n} ", "$quiet"), (clean_line(name) + "\n", "bold")]
        parts += [flowing(clean(text)), "\n\n"]
    right = "; ".join(clean_line(one) for one in accepted(session))
    if right:
        parts += [(t("ranked.accepted") + "\n", "$quiet"), right, "\n"]
    return Content.assemble(*parts)


def _listed(session: Session) -> list[tuple[str, str]]:
    everybody = {one.name: with_query(one) for one in answers(session)}
    step = upcoming(session)
    if not hides_names(session) or step is None:
        return list(everybody.items())
    names = shown(
        session, step.criterion or next(iter(criteria(session)), ""), step.turn
    )
    return [("", everybody[name]) for name in names]


def rankings_of(session: Session, width: int) -> Content:
    """Return the next step, then all rankings, newest first: order and reason."""
    parts: Parts = []
    step = upcoming(session)
    if step is not None:
        parts += [(step_name(step) + "\n\n", "$quiet")]
    hidden = hides_names(session)
    for event in reversed(list(rankings(session).values())):
        parts += [
            (_title(event), "bold"),
            ("  " + wording.meta(event) + "\n", "$quiet"),
        ]
        if event.unreadable:
            parts += [
                (t("ranked.unread_reply") + "\n", "$warning"),
                clean(event.text),
                "\n\n",
            ]
            continue
        parts += [] if hidden else [clean_line(in_order(event.order)), "\n"]
        parts += (
            [flowing(clean(event.reason), "$quiet", width), "\n\n"]
            if event.reason.strip()
            else ["\n"]
        )
        parts += [] if hidden else wording.votes(event)
    return Content.assemble(*parts)


def step_name(step: RankStep) -> str:
    """The next step in words: `Next: bias, in the opposite order`."""
    if step.what == "result":
        return t("ranked.coming_result")
    return t(
        "ranked.coming_turned" if step.turn == 2 else "ranked.coming",
        criterion=criterion_name(step.criterion),
    )


def _title(event: Ranking) -> str:
    name = _name(event.criterion)
    if event.turn == 2:
        return t("ranked.turned", criterion=name)
    return name


def role_asked(session: Session) -> str:
    """The next role to be called; "" without one."""
    step = upcoming(session)
    if step is not None:
        return step.role
    return ""


def concluded(event: Event | None) -> tuple[Content, str] | None:
    """The order under every criterion, for the box of the result, and how the box is to
    look; None for another event.
    """
    if not isinstance(event, RankResult):
        return None
    parts: Parts = [(f" {t('result.title')} ", "bold reverse"), "\n"]
    for criterion in event.ranks:
        parts += [
            clean_line(criterion_name(criterion)) + "  ",
            (clean_line(in_order(order_of(event, criterion))), "bold"),
            "\n",
        ]
    if event.unread:
        parts += [
            t("ranked.unread", names=t("asked.comma").join(map(_name, event.unread))),
            "\n",
        ]
    for name, share in event.consistent.items():
        parts += [
            (
                t("ranked.consistent", criterion=_name(name), share=share) + "\n",
                "$quiet",
            )
        ]
    return Content.assemble(*parts).rstrip(), "open"


def table(session: Session) -> Content:
    """A row for each answer, a column for each criterion: the ranks so far, those of
    high quality with a tick.
    """
    parts: Parts = []
    if hides_names(session):
        return Content.styled(t("ranked.not_yet") + "\n", "$quiet")
    found, columns = result(session), criteria(session)
    parts.append(
        (
            " " * NAME + "".join(_right(_short(name)) for name in columns) + "\n",
            "$quiet",
        )
    )
    for n, one in enumerate(answers(session), 1):
        parts.append(fit(f"{n} {clean_line(one.name)}", NAME))
        for name in columns:
            rank = found.ranks.get(name, {}).get(one.name)
            good = found.high_quality.get(name, {}).get(one.name, False)
            unread = "?" if name in found.unread else "–"
            parts.append(
                (
                    _right(
                        unread if rank is None else f"{rank:g}{'✓' if good else ' '}"
                    ),
                    "bold $success" if good else "",
                )
            )
        parts.append("\n")
    return Content.assemble(*parts, (t("ranked.legend") + "\n", "$quiet"))


def table_line(session: Session, width: int) -> Content:
    """The best answer under every criterion in one line, for narrow screens."""
    found = result(session)
    if hides_names(session) or not found.ranks:
        return Content()
    told = [
        f"{_short(name)} {in_order(order_of(found, name)[:1])}" for name in found.ranks
    ]
    return Content.styled(fit(clean_line("  ".join(told)), width), "$quiet")


def _name(criterion: str) -> str:
    return clean_line(criterion_name(criterion))


def _short(criterion: str) -> str:
    if has(f"ranked.short_{criterion}"):
        return t(f"ranked.short_{criterion}")
    return criterion[:4]


def _right(text: str) -> str:
    return " " * max(CELL - cell_len(text), 1) + text
