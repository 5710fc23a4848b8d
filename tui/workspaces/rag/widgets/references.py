"""The references of an iteration, as a list to walk through and to open."""

from __future__ import annotations

from .....engines.rag.plan import Turn
from .....sessions.events import Reference
from ....screens.sheet import Rows
from ..wording import reference_row


class References(Rows):
    """Rows of references; `chosen` is the one under the cursor."""

    def __init__(self) -> None:
        super().__init__(id="references")
        self._told: object = None
        self._references: list[Reference] = []

    @property
    def chosen(self) -> Reference | None:
        at = self.highlighted
        return self._references[at] if at is not None and at < len(self._references) else None

    def tell(self, turn: Turn | None, width: int) -> None:
        """Draws, if anything is different; the cursor stays on its reference."""
        told = (turn and (turn.retrieval, turn.answer, turn.check), width)
        if told == self._told:
            return
        before = self.chosen
        self._told = told
        retrieval = turn.retrieval if turn is not None else None
        self._references = list(retrieval.references) if retrieval is not None else []
        rows = [reference_row(one, turn, width) for one in self._references] if turn is not None else []
        places = [at for at, one in enumerate(self._references) if before is not None and one.id == before.id]
        self.show(rows, cursor=places[0] if places else 0)

    def go(self, number: int) -> None:
        """Goes to the reference with this number."""
        for at, one in enumerate(self._references):
            if one.n == number:
                self.highlighted = at
