"""Words that shells complete: in real shells, and as a shell asks for them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest
from verifytui.sessions.paths import paths
from verifytui.tests.support.commanding import COMMAND, command

CONFIG = "models:\n  mine: {model: openai/x}\n  'llama3:8b': {model: openai/y}\n"
HEAVY = ("litellm", "textual", "numpy", "httpx", "bm25s")


@pytest.fixture(autouse=True)
def _names(_quiet_home: None) -> None:
    places = paths()
    (places.corpora / "laws").mkdir(parents=True)
    places.sessions.mkdir(parents=True)
    (places.sessions / "first.yaml").write_text("")
    places.config_file.write_text(CONFIG)


def completed(*typed: str, shell: str = "bash") -> list[str]:
    """What bash is offered in place of the last word."""
    asking = {
        "COMP_WORDS": " ".join(["verifytui", *typed]),
        "COMP_CWORD": str(len(typed)),
        "_VERIFYTUI_COMPLETE": f"{shell}_complete",
    }
    ran = subprocess.run(
        COMMAND,
        env={**os.environ, **asking},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout.split()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["doc"], ["plain,doctor"]),
        (["debate", "--lev"], ["plain,--level"]),
        (["debate", "--opening", "s"], ["plain,seeded"]),
        (["debate", "--model", "mi"], ["plain,mine"]),
        (["debate", "--model", "judge", "=", "mi"], ["plain,mine"]),
        (["debate", "--model", "llama3", ":", ""], ["plain,8b"]),
        (["ask", "Why?", "--corpus", "la"], ["plain,laws"]),
        (["corpora", "delete", "l"], ["plain,laws"]),
        (["study", "lcr-a"], ["plain,lcr-ablation"]),
        (["study", "run", "lcr-a"], ["plain,lcr-ablation"]),
        (["sessions", "rename", "f"], ["plain,first.yaml"]),
        (["data", "show", "gs"], ["plain,gsm8k"]),
        (["--lang", "z"], ["plain,zh"]),
        (["index", "--qui"], ["plain,--quiet"]),
        (["--version", "doc"], ["plain,doctor"]),
        (["nosuch.yaml", ""], []),
    ],
)
def test_bash_is_offered(typed: list[str], offered: list[str]) -> None:
    assert completed(*typed) == offered


def test_a_wrong_configuration_hides_only_its_own_names() -> None:
    paths().config_file.write_text("models: [\n")
    assert completed("debate", "--model", "s") == ["plain,script"]


def test_other_shells_are_told_what_a_command_does() -> None:
    assert "Check" in completed("doc", shell="zsh")


def test_completion_loads_no_library_of_models_or_screens() -> None:
    code = (
        "import os, sys\n"
        "from verifytui.cli.app import main\n"
        "main([])\n"
        f"print('loaded', *[name for name in {HEAVY!r} if name in sys.modules])"
    )
    asking = {
        "COMP_WORDS": "verifytui debate --model m",
        "COMP_CWORD": "3",
        "_VERIFYTUI_COMPLETE": "bash_complete",
    }
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **asking},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ran.stdout.split() == ["plain,mine", "loaded"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_printed_and_can_be_read_by_it(shell: str) -> None:
    printed = command("completion", shell)
    assert printed.returncode == 0
    assert "_VERIFYTUI_COMPLETE" in printed.stdout
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    read = subprocess.run(
        [shell, "-n"],
        input=printed.stdout,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (read.returncode, read.stderr) == (0, "")


STARTS: dict[str, tuple[list[str], str]] = {
    "bash": (["--norc", "-i"], 'eval "$(verifytui completion bash)"'),
    "zsh": (
        ["-f", "-i"],
        'autoload -U compinit; compinit -u; eval "$(verifytui completion zsh)"',
    ),
    "fish": (["-N", "-i"], "verifytui completion fish | source"),
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", STARTS)
def test_tab_completes_in_a_real_shell(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    program = tmp_path / "bin" / "verifytui"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m verifytui "$@"\n')
    program.chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[3]),
        "TERM": "xterm" if shell == "fish" else "dumb",
    }
    words, begin = STARTS[shell]
    terminal: Any = pexpect.spawn(
        shell, words, env=env, encoding="utf-8", timeout=40, dimensions=(24, 100)
    )
    terminal.sendline(f"{begin}; echo rea''dy")
    terminal.expect("ready\r?\n")
    for typed, expected in (
        ("verifytui debate --model judge=mi", "judge=mine"),
        ("verifytui ask Why --corpus la", "laws"),
        ("verifytui doc", "doctor"),
    ):
        terminal.send(f"\x15{typed}\t")
        terminal.expect(expected)
    terminal.close(force=True)
