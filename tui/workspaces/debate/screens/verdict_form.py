"""A person as the judge: the verdict as a form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Static, TextArea

from .....texts import t
from .... import wording
from ....screens.form import Choice, Form, area, field
from ....screens.sheet import Pages
from ....showing import clean


class JudgeForm(Form[dict[str, Any]]):
    """Dismissed with {preference, supported_side, reason, answer}, each as in a verdict event; or None.

    `mode`: the discriminative judge may leave everything open, the extractive one must name an answer.
    `answer_suggestions`: the answers on the table, to take over with one key. `heard`: what is to be judged; it scrolls above the form.
    """

    DEFAULT_CSS = """
    JudgeForm {
        #heard { height: 1fr; min-height: 3; margin-bottom: 1; color: $quiet; }
        #fields { height: auto; max-height: 70%; }
        #reason { height: 6; margin-bottom: 1; }
        .above { margin-top: 1; }
        &.-low #reason { height: 3; }
        &.-low #title { margin-bottom: 0; }
    }
    """
    AUTO_FOCUS = "Choice"

    tall = True

    def __init__(
        self, mode: Literal["discriminative", "extractive"], sides: Sequence[str], answer_suggestions: Sequence[str] = (), heard: str = ""
    ) -> None:
        super().__init__()
        self._heard = clean(heard)
        self._mode = mode
        self._sides = list(sides)
        self._suggestions = [clean(each, newlines=False) for each in answer_suggestions]

    def heading(self) -> str:
        return t(f"judge_form.{self._mode}")

    def body(self) -> ComposeResult:
        sides = [(role, f"{wording.letter(role)} {wording.role_name(role)}") for role in self._sides]
        if self._heard:
            with Pages(id="heard"):
                yield Static(self._heard, markup=False)
        with VerticalScroll(id="fields", can_focus=False):
            if self._mode == "discriminative":
                yield Choice(t("judge_form.preference"), [(False, t("judge_form.goes_on")), (True, t("judge_form.ends"))], id="preference")
            nobody = [("tie", t("judge_form.tie")), (None, t("judge_form.nobody"))]
            yield Choice(t("judge_form.side"), [*sides, *nobody], None, id="supported")
            if self._suggestions:
                own = [(None, t("judge_form.own_answer"))]
                yield Choice(t("judge_form.stated"), [*own, *((each, each) for each in self._suggestions)], id="stated")
            yield field(t("judge_form.answer"), id="answer")
            yield Static(t("judge_form.reason"), classes="quiet above", markup=False)
            yield area(id="reason")
            yield Static(id="note", markup=False)

    @on(Choice.Changed, "#stated")
    def _take_over(self, event: Choice.Changed) -> None:
        value = event.choice.value
        self.query_one("#answer", Input).value = str(value) if value is not None else ""

    def _filled(self) -> dict[str, Any]:
        ends = self.chosen("preference") if self._mode == "discriminative" else True
        return {
            "preference": bool(ends),
            "supported_side": self.chosen("supported"),
            "reason": self.query_one("#reason", TextArea).text.strip(),
            "answer": self.typed("answer") or None,
        }

    def changed(self) -> bool:
        filled = self._filled()
        return bool(filled["reason"] or filled["answer"])

    def action_accept(self) -> None:
        filled = self._filled()
        if filled["preference"] and not filled["answer"]:
            self.say(t("judge_form.no_answer"))
            self.query_one("#answer", Input).focus()
        else:
            self.dismiss(filled)
