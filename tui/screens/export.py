"""Asks where a session is written to, and in which format."""

from __future__ import annotations

import os
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from ...texts import t
from ..showing import clean
from .form import ChoiceField, Form, field

FORMATS = ("md", "html", "jsonl", "csv")


class ExportScreen(Form[tuple[str, Path]]):
    """Dismissed with (format, path), or None.

    The path's ending follows the format; a file that exists is refused.
    """

    AUTO_FOCUS = "ChoiceField"

    def __init__(self, suggested: Path) -> None:
        super().__init__()
        self._suggested = suggested

    def heading(self) -> str:
        return t("export.title")

    def body(self) -> ComposeResult:
        chosen = self._suggested.suffix.removeprefix(".")
        yield ChoiceField(
            t("export.format"),
            [(each, t(f"export.{each}")) for each in FORMATS],
            chosen,
            id="format",
        )
        yield field(t("export.path"), str(self._suggested), id="path")
        yield Static(id="note", markup=False)

    @on(ChoiceField.Changed)
    def _new_ending(self, event: ChoiceField.Changed) -> None:
        line = self.query_one("#path", Input)
        path = Path(line.value)
        if path.suffix.removeprefix(".") in FORMATS:
            line.value = str(path.with_suffix(f".{event.choice.value}"))

    def keys(self) -> list[tuple[str, str]]:
        return [
            ("enter F10 ^o", t("export.write")),
            ("tab", t("sheet.next_field")),
            ("esc", t("sheet.back")),
        ]

    def action_accept(self) -> None:
        typed = self.typed("path")
        if not typed or typed.endswith("/"):
            self.say(t("export.no_name"))
        elif clean(typed, newlines=False) != typed:
            self.say(t("export.bad_name"))
        else:
            self._try(Path(os.path.expanduser(typed)))

    def _try(self, path: Path) -> None:
        try:
            taken, folder = os.path.lexists(path), path.parent.is_dir()
        except (OSError, ValueError):
            self.say(t("export.bad_name"))
            return
        if taken:
            self.say(t("export.exists"))
        elif not folder:
            self.say(t("export.no_folder"))
        else:
            self.dismiss((str(self.chosen("format")), path))
