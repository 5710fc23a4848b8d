"""Searching in the two cases on screen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ....engines.cases.task import text_of

if TYPE_CHECKING:
    from ..session_context import SessionContext
    from .case_keys import CaseKeys, ReadView


class CaseSearch:
    """Lights up a text in both cases and goes from place to place."""

    def __init__(
        self, bench: SessionContext, view: ReadView, reading: CaseKeys
    ) -> None:
        self._bench = bench
        self._view = view
        self._reading = reading
        self._shown: tuple[str, int] | None = None
        """The text that was searched for, and which of its places is shown."""

    async def find(self, text: str, forward: bool) -> tuple[int, int] | None:
        """Goes to the next place of a text; returns which of how many places that is."""
        spots = self._spots(text)
        if not spots:
            self._shown = None
            self.light()
            return 0, 0
        before = (
            self._shown[1]
            if self._shown is not None and self._shown[0] == text
            else -1
            if forward
            else 0
        )
        at = (before + (1 if forward else -1)) % len(spots)
        self._shown = text, at
        self.light()
        case, start, _ = spots[at]
        self._reading.reveal(case, start)
        return at + 1, len(spots)

    async def end(self) -> None:
        """Takes the marks away."""
        self._shown = None
        self.light()

    def light(self) -> None:
        """Lights up the places in both cases, and in another way the one that is shown."""
        spots = self._spots(self._shown[0]) if self._shown is not None else []
        front = (
            spots[self._shown[1] % len(spots)]
            if self._shown is not None and spots
            else None
        )
        for id_, is_query in (("query", True), ("candidate", False)):
            pane = self._view.pane(id_)
            pane.light(
                "hit",
                [
                    (start, end)
                    for case, start, end in spots
                    if (case is None) == is_query
                ],
            )
            pane.light(
                "hit-front",
                [front[1:]]
                if front is not None and (front[0] is None) == is_query
                else [],
            )

    def _spots(self, text: str) -> list[tuple[str | None, int, int]]:
        """Returns the case (None: the query), the first character and the end of each
        place that has the text.
        """
        play, cases = self._bench.play, self._view.cases
        if play is None or cases is None:
            return []
        wanted = re.compile(re.escape(text), re.IGNORECASE)
        ids = (None, cases.front) if cases.front is not None else (None,)
        return [
            (case, *found.span())
            for case in ids
            for found in wanted.finditer(text_of(play.session, case))
        ]
