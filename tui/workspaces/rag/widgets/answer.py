"""The answer of a question while it streams in, above what is settled."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content

from .....texts import t
from ....showing import clean
from ....widgets.live import LiveReply
from ..wording import cited_text


class AnswerView(LiveReply):
    """The middle column. An answer stands alone while it streams; replies of the verifier are counted, not shown, until they are read."""

    def __init__(self, interval: float) -> None:
        super().__init__("answer", "", interval)

    async def begin(self, role: str, model: str, state: Callable[[], str], since: float | None = None) -> None:
        if role == "generator":
            self._settled.display = False
        await super().begin(role, model, state, since)

    async def end_live(self) -> None:
        if self._who is None:
            return
        await super().end_live()
        self.scroll_home(animate=False)
        self._settled.display = True

    def body(self, role: str, text: str) -> Content:
        if role == "generator":
            return Content.assemble("\n", cited_text(text))
        return Content.styled("\n" + t("rag.characters", n=len(clean(text))) if text else "", "$quiet")

    def drawn(self) -> None:
        if self.scroll_offset.y >= self.max_scroll_y:  # an anchor would push a short answer to the bottom (Textual 8.2)
            self.call_after_refresh(self.scroll_end, animate=False)
