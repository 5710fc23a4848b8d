"""Fixtures that every test may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from verifytui.tests.support.loopback import Loopback

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--plans", type=int, default=48, help="how many random plans of faults are played")
    parser.addoption("--closings", type=int, default=10, help="at how many random moments the app's terminal is closed")
    parser.addoption("--random-keys", type=int, default=1000, help="how many random keys the app is given")
    parser.addoption("--seed", default="", help="another seed for random keys and closings")
    parser.addoption("--kills", type=int, default=12, help="at how many random moments a running command is killed")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A worker that has nothing left takes over what another one has before it: the slowest tests come last."""
    from xdist.scheduler import WorkStealingScheduling  # type: ignore[import-untyped]

    return WorkStealingScheduling(config, log)


@pytest.fixture
def shared() -> Path:
    """The folder of real data beside the checkout; the test is skipped, saying so, where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the data folder ../shared/data is not on this machine")
    return SHARED


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for everything VerifyTUI writes, and no key of the machine's in the environment."""
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL")) or name.startswith("VERIFYTUI_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("VERIFYTUI_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    """A chat server on this machine: set `loopback.answer`, then call `openai/anything` at `loopback.base_url`."""
    with Loopback() as server:
        yield server
