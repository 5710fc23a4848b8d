"""What came of judged pairs: why a pair has no level."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from verifytui.learning.synth.cases.outcome import outcome_of


def test_a_tie_of_a_panel_is_undecided_and_not_unread() -> None:
    pool = SimpleNamespace(labelled=lambda labels, splits, split: {})
    choice: Any = SimpleNamespace(pool=pool, splits={})
    sources: Any = SimpleNamespace(labels={})
    asked: list[Any] = [
        SimpleNamespace(id=name, label=None, query="q", case=name, score=None)
        for name in ("read", "tied", "garbled", "stopped")
    ]
    summary: list[dict[str, Any]] = [
        {"id": "read", "status": "done", "file": "a.yaml", "level": 2, "unread": 0},
        {"id": "tied", "status": "done", "file": "b.yaml", "level": None, "unread": 0},
        {"id": "garbled", "status": "done", "file": "c.yaml", "unread": 1},
        {"id": "stopped", "status": "stopped"},
    ]
    made = outcome_of(sources, choice, asked, summary, "pairs", [], 0)
    assert made.states == {"read": 1, "undecided": 1, "unread": 1, "stopped": 1}
