"""In the app a new session is checked before its first call: nobody is asked, and there
is no file.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.models.config import Config
from verifytui.tests.support.loopback import Loopback
from verifytui.tests.support.piloting import (
    events,
    header,
    press,
    recorded,
    said,
    tui,
    wait,
)
from verifytui.tui.app import VerifyTui


async def test_a_new_session_names_every_seat_that_cannot_be_asked(
    home: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    seats = {
        "affirmative": "openai/lb",
        "negative": "deepseek/deepseek-chat",
        "judge": "anthropic/claude-haiku-4-5",
    }
    draft = recorded(header("Why?", **seats), [])
    async with VerifyTui(Config(), draft).run_test() as pilot:
        await wait(pilot, lambda: tui(pilot).workspace.can_next())
        await press(pilot, "space")
        told = said(pilot)
        assert "negative: There is no key for deepseek/deepseek-chat" in told
        assert "judge: There is no key for anthropic/claude-haiku-4-5" in told
        assert events(pilot) == []
        assert not tui(pilot).workspace.running
    assert loopback.requests == []
    assert not list((home / "sessions").glob("*"))
