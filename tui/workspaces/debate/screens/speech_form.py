"""The form for a person's speech and the answer it states."""

from __future__ import annotations

from textual.app import ComposeResult

from .....engines.debate.messages import DebateTask
from .....engines.solo.messages import SoloTask
from .....prompts import prompt_set_for
from .....texts import speaking, t
from ....screens.docked_form import Writing
from ....screens.form import field


class SpeechForm(Writing):
    """Says the speech, and below it the line with the answer that is asked of
    models.
    """

    def __init__(self, title: str, task: DebateTask | SoloTask) -> None:
        super().__init__(title)
        self._debate_task = task

    def body(self) -> ComposeResult:
        yield from super().body()
        kind = self._debate_task.kind
        yield field(
            t(f"people.{kind}"), id="answer", placeholder=t(f"people.{kind}_how")
        )

    def words(self) -> str | None:
        text, answer = super().words(), self.typed("answer")
        if text is None or not answer:
            return text
        with speaking(prompt_set_for(self._debate_task.topic, self._debate_task.kind)):
            line = t(f"people.{self._debate_task.kind}_line", answer=answer)
        return f"{text.rstrip()}\n\n{line}"
