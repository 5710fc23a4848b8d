"""What the ranker is sent: the rendered messages, the task as data, and the JSON Schema
of the reply.

One call ranks all answers under one criterion (CoV-RAG, Appendix G, whose two prompts
rank under several). The ranker is not told who gave an answer. References are shown for
citation accuracy and revised queries, accepted answers for correctness, bias and
revised queries. All of them stand between marks that occur in none of them, and the
prompt says that nothing between marks is an instruction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...prompts import render
from ...prompts.marks import mark
from ...sessions.events import Reference
from ...sessions.session import Session
from ..models.port import Message
from .plan import RankedItem, RankStep, accepted, answers, question, shown
from .tasks import AnonymousAnswer, RankAnswers

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
    known = {one.name: one for one in answers(session)}
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
    properties: dict[str, Any] = {
        "reason": {"type": "string"},
        **{f"answer{n}": {"type": "number"} for n in numbers(task)},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def numbers(task: RankAnswers) -> range:
    """The numbers of the answers."""
    return range(1, len(task.answers) + 1)


def again(
    session: Session, thread: Sequence[Message], reply: str, reason: str
) -> list[Message]:
    """The messages for asking again after a reply that cannot be read."""
    text = render(session.header.prompts.templates, "again", reason=reason)
    return [
        *thread,
        {"role": "assistant", "content": reply},
        {"role": "user", "content": text},
    ]


def _messages(templates: Mapping[str, Any], task: RankAnswers) -> list[Message]:
    chosen = mark(
        task.question,
        *task.accepted,
        *(part for one in task.answers for part in _parts(one)),
    )
    common = [_text(one.references) for one in task.answers]
    shared = len(set(common)) == 1

    def enclosed(what: str, text: str) -> str:
        return render(templates, "enclosed", mark=chosen, what=what, text=text)

    def references(listed: Sequence[Reference]) -> str:
        return "\n\n".join(
            enclosed(f"[{one.n}]", f"{one.title}\n{one.text}".strip()) for one in listed
        )

    def answer(n: int) -> str:
        one = task.answers[n - 1]
        own = (
            ""
            if shared or not one.references
            else render(
                templates, "own_references", n=n, references=references(one.references)
            )
        )
        query = one.revised_query
        asked = (
            ""
            if query is None
            else enclosed(
                render(templates, "revised", n=n),
                query or render(templates, "no_query"),
            )
        )
        return "\n\n".join(
            part
            for part in (
                enclosed(render(templates, "answer", n=n), one.text),
                asked,
                own,
            )
            if part
        )

    scores = ", ".join(
        f'"answer{n}": {value}'
        for n, value in zip(numbers(task), _EXAMPLES * len(task.answers), strict=False)
    )
    values: dict[str, object] = {
        "question": enclosed(render(templates, "asked"), task.question),
        "criterion": render(templates, f"criteria.{task.criterion}"),
        "accepted": task.accepted,
        "references": references(task.answers[0].references) if shared else "",
        "answers": "\n\n".join(map(answer, numbers(task))),
        "count": len(task.answers),
        "example": f'{{"reason": "…", {scores}}}',
    }
    return [
        {"role": "system", "content": render(templates, "rank_system")},
        {"role": "user", "content": render(templates, "rank_ask", **values)},
    ]


_EXAMPLES = ("0.8", "0.3", "1.0", "0.3", "0.5")
"""Scores in the sample of a reply; two are equal, so that ties are seen to be allowed.
"""


def _references(answer: RankedItem) -> list[Reference]:
    return [_reference(one) for one in answer.references]


def _reference(one: Mapping[str, Any]) -> Reference:
    id_, title, text = (str(one.get(name) or "") for name in ("id", "title", "text"))
    return Reference(n=int(one.get("n") or 0), id=id_, title=title, text=text)


def _text(references: Sequence[Reference]) -> str:
    return "\0".join(f"{one.n}\0{one.title}\0{one.text}" for one in references)


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
