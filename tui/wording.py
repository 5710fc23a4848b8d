"""Names, sums and lines on screen, made from events: the words of `texts`, cleaned for
a terminal. Nothing here is a widget.
"""

from __future__ import annotations

from textual.content import Content

from ..sessions.events import Event, ReplyEvent
from ..sessions.export import block as blocks
from ..sessions.export.block import Block, fact
from ..sessions.export.votes import votes_of
from ..sessions.session import Seat, Totals
from ..texts import amounts, failures, roles, t
from ..texts.amounts import money as money
from ..texts.amounts import tokens
from ..texts.roles import BUILT_IN as BUILT_IN
from .showing import clean, clean_line


def letter(role: str) -> str:
    """One letter or digit by which a speaker is known without colour."""
    return clean_line(roles.letter(role)).strip() or "?"


def role_name(role: str) -> str:
    """What people call a role."""
    return clean_line(roles.role_name(role))


def side_class(role: str) -> str:
    """The CSS class that colours a speaker."""
    if role in ("affirmative", "negative", "judge"):
        return f"side-{role}"
    if role == "debater3":
        return "side-third"
    return "side-other"


def level_name(level: int) -> str:
    """What a level of disagreement is called."""
    return t(f"levels.name{level}")


def model_name(seat: Seat) -> str:
    """The user's name for a seat's model with the real id; built-ins say what they
    are.
    """
    return clean_line(roles.model_name(seat.model, seat.name))


def short_name(seat: Seat) -> str:
    """The model in one word, where there is little room."""
    return clean_line(seat.name or seat.model.rsplit("/", 1)[-1])


def said(what: failures.Explained) -> str:
    """A failure, a wait or a remark in a sentence."""
    return clean_line(failures.said(what))


def cost_short(totals: Totals) -> str:
    """The cost where there is little room: roles by their letters."""
    return amounts.cost(totals, letter)


def spent(totals: Totals) -> list[tuple[str, str]]:
    """Label and value of what a session has cost so far."""
    used = t(
        "side.tokens_value",
        input=tokens(totals.input, totals.estimated),
        output=tokens(totals.output, totals.estimated),
    )
    if totals.input is None and totals.output is None:
        used = t("side.unknown")
    cached = (
        []
        if totals.cached_share is None
        else [(t("side.cached_input"), _cached(totals.cached_share, totals.saved))]
    )
    return [
        (t("side.tokens"), used),
        *cached,
        (t("side.cost"), amounts.cost(totals, role_name)),
        (t("side.time"), f"{totals.seconds:.1f} s"),
    ]


def _cached(share: float, saved: float | None) -> str:
    """The share of input that came from providers' caches, and what that saved where it
    is known and anything.
    """
    if saved and saved > 0:
        return t(
            "side.cached_saved", share=f"{share:.0%}", dollars=amounts.money(saved)
        )
    return f"{share:.0%}"


def votes(event: ReplyEvent) -> list[tuple[str, str]]:
    """What the members of a panel voted, a line each; empty where no panel was
    asked.
    """
    return [(f"{clean_line(line)}\n", "$quiet") for line in votes_of(event)]


def meta(event: ReplyEvent) -> str:
    """Model, seconds and tokens, muted beside a speaker's name."""
    return joined([blocks.speaker(event), *blocks.call_meta(event)])


def joined(parts: list[str]) -> str:
    """Parts in one line; empty ones are left out."""
    return " · ".join(clean_line(part) for part in parts if part)


def line_of(event: Event) -> Content:
    """The text of an event without a speaker: a failure, a change, a note."""
    return aside(blocks.shared(event))


def aside(block: Block) -> Content:
    """One muted line; that of a failure gives its cause and what helps."""
    if block.failed:
        head = f"! {clean_line(block.heading)}" if block.role else "!"
        return Content.assemble(
            (head, "bold $error"),
            (f"  {joined([block.model, block.remark])}", "$quiet"),
            f"\n{clean_line(block.text)}\n",
            (f"{clean(block.raw)}\n" if block.raw else "", "$quiet"),
            (failure_hint(block.failed if block.role != "retriever" else ""), "$quiet"),
        )
    text = clean(block.text)
    return Content.styled(
        "· " + (text if block.role else fact(clean_line(block.heading), text)),
        "$quiet",
    )


def failure_hint(kind: str) -> str:
    """The keys that help after a failure."""
    return t(
        "entry.failure_lineup" if kind in NEEDS_OTHER_MODEL else "entry.failure_retry"
    )


NEEDS_OTHER_MODEL = frozenset(
    {
        "auth",
        "missing-key",
        "not-found",
        "not-local",
        "unknown-model",
        "no-line",
        "bad-request",
        "too-large",
    }
)
"""Failures that trying again does not cure: the line-up opens."""


def changed_name(field: str) -> str:
    """The name of what a change changes."""
    return clean_line(blocks.changed_name(field))


def changed(field: str, value: object) -> str:
    """A setting's value, or the model of a seat."""
    return clean_line(blocks.changed_value(field, value))
