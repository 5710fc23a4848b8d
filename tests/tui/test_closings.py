"""The app never outlives its terminal, whatever it is doing and whatever hangs."""

from __future__ import annotations

import os
import random
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest
from verifytui.tests.support.closing import (
    LIMIT,
    bury,
    hang_up,
    living,
    play_and_close,
    reports,
    seconds_to_the_end,
)
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.saved import kinds
from verifytui.tests.support.terminal import ENTERED, LEFT, Terminal

pytestmark = pytest.mark.slow

SLOWLY = Answer(text="Slowly said. " * 2000, usage=None, delay=0.01)


@pytest.fixture(autouse=True)
def _home(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: Loopback
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    loopback.answer = SLOWLY


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "turn" in metafunc.fixturenames:
        seed = metafunc.config.getoption("seed")
        metafunc.parametrize(
            "turn",
            [
                f"{seed}{number}"
                for number in range(metafunc.config.getoption("closings"))
            ],
        )


def test_a_terminal_closed_at_a_random_moment_ends_the_app(
    turn: str, home: Path, tmp_path: Path
) -> None:
    rng = random.Random(f"closing {turn}")
    live = rng.random() < 0.25
    arguments = (
        [
            "debate",
            "How fast?",
            "--model",
            "openai/lb",
            "--tui",
            "--save",
            tmp_path / "live.yaml",
        ]
        if live
        else []
    )
    terminal = Terminal(*arguments)
    terminal.invited()
    if live:
        terminal.press("r")
        terminal.until("Slowly said.", 60)
    keys = play_and_close(terminal, rng)
    lived = seconds_to_the_end(home)
    print(f"{turn}: {keys} ended after {lived:.2f} s")
    left = living(home)
    bury(terminal, left)
    assert not left, f"still there {LIMIT} s after the end of its terminal: {keys}"
    assert not reports(home)


HANG = """
import time, asyncio, sys
from verifytui.tui import app, shutdown
async def never(*_): await asyncio.Event().wait()
def blocks(self): time.sleep(3600)
def spins(self):
    while True: pass
{}
sys.argv[1:] = {}
from verifytui.__main__ import main
sys.exit(main())
"""

HANGS = {
    "the event loop sleeps": "app.VerifyTui.do_help = blocks",
    "the event loop spins": "app.VerifyTui.do_help = spins",
    "leaving hangs": "shutdown.Shutdown.leave = never",
    "Textual's end hangs": "app.VerifyTui._shutdown = never",
    "a thread hangs": "import threading\napp.VerifyTui.do_help = lambda self: "
    "threading.Thread(target=blocks, args=[0]).start()",
}


def hanging(how: str, *arguments: str | Path) -> Terminal:
    """The app with one part replaced that never ends; the key F1 sets it going where it
    needs one.
    """
    program = HANG.format(HANGS[how], [str(each) for each in arguments])
    return Terminal(shell=f"exec {shlex.join([sys.executable, '-c', program])}")


def gone(terminal: Terminal) -> float:
    """Seconds until the process is gone, at most `LIMIT`."""
    lived = 0.0
    while lived < LIMIT:
        before = time.monotonic()
        if terminal.child.closed:
            if os.waitpid(terminal.child.pid, os.WNOHANG)[0]:
                break
            time.sleep(0.01)
        elif not terminal._read(0.01):
            terminal.child.wait()
            break
        lived += min(time.monotonic() - before, 0.03)
    else:
        bury(terminal, [])
    return lived


@pytest.mark.parametrize("end", ["closed", "term"])
@pytest.mark.parametrize("how", HANGS)
def test_whatever_hangs_the_process_ends(how: str, end: str, home: Path) -> None:
    terminal = hanging(how)
    terminal.invited()
    terminal.press("F1")
    time.sleep(0.2)  # nothing can be seen of it
    if end == "term":
        os.kill(terminal.child.pid, signal.SIGTERM)
    else:
        hang_up(terminal)
    assert gone(terminal) < LIMIT
    assert not reports(home)
    if end == "term":
        assert terminal.raw.rindex(LEFT) > terminal.raw.rindex(ENTERED)


def test_a_terminal_that_takes_nothing_does_not_keep_the_app_and_what_it_cost_is_kept(
    home: Path, tmp_path: Path
) -> None:
    """Nobody reads what the app writes, as on a link that stalls; it is told to end."""
    path = tmp_path / "live.yaml"
    terminal = Terminal(
        "debate",
        "How fast?",
        "--model",
        "openai/lb",
        "--tui",
        "--save",
        path,
        size=(200, 60),
    )
    terminal.invited()
    terminal.press("r")
    terminal.until("Slowly said.", 60)
    terminal.press(*["F1", "escape"] * 40)
    time.sleep(2.5)  # until the terminal is full
    os.kill(terminal.child.pid, signal.SIGTERM)
    end = time.monotonic() + 20
    while living(home) and time.monotonic() < end:  # reading would let it go on
        if os.waitpid(terminal.child.pid, os.WNOHANG)[0]:
            break
        time.sleep(0.01)
    assert end - time.monotonic() > 17
    bury(terminal, [])
    hang_up(terminal)
    assert kinds(path) == ["failure"]
    assert not reports(home)
