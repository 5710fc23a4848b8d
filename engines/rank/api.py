"""Rankings of answers for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...sessions.session import Session
from ..api import File, Names, OnEvent, run

__all__ = ["rank"]


async def rank(
    question: str,
    answers: Mapping[str, str] | Sequence[Mapping[str, Any]],
    *,
    accepted: Sequence[str] | None = None,
    references: Sequence[Any] | None = None,
    models: Names | None = None,
    params: Mapping[str, Any] | None = None,
    save: File | None = None,
    on_event: OnEvent | None = None,
    probe: bool = False,
    **options: Any,
) -> Session:
    """Several answers to one question, ranked under five criteria.

    `answers`: name to text, or objects with `name`, `text` and perhaps `references`.
    `accepted`: what is known to be right. `references`: what all answers cite.
    `options`: those of `verifytui rank`. The rest, and what is raised, as for
    `engines.api.run`. Without a model `lexical` ranks, which is no language model.
    """
    listed = (
        [{"name": name, "text": text} for name, text in answers.items()]
        if isinstance(answers, Mapping)
        else list(answers)
    )
    task = {
        "question": question,
        "answers": listed,
        "accepted": accepted,
        "references": references,
    }
    return await run(
        "rank",
        task,
        models=models,
        params=params,
        save=save,
        on_event=on_event,
        probe=probe,
        options=options,
    )
