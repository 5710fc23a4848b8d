"""The end of a queue: that all is labelled, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.widgets import Static

from .....texts import t
from ....screens.sheet import Pages, Sheet

if TYPE_CHECKING:
    from .labelers import PairQueue


class AllLabelled(Sheet[None]):
    """Goes away with escape or enter."""

    DEFAULT_CSS = (
        "AllLabelled { Pages { height: auto; max-height: 1fr; } Pages > Static { "
        "height: auto; } }"
    )
    AUTO_FOCUS = "Pages"
    BINDINGS = [("enter", "leave", "")]
    KEYS = {"enter esc": "sheet.back"}

    def __init__(self, sitting: PairQueue, reveal: str) -> None:
        """`reveal`: the key that shows the machine's word."""
        super().__init__()
        self._sitting = sitting
        self._reveal = reveal

    def heading(self) -> str:
        n = len(self._sitting.queue())
        return t(
            "labelling.all_decided"
            if self._sitting.decides
            else "labelling.all_labelled",
            n=n,
            annotator=self._sitting.name,
        )

    def body(self) -> ComposeResult:
        text = t(
            "labelling.then_decided"
            if self._sitting.decides
            else "labelling.then_labelled",
            key=self._reveal,
        )
        with Pages():
            yield Static(text, markup=False)
