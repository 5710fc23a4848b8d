"""A home of its own and a model on the loopback for every command."""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.tests.support.commanding import debating
from verifytui.tests.support.loopback import Loopback


@pytest.fixture(autouse=True)
def _quiet_home(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("PYTHONUTF8", "1")
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VERIFYTUI_RETRIES", "0")


@pytest.fixture
def server(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    """`openai/lb` answers a debate there."""
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    loopback.answer = debating()
    return loopback
