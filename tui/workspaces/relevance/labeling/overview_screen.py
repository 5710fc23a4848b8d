"""The labelling overview, for the adjudicator."""

from __future__ import annotations

from collections.abc import Callable

from textual import work
from textual.app import ComposeResult
from textual.widgets import Static

from .....engines.threads import in_thread
from .....sessions.errors import BadInput
from .....texts import t
from ....screens.sheet import Pages, Sheet
from ....showing import clean

BESIDE = 8
"""Cells of the sheet's edges and of the scroll bar."""


class OverviewScreen(Sheet[None]):
    """The overview as `label --overview` prints it; it takes a moment."""

    DEFAULT_CSS = (
        "OverviewScreen { Pages { height: 1fr; } Pages > Static { height: auto; } }"
    )
    AUTO_FOCUS = "Pages"
    tall = True

    def __init__(self, told: Callable[[int], str]) -> None:
        """`told` returns the text for so many cells, and may raise BadInput."""
        super().__init__()
        self._told = told

    def heading(self) -> str:
        return t("report.overview.title")

    def body(self) -> ComposeResult:
        with Pages():
            yield Static(t("labelling.overview_wait"), markup=False)

    def on_mount(self) -> None:
        self._load()

    @work(exclusive=True, exit_on_error=False)
    async def _load(self) -> None:
        width = max(self.app.size.width - BESIDE, 40)
        try:
            text = await in_thread(lambda: self._told(width))
        except BadInput as error:
            text = str(error)
        self.query_one(Static).update(clean(text))
