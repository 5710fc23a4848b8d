"""A store of the measurements of a folder's sessions, in that folder.

One file has, for each line of a run, what a comparison needs to know of it, and for
each measure a column of values. A line is read from the store while its session's file
has the same size, time and inode. Another version of the code measures everything
again. A missing, damaged or read-only store only costs time.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...sessions.errors import BadInput, WriteError
from ...sessions.files import write_whole
from .measure import STATES, Item, MeasuredValue
from .provenance import SUPPLIED, Fact, supplied

FILE = ".measurements"
FORMAT = "verifytui-measurements/1"
NOTHING = -1
"""In a column: the measure does not apply."""
UNMEASURED = -2
"""In a column: not measured yet."""

Facts = Sequence[Fact]


class SessionStamp(NamedTuple):
    """Distinguishes a file from another version of it."""

    size: int
    mtime: int
    inode: int


class LineMeasurements(msgspec.Struct, array_like=True, frozen=True):
    """The stored values of one line."""

    id: str
    stamp: SessionStamp
    session: str
    method: str
    status: str
    error: str | None
    cluster: str
    digest: str
    fields: dict[str, Any]
    """Those of the item, without texts of cases and references."""
    supplied: dict[str, str]
    """Digests of what the item supplies, by `provenance.SUPPLIED`."""
    facts: int
    """The place of its facts in `MeasurementFile.facts`."""
    contradiction: str | None
    """The field of the result that the events contradict; "" for none; None: unknown.
    """

    @property
    def item(self) -> Item:
        return Item(self.id, self.cluster, self.digest, self.fields)


class MeasureColumn(msgspec.Struct, array_like=True):
    """The values of a measure for each line, in order."""

    values: list[float | None]
    states: list[int]
    """Places in `measure.STATES`, `NOTHING` or `UNMEASURED`."""
    rounds: dict[int, int] = {}
    counts: dict[int, tuple[float, ...]] = {}
    texts: dict[int, str] = {}

    def at(self, place: int) -> MeasuredValue | None:
        """The measurement of a line; None: the measure does not apply."""
        state = self.states[place]
        if state == NOTHING:
            return None
        return MeasuredValue(
            self.values[place],
            STATES[state],
            self.rounds.get(place),
            self.counts.get(place, ()),
            self.texts.get(place, ""),
        )

    def put(self, place: int, measured: MeasuredValue | None) -> None:
        if measured is None:
            self.states[place] = NOTHING
            return
        self.values[place] = measured.value
        self.states[place] = STATES.index(measured.state)
        if measured.round is not None:
            self.rounds[place] = measured.round
        if measured.counts:
            self.counts[place] = tuple(measured.counts)
        if measured.text:
            self.texts[place] = measured.text


class MeasurementFile(msgspec.Struct):
    """The whole file."""

    format: str
    code: int
    """`code_digest` of the program that measured."""
    lines: list[LineMeasurements]
    facts: list[list[Fact]]
    columns: dict[str, MeasureColumn]


class MeasurementStore:
    """The measurements of one folder. `save` writes the new ones."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._lines: list[LineMeasurements] = []
        self._places: dict[str, int] = {}
        self._facts: list[list[Fact]] = []
        self._columns: dict[str, MeasureColumn] = {}
        self._changed = False

    @classmethod
    def open(cls, folder: Path, *, recheck: bool = False) -> MeasurementStore:
        """Open the store of a folder. `recheck`: ignores all stored values."""
        store = cls(folder)
        stored = None if recheck else _read(store._path)
        if stored is not None:
            store._lines, store._facts = stored.lines, stored.facts
            store._columns = stored.columns
            store._places = {line.id: n for n, line in enumerate(stored.lines)}
        return store

    def line(self, id_: str, stamp: SessionStamp) -> LineMeasurements | None:
        """Return the stored values of a line whose file has this stamp."""
        place = self._places.get(id_)
        if place is None or self._lines[place].stamp != stamp:
            return None
        return self._lines[place]

    def facts(self, line: LineMeasurements) -> Facts:
        return self._facts[line.facts]

    def add(self, line: LineMeasurements, facts: Facts) -> None:
        """Add a line, replacing its stored values."""
        number = self._number_of(list(facts))
        line = msgspec.structs.replace(line, facts=number)
        place = self._places.setdefault(line.id, len(self._lines))
        if place < len(self._lines):
            self._lines[place] = line
            self._forget(place)
        else:
            self._lines.append(line)
            for column in self._columns.values():
                column.values.append(None)
                column.states.append(UNMEASURED)
        self._changed = True

    def measured(self, id_: str, name: str) -> tuple[MeasuredValue | None] | None:
        """Return the measurement of a line; None if it is not stored."""
        place, column = self._places.get(id_), self._columns.get(name)
        if place is None or column is None or column.states[place] == UNMEASURED:
            return None
        return (column.at(place),)

    def column(self, name: str, ids: Iterable[str]) -> dict[str, MeasuredValue] | None:
        """Return a measure's values for these lines; None unless all lines have one."""
        column = self._columns.get(name)
        if column is None or UNMEASURED in column.states:
            return None
        if column.states.count(NOTHING) == len(column.states):
            return {}
        measured = ((id_, column.at(self._places[id_])) for id_ in ids)
        return {id_: value for id_, value in measured if value is not None}

    def put(self, id_: str, name: str, measured: MeasuredValue | None) -> None:
        place = self._places.get(id_)
        if place is not None:
            size = len(self._lines)
            empty = MeasureColumn([None] * size, [UNMEASURED] * size)
            self._columns.setdefault(name, empty).put(place, measured)
            self._changed = True

    def put_contradiction(self, id_: str, field: str) -> None:
        """Store which field of the result its events contradict; "": none."""
        place = self._places.get(id_)
        if place is not None:
            line = self._lines[place]
            self._lines[place] = msgspec.structs.replace(line, contradiction=field)
            self._changed = True

    def save(self) -> None:
        """Write the store if it has new values. A read-only folder is left as it is."""
        if self._changed:
            stored = MeasurementFile(
                FORMAT, code_digest(), self._lines, self._facts, self._columns
            )
            with suppress(BadInput, WriteError):
                write_whole(self._path, msgspec.msgpack.encode(stored))
            self._changed = False

    def _number_of(self, facts: list[Fact]) -> int:
        if facts not in self._facts:
            self._facts.append(facts)
        return self._facts.index(facts)

    def _forget(self, place: int) -> None:
        for column in self._columns.values():
            column.values[place], column.states[place] = None, UNMEASURED
            for kept in (column.rounds, column.counts, column.texts):
                kept.pop(place, None)


def _read(path: Path) -> MeasurementFile | None:
    """Return the content of a file; None if it has another version or is damaged."""
    try:
        stored = msgspec.msgpack.decode(path.read_bytes(), type=MeasurementFile)
    except (OSError, msgspec.MsgspecError, ValueError):
        return None
    if stored.format != FORMAT or stored.code != code_digest():
        return None
    size = len(stored.lines)
    columns = stored.columns.values()
    whole = all(len(c.values) == len(c.states) == size for c in columns)
    known = all(
        UNMEASURED <= state < len(STATES) for c in columns for state in set(c.states)
    )
    facts = all(0 <= line.facts < len(stored.facts) for line in stored.lines)
    if whole and known and facts:
        return stored
    return None


def stamps_in(folder: Path) -> dict[str, SessionStamp]:
    """The stamp of each file of a folder, by name."""
    return dict(_stamps(folder))


def _stamps(folder: Path) -> Iterator[tuple[str, SessionStamp]]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                stat = entry.stat()
                yield (
                    entry.name,
                    SessionStamp(stat.st_size, stat.st_mtime_ns, stat.st_ino),
                )


def kept_fields(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the stored fields of an item: without what it supplies, and without the
    texts of cases.
    """
    left_out = {name for names in SUPPLIED.values() for name in names}
    return {
        name: _without_text(value)
        for name, value in fields.items()
        if name not in left_out
    }


def _without_text(value: object) -> Any:
    if isinstance(value, Mapping):
        return {
            name: _without_text(part) for name, part in value.items() if name != "text"
        }
    if isinstance(value, list | tuple):
        return [_without_text(part) for part in value]
    return value


def supplied_digests(task: Mapping[str, object]) -> dict[str, str]:
    """A digest of what a task supplies, by `provenance.SUPPLIED`."""
    return {fact: digest for fact in SUPPLIED if (digest := supplied(task, fact))}


@cache
def code_digest() -> int:
    """Return a number for the code that reads and measures sessions. It depends on the
    content of the files only, not on their location or time.
    """
    package, digest = Path(__file__).resolve().parents[2], 0
    for folder in ("engines", "sessions"):
        for path in sorted((package / folder).rglob("*.py")):
            with suppress(OSError):
                digest = zlib.crc32(path.read_bytes(), digest)
    return digest
