"""A person as the judge: the verdict as a form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from .....texts import t
from .... import wording
from ....screens.docked_form import DockedForm
from ....screens.form import ChoiceField, area, field
from ....showing import clean_line


class JudgeForm(DockedForm):
    """Returns {preference, supported_side, reason, answer}, each as in a verdict event.

    `mode`: the discriminative judge can leave everything open; the extractive one must
    give an answer, and so must the blind one, who has heard no debate.
    `answer_suggestions`: the answers so far, which one key inserts.
    """

    DEFAULT_CSS = "JudgeForm #reason { height: 1fr; min-height: 3; }"
    FIRST = "ChoiceField, Input"

    def __init__(
        self,
        mode: Literal["discriminative", "extractive", "blind"],
        sides: Sequence[str],
        answer_suggestions: Sequence[str] = (),
    ) -> None:
        super().__init__(t(f"judge_form.{mode}"))
        self._mode = mode
        self._sides = list(sides)
        self._suggestions = [clean_line(each) for each in answer_suggestions]

    def body(self) -> ComposeResult:
        if self._mode == "discriminative":
            yield ChoiceField(
                t("judge_form.preference"),
                [(False, t("judge_form.goes_on")), (True, t("judge_form.ends"))],
                id="preference",
            )
        if self._sides:
            sides = [
                (role, f"{wording.letter(role)} {wording.role_name(role)}")
                for role in self._sides
            ]
            nobody = [("tie", t("judge_form.tie")), (None, t("judge_form.nobody"))]
            yield ChoiceField(
                t("judge_form.side"), [*sides, *nobody], None, id="supported"
            )
        if self._suggestions:
            own = [(None, t("judge_form.own_answer"))]
            yield ChoiceField(
                t("judge_form.stated"),
                [*own, *((each, each) for each in self._suggestions)],
                id="stated",
            )
        yield field(t("judge_form.answer"), id="answer")
        yield Static(t("judge_form.reason"), classes="quiet", markup=False)
        yield area(id="reason")

    @on(ChoiceField.Changed, "#stated")
    def _take_over(self, event: ChoiceField.Changed) -> None:
        value = event.choice.value
        self.query_one("#answer", Input).value = str(value) if value is not None else ""

    def words(self) -> str | None:
        ends = (
            bool(self.chosen("preference")) if self._mode == "discriminative" else True
        )
        answer = self.typed("answer") or None
        if ends and not answer:
            self.refuse(t("judge_form.no_answer"), "answer")
            return None
        said: dict[str, object] = {
            "preference": ends,
            "supported_side": self.chosen("supported") if self._sides else None,
            "reason": self.typed("reason"),
            "answer": answer,
        }
        return json.dumps(said, ensure_ascii=False)
