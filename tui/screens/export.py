"""Asks where something is written to, and in which format; writes it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widgets import Input, Static

from ...sessions.errors import BadInput
from ...texts import t
from ..showing import clean, clean_line
from .form import ChoiceField, Form, field

FORMATS = ("md", "html", "jsonl", "csv")
"""Of a session."""
LISTS = ("csv", "md", "html", "json")
"""Of a list."""


Rows = Sequence[Mapping[str, object]]
"""Values by column."""


class ExportScreen(Form[tuple[str, Path]]):
    """Dismissed with (format, path), or None.

    The path's ending follows the format; a file that exists is refused.
    """

    HEADING = "export.title"
    AUTO_FOCUS = "ChoiceField"
    KEYS = {"enter F10 ^o": "export.write", "tab": "sheet.next_field"}

    def __init__(self, suggested: Path, formats: Sequence[str] = FORMATS) -> None:
        super().__init__()
        self._suggested = suggested
        self._formats = formats

    def body(self) -> ComposeResult:
        chosen = self._suggested.suffix.removeprefix(".")
        yield ChoiceField(
            t("export.format"),
            [(each, t(f"export.{each}")) for each in self._formats],
            chosen,
            id="format",
        )
        yield field(t("export.path"), str(self._suggested), id="path")
        yield Static(id="note", markup=False)

    @on(ChoiceField.Changed)
    def _new_ending(self, event: ChoiceField.Changed) -> None:
        line = self.query_one("#path", Input)
        path = Path(line.value)
        if path.suffix.removeprefix(".") in self._formats:
            line.value = str(path.with_suffix(f".{event.choice.value}"))

    def action_accept(self) -> None:
        typed = self.typed("path")
        if not typed or typed.endswith("/"):
            self.say(t("export.no_name"))
        elif clean_line(typed) != typed:
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


def write_new(path: Path, text: Callable[[], str]) -> tuple[str, SeverityLevel]:
    """Writes a file that is not there yet; returns what came of it in a sentence."""
    try:
        made = text()
        with open(path, "x", encoding="utf-8", newline="") as file:
            file.write(made)
    except (OSError, BadInput) as error:
        return t("play.not_exported", why=clean(str(error))), "error"
    return t("play.exported", path=clean_line(str(path))), "information"


def ask_export(screen: Screen[Any], name: str, title: str, shown: str | Rows) -> None:
    """Asks for a file, and writes to it the text or the rows that a screen shows."""
    forms = ("txt",) if isinstance(shown, str) else LISTS

    def chosen(wanted: tuple[str, Path] | None) -> None:
        if wanted is not None:
            form, path = wanted
            said = write_new(
                path,
                lambda: (
                    shown if isinstance(shown, str) else list_in(form, title, shown)
                ),
            )
            screen.notify(said[0], severity=said[1], markup=False)

    suggested = Path.cwd() / f"{name}.{forms[0]}"
    screen.app.push_screen(ExportScreen(suggested, forms), chosen)


def list_in(form: str, title: str, rows: Rows) -> str:
    """Returns rows of values by column as a table in one of `LISTS`; columns of lists
    and other structures are left out.
    """
    from ...engines.reports.document import Cell, DataColumn, DataTable, ReportDocument
    from ...engines.reports.forms import write

    names = [
        name
        for name in (rows[0] if rows else ())
        if all(
            isinstance(row.get(name), str | int | float | Path | None) for row in rows
        )
    ]
    cells = [
        [
            Cell(
                "" if value is None else clean_line(str(value)),
                value if isinstance(value, int | float) else None,
            )
            for value in map(row.get, names)
        ]
        for row in rows
    ]
    columns = [*map(DataColumn, names)]
    return write(ReportDocument(title, parts=[DataTable(title, columns, cells)]), form)
