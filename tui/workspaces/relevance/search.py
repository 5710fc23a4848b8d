"""Searching in what is on screen of two cases: texts, listed facts, and the stages with
their reasons.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ....engines.cases.task import text_of
from ...widgets.hits import HitText, show_hit, wanted

if TYPE_CHECKING:
    from ..session_context import SessionContext
    from .case_keys import CaseKeys, ReadView


class CaseHit(NamedTuple):
    """A place that has the text that is searched for."""

    widget: str
    """`query`, `candidate` or `stages`."""
    fact: str
    """The number of the listed fact that has it; "": it is in the text."""
    start: int
    """The first character; of the stages, which of their hits it is."""
    end: int


class CaseSearch:
    """Lights up a text in both cases and the stages, and goes from place to place."""

    def __init__(
        self, bench: SessionContext, view: ReadView, reading: CaseKeys
    ) -> None:
        self._bench = bench
        self._view = view
        self._reading = reading
        self._shown = "", 0
        """The text that was searched for, and which of its places is shown."""

    async def find(self, text: str, forward: bool) -> tuple[int, int] | None:
        """Goes to the next place of a text; returns which of how many places that
        is.
        """
        hits = self._hits(wanted(text))
        if not hits:
            await self.end()
            return 0, 0
        first, step = (0, 1) if forward else (-1, -1)
        at = self._shown[1] + step if self._shown[0] == text else first
        at %= len(hits)
        self._shown = text, at
        self.light()
        hit = hits[at]
        if hit.widget == "stages":
            stages, pattern = self._view.stages(), wanted(text)
            self._reading.see("stages")
            texts = stages.query(HitText)
            stages.call_after_refresh(show_hit, stages, texts, pattern, hit.start)
        else:
            self._reading.reveal(hit.widget, hit.start, hit.fact)
        return at + 1, len(hits)

    async def end(self) -> None:
        """Takes the marks away."""
        self._shown = "", 0
        self.light()

    def light(self) -> None:
        """Lights up all places, and in another way the one that is shown."""
        pattern = wanted(self._shown[0])
        hits = self._hits(pattern)
        front = [hits[self._shown[1] % len(hits)]] if hits else []
        for layer, lit in (("hit", hits), ("hit-front", front)):
            for id_ in ("query", "candidate"):
                here = [hit for hit in lit if hit.widget == id_]
                self._view.pane(id_).light(
                    layer,
                    [(hit.start, hit.end) for hit in here if not hit.fact],
                    [(hit.fact, hit.start, hit.end) for hit in here if hit.fact],
                )
        for lines in self._view.stages().query(HitText):
            lines.light(pattern)

    def _hits(self, pattern: re.Pattern[str] | None) -> list[CaseHit]:
        """Returns the places in the order of reading."""
        play, cases = self._bench.play, self._view.cases
        if play is None or cases is None or pattern is None:
            return []
        hits = []
        panes = {"query": None, "candidate": cases.front}
        for id_, case in panes.items():
            if id_ == "candidate" and case is None:
                continue
            text, page = text_of(play.session, case), self._view.pane(id_).page
            hits += [CaseHit(id_, "", *hit.span()) for hit in pattern.finditer(text)]
            for fact in page.facts:
                said = page.shown[slice(*fact.listed)]
                hits += [
                    CaseHit(id_, fact.label, *hit.span())
                    for hit in pattern.finditer(said)
                ]
        if self._reading.shows_stages:
            texts = self._view.stages().query(HitText)
            found = sum(len(pattern.findall(str(text.content))) for text in texts)
            hits += [CaseHit("stages", "", number, number) for number in range(found)]
        return hits
