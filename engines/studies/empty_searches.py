"""Stops a study whose questions find nothing: it would show nothing but that."""

from __future__ import annotations

from ...sessions.session import Session
from ...texts import t


class EmptySearches:
    """Counts the first searches of sessions."""

    MOST = 0.2
    """Share of empty ones above which nothing is to be learned."""

    def __init__(self, least: int = 10) -> None:
        """`least`: searches from which on it says anything."""
        self._least, self._all, self._empty = least, 0, 0

    def takes(self, session: Session) -> bool:
        """Takes in a session that has ended; True once too many found nothing."""
        found = (getattr(event, "references", None) for event in session.events)
        first = next((one for one in found if one is not None), None)
        if first is not None:
            self._all += 1
            self._empty += not first
        return self.many

    @property
    def many(self) -> bool:
        return self._all >= self._least and self._empty > self.MOST * self._all

    @property
    def said(self) -> str:
        return t("report.study.empty_searches", n=self._empty, of=self._all)
