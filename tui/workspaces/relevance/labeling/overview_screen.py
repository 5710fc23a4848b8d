"""The labelling overview, for the adjudicator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work
from textual.app import ComposeResult
from textual.widgets import Static

from .....engines.threads import in_thread
from .....sessions.errors import BadInput, bad_input
from .....texts import t
from ....screens.confirm import LinePrompt
from ....screens.sheet import Pages, Sheet
from ....showing import clean

if TYPE_CHECKING:
    from .labelers import Adjudicator

BESIDE = 8
"""Cells of the sheet's edges and of the scroll bar."""


class OverviewScreen(Sheet[None]):
    """The overview as `label --overview` prints it; it takes a moment."""

    DEFAULT_CSS = (
        "OverviewScreen { Pages { height: 1fr; } Pages > Static { height: auto; } }"
    )
    AUTO_FOCUS = "Pages"
    BINDINGS = [("e", "reassign")]
    KEYS = {"e": "labelling.reassign"}
    tall = True

    def __init__(self, sitting: Adjudicator) -> None:
        super().__init__()
        self._sitting = sitting

    def heading(self) -> str:
        return t("report.overview.title")

    def body(self) -> ComposeResult:
        with Pages():
            yield Static(t("labelling.overview_wait"), id="overview", markup=False)

    def on_mount(self) -> None:
        self._load()

    @work(exit_on_error=False)
    async def action_reassign(self) -> None:
        """Asks for the team's people and shares, and writes them to `team.yaml`."""
        try:
            before = self._sitting.shares
            if not before:
                raise bad_input("wrong.labels.no_team")
            asked = LinePrompt(t("labelling.reassign_title"), before)
            text = await self.app.push_screen_wait(asked)
            if text is None or text == before:
                return
            self._sitting.reassign(text)
        except BadInput as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self.notify(t("labelling.reassigned"), markup=False)
        self._load()

    @work(exclusive=True, group="load", exit_on_error=False)
    async def _load(self) -> None:
        width = max(self.app.size.width - BESIDE, 40)
        try:
            text = await in_thread(lambda: self._sitting.overview(width))
        except BadInput as error:
            text = str(error)
        text = text.removeprefix(self.heading()).lstrip("\n")
        self.query_one("#overview", Static).update(clean(text))
