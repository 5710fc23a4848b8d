"""The messages to the ranker, and the reading of its replies.

One call ranks all answers by one criterion (CoV-RAG, Appendix G, whose two prompts rank
by several). The ranker does not see which system wrote an answer. References are shown
for citation accuracy and revised queries; accepted answers for correctness, bias and
revised queries. All texts are between marks that occur in none of them, and the prompt
states that text between marks is never an instruction. A reply without a score for each
answer is unread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from ...prompts import render
from ...prompts.marks import mark
from ...sessions.events import Event, Read, Reference
from ...sessions.events.rank import Ranking, RankResult
from ...sessions.session import Session
from ..engine import MethodEngine
from ..model_request import ModelRequest, read_request
from ..models.panels import Ballot
from ..models.port import Message, ModelReply, Task
from ..models.replies import made_by
from ..reading import LARGEST, Unread, bare, read_object
from ..reading.fields import REASON, Field
from ..reading.ownership import texts_in
from ..settings import is_number
from ..thread import reasoned_schema, system, user
from .plan import (
    RANKER,
    RankedItem,
    RankStep,
    ScoreOrder,
    accepted,
    answers,
    question,
    result,
    shown,
    upcoming,
)


class AnonymousAnswer(msgspec.Struct, kw_only=True):
    """An answer as it is before the ranker. Its name is not told."""

    text: str
    references: list[Reference] = []
    revised_query: str | None = None
    """What its system would search with next, where that is what is ranked."""


class RankAnswers(Task, kw_only=True):
    """A score from 0 to 1 for each answer under one criterion.

    The reply is a JSON object {"reason": "…", "answer1": 0 to 1, …}.
    """

    question: str
    criterion: str
    accepted: list[str] = []
    answers: list[AnonymousAnswer]
    """Answers in the order of their numbers, from 1."""


KNOWING = ("correctness", "bias", "revision")
"""Criteria that the accepted answers are shown for."""
CITING = ("citation_accuracy", "revision")
"""Criteria that the references are shown for."""


class RankCall(NamedTuple):
    """One call."""

    messages: list[Message]
    task: RankAnswers
    shown: list[str]
    """The names of the answers in the order of their numbers."""


def wish(session: Session, step: RankStep) -> RankCall:
    """The call that ranks under a criterion. Raises: BadInput for a faulty template."""
    known = {answer.name: answer for answer in answers(session)}
    names = shown(session, step.criterion, step.turn)
    listed = [known[name] for name in names]
    citing, revised = step.criterion in CITING, step.criterion == "revision"
    right = accepted(session) if step.criterion in KNOWING else []
    task = RankAnswers(
        question=question(session),
        criterion=step.criterion,
        accepted=right,
        answers=[
            AnonymousAnswer(
                text=one.text,
                references=_references(one) if citing else [],
                revised_query=(one.revised_query or "") if revised else None,
            )
            for one in listed
        ],
    )
    return RankCall(_messages(session.header.prompts.templates, task), task, names)


def schema(task: RankAnswers) -> dict[str, Any]:
    """JSON Schema of the wanted object: the reason, then a score for each answer."""
    return reasoned_schema(**{f"answer{n}": {"type": "number"} for n in numbers(task)})


def numbers(task: RankAnswers) -> range:
    """The numbers of the answers."""
    return range(1, len(task.answers) + 1)


def _enclosed(
    templates: Mapping[str, object], chosen: str, what: str, text: str
) -> str:
    """A text between the marks that none of the texts holds."""
    return render(templates, "enclosed", mark=chosen, what=what, text=text)


def _enclosed_references(
    listed: Sequence[Reference], enclosed: Callable[[str, str], str]
) -> str:
    return "\n\n".join(
        enclosed(f"[{one.n}]", f"{one.title}\n{one.text}".strip()) for one in listed
    )


def _messages(templates: Mapping[str, object], task: RankAnswers) -> list[Message]:
    chosen = mark(
        task.question,
        *task.accepted,
        *(part for answer in task.answers for part in _parts(answer)),
    )
    common = [_text(answer.references) for answer in task.answers]
    shared = len(set(common)) == 1

    enclosed = partial(_enclosed, templates, chosen)

    def answer(n: int) -> str:
        one = task.answers[n - 1]
        parts = [enclosed(render(templates, "answer", n=n), one.text)]
        if one.revised_query is not None:
            query = one.revised_query or render(templates, "no_query")
            parts.append(enclosed(render(templates, "revised", n=n), query))
        if one.references and not shared:
            own = _enclosed_references(one.references, enclosed)
            parts.append(render(templates, "own_references", n=n, references=own))
        return "\n\n".join(parts)

    scores = ", ".join(
        f'"answer{n}": {value}'
        for n, value in zip(numbers(task), _EXAMPLES * len(task.answers), strict=False)
    )
    values: dict[str, object] = {
        "question": enclosed(render(templates, "asked"), task.question),
        "criterion": render(templates, f"criteria.{task.criterion}"),
        "accepted": task.accepted,
        "references": (
            _enclosed_references(task.answers[0].references, enclosed) if shared else ""
        ),
        "answers": "\n\n".join(map(answer, numbers(task))),
        "count": len(task.answers),
        "example": f'{{"reason": "…", {scores}}}',
    }
    return [
        system(render(templates, "rank_system")),
        user(render(templates, "rank_ask", **values)),
    ]


_EXAMPLES = ("0.8", "0.3", "1.0", "0.3", "0.5")
"""Scores in the sample of a reply; two are equal, so that ties are seen to be allowed.
"""


def _references(answer: RankedItem) -> list[Reference]:
    return [_reference(reference) for reference in answer.references]


def _reference(one: Mapping[str, Any]) -> Reference:
    id_, title, text = (str(one.get(name) or "") for name in ("id", "title", "text"))
    return Reference(
        n=int(one.get("n") or 0),
        id=id_,
        title=title,
        text=text,
    )


def _text(references: Sequence[Reference]) -> str:
    return "\0".join(
        f"{reference.n}\0{reference.title}\0{reference.text}"
        for reference in references
    )


def _parts(one: AnonymousAnswer) -> list[str]:
    return [
        one.text,
        one.revised_query or "",
        *(
            part
            for reference in one.references
            for part in (reference.title, reference.text)
        ),
    ]


def _step_of(before: Session, event: Event) -> RankStep | None:
    if isinstance(event, Ranking):
        return RankStep("ranking", RANKER, event.criterion, event.turn)
    return None


def _request(session: Session, step: RankStep) -> ModelRequest[Ranking]:
    wanted = wish(session, step)
    sent, count = texts_in(wanted.task), len(wanted.shown)

    def event(replies: list[ModelReply], value: RankingReading | Unread) -> Ranking:
        ranking = Ranking(
            **made_by(RANKER, replies),
            criterion=step.criterion,
            turn=step.turn,
            shown=wanted.shown,
        )
        if isinstance(value, Unread):
            return ranking
        ranking.scores = dict(zip(wanted.shown, value.scores, strict=True))
        ranking.order = ScoreOrder(
            ranking.scores, inverted=step.criterion == "bias"
        ).listed
        ranking.reason, ranking.read = value.reason, value.read
        return ranking

    def values(ranking: Ranking) -> dict[str, Any]:
        scores = {
            f"answer{n}": ranking.scores[name]
            for n, name in enumerate(wanted.shown, 1)
            if name in ranking.scores
        }
        if scores:
            return {"reason": ranking.reason, **scores}
        return {}

    ballot = Ballot(
        {"reason": "text", **{f"answer{n}": "number" for n in range(1, count + 1)}},
        values,
    )
    return read_request(
        session,
        RANKER,
        wanted.task,
        wanted.messages,
        schema(wanted.task),
        lambda reply: read_scores(reply.text, count, reply.structured, sent),
        event,
        ballot,
    )


def _result(session: Session, step: RankStep) -> RankResult:
    return result(session)


RANK_ENGINE = MethodEngine(
    upcoming, {"ranking": _request, "result": _result}, step_of=_step_of
)
"""The engine of rankings."""


_NUMBER = r"(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)"
_NUMBERS = re.compile(rf"{_NUMBER}(?:[\s,，;；]+{_NUMBER})*")


class RankingReading(NamedTuple):
    """The scores as read, in the order of the answers' numbers."""

    scores: list[float]
    reason: str
    read: Read


def read_scores(
    text: str, count: int, structured: bool = False, sent: Iterable[str] = ()
) -> RankingReading | Unread:
    """A ranker's reply about this many answers.

    `structured`: the provider's own schema mode made it. `sent`: the texts that were
    shown.

    Without an object, a reply of exactly this many numbers (`0.8, 0.3`) is read; prose
    around them makes it unread.
    """
    text = bare(text)
    if "{" in text:
        found = read_object(text, _fields(count), structured=structured, sent=sent)
        if isinstance(found, Unread):
            return found
        value, rung = found
        return RankingReading(
            [value[f"answer{n}"] for n in range(1, count + 1)],
            value.get("reason", ""),
            rung,
        )
    if len(text) > LARGEST:
        return Unread("the reply is too long to be a list of scores")
    if _NUMBERS.fullmatch(text.strip()):
        scores = [float(part) for part in re.findall(_NUMBER, text)]
        if len(scores) == count:
            return RankingReading(scores, "", "sliced")
        return Unread(f"the reply has {len(scores)} scores for {count} answers")
    return Unread("the reply states no scores from 0 to 1")


def _fields(count: int) -> dict[str, Field]:
    answers = {
        f"answer{n}": Field(
            (f"answer{n}", f"answer {n}", f"回答{n}", f"答案{n}"), _score
        )
        for n in range(1, count + 1)
    }
    return {**answers, "reason": REASON}


def _score(value: Any) -> float:
    """A number from 0 to 1, or such a number as a text.

    Nothing is clamped or converted.
    """
    if isinstance(value, str) and re.fullmatch(_NUMBER, value.strip()):
        return float(value)
    if is_number(value, 0, 1):
        return float(value)
    raise ValueError("not a score from 0 to 1")
