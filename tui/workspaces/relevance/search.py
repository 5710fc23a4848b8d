"""Searching in the two cases on screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....engines.relevance.plan import text_of

if TYPE_CHECKING:
    from ..bench import Bench
    from .cases import CasesView


class CaseSearch:
    """Marks a text in both cases and goes from place to place."""

    def __init__(self, bench: Bench, view: CasesView) -> None:
        self._bench = bench
        self._view = view
        self.shown: tuple[str, int] | None = None
        """The text that was searched for, and which of its places is shown."""

    async def find(self, text: str, forward: bool) -> tuple[int, int] | None:
        """Goes to the next place of a text; returns which of how many places that is."""
        spots = self._spots(text)
        at = 0
        if not spots:
            self.shown = None
        else:
            before = self.shown[1] if self.shown is not None and self.shown[0] == text else -1 if forward else 0
            at = (before + (1 if forward else -1)) % len(spots)
            self.shown = text, at
        await self._bench.view.refresh_view()
        if not spots:
            return 0, 0
        self._view.reveal(*spots[at])
        return at + 1, len(spots)

    async def end(self) -> None:
        """Takes the marks away."""
        self.shown = None
        await self._bench.view.refresh_view()

    def places(self, case: str | None) -> list[tuple[int, int]]:
        """Returns start and end of each mark in one of the cases (None: the query)."""
        if self.shown is None:
            return []
        length = len(self.shown[0])
        return [(at, at + length) for which, at in self._spots(self.shown[0]) if which == case]

    def _spots(self, text: str) -> list[tuple[str | None, int]]:
        """Returns the case (None: the query) and the first character of each place that has the text."""
        assert self._bench.play is not None
        wanted = text.casefold()
        spots: list[tuple[str | None, int]] = []
        for case in (None, self._view.cases.front if self._view.cases is not None else None):
            folded = text_of(self._bench.play.session, case).casefold()
            at = folded.find(wanted)
            while at >= 0:
                spots.append((case, at))
                at = folded.find(wanted, at + max(len(wanted), 1))
        return spots
