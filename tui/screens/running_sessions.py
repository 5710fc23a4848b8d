"""What runs: every session that is being taken further, on screen or not, and those
that wait for the user.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static

from ...texts import t
from .. import wording
from ..runner import SessionRunner
from ..showing import clean
from ..title_columns import fit
from .sheet import LazyLine, RowList, Sheet

if TYPE_CHECKING:
    from ..runs import OpenSessions


class RunningScreen(Sheet[SessionRunner]):
    """Dismissed with the runner of the session to go to, or None."""

    DEFAULT_CSS = """
    RunningScreen { RowList, RowList:focus { height: auto; max-height: 16; } }
    """
    AUTO_FOCUS = "RowList"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("x,f9", "stop", show=False)]

    def __init__(self, runs: OpenSessions) -> None:
        super().__init__()
        self._runs = runs
        self._shown: list[SessionRunner] = []

    def heading(self) -> str:
        return t("runs.title")

    def body(self) -> ComposeResult:
        yield RowList()
        yield Static(id="note", markup=False)

    def keys(self) -> list[tuple[str, str]]:
        return [
            ("enter", t("runs.go")),
            ("x", t("runs.stop")),
            ("esc", t("sheet.back")),
        ]

    def on_mount(self) -> None:
        self._show()
        self.set_interval(1.0, self._show)

    def _show(self) -> None:
        rows = self.query_one(RowList)
        working = self._runs.working
        if working == self._shown and working:
            rows.refresh()
            return
        at = rows.highlighted
        front = self._shown[at] if at is not None and at < len(self._shown) else None
        self._shown = working
        lines = [
            LazyLine(lambda cells, runner=each: row(runner, cells))  # type: ignore[misc]
            for each in working
        ]
        rows.show(lines, cursor=working.index(front) if front in working else 0)
        self.say("" if working else t("runs.none"), warning=False)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        if event.option_index < len(self._shown):
            self.dismiss(self._shown[event.option_index])

    async def action_stop(self) -> None:
        at = self.query_one(RowList).highlighted
        if at is not None and at < len(self._shown):
            await self._runs.stop(self._shown[at])
            self._show()


def row(runner: SessionRunner, cells: int) -> Content:
    """Returns one line: a mark, the title, the tab and how far it is, who is asked and
    for how long.
    """
    play, method = runner.play, runner.method
    if play is None:
        return Content("")
    waits = runner.question is not None or not runner.running
    at = method.progress(play.session) if method is not None else None
    workspace = play.session.workspace
    parts = [
        t(f"app.{workspace}"),
        t(f"attention.part_{workspace}", n=at[0], of=at[1])
        if at is not None
        else t("runs.events", n=len(play.session.events)),
        t("runs.waits") if waits else _asked(runner),
        ""
        if not runner.running
        else t(
            "runs.seconds",
            n=int(
                time.monotonic()
                - (runner.reply.since if runner.reply else runner.began)
            ),
        ),
    ]
    tail = "  " + wording.joined([part for part in parts if part])
    title = fit(
        clean(play.session.title, newlines=False), max(cells - 2 - cell_len(tail), 8)
    )
    mark = ("◆ ", "bold $warning") if waits else ("● ", "bold $success")
    return Content.assemble(mark, title, (tail, "$quiet"))


def _asked(runner: SessionRunner) -> str:
    """Returns who is asked now."""
    reply = runner.reply
    if reply is not None:
        return f"{wording.role_name(reply.role)} {wording.model_name(reply.seat)}"
    return t("runs.computes")
