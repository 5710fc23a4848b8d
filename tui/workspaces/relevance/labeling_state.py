"""A person's labelling state.

Who labels, how long each candidate was shown, and whether the machine's judgement was.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import msgspec

from ....engines.relevance.plan import RelevanceState, machine
from ....sessions.events.labels import Label

SAID = ("value", "bits", "facts", "reasons", "reason", "note")
"""The fields of a label that say something of the candidate."""


class LabelingState:
    """State of one person's labelling of one session, apart from its events."""

    def __init__(
        self, annotator: str, *, blind: bool = False, listed: Callable[[], bool] = bool
    ) -> None:
        """`listed`: whether a list has shown how the session came out."""
        self.annotator = annotator
        self.blind = blind
        """Whether what machine and data say is hidden until the person has labelled
        every candidate.
        """
        self._listed = listed
        self._seen: set[str] = set()
        self._noted: tuple[RelevanceState | None, int] = (None, 0)
        """While nothing is hidden: the fold on screen, and up to which of its events
        everything has been noted.
        """
        self._counted: tuple[RelevanceState | None, int, int] = (None, 0, 0)
        """The fold whose labels were counted, its `rated` then, and how many there
        were.
        """
        self._spent: dict[str, float] = {}
        self._front: str | None = None
        self._since = time.monotonic()

    def said(self, fold: RelevanceState, candidate: str) -> Label | None:
        """Returns the person's last label of a candidate: a level, evidence,
        reasons.
        """
        return fold.candidates[candidate].labels.get(self.annotator)

    def own(self, fold: RelevanceState, candidate: str) -> int | None:
        """Returns the level that the person has given; None: none, or undecided."""
        label = self.said(fold, candidate)
        if label is not None:
            return label.value
        return None

    def labelled(self, fold: RelevanceState) -> int:
        """Returns how many candidates have a level by the person."""
        counted, rated, count = self._counted
        if counted is not fold or rated != fold.rated:
            count = sum(self.own(fold, id_) is not None for id_ in fold.candidates)
            self._counted = fold, fold.rated, count
        return count

    def hidden(self, fold: RelevanceState) -> bool:
        """Whether nothing of the machine or the data may be shown: blind, and not every
        candidate is labelled.
        """
        return self.blind and self.labelled(fold) < len(fold.candidates)

    def in_front(self, candidate: str | None) -> None:
        """Measures how long candidates are looked at."""
        if candidate == self._front:
            return
        self._keep_time()
        self._front = candidate

    def _keep_time(self) -> None:
        now = time.monotonic()
        if self._front is not None:
            self._spent[self._front] = (
                self._spent.get(self._front, 0.0) + now - self._since
            )
        self._since = now

    def shown(self, fold: RelevanceState, labels: RelevanceState) -> None:
        """Notes for which candidates the screen shows what the machine judged.

        `labels`: the fold whose labels count.
        """
        events = fold.session.events
        known, at = self._noted
        if self.hidden(labels):
            self._noted = None, 0
            return
        self._noted = fold, len(events)
        ids = (
            [getattr(event, "candidate", None) for event in events[at:]]
            if known is fold
            else list(fold.candidates)
        )
        self._seen.update(id_ for id_ in ids if id_ is not None and judged(fold, id_))

    def label(self, fold: RelevanceState, candidate: str, **changed: object) -> Label:
        """Return the label event: the person's previous label with the fields
        `changed`.
        """
        self._keep_time()
        seconds = self._spent.pop(candidate, 0.0)
        before = self.said(fold, candidate)
        seen = (
            candidate in self._seen
            or (before is not None and before.seen_machine)
            or (self._listed() and judged(fold, candidate))
        )
        made = Label(
            candidate=candidate,
            annotator=self.annotator,
            seen_machine=seen,
            seconds=round(seconds, 1),
        )
        kept = (
            {name: getattr(before, name) for name in SAID} if before is not None else {}
        )
        said = msgspec.structs.replace(made, **(kept | changed))
        if "value" not in changed and said.value is None:
            said.words_only = before is None or before.words_only or before.undone
        return said


def judged(fold: RelevanceState, candidate: str) -> bool:
    """Whether the machine has said anything of a candidate."""
    one = fold.candidates.get(candidate)
    return one is not None and bool(
        one.score is not None or one.judgement("material") or one.judgement("legal")
    )


def in_order(scores: dict[str, int | None]) -> list[str]:
    """Sort candidates by score, highest first.

    Equal scores keep their order; candidates without a score come last.
    """
    return sorted(
        scores,
        key=lambda id_: -1 if (value := scores[id_]) is None else value,
        reverse=True,
    )


def shuffled(ids: Sequence[str], seed: str) -> list[str]:
    """Returns the ids in an order that is the same every time for one seed."""
    made = list(ids)
    random.Random(seed).shuffle(made)  # noqa: S311
    return made


def blind_labels(fold: RelevanceState, annotator: str) -> tuple[int, int]:
    """Returns how many labels, of those given before the machine's level was seen, can
    be compared with it, and how many are equal.
    """
    pairs = same = 0
    for id_, score in machine(fold).items():
        label = fold.candidates[id_].labels.get(annotator)
        if (
            label is not None
            and label.value is not None
            and not label.seen_machine
            and score is not None
        ):
            pairs += 1
            same += label.value == score
    return pairs, same
