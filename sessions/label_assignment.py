"""Assigns pairs or items to annotators, with an order.

Also counts progress, and checks that the assignments fit together.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from ..texts import t
from .annotators import of_nearly
from .clean import clean
from .events.labels import Assignment
from .labels import LabelFile

ALL = Assignment()
"""Everything, in one's own order."""

Thing = TypeVar("Thing")
KeyOf = Callable[[Thing], str]
"""What a thing is known by, in every run and on every machine."""


class RaterProgress(NamedTuple):
    """How far a person is."""

    annotator: str
    done: int
    """Things of theirs with a label."""
    undecided: int
    assigned: int
    others: int = 0
    """Labels for things that are not theirs."""


def assigned(
    things: Sequence[Thing],
    annotator: str,
    assignment: Assignment,
    key_of: KeyOf[Thing],
    finished: Mapping[str, Collection[str]] | None = None,
) -> list[Thing]:
    """The things of one person: those that everybody gets, and a share of the others.

    By rendezvous hashing of thing, person and seed: another thing or person moves
    nothing but its own. Assignments of older files shuffle all things instead.

    `finished`: the keys of what each person who left the team had labelled. It stays
    theirs, and goes to nobody else.
    """
    if not assignment.hashed:
        return _dealt(things, assignment)
    return [
        thing
        for thing in things
        if is_common(key_of(thing), assignment)
        or _owner(key_of(thing), assignment, finished or {})
        == (annotator if assignment.people else str(assignment.part))
    ]


def is_common(key: str, assignment: Assignment) -> bool:
    """Whether everybody gets this, by a hashed assignment."""
    if assignment.of == 1 and len(assignment.people) < 2:
        return True
    return _chance(assignment.seed, "", key) < assignment.overlap


def _owner(
    key: str, assignment: Assignment, finished: Mapping[str, Collection[str]]
) -> str:
    """Return the owner of an item that is not shared: a person or a part number."""
    shares = assignment.people or {
        str(part): 1.0 for part in range(1, assignment.of + 1)
    }
    everybody = {**assignment.left, **shares}
    ranked = sorted(
        everybody,
        key=lambda name: (
            -math.log(_chance(assignment.seed, name, key)) / everybody[name]
        ),
    )
    return next(
        name for name in ranked if name in shares or key in finished.get(name, ())
    )


def _chance(seed: int, name: str, key: str) -> float:
    """A number above 0 and below 1 that is the same every time."""
    digest = hashlib.sha256(f"{seed}\0{name}\0{key}".encode("utf-8", "replace"))
    return (int.from_bytes(digest.digest()[:6]) + 0.5) / 2**48


def _dealt(things: Sequence[Thing], assignment: Assignment) -> list[Thing]:
    """As older files share: the order of all things decides."""
    drawn = list(things)
    random.Random(f"{assignment.seed}").shuffle(drawn)  # noqa: S311
    common = round(len(drawn) * assignment.overlap) if assignment.of > 1 else len(drawn)
    return drawn[:common] + drawn[common + assignment.part - 1 :: assignment.of]


def in_order(
    things: Sequence[Thing],
    annotator: str,
    assignment: Assignment,
    key_of: KeyOf[Thing],
) -> list[Thing]:
    """The things in one order every time, by the seed and the person's name; another
    thing comes among them and moves none.
    """
    seed = assignment.seed
    return sorted(
        things, key=lambda thing: _chance(seed, f"order {annotator}", key_of(thing))
    )


def note(file: LabelFile, assignment: Assignment) -> None:
    """Writes down in a person's file what is theirs, unless that is what the file says
    last. Raises: SessionError.
    """
    last = file.assignment
    if last is None or msgspec.structs.replace(
        assignment, number=0, time=""
    ) != msgspec.structs.replace(last, number=0, time=""):
        file.append(assignment)


# Whether shares fit together


def misfits(
    things: int, shares: Mapping[str, Assignment], covered: int
) -> Iterator[str]:
    """A sentence for each thing that does not fit in people's shares.

    `shares`: annotator to what is theirs, of all who have begun; `covered`: how many of
    the things are somebody's.
    """
    parts = {name: one for name, one in shares.items() if one.of > 1}
    plans = Counter(map(_plan, parts.values()))
    if len(plans) > 1:
        yield t(
            "report.said.shares_differ",
            shares=_names(
                f"{name}: {_assignment_text(one)}" for name, one in parts.items()
            ),
        )
    holders: dict[tuple[int, int], list[str]] = {}
    for name, one in parts.items():
        holders.setdefault((one.part, one.of), []).append(name)
    for (part, of), names in sorted(holders.items()):
        if len(names) > 1:
            yield t("report.said.same_share", names=_names(names), part=part, total=of)
    if len(plans) == 1:
        of = next(iter(parts.values())).of
        free = [part for part in range(1, of + 1) if (part, of) not in holders]
        if free:
            listed = ", ".join(f"{part}/{of}" for part in free[:12])
            yield t("report.said.free_share", parts=listed)
    if things > covered:
        yield t("report.said.nobodys", n=things - covered, total=things)
    for name in sorted(shares):
        near = [one for one in of_nearly(name, sorted(shares)) if one > name]
        if near:
            yield t("report.said.near_names", name=name, other=_names(near))


def _plan(one: Assignment) -> tuple[object, ...]:
    return one.of, one.overlap, one.seed, one.sample, one.hashed


def _assignment_text(one: Assignment) -> str:
    return t(
        "report.said.share" if one.hashed else "report.said.share_older",
        part=one.part,
        total=one.of,
        overlap=one.overlap,
        seed=one.seed,
    )


def _names(names: Iterator[str] | Sequence[str]) -> str:
    return clean(", ".join(names), newlines=False)[:300]
