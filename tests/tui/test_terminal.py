"""Whole stories in a real terminal: the command, its screen, its keys, its files, its
end.
"""

from __future__ import annotations

import json
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from verifytui.sessions.events import Failure
from verifytui.tests.support.commanding import HILL
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.piloting import header, recorded
from verifytui.tests.support.saved import documents, finished, kinds, saved, spoken
from verifytui.tests.support.terminal import SIZES, Terminal

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _home(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def server(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    """`openai/lb` answers there."""
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    return loopback


@SIZES
def test_the_example_from_its_start_to_a_fork(
    home: Path, size: tuple[int, int]
) -> None:
    with Terminal(size=size) as terminal:
        terminal.invited()
        assert not saved(home)
        for number in range(1, 7):
            terminal.press("space" if number % 2 else "F5")
            terminal.step(number, number)
        terminal.press("space")
        terminal.until("RESULT")
        terminal.step(7, 7)
        (path,) = saved(home)
        assert kinds(path) == [
            "speech",
            "speech",
            "verdict",
            "speech",
            "speech",
            "verdict",
            "result",
        ]
        terminal.press("left", "left")
        terminal.step(5, 7)
        assert "RESULT" not in terminal.text
        terminal.press("f")
        terminal.until("A fork from event 5")
        terminal.step(5, 5)
        terminal.press("l")
        terminal.until("How far should the debaters")
        terminal.press("3")
        terminal.step(6, 6)
        terminal.until("disagree on everything")
        terminal.press("end")
        terminal.nothing_foreign()
        terminal.press("q")
        assert terminal.ended() == ""
    paths = saved(home)
    assert len(paths) == 2
    (fork,) = [each for each in paths if each != path]
    assert documents(fork)[0]["parent"]["number"] == 5
    assert kinds(fork) == ["speech", "speech", "verdict", "speech", "speech", "change"]
    assert all(each.stat().st_mode & 0o777 == 0o600 for each in paths)


def test_the_example_in_chinese(home: Path) -> None:
    with Terminal("--lang", "zh") as terminal:
        terminal.until("就绪 0/0")
        terminal.press("space")
        terminal.until("就绪 1/1")
        terminal.until("正方")
        terminal.press("q")
        assert terminal.ended() == ""


@SIZES
def test_a_live_debate_streams_is_stopped_and_goes_on(
    home: Path, tmp_path: Path, server: Loopback, size: tuple[int, int]
) -> None:
    path = tmp_path / "live.yaml"
    server.answer = lambda body: Answer(
        text="Slowly said. " * 400, usage=None, delay=0.02
    )
    with Terminal(
        "debate",
        "How fast?",
        "--model",
        "openai/lb",
        "--tui",
        "--save",
        path,
        size=size,
    ) as terminal:
        terminal.invited()
        terminal.press("space")
        terminal.until("Slowly said. Slowly said.", 60)
        assert server.open_connections == 1
        terminal.press("q")
        terminal.until("is running")
        terminal.press("escape")
        terminal.until(lambda: "is running" not in terminal.text)
        terminal.press("x")
        terminal.until("affirmative stopped")
        assert server.wait_until(lambda s: s.busy == 0)
        assert kinds(path) == ["failure"]
        server.answer = Answer(text="Quickly [/x] said.\n\nAnswer: 2*3*4")
        terminal.press("space")
        terminal.until("Answer: 2*3*4")
        terminal.until("Quickly [/x] said.")
        terminal.nothing_foreign()
        terminal.press("q")
        assert terminal.ended() == ""
    assert kinds(path) == ["failure", "speech"]
    assert documents(path)[1]["kind"] == "cancelled"


def test_leaving_in_the_middle_of_a_speech_asks_once_and_ends(
    home: Path, tmp_path: Path, server: Loopback
) -> None:
    path = tmp_path / "live.yaml"
    server.answer = lambda body: Answer(
        text="Slowly said. " * 400, usage=None, delay=0.02
    )
    with Terminal(
        "debate", "How fast?", "--model", "openai/lb", "--tui", "--save", path
    ) as terminal:
        terminal.invited()
        terminal.press("r")
        terminal.until("Slowly said.", 60)
        terminal.press("^q")
        terminal.until("is running")
        terminal.press("y")
        assert terminal.ended() == ""
    assert kinds(path) == ["failure"]
    assert server.wait_until(lambda s: s.busy == 0)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["int", "term", "hup"]
)
def test_a_signal_ends_the_idle_app(home: Path, number: signal.Signals) -> None:
    with Terminal("debate", HILL, "--tui") as terminal:
        terminal.invited()
        terminal.child.kill(number)
        assert terminal.ended(130) == ""


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT], ids=["hup", "int"])
def test_a_signal_that_is_ignored_stays_ignored(
    home: Path, number: signal.Signals
) -> None:
    before = signal.signal(number, signal.SIG_IGN)
    try:
        terminal = Terminal("debate", HILL, "--tui")
    finally:
        signal.signal(number, before)
    with terminal:
        terminal.invited()
        terminal.child.kill(number)
        terminal.press("q")
        assert terminal.ended(0) == ""


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["int", "term", "hup"]
)
def test_a_signal_ends_the_app_cleanly(
    home: Path, tmp_path: Path, server: Loopback, number: signal.Signals
) -> None:
    path = tmp_path / "live.yaml"
    server.answer = lambda body: Answer(
        text="Slowly said. " * 400, usage=None, delay=0.02
    )
    with Terminal(
        "debate", "How fast?", "--model", "openai/lb", "--tui", "--save", path
    ) as terminal:
        terminal.invited()
        terminal.press("r")
        terminal.until("Slowly said.", 60)
        terminal.child.kill(number)
        assert terminal.ended(130) == ""
    assert kinds(path) == ["failure"]


@SIZES
def test_a_replay_by_steps(home: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    path = finished(tmp_path / "recorded.yaml")
    before = path.read_bytes()
    with Terminal("replay", path, size=size) as terminal:
        terminal.until("A recorded debate")
        for number in range(1, 5):
            terminal.press("space")
            terminal.step(number, 4)
        terminal.until("RESULT")
        terminal.press("home")
        terminal.step(0, 4)
        terminal.press("1")
        terminal.step(1, 4)
        terminal.until("Speech number 1.")
        assert "Speech number 2." not in terminal.text
        terminal.press("right", "right")
        terminal.step(3, 4)
        terminal.nothing_foreign()
        terminal.press("q")
        assert terminal.ended() == ""
    assert path.read_bytes() == before
    assert not saved(home)


def test_a_replay_in_time_at_once(home: Path, tmp_path: Path) -> None:
    with Terminal(
        "replay", finished(tmp_path / "recorded.yaml"), "--speed", "max"
    ) as terminal:
        terminal.until("RESULT")
        terminal.step(4, 4)
        terminal.press("q")
        assert terminal.ended() == ""


def test_a_replay_through_a_pipe_takes_its_keys_from_the_terminal(
    home: Path, tmp_path: Path
) -> None:
    path = finished(tmp_path / "recorded.yaml")
    python = shlex.quote(sys.executable)
    with Terminal(
        shell=f"cat {shlex.quote(str(path))} | {python} -m verifytui replay -"
    ) as terminal:
        terminal.until("A recorded debate")
        terminal.press("space")
        terminal.step(1, 4)
        terminal.press("space")
        terminal.step(2, 4)
        terminal.until("Speech number 2.")
        terminal.press("f")
        terminal.until("A fork from event 2")
        terminal.press("q")
        assert terminal.ended() == ""
    (fork,) = saved(home)
    assert kinds(fork) == ["speech", "speech"]


@SIZES
def test_people_on_all_seats(home: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    path = tmp_path / "people.yaml"
    with Terminal(
        "debate",
        "Why?",
        "--model",
        "human",
        "--rounds",
        "1",
        "--tui",
        "--save",
        path,
        size=size,
    ) as terminal:
        terminal.invited()
        for number, words in enumerate(["I say one. [/x]", "I say two."], 1):
            terminal.press("space")
            terminal.until("your speech")
            terminal.press(*words, "enter", f"Answer: {number}")
            terminal.until(f"Answer: {number}")
            terminal.press("F10" if number == 1 else "^o")
            terminal.step(number, number)
        terminal.until("I say two.")
        terminal.press("space")
        terminal.until("You are the judge")
        terminal.press("escape")
        terminal.until(lambda: "You are the judge" not in terminal.text)
        terminal.step(2, 2)
        terminal.press("space")
        terminal.until("You are the judge")
        terminal.press("right", "tab", "tab", "right", "^o")
        terminal.until("the right answer is found, the debate ends")
        terminal.press("space")
        terminal.until("RESULT")
        terminal.nothing_foreign()
        terminal.press("q")
        assert terminal.ended() == ""
    assert [kind for kind in kinds(path) if kind != "failure"] == [
        "speech",
        "speech",
        "verdict",
        "result",
    ]
    speech = documents(path)[1]
    assert (speech["model"], speech["text"], speech["answer"]) == (
        "human",
        "I say one. [/x]\nAnswer: 1",
        "1",
    )
    assert documents(path)[-1]["answer"] == "1"


def test_a_session_open_elsewhere_is_read_only_and_follows(home: Path) -> None:
    with Terminal() as writer:
        writer.invited()
        writer.press("space")
        writer.step(1, 1)
        (path,) = saved(home)
        with Terminal(path) as reader:
            reader.until("READ-ONLY")
            reader.step(1, 1)
            writer.press("space")
            writer.step(2, 2)
            reader.step(2, 2)
            reader.press("space")
            reader.until("Press f to fork")
            reader.press("q")
            assert reader.ended() == ""
        writer.press("q")
        assert writer.ended() == ""
    assert kinds(path) == ["speech", "speech"]


def test_a_folder_of_a_batch(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "batch"
    folder.mkdir()
    finished(folder / "a.yaml")
    failure = Failure(
        role="negative", kind="server", message="The server is on fire.", model="m"
    )
    recorded(
        header("Second topic?", affirmative="m", negative="m", judge="m"),
        [spoken(1), failure],
        folder / "b.yaml",
    ).close()
    (folder / "c.yaml").write_text("no session at all [/x]")
    with Terminal(folder) as terminal:
        terminal.until("Second topic?")
        terminal.until("How many?")
        terminal.press("2")
        terminal.until(
            lambda: "How many?" not in "\n".join(terminal.screen.display[1:])
        )
        terminal.press("enter")
        terminal.until("The server is on fire.")
        terminal.step(2, 2)
        terminal.press("q")
        assert terminal.ended() == ""


def test_a_folder_whose_run_has_just_begun_is_waited_for(
    home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "batch"
    folder.mkdir()
    (folder / "run.log").write_text("verifytui debate\n")
    with Terminal(folder) as terminal:
        terminal.until("to begin")
        finished(folder / "a.yaml")
        terminal.until("How many?")
        terminal.press("q")


def test_a_bad_config_gives_messages_and_the_app_opens(home: Path) -> None:
    home.mkdir()
    config = {
        "theme": "no[/such]",
        "keymap": {"dance": "j", "next": "ctrl+enter", "raw": "no key", "fork": "k"},
    }
    (home / "config.yaml").write_text(yaml.safe_dump(config))
    with Terminal(size=(120, 36)) as terminal:
        terminal.until("no[/such]")
        terminal.until("dance")
        terminal.until("ctrl+enter")
        terminal.invited()
        terminal.press("space")
        terminal.step(1, 1)
        terminal.press("k")
        terminal.until("A fork from event 1")
        terminal.press("q")
        assert terminal.ended() == ""


def test_an_unfinished_debate_is_offered_and_continued(home: Path) -> None:
    with Terminal() as terminal:
        terminal.invited()
        terminal.press("space")
        terminal.step(1, 1)
        terminal.press("q")
        assert terminal.ended() == ""
    with Terminal() as terminal:
        terminal.until("waiting")
        terminal.press("\r")
        terminal.step(1, 1)
        terminal.press("space")
        terminal.step(2, 2)
        terminal.press("q")
        assert terminal.ended() == ""
    (path,) = saved(home)
    assert kinds(path) == ["speech", "speech"]


def test_the_terminal_changes_its_size(home: Path) -> None:
    with Terminal() as terminal:
        terminal.invited()
        assert "LINE-UP" not in terminal.text
        terminal.press("space")
        terminal.step(1, 1)
        terminal.resize(120, 36)
        terminal.until("LINE-UP")
        terminal.until(lambda: "? help" in terminal.screen.display[-1])
        terminal.resize(60, 16)
        terminal.until(
            lambda: (
                "LINE-UP" not in terminal.text
                and "? help" in terminal.screen.display[-1]
            )
        )
        terminal.press("q")
        assert terminal.ended() == ""


def test_palette_help_and_line_up(home: Path) -> None:
    with Terminal() as terminal:
        terminal.invited()
        for key, seen in (
            ("F1", "Keys"),
            ("F2", "tab roles or models"),
            ("^p", "Search commands"),
            ("c", "New debate"),
        ):
            terminal.press(key)
            terminal.until(seen)
            terminal.quiet()  # a key line that is drawn again is no closed sheet
            terminal.press("escape")
            terminal.until(lambda seen=seen: seen not in terminal.text)
        terminal.press("^q")
        assert terminal.ended() == ""


def test_an_edit_in_the_users_own_editor(home: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor.sh"
    editor.write_text(
        '#!/bin/sh\necho EDITING\nread line\nprintf "%s\\n\\nAnswer: 7\\n" '
        '"$line" > "$1"\n'
    )
    editor.chmod(0o700)
    with Terminal(EDITOR=str(editor)) as terminal:
        terminal.invited()
        terminal.press("space")
        terminal.step(1, 1)
        terminal.press("E")
        terminal.until("EDITING")
        terminal.press("Other words.", "enter")
        terminal.until("Answer: 7")
        terminal.until("Other words.")
        terminal.press("q")
        terminal.ended()
    assert [documents(path)[1]["model"] for path in saved(home)].count("human") == 1


BAD_STARTS: list[tuple[str, Callable[[Path], list[str | Path]]]] = [
    ("missing", lambda folder: ["replay", folder / "none.yaml"]),
    ("no session", lambda folder: [_written(folder / "x.yaml", "[/x]: [")]),
    (
        "future",
        lambda folder: [_written(folder / "y.yaml", "format: verifytui/9\n...\n")],
    ),
]


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "arguments", [each for _, each in BAD_STARTS], ids=[name for name, _ in BAD_STARTS]
)
def test_what_cannot_be_opened_is_one_sentence(
    home: Path, tmp_path: Path, arguments: Callable[[Path], list[str | Path]]
) -> None:
    with Terminal(*arguments(tmp_path)) as terminal:
        said = terminal.ended(2)
    assert len(said.strip().splitlines()) == 1
    assert "Traceback" not in said


def test_the_judges_json_is_never_seen(
    home: Path, tmp_path: Path, server: Loopback
) -> None:
    """A live debate run to its end: what the judge wrote is shown as a verdict."""

    def answer(body: Body) -> Answer:
        if '"preference"' in body["messages"][-1]["content"]:
            verdict = {
                "preference": True,
                "supported_side": "negative",
                "reason": "It holds.",
                "answer": "42",
            }
            return Answer(json.dumps(verdict))
        return Answer("For good reasons.\n\nAnswer: 42")

    server.answer = answer
    with Terminal(
        "debate",
        "Why?",
        "--model",
        "openai/lb",
        "--tui",
        "--save",
        tmp_path / "live.yaml",
        size=(120, 36),
    ) as terminal:
        terminal.invited()
        terminal.press("r")
        terminal.until("RESULT", 60)
        assert "preference" not in terminal.text
        assert "It holds." in terminal.text
        terminal.nothing_foreign()
        terminal.press("q")
        assert terminal.ended() == ""


def test_a_question_is_asked_in_its_tab_and_its_file_opens_there(home: Path) -> None:
    """`ask --tui` with its settings, then the file alone; the tabs change by a key that
    every terminal sends.
    """
    question = "Who was the first to have two Nobel Prizes?"
    with Terminal(
        "ask", question, "--corpus", "example", "--k", "2", "--tui", size=(120, 36)
    ) as terminal:
        terminal.until("retrieve references for the question,")
        terminal.press("n")
        terminal.step(5, 5)
        terminal.until("Marie Curie")
        terminal.press("]")
        terminal.invited()
        terminal.press("[")
        terminal.step(5, 5)
        terminal.press("q")
        assert terminal.ended() == ""
    (path,) = saved(home)
    assert kinds(path) == ["retrieval", "answer", "check", "verification", "decision"]
    with Terminal(path) as terminal:
        terminal.step(5, 5)
        terminal.press("space")
        terminal.step(6, 6)
        terminal.until("RESULT")
        terminal.press("q")
        assert terminal.ended() == ""


@pytest.mark.parametrize(
    "sent",
    [
        b"\xff\xfe",
        b"\xc3(",
        b"\xe4\xbd\x1b[A",
        b"\x1b[200~\xff\xfe\x1b[201~",
        b"\x1b[999999999999999999999;1u",
        b"\x1b[55296;1u",
    ],
    ids=[
        "no character",
        "half a character and another",
        "half a character and a key",
        "pasted",
        "a key too high",
        "half a pair",
    ],
)
def test_bytes_that_are_no_key_do_nothing(sent: bytes, home: Path) -> None:
    with Terminal() as terminal:
        terminal.invited()
        terminal.child.send(sent)
        terminal.press("c")
        terminal.until("New debate", 15)
    assert not list(home.rglob("crash-*.txt"))
