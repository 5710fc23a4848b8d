"""How what is to be labelled is shared among people: whose it is, in which order it
comes, and how far somebody is.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import msgspec

from .events.labels import Assignment
from .labels import LabelFile

ALL = Assignment()
"""Everything, in one's own order."""

Thing = TypeVar("Thing")


class RaterProgress(NamedTuple):
    """How far a person is."""

    annotator: str
    done: int
    """Things of theirs with a label."""
    undecided: int
    assigned: int
    others: int = 0
    """Labels for things that are not theirs."""


def assigned(things: Sequence[Thing], assignment: Assignment) -> list[Thing]:
    """The things of one part: those that everybody gets, by the seed, and an even share
    of the others.
    """
    drawn = list(things)
    random.Random(f"{assignment.seed}").shuffle(drawn)  # noqa: S311
    common = round(len(drawn) * assignment.overlap) if assignment.of > 1 else len(drawn)
    return drawn[:common] + drawn[common + assignment.part - 1 :: assignment.of]


def in_order(
    things: Sequence[Thing], annotator: str, assignment: Assignment
) -> list[Thing]:
    """The things in one order every time: shuffled by the seed and the person's
    name.
    """
    mine = list(things)
    random.Random(f"{assignment.seed}\0{annotator}").shuffle(mine)  # noqa: S311
    return mine


def note(file: LabelFile, assignment: Assignment) -> None:
    """Writes down in a person's file what is theirs, unless that is what the file says
    last. Raises: SessionError.
    """
    last = file.assignment
    if last is None or msgspec.structs.replace(
        assignment, number=0, time=""
    ) != msgspec.structs.replace(last, number=0, time=""):
        file.append(assignment)
