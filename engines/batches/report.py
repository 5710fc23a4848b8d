"""The outcome of each batch line, and the report built from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import msgspec
from msgspec import UNSET

from ...sessions.events import Event, Failure, ReplyEvent, Result
from ...sessions.session import Session, Totals
from ..figures.aggregate import Aggregate, of_session, whole
from ..figures.certificates import RunJudges
from ..figures.common import (
    ACCEPTED_BY_MODEL,
    SessionAnswer,
    answer_of,
    rightness,
    step_of,
)
from ..figures.items import item_of
from ..figures.judge.answers import JudgedAnswer
from ..figures.measure import NO_RULE, Item, Measure, MeasuredValue
from ..figures.provenance import Fact, facts_of, provenance
from ..figures.runs import StatedAnswer, blank_session
from ..figures.warnings import of_run, split_silent
from ..metrics.equivalence import Step
from ..models.port import TRANSIENT
from ..reports.batch import (
    BatchReport,
    Breakdown,
    EquivalenceCounts,
    MissingLine,
    cost,
    tally,
    usage,
)
from ..reports.panels import PanelVote, agreed, voted
from ..reports.rate_limits import RateLimitWaits, held_up, limits
from .lines import BatchLine

NO_LANGUAGE_MODEL = ("script", "lexical")
"""Built-ins: what they say is computed."""

MOST_VALUES = 20
"""Values of a setting that a report lists."""

PASSING = TRANSIENT | {"empty"}
"""Kinds of failures that another attempt at the line may cure."""

NO_ANSWER = SessionAnswer(None, "failed")


class LiveCalls(NamedTuple):
    """Calls of small waves, which were made at once."""

    calls: int = 0
    cost: float = 0.0
    """US dollars at the full price, as far as it is known."""


NO_LIVE_CALLS = LiveCalls()

Measurements = Mapping[str, Sequence[MeasuredValue]]
"""What each measure gives for a session."""


class MeasuredKind(Protocol):
    """What a report needs from a kind of batch. `BatchKind` implements it."""

    @property
    def measures(self) -> Mapping[str, Measure]: ...

    @property
    def judged_by(self) -> tuple[str, ...]: ...

    def tallies(self, session: Session) -> Mapping[str, Mapping[str, int]]: ...

    def breakdown(self, rows: Sequence[SummaryRow]) -> Breakdown: ...


def own_fields(event: Event) -> dict[str, object]:
    """An event without the fields that all events have."""
    fields = msgspec.to_builtins(event)
    common = ("event", "number", "time")
    return {name: value for name, value in fields.items() if name not in common}


@dataclass
class SummaryRow:
    """One line of summary.jsonl, with further data that the report needs."""

    line: BatchLine
    status: str = "stopped"
    result: Result | None = None
    totals: Totals = field(default_factory=Totals)
    error: str | None = None
    attempts: int = 0
    """How often it was begun, or continued after a failure, in all runs."""
    live: LiveCalls = NO_LIVE_CALLS
    may_pass: bool = False
    """It failed, and another attempt may cure that."""
    empty: bool = False
    """There is nothing to run: the line has no text to work on, and no session."""
    events: int = 0
    unread: int = 0
    """Replies that could not be read."""
    speakers: dict[str, list[str]] = field(default_factory=dict)
    """Role to the real ids of the models that answered for it."""
    held: dict[str, RateLimitWaits] = field(default_factory=dict)
    """Model to how its limits held its calls up."""
    voted: list[PanelVote] = field(default_factory=list)
    """What panels voted."""
    item: Item | None = None
    """The item that the session is measured against; None until there is one."""
    answer: SessionAnswer = NO_ANSWER
    measured: Measurements = field(default_factory=dict)
    made_with: tuple[Fact, ...] = ()
    """Models, settings and prompts."""
    accepted_by: Step | None = None
    """The step on which the answer is a right one; None where it is none."""
    tallies: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    compared: dict[str, JudgedAnswer] = field(default_factory=dict)
    """What a model said of the answer, by what it was compared with: `answers`,
    `wrong_answers`."""

    def take(
        self, session: Session, kind: MeasuredKind, item: Item | None = None
    ) -> None:
        """Takes in what a session holds now. `item`: None: that of its task."""
        self.totals, self.events = session.totals(), len(session.events)
        made = [event for event in session.events if isinstance(event, ReplyEvent)]
        self.unread = sum(event.unreadable for event in made)
        self.speakers = _speakers(made)
        self.made_with = _shared(tuple(facts_of(session)))
        self.held = held_up(session.events)
        self.live = live_calls(session.events)
        self.voted = voted(session.events)
        last = session.events[-1] if session.events else None
        self.attempts = attempts(session.events)
        self.may_pass = False
        self.result = session.result
        if self.result is not None:
            self.status, self.error = "done", None
        elif isinstance(last, Failure) and last.kind != "cancelled":
            self.status, self.error = "failed", last.message
            self.may_pass = last.kind in PASSING
        self.measure(session, kind, item)

    def measure(
        self, session: Session, kind: MeasuredKind, item: Item | None = None
    ) -> None:
        """Compute the session's measures, using the model comparisons of its answer."""
        if item is None:
            item = item_of(self.line.id, session.header.task, self.line.named_cluster)
        same = {
            name: [said.answer] for name, said in self.compared.items() if said.same
        }
        fields = dict(item.fields)
        if same:
            fields[ACCEPTED_BY_MODEL] = same
        self.item = Item(item.id, item.cluster, item.digest, fields)
        self.answer = answer_of(session)
        self.tallies = kind.tallies(session) if session.result is not None else {}
        self.accepted_by = None
        if self.answer.text is not None and rightness(self.item) is not None:
            self.accepted_by = step_of(self.answer.text, self.item)
        self.measured = {
            name: tuple(measure.of(session, self.item))
            for name, measure in kind.measures.items()
        }

    def add(self, event: Event) -> None:
        """Adds an event of a running session; `take` counts again when it stops."""
        spent = Totals.of(event)
        self.events += 1
        if spent is not None:
            self.totals.add(spent)

    def hear(self, said: JudgedAnswer, spent: Totals) -> None:
        """Add a model comparison of the answer, with its cost."""
        self.compared[said.of] = said
        self.totals.add(spent)

    def leave_out(self, kind: MeasuredKind) -> None:
        """Ends a line without text to work on: its answer is empty."""
        answer = StatedAnswer(number=1, answer="")
        self.take(blank_session(self.line.id, answer, task=self.line.task), kind)
        self.result, self.empty = None, True

    @property
    def ended(self) -> bool:
        return self.status in ("done", "failed")

    @property
    def cluster(self) -> str:
        if self.item is None:
            return self.line.cluster
        return self.item.cluster

    @property
    def file(self) -> str | None:
        """Return the session's file, or None if there is none."""
        if self.empty:
            return None
        return self.line.file

    def whole(self, name: str) -> MeasuredValue | None:
        """Return a measure's value for the whole session; None if it does not apply."""
        return of_session(self.measured.get(name, ()))

    def summary(self, measures: Mapping[str, Measure]) -> dict[str, object]:
        """The line of summary.jsonl."""
        single = {
            name: measure
            for name, measure in measures.items()
            if measure.across is None
        }
        return {
            "id": self.line.id,
            "id_from": self.line.id_from,
            "cluster": self.line.cluster,
            "file": self.file,
            **({"task": self.line.task} if self.empty else {}),
            "status": self.status,
            "result": None if self.result is None else own_fields(self.result),
            "usage": usage(self.totals),
            **cost(self.totals),
            "seconds": round(self.totals.seconds, 3),
            "error": self.error,
            "unread": self.unread,
            "measures": {
                name: _plain(measure, measured)
                for name, measure in single.items()
                if (measured := self.whole(name)) is not None
            },
            "accepted_by": self.accepted_by,
            "left_out": self.left_out,
        }

    @property
    def left_out(self) -> str | None:
        """Why the line has no answer; None where it has one."""
        if self.ended:
            return self.answer.missing
        return self.status

    @property
    def faults(self) -> list[str]:
        """Why the line failed, is not finished, has no answer, or has unread
        replies.
        """
        faults = [] if self.status == "done" else [self.status]
        if self.ended and self.answer.missing is not None:
            faults.append(self.answer.missing)
        if self.unread:
            faults.append("unread")
        return list(dict.fromkeys(faults))


@lru_cache(maxsize=256)
def _shared(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Equal facts as one object: most lines of a batch are made with the same."""
    return facts


def _plain(measure: Measure, measured: MeasuredValue) -> bool | float | None:
    """A measurement as files have it: right or wrong, a number, or nothing."""
    if measure.share and measured.value is not None:
        return measured.value == 1
    return measured.value


def _speakers(events: Iterable[ReplyEvent]) -> dict[str, list[str]]:
    speakers: dict[str, list[str]] = {}
    for event in events:
        models = speakers.setdefault(event.role, [])
        answered = [event.model]
        if event.votes is not UNSET:
            answered = [vote.model for vote in event.votes if vote.error is UNSET]
        models += [model for model in dict.fromkeys(answered) if model not in models]
    return speakers


# ------------------------------------------------------------------ the report


class RunFigures(NamedTuple):
    """The figures of a run."""

    figures: dict[str, Aggregate]
    covered: dict[str, int]
    """Measure to the finished lines that its figure rests on."""
    unmeasured: dict[str, dict[str, int]]
    """Measure without a figure to the lines it has no value for, by reason."""


def report_of(
    rows: Sequence[SummaryRow], kind: MeasuredKind, more: Mapping[str, Any]
) -> BatchReport:
    """The report of these lines. `more`: further fields, such as `skipped`."""
    total = Totals()
    for row in rows:
        total.add(row.totals)
    statuses = [row.status for row in rows]
    clusters = [(row.cluster, vote) for row in rows for vote in row.voted]
    clusters += [
        (row.cluster, vote)
        for row in rows
        for vote in voted(said.event for said in row.compared.values())
    ]
    figures, covered, unmeasured = figures_of(rows, kind.measures)
    digests = {one.prompts[7:19] for row in rows for one in row.compared.values()}
    fields = {
        "equivalence": equivalence_counts(rows),
        "equivalence_prompts": " ".join(sorted(digests)),
        **more,
    }
    facts, counts = made_with(rows), fields["equivalence"]
    compared_by = () if counts is None else counts.models
    judges = verified_by(rows, kind.judged_by)
    there = [one for name, one in kind.measures.items() if name in figures]
    items = [row.item for row in rows if row.item is not None]
    cautions = of_run(figures, kind.measures, facts, compared_by, items)
    cautions += RunJudges(facts, judges, kind.judged_by[0]).changed(there)
    cautions, silenced = split_silent(cautions, fields.pop("silence", ()))
    return BatchReport(
        lines=len(rows),
        done=statuses.count("done"),
        failed=statuses.count("failed"),
        stopped=statuses.count("stopped"),
        calls=total.calls,
        usage=usage(total),
        **cost(total),
        seconds=round(total.seconds, 3),
        verified_by=judges,
        limits=limits(row.held for row in rows),
        retried=retried((row.attempts, row.status) for row in rows),
        live=_live(rows),
        panels=agreed(clusters),
        tallies=tally([*(row.tallies for row in rows), *_accepted(rows)]),
        figures=figures,
        covered=covered,
        unmeasured=unmeasured,
        breakdown=kind.breakdown(rows),
        made_with=facts,
        warnings=cautions,
        silenced=silenced,
        left_out=lines_left_out(rows, kind.measures),
        **fields,
    )


def live_calls(events: Iterable[Event]) -> LiveCalls:
    """The calls of small waves among what these events took."""
    used = [
        event.usage
        for event in events
        if isinstance(event, ReplyEvent | Failure)
        and event.usage is not None
        and event.usage.live_calls is not UNSET
    ]
    return LiveCalls(
        sum(one.live_calls or 0 for one in used),
        sum(0.0 if one.live_cost is UNSET else one.live_cost for one in used),
    )


def _live(rows: Iterable[SummaryRow]) -> dict[str, float]:
    """`live` of the report; empty where there were no such calls."""
    listed = [row.live for row in rows]
    calls = sum(one.calls for one in listed)
    cost = sum(one.cost for one in listed)
    if calls:
        return {"calls": calls, "cost": round(cost, 9)}
    return {}


def attempts(events: Sequence[Event]) -> int:
    """Number of times a session was started, or continued after a failure."""
    failed = [
        event
        for event in events
        if isinstance(event, Failure) and event.kind != "cancelled"
    ]
    return len(failed) + bool(events and not (failed and events[-1] is failed[-1]))


def retried(tried: Iterable[tuple[int, str]]) -> dict[str, int]:
    """Count the lines retried after a failure, the retries, and the successes.

    Empty if no line was retried. `tried`: attempts and status of each line.
    """
    again = [(times, status) for times, status in tried if times > 1]
    if not again:
        return {}
    return {
        "lines": len(again),
        "attempts": sum(times - 1 for times, _ in again),
        "done": sum(status == "done" for _, status in again),
    }


def _accepted(rows: Sequence[SummaryRow]) -> list[Mapping[str, Mapping[str, int]]]:
    """How many answers each step accepted, as tallies."""
    steps = [row.accepted_by for row in rows if row.accepted_by is not None]
    return [{"accepted_by": {step: 1}} for step in steps]


def made_with(rows: Sequence[SummaryRow]) -> dict[str, list[str]]:
    """Map each fact about the sessions' making to its values, at most `MOST_VALUES`."""
    facts = provenance(dict.fromkeys(row.made_with for row in rows)).facts
    return {
        name: [*values[:MOST_VALUES], *(["…"] if values[MOST_VALUES:] else [])]
        for name, values in facts.items()
    }


def figures_of(
    rows: Sequence[SummaryRow], measures: Mapping[str, Measure]
) -> RunFigures:
    """Each measure's figure over the lines that have ended."""
    figures: dict[str, Aggregate] = {}
    covered: dict[str, int] = {}
    unmeasured: dict[str, dict[str, int]] = {}
    ended = [row for row in rows if row.ended and row.item is not None]
    for name, measure in measures.items():
        measured = [
            (row, value) for row in ended if (value := row.whole(name)) is not None
        ]
        items = [(row.item, value) for row, value in measured if row.item is not None]
        if measure.across is not None:
            items = list(measure.across(items))
        if any(value.value is not None for _, value in items):
            told = [(item.cluster, value) for item, value in items]
            figures[name] = whole(measure, told)
            covered[name] = sum(
                row.status == "done" and value.value is not None
                for row, value in measured
            )
        elif items and not measure.paid:
            unmeasured[name] = dict(Counter(value.state for _, value in items))
    return RunFigures(figures, covered, unmeasured)


def lines_left_out(
    rows: Sequence[SummaryRow], measures: Mapping[str, Measure]
) -> list[MissingLine]:
    """The lines that have no value under a measure that applies to lines of the run."""
    ended = [row for row in rows if row.ended]
    known = {
        name
        for name, measure in measures.items()
        if not measure.paid and any(_applies(row.whole(name)) for row in ended)
    }
    needs_gold = [
        name for name in measures if name in known and _is_gold(measures[name])
    ]
    left_out = []
    for row in rows:
        by_reason = {}
        if not row.ended:
            by_reason[row.status] = [name for name in measures if name in known]
        else:
            for name in measures:
                measured = row.whole(name)
                if name in known and measured is not None and measured.value is None:
                    by_reason.setdefault(measured.state, []).append(name)
            unlabelled = [
                name for name in needs_gold if _lacks_gold(row, measures[name])
            ]
            if unlabelled:
                by_reason["unlabelled"] = unlabelled
        left_out += [
            MissingLine(row.line.id, why, tuple(names))
            for why, names in by_reason.items()
        ]
    return left_out


def _applies(measured: MeasuredValue | None) -> bool:
    return measured is not None and measured.state not in NO_RULE


def _is_gold(measure: Measure) -> bool:
    """Whether a measure needs to know what is right."""
    return measure.subject in ("answer", "references") and measure.name != "decided"


def _lacks_gold(row: SummaryRow, measure: Measure) -> bool:
    """Whether a line has no value since it does not say what is right."""
    if row.whole(measure.name) is not None or row.item is None:
        return False
    field = "gold" if measure.subject == "references" else "answers"
    if measure.name.startswith("reference_"):  # held against accepted answers
        field = "answers"
    field = "wrong_answers" if measure.name == "traps" else field
    return not row.item.fields.get(field)


def verified_by(
    rows: Sequence[SummaryRow], roles: Sequence[str]
) -> dict[str, list[str]]:
    """Role to the models that answered for it in any of the rows.

    `built_in`: those of them that are not language models.
    """
    speakers = {}
    for role in roles:
        models = [model for row in rows for model in row.speakers.get(role, [])]
        speakers[role] = [each for each in dict.fromkeys(models) if each != "given"]
    models = [model for names in speakers.values() for model in names]
    built_in = [each for each in dict.fromkeys(models) if each in NO_LANGUAGE_MODEL]
    return {**speakers, "built_in": built_in}


def equivalence_counts(rows: Sequence[SummaryRow]) -> EquivalenceCounts | None:
    """Count the model comparisons of answers; None if no model was asked."""
    said = [each for row in rows for each in row.compared.values()]
    if not said:
        return None
    failed = sum(each.error is not None for each in said)
    tied = sum(bool(each.event.ties) for each in said)
    return EquivalenceCounts(
        models=list(dict.fromkeys(each.model for each in said if each.model)),
        asked=len(said),
        same=sum(each.same is True for each in said),
        different=sum(each.same is False for each in said),
        undecided=tied,
        unread=sum(each.same is None for each in said) - failed - tied,
        failed=failed,
    )


def failures(
    rows: Iterable[SummaryRow], left_out: Iterable[MissingLine]
) -> list[dict[str, object]]:
    """The lines of failures.jsonl: {id, why, of, file, status, unread, error,
    attempts}.

    What failed, is not finished, could not be read, was not decided or is left out of a
    figure; a line is there once for each reason.
    """
    by_id: dict[str, list[MissingLine]] = {}
    for each in left_out:
        by_id.setdefault(each.id, []).append(each)
    lines = []
    for row in rows:
        id_ = row.line.id
        reasons = by_id.get(id_, [])
        named = {each.why for each in reasons}
        for why in row.faults:
            if why not in named:
                reasons = [*reasons, MissingLine(id_, why, ())]
        common = {
            "file": row.file,
            "status": row.status,
            "unread": row.unread,
            "error": row.error,
            "attempts": row.attempts,
        }
        lines += [{**each._asdict(), **common} for each in reasons]
    return lines
