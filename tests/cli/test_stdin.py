"""What is piped in without an end ends with one sentence."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from verifytui.tests.support.commanding import COMMAND

pytestmark = pytest.mark.slow

MOST = 300 << 10  # kilobytes of memory beside what Python and the libraries need


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["replay", "--plain", "-"], "larger than 64 MB"),
        (
            ["ask", "Why?", "--model", "lexical", "--references", "-"],
            "larger than 64 MB",
        ),
        (
            ["debate", "--topics", "/dev/stdin", "--model", "script", "--into", "out"],
            "more than 64 MB",
        ),
        (["import", "/dev/stdin", "--into", "out"], "more than 64 MB"),
        (["agreement", "/dev/stdin"], "more than 64 MB"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_pipe_without_end(tmp_path: Path, words: list[str], said: str) -> None:
    began = time.monotonic()
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as yes:
        measured = (
            "import resource, subprocess, sys\ncode = subprocess.call(sys.argv[1:])\n"
        )
        measured += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\nsys.exit(code)"
        done = subprocess.run(
            [sys.executable, "-c", measured, *COMMAND, *words],
            stdin=yes.stdout,
            capture_output=True,
            text=True,
            timeout=60,
            cwd=tmp_path,
        )
        yes.kill()
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert int(done.stdout.split()[-1]) < MOST + (200 << 10)
    assert time.monotonic() - began < 50


@pytest.mark.parametrize(
    "line",
    [b"x" * 65536, b"y\n" * 32768, b"\n" * 65536],
    ids=["one line", "lines", "blank lines"],
)
def test_a_speech_without_end(tmp_path: Path, line: bytes) -> None:
    feed = (
        f"import sys\ntry:\n    while True: sys.stdout.buffer.write({line[:2]!r} * "
        f"{len(line) // 2})\nexcept OSError: pass"
    )
    words = ["debate", "Why?", "--model", "human", "--rounds", "1"]
    with subprocess.Popen(
        [sys.executable, "-c", feed], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as feeding:
        done = subprocess.run(
            [*COMMAND, *words],
            stdin=feeding.stdout,
            capture_output=True,
            text=True,
            timeout=60,
            cwd=tmp_path,
        )
        feeding.kill()
    assert done.returncode != 0
    assert "longer than a million characters" in done.stderr
