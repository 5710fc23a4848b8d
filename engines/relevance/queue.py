"""The pairs of a session, or of a folder of sessions, in the order in which one
annotator labels them.

A batch of pairs has one session for each pair, temperature and repeat. A session of a
query has one pair per candidate. Here a pair is a query with a candidate, and it is
labelled once wherever it occurs.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...sessions.annotators import GOLD
from ...sessions.case_pairs import Key, PairAt, file_bytes
from ...sessions.clean import clean
from ...sessions.errors import bad_input
from ...sessions.events.labels import Assignment, Label
from ...sessions.label_assignment import (
    ALL,
    RaterProgress,
    assigned,
    in_order,
    misfits,
)
from ...sessions.label_store import LabelStore
from ...sessions.label_team import Team
from ...sessions.labels import Latest
from ...sessions.load import load
from ...sessions.session import Session
from ...texts import t
from .plan import RelevanceState, machine


def level_of(pair: PairAt, labels: Latest) -> int | None:
    """Return the level that an annotator gave a pair; None if there is none, or it is
    undecided.
    """
    label = label_of(pair, labels)
    if label is not None:
        return label.value
    return None


def label_of(pair: PairAt, labels: Latest) -> Label | None:
    """Return an annotator's last label of a pair; None if there is none, or it was
    withdrawn.
    """
    label = labels.get(pair.key)
    if label is None or label.undone:
        return None
    return label


def _digest(pair: PairAt) -> str:
    return pair.key.subject


class Queue:
    """One annotator's pairs in a fixed order, shuffled by the seed and the annotator's
    name.
    """

    def __init__(
        self,
        pairs: Sequence[PairAt],
        annotator: str,
        assignment: Assignment = ALL,
        finished: Mapping[str, Collection[str]] | None = None,
        team: Team | None = None,
    ) -> None:
        """`finished`: labels by people who have left the team; `team`: adds training at
        the start and checks among the pairs.
        """
        self.annotator = annotator
        training = team.training if team is not None else {}
        checks = team.checks if team is not None else {}
        first = [pair for pair in pairs if _digest(pair) in training]
        known = training.keys() | checks.keys()
        rest = [pair for pair in pairs if _digest(pair) not in known]
        mine = assigned(rest, annotator, assignment, _digest, finished)
        mine += [pair for pair in pairs if _digest(pair) in checks.keys() - training]
        self.pairs = [
            *in_order(first, annotator, assignment, _digest),
            *in_order(mine, annotator, assignment, _digest),
        ]
        self._places = {pair.key: place for place, pair in enumerate(self.pairs)}

    def __len__(self) -> int:
        return len(self.pairs)

    def place(self, pair: PairAt) -> int:
        """Return the index of a pair, counted from 0."""
        return self._places[pair.key]

    def next(self, labels: Latest, after: PairAt | None = None) -> PairAt | None:
        """Return the next pair without a level, after this one and then from the start;
        None if all pairs have one.

        Undecided pairs come only when no other pair is left. `after` itself comes last.
        """
        start = 0 if after is None else self._places[after.key] + 1
        undecided: PairAt | None = None
        for pair in (*self.pairs[start:], *self.pairs[:start]):
            label = label_of(pair, labels)
            if label is None or label.words_only:
                return pair
            if label.value is None and undecided is None and pair != after:
                undecided = pair
        return undecided

    def step(self, pair: PairAt, by: int) -> PairAt | None:
        """Return the pair this many places further on, or back; None beyond
        either end.
        """
        place = self._places[pair.key] + by
        if 0 <= place < len(self.pairs):
            return self.pairs[place]
        return None

    def progress(self, labels: Latest) -> RaterProgress:
        """Return the annotator's progress."""
        known = [
            label
            for pair in self.pairs
            if (label := label_of(pair, labels)) is not None and not label.words_only
        ]
        done = sum(label.value is not None for label in known)
        return RaterProgress(self.annotator, done, len(known) - done, len(self.pairs))


def everyone(pairs: Sequence[PairAt], store: LabelStore) -> list[RaterProgress]:
    """Return the progress by name of all who have labelled here or are in the team,
    without `gold`.

    The team, or each annotator's file, assigns the pairs. Raises: SessionError.
    """
    made = []
    team = store.team
    names = store.people.keys() - {GOLD} | (team.people.keys() if team else set())
    for name in sorted(names):
        labels = store.people.get(name, {})
        given = sum(level_of(pair, labels) is not None for pair in pairs)
        if team is not None and name in team.left:
            made.append(RaterProgress(name, given, 0, given))
            continue
        one = queue_of(pairs, name, store).progress(labels)
        made.append(one._replace(others=given - one.done))
    return made


def queue_of(
    pairs: Sequence[PairAt],
    annotator: str,
    store: LabelStore,
    assignment: Assignment | None = None,
) -> Queue:
    """Return an annotator's queue. `assignment`: the assigned pairs; None: as the team,
    or the annotator's file, says. Raises: BadInput; SessionError.
    """
    share = assignment or store.share_of(annotator) or ALL
    drawn = chosen(pairs, share)
    team = store.team
    if team is not None:
        known = team.training.keys() | team.checks.keys()
        left = [pair for pair in pairs if _digest(pair) in known and pair not in drawn]
        drawn += left
    return Queue(drawn, annotator, share, store.finished(), team)


def share_warnings(
    pairs: Sequence[PairAt],
    store: LabelStore,
    annotator: str | None = None,
    assignment: Assignment | None = None,
) -> list[str]:
    """Return a sentence for each conflict between the shares of annotators who have
    begun.

    `annotator`: who is about to begin, with this assignment. The first annotator has no
    conflicts. Raises: BadInput; SessionError.
    """
    team = store.team
    names = {*store.people, *(team.people if team else ())} - {GOLD}
    if annotator is not None and names <= {annotator}:
        return []
    names.update([annotator] if annotator is not None else [])
    shares = {
        name: (assignment if name == annotator else None) or store.share_of(name) or ALL
        for name in sorted(names)
        if team is None or name in team.people
    }
    covered = {
        pair.key
        for name, share in shares.items()
        for pair in queue_of(pairs, name, store, share).pairs
    }
    covered.update(*(map(Key, keys) for keys in store.finished().values()))
    sampled = {pair.key for one in shares.values() for pair in chosen(pairs, one)}
    told = list(misfits(len(sampled), shares, len(sampled & covered)))
    strangers = sorted(names - shares.keys() - set(team.left if team else ()))
    if strangers:
        listed = clean(", ".join(strangers), newlines=False)[:300]
        told.append(t("report.said.not_in_team", names=listed))
    return told


# ------------------------------------------------------------- samples


class Strata(NamedTuple):
    """A sample by level."""

    pairs: list[PairAt]
    by: str
    """Whose levels: `gold`, those of the data, or `machine`."""
    counts: dict[int, int]
    """Level to how many pairs there are of it."""
    left: int
    """Pairs without such a level, which no sample has."""


def chosen(pairs: Sequence[PairAt], assignment: Assignment) -> list[PairAt]:
    """Return the pairs to label: a sample if the assignment asks for one."""
    if assignment.sample is None:
        return list(pairs)
    return strata(
        pairs, assignment.sample, assignment.seed, hashed=assignment.hashed
    ).pairs


def strata(
    pairs: Sequence[PairAt], most: int, seed: int, *, hashed: bool = False
) -> Strata:
    """Return `most` pairs of every level; all pairs of a level with fewer.

    Levels come from the data, or from the model if the data has none. `hashed`: adding
    a pair removes at most one from the sample.

    Raises: BadInput if no pair has a level; SessionError.
    """
    levels: Mapping[Key, int] = {
        pair.key: pair.gold for pair in pairs if pair.gold is not None
    }
    by = "gold"
    if not levels:
        levels, by = _machine(pairs), "machine"
    if not levels:
        raise bad_input("wrong.labels.no_strata")
    drawn = set(
        drawn_by_level(
            ((pair.key, levels[pair.key]) for pair in pairs if pair.key in levels),
            most,
            seed,
            hashed=hashed,
        )
    )
    counts = {level: sum(one == level for one in levels.values()) for level in range(4)}
    return Strata(
        [pair for pair in pairs if pair.key in drawn],
        by,
        counts,
        len(pairs) - len(levels),
    )


def drawn_by_level(
    levels: Iterable[tuple[Key | str, int]],
    most: int,
    seed: int,
    *,
    hashed: bool = False,
) -> Iterator[Key | str]:
    """Draw at most this many of each level by the seed. `hashed`: adding one removes at
    most one from the sample.
    """
    by_level: dict[int, list[Key | str]] = {}
    for key, level in levels:
        by_level.setdefault(level, []).append(key)
    for level, keys in sorted(by_level.items()):
        if hashed:
            by_seed = Assignment(seed=seed)
            yield from in_order(keys, f"level {level}", by_seed, repr)[:most]
            continue
        chance = random.Random(f"{seed}\0{level}")  # noqa: S311
        yield from chance.sample(keys, min(most, len(keys)))


def _machine(pairs: Sequence[PairAt]) -> dict[Key, int]:
    """Return the model's levels of the pairs that have one."""
    scores = {}
    found = {}
    for pair in pairs:
        if pair.path not in scores:
            loaded = load(file_bytes(pair.path), str(pair.path))
            scores[pair.path] = machine(
                RelevanceState(Session(loaded.header, loaded.events))
            )
        level = scores[pair.path].get(pair.candidate)
        if level is not None:
            found[pair.key] = level
    return found
