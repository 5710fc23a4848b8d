"""The pairs of a session, or of a folder of sessions, in the order in which one person
labels them.

A pair batch has a session for every pair, and for every temperature and repeat of it; a
session of a query has a pair for every candidate. Here a pair is a query with a
candidate: wherever it stands, it is labelled once.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ...sessions.errors import BadInput, SessionError, cause
from ...sessions.events import rated
from ...sessions.events.labels import Assignment, Label
from ...sessions.label_assignment import ALL, RaterProgress, assigned, in_order
from ...sessions.labels import (
    Key,
    LabelReader,
    Latest,
    later,
    old_labels,
    session_files,
)
from ...sessions.load import LIMIT, chunks, load, read_document, read_header
from ...sessions.session import Session
from ...texts import t
from ..cases.task import candidates, gold, query
from .plan import RelevanceState
from .result import machine


@dataclass(frozen=True)
class PairAt:
    """A pair of cases, and where it stands."""

    path: Path
    """The session file."""
    session: str
    """The session's id."""
    query: str
    candidate: str
    gold: int | None = None
    """The level that the data give it."""
    also: tuple[Key, ...] = field(default=(), compare=False)
    """The same pair in other sessions: other temperatures and repeats, forks."""

    @property
    def key(self) -> Key:
        """What a label of it is about."""
        return Key(self.session, self.candidate)


def level_of(pair: PairAt, labels: Latest) -> int | None:
    """The level that a person gave a pair; None: none, or undecided."""
    label = label_of(pair, labels)
    if label is not None:
        return label.value
    return None


def label_of(pair: PairAt, labels: Latest) -> Label | None:
    """A person's last label of a pair, wherever it stands; None: none, or it was taken
    back.
    """
    found = [
        label
        for key in (pair.key, *pair.also)
        if (label := labels.get(key)) is not None
    ]
    last = max(found, key=lambda one: one.time, default=None)
    if last is None or last.undone:
        return None
    return last


class Queue:
    """One person's pairs, in one order every time: shuffled by the seed and the
    person's name.
    """

    def __init__(
        self, pairs: Sequence[PairAt], annotator: str, assignment: Assignment = ALL
    ) -> None:
        self.annotator = annotator
        self.pairs = in_order(assigned(pairs, assignment), annotator, assignment)
        self._places = {pair.key: place for place, pair in enumerate(self.pairs)}

    def __len__(self) -> int:
        return len(self.pairs)

    def place(self, pair: PairAt) -> int:
        """Where a pair stands, from 0."""
        return self._places[pair.key]

    def next(self, labels: Latest, after: PairAt | None = None) -> PairAt | None:
        """The next pair without a level: after this one, then from the start; None
        where all have one.

        Undecided pairs come when there is no other left. `after` itself comes last.
        """
        start = 0 if after is None else self._places[after.key] + 1
        undecided: PairAt | None = None
        for pair in (*self.pairs[start:], *self.pairs[:start]):
            label = label_of(pair, labels)
            if label is None:
                return pair
            if label.value is None and undecided is None and pair != after:
                undecided = pair
        return undecided

    def step(self, pair: PairAt, by: int) -> PairAt | None:
        """The pair so many places further on, or back; None beyond the ends."""
        place = self._places[pair.key] + by
        if 0 <= place < len(self.pairs):
            return self.pairs[place]
        return None

    def progress(self, labels: Latest) -> RaterProgress:
        """How far the person is."""
        known = [
            label
            for pair in self.pairs
            if (label := label_of(pair, labels)) is not None
        ]
        done = sum(label.value is not None for label in known)
        return RaterProgress(self.annotator, done, len(known) - done, len(self.pairs))


def everyone(
    path: Path, pairs: Sequence[PairAt], reader: LabelReader | None = None
) -> list[RaterProgress]:
    """How far everybody is who has labelled here, by name; `gold` is left out.

    Pairs are assigned as each person's file says.

    Raises: SessionError.
    """
    reader = reader or LabelReader(path)
    reader.look()
    people = later(old_labels(path), reader.people)
    made = []
    for name in sorted(people.keys() - {"gold"}):
        mine = Queue(
            chosen(pairs, reader.assignments.get(name, ALL)),
            name,
            reader.assignments.get(name, ALL),
        )
        one = mine.progress(people[name])
        given = sum(level_of(pair, people[name]) is not None for pair in pairs)
        made.append(one._replace(others=given - one.done))
    return made


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
    """The pairs that are labelled at all: a sample where the assignment says so."""
    if assignment.sample is None:
        return list(pairs)
    return strata(pairs, assignment.sample, assignment.seed).pairs


def strata(pairs: Sequence[PairAt], most: int, seed: int) -> Strata:
    """`most` pairs of every level, all where there are fewer.

    Levels are those of the data; where they give none, the machine's.

    Raises: BadInput where no pair has a level; SessionError.
    """
    levels: Mapping[Key, int] = {
        pair.key: pair.gold for pair in pairs if pair.gold is not None
    }
    by = "gold"
    if not levels:
        levels, by = _machine(pairs), "machine"
    if not levels:
        raise BadInput(t("wrong.labels.no_strata"))
    drawn = set(
        drawn_by_level(
            ((pair.key, levels[pair.key]) for pair in pairs if pair.key in levels),
            most,
            seed,
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
    levels: Iterable[tuple[Key | str, int]], most: int, seed: int
) -> Iterator[Key | str]:
    """At most so many of each level, drawn by the seed."""
    by_level: dict[int, list[Key | str]] = {}
    for key, level in levels:
        by_level.setdefault(level, []).append(key)
    for level, keys in sorted(by_level.items()):
        yield from random.Random(f"{seed}\0{level}").sample(keys, min(most, len(keys)))  # noqa: S311


def _machine(pairs: Sequence[PairAt]) -> dict[Key, int]:
    """The machine's levels of pairs that have one."""
    scores: dict[Path, dict[str, int | None]] = {}
    found: dict[Key, int] = {}
    for pair in pairs:
        if pair.path not in scores:
            loaded = load(_bytes(pair.path), str(pair.path))
            scores[pair.path] = machine(
                RelevanceState(Session(loaded.header, loaded.events))
            )
        level = scores[pair.path].get(pair.candidate)
        if level is not None:
            found[pair.key] = level
    return found


# ------------------------------------------------------------- reading


def pairs_in(path: Path) -> list[PairAt]:
    """The pairs of a session file or of a folder's sessions, by file name and in the
    order given. Only headers are read.

    Raises: BadInput where there is nothing to label; SessionError for a file that is no
    session.
    """
    found: dict[tuple[str, str, int], PairAt] = {}
    for file in session_files(path):
        for pair, texts in _pairs(file, alone=not path.is_dir()):
            place = (pair.query, pair.candidate, texts)
            first = found.get(place)
            if first is None:
                found[place] = pair
            else:
                also = (*first.also, pair.key)
                known = first.gold if first.gold is not None else pair.gold
                found[place] = PairAt(
                    first.path, first.session, first.query, first.candidate, known, also
                )
    if not found:
        raise BadInput(t("wrong.labels.nothing_here", path=path))
    return list(found.values())


_HEAD = re.compile(
    rb"format: verifytui/1\nid: ([\w-]+)\nworkspace: (\w+)\nmethod: (\w+)\n"
)
_ID = rb'([A-Za-z][\w.-]*|"[^"\\\n]*")'
_QUERY = re.compile(
    rb"\ntask:\n  query:\n    id: "
    + _ID
    + rb"\n    text: \|2[+-]?\n((?:      [^\n]*\n|\n)+)(?:    title: [^\n]*\n)?  "
    rb"candidates:\n"
)
_CANDIDATE = re.compile(
    rb"    - id: "
    + _ID
    + rb"\n      text: \|2[+-]?\n((?:        [^\n]*\n|\n)+)((?:      (?:title"
    rb"|gold): [^\n]*\n)*)"
)
_GOLD = re.compile(rb"(?:^|\n)      gold: ([0-3])\n")


def _pairs(file: Path, *, alone: bool) -> list[tuple[PairAt, int]]:
    """The pairs of a session, each with a digest of its texts.

    Raises: BadInput, where it is `alone` and has none; SessionError.
    """
    data = _bytes(file)
    quick = _quick(file, data)
    if quick is not None:
        return quick
    bounds = next(chunks(data), None)
    mapping = read_document(data, *bounds, str(file)) if bounds is not None else None
    if mapping is None:
        load(data, str(file))  # says what is wrong
        return []
    header = read_header(mapping, str(file))
    method = header.method or header.workspace
    if not rated(method):
        if alone:
            raise BadInput(
                t("wrong.labels.not_rated", file=file, workspace=header.workspace)
            )
        return []
    session = Session(header)
    asked, levels = query(session), gold(session)
    text = str(asked.get("text", "")).rstrip("\n")
    return [
        (
            PairAt(file, header.id, str(asked.get("id", "")), id_, levels.get(id_)),
            hash((text, str(case.get("text", "")).rstrip("\n"))),
        )
        for id_, case in candidates(session).items()
    ]


def _quick(file: Path, data: bytes) -> list[tuple[PairAt, int]] | None:
    """The same for a file as this program writes it, without reading all of its YAML;
    None for any other layout.
    """
    head = _HEAD.match(data)
    asked = _QUERY.search(data, head.end()) if head is not None else None
    if (
        head is None
        or asked is None
        or not rated(head[3].decode())
        or data.find(b"\n...\n", 0, asked.start()) >= 0
    ):
        return None
    found: list[tuple[PairAt, int]] = []
    text, end = _text(asked[2], 6), asked.end()
    while (one := _CANDIDATE.match(data, end)) is not None:
        level = _GOLD.search(one[3])
        pair = PairAt(
            file,
            head[1].decode(),
            _id(asked[1]),
            _id(one[1]),
            int(level[1]) if level else None,
        )
        found.append((pair, hash((text, _text(one[2], 8)))))
        end = one.end()
    if found and data.startswith(b"lineup:", end):
        return found
    return None


def _text(block: bytes, indent: int) -> str:
    return "\n".join(
        line[indent:] for line in block.decode("utf-8", "replace").split("\n")
    ).rstrip("\n")


def _id(written: bytes) -> str:
    text = written.decode("utf-8", "replace")
    if text.startswith('"'):
        return str(json.loads(text))
    return text


def _bytes(file: Path) -> bytes:
    try:
        if file.stat().st_size > LIMIT:
            raise SessionError(t("wrong.file.over", path=file))
        return file.read_bytes()
    except OSError as error:
        raise SessionError(
            t("wrong.file.unread", path=file, why=cause(error))
        ) from None
