"""The answer of a question while it streams in, above what is settled."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.content import Content

from .....texts import t
from ....showing import clean
from ....widgets.hits import HitText
from ....widgets.live import LiveReply
from ..wording import cited_text


class AnswerView(LiveReply):
    """The middle column.

    An answer stands alone while it streams; replies of the verifier are counted, not
    shown, until they are read.
    """

    def __init__(self, interval: float) -> None:
        super().__init__("answer", "", interval)
        self.set_classes("pane titled")
        self.follows = True
        """Whether the last lines stay in view; what a person reads before they answer
        begins at its first.
        """
        self._result = HitText("", id="rag-result", markup=False)

    def compose(self) -> ComposeResult:
        yield self._result
        yield from super().compose()

    @property
    def room(self) -> int:
        """Cells that a line may take, whether or not a scrollbar comes."""
        return self.scrollable_content_region.width - (
            0 if self.show_vertical_scrollbar else self.scrollbar_size_vertical
        )

    @property
    def room_in_box(self) -> int:
        """The same in the box of the result."""
        return self.room - self._result.gutter.width

    def on_mount(self) -> None:
        self._result.display = False

    def conclude(self, result: tuple[Content, str] | None) -> None:
        """Shows how the question ended, in a box above all; None: it has not ended."""
        if result is not None and not self._result.display:
            self.call_after_refresh(self.scroll_home, animate=False)
        self._result.display = result is not None
        if result is not None:
            content, look = result
            self._result.update(content)
            self._result.set_classes(look)

    async def begin(
        self,
        role: str,
        model: str,
        state: Callable[[], str],
        since: float | None = None,
    ) -> None:
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
        if role == "generator" or not self.follows:
            return Content.assemble("\n", cited_text(text, width=self.room))
        return Content.styled(
            "\n" + t("rag.characters", n=len(clean(text))) if text else "", "$quiet"
        )

    def drawn(self) -> None:
        # an anchor would push a short answer to the bottom (Textual 8.2)
        if self.follows and self.scroll_offset.y >= self.max_scroll_y:
            self.call_after_refresh(self.scroll_end, animate=False)
