"""Two sessions that run at once, in a terminal of their own: left at one question, with
everything on disk.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.tests.support.closing import reports
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.saved import kinds, saved
from verifytui.tests.support.terminal import HOME, Terminal

pytestmark = pytest.mark.slow


def test_leaving_with_two_runs_asks_once_and_keeps_everything(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: Loopback
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    loopback.answer = Answer(text="Slowly said. " * 6000, usage=None, delay=0.01)
    path = tmp_path / "first.yaml"
    with Terminal(
        "debate", "How fast?", "--model", "openai/lb", "--tui", "--save", path
    ) as terminal:
        terminal.invited()
        terminal.press("r")
        terminal.until("Slowly said.", 60)
        terminal.press("w")
        terminal.until("● 1")
        terminal.press("r")
        terminal.until("Slowly said.")
        terminal.press("R")
        terminal.until(
            lambda: terminal.text.count("How fast?") >= 2 and HOME in terminal.text
        )
        terminal.press("escape")
        terminal.until(lambda: HOME not in terminal.text)
        terminal.press("q")
        terminal.until("2 sessions are running")
        terminal.press("y")
        assert terminal.ended() == ""
    (twin,) = saved(home)
    assert (kinds(path), kinds(twin)) == (["failure"], ["failure"])
    assert not reports(home)
