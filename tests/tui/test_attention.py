"""A user who looks elsewhere is called, by what their terminal knows; the window's
title says how far the session is.
"""

from __future__ import annotations

import re
from pathlib import Path
from threading import Event

import pytest
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.terminal import Terminal
from verifytui.tui.terminal.attention import notification

pytestmark = pytest.mark.slow

BLURRED = "\x1b[O"
"""What a terminal sends when it loses the focus."""


def bells(terminal: Terminal) -> int:
    """How often the bell rang; Textual ends the shape of the pointer with that
    character.
    """
    return len(re.sub(rb"\x1b\]22;[a-z]*\x07", b"", terminal.raw).split(b"\a")) - 1


@pytest.fixture(autouse=True)
def _home(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize(
    ("env", "begin"),
    [
        ({"TERM": "xterm-256color"}, "\x1b]9;it is over"),
        ({"TERM": "xterm-kitty"}, "\x1b]99;i=verifytui:e=1;"),
        ({"TERM": "foot"}, "\x1b]777;notify;VerifyTUI;it is over"),
        (
            {"TERM": "xterm-256color", "VTE_VERSION": "7600"},
            "\x1b]777;notify;VerifyTUI;it is over",
        ),
        (
            {"TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0"},
            "\x1bPtmux;\x1b\x1b]9;it is over",
        ),
        ({"TERM": "linux"}, ""),
        ({"TERM": "screen"}, ""),
    ],
)
def test_each_terminal_is_told_as_it_takes_it(env: dict[str, str], begin: str) -> None:
    said = notification("it is over", env)
    assert said.startswith(begin)
    assert bool(said) == bool(begin)
    assert not said or said.endswith("\x1b\\")


def test_a_title_cannot_add_fields_to_a_notification() -> None:
    assert notification("a;b;c", {"TERM": "foot"}).count(";") == 3


@pytest.fixture
def asked(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    """A server that keeps the first answer back until the test lets it go."""
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    monkeypatch.setenv("VERIFYTUI_RETRIES", "0")
    loopback.answer = Answer("Said.", hold=Event())
    return loopback


def looks_away_until(terminal: Terminal, server: Loopback, requests: int) -> None:
    """Asks for a step, lets the terminal lose the focus while the model is asked, and
    lets the model answer.
    """
    assert isinstance(server.answer, Answer)
    assert server.answer.hold is not None
    terminal.press("space")
    assert server.wait_until(lambda one: len(one.requests) == requests, 60)
    terminal.press(BLURRED)
    terminal.quiet()
    server.answer.hold.set()


def test_the_end_of_a_run_calls_a_user_whose_terminal_has_lost_the_focus(
    asked: Loopback,
) -> None:
    with Terminal(
        "debate",
        "How fast?\x1b]0;x\x07; rm",
        "--model",
        "openai/lb",
        "--tui",
        TERM="foot",
    ) as terminal:
        terminal.invited()
        looks_away_until(terminal, asked, 1)
        terminal.step(1, 1)
        terminal.until(
            lambda: (
                b"\x1b]777;notify;VerifyTUI;Debate: stopped here. How fast?"
                in terminal.raw
            )
        )
        terminal.press("space")  # whoever presses a key looks on
        terminal.step(2, 2)
        terminal.quiet()
        assert bells(terminal) == 1
        asked.answer = Answer(status=500, error="no", hold=Event())
        looks_away_until(terminal, asked, 3)
        terminal.until(
            lambda: b"VerifyTUI;Debate: a call failed. How fast?" in terminal.raw
        )
        said = re.findall(rb"\x1b\]777;([^\x1b]*)\x1b", terminal.raw)
        assert [each.count(b";") for each in said] == [2, 2]
        assert not [each for each in said if b"\x07" in each]
        assert bells(terminal) == 2
        assert set(re.findall(r"\x1b\]2;([^\x1b]*)\x1b", terminal.raw.decode())) == {
            "● Debate r1/3",
            "Debate r1/3",
        }
        terminal.press("q")
        terminal.ended()
    assert terminal.raw.count(b"\x1b[22;2t") == terminal.raw.count(b"\x1b[23;2t") == 1


@pytest.mark.parametrize(("how", "rung"), [("bell", 1), ("off", 0)])
def test_the_user_chooses_how_to_be_called(
    how: str, rung: int, asked: Loopback
) -> None:
    with Terminal(
        "debate", "How fast?", "--model", "openai/lb", "--tui", VERIFYTUI_NOTIFY=how
    ) as terminal:
        terminal.invited()
        looks_away_until(terminal, asked, 1)
        terminal.step(1, 1)
        terminal.quiet()
        assert bells(terminal) == rung
        assert b"\x1b]9;" not in terminal.raw
        terminal.press("q")
        terminal.ended()
