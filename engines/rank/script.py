"""The built-in `script` for rankings: answers to the bundled questions, and what a
ranker says of them, written by hand.

It is not a language model, and refuses any other question, and other answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ...texts import t
from ..models.port import ModelCall
from ..script import HandWritten, ScriptEntry, as_json, read, refusal
from .reading import RankAnswers

SCRIPTS = Path(__file__).parent / "scripts"


class ScriptedAnswer(ScriptEntry, frozen=True, kw_only=True):
    """An answer, and its score under each criterion."""

    name: str
    text: str
    scores: dict[str, float]


class ScriptedRanking(ScriptEntry, frozen=True, kw_only=True):
    """A question with its answers."""

    question: str
    accepted: list[str]
    references: list[dict[str, str]]
    answers: list[ScriptedAnswer]
    reasons: dict[str, str]
    """Criterion to the ranker's reason, which names answers by their content, so that
    it holds in any order.
    """


class RankScript(HandWritten):
    """Ranks the bundled answers."""

    def line(self, call: ModelCall) -> str:
        task = call.task
        example = example_of(task.question) if isinstance(task, RankAnswers) else None
        if example is None or not isinstance(task, RankAnswers):
            raise refusal(
                call.role,
                "it has lines for the bundled questions only, and this is none of them",
            )
        known = {answer.text: answer for answer in example.answers}
        if any(answer.text not in known for answer in task.answers):
            raise refusal(call.role, "it has read no answers but its own")
        scores = {
            f"answer{n}": known[answer.text].scores[task.criterion]
            for n, answer in enumerate(task.answers, 1)
        }
        return as_json({"reason": example.reasons[task.criterion], **scores})


def example_of(question: str) -> ScriptedRanking | None:
    """The bundled answers to a question, which counts exactly as it is written; None
    where there are none.
    """
    return _examples().get(question)


def questions() -> list[str]:
    """The bundled questions."""
    return list(_examples())


def unscripted(task: Mapping[str, Any]) -> str | None:
    """Why there are no lines for what a session is about, as `starting.check_script`
    takes it; None where there are.
    """
    example = example_of(str(task.get("question")))
    known = (
        {answer.text for answer in example.answers} if example is not None else set()
    )
    given = [str(one.get("text")) for one in task.get("candidates") or ()]
    if given and all(text in known for text in given):
        return None
    return t("wrong.script.ranked")


@cache
def _examples() -> dict[str, ScriptedRanking]:
    return {one.question: one for one in read(SCRIPTS, ScriptedRanking)}
