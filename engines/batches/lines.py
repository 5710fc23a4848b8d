"""The lines of a batch: read, checked and named before anything is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ...sessions.errors import BadInput, bad_input
from ...sessions.events import Event
from ...sessions.files import file_of
from ...texts import t
from ..figures.items import IDS
from ..figures.rows import Row, rows

if TYPE_CHECKING:
    from ..starting import Wishes


@dataclass(frozen=True)
class BatchLine:
    """One line of a batch: a session to be."""

    stored_as: ClassVar[str]
    """The name of its type in the folders of shards, which must not change."""
    id: str
    answers: tuple[str, ...]
    """Accepted answers; empty: unknown."""
    where: str
    """File and line number, for messages."""
    named_cluster: str = field(default="", kw_only=True)
    """As the line has it in `cluster`."""
    numbered: bool = field(default=False, kw_only=True)
    """The line has no id: it goes by its number in the file."""
    recorded: tuple[Event, ...] = field(default=(), kw_only=True)
    """Events at the start of its session that are supplied, not generated."""

    @property
    def cluster(self) -> str:
        """Return the cluster of a line: as given, else its topic, else its id."""
        return self.named_cluster or self.about or self.id

    @property
    def about(self) -> str:
        """The topic, question or query that the line is about; "" where every line has
        its own.
        """
        return ""

    @property
    def task(self) -> Mapping[str, Any]:
        """Return the task of a line without a session, in the form of a header."""
        return {}

    @property
    def wanted(self) -> Wishes | None:
        """The wishes for the session of this line; None where there is nothing to work
        on: the line has no session.
        """
        return None

    def as_repeat(self, of: str, repeat: int) -> BatchLine:
        """This line as one repeat, from 0, of the item `of`.

        Methods whose sessions do not say which repeat they are return the line itself.
        """
        return self

    @property
    def file(self) -> str:
        """The session's file name."""
        return file_of(self.id)

    @property
    def id_from(self) -> str:
        """Where the id comes from: `id`, what the line says; `line`, its number."""
        if self.numbered:
            return "line"
        return "id"


L = TypeVar("L", bound=BatchLine)
MOST = 20
"""Bad lines that are named one by one."""


def read_lines(
    path: Path,
    read: Callable[[Row, int, str], Iterable[L]],
    form: str,
    left_out: list[str] | None = None,
) -> list[L]:
    """All lines of a file, in order; empty ones are skipped.

    `read` makes lines of an object, its number in the file and the words that say where
    it stands; `form` says what a line looks like. A line without an id goes by its
    number. `left_out` gets a sentence for each line that is wrong, and the others are
    returned.

    Raises: BadInput, which names all lines that are wrong, without `left_out` or where
    no other line is left.
    """
    lines = []
    faults: list[str] = []
    names = LineNames()
    for number, where, row in rows(path, form, faults):
        try:
            lines += [
                names.take(line) for line in _read(read, row, number, where, form)
            ]
        except BadInput as error:
            faults.append(str(error))
    if faults and (left_out is None or not lines):
        raise bad_lines(faults)
    if not lines:
        raise bad_input("wrong.lines.nothing", path=path, form=form)
    if left_out is not None:
        left_out += faults
    return lines


def bad_lines(faults: Sequence[str]) -> BadInput:
    """List the faults in lines, one sentence each."""
    return BadInput("\n".join(shortened(faults)))


def shortened(faults: Sequence[str]) -> list[str]:
    """The first sentences, one for three or more lines that say the same, and how many
    lines are left.
    """
    alike: dict[str, list[str]] = {}
    for one in faults:
        alike.setdefault(one.partition(": ")[2] or one, []).append(one)
    told = {}
    for first, *same in alike.values():
        if len(same) > 1:
            count = len(same)
            told[f"{first} {t('wrong.lines.alike', n=count)}"] = count + 1
        else:
            told.update(dict.fromkeys((first, *same), 1))
    more = sum([*told.values()][MOST:])
    return [*[*told][:MOST], *([t("wrong.lines.more", n=more)] if more else [])]


class LineNames:
    """The ids and files of the lines so far."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}
        self._files: dict[str, str] = {}

    def take(self, line: L) -> L:
        """Record a line.

        Raises: BadInput if another line has the same id or file.
        """
        if line.id in self._seen:
            raise bad_input(
                "wrong.lines.same_id",
                where=line.where,
                id=line.id,
                place=self._seen[line.id],
            )
        file = line.file.casefold()
        if file in self._files:
            raise bad_input(
                "wrong.lines.same_file",
                where=line.where,
                id=line.id,
                other=self._files[file],
            )
        self._seen[line.id], self._files[file] = line.where, line.id
        return line


def _read(
    read: Callable[[Row, int, str], Iterable[L]],
    row: object,
    number: int,
    where: str,
    form: str,
) -> list[L]:
    if not isinstance(row, dict):
        raise bad_input("wrong.lines.no_object", where=where, form=form)
    try:
        return [
            replace(line, numbered=not any(name in row for name in IDS))
            for line in read(row, number, where)
        ]
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None


def _first(row: Mapping[str, object], names: Sequence[str]) -> tuple[str, object]:
    """The first of these names that the line has, with its value."""
    name = next((one for one in names if row.get(one) is not None), names[0])
    return name, row.get(name)


def text_of(row: Mapping[str, object], *names: str) -> str:
    """The text under the first of these names that the line has.

    BadInput where it has none, or no text there.
    """
    name, value = _first(row, names)
    if not isinstance(value, str) or not value.strip():
        raise bad_input("wrong.lines.no_text", name=name)
    return value


def texts_of(row: Mapping[str, object], *names: str) -> tuple[str, ...]:
    """One text or a list of them under the first of these names that the line has;
    numbers are taken as written.
    """
    name, value = _first(row, names)
    listed = [] if value is None else value if isinstance(value, list) else [value]
    if not all(
        isinstance(one, str | int | float) and not isinstance(one, bool)
        for one in listed
    ):
        raise bad_input("wrong.lines.texts", name=name)
    return tuple(str(one) for one in listed)
