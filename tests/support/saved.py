"""Session files as another program reads them, and small ones that are made for a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from verifytui.sessions.events import Event
from verifytui.sessions.events.debate import DebateResult, Speech, Verdict
from verifytui.tests.support.piloting import header, recorded


def documents(path: Path) -> list[dict[str, Any]]:
    """The documents that are whole: another process may be writing the next one."""
    data = path.read_bytes()
    return list(yaml.safe_load_all(data[: data.rfind(b"\n...\n") + 5]))


def kinds(path: Path) -> list[str]:
    """What is on disk: the kinds of the events, in order."""
    return [document["event"] for document in documents(path)[1:]]


def kept_labels(session: Path) -> list[dict[str, Any]]:
    """The labels of a session's annotators, which lie beside it."""
    return [
        document
        for file in sorted(Path(f"{session}.labels").glob("*.yaml"))
        for document in documents(file)[1:]
        if document["event"] == "label"
    ]


def saved(home: Path) -> list[Path]:
    return sorted((home / "sessions").glob("*.yaml"))


def spoken(number: int, text: str = "") -> Event:
    role = "affirmative" if number % 2 else "negative"
    return Speech(
        role=role,
        round=(number + 1) // 2,
        model="m",
        text=text or f"Speech number {number}.\n\nAnswer: {number}",
        answer=str(number),
    )


def finished(path: Path) -> Path:
    """A small debate between models, recorded to its end."""
    verdict = Verdict(
        role="judge",
        round=1,
        mode="discriminative",
        model="m",
        text="{}",
        preference=True,
        reason="So it is.",
        answer="2",
        read="json",
    )
    result = DebateResult(
        answer="2",
        decided_by="discriminative",
        supported_side="negative",
        side_by="judge",
        rounds=1,
    )
    recorded(
        header("How many?", affirmative="m", negative="m", judge="m"),
        [spoken(1), spoken(2), verdict, result],
        path,
    ).close()
    return path
