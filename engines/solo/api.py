"""Single answers for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...sessions.session import Session
from ..api import File, Names, OnEvent, run

__all__ = ["solo"]


async def solo(
    topic: str,
    *,
    models: Names | None = None,
    params: Mapping[str, Any] | None = None,
    save: File | None = None,
    on_event: OnEvent | None = None,
    probe: bool = False,
    **options: Any,
) -> Session:
    """One model's answer to a question, or its translation with `kind="translation"`.

    `options`: those of `verifytui solo`, such as `strategy="cot"`. The rest, and what
    is raised, as for `engines.api.run`. Without a model the script answers, which knows
    only the bundled topics.
    """
    return await run(
        "solo",
        {"topic": topic},
        models=models,
        params=params,
        save=save,
        on_event=on_event,
        probe=probe,
        options=options,
    )
