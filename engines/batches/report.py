"""What came out of a batch, whatever it did: one row a line, shares and means with their intervals, totals."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from ...sessions.events import Event, Failure, Made, Result
from ...sessions.session import Session, Totals
from ...texts import t
from ...texts.settings import listed, word
from ..metrics.shares import clustered_mean, clustered_share
from .cached import in_words as cached_in_words
from .changes import in_words as changes_in_words
from .comparison import Comparison
from .held import HeldUp, held_up, limits, limits_in_words
from .lines import Line
from .panels import Voted, agreed, voted
from .panels import in_words as panels_in_words

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""

NO_LANGUAGE_MODEL = ("script", "lexical")
"""Built-ins: what they say is computed."""


def own_fields(event: Event) -> dict[str, Any]:
    """An event without what all events have."""
    return {
        name: value
        for name, value in msgspec.to_builtins(event).items()
        if name not in ("event", "number", "time")
    }


@dataclass
class Row:
    """One line of summary.jsonl, and what the report needs beside it."""

    line: Line
    status: str = "stopped"
    result: Result | None = None
    totals: Totals = field(default_factory=Totals)
    error: str | None = None
    empty: bool = False
    """There is nothing to run: the line has no text to work on, and no session."""
    events: int = 0
    unread: int = 0
    """Replies that could not be read."""
    readable: int = 0
    """Replies that had to be read as something."""
    speakers: dict[str, list[str]] = field(default_factory=dict)
    """Role to the real ids of the models that answered for it."""
    held: dict[str, HeldUp] = field(default_factory=dict)
    """Model to how its limits held its calls up."""
    voted: list[Voted] = field(default_factory=list)
    """What panels voted."""
    facts: Any = None
    """What the method counts of a finished session."""
    compared: dict[str, Comparison] = field(default_factory=dict)
    """What a model said of the answer, by what it was compared with: `answers`, `wrong_answers`."""

    def take(self, session: Session, facts: Callable[[Session], Any]) -> None:
        """What a session holds now."""
        self.totals, self.events = session.totals(), len(session.events)
        made = [event for event in session.events if isinstance(event, Made)]
        reads = [
            read for event in made if (read := getattr(event, "read", None)) is not None
        ]
        self.unread, self.readable = reads.count("unread"), len(reads)
        self.speakers = {}
        for event in made:
            models = self.speakers.setdefault(event.role, [])
            answered = (
                [event.model]
                if event.votes is UNSET
                else [vote.model for vote in event.votes if vote.error is UNSET]
            )
            models += [
                model for model in dict.fromkeys(answered) if model not in models
            ]
        self.held = held_up(session.events)
        self.voted = voted(session.events)
        last = session.events[-1] if session.events else None
        results = (
            event for event in reversed(session.events) if isinstance(event, Result)
        )
        self.result = next(results, None)
        if self.result is not None:
            self.status, self.error, self.facts = "done", None, facts(session)
        elif isinstance(last, Failure) and last.kind != "cancelled":
            self.status, self.error = "failed", last.message

    def add(self, event: Event) -> None:
        """One more event of a session that runs; `take` counts anew when it has stopped."""
        spent = Totals.of(event)
        self.events += 1
        if spent is not None:
            self.totals.add(spent)

    def hear(self, said: Comparison, spent: Totals) -> None:
        """Takes in what a model said of the answer, and what that cost."""
        self.compared[said.of] = said
        self.totals.add(spent)
        if said.error is None:
            self.readable += 1
            self.unread += said.same is None

    def leave_out(self) -> None:
        """Done without a session: the line is empty."""
        self.status, self.empty = "done", True

    @property
    def file(self) -> str | None:
        """The session's file; None where there is none."""
        return None if self.empty else self.line.file

    def summary(self) -> dict[str, Any]:
        """{id, id_from, cluster, file, status, result, usage, cost, cost_known, unpriced, seconds, error, unread}"""
        return {
            "id": self.line.id,
            "id_from": self.line.id_from,
            "cluster": self.line.cluster,
            "file": self.file,
            "status": self.status,
            "result": None if self.result is None else own_fields(self.result),
            "usage": usage(self.totals),
            **cost(self.totals),
            "seconds": round(self.totals.seconds, 3),
            "error": self.error,
            "unread": self.unread,
        }


class Loss(NamedTuple):
    """Why a line is missing in figures of the report."""

    row: Row
    why: str
    """`failed`, `stopped`, `empty`, `undecided`, `unread`, `no-references`, `unlabelled`."""
    of: tuple[str, ...]
    """The figures, as report.json names them."""

    def as_json(self) -> dict[str, Any]:
        return {"id": self.row.line.id, "why": self.why, "of": list(self.of)}


def failures(rows: Iterable[Row], losses: Iterable[Loss]) -> list[dict[str, Any]]:
    """The lines of failures.jsonl: what failed, is not finished, could not be read, was not decided or is left out of a figure.

    {id, file, status, why, of, unread, error}; a line stands there once for each reason.
    """
    by_row: dict[int, list[Loss]] = {}
    for loss in losses:
        by_row.setdefault(id(loss.row), []).append(loss)
    made = []
    for row in rows:
        told = by_row.get(id(row), [])
        whys = {one.why for one in told}
        if row.status != "done" and row.status not in whys:
            told = [Loss(row, row.status, ()), *told]
        if row.unread and "unread" not in whys:
            told = [*told, Loss(row, "unread", ())]
        common = {
            "file": row.file,
            "status": row.status,
            "unread": row.unread,
            "error": row.error,
        }
        made += [{**one.as_json(), **common} for one in told]
    return made


def unanswered(rows: Iterable[tuple[Row, str | None]]) -> dict[str, int]:
    """How many lines have no answer, by why; `why` is None for those that have one."""
    return dict(Counter(why for _, why in rows if why is not None))


def verified_by(rows: Sequence[Row], *roles: str) -> dict[str, list[str]]:
    """Role to the models that answered for it in any of the rows; `built_in`: those of them that are no language models."""
    found: dict[str, list[str]] = {}
    for role in roles:
        found[role] = list(
            dict.fromkeys(
                model
                for row in rows
                for model in row.speakers.get(role, [])
                if model != "given"
            )
        )
    models = dict.fromkeys(model for listed in found.values() for model in listed)
    return {
        **found,
        "built_in": [model for model in models if model in NO_LANGUAGE_MODEL],
    }


def by_in_words(verb: str, found: Mapping[str, Sequence[str]], role: str) -> str:
    """`verified by lexical, no language model`"""
    models = found[role]
    if not models:
        return t("report.batch.by_nobody", verb=t(f"report.verb.{verb}"))
    if all(model in found["built_in"] for model in models):
        return t(
            "report.batch.by_builtin",
            verb=t(f"report.verb.{verb}"),
            names=t("report.batch.and").join(models),
        )
    told = (
        t("report.batch.builtin", model=model) if model in found["built_in"] else model
        for model in models
    )
    return t("report.batch.by", verb=t(f"report.verb.{verb}"), names=", ".join(told))


def usage(totals: Totals) -> dict[str, Any]:
    """Tokens. Only where a provider says what it found in its cache: `cached_input` of the `cached_of` of the input, of `cached_calls`.

    `saved` is then the US dollars that this saved; null where that is unknown of any of them, and `saved_known` that of the others.
    """
    cached = (
        {name: getattr(totals, name) for name in _CACHED} if totals.cached_of else {}
    )
    return {
        "input": totals.input,
        "output": totals.output,
        "estimated": totals.estimated,
        **cached,
    }


_CACHED = ("cached_input", "cached_of", "cached_calls", "saved", "saved_known")


def cost(totals: Totals) -> dict[str, Any]:
    """`cost` is null where the price of any call is unknown; then `cost_known` is that of the others, and `unpriced` names the roles."""
    return {
        "cost": totals.cost,
        "cost_known": totals.cost_known,
        "unpriced": list(totals.unpriced),
    }


def together(all_totals: Iterable[Totals]) -> Totals:
    """The sum."""
    total = Totals()
    for one in all_totals:
        total.add(one)
    return total


def wilson(hits: int, counted: int) -> tuple[float, float] | None:
    """The 95 % score interval of a share (Wilson 1927). None where nothing was counted."""
    if counted == 0:
        return None
    share, z2 = hits / counted, Z95 * Z95
    middle = (share + z2 / (2 * counted)) / (1 + z2 / counted)
    half = (
        Z95
        * math.sqrt(share * (1 - share) / counted + z2 / (4 * counted * counted))
        / (1 + z2 / counted)
    )
    return 0.0 if hits == 0 else max(
        0.0, middle - half
    ), 1.0 if hits == counted else min(1.0, middle + half)


def share(hits: int, counted: int) -> dict[str, Any] | None:
    interval = wilson(hits, counted)
    if interval is None:
        return None
    return {
        "value": hits / counted,
        "low": interval[0],
        "high": interval[1],
        "count": hits,
        "of": counted,
    }


def clustered(told: Sequence[tuple[Line, bool]]) -> dict[str, Any] | None:
    """The share of what is true: of lines, or of what lines have several of (replies, sentences), each with its line.

    What is of one cluster (`Line.cluster`) is not independent: then the interval is over clusters.
    """
    found = share(sum(right for _, right in told), len(told))
    over = clustered_share((line.cluster, right) for line, right in told)
    if found is None or over is None or over.clusters == len(told):
        return found
    return {**found, "low": over.low, "high": over.high, "clusters": over.clusters}


def clustered_means(
    told: Sequence[tuple[Line, float]], low: float, high: float
) -> dict[str, Any] | None:
    """The mean over lines, as `mean` has it; over clusters where lines share one."""
    found = mean([value for _, value in told], low, high)
    clusters = {line.cluster for line, _ in told}
    if found is None or len(clusters) == len(told):
        return found
    over = clustered_mean((line.cluster, value) for line, value in told)
    ends = (None, None) if over is None else (max(low, over.low), min(high, over.high))
    return {**found, "low": ends[0], "high": ends[1], "clusters": len(clusters)}


def mean(values: Sequence[float], low: float, high: float) -> dict[str, Any] | None:
    """Mean and its 95 % interval by the normal distribution, kept within what the values can be; no interval for a single one."""
    if not values:
        return None
    middle = statistics.fmean(values)
    half = (
        Z95 * statistics.stdev(values) / math.sqrt(len(values))
        if len(values) > 1
        else None
    )
    ends = (
        (None, None)
        if half is None
        else (max(low, middle - half), min(high, middle + half))
    )
    return {"value": middle, "low": ends[0], "high": ends[1], "of": len(values)}


def right_or_wrong(rights: Sequence[tuple[Line, bool | None]]) -> dict[str, Any] | None:
    """The share of true values over lines, as `clustered` has it; `excluded` counts the None."""
    known = [(line, right) for line, right in rights if right is not None]
    measured = clustered(known)
    return (
        None if measured is None else {**measured, "excluded": len(rights) - len(known)}
    )


def by_step(steps: Sequence[str | None], names: Sequence[str]) -> dict[str, int]:
    """How many answers each step of the ladder accepted."""
    return {name: sum(step == name for step in steps) for name in names}


def totals(rows: Sequence[Row]) -> dict[str, Any]:
    """How many lines there are in each state, what they cost together, and how many replies could not be read."""
    total = together(row.totals for row in rows)
    return {
        "lines": len(rows),
        "skipped": 0,
        **{
            status: sum(row.status == status for row in rows)
            for status in ("done", "failed", "stopped")
        },
        "calls": total.calls,
        "usage": usage(total),
        **cost(total),
        "seconds": round(total.seconds, 3),
        **limits(row.held for row in rows),
        **agreed([(row.line, one) for row in rows for one in row.voted], clustered),
        "unread_share": clustered(
            [
                (row.line, number < row.unread)
                for row in rows
                for number in range(row.readable)
            ]
        ),
    }


def share_in_words(label: str, part: dict[str, Any]) -> str:
    """`right: 3 of 4, 75.0% (95 % interval 30.1% to 95.4%; 1 without an answer counted as wrong: 1 undecided)`"""
    over = (
        t(
            "report.batch.over_clusters",
            part=part["clusters"],
            which="s" if part["clusters"] != 1 else "",
        )
        if "clusters" in part
        else ""
    )
    told = [t("report.batch.interval", part=part["low"], part2=part["high"], over=over)]
    steps = [
        f"{word(step)} {count}"
        for step, count in (part.get("by") or {}).items()
        if count
    ]
    if steps:
        told.append(t("report.batch.steps", names=listed(steps)))
    missing = part.get("missing") or {}
    if missing:
        why_missing = listed(f"{count} {word(why)}" for why, count in missing.items())
        told.append(
            t(
                "report.batch.missing",
                sum=sum(missing.values()),
                get=part.get("missing_as", t("report.batch.wrong")),
                listed=why_missing,
            )
        )
    if part.get("excluded"):
        told.append(t("report.batch.excluded", part=part["excluded"]))
    return t(
        "report.batch.share",
        label=label,
        part=part["count"],
        part2=part["of"],
        part3=part["value"],
        names=t("report.batch.semicolon").join(told),
    )


def mean_in_words(label: str, part: Mapping[str, Any]) -> str:
    """`F1: 0.512 on average (4, 95 % interval 0.301 to 0.723, 1 left out)`"""
    interval = (
        ""
        if part["low"] is None
        else t("report.batch.mean_interval", part=part["low"], part2=part["high"])
    )
    left = (
        t("report.batch.mean_left_out", part=part["excluded"])
        if part["excluded"]
        else ""
    )
    return t(
        "report.batch.mean",
        label=label,
        part=part["value"],
        part2=part["of"],
        interval=interval,
        left=left,
    )


def left_out_in_words(left_out: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line that says how many lines are missing in figures, by why; none where none is."""
    if not left_out:
        return []
    counted = Counter(str(one["why"]) for one in left_out)
    return [
        t("report.batch.left_out")
        + listed(f"{count} {word(why)}" for why, count in counted.items())
        + t("report.batch.see_left_out")
    ]


def totals_in_words(found: dict[str, Any]) -> str:
    used, mark = found["usage"], "~" if found["usage"]["estimated"] else ""
    tokens = (
        t("side.unknown")
        if used["input"] is None or used["output"] is None
        else f"{mark}{used['input'] + used['output']:,}"
    )
    spent = Totals(cost_known=found["cost_known"], unpriced=tuple(found["unpriced"]))
    lines = [
        t(
            "report.batch.spent",
            found=found["calls"],
            tokens=tokens,
            cost_in_words=spent.cost_in_words(lambda dollars: f"${dollars:.4f}"),
        )
    ]
    lines += cached_in_words(used, found["calls"])
    lines += changes_in_words(found.get("changes", ()))
    lines += limits_in_words(found)
    lines += panels_in_words(found, share_in_words)
    return "\n".join(lines)


def states_in_words(found: dict[str, Any], many: str, by: str) -> str:
    """The first line: how many there are in each state, and who verified or judged them; then how many of the file were passed over.

    A report of an earlier version may lack that.
    """
    told = t(
        "report.batch.states",
        found=found["lines"],
        many=t(f"report.many.{many.split()[0]}"),
        found2=found["done"],
        found3=found["failed"],
        found4=found["stopped"],
        by=by,
    )
    told = (
        f"{told}\n{t('report.batch.skipped', n=found['skipped'])}"
        if found.get("skipped")
        else told
    )
    return (
        f"{told}\n{t('report.batch.shard', **found['shard'])}"
        if found.get("shard")
        else told
    )
