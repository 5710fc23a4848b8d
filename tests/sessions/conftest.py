"""The small debate as fixtures."""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.sessions.events import Event
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Header
from verifytui.tests.support.small_debate import make_events, make_header


@pytest.fixture
def header() -> Header:
    return make_header()


@pytest.fixture
def events() -> list[Event]:
    return make_events()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A finished debate on disk."""
    path = tmp_path / "saved.yaml"
    with Journal.create(path, make_header()) as journal:
        for event in make_events():
            journal.append(event)
    return path
