"""Whole days of users in a real terminal: each method from its start to a file, in
tmux, and in terminals that can do little.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import time
from pathlib import Path

import pytest
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.saved import documents, finished, kept_labels, kinds, saved
from verifytui.tests.support.terminal import SIZES, Terminal

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _home(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: Loopback
) -> None:
    """`openai/lb` answers."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")


@SIZES
def test_a_debate_gets_another_model_in_a_fork_is_exported_and_replayed(
    home: Path, tmp_path: Path, loopback: Loopback, size: tuple[int, int]
) -> None:
    loopback.answer = Answer("A voice from elsewhere.\n\nAnswer: 2")
    with Terminal(size=size) as terminal:
        terminal.invited()
        terminal.press("r")
        terminal.until("RESULT")
        (first,) = saved(home)
        terminal.press("1")
        terminal.step(1, 7)
        terminal.press("f")
        terminal.until("A fork from event 1")
        terminal.press("m")
        terminal.until("tab roles or models")
        terminal.press("down", "enter", "openai/lb", "enter")
        terminal.until("from the next call")
        terminal.press("escape")
        terminal.until("LIVE 2/2")
        terminal.press("space")
        terminal.until("A voice from elsewhere.", 60)
        terminal.nothing_foreign(but=["LiteLLM"])
        terminal.press("q")
        assert terminal.ended() == ""
    (fork,) = [path for path in saved(home) if path != first]
    assert kinds(fork) == ["speech", "change", "speech"]
    assert documents(fork)[-1]["model"].endswith("lb")
    with Terminal("replay", fork, size=size) as terminal:
        terminal.until("A recorded debate")
        for number in range(1, 4):
            terminal.press("space")
            terminal.step(number, 3)
        terminal.until("A voice from elsewhere.")
        terminal.nothing_foreign()
        terminal.press("q")
        assert terminal.ended() == ""


@SIZES
def test_a_folder_is_indexed_and_asked_and_the_answer_revised(
    home: Path, tmp_path: Path, loopback: Loopback, size: tuple[int, int]
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "keeper.txt").write_text(
        "The lighthouse was lit in 1873.\n\nIts keeper was Amalia Brand.", "utf-8"
    )
    (folder / "zh.md").write_text(
        "# "
        "\u706f\u5854\n\n\u706f\u5854\u7684\u770b\u5b88\u4eba\u53eb\u6797\u5c0f\u6d77\u3002",
        "utf-8",
    )

    def answer(body: Body) -> Answer:
        if '"bias"' not in body["messages"][-1]["content"]:
            return Answer("It was lit in 1873 [1].")
        scores = {
            "reference_correctness": 0.1,
            "correctness": 0.2,
            "citation_accuracy": 1,
            "truthfulness": 0.3,
            "bias": 0.1,
        }
        return Answer(
            json.dumps(
                {
                    **scores,
                    "conciseness": 0.7,
                    "judgement": "false",
                    "revised_query": "Who was the keeper?",
                }
            )
        )

    loopback.answer = answer
    with Terminal("index", folder, "--name", "mine") as terminal:
        assert "mine: 2 indexed" in terminal.ended()
    with Terminal(
        "ask",
        "When was it lit?",
        "--corpus",
        "mine",
        "--model",
        "openai/lb",
        "--tui",
        size=size,
    ) as terminal:
        terminal.until("retrieve references for the question,")
        for number in range(1, 6):
            terminal.press("space")
            terminal.step(number, number)
        terminal.until("next: retrieve")
        terminal.press("r")
        terminal.until("RESULT")
        terminal.step(11, 11)
        terminal.nothing_foreign()
        terminal.press("q")
        assert terminal.ended() == ""
    (path,) = saved(home)
    steps = ["retrieval", "answer", "check", "verification", "decision"]
    assert kinds(path) == [*steps, *steps, "result"]
    assert documents(path)[6]["query"] == "Who was the keeper?"


@SIZES
def test_cases_are_judged_overruled_and_exported(
    home: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    with Terminal(size=size) as terminal:
        terminal.invited()
        terminal.press("]")
        terminal.until("Facts and judgements")
        terminal.press("r")
        terminal.until(
            lambda: saved(home) and kinds(saved(home)[0])[-1:] == ["result"], 60
        )
        terminal.press("3")
        terminal.until(lambda: kept_labels(saved(home)[0]))
        terminal.press("q")
        assert terminal.ended() == ""
    (path,) = saved(home)
    (label,) = kept_labels(path)
    assert label["value"] == 3
    with Terminal(
        "export", path, "--to", "qrels", "-o", tmp_path / "out.qrels"
    ) as terminal:
        assert terminal.ended() == ""
    assert (tmp_path / "out.qrels").read_text().split()[2:4] == [
        label["candidate"],
        "3",
    ]


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not on this machine")
def test_in_tmux_a_debate_waits_for_who_left_and_comes_back(
    home: Path, tmp_path: Path
) -> None:
    tmux = f"tmux -L {tmp_path.name} -f /dev/null"
    app = shlex.join([sys.executable, "-m", "verifytui"])
    try:
        with Terminal(
            shell=f"exec {tmux} new-session -s it {shlex.quote(app)}"
        ) as terminal:
            terminal.invited()
            terminal.press("space")
            terminal.step(1, 1)
            terminal.press("\x02", "d")
            terminal.ended()
        with Terminal(shell=f"exec {tmux} attach -t it", size=(120, 36)) as terminal:
            terminal.step(1, 1)
            terminal.until("LINE-UP")
            terminal.press("F5")
            terminal.step(2, 2)
            terminal.press("q")
            terminal.until("[exited]")
    finally:
        os.system(f"{tmux} kill-server 2>/dev/null")
    assert kinds(saved(home)[0]) == ["speech", "speech"]


POOR = {
    "linux": {"TERM": "linux", "COLORTERM": ""},
    "screen": {"TERM": "screen", "COLORTERM": ""},
    "no-color": {"NO_COLOR": "1"},
    "small": {},
}


@pytest.mark.parametrize("kind", POOR)
def test_terminals_that_can_do_little(home: Path, kind: str) -> None:
    small = kind == "small"
    with Terminal(size=(40, 10) if small else (80, 24), **POOR[kind]) as terminal:
        terminal.leave_home()
        terminal.until(lambda: "space" in terminal.screen.display[-1])
        terminal.until(lambda: " 0/0 " in terminal.text or small)
        terminal.press("space")
        terminal.until(lambda: saved(home) and kinds(saved(home)[0]) == ["speech"])
        terminal.until(lambda: "1 m/s" in terminal.text or "Answer" in terminal.text)
        raw = bytes(terminal.raw)
        terminal.press("q")
        assert terminal.ended() == ""
    if kind in ("linux", "screen"):
        assert b"[38;2;" not in raw, (
            "24-bit colours were sent to a terminal that has none"
        )
    if kind == "no-color":
        colours = [
            (r, g, b)
            for r, g, b in re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", raw)
            if not r == g == b
        ]
        assert not colours


def test_the_size_changes_in_the_middle_of_a_speech(
    home: Path, tmp_path: Path, loopback: Loopback
) -> None:
    loopback.answer = Answer(
        "Slowly said. " * 120 + "The end.\n\nAnswer: 1", delay=0.02
    )
    with Terminal(
        "debate",
        "How fast?",
        "--model",
        "openai/lb",
        "--tui",
        "--save",
        tmp_path / "live.yaml",
    ) as terminal:
        terminal.invited()
        terminal.press("space")
        terminal.until("Slowly said.", 60)
        for size in ((120, 36), (60, 16), (100, 30)):
            terminal.resize(*size)
            terminal.until(lambda: "? help" in terminal.screen.display[-1])
        terminal.step(1, 1)
        terminal.press("end")  # a long speech is shown from its first line
        terminal.until("The end.")
        terminal.nothing_foreign()
        terminal.press("q")
        assert terminal.ended() == ""
    assert kinds(tmp_path / "live.yaml") == ["speech"]


def test_an_app_that_nobody_uses_sends_nothing_and_takes_no_time(
    home: Path, tmp_path: Path
) -> None:
    def spent(pid: int) -> float:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    with Terminal("replay", finished(tmp_path / "recorded.yaml")) as terminal:
        terminal.until("A recorded debate")
        terminal.press("space")
        terminal.step(1, 4)
        quiet = time.monotonic() + 1
        while (
            time.monotonic() < quiet
        ):  # what it still draws, and what it does once after its start
            terminal._read(0.1)
        if sys.platform == "linux":
            before = spent(terminal.child.pid)
        length, end = len(terminal.raw), time.monotonic() + 3
        while time.monotonic() < end:
            terminal._read(0.2)
        assert len(terminal.raw) == length
        if sys.platform == "linux":
            assert spent(terminal.child.pid) - before <= 0.03
        terminal.press("q")
        assert terminal.ended() == ""
