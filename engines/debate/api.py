"""Debates for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...sessions.session import Session
from ...texts import t
from ..api import File, Names, OnEvent, run

__all__ = ["debate"]


async def debate(
    topic: str,
    *,
    evidence: Sequence[str | Mapping[str, Any]] = (),
    models: Names | None = None,
    params: Mapping[str, Any] | None = None,
    save: File | None = None,
    on_event: OnEvent | None = None,
    probe: bool = False,
    **options: Any,
) -> Session:
    """A debate of a question, or of a translation with `kind="translation"`, run to its
    end.

    `evidence`: passages that both sides may cite, texts or objects with `title` and
    `text`. `options`: those of `verifytui debate`, such as `level=3`, `rounds=5`. The
    rest, and what is raised, as for `engines.api.run`. Without a model the script
    speaks, which knows only the bundled topics.
    """
    task: dict[str, Any] = {"topic": topic}
    if evidence:
        from ..retrieval.given_references import references_from

        task["evidence"] = references_from(list(evidence), t("wrong.cases.evidence"))
    return await run(
        "debate",
        task,
        models=models,
        params=params,
        save=save,
        on_event=on_event,
        probe=probe,
        options=options,
    )
