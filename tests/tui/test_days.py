"""Whole stories of RAG and relevance inside tmux; and that nobody but the app writes to
the terminal while it runs.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from verifytui.tests.support import apart
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.saved import documents, kept_labels, kinds, saved
from verifytui.tests.support.terminal import Terminal

pytestmark = pytest.mark.slow

ASKED = ["retrieval", "answer", "check", "verification", "decision"]


@pytest.fixture(autouse=True)
def _home(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: Loopback
) -> None:
    """`openai/lb` answers for every seat, and asks for another retrieval once."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    monkeypatch.setenv("LITELLM_LOG", "DEBUG")
    (tmp_path / "keeper.txt").write_text(
        "The lighthouse was lit in 1873.\n\nIts keeper was Amalia Brand."
    )
    (tmp_path / "theft.txt").write_text(
        "The accused took a ring from the house at night."
    )
    loopback.answer = said


def said(body: Body) -> Answer:
    asked = body["messages"][-1]["content"]
    if '"bias"' in asked:
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
    if '"preference"' in asked:
        return Answer(
            json.dumps(
                {
                    "preference": True,
                    "supported_side": "negative",
                    "reason": "So.",
                    "answer": "1873",
                }
            )
        )
    if '"relevant"' in asked:
        return Answer(json.dumps({"reason": "Both take at night.", "relevant": True}))
    if '"facts"' in asked:
        return Answer(json.dumps({"facts": ["took a ring from the house at night"]}))
    return Answer("It was lit in 1873 [1].\n\nAnswer: 1873", reasoning="Let me think.")


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """A terminal in which the app runs inside tmux."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not on this machine")
    server = f"tmux -L {tmp_path.name} -f /dev/null"

    def begin(*arguments: str | Path) -> Terminal:
        line = shlex.join([sys.executable, "-m", "verifytui", *map(str, arguments)])
        return Terminal(
            shell=f"exec {server} new-session {shlex.quote(line)}", size=(120, 36)
        )

    yield begin
    os.system(f"{server} kill-server 2>/dev/null")


def test_in_tmux_a_folder_is_asked_and_the_answer_revised(
    tmux: Callable[..., Terminal], home: Path, tmp_path: Path
) -> None:
    with Terminal("index", tmp_path / "keeper.txt", "--name", "mine") as terminal:
        assert "mine: 1 indexed" in terminal.ended()
    with tmux(
        "ask", "When was it lit?", "--corpus", "mine", "--model", "openai/lb", "--tui"
    ) as terminal:
        terminal.until("retrieve references for the question,")
        terminal.press("n")
        terminal.step(5, 5)
        terminal.until("1873")
        terminal.press("r")
        terminal.until("RESULT", 60)
        terminal.press("q")
        terminal.until("[exited]")
    (path,) = saved(home)
    assert kinds(path) == [*ASKED, *ASKED, "result"]
    assert documents(path)[6]["query"] == "Who was the keeper?"


def test_in_tmux_a_case_is_judged_overruled_and_exported(
    tmux: Callable[..., Terminal], home: Path, tmp_path: Path
) -> None:
    case = tmp_path / "theft.txt"
    begin = [
        "relevance",
        "--query",
        case,
        "--candidates",
        case,
        "--demonstrations",
        "en-common-law",
        "--model",
        "openai/lb",
    ]
    with tmux(*begin, "--tui") as terminal:
        terminal.until("m to choose models")
        terminal.press("r")
        terminal.until(
            lambda: saved(home) and kinds(saved(home)[0])[-1:] == ["result"], 60
        )
        (path,) = saved(home)
        assert [
            event["value"] for event in documents(path)[1:] if event["event"] == "score"
        ] == [3]
        terminal.press("1")
        terminal.until(lambda: kept_labels(path))
        terminal.press("q")
        terminal.until("[exited]")
    with Terminal(
        "export", path, "--to", "qrels", "-o", tmp_path / "out.qrels"
    ) as terminal:
        assert terminal.ended() == ""
    assert (tmp_path / "out.qrels").read_text().split()[3] == "1"


BEGIN = {
    "debate": ["debate", "When was it lit?", "--rounds", "1"],
    "rag": ["ask", "When was it lit?", "--corpus", "keeper.txt"],
    "relevance": ["relevance", "--query", "theft.txt", "--candidates", "keeper.txt"],
}


@pytest.mark.parametrize("workspace", BEGIN)
def test_nobody_else_writes_to_the_terminal(
    workspace: str, home: Path, tmp_path: Path
) -> None:
    """With LiteLLM told to log everything, from the start to the result; jieba, BM25
    and all.
    """
    log, path = tmp_path / "log", tmp_path / "one.yaml"
    line = [
        sys.executable,
        "-m",
        apart.__name__,
        log,
        *BEGIN[workspace],
        "--model",
        "openai/lb",
        "--tui",
        "--save",
        path,
    ]
    with Terminal(
        shell="exec " + shlex.join(map(str, line)), size=(120, 36)
    ) as terminal:
        terminal.until("? to show all keys.")
        terminal.press("r")
        terminal.until(lambda: path.exists() and kinds(path)[-1:] == ["result"], 60)
        terminal.press("q")
        terminal.ended()
    assert log.read_bytes() == b""


def test_what_somebody_writes_would_be_seen(tmp_path: Path) -> None:
    """The test above can fail."""
    log = str(tmp_path / "log")
    code = (
        f"import os, sys\nsys.argv[1:1] = [{log!r}]\nfrom verifytui.tests.support "
        f"import apart\n"
    )
    code += (
        "apart.run = lambda self: (os.write(1, b'one'), os.write(2, "
        "b'two'))\napart.run_apart(None)\nos.write(1, b'three')"
    )
    with Terminal(shell="exec " + shlex.join([sys.executable, "-c", code])) as terminal:
        assert terminal.ended() == "three"
    assert (tmp_path / "log").read_bytes() == b"onetwo"
