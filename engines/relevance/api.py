"""The relevance of cases for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...sessions.session import Session
from ..api import File, Names, OnEvent, run

__all__ = ["relevance"]


async def relevance(
    query: str | Mapping[str, Any],
    candidates: Sequence[str | Mapping[str, Any]],
    *,
    models: Names | None = None,
    params: Mapping[str, Any] | None = None,
    save: File | None = None,
    on_event: OnEvent | None = None,
    probe: bool = False,
    **options: Any,
) -> Session:
    """The relevance of candidate cases to a query case, judged in stages.

    A case is its text, or an object with `id` and `text`, perhaps `title`, and for a
    candidate `gold`, the level that is known. `options`: those of `verifytui
    relevance`, such as `demonstrations="en-common-law"`, `shots=1`. The rest, and what
    is raised, as for `engines.api.run`. Without a model `lexical` judges, which is no
    language model.
    """
    task = {"query": query, "candidates": list(candidates)}
    return await run(
        "relevance",
        task,
        models=models,
        params=params,
        save=save,
        on_event=on_event,
        probe=probe,
        options=options,
    )
