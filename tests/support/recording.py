"""Sessions of relevance as files, written by hand: no model, no engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from verifytui.sessions.events import Event
from verifytui.sessions.events.relevance import Label, Score
from verifytui.sessions.journal import Journal
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Prompts, Seat


def session(
    path: Path,
    candidates: dict[str, int | None],
    *events: Event,
    query: dict[str, Any] | None = None,
    workspace: str = "relevance",
    **settings: Any,
) -> Path:
    """A session of the candidates, whose gold label stands beside the id (None:
    without).
    """
    temperature = settings.pop("temperature", None)
    header = new_header(
        workspace=workspace,
        title="A case",
        task={
            "query": query or {"id": "q1", "text": "甲盗窃一辆汽车。"},
            "candidates": [
                {"id": one, "text": settings.pop("text", f"案件{one}")}
                | ({} if gold is None else {"gold": gold})
                for one, gold in candidates.items()
            ],
        },
        lineup={
            "extractor": Seat(
                model="lexical",
                params={} if temperature is None else {"temperature": temperature},
            )
        },
        settings=settings,
        prompts=Prompts(set="zh", hash="sha256:0", templates={}),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with Journal.create(path, header) as journal:
        for event in events:
            journal.append(event)
    return path


def score(candidate: str, value: int | None) -> Score:
    return Score(candidate=candidate, value=value)


def label(
    candidate: str, value: int | None, annotator: str = "anna", *, seen: bool = False
) -> Label:
    return Label(
        candidate=candidate,
        value=value,
        annotator=annotator,
        seen_machine=seen,
        seconds=1,
    )
