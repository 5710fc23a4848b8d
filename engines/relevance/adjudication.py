"""The pairs on which people differ, and the level that an adjudicator decides on, with
its provenance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Literal, NamedTuple

from ...sessions.annotators import GOLD
from ...sessions.case_pairs import PairAt
from ...sessions.events.labels import Label, Voice
from ...sessions.label_assignment import ALL, in_order
from ...sessions.labels import LabelFile, Latest, are_at_odds, still_holds
from .queue import label_of

State = Literal["open", "changed", "decided"]
"""`changed`: somebody has labelled otherwise since it was decided."""


class PairDispute(NamedTuple):
    """A pair on which people differ, or on which one of them is undecided."""

    pair: PairAt
    labels: dict[str, Label]
    """By annotator, in the order of their names: each one's last label."""
    gold: Label | None
    """The level that was decided on."""
    state: State

    @property
    def spread(self) -> int:
        """Highest level minus lowest."""
        levels = [one.value for one in self.labels.values() if one.value is not None]
        if levels:
            return max(levels) - min(levels)
        return 0


def disputes(
    pairs: Sequence[PairAt], people: Mapping[str, Latest]
) -> list[PairDispute]:
    """The pairs that people differ on: those to decide first, most different first
    among them.

    `people` as `read_labels` gives it, with the adjudicator under `gold`. A pair that
    one person alone has labelled is none.
    """
    found = []
    for pair in pairs:
        labels = labels_of(pair, people)
        gold = label_of(pair, people.get(GOLD, {}))
        if gold is not None and gold.value is None:
            gold = None
        if are_at_odds(
            [one.value for one in labels.values()],
            gold.value if gold is not None else None,
        ):
            found.append(PairDispute(pair, labels, gold, _state(labels, gold)))
    order = {"changed": 0, "open": 0, "decided": 1}
    return sorted(found, key=lambda one: (order[one.state], -one.spread))


def labels_of(pair: PairAt, people: Mapping[str, Latest]) -> dict[str, Label]:
    """Annotator to the last label of a pair, in the order of their names; the
    adjudicator is none of them. Words without a level, and the training, are no labels.
    """
    given = (
        (name, label_of(pair, people[name])) for name in sorted(people.keys() - {GOLD})
    )
    return {
        name: label
        for name, label in given
        if label is not None and not (label.words_only or label.training)
    }


def without_names(pair: PairAt, labels: Mapping[str, Label]) -> dict[str, Label]:
    """The labels of a pair under letters, in an order of the pair's own: a person has
    not the same letter on every pair.
    """
    names = in_order(sorted(labels), pair.key.subject, ALL, str)
    return {
        ascii_uppercase[at % 26] * (at // 26 + 1): labels[name]
        for at, name in enumerate(names)
    }


def decide(
    file: LabelFile,
    dispute: PairDispute,
    value: int | None,
    by: str,
    reason: str = "",
    seconds: float = 0.0,
    *,
    note: str = "",
    seen_machine: bool = False,
) -> Label:
    """Writes the level decided on, with the labels that it decides between; returns it
    as stored.

    `file` is opened with `LabelFile.open(path, "gold", adjudicator=True)`. Neither
    level nor reason takes a decision back. Raises: SessionError.
    """
    voices = [
        Voice(annotator=name, value=label.value, time=label.time)
        for name, label in dispute.labels.items()
    ]
    return file.append(
        dispute.pair.label(
            Label(
                value=value,
                seconds=seconds,
                decides=voices,
                by=by,
                reason=reason,
                note=note,
                seen_machine=seen_machine,
                undone=value is None and not reason and not note,
            )
        )
    )


def _state(labels: Mapping[str, Label], gold: Label | None) -> State:
    if gold is None:
        return "open"
    if still_holds(gold, {name: label.value for name, label in labels.items()}):
        return "decided"
    return "changed"
