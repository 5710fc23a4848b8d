"""Several files of labels of one person become one."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..texts import t
from . import files
from .annotators import same_name
from .case_pairs import Key
from .emit import document
from .errors import SessionError, bad_input
from .events import Event, plain
from .events.labels import Label
from .label_files import Documents, label_files, own_file
from .label_store import LabelStore
from .labels import Latest

BEFORE = ".before-merge"
"""What the copy of a file is called that a merge has replaced or removed."""


class LabelConflict(NamedTuple):
    """A pair, or a rating, on which a person's files differ."""

    annotator: str
    name: str
    """Query and candidate, or what is rated."""
    labels: dict[Path, Label]
    """File to the label that counts in it."""


class FilesOfPerson(NamedTuple):
    """A person's files of labels in one place."""

    read: tuple[Documents, ...]
    conflicts: list[LabelConflict]

    @property
    def annotator(self) -> str:
        header = self.read[0].header
        return header.annotator if header is not None else ""


class MergedLabels(NamedTuple):
    """The result of a merge."""

    annotator: str
    file: Path
    kept: list[Path]
    """The files as they were."""
    labels: int
    """Pairs and ratings with a label now."""
    conflicts: list[LabelConflict]


def doubles(path: Path, more: Sequence[Path] = ()) -> list[FilesOfPerson]:
    """The people with more than one file of labels in a folder, or there and in `more`.

    Raises: SessionError for a file that cannot be read; BadInput.
    """
    store = LabelStore.of_pairs(path, labeler="")
    found: dict[tuple[Path | None, str], list[Documents]] = {}
    faults: dict[Path, SessionError] = {}
    for file in label_files(path):
        read = Documents(file)
        try:
            _read(read, store)
        except SessionError as error:
            faults[file] = error
        if read.header is not None:
            name = same_name(read.header.annotator)
            found.setdefault((file.parent, name), []).append(read)
    for file in more:
        read = Documents(file)
        _read(read, store)
        if read.header is None:
            raise bad_input("wrong.labels.no_file", path=file)
        name = same_name(read.header.annotator)
        place = next((place for place, one in found if one == name), None)
        found.setdefault((place, name), []).append(read)
    several = [
        one for one in found.values() if len(one) > 1 or one[0].path in set(more)
    ]
    for one in several:
        for read in one:
            if read.path in faults:
                raise faults[read.path]
    return [FilesOfPerson(tuple(one), _conflicts(one, store.names)) for one in several]


def merge(
    person: FilesOfPerson,
    prefer: Path | None,
    folder: Path,
    more: Sequence[Path] = (),
) -> MergedLabels:
    """Writes one file with everything that a person's files in `folder` and `more`
    hold, in order of time; those of the folder are kept beside it under another name.

    `prefer`: whose label counts where files differ; None: the later one. Raises:
    SessionError where one is open elsewhere, or the folder cannot be written.
    """
    target = own_file(folder, person.annotator)
    here = [one.path for one in person.read if one.path not in more]
    with ExitStack() as opened:
        for path in here:
            one = files.open_file(path, True)
            opened.callback(one.close)
            if one.why is not None:
                raise SessionError(one.why)
        kept = [_set_aside(path) for path in here]
        events = merged_events([one.events for one in person.read])
        last: list[Event] = [_winner(one, prefer) for one in person.conflicts]
        events = [one for one in events if one not in last] + last
        header = person.read[0].header
        assert header is not None
        written = [document(plain(header), first=True)]
        for number, event in enumerate(events, 1):
            event.number = number
            written.append(document(plain(event)))
        files.write_whole(target, b"".join(written))
        for path in here:
            if path != target:
                path.unlink()
    count_now = _counting(events)
    labels = sum(not one.undone for one in count_now.values())
    return MergedLabels(person.annotator, target, kept, labels, person.conflicts)


def merged_events(files_events: Sequence[Sequence[Event]]) -> list[Event]:
    """Merge the events of several files by time, each once.

    Events of one file keep their order.
    """
    merged = heapq.merge(*files_events, key=lambda event: event.time)
    seen = set()
    found = []
    for event in merged:
        same = msgspec.json.encode(msgspec.structs.replace(event, number=0))
        if same not in seen:
            seen.add(same)
            found.append(event)
    return found


def _read(read: Documents, store: LabelStore) -> None:
    """Reads a whole file, and has older labels name their pair as far as it is known.

    Raises: SessionError.
    """
    read.take(files.whole(read.path))
    for event in read.events:
        if isinstance(event, Label):
            store.with_pair(event)
            store.check_label(event, read.path)


def _counting(events: Sequence[Event]) -> Latest:
    return {Key.of(event): event for event in events if isinstance(event, Label)}


def _conflicts(
    read: Sequence[Documents], names: Mapping[str, str]
) -> list[LabelConflict]:
    counting = {one.path: _counting(one.events) for one in read}
    header = read[0].header
    annotator = header.annotator if header is not None else ""
    found = []
    for key in dict.fromkeys(key for labels in counting.values() for key in labels):
        labels = {path: one[key] for path, one in counting.items() if key in one}
        if len({(one.value, one.undone) for one in labels.values()}) > 1:
            name = names.get(key.subject) or f"{key.subject} {key.item}".rstrip()
            found.append(LabelConflict(annotator, name, labels))
    return found


def _winner(conflict: LabelConflict, prefer: Path | None) -> Label:
    if prefer in conflict.labels:
        return conflict.labels[prefer]
    return max(conflict.labels.values(), key=lambda label: label.time)


def _set_aside(path: Path) -> Path:
    """Copy a file to a new name in its folder, and return the copy."""
    for number in count(1):
        kept = path.with_name(
            path.name + BEFORE + ("" if number == 1 else f"-{number}")
        )
        if not kept.exists():
            break
    files.write_new(kept, files.whole(path))
    return kept


def told(conflict: LabelConflict) -> str:
    """Format a conflict: `q1 c4 (3 in Anna.yaml, 0 in Anna 2.yaml)`."""
    levels = (
        t("report.said.level_in_file", level=_level(label), file=path.name)
        for path, label in conflict.labels.items()
    )
    return f"{conflict.name} ({', '.join(levels)})"


def _level(label: Label) -> str:
    if label.undone:
        return t("report.said.level_undone")
    return str(label.value) if label.value is not None else t("report.said.undecided")
