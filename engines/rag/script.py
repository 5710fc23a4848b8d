"""The built-in `script` for questions: handwritten answers and verifications for the
bundled questions, over passages that a search really found.

It is not a language model. It refuses any other question, passages that a reply cites
and the search did not find, and other answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from ...texts import t
from ..models.port import ModelCall
from ..script import HandWritten, ScriptEntry, as_json, read, refusal
from .messages import AnswerTask, CheckClaims, RagTask, Revise, Verify

SCRIPTS = Path(__file__).parent / "scripts"
CORPUS = "example"
"""The corpus that the lines are written for. It is always there."""

_TITLE = re.compile(r"\[([^\[\]]+)\]")


class ScriptedVerification(ScriptEntry, frozen=True, kw_only=True):
    """The scripted verification, in the order of its fields."""

    reason: str
    reference_correctness: float
    correctness: float
    citation_accuracy: float
    truthfulness: float
    bias: float
    conciseness: float
    judgement: str
    revised_query: str


class ScriptedClaim(ScriptEntry, frozen=True, kw_only=True):
    """One claim of an answer, with its verdict."""

    claim: str
    sentence: int
    verdict: str
    reference: str = ""
    """`[Title]` of the passage; "" where none says anything of it."""
    words: str = ""
    also: str = ""
    """`[Title]` of each further passage that supports it."""


class ScriptedIteration(ScriptEntry, frozen=True, kw_only=True):
    """An answer and its verification.

    `[Title]` in either stands for the number under which that passage was found.
    """

    answer: str
    verification: ScriptedVerification
    claims: list[ScriptedClaim]


class _QuestionFile(ScriptEntry, frozen=True, kw_only=True):
    """One file: a question with the answers to it, from the first."""

    question: str
    turns: list[ScriptedIteration]


class RagScript(HandWritten):
    """Answers and verifies the bundled questions."""

    def line(self, call: ModelCall) -> str:
        task = call.task
        lines = _scripts().get(task.question) if isinstance(task, RagTask) else None
        if lines is None or not isinstance(task, RagTask):
            raise refusal(
                call.role,
                "it has lines for the bundled questions only, and this is none of them",
            )
        if isinstance(task, Revise) and task.answer is None:
            return as_json({"revised_query": lines.turns[0].verification.revised_query})
        numbers = {reference.title: reference.n for reference in task.references}
        sayable = [turn for turn in lines.turns if _titles(turn) <= numbers.keys()]
        if isinstance(task, AnswerTask):
            return _numbered(
                _turn(call.role, lines, sayable, task.query).answer, numbers
            )
        assert isinstance(task, Verify | Revise | CheckClaims)
        turn = next(
            (
                turn
                for turn in sayable
                if _numbered(turn.answer, numbers) == task.answer
            ),
            None,
        )
        if turn is None or (isinstance(task, CheckClaims) and task.of != "answer"):
            raise refusal(call.role, "it has read no answers but its own")
        if isinstance(task, CheckClaims):
            return as_json(
                {"claims": [_claim(claim, numbers) for claim in turn.claims]}
            )
        return as_json(_said(turn.verification, numbers, task))


def questions() -> list[str]:
    """Return the questions with replies in the script."""
    return list(_scripts())


def unscripted(task: Mapping[str, object]) -> str | None:
    """Return why the script has no replies for a session's question, in the form that
    `starting.check_script` accepts; None if it has some.

    The question must match exactly.
    """
    if (
        task.get("question") in _scripts()
        and task.get("corpus") == CORPUS
        and task.get("answer") is None
    ):
        return None
    return t("wrong.script.question")


def _turn(
    role: str, lines: _QuestionFile, sayable: Sequence[ScriptedIteration], query: str
) -> ScriptedIteration:
    """Return the turn written for a query; for another query, the last one whose
    passages are all here.
    """
    written = dict(
        zip(
            [
                lines.question,
                *(turn.verification.revised_query for turn in lines.turns),
            ],
            lines.turns,
            strict=False,
        )
    )
    turn = written.get(query) or next(reversed(sayable), None)
    if turn is None or turn not in sayable:
        raise refusal(role, "its answer cites a passage that is not among these")
    return turn


def _said(
    written: ScriptedVerification, numbers: Mapping[str, int], task: Verify | Revise
) -> dict[str, Any]:
    """Return the object requested from the role."""
    said = msgspec.structs.asdict(written) | {
        "reason": _numbered(written.reason, numbers)
    }
    if isinstance(task, Verify):
        return said
    return {name: said[name] for name in ("reason", "revised_query")}


def _claim(written: ScriptedClaim, numbers: Mapping[str, int]) -> dict[str, object]:
    """Return one claim in the requested form."""
    found = [numbers[title] for title in _TITLE.findall(written.reference)]
    also = [
        numbers[title] for title in _TITLE.findall(written.also) if title in numbers
    ]
    return msgspec.structs.asdict(written) | {
        "reference": found[0] if found else 0,
        "also": also,
    }


def _titles(turn: ScriptedIteration) -> set[str]:
    return set(
        _TITLE.findall(
            turn.answer
            + turn.verification.reason
            + "".join(claim.reference for claim in turn.claims)
        )
    )


def _numbered(text: str, numbers: Mapping[str, int]) -> str:
    return _TITLE.sub(lambda title: f"[{numbers[title[1]]}]", text).strip()


@cache
def _scripts() -> dict[str, _QuestionFile]:
    return {lines.question: lines for lines in read(SCRIPTS, _QuestionFile)}
