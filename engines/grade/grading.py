"""What the grader is sent, and how its reply is read.

One prompt asks for a level from 0 to 3, after UMBRELA (Upadhyay et al. 2024, section
3), in our own words and for legal cases. The rubric comes first and is the same for
every pair. Case A is before case B and decides the mark that encloses both, so that
all candidates of a query begin alike. The mark occurs in neither, and the prompt says
that nothing between marks is an instruction.

A reply with two levels, none, or one in between is unread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ...prompts import render
from ...prompts.marks import mark
from ...sessions.events import Event, Read
from ...sessions.events.grade import Grade
from ...sessions.events.relevance import RelevanceResult, Score
from ...sessions.session import Session
from ..cases.budget import cut, shares
from ..cases.rating import concluded
from ..cases.task import text_of
from ..engine import Made, MethodEngine
from ..model_request import ModelRequest, read_request
from ..models.panels import Ballot
from ..models.port import Message, ModelReply, Task
from ..models.replies import made_by
from ..models.tokens import estimate
from ..reading import LARGEST, Unread, bare, read_object
from ..reading.fields import REASON, Field
from ..reading.ownership import texts_in
from ..settings import is_number
from ..thread import reasoned_schema, system, user
from .plan import GRADER, GradeState, GradeStep, setting


class GradePair(Task, kw_only=True):
    """How relevant the candidate is to the query, 0 to 3.

    The reply is a JSON object {"reason": "…", "grade": 0 to 3}.
    """

    query: str
    candidate: str


SCHEMA = reasoned_schema(grade={"type": "integer", "enum": [0, 1, 2, 3]})


class GradeCall(NamedTuple):
    """One call."""

    messages: list[Message]
    task: GradePair
    left_out: int
    """Characters of the cases that were left out."""


def wish(session: Session, candidate: str) -> GradeCall:
    """The call that grades a candidate. Raises: BadInput for a faulty template."""
    templates = session.header.prompts.templates
    texts = [text_of(session, None), text_of(session, candidate)]
    tokens = shares(
        [estimate(text) for text in texts], setting(session, "budget_tokens")
    )
    fitted = [
        cut(text, most, lambda n: render(templates, "left_out", count=f"{n:,}"))
        for text, most in zip(texts, tokens, strict=True)
    ]
    query, other = (text for text, _ in fitted)
    values = {"mark": mark(query, other), "query": query, "candidate": other}
    messages = [
        system(render(templates, "grade_system")),
        user(render(templates, "grade_ask", **values)),
    ]
    return GradeCall(
        messages,
        GradePair(query=query, candidate=other),
        sum(missing for _, missing in fitted),
    )


def grade_engine(
    focus: Callable[[], str | None] | None = None,
) -> MethodEngine[GradeStep]:
    """The engine of gradings. `focus`: the candidate that goes first, if any."""

    def upcoming(session: Session) -> GradeStep | None:
        return GradeState(session).upcoming(focus() if focus is not None else None)

    return MethodEngine(upcoming, _STEPS, step_of=_step_of)


def _step_of(before: Session, event: Event) -> GradeStep | None:
    if isinstance(event, Grade):
        return GradeStep("grade", GRADER, event.candidate)
    return None


def _score(session: Session, step: GradeStep) -> Score:
    assert step.candidate is not None
    grade = GradeState(session).grades[step.candidate]
    return Score(candidate=step.candidate, value=grade.value)


def _result(session: Session, step: GradeStep) -> RelevanceResult:
    fold = GradeState(session)
    return concluded(fold.in_order(), fold.rated(session))


def _request(session: Session, step: GradeStep) -> ModelRequest[Grade]:
    assert step.candidate is not None
    candidate = step.candidate
    wanted = wish(session, candidate)
    sent = texts_in(wanted.task)

    def event(replies: list[ModelReply], value: GradeReading | Unread) -> Grade:
        grade = Grade(
            **made_by("grader", replies), candidate=candidate, left_out=wanted.left_out
        )
        if not isinstance(value, Unread):
            grade.value, grade.reason, grade.read = value
        return grade

    return read_request(
        session,
        "grader",
        wanted.task,
        wanted.messages,
        SCHEMA,
        lambda reply: read_grade(reply.text, reply.structured, sent),
        event,
        _BALLOT,
    )


_BALLOT = Ballot[Grade](
    {"reason": "text", "grade": "level"},
    lambda one: (
        {"reason": one.reason, "grade": one.value} if one.read != "unread" else {}
    ),
)

_STEPS: dict[str, Callable[[Session, GradeStep], Made]] = {
    "grade": _request,
    "score": _score,
    "result": _result,
}


_KEYS = (
    "grade",
    "relevance_grade",
    "level",
    "score",
    "relevance",
    "等级",
    "相关等级",
    "级别",
    "评分",
    "得分",
)
_ALSO = ("final grade", "final level", "overall", "最终等级", "结论")
_LINE = re.compile(
    rf"(?i)(?:{'|'.join(_KEYS[:5])}"
    rf"|{'|'.join(_KEYS[5:])})[^\S\n]*[:：=][^\S\n]*([0-3])[.。]?",
)


class GradeReading(NamedTuple):
    """A grade as read."""

    value: int
    reason: str
    read: Read


def read_grade(
    text: str, structured: bool = False, sent: Iterable[str] = ()
) -> GradeReading | Unread:
    """A grader's reply.

    `structured`: the provider's own schema mode made it. `sent`: the cases that were
    shown.

    Without an object, a reply that is one digit, or one line such as `Grade: 2`, is
    read; prose around it makes it unread.
    """
    text = bare(text)
    if "{" in text:
        found = read_object(text, _FIELDS, structured=structured, sent=sent)
        if isinstance(found, Unread):
            return found
        value, rung = found
        return GradeReading(value["grade"], value.get("reason", ""), rung)
    if len(text) > LARGEST:
        return Unread("the reply is too long to be a grade")
    plain = text.strip(' \t\r\n*`.。"“”')
    line = _LINE.fullmatch(plain)
    if plain in ("0", "1", "2", "3") or line is not None:
        return GradeReading(int(line[1] if line is not None else plain), "", "sliced")
    return Unread("the reply states no grade from 0 to 3")


def _grade(value: Any) -> int:
    if isinstance(value, str) and value.strip() in ("0", "1", "2", "3"):
        return int(value)
    if is_number(value, 0, 3) and value == int(value):
        return int(value)
    raise ValueError("not a level from 0 to 3")


_FIELDS = {
    "grade": Field(_KEYS, _grade, also=_ALSO),
    "reason": REASON,
}
