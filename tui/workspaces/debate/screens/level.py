"""How far the debaters are asked to oppose each other: four instructions, by name."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList, Static

from .....engines.debate.settings import SETTINGS
from .....texts import t
from .... import wording
from ....screens.sheet import LazyLine, RowList, Sheet

LEAST, MOST = SETTINGS.bounds("level")
LEVELS = range(LEAST, MOST + 1)


class LevelScreen(Sheet[int]):
    """Dismissed with 0 to 3, or None. The four are names, not points of a scale."""

    DEFAULT_CSS = """
    LevelScreen {
        #sheet { max-width: 84; }
        RowList, RowList:focus { height: auto; }
        #remark { color: $quiet; margin-top: 1; }
    }
    """

    HEADING = "level.title"
    BINDINGS = [(str(level), f"take({level})") for level in LEVELS]
    KEYS = {"enter": "level.take", "0-3": "level.by_number"}

    def __init__(self, current: int) -> None:
        super().__init__()
        self._current = current

    def body(self) -> ComposeResult:
        yield RowList()
        yield Static(t("level.remark"), id="remark", markup=False)

    def on_mount(self) -> None:
        rows: list[Content | LazyLine] = []
        for level in LEVELS:
            now = (f"  ({t('level.now')})", "$quiet") if level == self._current else ""
            name = (f"{level} {wording.level_name(level)}", "bold")
            rows += [
                Content.assemble(name, now, "\n", t(f"level.meaning{level}")),
                Content(""),
            ]
        self.query_one(RowList).show(
            rows[:-1], frozenset(range(1, 7, 2)), cursor=self._current * 2
        )

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index // 2)

    def action_take(self, level: int) -> None:
        self.dismiss(level)
