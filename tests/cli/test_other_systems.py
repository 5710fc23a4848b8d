"""Where Python lacks what POSIX systems have, the command says so in one sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LACKING = ("fcntl", "resource", "termios", "tty", "pwd", "grp", "pty", "curses")
WINDOWS = f"""
import os, signal, sys
lacking = {LACKING!r}
sys.modules.update(dict.fromkeys(lacking))
for name in ("SIGHUP", "SIGKILL", "SIGWINCH", "SIGTSTP", "SIGCONT", "SIGTTOU"):
    delattr(signal, name)
for name in ("getuid", "geteuid", "getpgrp", "tcgetpgrp", "fork", "O_NOCTTY"):
    delattr(os, name)
from verifytui.__main__ import main
sys.exit(main())
"""
"""The command on a Python like the one of Windows, as far as Linux can play it."""


def on_windows(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WINDOWS, *words],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "words", [[], ["debate", "--help"], ["doctor"], ["ask", "Why?"]]
)
def test_windows_is_refused_with_one_sentence(
    home: Path, tmp_path: Path, words: list[str]
) -> None:
    done = on_windows(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert "WSL" in line


def test_the_sentence_is_in_the_language_of_the_user(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFYTUI_LANGUAGE", "zh")
    done = on_windows(tmp_path, "doctor")
    assert done.returncode == 2
    assert "请在 WSL 中" in done.stderr


def test_the_version_needs_nothing_of_it(tmp_path: Path) -> None:
    done = on_windows(tmp_path, "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("verifytui ")


@pytest.mark.parametrize("name", LACKING[:3])
def test_one_missing_module_is_enough(home: Path, tmp_path: Path, name: str) -> None:
    code = f"import sys\nsys.modules[{name!r}] = None\n"
    code += "from verifytui.__main__ import main\nsys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "sessions"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
