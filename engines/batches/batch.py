"""A batch: its lines, a session for each, and the method that plays them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from ...sessions.errors import BadInput
from ...sessions.session import Header
from ...texts import t
from ..models.port import Model
from ..starting import Wishes
from ..step import Engine
from ..tools import Tools
from .equivalence import Equivalence
from .kind import BatchKind
from .lines import Line


class Player(Protocol):
    """What a batch needs of the method of its sessions; `engines.method.Method` has it."""

    name: ClassVar[str]

    @property
    def batches(self) -> dict[str, BatchKind]: ...

    def engine(self, header: Header, tools: Tools) -> Engine: ...

    def models(self, header: Header, tools: Tools) -> dict[str, Model]: ...

    def open(self, header: Header, tools: Tools) -> None: ...


@dataclass(frozen=True)
class Batch:
    """A batch to be run."""

    kind: BatchKind
    lines: Sequence[Line]
    headers: Sequence[Header | None]
    """One for each line; None for a line without text to work on: it has no session and counts all the same."""
    options: dict[str, Any]
    """What the folder is known by: whoever goes on with it must give the same."""
    method: Player
    tools: Tools
    equivalence: Equivalence | None = None
    """The model that compares the answers which neither their text nor their value settles."""
    repeats: Mapping[str, int] | None = None
    """Of a study: line to repeat, from 0. Calls that its conditions have in common are made once in each; None: each is made for itself."""

    @property
    def lines_are(self) -> str:
        """What its lines are, as the method names it: `topics`, `questions`, `answers`, `pairs`."""
        return next((name for name, kind in self.method.batches.items() if type(kind) is type(self.kind)), "")


def headers_of(lines: Sequence[Line], begin: Callable[[Wishes], Header]) -> list[Header | None]:
    """A header for each line; None where there is nothing to work on. Raises: BadInput, which names the first wrong line."""
    headers: list[Header | None] = []
    for line in lines:
        try:
            header = begin(line.wanted) if line.wanted is not None else None
        except BadInput as error:
            raise BadInput(f"{line.where}: {error}") from None
        for role, seat in header.lineup.items() if header is not None else ():
            if seat.model == "human":
                raise BadInput(t("wrong.lines.waits", where=line.where, role=role))
        headers.append(header)
    return headers
