"""The overview of rounds: next to the speeches on a wide screen, else instead."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from .....texts import t
from ..rounds import Rounds, in_full, remarks, spread


class RoundsMap(VerticalScroll):
    """A table, what is to be known of it, the answers that are too long for it, and
    what the debate began with.
    """

    def __init__(self) -> None:
        super().__init__(id="rounds")
        self.border_title = f" {t('rounds.title')} "
        self._map = Static("", markup=False)
        self._shown: tuple[Rounds, Content | None] | None = None
        self._drawn: object = None

    def compose(self) -> ComposeResult:
        yield self._map

    def on_resize(self) -> None:
        self._draw()

    def tell(self, shown: Rounds, given: Content | None) -> None:
        """Draws, if anything is different from what is there."""
        self._shown = shown, given
        self._draw()

    def _draw(self) -> None:
        width = self.content_size.width
        if self._shown is not None and width and self._drawn != (self._shown, width):
            self._drawn = self._shown, width
            self._map.update(Content("\n").join(_lines(*self._shown, width)))


def _lines(shown: Rounds, given: Content | None, width: int) -> list[Content]:
    rows, wide = spread(shown, width)
    lines = [*rows, *remarks(shown, width)]
    if shown.rows:
        lines.append(Content.styled(" " + t("rounds.legend"), "$quiet"))
    whole = in_full(shown, wide)
    if whole:
        lines += [Content(), Content.styled(t("rounds.in_full"), "bold $quiet"), *whole]
    if given is not None:
        return [*lines, Content(), given]
    return lines
