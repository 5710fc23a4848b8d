"""The references of an iteration, as a list to walk through and to open."""

from __future__ import annotations

import re

from textual.content import Content

from .....engines.rag.plan import RagIteration
from .....sessions.events import Reference
from ....screens.sheet import RowList
from ..passages import readable
from ..wording import PassageMarks, is_whole, origins, reference_row


class References(RowList):
    """Rows of references; `chosen` is the one under the cursor."""

    def __init__(self) -> None:
        super().__init__(id="references")
        self._told: object = None
        self._references: list[Reference] = []
        self._rows: list[Content] = []

    @property
    def chosen(self) -> Reference | None:
        at = self.highlighted
        if at is not None and at < len(self._references):
            return self._references[at]
        return None

    def tell(
        self, turn: RagIteration | None, width: int, height: int, look: PassageMarks
    ) -> None:
        """Draws, if anything is different; the cursor stays on its reference."""
        told = (
            turn and (turn.retrieval, turn.answer, turn.check, dict(turn.claims)),
            width,
            height,
            look,
        )
        if told == self._told:
            return
        before = self.chosen
        self._told = told
        retrieval = turn.retrieval if turn is not None else None
        self._references = list(retrieval.references) if retrieval is not None else []
        rows: list[Content] = []
        if turn is not None:
            lines = _shares(self._references, turn, width, height, look)
            rows = [
                reference_row(each, turn, width, share, look)
                for each, share in zip(self._references, lines, strict=True)
            ]
        places = [
            at
            for at, one in enumerate(self._references)
            if before is not None and one.id == before.id
        ]
        self._rows = rows
        self.show(rows, cursor=places[0] if places else 0)

    def go(self, number: int) -> None:
        """Goes to the reference with this number."""
        for at, one in enumerate(self._references):
            if one.n == number:
                self.highlighted = at

    def go_to_hit(self, number: int, wanted: re.Pattern[str], hit: int) -> None:
        """Goes to the line of a reference with one of its hits, from 0."""
        self.go(number)
        # it may have no size yet
        self.call_after_refresh(self._show_hit, self.highlighted or 0, wanted, hit)

    def _show_hit(self, at: int, wanted: re.Pattern[str], hit: int) -> None:
        width = self.scrollable_content_region.width - 1
        ends = [found.end() for found in wanted.finditer(self._rows[at].plain)] or [1]
        shown = [*self._rows[:at], self._rows[at][: ends[min(hit, len(ends) - 1)]]]
        below = sum(len(row.wrap(width)) for row in shown)
        self.scroll_to(y=below - 1 - self.size.height // 3, animate=False)


EXCERPT = 3
"""Lines of a passage, before there is an answer, however little room there is."""


def _shares(
    references: list[Reference],
    turn: RagIteration,
    width: int,
    height: int,
    look: PassageMarks,
) -> list[int]:
    """How many lines each passage gets: some are whole, the others share what room is
    left.
    """
    wanted = [len(Content(readable(each)).wrap(width)) for each in references]
    others = [
        at for at, each in enumerate(references) if not is_whole(each, turn, look)
    ]
    heads = 2 * len(references) + sum(len(origins(each)) for each in references)
    free = (
        height
        - heads
        - sum(lines for at, lines in enumerate(wanted) if at not in others)
    )
    shares = list(wanted)
    for place, at in enumerate(sorted(others, key=lambda at: wanted[at])):
        share = max(
            free // (len(others) - place), EXCERPT if turn.answer is None else 0
        )
        shares[at] = min(wanted[at], share)
        free -= shares[at]
    return shares
