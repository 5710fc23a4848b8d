"""Questions over references for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...sessions.session import Session
from ..api import File, Names, OnEvent, run

__all__ = ["ask"]


async def ask(
    question: str,
    *,
    references: Sequence[str | Mapping[str, Any]] | None = None,
    answer: str | None = None,
    models: Names | None = None,
    params: Mapping[str, Any] | None = None,
    save: File | None = None,
    on_event: OnEvent | None = None,
    probe: bool = False,
    **options: Any,
) -> Session:
    """A question answered from references, verified, and answered again if need be.

    `references`: texts, or objects with `title` and `text`; without them an option says
    where to look: `corpus`, `web` or `retriever`. `answer`: an answer that exists; it
    is only verified. `options`: those of `verifytui ask`, such as `corpus="papers"`,
    `iterations=2`. The rest, and what is raised, as for `engines.api.run`. Without a
    model `lexical` answers, which is no language model.
    """
    task: dict[str, Any] = {"question": question}
    if references is not None:
        from ..retrieval.given_references import references_from

        task["references"] = references_from(list(references)) if references else []
    if answer is not None:
        task["answer"] = answer
    return await run(
        "rag",
        task,
        models=models,
        params=params,
        save=save,
        on_event=on_event,
        probe=probe,
        options=options,
    )
