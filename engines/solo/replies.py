"""Reads the replies of one model alone (an answer, a review, an estimate) and makes
the events of its session.

What cannot be read is unread. The answer that most samples give decides `sc` (Wang et
al. 2022, "Self-Consistency Improves Chain of Thought Reasoning in Language Models").
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ...sessions.events import Event, Read
from ...sessions.events.solo import (
    Analysis,
    Attempt,
    Estimate,
    Review,
    SoloResult,
)
from ...sessions.session import Session
from ..engine import Made, MethodEngine
from ..metrics import questions, stated_answer
from ..metrics.equivalence import same
from ..model_request import ModelRequest
from ..models.port import Message, ModelReply
from ..models.replies import made_by
from ..reading import Unread, bare, read_object
from ..reading.fields import REASON, Field
from ..reading.ownership import texts_in
from ..settings import is_number
from ..step import Parts
from .command import by_nobody
from .messages import (
    RATING_SCHEMA,
    REVIEW_SCHEMA,
    again,
    analyse,
    analysis_thread,
    attempt_thread,
    rate,
    rating_thread,
    reflect,
    review_thread,
    solve,
)
from .plan import SoloStep, rated_alike, upcoming
from .state import (
    ASKED_AS,
    RATED,
    attempts,
    estimates,
    review_of,
    setting,
    stated,
)


def groups(answers: Sequence[str | None]) -> list[list[int]]:
    """Numbers, from 1, of equal answers, the largest group first.

    An answer joins the first group whose members it all equals (`metrics.equivalence`).
    None is in no group. Groups of the same size keep the order of their first answers.
    """
    found: list[list[int]] = []
    for number, answer in enumerate(answers, 1):
        if answer is None:
            continue
        joined = next(
            (
                group
                for group in found
                if all(same(answer, answers[other - 1] or "") for other in group)
            ),
            None,
        )
        if joined is None:
            found.append([number])
        else:
            joined.append(number)
    return sorted(found, key=len, reverse=True)


def result(session: Session) -> SoloResult:
    """How the session ends."""
    made, strategy = attempts(session), setting(session, "strategy")
    count, last = len(made), made[-1]
    if strategy == "sc":
        found = groups([one.answer for one in made])
        chosen = found[0][0] if found else None
        return SoloResult(
            answer=None if chosen is None else made[chosen - 1].answer,
            attempts=count,
            decided_by="majority",
            chosen=chosen,
            groups=found,
        )
    if strategy in RATED:
        known = {
            number: value
            for number, value in estimates(session).items()
            if value is not None
        }
        chosen = (
            max(known, key=lambda number: (known[number], -number)) if known else None
        )
        answer = None if chosen is None else stated(session, chosen)
        return SoloResult(
            answer=answer, attempts=count, decided_by="estimator", chosen=chosen
        )
    if strategy == "reflect":
        review = review_of(session, count)
        satisfied = review is not None and review.satisfied is True
        return SoloResult(
            answer=last.answer,
            attempts=count,
            decided_by="satisfied" if satisfied else "limit",
        )
    return SoloResult(answer=last.answer, attempts=count, decided_by="single")


def solo_engine(
    rated_by: Callable[[Session], Awaitable[Estimate]] = by_nobody,
) -> MethodEngine[SoloStep]:
    """The engine of one model alone.

    `rated_by`: the user's own command, which rates the translations of a session that
    wants a command for that.
    """

    async def by_command(session: Session) -> Parts:
        yield await rated_by(session)

    def estimate(session: Session, step: SoloStep) -> Made:
        if step.role:
            return _estimate(session, step)
        return by_command(session)

    return MethodEngine(
        upcoming,
        {
            "attempt": _attempt,
            "review": _review,
            "analysis": _analysis,
            "estimate": estimate,
            "result": lambda session, step: result(session),
        },
        step_of=_step_of,
        external=("estimate",),
    )


def _step_of(before: Session, event: Event) -> SoloStep | None:
    match event:
        case Attempt():
            return SoloStep("attempt", event.role, event.iteration, event.based_on)
        case Review():
            return SoloStep("review", event.role, event.iteration)
        case Analysis():
            return SoloStep("analysis", event.role, 1, event.about)
        case Estimate(role=role, iterations=[first, *_]) if role:
            return SoloStep("estimate", role, first)
    return None


def _attempt(session: Session, step: SoloStep) -> ModelRequest[Any]:
    translation, strategy = (
        session.header.task.get("kind") == "translation",
        setting(session, "strategy"),
    )

    def given(reply: ModelReply) -> str | None:
        topic = str(session.header.task.get("topic", ""))
        return answer_in(reply.text, translation, strategy, topic)

    def read(replies: list[ModelReply]) -> tuple[Attempt, str | None]:
        answer = given(replies[-1])
        attempt = Attempt(
            **made_by(step.role, replies),
            iteration=step.iteration,
            based_on=step.about,
            answer=answer,
            read="unread" if answer is None else "sliced",
        )
        return attempt, "it states no answer" if answer is None else None

    return ModelRequest(
        step.role,
        solve(session, step.iteration, step.about),
        attempt_thread(session, step.about),
        None,
        read,
        lambda thread, reply, _: again(session, thread, reply, "again"),
        lambda reply: given(reply) is not None,
    )


def _review(session: Session, step: SoloStep) -> ModelRequest[Any]:
    task = reflect(session)

    def value(reply: ModelReply) -> Any:
        return read_review(reply.text, reply.structured, texts_in(task))

    def read(replies: list[ModelReply]) -> tuple[Review, str | None]:
        made, found = (
            Review(**made_by(step.role, replies), iteration=step.iteration),
            value(replies[-1]),
        )
        if isinstance(found, Unread):
            return made, found.reason
        made.satisfied, made.reason, made.read = found
        return made, None

    return _object(
        session,
        step,
        task,
        review_thread(session),
        REVIEW_SCHEMA,
        read,
        value,
        "again_review",
    )


def _estimate(session: Session, step: SoloStep) -> ModelRequest[Any]:
    translation, alike = (
        stated(session, step.iteration) or "",
        rated_alike(session, step.iteration),
    )
    task = rate(session, translation)

    def value(reply: ModelReply) -> Any:
        return read_rating(reply.text, reply.structured, texts_in(task))

    def read(replies: list[ModelReply]) -> tuple[Estimate, str | None]:
        made = Estimate(
            **made_by(step.role, replies), iterations=alike, values=[None] * len(alike)
        )
        found = value(replies[-1])
        if isinstance(found, Unread):
            return made, found.reason
        score, made.reason, made.read = found
        made.values = [score] * len(alike)
        return made, None

    thread = rating_thread(session, translation)
    return _object(
        session, step, task, thread, RATING_SCHEMA, read, value, "again_rating"
    )


def _object(
    session: Session,
    step: SoloStep,
    task: Any,
    thread: list[Message],
    schema: dict[str, Any],
    read: Callable[[list[ModelReply]], tuple[Any, str | None]],
    value: Callable[[ModelReply], Any],
    template: str,
) -> ModelRequest[Any]:
    return ModelRequest(
        step.role,
        task,
        thread,
        schema,
        read,
        lambda before, reply, _: again(session, before, reply, template),
        lambda reply: not isinstance(value(reply), Unread),
        templates=session.header.prompts.templates,
        sent=texts_in(task),
    )


def _analysis(session: Session, step: SoloStep) -> ModelRequest[Any]:
    about = step.about
    assert about is not None
    return ModelRequest(
        step.role,
        analyse(session, about),
        analysis_thread(session, about),
        None,
        lambda replies: (Analysis(**made_by(step.role, replies), about=about), None),
        lambda thread, reply, _: thread,
        lambda reply: True,
    )


_YES, _NO = (
    frozenset({"yes", "true", "是", "满意"}),
    frozenset({"no", "false", "否", "不满意"}),
)


def answer_in(
    text: str, translation: bool, strategy: str, question: str = ""
) -> str | None:
    """The answer that a reply to this question states; None if it states none.

    Where the answer alone is asked for, a reply of one line, the last line of another
    one, or a translation of any length, is the answer where none is announced.
    """
    text = bare(text)
    announced = stated_answer.closing(text)
    if announced is not None or ASKED_AS[strategy] != "direct":
        return announced
    if translation:
        return text.strip() or None
    text = stated_answer.prose(questions.part(text, questions.read(question)))
    return stated_answer.single_line(text) or stated_answer.last_line(text)


def read_review(
    text: str, structured: bool, sent: Iterable[str]
) -> tuple[bool, str, Read] | Unread:
    """Whether the solver is satisfied, and why.

    A reply of one word, yes or no, is read too.
    """
    return _read(text, "satisfied", _REVIEW, structured, sent)


def read_rating(
    text: str, structured: bool, sent: Iterable[str]
) -> tuple[float, str, Read] | Unread:
    """A score from 0 to 100, and why. A reply that is one number is read too."""
    return _read(text, "score", _RATING, structured, sent)


def _read(
    text: str,
    name: str,
    fields: Mapping[str, Field],
    structured: bool,
    sent: Iterable[str],
) -> tuple[Any, str, Read] | Unread:
    text = bare(text)
    if "{" not in text and len(text) < 40:
        with suppress(ValueError):
            return fields[name].read(text.strip(' \t\r\n*`.。"“”')), "", "sliced"
    found = read_object(text, fields, structured=structured, sent=sent)
    if isinstance(found, Unread):
        return found
    return (found[0][name], found[0].get("reason", ""), found[1])


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().casefold() if isinstance(value, str) else ""
    if word in _YES or word in _NO:
        return word in _YES
    raise ValueError("it is neither yes nor no")


def _score(value: Any) -> float:
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,3}(?:\.\d+)?\s*", value):
        value = float(value)
    if is_number(value, 0, 100):
        return float(value)
    raise ValueError("not a score from 0 to 100")


_REVIEW = {
    "satisfied": Field(("satisfied", "满意", "是否满意"), _truth),
    "reason": REASON,
}
_RATING = {
    "score": Field(("score", "rating", "分数", "评分", "得分"), _score),
    "reason": REASON,
}
