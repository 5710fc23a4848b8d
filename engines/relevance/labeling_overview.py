"""The state of labeling in a folder: annotators, counts, speed, agreement and each
annotator's levels over time, and pairs assigned to no annotator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from statistics import mean, median
from typing import NamedTuple

from ...sessions.annotators import GOLD, same_name
from ...sessions.case_pairs import Key, PairAt
from ...sessions.events.labels import Label, Reply
from ...sessions.events.relevance import LEAST_PAIRS
from ...sessions.label_assignment import ALL, RaterProgress
from ...sessions.label_store import LabelStore
from ...sessions.labels import LabelFile, Latest
from ..metrics.bootstrap import RESAMPLES, IntervalEstimate
from ..metrics.compare import RaterLevels, overall
from .adjudication import disputes, labels_of
from .queue import everyone, label_of, queue_of


class KnownPairs(NamedTuple):
    """An annotator's levels of pairs with a known level."""

    right: int
    given: int


class AnnotatorOverview(NamedTuple):
    """The state of one annotator's labeling."""

    progress: RaterProgress
    seconds: float | None
    """Median seconds in front of a pair; None without a label."""
    last_week: int
    """Labels of the last seven days."""
    last: str
    """When the last label was given; empty without any."""
    seen_machine: int
    """Labels given after seeing the machine."""
    training: KnownPairs
    """Levels of the training round that are the known ones."""
    checks: KnownPairs
    """The same of the pairs that check attention."""
    above_first: float | None
    """How far the person's levels are above the mean of the others', over the pairs
    that others have labelled too, in the first half of the person's labels; None below
    `LEAST_PAIRS` pairs.
    """
    above_second: float | None
    """The same in the second half."""


class WeeklyAgreement(NamedTuple):
    """Agreement on the pairs whose last label was given in one week."""

    week: str
    """Its Monday, as 2026-11-23."""
    pairs: int
    """With labels by two people or more."""
    alpha: IntervalEstimate
    """Krippendorff's alpha of the levels, as `agreement` has it."""


class AnnotatorNote(NamedTuple):
    """A remark that an annotator wrote with a label."""

    annotator: str
    pair: PairAt
    time: str
    text: str
    reply: str
    """What the lead has answered; empty: nothing yet."""


class LabelingOverview(NamedTuple):
    """The state of labeling as a whole."""

    pairs: int
    people: list[AnnotatorOverview]
    weeks: list[WeeklyAgreement]
    unassigned: list[PairAt]
    """Pairs that are nobody's."""
    unlabeled: int
    """Pairs without a level by anybody."""
    open_disputes: int
    """Pairs to decide."""
    notes: list[AnnotatorNote]
    """Those without a reply first."""


def overview(
    store: LabelStore, now: datetime, *, resamples: int = RESAMPLES
) -> LabelingOverview:
    """Read the state of labeling at a time, in UTC. Raises: BadInput; SessionError."""
    pairs = store.pairs
    progress = everyone(pairs, store)
    names = [one.annotator for one in progress]
    given = {pair.key: labels_of(pair, store.people) for pair in pairs}
    team = store.team
    owned = {
        pair.key
        for name in names
        if team is None or name in team.people
        for pair in queue_of(pairs, name, store, store.share_of(name) or ALL).pairs
    }
    finished = store.finished().values()
    owned |= {
        pair.key for pair in pairs for keys in finished if pair.key.subject in keys
    }
    people = [_annotator(one, list(given.values()), now, store) for one in progress]
    levels = [
        [one.value for one in labels.values() if one.value is not None]
        for labels in given.values()
    ]
    differ = disputes(pairs, store.people)
    return LabelingOverview(
        pairs=len(pairs),
        people=people,
        weeks=_weeks(pairs, store, resamples),
        unassigned=[pair for pair in pairs if pair.key not in owned],
        unlabeled=sum(not one for one in levels),
        open_disputes=sum(one.state != "decided" for one in differ),
        notes=notes(store),
    )


def _annotator(
    progress: RaterProgress,
    given: Sequence[dict[str, Label]],
    now: datetime,
    store: LabelStore,
) -> AnnotatorOverview:
    name = progress.annotator
    own = [labels[name] for labels in given if name in labels]
    rated = [one for one in own if one.value is not None]
    since = (now - timedelta(days=7)).strftime("%Y-%m-%dT%H:%M:%S")
    halves = _above(name, given)
    team = store.team
    latest = store.people.get(name, {})
    return AnnotatorOverview(
        progress,
        median(one.seconds for one in rated) if rated else None,
        sum(one.time >= since for one in rated),
        max((one.time for one in own), default=""),
        sum(one.seen_machine for one in rated),
        _known(latest, team.training if team is not None else {}),
        _known(latest, team.checks if team is not None else {}),
        *halves,
    )


def _known(labels: Latest, levels: Mapping[str, int]) -> KnownPairs:
    given = {
        digest: label.value
        for digest in levels
        if (label := labels.get(Key(digest))) is not None and label.value is not None
    }
    right = sum(levels[digest] == value for digest, value in given.items())
    return KnownPairs(right, len(given))


def _above(
    name: str, given: Sequence[dict[str, Label]]
) -> tuple[float | None, float | None]:
    """Return how far an annotator's levels are above the others', in the first and the
    second half of the shared pairs by time.
    """
    shared = []
    for labels in given:
        own = labels.get(name)
        others = [
            one.value
            for who, one in labels.items()
            if who != name and one.value is not None
        ]
        if own is not None and own.value is not None and others:
            shared.append((own.time, own.value - mean(others)))
    differences = [above for _, above in sorted(shared)]
    middle = len(differences) // 2
    if middle < LEAST_PAIRS:
        return None, None
    return mean(differences[:middle]), mean(differences[middle:])


def _weeks(
    pairs: Sequence[PairAt], store: LabelStore, resamples: int
) -> list[WeeklyAgreement]:
    weeks: dict[str, dict[str, RaterLevels]] = {}
    counts: dict[str, int] = {}
    for pair in pairs:
        labels = {
            name: label
            for name, label in labels_of(pair, store.people).items()
            if label.value is not None
        }
        if len(labels) < 2:
            continue
        week = _monday(max(label.time for label in labels.values()))
        counts[week] = counts.get(week, 0) + 1
        raters = weeks.setdefault(week, {})
        for name, label in labels.items():
            rater = raters.setdefault(name, RaterLevels(name, kind="person"))
            rater.labels[pair.query, pair.key.subject] = label.value
    return [
        WeeklyAgreement(
            week,
            counts[week],
            overall([*raters.values()], resamples=resamples).alpha["levels"],
        )
        for week, raters in sorted(weeks.items())
    ]


def _monday(time: str) -> str:
    """Return the Monday of the week of a time in UTC; empty if the time is invalid."""
    try:
        day = datetime.fromisoformat(time).astimezone(UTC).date()
    except ValueError:
        return ""
    return str(day - timedelta(days=day.weekday()))


def notes(store: LabelStore) -> list[AnnotatorNote]:
    """Return the annotators' notes: those without a reply first, then newest first.

    Raises: BadInput; SessionError.
    """
    found = []
    for pair in store.pairs:
        for name in store.people.keys() - {GOLD}:
            label = label_of(pair, store.people[name])
            if label is not None and label.note:
                reply = store.replies.get((same_name(name), pair.key.subject))
                answered = reply is not None and reply.note == label.note
                text = reply.text if reply is not None and answered else ""
                found.append(AnnotatorNote(name, pair, label.time, label.note, text))
    found.sort(key=lambda one: one.time, reverse=True)
    return sorted(found, key=lambda one: bool(one.reply))


def reply_to(file: LabelFile, note: AnnotatorNote, by: str, text: str) -> None:
    """Write the lead's reply to a note. The pair then returns to its annotator's queue.

    `file`: that of `gold`. Raises: SessionError.
    """
    pair = note.pair
    file.append(
        Reply(
            session=pair.session,
            candidate=pair.candidate,
            pair=pair.key.subject,
            to=note.annotator,
            note=note.text,
            label=note.time,
            by=by,
            text=text,
        )
    )
