"""Panels: several members judge as one.

All get the same request, and a rule combines their votes into one reply. A method
declares, with a request, which parts of the reply are voted on and how (`Ballot`). The
rule returns the fields of one reply, which the method reads like any other: panels and
methods do not know each other. A field without an outcome is left out, so that the
method sees it as missing or unread, never as a default.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import msgspec

from ...sessions.events import Failure, Read, Vote, all_held, known_sum, total_usage
from ...sessions.session import Seat
from .port import ModelError, ModelReply, Task
from .replies import took_by

T = TypeVar("T")

Rule = Literal["majority", "mean", "median"]
RULES: tuple[Rule, ...] = ("majority", "mean", "median")

LEAST, MOST = 2, 9
"""How many members a panel has."""

PANEL = "panel"
"""The model's id of a seat on which a panel sits."""

How = Literal["choice", "answer", "level", "number", "items", "text", "query"]
"""What a field of a reply is.

What most members choose wins: `choice`, one of a few values; `answer`, a free text,
compared by `Ballot.same`. The rule decides: `level`, a whole number of a scale;
`number`, any number. Not voted on: `text`, that of the first member who voted as the
panel decided; `items`, all items that anybody lists; `query`, such a text, or none
where most members give none.
"""

_CHOSEN = ("choice", "answer", "level")
_VOTED = (*_CHOSEN, "number")


class Ballot(NamedTuple, Generic[T]):
    """The fields of a reply that a panel votes on."""

    fields: Mapping[str, How]
    """By the keys of the JSON object that is asked for."""
    values: Callable[[T], Mapping[str, Any]]
    """The values of those fields in a reply; empty if it could not be read.

    A value of None: the reply does not say.
    """
    same: Callable[[str, str], bool] = lambda one, other: (
        one.strip().casefold() == other.strip().casefold()
    )
    """Whether two answers say the same."""


class MemberReply(NamedTuple):
    """One member, and what came of asking it: replies with what was read of the last
    one. With an error, those that came before it.
    """

    seat: Seat
    replies: Sequence[ModelReply] = ()
    values: Mapping[str, Any] = {}
    read: Read = "unread"
    error: ModelError | None = None


def member(seat: Seat, role: str, task: Task) -> Seat:
    """The seat that is asked: of a panel the member that the task names.

    Raises: ModelError where a panel is to do what nobody can vote on, or has such a
    member.
    """
    if not seat.panel:
        return seat
    if not 0 < task.member <= len(seat.panel):
        raise ModelError(
            "unknown-model",
            f"{seat.called} is a panel, and a panel can only judge: choose one "
            f"model for the {role}.",
        )
    found = seat.panel[task.member - 1]
    if found.panel or found.model == "human":
        raise ModelError(
            "unknown-model",
            f"{seat.called} has a member that cannot sit in a panel: choose a "
            f"model for the {role}.",
        )
    return found


def named(seat: Seat) -> str:
    """A panel and its members: `jury: gpt-4, qwen, lexical`."""
    return f"{seat.called}: {', '.join(one.called for one in seat.panel)}"


def tasks_of(task: Task, panel: Seat) -> list[Task]:
    """The task for each member. Members that are the same model are asked apart."""
    made, seen = [], list[bytes]()
    for place, seat in enumerate(panel.panel, 1):
        known = msgspec.json.encode(seat)
        made.append(
            msgspec.structs.replace(
                task, member=place, repeat=task.repeat + seen.count(known) * _APART
            )
        )
        seen.append(known)
    return made


_APART = 1 << 32
"""More than any number that a method repeats a request with."""


def together(
    panel: Seat, heard: Sequence[MemberReply], ballot: Ballot[T]
) -> ModelReply:
    """One reply of all votes, as JSON.

    Raises: ModelError where fewer than half of the members replied, or one cannot be
    asked as things are set up.
    """
    failed = [one.error for one in heard if one.error is not None]
    unready = next((error for error in failed if error.unready), None)
    if unready is not None:
        raise unready
    if 2 * (len(heard) - len(failed)) < len(heard):
        told = (
            f"Of the {len(heard)} members of {panel.called} only "
            f"{len(heard) - len(failed)} replied. {failed[0]}"
        )
        raise ModelError(failed[0].kind, told, retry_after=failed[0].retry_after)
    listed = _alike([one.values for one in heard], ballot)
    replies = [reply for one in heard for reply in one.replies]
    votes = [
        _vote(one, values, ballot) for one, values in zip(heard, listed, strict=True)
    ]
    lost = [one.spent for one in failed if one.spent is not None]
    return ModelReply(
        text=json.dumps(
            outcome(
                ballot, [values for values in listed if values], panel.rule, len(heard)
            ),
            ensure_ascii=False,
        ),
        model=named(panel),
        usage=total_usage(vote.usage for vote in votes),
        cost=known_sum(vote.cost for vote in votes),
        seconds=max(vote.seconds for vote in votes),
        finish="stop",
        attempts=sum(vote.attempts for vote in votes),
        cached=not failed and all(reply.cached for reply in replies),
        took=took_by(replies),
        held=all_held(
            [*(reply.held for reply in replies), *(one.held for one in lost)]
        ),
        altered=any(reply.altered for reply in replies),
        dropped=list(
            dict.fromkeys(name for reply in replies for name in reply.dropped)
        ),
        votes=votes,
    )


def outcome(
    ballot: Ballot[T], votes: Sequence[Mapping[str, object]], rule: Rule, members: int
) -> dict[str, Any]:
    """Return the fields of the reply, in the ballot's order.

    `votes`: of the members with a readable reply. A field is left out if fewer than
    half of the members vote on it, or if no value wins.
    """
    decided = {}
    for name, how in ballot.fields.items():
        said = [vote[name] for vote in votes if vote.get(name) is not None]
        if how in _VOTED and 2 * len(said) >= members:
            value = _decided(how, said, rule)
            if value is not None:
                decided[name] = value
    if not decided and any(how in _VOTED for how in ballot.fields.values()):
        return {}
    won = {
        name: value
        for name, value in decided.items()
        if ballot.fields[name] != "number"
    }
    torn = not won and any(
        vote.get(name) is not None
        for vote in votes
        for name, how in ballot.fields.items()
        if how in _CHOSEN
    )
    agreeing = (
        []
        if torn
        else [
            vote
            for vote in votes
            if all(vote.get(name) == value for name, value in won.items())
        ]
    )
    made = {
        name: decided.get(name, _unvoted(how, name, votes, agreeing, members))
        for name, how in ballot.fields.items()
    }
    return {name: value for name, value in made.items() if value is not None}


def _decided(how: How, said: Sequence[Any], rule: Rule) -> Any:
    """The outcome of one field; None if no value has more than half of the votes, or a
    mean lies between two levels.
    """
    if how in ("choice", "answer") or (how == "level" and rule == "majority"):
        most = max(said, key=said.count)
        if 2 * said.count(most) > len(said):
            return most
        return None
    middle = math.fsum(said) / len(said) if rule == "mean" else _median(said)
    if how == "number":
        return float(middle)
    if rule == "median":
        if middle == int(middle):
            return int(middle)
        return None
    if middle % 1 != 0.5:
        return round(middle)
    return None


def _median(said: Sequence[float]) -> float:
    listed, half = sorted(said), len(said) // 2
    if len(said) % 2:
        return listed[half]
    return (listed[half - 1] + listed[half]) / 2


def _unvoted(
    how: How,
    name: str,
    votes: Sequence[Mapping[str, Any]],
    agreeing: Sequence[Mapping[str, Any]],
    members: int,
) -> Any:
    """Return a field that is not voted on; None if no member gives it."""
    if how in _VOTED:
        return None
    if how == "items":
        return (
            list(dict.fromkeys(item for vote in votes for item in vote.get(name) or ()))
            or None
        )
    if how == "query":
        said = [bool(vote[name]) for vote in votes if vote.get(name) is not None]
        wanted = (
            _decided("choice", said, "majority") if 2 * len(said) >= members else None
        )
        if not wanted:
            if wanted is None:
                return None
            return ""
    return next(
        (
            vote[name]
            for vote in (*agreeing, *(votes if how == "query" else ()))
            if vote.get(name)
        ),
        None,
    )


def _alike(
    listed: Sequence[Mapping[str, Any]], ballot: Ballot[T]
) -> list[dict[str, Any]]:
    """The values of each member; answers that say the same are written as the first
    member writes them.
    """
    made = [
        {name: values[name] for name in ballot.fields if name in values}
        for values in listed
    ]
    for name, how in ballot.fields.items():
        known: list[str] = []
        for values in made if how == "answer" else ():
            answer = values.get(name)
            if answer is not None:
                values[name] = next(
                    (
                        one
                        for one in known
                        if one == answer
                        or (one and answer and ballot.same(one, answer))
                    ),
                    answer,
                )
                known.append(values[name])
    return made


def _vote(one: MemberReply, values: Mapping[str, Any], ballot: Ballot[T]) -> Vote:
    name = one.seat.name or msgspec.UNSET
    if one.error is not None:
        calls: list[ModelReply | Failure] = [*one.replies]
        calls += [] if one.error.spent is None else [one.error.spent]
        vote = Vote(model=one.seat.model, name=name, error=str(one.error))
        if calls:
            return msgspec.structs.replace(vote, **_spent(calls))
        return vote
    last = one.replies[-1]
    voted = {
        name: value
        for name, value in values.items()
        if ballot.fields[name] in _VOTED and value is not None
    }
    return Vote(
        model=last.model,
        endpoint=last.endpoint,
        fingerprint=last.fingerprint,
        name=name,
        text=last.text,
        reasoning=last.reasoning,
        values=voted,
        read=one.read if values else "unread",
        finish=last.finish,
        cached=all(reply.cached for reply in one.replies),
        **_spent(one.replies),
    )


def _spent(calls: Sequence[ModelReply | Failure]) -> dict[str, Any]:
    """Sum the cost of a member's calls."""
    return {
        "usage": total_usage(call.usage for call in calls),
        "cost": known_sum(call.cost for call in calls),
        "seconds": sum(call.seconds for call in calls),
        "attempts": sum(call.attempts for call in calls),
    }
