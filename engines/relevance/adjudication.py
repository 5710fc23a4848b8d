"""Pairs on which annotators disagree, and the level that an adjudicator decides, with
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
    """A pair on which annotators disagree, or which one of them left undecided."""

    pair: PairAt
    labels: dict[str, Label]
    """By annotator, in the order of their names: each one's last label."""
    gold: Label | None
    """The level that was decided on."""
    state: State

    @property
    def spread(self) -> int:
        """The highest level minus the lowest; 0 without a level."""
        levels = [one.value for one in self.labels.values() if one.value is not None]
        if levels:
            return max(levels) - min(levels)
        return 0


def disputes(
    pairs: Sequence[PairAt], people: Mapping[str, Latest]
) -> list[PairDispute]:
    """Return the pairs on which annotators disagree. Pairs without a decision come
    first, sorted by the distance between their levels, largest first.

    `people` is the result of `read_labels`, with the adjudicator under `gold`. A pair
    with one annotator has no dispute.
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
    """Return the last label of a pair by annotator, sorted by name. Labels of the
    adjudicator, labels with words only, and training labels are excluded.
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
    """Return the labels of a pair under letters instead of names. The order depends on
    the pair, so an annotator's letter changes from pair to pair.
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
    """Write the decided level, with the labels it decides between, and return the
    stored label.

    Open `file` with `LabelFile.open(path, "gold", adjudicator=True)`. To withdraw a
    decision, omit level, reason and note. Raises: SessionError.
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
