"""Labels of an open session: reads everyone's label files, writes the user's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....engines.relevance.plan import RelevanceState
from ....sessions.annotators import GOLD
from ....sessions.case_pairs import Key, digests
from ....sessions.events.labels import Label
from ....sessions.label_store import LabelStore
from ....sessions.labels import LabelFile

if TYPE_CHECKING:
    from ...play import Play


class SideLabels:
    """The labels next to one session file."""

    def __init__(self, play: Play, annotator: str) -> None:
        """Raises: SessionError for a file of this annotator that is wrong."""
        header, path = play.session.header, play.journal.path
        self._session = header.id
        self._pairs = digests(header)
        self._annotator = annotator
        self._laid: tuple[RelevanceState | None, int] = (None, 0)
        """The fold into which they were laid last, and how many there were."""
        people = {} if path is None else LabelStore.of_pairs(path, annotator).people
        self._labels = [
            replace(label, candidate=candidate)
            for name, labels in people.items()
            for candidate, pair in self._pairs.items()
            if name != GOLD and (label := labels.get(Key(pair))) is not None
        ]

    def lay(self, fold: RelevanceState) -> None:
        """Merge the labels into the current state. A person's later label counts."""
        known, count = self._laid
        if known is fold and count == len(self._labels):
            return
        for label in self._labels[count if known is fold else 0 :]:
            one = fold.candidates.get(label.candidate)
            if one is not None:
                before = one.labels.get(label.annotator)
                if before is None or before.time <= label.time:
                    one.labels[label.annotator] = label
                    fold.rated += 1
        self._laid = fold, len(self._labels)

    def keep(self, path: Path | None, label: Label) -> None:
        """Writes a label of the user's own next to the session file, which exists by
        now.

        The label file is open only meanwhile, because another session of the same
        folder may be next. Raises: BadInput, SessionError.
        """
        assert path is not None
        label.session = self._session
        label.pair = self._pairs[label.candidate]
        with LabelFile.open(path, self._annotator) as file:
            self._labels.append(file.append(label))
