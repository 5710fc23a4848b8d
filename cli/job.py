"""What a batch is to do, whatever the method: its lines, a session for each, and what is counted in the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..engines.models.config import Config
from ..sessions.errors import BadInput
from ..sessions.session import Header, Session
from .lines import Line
from .methods import Methods
from .report import Row


@dataclass(frozen=True)
class Job:
    """A batch to be run."""

    many: str
    """What the lines make, in the plural: `debates`."""
    lines: Sequence[Line]
    headers: Sequence[Header]
    options: dict[str, Any]
    """What the folder is known by: those who go on with it must give the same."""
    config: Config
    methods: Methods
    facts: Callable[[Session], Any]
    """What counts of a finished session, kept in its row."""
    report: Callable[[Sequence[Row]], dict[str, Any]]
    in_words: Callable[[dict[str, Any]], str]
    under: Callable[[dict[str, Any]], list[str]] = lambda found: []
    """Why the report is not good enough, a sentence each."""


L = TypeVar("L", bound=Line)


def headers_of(lines: Sequence[L], make: Callable[[L], Header]) -> list[Header]:
    """A header for each line. BadInput names the first line that is wrong."""
    made: list[Header] = []
    for line in lines:
        try:
            header = make(line)
        except BadInput as error:
            raise BadInput(f"{line.where}: {error}") from None
        for role, seat in header.lineup.items():
            if seat.model == "human":
                raise BadInput(f"{line.where}: a batch waits for nobody; seat a model as {role} instead of human.")
        made.append(header)
    return made
