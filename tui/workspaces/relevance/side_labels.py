"""Labels of an open session that stand in files beside it: everybody's are read, and
one's own are written there.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ....engines.relevance.plan import RelevanceState
from ....sessions.events.labels import Label
from ....sessions.label_files import label_files
from ....sessions.labels import LabelFile, LabelReader

if TYPE_CHECKING:
    from ...play import Play


class SideLabels:
    """The labels beside one session file."""

    def __init__(self, path: Path, session: str, annotator: str) -> None:
        """Reads them. Raises: SessionError for a file that is none of labels."""
        self._path = path
        self._session = session
        self._annotator = annotator
        self._laid: tuple[RelevanceState | None, int] = (None, 0)
        """The fold into which they were laid last, and how many there were."""
        reader = LabelReader(path)
        reader.look()
        self._labels = [
            label
            for people in reader.people.values()
            for key, label in people.items()
            if self._is_here(label)
        ]

    def _is_here(self, label: Label) -> bool:
        return (
            label.session == self._session
            and bool(label.candidate)
            and not label.measure
        )

    def lay(self, fold: RelevanceState) -> None:
        """Puts the labels into what is in force; of two by one person, the later one
        counts.
        """
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

    def keep(self, label: Label) -> None:
        """Writes a label of one's own.

        The file is open no longer than that: another session of the same folder may be
        next.

        Raises: BadInput, SessionError.
        """
        label.session = self._session
        with LabelFile.open(self._path, self._annotator) as file:
            self._labels.append(file.append(label))


def aside(play: Play, annotator: str) -> SideLabels | None:
    """Returns the labels beside a session that cannot be written here, or that has such
    labels; None where labels go into the session.

    Raises: SessionError for a file that is none of labels.
    """
    path = play.journal.path
    if (
        path is None
        or play.replaying
        or (play.journal.writable and not any(True for _ in label_files(path)))
    ):
        return None
    return SideLabels(path, play.session.header.id, annotator)
