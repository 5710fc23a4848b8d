"""The stages of a candidate: the streaming one, then the finished ones."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content

from .....texts import t
from ....showing import clean
from ....widgets.live import LiveReply


class Stages(LiveReply):
    """While `hidden` holds, a reply is counted and not shown."""

    def __init__(self, interval: float, hidden: Callable[[], bool]) -> None:
        super().__init__("stages", "stage-", interval)
        self._hidden = hidden

    def body(self, role: str, text: str) -> Content:
        if not self._hidden():
            return super().body(role, text)
        return Content.styled(
            t("relevance.characters", n=len(clean(text))) if text else "", "$quiet"
        )
