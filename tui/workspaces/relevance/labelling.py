"""A person's own levels: who labels, how long a candidate was in front, whether the machine's judgement had been seen."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

from ....engines.relevance.plan import Fold
from ....engines.relevance.result import machine
from ....sessions.events.relevance import Label

FULL_WIDTH = "\uff10\uff11\uff12\uff13"
"""Digits as a Chinese input method types them."""


class Labelling:
    """What is known beside the events while one person labels one session."""

    def __init__(self, annotator: str, *, blind: bool = False) -> None:
        self.annotator = annotator
        self.blind = blind
        """Whether the levels of the machine and of the data are hidden until the person has given one."""
        self._seen: set[str] = set()
        self._noted: tuple[Fold | None, int] = (None, 0)
        """While not blind: the fold on screen, and up to which of its events everything has been noted."""
        self._spent: dict[str, float] = {}
        self._front: str | None = None
        self._since = time.monotonic()

    def own(self, fold: Fold, candidate: str) -> int | None:
        """Returns the level that the person has given; None: none, or undecided."""
        label = fold.candidates[candidate].labels.get(self.annotator)
        return label.value if label is not None else None

    def labelled(self, fold: Fold) -> int:
        """Returns how many candidates have a level by the person."""
        given = (one.labels.get(self.annotator) for one in fold.candidates.values())
        return sum(label is not None and label.value is not None for label in given)

    def hidden(self, fold: Fold, candidate: str) -> bool:
        """Whether nothing of the machine or the data may be shown of it."""
        return self.blind and self.own(fold, candidate) is None

    def in_front(self, candidate: str | None) -> None:
        """Measures how long candidates are looked at."""
        if candidate == self._front:
            return
        self._keep_time()
        self._front = candidate

    def _keep_time(self) -> None:
        now = time.monotonic()
        if self._front is not None:
            self._spent[self._front] = self._spent.get(self._front, 0.0) + now - self._since
        self._since = now

    def shown(self, fold: Fold) -> None:
        """Notes for which candidates the screen shows what the machine judged."""
        events = fold.session.events
        known, at = self._noted
        self._noted = (None, 0) if self.blind else (fold, len(events))
        ids = [getattr(event, "candidate", None) for event in events[at:]] if known is fold and not self.blind else list(fold.candidates)
        for id_ in ids:
            one = fold.candidates.get(id_ or "")
            if one is not None and id_ not in self._seen and (one.score is not None or one.judgement("material") or one.judgement("legal")):
                self._seen.update(() if id_ is None or self.hidden(fold, id_) else (id_,))

    def label(self, fold: Fold, candidate: str, value: int | None) -> Label:
        """Returns the event of a label."""
        self._keep_time()
        seconds = self._spent.pop(candidate, 0.0)
        before = fold.candidates[candidate].labels.get(self.annotator)
        seen = candidate in self._seen or (before is not None and before.seen_machine)
        return Label(candidate=candidate, value=value, annotator=self.annotator, seen_machine=seen, seconds=round(seconds, 1))


def in_order(scores: dict[str, int | None]) -> list[str]:
    """Returns candidates by score, highest first; equal ones keep their order; those without a score come last."""
    return sorted(scores, key=lambda id_: -1 if (value := scores[id_]) is None else value, reverse=True)


def shuffled(ids: Sequence[str], seed: str) -> list[str]:
    """Returns the ids in an order that is the same every time for one seed."""
    made = list(ids)
    random.Random(seed).shuffle(made)  # noqa: S311 - not for secrets
    return made


def blind_labels(fold: Fold, annotator: str) -> tuple[int, int]:
    """Returns how many labels, of those given before the machine's level was seen, can be compared with it, and how many are equal."""
    pairs = same = 0
    for id_, score in machine(fold).items():
        label = fold.candidates[id_].labels.get(annotator)
        if label is not None and label.value is not None and not label.seen_machine and score is not None:
            pairs += 1
            same += label.value == score
    return pairs, same
