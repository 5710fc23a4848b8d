"""Labels by one person, pair by pair, and the file they are stored in.

Either the person's own label file or the adjudicated levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from .....engines.relevance.adjudication import (
    PairDispute,
    decide,
    disputes,
    labels_of,
    without_names,
)
from .....engines.relevance.queue import Queue, label_of, level_of
from .....sessions.annotators import GOLD, same_name
from .....sessions.case_pairs import Key, PairAt
from .....sessions.errors import bad_input
from .....sessions.events.labels import Label, Reply, Reveal
from .....sessions.label_assignment import RaterProgress
from .....sessions.label_store import LabelStore
from .....sessions.label_team import (
    people_of,
    read_team,
    text_of_people,
    write_team,
)
from .....sessions.labels import LabelFile, Latest
from ....play import Scope


class PairLabeler:
    """A person who labels pairs in their assigned order."""

    tab = "relevance"
    """Whose tab it is shown in."""
    decides = False
    """Whether the user decides between people, with one reason and without own
    evidence.
    """
    scope: Scope = "labelling"
    """As which of the two the screen speaks of it."""

    def __init__(
        self,
        queue: Queue,
        file: LabelFile,
        store: LabelStore,
        *,
        advance: bool = False,
        assisted: bool = False,
    ) -> None:
        """`store` has read this person's labels. `advance`: a level leads to the next
        pair. `assisted`: what the machine says is shown from the start, and that is
        recorded.
        """
        self.annotator = self.name = file.annotator
        self.advance = advance
        self.assisted = assisted
        self._queue = queue
        self.file = file
        self._store = store
        self.warnings: list[str] = []
        """What does not count or fit, said once at the start."""
        self.guideline = guideline_of(store)
        """The team's own rules."""
        self.scale = store.scale
        """The team's own levels with names; empty for the four of relevance."""
        store.look()

    @property
    def _labels(self) -> Latest:
        return self._store.people.get(self.annotator, {})

    def begin(self) -> PairAt:
        """Returns the pair to begin with: the first without a label, or the first of
        all.
        """
        back = self._returned(None)
        return back or self._queue.next(self._labels) or self._queue.pairs[0]

    def reply(self, pair: PairAt) -> Reply | None:
        """Returns what the lead has answered to this person's note of a pair."""
        key = same_name(self.annotator), pair.key.subject
        return self._store.replies.get(key)

    def returns(self, pair: PairAt) -> bool:
        """Whether a pair has a reply and has not been labelled again since."""
        reply, label = self.reply(pair), self.label(pair)
        return reply is not None and label is not None and reply.label == label.time

    def _returned(self, after: PairAt | None) -> PairAt | None:
        if not self._store.replies:
            return None
        pairs = (pair for pair in self._queue.pairs if pair != after)
        return next((pair for pair in pairs if self.returns(pair)), None)

    def label(self, pair: PairAt) -> Label | None:
        """Returns the label of a pair that counts."""
        return label_of(pair, self._labels)

    def keep(self, pair: PairAt, label: Label) -> Label:
        """Writes a label, and returns it as it is in the file.

        Raises: BadInput for a level outside the team's scale; SessionError.
        """
        self._store.check_level(label.value)
        made = pair.label(label)
        made.training = self.known(pair) is not None and not made.undone
        kept = self.file.append(made)
        self._store.look()
        return kept

    def known(self, pair: PairAt) -> int | None:
        """Returns the known level of a pair of the training; None for other pairs."""
        team = self._store.team
        return team.training.get(pair.key.subject) if team is not None else None

    def training(self) -> tuple[int, int, int]:
        """Returns how many training pairs are right, labelled, and there at all."""
        pairs = [pair for pair in self._queue.pairs if self.known(pair) is not None]
        given = [(pair, level_of(pair, self._labels)) for pair in pairs]
        right = sum(level == self.known(pair) for pair, level in given)
        done = sum(level is not None for _, level in given)
        return right, done, len(pairs)

    def place(self, pair: PairAt) -> tuple[int, int]:
        """Returns which of how many pairs of this person a pair is, from 1."""
        return self._queue.place(pair) + 1, len(self._queue)

    def next(self, after: PairAt) -> PairAt | None:
        """Return the next pair that has a reply or no label; None if there is none."""
        return self._returned(after) or self._queue.next(self._labels, after)

    def step(self, pair: PairAt, by: int) -> PairAt | None:
        """Returns the pair this many places on or back; None beyond the ends."""
        return self._queue.step(pair, by)

    def queue(self) -> Sequence[PairAt]:
        """Returns this person's pairs in order."""
        return self._queue.pairs

    def progress(self) -> RaterProgress:
        """Returns how many pairs have a label."""
        return self._queue.progress(self._labels)

    def people(self, pair: PairAt) -> dict[str, Label]:
        """Returns what may be seen of other people's labels of a pair: nothing, unless
        this person decides between them.
        """
        return {}

    def close(self) -> None:
        self.file.close()


class Adjudicator:
    """A person who decides where people differ, as a `PairLabeler` labels.

    What is decided has the annotator `gold`, with whose labels it decides between.
    """

    tab, decides = "relevance", True
    scope: Scope = "deciding"

    def __init__(
        self,
        store: LabelStore,
        file: LabelFile,
        by: str,
        *,
        advance: bool = False,
        anonymous: bool = False,
    ) -> None:
        """`file` is that of `gold`; `by`: who decides; `anonymous`: people's labels are
        shown under letters, and decisions keep the names.

        Raises: SessionError for a file that cannot be read.
        """
        self.annotator = file.annotator
        self.name = by
        self.advance = advance
        self.file = file
        self._store = store
        self._people = store.people
        self.assisted = False
        self.anonymous = anonymous
        """Whether names are hidden."""
        self.warnings = store.warnings()
        self.guideline = guideline_of(store)
        self.scale = store.scale
        store.look()
        self.disputes = disputes(store.pairs, self._people)
        self._places = {one.pair: at for at, one in enumerate(self.disputes)}

    def overview(self, width: int) -> str:
        """Return the progress and agreement of all, in this many cells. Raises:
        BadInput.
        """
        from .....engines.relevance.labeling_overview import overview
        from .....engines.relevance.overview_report import overview_report
        from .....engines.reports.forms import write

        found = overview(self._store, datetime.now(UTC))
        return write(overview_report(found), "text", width=width)

    @property
    def shares(self) -> str:
        """The team as `reassign` takes it; empty without a team.

        Raises: SessionError.
        """
        team = read_team(self._store.path)
        return text_of_people(team.people) if team is not None else ""

    def reassign(self, text: str) -> None:
        """Writes a team with other people or shares, `Anna,Bert=2`: pairs without a
        label move at once, labels stay whose they are.

        Raises: BadInput; SessionError.
        """
        team = read_team(self._store.path)
        if team is None:
            raise bad_input("wrong.labels.no_team")
        write_team(self._store.path, team.changed(people_of(text)))
        self._store.forget_team()

    def _now(self, pair: PairAt) -> PairDispute:
        """A pair with people's current labels: they may still be labelling."""
        return self.disputes[self._places[pair]]._replace(
            labels=labels_of(pair, self._people)
        )

    def begin(self) -> PairAt:
        return next(
            (one.pair for one in self.disputes if one.state != "decided"),
            self.disputes[0].pair,
        )

    def label(self, pair: PairAt) -> Label | None:
        return label_of(pair, self._people.get(GOLD, {}))

    def keep(self, pair: PairAt, label: Label) -> Label:
        value = (
            None if label.undone else label.value
        )  # it decides between the labels that were shown, not those that came since
        self._store.check_level(value)
        note, seen = label.note, label.seen_machine
        kept = decide(
            self.file,
            self._now(pair),
            value,
            self.name,
            label.reason,
            label.seconds,
            note=note,
            seen_machine=seen,
        )
        self._store.look()
        return kept

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

    def progress(self) -> RaterProgress:
        done = sum(map(self._decided, self.queue()))
        return RaterProgress(self.name, done, 0, len(self.disputes))

    def people(self, pair: PairAt) -> dict[str, Label]:
        labels = labels_of(pair, self._people)
        return without_names(pair, labels) if self.anonymous else labels

    def close(self) -> None:
        self.file.close()


PairQueue = PairLabeler | Adjudicator
"""A person with a queue of pairs."""


def guideline_of(store: LabelStore) -> str:
    """The rules of the team of a place; empty without any. Raises: SessionError."""
    return store.team.guideline if store.team is not None else ""


def shows_machine(queue: PairQueue, pair: PairAt) -> bool:
    """Whether the machine's word of a pair has been shown on request; older files say
    where.
    """
    places = (Key(one.session, one.candidate) for one in pair.places)
    return any(key in queue.file.revealed for key in (pair.key, *places))


def reveal(queue: PairQueue, pair: PairAt) -> None:
    """Writes down that the machine's word of a pair is shown.

    Raises: SessionError.
    """
    queue.file.append(
        Reveal(session=pair.session, candidate=pair.candidate, pair=pair.key.subject)
    )


def last_label(queue: PairQueue, but: PairAt | None) -> tuple[PairAt, Label] | None:
    """Returns the label that was given last, and its pair: another one than `but`."""
    given = [
        (pair, label)
        for pair in queue.queue()
        if pair != but and (label := queue.label(pair)) is not None
    ]
    return max(
        given,
        key=lambda one: (one[1].time, one[1].number),
        default=None,
    )
