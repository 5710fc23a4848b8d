"""The messages to the roles: the rendered threads, and the tasks as data.

`direct` requests the answer only. `cot` requests the reasoning first, one step at a
time, as in Kojima et al. 2022, "Large Language Models are Zero-Shot Reasoners", section
3; one call returns reasoning and answer. `sc` sends the same request several times.
`reflect` continues one conversation: attempt, review, attempt (the MAD paper, section
4.1). `maps` analyses first (He et al. 2023, "Exploring Human-Like Translation Strategy
with Large Language Models", section 3). All prompts are in our own words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...prompts import render
from ...prompts.marks import mark
from ...sessions.events.solo import (
    Aspect,
)
from ...sessions.session import Session
from ..models.port import Message, Task
from ..thread import assistant, instructed, reasoned_schema, user
from .state import (
    ASKED_AS,
    analyses,
    attempts,
    review_of,
    setting,
)


class SoloTask(Task, kw_only=True):
    """What all tasks say of the topic."""

    topic: str
    kind: str
    """`question` or `translation`."""
    source: str | None = None
    """Language codes of a translation, else None."""
    target: str | None = None


class Solve(SoloTask, kw_only=True):
    """Answer the question, or translate the text."""

    strategy: str
    iteration: int = 1
    """The attempt that it is."""
    based_on: Aspect | None = None
    """The part of the analysis that the translation is to rest on."""


class Reflect(SoloTask, kw_only=True):
    """Say whether your last attempt is good as it is."""

    iteration: int
    answer: str | None


class Analyse(SoloTask, kw_only=True):
    """Find what helps to translate the text."""

    about: Aspect


class RateTask(SoloTask, kw_only=True):
    """Say how good a translation is, without a reference."""

    translation: str


REVIEW_SCHEMA = reasoned_schema(satisfied={"type": "boolean"})


RATING_SCHEMA = reasoned_schema(score={"type": "integer", "minimum": 0, "maximum": 100})


def attempt_thread(session: Session, based_on: Aspect | None) -> list[Message]:
    """The messages of the next attempt.

    `based_on`: what it rests on. Raises: BadInput for a faulty template.
    """
    if based_on is not None:
        found = analyses(session).get(based_on, "")
        marked = {"mark": mark(found), "analysis": found, "about": based_on}
        return [
            _system(session, "direct_system"),
            user(_text(session, "maps_ask", **marked)),
        ]
    if setting(session, "strategy") == "reflect":
        return _told(session, len(attempts(session)))
    return _opening(session)


def review_thread(session: Session) -> list[Message]:
    """The messages of the review of the last attempt: the conversation so far, and the
    wish. Raises: BadInput.
    """
    made = attempts(session)
    said = _told(session, len(made) - 1)
    return [*said, assistant(made[-1].text), user(_text(session, "review_ask"))]


def analysis_thread(session: Session, about: Aspect) -> list[Message]:
    """The messages that ask for one part of the analysis. Raises: BadInput."""
    topic = str(session.header.task.get("topic", ""))
    return [
        _system(session, "analyse_system"),
        user(_text(session, f"analyse_{about}", mark=mark(topic))),
    ]


def rating_thread(session: Session, translation: str) -> list[Message]:
    """The messages that ask for an estimate of one translation. Raises: BadInput."""
    chosen = mark(str(session.header.task.get("topic", "")), translation)
    return [
        _system(session, "rate_system"),
        user(_text(session, "rate_ask", mark=chosen, translation=translation)),
    ]


def again(
    session: Session, thread: Sequence[Message], reply: str, key: str
) -> list[Message]:
    """The thread for asking again after a reply that cannot be read; `key`: the
    template. Raises: BadInput for a faulty template.
    """
    return [*thread, assistant(reply), user(_text(session, key))]


def solve(session: Session, iteration: int, based_on: Aspect | None) -> Solve:
    """The wish for an attempt as data. Equal requests of one session stay apart."""
    return Solve(
        **_about(session),
        strategy=setting(session, "strategy"),
        iteration=iteration,
        based_on=based_on,
        repeat=_repeat(session, iteration),
    )


def reflect(session: Session) -> Reflect:
    """The wish for a review as data."""
    last = attempts(session)[-1]
    return Reflect(**_about(session), iteration=last.iteration, answer=last.answer)


def analyse(session: Session, about: Aspect) -> Analyse:
    """The wish for an analysis as data."""
    return Analyse(**_about(session), about=about)


def rate(session: Session, translation: str) -> RateTask:
    """The wish for an estimate as data."""
    return RateTask(**_about(session), translation=translation)


def _repeat(session: Session, iteration: int) -> int:
    if setting(session, "strategy") in ("sc", "rerank"):
        return iteration - 1
    return 0


def _opening(session: Session) -> list[Message]:
    way = ASKED_AS[setting(session, "strategy")]
    return [
        _system(session, f"{way}_system"),
        user(_text(session, f"{way}_ask")),
    ]


def _told(session: Session, made: int) -> list[Message]:
    """The conversation up to the wish for attempt `made` + 1."""
    thread = _opening(session)
    for attempt in attempts(session)[:made]:
        review = review_of(session, attempt.iteration)
        thread += [assistant(attempt.text), user(_text(session, "review_ask"))]
        thread += [
            assistant(review.text if review is not None else ""),
            user(_text(session, "refine_ask")),
        ]
    return thread


def _about(session: Session) -> dict[str, Any]:
    about = session.header.task
    return {
        "topic": str(about.get("topic", "")),
        "kind": str(about.get("kind", "question")),
        "source": str(about["from"]) if about.get("from") else None,
        "target": str(about["to"]) if about.get("to") else None,
    }


def _system(session: Session, key: str) -> Message:
    return instructed(session, _text(session, key), setting(session, "hints"))


def _text(session: Session, key: str, **more: object) -> str:
    about, templates = session.header.task, session.header.prompts.templates
    values: dict[str, object] = {
        "topic": about.get("topic", ""),
        "kind": about.get("kind", "question"),
        **more,
    }
    return render(
        templates,
        key,
        **values,
        source=_language(templates, about.get("from")),
        target=_language(templates, about.get("to")),
    )


def _language(templates: Mapping[str, object], code: object) -> str:
    """What the prompt set calls a language; the code itself where the set does not know
    it; "" without a language.
    """
    names = templates.get("languages")
    known = names.get(str(code)) if isinstance(names, Mapping) else None
    return str(known or code or "")
