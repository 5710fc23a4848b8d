"""What a session is about, above what is said: a long text is folded to two lines, and
unfolds by a key.
"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from ...texts import t
from ..title_columns import fit_lines
from .header import clickable

LINES = 2
"""So many are shown of a folded text."""


class TopicPanel(VerticalScroll, can_focus=False):
    """The words of a question.

    Unfolded it takes half of the screen at most, and scrolls.
    """

    def __init__(self, key: str) -> None:
        """`key`: what folds and unfolds it."""
        super().__init__(id="topic")
        self._key = key
        self._text = ""
        self._shown: tuple[str, int, bool] | None = None
        self.unfolded = False

    def compose(self) -> ComposeResult:
        yield Static("", markup=False)

    def tell(self, text: str) -> None:
        """Shows what a session is about; another text comes folded."""
        if text != self._text:
            self._text, self.unfolded = text, False
        width = max(self.app.size.width - 4, 20)
        if self._shown == (text, width, self.unfolded):
            return
        self._shown = text, width, self.unfolded
        self.set_class(self.unfolded, "-unfolded")
        self.query_one(Static).update(
            self._whole() if self.unfolded else self._folded(width)
        )

    @property
    def is_long(self) -> bool:
        """Whether there is something to unfold."""
        width = max(self.app.size.width - 4, 20)
        return fit_lines(self._one_line, width, LINES) != self._one_line

    @property
    def _one_line(self) -> str:
        return " ".join(self._text.split())

    def _mark(self, word: str) -> Content:
        mark = Content.assemble(
            (self._key, "bold $footer-key-foreground"), (f" {t(word)}", "$quiet")
        )
        if self._key:
            return clickable(mark, "app.do('topic')")
        return Content("")

    def _folded(self, width: int) -> Content:
        if not self.is_long:
            return Content.styled(
                self._text if self._text.count("\n") < LINES else self._one_line, "bold"
            )
        mark = self._mark("topic.more")
        short = fit_lines(
            self._one_line, width - -(-(mark.cell_length + 1) // LINES), LINES
        )
        return Content.assemble((short + " ", "bold"), mark)

    def _whole(self) -> Content:
        return Content.assemble((self._text + " ", "bold"), self._mark("topic.less"))

    def toggle(self) -> None:
        """Unfolds the text, or folds it."""
        if self.is_long or self.unfolded:
            self.unfolded = not self.unfolded
            self.tell(self._text)
            self.scroll_home(animate=False)
