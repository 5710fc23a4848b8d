"""How far the members of panels agreed in a batch: a fold over the votes in its
events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from ...sessions.events import Event, ReplyEvent
from ...texts import t
from ...texts.roles import role_name
from ...texts.votes import field_name
from ..figures.aggregate import share_figure
from ..metrics.agreement import Weights, add
from ..metrics.alpha import Metric, Value, alpha
from ..metrics.bootstrap import IntervalEstimate
from ..metrics.gwet import gwet_from, gwet_parts

MOST_VALUES = 20
"""Different words of one field.

Of free texts, which are all different, alpha says nothing.
"""


FREE = f"more than {MOST_VALUES} different texts"


class PanelVote(NamedTuple):
    """One event of a panel."""

    role: str
    panel: str
    """The panel and its members."""
    votes: tuple[Mapping[str, Value], ...]
    """Of those that could be read."""
    unread: int
    failed: int
    tied: bool = False


def voted(events: Iterable[Event]) -> list[PanelVote]:
    """Return the votes in these events."""
    found = []
    for event in events:
        if isinstance(event, ReplyEvent) and event.votes is not msgspec.UNSET:
            failed = sum(isinstance(vote.error, str) for vote in event.votes)
            read = tuple(vote.values for vote in event.votes if vote.read != "unread")
            found.append(
                PanelVote(
                    event.role,
                    event.model,
                    read,
                    len(event.votes) - len(read) - failed,
                    failed,
                    bool(event.ties),
                )
            )
    return found


def agreed(
    told: Sequence[tuple[str, PanelVote]],
) -> list[dict[str, Any]]:
    """Return `panels` of a report, from the events of panels, each with its cluster.

    A list of {role, panel, events, unread, failed (votes), unanimous (a share of the
    events with two votes or more), undecided (events in which no value of some field
    won), alpha}; `alpha`: field to {value, low, high, of, metric, why}. A cluster is
    resampled as a whole.
    """
    panels: dict[tuple[str, str], list[tuple[str, PanelVote]]] = {}
    for line, one in told:
        panels.setdefault((one.role, one.panel), []).append((line, one))
    made = []
    for (role, panel), listed in panels.items():
        several = [(line, one.votes) for line, one in listed if len(one.votes) > 1]
        chosen = [(line, [_chosen(vote) for vote in votes]) for line, votes in several]
        made.append(
            {
                "role": role,
                "panel": panel,
                "events": len(listed),
                "unread": sum(one.unread for _, one in listed),
                "failed": sum(one.failed for _, one in listed),
                "undecided": sum(one.tied for _, one in listed),
                "unanimous": _share(
                    [
                        (line, all(vote == votes[0] for vote in votes))
                        for line, votes in chosen
                        if any(votes)
                    ]
                ),
                "alpha": _alphas(several),
            }
        )
    return made


def _share(events: Sequence[tuple[str, bool]]) -> dict[str, object] | None:
    """The share of events in which it is true, as a figure."""
    if events:
        return share_figure(events).as_json()
    return None


def _chosen(vote: Mapping[str, Value]) -> dict[str, Value]:
    """Return the choices, without numbers, which never coincide."""
    return {name: value for name, value in vote.items() if not isinstance(value, float)}


def _alphas(
    several: Sequence[tuple[object, Sequence[Mapping[str, Value]]]],
) -> dict[str, object]:
    made: dict[str, object] = {}
    for name in dict.fromkeys(
        name for _, votes in several for vote in votes for name in vote
    ):
        items = [
            (
                line,
                [vote[name] for vote in votes if name in vote],
            )
            for line, votes in several
        ]
        values = Counter(value for _, ratings in items for value in ratings)
        metric = _metric(values)
        rated = sum(len(ratings) > 1 for _, ratings in items)
        if metric == "nominal" and len(values) > MOST_VALUES:
            found = IntervalEstimate(None, FREE)
        else:
            found = alpha(items, metric)
        why: dict[str, object] = (
            {"why": found.reason} if found.reason is not None else {}
        )
        codes = sorted(values, key=str if metric == "nominal" else float)
        if metric != "interval" and found.reason != FREE:
            why["gwet"] = _gwet(items, codes, metric)
        made[name] = {
            "value": found.value,
            "low": found.low,
            "high": found.high,
            "of": rated,
            "metric": metric,
            **why,
        }
    return made


def _gwet(
    items: Sequence[tuple[object, Sequence[Value]]], codes: list[Value], metric: Metric
) -> float | None:
    """AC2; of levels with quadratic weights. 1 where all votes are the same."""
    weights: Weights = "quadratic" if metric == "ordinal" else None
    size = max(len(codes), 2)
    coded = ([codes.index(value) for value in ratings] for _, ratings in items)
    return gwet_from(add(gwet_parts(one, size, weights) for one in coded), weights)


def _metric(values: Iterable[Value]) -> Metric:
    kinds = {type(value) for value in values}
    if float in kinds:
        return "interval"
    if kinds == {int}:
        return "ordinal"
    return "nominal"


def in_words(panels: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return lines for each panel: its members, how often all agreed, alpha of each
    field, and the number of missing votes.
    """
    lines = []
    for panel in panels:
        lines.append(
            t(
                "report.panel.head",
                panel=panel["panel"],
                role=role_name(panel["role"]),
                n=panel["events"],
            )
        )
        if panel["unanimous"] is not None:
            lines.append("  " + t("report.panel.unanimous_share", **panel["unanimous"]))
        for name, part in panel["alpha"].items():
            lines.append("  " + _alpha_in_words(field_name(name), part))
        if panel["undecided"]:
            lines.append("  " + t("report.panel.undecided", n=panel["undecided"]))
        if panel["unread"] or panel["failed"]:
            lines.append(
                "  "
                + t(
                    "report.panel.missing",
                    unread=panel["unread"],
                    failed=panel["failed"],
                )
            )
    return lines


def _alpha_in_words(label: str, part: Mapping[str, object]) -> str:
    known = part.get("gwet") is not None
    beside = t("report.panel.gwet", value=part["gwet"]) if known else ""
    return _alone(label, part) + beside


def _alone(label: str, part: Mapping[str, object]) -> str:
    if part["value"] is None:
        return t("report.panel.no_alpha", label=label, why=why_none(part))
    if part["low"] is None:
        return t(
            "report.panel.alpha_bare",
            label=label,
            value=part["value"],
            total=part["of"],
        )
    return t(
        "report.panel.alpha",
        label=label,
        value=part["value"],
        low=part["low"],
        high=part["high"],
        total=part["of"],
    )


def why_none(part: Mapping[str, object]) -> str:
    """Why there is no alpha, in words."""
    reason = "alike" if part["of"] else "no_pair"
    if part.get("why") == FREE:
        reason = "free"
    return t(f"report.panel.{reason}", most=MOST_VALUES)
