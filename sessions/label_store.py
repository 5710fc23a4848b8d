"""The only source of labels: of all people, from label files and from sessions that
hold labels.

A label belongs to a pair of texts, so it counts in every session with that pair. An
older label names a session and a candidate; the texts of the session identify the pair.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from functools import cached_property
from pathlib import Path

import msgspec

from ..texts import t
from .annotators import GOLD, person, same_name
from .case_pairs import (
    Key,
    PairAt,
    PairPlace,
    digests,
    file_bytes,
    gathered,
    places_in,
    session_files,
)
from .clean import clean
from .errors import SessionError, unread
from .events.labels import Assignment, Label, Reply
from .label_files import (
    Documents,
    is_beginning,
    is_level,
    label_files,
    names_of_file,
    place_of,
)
from .label_team import Team, read_team, scale_words
from .labels import Latest, is_own
from .load import LIMIT, load
from .session import Session

_LABEL = b"\nevent: label\n"


class LabelStore:
    """Everybody's labels of one place.

    `look` reads what has come since the last look, so it can be asked often.
    """

    def __init__(
        self, path: Path, labeler: str | None = None, without: Collection[str] = ()
    ) -> None:
        """`labeler`: the annotator at work.

        Errors in other people's files do not stop them; such files are read as far as
        possible. None: any error raises. `without`: annotators whose files are not
        read.
        """
        self.path = path
        self._labeler = labeler
        self._without = {same_name(name) for name in without}
        self.people: dict[str, Latest] = {}
        """Annotator to the labels that count; `gold` is the adjudicator."""
        self.assignments: dict[str, Assignment] = {}
        """Annotator to which pairs are theirs, where they have said so."""
        self.replies: dict[tuple[str, str], Reply] = {}
        """Annotator and digest of a pair to the lead's last reply."""
        self._places: list[PairPlace] = []
        self._pair_of: dict[tuple[str, str], str] = {}
        """Session and candidate to the digest of the pair."""
        self._unreadable: list[SessionError] = []
        """Errors of files in the folder that hold no label."""
        self._files: dict[Path, Documents] = {}
        self._sources: dict[str, list[Latest]] = {}
        """Annotator to what counts in each of their files, and in sessions."""
        self._of_file: dict[Path, Latest] = {}
        self._faults: dict[Path, str] = {}
        """What is wrong in files of others than the labeler."""

    @cached_property
    def team(self) -> Team | None:
        """The team of this place, if there is one. Raises: SessionError."""
        return read_team(self.path)

    def forget_team(self) -> None:
        """Has the team read again, as after it was written."""
        self.__dict__.pop("team", None)

    @property
    def scale(self) -> dict[int, str]:
        """The team's own levels with names; empty for the four levels of relevance.

        Raises: SessionError.
        """
        return self.team.scale if self.team is not None else {}

    def check_level(self, level: int | None) -> None:
        """Raises: BadInput for a level outside the team's scale; SessionError."""
        if self.team is not None:
            self.team.check_level(level)

    def share_of(self, annotator: str) -> Assignment | None:
        """Return a person's assignment, from the team or from their file.

        Raises: SessionError.
        """
        team = self.team
        if team is not None and annotator in team.people:
            return team.assignment
        return self.assignments.get(annotator)

    def finished(self) -> dict[str, set[str]]:
        """Return what each person who left the team had labelled. Raises:
        SessionError.
        """
        gone = self.team.left if self.team is not None else {}
        return {
            name: {
                key.subject
                for key, label in self.people.get(name, {}).items()
                if label.value is not None
            }
            for name in gone
        }

    @classmethod
    def of_answers(
        cls, path: Path, labeler: str | None = None, without: Collection[str] = ()
    ) -> LabelStore:
        """The labels of the answers of a folder. Raises: SessionError."""
        made = cls(path, labeler, without)
        made.look()
        return made

    @classmethod
    def of_pairs(
        cls, path: Path, labeler: str | None = None, without: Collection[str] = ()
    ) -> LabelStore:
        """The labels of the pairs of a session file, or of a folder of sessions.

        Raises: SessionError for a file that is neither a label file nor a session. A
        file of a folder that holds no label is not needed to read labels, so it raises
        only when `pairs` are requested.
        """
        made = cls(path, labeler, without)
        for file in session_files(path):
            data = file_bytes(file)
            try:
                made._places += places_in(file, data)
            except SessionError as error:
                if _LABEL in data or not path.is_dir():
                    raise
                made._unreadable.append(error)
                continue
            if _LABEL in data:
                loaded = load(data, str(file))
                made._add_session(Session(loaded.header, loaded.events))
        made._pair_of = {(one.session, one.candidate): one.pair for one in made._places}
        made.look()
        return made

    @property
    def pairs(self) -> list[PairAt]:
        """The pairs here, by file name and in the order given.

        Raises: BadInput where there is nothing to label; SessionError for a file that
        is no session.
        """
        for error in self._unreadable:
            raise error
        return gathered(self.path, self._places)

    def look(self) -> bool:
        """Reads what was appended, and new files; returns False where nothing has come.
        Torn ends are skipped.

        Raises: SessionError for a file that is none of labels, and for a second one of
        the same annotator in a folder.
        """
        changed = False
        for file in label_files(self.path):
            read = self._files.setdefault(file, Documents(file))
            try:
                changed |= self._more(file, read)
            except SessionError as error:
                read.size = -1
                if any(_is_of(name, file, read) for name in self._without):
                    continue
                if self._labeler is None or _is_of(self._labeler, file, read):
                    raise
                self._faults[file] = str(error)
        return changed

    def warnings(self) -> list[str]:
        """A sentence for each thing that does not count: labels of other pairs, and
        people of whom nothing is left.
        """
        here = {one.pair for one in self._places}
        lost = {
            name: sum(
                not key.measure and not label.undone and key.subject not in here
                for key, label in labels.items()
            )
            for name, labels in sorted(self.people.items())
        }
        told = []
        if self.path.is_dir() and any(lost.values()):
            names = ", ".join(f"{name} {n}" for name, n in lost.items() if n)
            n = sum(lost.values())
            told.append(
                t(
                    f"report.said.unmatched_labels{'_one' if n == 1 else ''}",
                    n=n,
                    names=clean(names, newlines=False)[:300],
                )
            )
        told += [
            t("report.said.emptied_labels", path=clean(str(file), newlines=False))
            for file, read in self._files.items()
            if read.header is None and read.size >= 0
        ]
        told += self._faults.values()
        told += [
            t(
                "report.said.missing_labels",
                name=clean(name, newlines=False)[:60],
                folder=clean(str(place_of(self.path)), newlines=False),
            )
            for name in sorted(self._decided_between() - self.people.keys())
        ]
        return told

    def _decided_between(self) -> set[str]:
        """The annotators that decisions name."""
        return {
            vote.annotator
            for label in self.people.get(GOLD, {}).values()
            for vote in label.decides
        }

    def _add_session(self, session: Session) -> None:
        for name, labels in labels_in(session).items():
            source: Latest = {}
            self._sources.setdefault(name, []).append(source)
            for label in labels.values():
                self._count(name, source, label)

    def _count(self, name: str, source: Latest, label: Label) -> None:
        """Takes a label of one source in; of those of several, the last in time
        counts.
        """
        key = Key.of(label)
        source[key] = label
        rivals = [
            one[key] for one in self._sources[name] if one is not source and key in one
        ]
        counts = self.people.setdefault(name, {})
        counts[key] = max([label, *rivals], key=lambda one: one.time)

    def _more(self, file: Path, read: Documents) -> bool:
        try:
            fd = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            raise unread(file, error, SessionError) from None
        try:
            size = os.fstat(fd).st_size
            if (
                size == read.size == read.end
            ):  # behind a torn end, other bytes may stand there now
                return False
            if size > LIMIT:
                raise SessionError(t("wrong.file.over", path=file))
            if size < read.end:  # another file in its place
                raise SessionError(t("wrong.file.stale", path=file))
            data = os.pread(fd, size - read.end, read.end)
        finally:
            os.close(fd)
        before = len(read.events)
        read.size = size
        try:
            read.take(data)
        except SessionError:
            self._take_all(file, read, before)
            raise
        if read.header is None and not is_beginning(data):
            raise SessionError(t("wrong.labels.no_file", path=file))
        return self._take_all(file, read, before)

    def _take_all(self, file: Path, read: Documents, before: int) -> bool:
        """Adds the events of a file that were read; returns False if there are none.

        Raises: SessionError for a second file of one annotator.
        """
        if read.header is None:
            return False
        own = read.header.annotator
        if same_name(own) in self._without:
            return False
        name = GOLD if own == GOLD else person(own)
        new = file not in self._of_file
        if new:
            self._refuse_second(file, read, own)
            self._of_file[file] = {}
            self._sources.setdefault(name, []).append(self._of_file[file])
            self.people.setdefault(name, {})
        outside: SessionError | None = None
        for event in read.events[before:]:
            if isinstance(event, Assignment):
                self.assignments[name] = event
            elif isinstance(event, Reply):
                self.replies[same_name(event.to), event.pair] = event
            elif isinstance(event, Label):
                try:
                    self.check_label(event, file)
                except SessionError as error:
                    outside = outside or error
                    continue
                self._count(name, self._of_file[file], self.with_pair(event))
        if outside is not None:
            raise outside
        return new or len(read.events) > before

    def check_label(self, label: Label, file: Path) -> None:
        """Raises: SessionError for a level of a file outside the team's scale."""
        scale = {} if label.measure or label.value is None else self.scale
        if self.team is not None and scale and label.value not in scale:
            raise SessionError(
                t(
                    "wrong.labels.value_outside",
                    path=file,
                    number=label.number,
                    value=label.value,
                    levels=scale_words(self.team),
                )
            )

    def _refuse_second(self, file: Path, read: Documents, annotator: str) -> None:
        """Raises: SessionError if another file of the folder belongs to this
        annotator.

        With two files it is undefined which label of a pair counts.
        """
        for other, labels in self._of_file.items():
            if other.parent != file.parent or not _is_of(
                annotator, other, self._files[other]
            ):
                continue
            named = self.names
            last = {
                Key.of(self.with_pair(event)): event.value
                for event in read.events
                if isinstance(event, Label)
            }
            differ = [
                named.get(key.subject, key.item)
                for key, value in last.items()
                if key in labels and labels[key].value != value
            ]
            raise SessionError(
                t(
                    "wrong.labels.two_files",
                    annotator=clean(annotator, newlines=False)[:60],
                    path=other,
                    other=file,
                    folder=self.path,
                )
                + (
                    t(
                        "wrong.labels.two_files_differ",
                        pairs=clean(", ".join(differ), newlines=False)[:300],
                    )
                    if differ
                    else ""
                )
            )

    @property
    def names(self) -> dict[str, str]:
        """Digest of a pair to query and candidate."""
        return {one.pair: f"{one.query} {one.candidate}" for one in self._places}

    def with_pair(self, label: Label) -> Label:
        """An older label, made to name its pair, as far as that is known."""
        if label.candidate and not label.measure and not label.pair:
            place = label.session, label.candidate
            label.pair = self._pair_of.get(place, "")
        return label


def _is_of(annotator: str, file: Path, read: Documents) -> bool:
    """Whether a file of labels is this person's, by its header or else by its name."""
    if read.header is not None:
        return same_name(read.header.annotator) == same_name(annotator)
    return file.name in names_of_file(annotator)


def read_labels(path: Path) -> dict[str, Latest]:
    """Everybody's labels of a session file or a folder of sessions: annotator to what
    counts. `gold` is the adjudicator.

    Raises: SessionError for a file that is none of labels, or no session.
    """
    return LabelStore.of_pairs(path).people


def labels_in(session: Session) -> dict[str, Latest]:
    """The labels that a session holds itself, as older ones do: annotator to what
    counts. What a fork has copied is not its own.
    """
    found: dict[str, Latest] = {}
    pairs = digests(session.header)
    for event in session.events:
        if isinstance(event, Label) and is_own(session.header, event):
            one = msgspec.structs.replace(
                event,
                session=session.header.id,
                pair="" if event.measure else pairs.get(event.candidate, ""),
                value=event.value if is_level(event.value) else None,
            )
            found.setdefault(person(event.annotator), {})[Key.of(one)] = one
    return found


def later(one: dict[str, Latest], other: dict[str, Latest]) -> dict[str, Latest]:
    """Both together; of two labels of one person for the same, the later in time
    counts.
    """
    made = {name: dict(labels) for name, labels in one.items()}
    for name, labels in other.items():
        mine = made.setdefault(name, {})
        for key, label in labels.items():
            if key not in mine or mine[key].time <= label.time:
                mine[key] = label
    return made
