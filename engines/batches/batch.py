"""A batch: its lines, a session for each, and the method that plays them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import msgspec

from ...sessions.errors import BadInput, Faults, bad_input
from ...sessions.session import Header, Session
from ..models.port import Model
from ..starting import Wishes, WrongBeginning
from ..step import Engine, NextStep
from ..tools import Tools
from .equivalence import Equivalence
from .kind import BatchKind
from .lines import BatchLine, shortened

L = TypeVar("L", bound=BatchLine)


class Player(Protocol):
    """What a batch needs from a method. `engines.method.Method` implements it."""

    name: ClassVar[str]

    @property
    def batches(self) -> dict[str, BatchKind]: ...

    def engine(self, header: Header, tools: Tools) -> Engine: ...

    def models(self, header: Header, tools: Tools) -> dict[str, Model]: ...

    def open(self, header: Header, tools: Tools) -> None: ...

    def upcoming(
        self, session: Session, tools: Tools | None = None
    ) -> NextStep | None: ...


class BatchPart(Protocol):
    """Which part of a batch its lines are."""

    def entry(self, batch: Batch) -> dict[str, object]:
        """Return the entry in `batch.json`: `index`, from 1, `of`, and more fields."""
        ...

    def keep(self, folder: Path, batch: Batch) -> None:
        """Writes down what it takes to join the parts. Raises: BadInput, WriteError."""
        ...


@dataclass(frozen=True)
class Batch:
    """A batch to be run."""

    kind: BatchKind
    lines: Sequence[BatchLine]
    headers: Sequence[Header | None]
    """One for each line; None for a line without text to work on: it has no session and
    counts all the same.
    """
    options: dict[str, Any]
    """What the folder is known by: whoever continues it must give the same."""
    method: Player
    tools: Tools
    equivalence: Equivalence | None = None
    """The model that compares the answers which neither their text nor their value
    settles.
    """
    repeats: Mapping[str, int] | None = None
    """Of a study: line to repeat, from 0.

    Calls that its conditions have in common are made once in each; None: each is made
    for itself.
    """
    skipped: int = 0
    """Lines of the file that could not be read or begun, and were skipped
    (`--skip-bad`).
    """
    part: BatchPart | None = None
    """Which part of a larger batch it is; None: all of it."""

    @property
    def lines_are(self) -> str:
        """The method's name for lines: `topics`, `questions`, `answers`, `pairs`."""
        return next(
            (
                name
                for name, kind in self.method.batches.items()
                if type(kind) is type(self.kind)
            ),
            "",
        )


def mark_of(header: Header) -> str:
    """A digest of everything that shapes a session."""
    shape = [
        header.task,
        msgspec.to_builtins(header.lineup),
        header.settings,
        header.prompts.hash,
    ]
    return hashlib.sha256(json.dumps(shape, sort_keys=True).encode()).hexdigest()[:16]


def headers_of(
    lines: Sequence[L],
    begin: Callable[[Wishes], Header],
    left_out: list[str] | None = None,
) -> tuple[list[L], list[Header | None]]:
    """The lines and a header for each; None where there is nothing to work on.

    `left_out` gets a sentence for each line that cannot begin, and only the others are
    returned. Raises: BadInput, which names all these lines, without `left_out` or where
    no other line is left.
    """
    kept = []
    headers = []
    faults = []
    wrong, unready = Faults(), Faults()
    for line in lines:
        try:
            headers.append(_header(line, begin))
            kept.append(line)
        except WrongBeginning as error:
            wrong.add(*error.wrong)
            unready.add(*error.unready)
            faults.append((line.where, " ".join(error.own)))
        except BadInput as error:
            faults.append((line.where, str(error)))
    told = [f"{where}: {why}" for where, why in faults if why]
    if len(faults) == len(lines) > 1 and len({why for _, why in faults}) == 1:
        told = told[:1]  # the options are wrong
    if faults and (wrong.told or left_out is None or not kept):
        shown = shortened([*(left_out or []), *told])
        raise BadInput("\n".join([*wrong.told, *unready.told, *shown]))
    if left_out is not None:
        left_out += told
    return kept, headers


def _header(line: BatchLine, begin: Callable[[Wishes], Header]) -> Header | None:
    wanted = line.wanted
    if wanted is None:
        return None
    header = begin(wanted)
    spoken = {getattr(event, "role", "") for event in line.recorded}
    for role, seat in header.lineup.items():
        if seat.model == "human" and role not in spoken:
            raise bad_input("wrong.lines.waits", role=role)
    return header
