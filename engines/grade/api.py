"""Grades of cases for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...sessions.session import Session
from ..api import File, Names, OnEvent, run

__all__ = ["grade"]


async def grade(
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
    """The relevance of candidate cases to a query case, 0 to 3, each by one prompt.

    The cases are as for `relevance`. `options`: those of `verifytui grade`. The rest,
    and what is raised, as for `engines.api.run`. Without a model `lexical` grades,
    which is no language model.
    """
    task = {"query": query, "candidates": list(candidates)}
    return await run(
        "grade",
        task,
        models=models,
        params=params,
        save=save,
        on_event=on_event,
        probe=probe,
        options=options,
    )
