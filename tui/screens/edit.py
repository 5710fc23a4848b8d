"""A text to write or change: a speech that is edited, or a person's own."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static, TextArea

from ...sessions.clean import editable
from ...texts import t
from ..showing import clean
from .form import Form, area


class EditScreen(Form[str]):
    """An editor over the app.

    Dismissed with the new text, or None. `hint` is above the text and may be long:
    it scrolls.
    """

    DEFAULT_CSS = """
    EditScreen {
        #hint { height: auto; max-height: 50%; margin-bottom: 1; color: $quiet; }
        #text { height: 1fr; }
        &.-low #hint { max-height: 45%; }
    }
    """
    AUTO_FOCUS = "#text"
    tall = True

    def __init__(self, title: str, text: str = "", hint: str = "") -> None:
        super().__init__()
        self._title = title
        self._hint = clean(hint)
        self._before = editable(text)

    def heading(self) -> str:
        return self._title

    def body(self) -> ComposeResult:
        if self._hint:
            with VerticalScroll(id="hint"):
                yield Static(self._hint, markup=False)
        yield area(self._before, id="text")
        yield Static(id="note", markup=False)

    def keys(self) -> dict[str, str]:
        scroll = {"tab": t("edit.read_task")} if self._hint else {}
        return {"F10 ^o": t("sheet.accept"), **scroll}

    @property
    def text(self) -> str:
        return self.query_one("#text", TextArea).text

    def on_mount(self) -> None:
        editor = self.query_one("#text", TextArea)
        editor.move_cursor(editor.document.end)

    def changed(self) -> bool:
        return self.text != self._before and bool(self.text.strip())

    def action_accept(self) -> None:
        if self.text.strip():
            self.dismiss(self.text)
        else:
            self.say(t("edit.empty"))
