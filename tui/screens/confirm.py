"""One question: yes or no, or a line of text."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from ...texts import t
from ..showing import clean_line
from .sheet import RowList, Sheet


class ConfirmScreen(Sheet[bool]):
    """Asks before something that cannot be taken back.

    Dismissed with True for yes; escape is no.
    """

    DEFAULT_CSS = """
    ConfirmScreen {
        #sheet, &.-narrow #sheet, &.-low #sheet {
            width: 64; max-width: 100%; height: auto;
        }
        RowList, RowList:focus { height: auto; }
    }
    """
    AUTO_FOCUS = "RowList"
    BINDINGS = [
        ("y", "answer(True)"),
        ("n", "answer(False)"),
    ]

    def __init__(self, question: str, yes: str = "", no: str = "") -> None:
        super().__init__()
        self._question = question
        self._yes = clean_line(yes) or t("confirm.yes")
        self._no = clean_line(no) or t("confirm.no")

    def heading(self) -> str:
        return self._question

    def keys(self) -> dict[str, str]:
        return {"y": self._yes, "n esc": self._no}

    def body(self) -> ComposeResult:
        yield RowList()

    def on_mount(self) -> None:
        self.query_one(RowList).show([Content(text) for text in (self._no, self._yes)])

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index == 1)

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)

    def action_leave(self) -> None:
        self.dismiss(False)


class LinePrompt(Sheet[str]):
    """Asks for one line of text.

    Dismissed with it, or None; an empty line is not accepted.
    """

    DEFAULT_CSS = "LinePrompt { #sheet { max-width: 84; } }"
    AUTO_FOCUS = "#line"
    KEYS = {"enter": "sheet.accept"}

    def __init__(self, question: str, text: str = "") -> None:
        super().__init__()
        self._question = question
        self._text = text

    def heading(self) -> str:
        return self._question

    def body(self) -> ComposeResult:
        yield Input(clean_line(self._text), id="line", select_on_focus=False)
        yield Static(id="note", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self.dismiss(event.value.strip())
        else:
            self.say(t("confirm.empty"))
