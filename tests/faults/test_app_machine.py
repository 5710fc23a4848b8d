"""The app on a machine that fails: a full disk, a home that is read-only, a link that
is cut, in each tab.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.engines.models.config import Config
from verifytui.engines.retrieval.corpus import Corpora
from verifytui.sessions.paths import paths
from verifytui.tests.support.beginning import commands, fill, read
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.terminal import Terminal
from verifytui.tests.support.worlds import truth
from verifytui.tui.app import VerifyTui

pytestmark = pytest.mark.slow

WORKSPACES = ("debate", "rag", "relevance")


async def until(pilot: Pilot[None], holds: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end, said(pilot)
        await pilot.pause(0.02)


def said(pilot: Pilot[None]) -> str:
    return " ".join(note.message for note in pilot.app._notifications)


async def shown(pilot: Pilot[None], workspace: str) -> VerifyTui:
    """The app with that tab in front and its example open."""
    app = pilot.app
    assert isinstance(app, VerifyTui)
    await until(pilot, lambda: app.is_open)
    await app.show_tab(workspace)
    await until(
        pilot, lambda: app.workspace.play is not None and app.front == workspace
    )
    return app


async def step(pilot: Pilot[None], app: VerifyTui) -> None:
    await pilot.press("space")
    await pilot.pause()
    await until(pilot, lambda: not app.workspace.running)


@pytest.mark.parametrize("workspace", WORKSPACES)
async def test_a_full_disk_is_said_and_with_room_the_session_goes_on(
    workspace: str, disk: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFYTUI_HOME", str(disk / "home"))
    Corpora(paths()).open("example").close()
    app = VerifyTui(Config())
    async with app.run_test(size=(120, 36)) as pilot:
        await shown(pilot, workspace)
        play = app.workspace.play
        assert play is not None
        await step(pilot, app)
        kept = len(play.session.events)
        assert kept
        filler = fill(disk, 0)
        while not (said(pilot)):  # what is left of the last page of the file
            await step(pilot, app)
        assert "no space left on device" in said(pilot)
        kept = len(play.session.events)
        assert play.journal.path is not None
        assert read(play.journal.path) == play.session.events
        filler.unlink()
        await step(pilot, app)
        assert len(play.session.events) > kept
        assert read(play.journal.path) == play.session.events
        assert app.defects == []


@pytest.mark.parametrize("workspace", WORKSPACES)
async def test_a_home_that_is_read_only_is_said_and_nothing_breaks(
    workspace: str, disk: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFYTUI_HOME", str(disk / "home"))
    Corpora(paths()).open("example").close()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    app = VerifyTui(Config())
    async with app.run_test(size=(120, 36)) as pilot:
        await shown(pilot, workspace)
        await step(pilot, app)
        assert "read-only" in said(pilot)
        for key in ("f", "n", "home", "end"):
            await pilot.press(key)
            await pilot.pause()
        await until(pilot, lambda: not app.workspace.running)
        assert app.defects == []


@pytest.mark.parametrize(
    ("workspace", "number", "invites"),
    [
        ("rag", signal.SIGHUP, "to show all keys"),
        ("relevance", signal.SIGTERM, "to show all keys"),
    ],
)
def test_a_link_that_is_cut_ends_the_app_cleanly(
    workspace: str,
    number: signal.Signals,
    invites: str,
    env: dict[str, str],
    home: Path,
    tmp_path: Path,
    loopback: Loopback,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the middle of a reply: what it cost is kept as a stopped call, and `resume`
    ends the session.
    """
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    begin, go_on = commands(workspace, False, tmp_path, tmp_path)
    path = tmp_path / "one.yaml"
    loopback.answer = lambda body: Answer("Slowly said. " * 400, delay=0.02)
    with Terminal(*begin[:-2], "--tui") as terminal:
        terminal.until(invites)
        terminal.press("r")
        assert loopback.wait_until(lambda server: server.busy > 0, 60)
        terminal.child.kill(number)
        assert terminal.ended(130) == ""
    assert loopback.wait_until(lambda server: server.open_connections == 0)
    before = read(path)
    assert [type(event).__name__ for event in before][-1] == "Failure"
    loopback.answer = truth
    done = subprocess.run(
        [sys.executable, "-m", "verifytui", *go_on],
        env=env,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert read(path)[: len(before)] == before
