"""What one person labels pair by pair, and where that is kept: one's own file of
labels, or the levels that decide between people.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from .....engines.relevance.adjudication import PairDispute, decide, disputes, labels_of
from .....engines.relevance.queue import PairAt, Queue, label_of
from .....sessions.annotators import GOLD
from .....sessions.events.labels import Label, Reveal
from .....sessions.label_assignment import RaterProgress
from .....sessions.labels import Key, LabelFile, LabelReader, Latest, later, old_labels
from ....play import Scope


class PairQueue(Protocol):
    """A person with a queue of pairs."""

    tab: str
    """Whose tab it is shown in."""
    annotator: str
    """Whose labels are given."""
    scope: Scope
    """As which of the two the screen speaks of it."""
    decides: bool
    """Whether it is decided between people, with one reason and no evidence of one's
    own.
    """
    advance: bool
    """Whether a level leads on to the next pair by itself."""
    pairs: Sequence[PairAt]
    """All pairs of the place; a pair's number is its place among them."""

    @property
    def name(self) -> str:
        """Who labels, as the screen says it."""
        ...

    def begin(self) -> PairAt:
        """Returns the pair to begin with: the first without a label, or the first of
        all.
        """
        ...

    def label(self, pair: PairAt) -> Label | None:
        """Returns the label of a pair that counts."""
        ...

    def keep(self, pair: PairAt, label: Label) -> Label:
        """Writes a label, and returns it as it stands in the file.

        Raises: SessionError.
        """
        ...

    def shows_machine(self, pair: PairAt) -> bool:
        """Whether the machine's word of a pair has been shown on request."""
        ...

    def reveal(self, pair: PairAt) -> None:
        """Writes down that the machine's word of a pair is shown. Raises: SessionError."""

    def place(self, pair: PairAt) -> tuple[int, int]:
        """Returns which of how many pairs of this person a pair is, from 1."""
        ...

    def next(self, after: PairAt) -> PairAt | None:
        """Returns the next pair without a label; None where there is none."""
        ...

    def step(self, pair: PairAt, by: int) -> PairAt | None:
        """Returns the pair so many places on or back; None beyond the ends."""
        ...

    def queue(self) -> Sequence[PairAt]:
        """Returns this person's pairs in order."""
        ...

    def before(self, pair: PairAt | None) -> tuple[PairAt, Label] | None:
        """Returns the label that was given last, and to which pair: another one than
        `pair`, or, with None, any.
        """
        ...

    def progress(self) -> RaterProgress:
        """Returns how many pairs have a label."""
        ...

    def people(self, pair: PairAt) -> dict[str, Label]:
        """Returns what may be seen of other people's labels of a pair: nothing, unless
        this person decides between them.
        """
        ...

    def close(self) -> None:
        """Closes the file."""


class PairLabeler:
    """A person who labels, in the order that is theirs."""

    tab, decides = "relevance", False
    scope: Scope = "labelling"

    def __init__(
        self,
        queue: Queue,
        pairs: Sequence[PairAt],
        file: LabelFile,
        old: Latest,
        *,
        advance: bool = False,
    ) -> None:
        """`pairs`: all of the place; `old`: this person's labels that older sessions
        hold themselves.
        """
        self.annotator = self.name = file.annotator
        self.advance = advance
        self.pairs = pairs
        self._queue = queue
        self._file = file
        labels = later({self.annotator: old}, {self.annotator: file.own})[
            self.annotator
        ]
        self._labels = dict(
            sorted(labels.items(), key=lambda one: one[1].time)
        )  # the last one given stands last
        self._places = {
            key: pair for pair in queue.pairs for key in (pair.key, *pair.also)
        }

    def begin(self) -> PairAt:
        return self._queue.next(self._labels) or self._queue.pairs[0]

    def label(self, pair: PairAt) -> Label | None:
        return label_of(pair, self._labels)

    def keep(self, pair: PairAt, label: Label) -> Label:
        label.session, label.candidate = pair.session, pair.candidate
        kept = self._file.append(label)
        self._labels.pop(Key.of(kept), None)
        self._labels[Key.of(kept)] = kept
        return kept

    def shows_machine(self, pair: PairAt) -> bool:
        return any(
            (key.session, key.candidate) in self._file.revealed
            for key in (pair.key, *pair.also)
        )

    def reveal(self, pair: PairAt) -> None:
        self._file.append(Reveal(session=pair.session, candidate=pair.candidate))

    def place(self, pair: PairAt) -> tuple[int, int]:
        return self._queue.place(pair) + 1, len(self._queue)

    def next(self, after: PairAt) -> PairAt | None:
        return self._queue.next(self._labels, after)

    def step(self, pair: PairAt, by: int) -> PairAt | None:
        return self._queue.step(pair, by)

    def queue(self) -> Sequence[PairAt]:
        return self._queue.pairs

    def before(self, pair: PairAt | None) -> tuple[PairAt, Label] | None:
        for key, label in reversed(self._labels.items()):
            other = self._places.get(key)
            if other is not None and other != pair and not label.undone:
                return other, label
        return None

    def progress(self) -> RaterProgress:
        return self._queue.progress(self._labels)

    def people(self, pair: PairAt) -> dict[str, Label]:
        return {}

    def close(self) -> None:
        self._file.close()


class Adjudicator:
    """A person who decides where people differ.

    What is decided has the annotator `gold`, with whose labels it decides between.
    """

    tab, decides = "relevance", True
    scope: Scope = "deciding"

    def __init__(
        self,
        path: Path,
        pairs: Sequence[PairAt],
        file: LabelFile,
        by: str,
        *,
        advance: bool = False,
    ) -> None:
        """`file` is that of `gold`; `by`: who decides.

        Raises: SessionError for a file that cannot be read.
        """
        self.annotator = file.annotator
        self.name = by
        self.advance = advance
        self.pairs = pairs
        self._file = file
        self._old = old_labels(path)
        self._reader = LabelReader(path)
        self._read()
        self.disputes = disputes(pairs, self._people)
        self._places = {one.pair: at for at, one in enumerate(self.disputes)}

    def _read(self) -> None:
        self._reader.look()
        self._people = later(
            later(self._old, self._reader.people), {GOLD: self._file.own}
        )

    def _now(self, pair: PairAt) -> PairDispute:
        """A pair as people see it now: they may go on labelling."""
        return self.disputes[self._places[pair]]._replace(
            labels=labels_of(pair, self._people)
        )

    def begin(self) -> PairAt:
        return next(
            (one.pair for one in self.disputes if one.state != "decided"),
            self.disputes[0].pair,
        )

    def label(self, pair: PairAt) -> Label | None:
        return label_of(pair, self._people[GOLD])

    def keep(self, pair: PairAt, label: Label) -> Label:
        value = (
            None if label.undone else label.value
        )  # it decides between the labels that were shown, not those that came since
        note, seen = label.note, label.seen_machine
        kept = decide(
            self._file,
            self._now(pair),
            value,
            self.name,
            label.reason,
            label.seconds,
            note=note,
            seen_machine=seen,
        )
        self._read()
        return kept

    def shows_machine(self, pair: PairAt) -> bool:
        return any(
            (key.session, key.candidate) in self._file.revealed
            for key in (pair.key, *pair.also)
        )

    def reveal(self, pair: PairAt) -> None:
        self._file.append(Reveal(session=pair.session, candidate=pair.candidate))

    def place(self, pair: PairAt) -> tuple[int, int]:
        return self._places[pair] + 1, len(self.disputes)

    def next(self, after: PairAt) -> PairAt | None:
        at = self._places[after] + 1
        order = [one.pair for one in (*self.disputes[at:], *self.disputes[:at])]
        return next((pair for pair in order if not self._decided(pair)), None)

    def _decided(self, pair: PairAt) -> bool:
        """Whether the level is decided on, between the labels that people give now."""
        label = self.label(pair)
        then = (
            {vote.annotator: vote.value for vote in label.decides}
            if label is not None and label.value is not None
            else None
        )
        return then == {
            name: one.value for name, one in labels_of(pair, self._people).items()
        }

    def step(self, pair: PairAt, by: int) -> PairAt | None:
        at = self._places[pair] + by
        if 0 <= at < len(self.disputes):
            return self.disputes[at].pair
        return None

    def queue(self) -> Sequence[PairAt]:
        return [one.pair for one in self.disputes]

    def before(self, pair: PairAt | None) -> tuple[PairAt, Label] | None:
        labels = [(other, self.label(other)) for other in self.queue() if other != pair]
        given = [
            (other, label)
            for other, label in labels
            if label is not None and not label.undone
        ]
        return max(given, key=lambda one: (one[1].time, one[1].number), default=None)

    def progress(self) -> RaterProgress:
        done = sum(map(self._decided, self.queue()))
        return RaterProgress(self.name, done, 0, len(self.disputes))

    def people(self, pair: PairAt) -> dict[str, Label]:
        return labels_of(pair, self._people)

    def close(self) -> None:
        self._file.close()
