"""What the terminal is asked and what is known of it: blank lines have the app's colour
in every terminal, and a light background brings the light look.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyte
import pytest
from verifytui.sessions.events.debate import Speech
from verifytui.tests.support.piloting import header, recorded
from verifytui.tests.support.terminal import Filling, Readable, Terminal
from verifytui.tui.terminal.colors import TerminalAnswer, fills_in_color, questions

pytestmark = pytest.mark.slow

ENDED = "\x1b\\"
WHITE, BLACK = (f"\x1b]11;rgb:{part}/{part}/{part}{ENDED}" for part in ("ffff", "0000"))


@pytest.fixture(autouse=True)
def _home(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def debate(tmp_path: Path) -> Path:
    """A recorded debate of six long speeches."""
    path = tmp_path / "recorded.yaml"
    text = "\n\n".join(f"Sentence {number} of a speech." for number in range(12))
    recorded(
        header("How fast?", affirmative="m", negative="m", judge="m"),
        [
            Speech(role=("affirmative", "negative")[n % 2], round=n // 2 + 1, text=text)
            for n in range(6)
        ],
        path,
    ).close()
    return path


@pytest.mark.parametrize(
    ("env", "fills", "asked"),
    [
        ({"TERM": "xterm-256color"}, False, True),
        ({"TERM": "xterm-256color", "TMUX": "/tmp/tmux-0/default,1,0"}, False, True),
        ({"TERM": "alacritty"}, True, True),
        ({"TERM": "alacritty", "TMUX": "/tmp/tmux-0/default,1,0"}, False, True),
        ({"TERM": "linux"}, True, False),
        ({"TERM": "linux", "STY": "1.pts-0.host"}, False, False),
        ({"TERM": "xterm-256color", "STY": "1.pts-0.host"}, False, False),
        ({"TERM": "tmux-256color"}, False, True),
        ({"TERM": "dumb"}, False, False),
        ({}, False, False),
    ],
)
def test_only_a_name_of_its_own_says_what_a_terminal_fills(
    env: dict[str, str], fills: bool, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TERM", "TMUX", "STY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert fills_in_color() == fills
    assert bool(questions()) == asked


@pytest.mark.parametrize(
    ("name", "ground", "fills", "light"),
    [
        ("XTerm(388)", None, True, False),
        ("xterm.js(5.6.0)", None, True, False),
        ("tmux 3.3a", None, False, False),
        ("kitty(0.36.4)", None, False, False),
        (None, "ffff/ffff/ffff", False, True),
        (None, "fd/f6/e3", False, True),
        (None, "0000/2b2b/3636", False, False),
        (None, "ffff/ffff", False, False),
    ],
)
def test_what_an_answer_says(
    name: str | None, ground: str | None, fills: bool, light: bool
) -> None:
    answer = TerminalAnswer(name, ground)
    assert (answer.fills, answer.light) == (fills, light)


def holes(screen: pyte.Screen) -> list[int]:
    """The rows in which a cell has no colour of the app's."""
    return [
        y
        for y in range(screen.lines)
        if any(screen.buffer[y][x].bg == "default" for x in range(screen.columns))
    ]


@pytest.mark.parametrize(
    ("kind", "answer", "env"),
    [
        (Filling, "", {"TERM": "xterm-256color"}),
        (Filling, f"\x1bP>|XTerm(388){ENDED}", {"TERM": "xterm-256color"}),
        (
            Filling,
            f"\x1bP>|xterm.js(5.6.0){ENDED}",
            {"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"},
        ),
        (Filling, "", {"TERM": "xterm-256color", "WT_SESSION": "1"}),
        (Filling, "", {"TERM": "linux", "COLORTERM": ""}),
        (Readable, f"\x1bP>|tmux 3.3a{ENDED}", {"TERM": "xterm-256color", "TMUX": "x"}),
        (Readable, "", {"TERM": "xterm-256color", "STY": "1.pts-0"}),
        (Readable, "", {"TERM": "xterm-256color"}),
    ],
    ids=["unknown", "xterm", "vscode", "windows", "linux", "tmux", "screen", "mosh"],
)
def test_lines_that_come_in_have_the_colour_of_the_app(
    kind: type[Readable], answer: str, env: dict[str, str], debate: Path
) -> None:
    with Terminal("replay", debate, **env) as terminal:
        terminal.screen = kind(80, 24)
        terminal._stream = pyte.ByteStream(terminal.screen)
        terminal.until("recorded")
        terminal.press(answer)
        for number in range(1, 7):
            terminal.press("space")
            terminal.step(number, 6)
            terminal.quiet()
            assert holes(terminal.screen) == [], terminal.text
        for key in ("up", "up", "left", "down"):
            terminal.press(key)
            terminal.quiet()
            assert holes(terminal.screen) == [], terminal.text
        terminal.press("q")
        terminal.ended()


@pytest.fixture
def tmux() -> Iterator[list[str]]:
    """A tmux server of its own."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    start = ["tmux", "-L", f"verifytui-{os.getpid()}", "-f", os.devnull]
    yield start
    subprocess.run([*start, "kill-server"], check=False, capture_output=True)


@pytest.mark.parametrize("term", ["xterm-256color", "screen-256color", "tmux-256color"])
def test_inside_tmux_no_line_stays_black(
    term: str, debate: Path, tmux: list[str]
) -> None:
    def run(*arguments: str) -> str:
        return subprocess.run(
            [*tmux, *arguments], check=True, capture_output=True, text=True
        ).stdout

    def until(words: str) -> None:
        end = time.monotonic() + 30
        while words not in run("capture-pane", "-p"):
            assert time.monotonic() < end, run("capture-pane", "-p")

    program = f"{sys.executable} -m verifytui replay {debate}"
    run(
        *("new-session", "-d", "-x", "80", "-y", "24"),
        f"COLORTERM=truecolor TERM={term} {program}",
    )
    until("recorded")
    for number in range(1, 7):
        run("send-keys", "space")
        until(f" {number}/6")
    screen = Readable(80, 24)
    stream = pyte.Stream(screen)
    stream.feed(run("capture-pane", "-p", "-e", "-N").replace("\n", "\r\n")[:-2])
    assert holes(screen) == []


@pytest.mark.parametrize(
    ("answer", "more", "light"),
    [
        (WHITE, (), True),
        (BLACK, (), False),
        (WHITE, ("--theme", "dark"), False),
    ],
    ids=["light", "dark", "named"],
)
def test_a_light_background_brings_the_light_look(
    answer: str, more: tuple[str, ...], light: bool, debate: Path, home: Path
) -> None:
    with Terminal(*more, "replay", debate) as terminal:
        terminal.until("recorded")
        assert b"\x1b]11;?\x1b\\" in terminal.raw
        cut = len(answer) // 2  # an answer may come in pieces
        terminal.press(answer[:cut], answer[cut:], "space")
        terminal.step(1, 6)
        terminal.quiet()
        ground = terminal.screen.buffer[5][5].bg
        assert (ground > "8") == light, ground
        terminal.press("q")
        terminal.ended()
    assert not [*home.rglob("theme.json")], "it holds for this run only"
