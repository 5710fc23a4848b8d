"""What the command sends to its terminal: what has changed and no more, and the same
picture as when all is drawn anew.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from verifytui.sessions.events.debate import Speech
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.pictures import seen_of
from verifytui.tests.support.piloting import header, recorded
from verifytui.tests.support.terminal import Terminal

pytestmark = pytest.mark.slow

REPAINT = "\x0c"
STREAMED = "The way up takes d/1 s, 下山 d/3 秒, so 🎉 the whole takes 4d/3 s. " * 25


@pytest.fixture(autouse=True)
def _home(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def debate(tmp_path: Path) -> tuple[Path, int]:
    """A recorded debate of ten speeches like those that models give, and the bytes of
    its text.
    """
    path = tmp_path / "recorded.yaml"
    sentence = (
        "The mean of two speeds is not the speed of the whole way: the slower half "
        "takes {} times as long, and weighs more. "
    )
    texts = [
        "".join(
            sentence.format(2 + (number + place) % 7) for place in range(5 + number % 4)
        ).strip()
        for number in range(10)
    ]
    happened = [
        Speech(
            role=("affirmative", "negative")[number % 2],
            round=number // 2 + 1,
            model="m",
            text=f"{text}\n\nAnswer: 1.5",
            answer="1.5",
        )
        for number, text in enumerate(texts)
    ]
    recorded(
        header("How fast?", affirmative="m", negative="m", judge="m"), [*happened], path
    ).close()
    return path, sum(len(event.text.encode()) for event in happened)


def drawn_anew(terminal: Terminal) -> None:
    """The picture is the one that ctrl+L draws: every cell, on a terminal that was
    wiped before.
    """
    terminal.quiet()
    before = seen_of(terminal.screen)
    terminal.screen.erase_in_display(2)
    sent = len(terminal.raw)
    terminal.press(REPAINT)
    width, height = terminal.size
    terminal.until(lambda: len(terminal.raw) - sent > width * height // 2)
    terminal.quiet()
    assert seen_of(terminal.screen) == before, terminal.text


def test_a_replay_by_step_sends_few_bytes(debate: tuple[Path, int]) -> None:
    path, shown = debate
    with Terminal("replay", path) as terminal:
        terminal.until("A recorded debate")
        terminal.quiet()
        before = len(terminal.raw)
        for number in range(1, 11):
            terminal.press("space")
            terminal.step(number, 10)
            terminal.quiet()
        sent = len(terminal.raw) - before
        drawn_anew(terminal)
        terminal.press("q")
        terminal.ended()
    assert sent < 3 * shown, f"{sent} bytes for {shown} of text"


def test_a_reply_that_streams_sends_few_bytes(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    loopback.answer = Answer(STREAMED, delay=0.01)
    with Terminal(
        "debate",
        "How fast?",
        "--model",
        "openai/lb",
        "--tui",
        SSH_CONNECTION="127.0.0.1 1 127.0.0.1 22",
    ) as terminal:
        terminal.invited()
        terminal.quiet()
        before = len(terminal.raw)
        terminal.press("space")
        terminal.step(1, 1)
        terminal.quiet()
        sent = len(terminal.raw) - before
        drawn_anew(terminal)
        terminal.press("q")
        terminal.ended()
    assert sent < 8 * len(STREAMED.encode())


@pytest.mark.parametrize(
    "size", [(80, 24), (120, 36), (40, 10)], ids=["80x24", "120x36", "40x10"]
)
def test_the_picture_after_keys_is_the_one_drawn_anew(
    debate: tuple[Path, int], size: tuple[int, int]
) -> None:
    with Terminal("replay", debate[0], size=size, TERM="screen-256color") as terminal:
        terminal.until("recorded")
        for keys in (
            ["space", "space"],
            ["space"] * 4,
            ["left", "up", "up"],
            ["F1", "down"],
            ["escape"],
            ["]", "space"],
            ["]", "space"],
            ["^p", "t"],
        ):
            for key in keys:
                terminal.press(key)
                terminal.quiet()
            drawn_anew(terminal)
        terminal.press("escape")
        terminal.quiet()
        for wider in (-7, 9, -5):
            terminal.resize(size[0] + wider, size[1] + wider // 5)
            terminal.size = (size[0] + wider, size[1] + wider // 5)
            terminal.quiet()
            drawn_anew(terminal)


@pytest.mark.parametrize(
    "more",
    [
        {"TERM": "linux", "COLORTERM": ""},
        {"NO_COLOR": "1"},
        {"TERM": "screen", "COLORTERM": ""},
    ],
    ids=["linux", "plain", "screen"],
)
def test_terminals_of_few_colours(
    debate: tuple[Path, int], more: dict[str, str]
) -> None:
    with Terminal("replay", debate[0], **more) as terminal:
        terminal.until("recorded")
        for number in range(1, 5):
            terminal.press("space")
            terminal.step(number, 10)
        drawn_anew(terminal)
        assert (b"38;2;" in terminal.raw) == (
            "NO_COLOR" in more
        )  # Textual's grey of NO_COLOR is a mixed one


def test_after_the_app_was_stopped_and_goes_on_all_is_drawn_again(
    debate: tuple[Path, int],
) -> None:
    with Terminal("replay", debate[0]) as terminal:
        terminal.until("A recorded debate")
        terminal.press("space")
        terminal.step(1, 10)
        terminal.quiet()
        before = seen_of(terminal.screen)
        terminal.child.kill(signal.SIGTSTP)
        status = Path(f"/proc/{terminal.child.pid}/stat")
        terminal.until(
            lambda: status.read_text().rpartition(")")[2].split()[0] == "T"
        )  # a signal to go on before that would be lost
        terminal.quiet()
        terminal.screen.reset()
        terminal.child.kill(signal.SIGCONT)
        terminal.step(1, 10)
        terminal.quiet()
        assert seen_of(terminal.screen) == before
