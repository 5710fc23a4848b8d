"""Formats the votes of a panel, one line each, for every sink."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from ...texts import t
from ...texts.roles import model_name
from ...texts.votes import field_name, field_value
from ..events import Event, ReplyEvent, Vote


def votes_of(event: Event | None) -> list[str]:
    """How many agreed, a line each what every member voted, and on what there is no
    outcome; empty where no panel was asked.

    The text is as it came.
    """
    if not isinstance(event, ReplyEvent) or event.votes is msgspec.UNSET:
        return []
    read = [vote for vote in event.votes if vote.read != "unread"]
    chosen = [_chosen(vote) or vote.values for vote in read if vote.values]
    alike = max(map(chosen.count, chosen), default=0)
    head = "head_alone" if len(chosen) < 2 else "head_apart" if alike < 2 else "head"
    open_ = [field_name(name) for name in _without_outcome(event.text, read)]
    none = [t("vote.none", fields=t("asked.comma").join(open_))] if open_ else []
    return [
        t(
            f"vote.{head}",
            n=len(event.votes),
            read=len(read),
            alike=alike,
        ),
        *filter(None, map(_line, event.votes)),
        *none,
    ]


def _without_outcome(outcome: str, votes: Sequence[Vote]) -> list[str]:
    """The fields that somebody voted on and that are not in what the rule made of the
    votes.
    """
    try:
        decided = msgspec.json.decode(outcome, type=dict[str, Any])
    except msgspec.DecodeError:  # a file of others
        return []
    return [
        name
        for name in dict.fromkeys(name for vote in votes for name in vote.values)
        if decided.get(name) is None
    ]


def replies_of(event: ReplyEvent) -> str:
    """Return the raw reply.

    For a panel, each member's reply under its name, with its reasoning if any.
    """
    if event.votes is msgspec.UNSET:
        return event.text
    return "\n\n".join(f"{_named(vote)}:\n{_said(vote)}" for vote in event.votes)


def _named(vote: Vote) -> str:
    name = vote.name if isinstance(vote.name, str) else None
    return model_name(vote.model, name)


def _said(vote: Vote) -> str:
    said = vote.error if isinstance(vote.error, str) else vote.text
    if vote.reasoning:
        return f"{vote.reasoning}\n\n{said}"
    return said


def _chosen(vote: Vote) -> dict[str, bool | int | float | str]:
    """What it chose, without numbers, of which no two are the same."""
    return {
        name: value
        for name, value in vote.values.items()
        if not isinstance(value, float)
    }


def _line(vote: Vote) -> str:
    """Format one member's vote; "" if the reply has no field to vote on."""
    name = vote.name if isinstance(vote.name, str) else model_name(vote.model)
    if isinstance(vote.error, str):
        return t("vote.failed", name=name, why=vote.error)
    if vote.read == "unread":
        return t("vote.unread", name=name)
    values = _chosen(vote) | vote.values
    said = (
        t("block.fact", label=field_name(field), value=field_value(field, value))
        for field, value in values.items()
    )
    if not values:
        return ""
    return t("vote.line", name=name, text=t("vote.and").join(said))
