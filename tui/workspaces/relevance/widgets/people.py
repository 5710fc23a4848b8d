"""People's labels of a pair: next to each other, or one below the other on narrow
screens.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

MOST = 12
"""Columns that are made; people beyond are in the last one."""


class RaterColumns(VerticalScroll):
    """A column for each person; hidden without labels."""

    def __init__(self) -> None:
        super().__init__(id="people", can_focus=True)

    def compose(self) -> ComposeResult:
        with Horizontal(id="people-columns"):
            for _ in range(MOST):
                yield Static("", markup=False)

    def tell(self, people: Sequence[Content]) -> None:
        """Shows these."""
        kept = [
            *people[: MOST - 1],
            *(
                [Content("\n\n").join(people[MOST - 1 :])]
                if len(people) >= MOST
                else []
            ),
        ]
        self.display = bool(kept)
        for at, column in enumerate(self.query(Static)):
            column.display = at < len(kept)
            if at < len(kept):
                column.update(kept[at])
