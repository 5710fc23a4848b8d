"""How a ranking begins."""

from __future__ import annotations

from ...prompts import prompt_set_for
from ...sessions.session import Header
from ..models.seating import seated
from ..script import NAME
from ..starting import Starter, Wishes, wishes
from .new import new_ranking
from .plan import ROLES
from .script import example_of, questions, unscripted
from .settings import SETTINGS


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header of a new session.

    The task is what `new_ranking` takes: question, answers, accepted, references. A
    bundled question without answers gets the bundled ones.

    Raises: BadInput.
    """
    task = dict(wanted.task)
    question, known = (
        str(task.get("question", "")),
        example_of(str(task.get("question", "")).strip()),
    )
    if known is not None and not task.get("answers"):
        task["answers"] = [
            {"name": one.name, "text": one.text} for one in known.answers
        ]
        task |= {"accepted": known.accepted, "references": known.references}
    bundled = (
        not starter.many
        and unscripted(
            {"question": question.strip(), "candidates": task.get("answers")}
        )
        is None
    )
    chosen = prompt_set_for(
        question, wanted=starter.wanted_prompts(wanted), user_dir=starter.places.prompts
    )
    return new_ranking(
        **{"answers": [], **task},
        lineup=seated(
            SETTINGS,
            starter.config,
            ROLES,
            ROLES,
            wanted.listed("model"),
            wanted.listed("param"),
            alone=NAME if bundled else None,
        ),
        settings=starter.settings(wanted),
        prompts=starter.prompts(chosen, SETTINGS),
    )


def example(language: str) -> Wishes:
    """The wishes for the bundled question in a language, with what was written for it
    by hand.
    """
    asked = next(one for one in questions() if prompt_set_for(one) == language)
    return wishes("rank", {"model": NAME}, question=asked)
