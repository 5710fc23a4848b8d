"""The plan of a synthesis: the task and negatives of each question, and the models of
each step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Literal

from ....engines.batches.lines import BatchLine
from ....engines.figures.items import id_of
from ....engines.figures.rows import Row, rows
from ....engines.starting import Wishes
from ....sessions.errors import BadInput, bad_input
from .samples import Half, Kind, same_questions

NEGATIVES: tuple[Kind, ...] = (
    "repeated-words",
    "citation-swap",
    "retrieval-error",
    "bad-query",
)
BY_RULE: tuple[Kind, ...] = ("repeated-words", "citation-swap")
"""The negatives that need no model."""

Keep = Literal["right", "true", "all"]
"""Answers to train on: those that match an accepted answer, those that the verifier
judged true, or all.
"""


@dataclass(frozen=True)
class Steps:
    """The session options of each step: models and sources."""

    answering: Wishes
    worsening: Wishes
    """Options of negatives that a model makes."""
    verifying: Wishes


@dataclass(frozen=True)
class AnswerSynthesis:
    """A synthesis of answers and their verification."""

    lines: Sequence[BatchLine]
    """The questions."""
    rows: Mapping[str, Row]
    """The same questions as in the file, by id."""
    steps: Steps
    seed: int = 0
    share: float = 0.5
    """Share of the questions used for answering."""
    samples: int = 1
    """Answers per question."""
    negatives: Sequence[Kind] = NEGATIVES
    each: int | None = None
    """Number of kinds of negatives per question, assigned in turn; None: all."""
    keep: Keep = "right"
    skipped: int = 0
    """Skipped lines of the file, which could not be read."""

    def draw(self, *about: object) -> Random:
        """A random generator for one purpose, reproducible on every machine."""
        return Random("/".join(map(str, (self.seed, *about))))  # noqa: S311

    @property
    def halves(self) -> dict[str, Half]:
        """Assigns a task to each question. With two or more questions, each task gets
        at least one, unless the share is 0 or 1.
        """
        group = same_questions({line.id: line.about or line.id for line in self.lines})
        ids = sorted(set(group.values()))
        self.draw("halves").shuffle(ids)
        many = round(self.share * len(ids))
        if 0 < self.share < 1 and len(ids) > 1:
            many = min(max(many, 1), len(ids) - 1)
        halves: dict[str, Half] = {
            id_: "answering" if at < many else "verification"
            for at, id_ in enumerate(ids)
        }
        return {line.id: halves[group[line.id]] for line in self.lines}

    @property
    def kinds(self) -> dict[str, list[Kind]]:
        """The kinds of negatives for each verification question, in the order of
        `negatives`.
        """
        ids = sorted(one for one, half in self.halves.items() if half == "verification")
        self.draw("kinds").shuffle(ids)
        many = (
            len(self.negatives)
            if self.each is None
            else min(self.each, len(self.negatives))
        )
        dealt = {
            id_: {
                self.negatives[(at * many + more) % len(self.negatives)]
                for more in range(many)
            }
            for at, id_ in enumerate(ids)
            if many
        }
        return {
            id_: [kind for kind in self.negatives if kind in dealt.get(id_, ())]
            for id_ in ids
        }

    def asked(self) -> list[BatchLine]:
        """The lines of the first step: each question once per answer."""
        return [
            replace(
                line,
                id=f"{line.id}.{n}",
                named_cluster=line.named_cluster or line.id,
                numbered=False,
            )
            for line in self.lines
            for n in range(1, self.samples + 1)
        ]

    def options(self) -> dict[str, Any]:
        """All options that determine the data, as JSON."""
        steps = {name: wishes.given() for name, wishes in vars(self.steps).items()}
        chosen = {
            "negatives": list(self.negatives),
            "per-question": self.each,
            "answers": self.keep,
        }
        return {
            "seed": self.seed,
            "answering-share": self.share,
            "samples": self.samples,
            **chosen,
            **steps,
        }


def rows_of(path: Path) -> dict[str, Row]:
    """The readable rows of a file of questions, by id. Raises: BadInput."""
    made = {}
    for number, _, row in rows(path, "", []):
        if isinstance(row, dict):
            with suppress(BadInput):
                made[id_of(row, number)] = row
    return made


def parse_negatives(text: str) -> list[Kind]:
    """Parses kinds such as `repeated-words,bad-query`, in the order of `NEGATIVES`;
    `none`: no negatives.

    Raises: BadInput.
    """
    given = [one.strip() for one in text.split(",")] if text.strip() != "none" else []
    wrong = next((one for one in given if one not in NEGATIVES), None)
    if wrong is not None:
        raise bad_input(
            "wrong.synth.negative", name=wrong[:60], names=", ".join(NEGATIVES)
        )
    return [kind for kind in NEGATIVES if kind in given]
