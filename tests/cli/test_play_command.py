"""`replay`, `resume`, and session files that are none."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from verifytui.tests.support.commanding import (
    COMMAND,
    HILL,
    command,
    documents,
    refused,
    rows,
)


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A finished script debate."""
    path = tmp_path / "played.yaml"
    assert command("debate", HILL, "--save", path).returncode == 0
    return path


def cut_after(path: Path, events: int, into: Path) -> Path:
    """The same session as it stood after so many events."""
    parts = path.read_bytes().split(b"\n...\n")
    into.write_bytes(b"\n...\n".join(parts[: events + 1]) + b"\n...\n")
    return into


def test_replay_prints_what_the_debate_printed(played: Path) -> None:
    live = command("debate", HILL, "--no-save").stdout
    assert command("replay", played).stdout == live
    assert command("replay", played, "--plain").stdout == live
    assert command("replay", "-", stdin=played.read_bytes()).stdout == live
    assert command("replay", played, "--lang", "zh").stdout != live


def test_replay_needs_no_model_library_and_no_network(played: Path) -> None:
    code = (
        "import socket, sys\n"
        "def no(*a, **k): raise SystemExit('network!')\n"
        "socket.socket.connect = no\n"
        "from verifytui.cli.app import main\n"
        "code = main(sys.argv[1:])\n"
        "print({n for n in ('litellm', 'textual', 'rich', 'openai', 'jinja2') if "
        "n in sys.modules}, file=sys.stderr)\n"
        "sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "replay", str(played)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == "set()\n"


def test_replay_in_time_waits_as_recorded_but_never_long(
    played: Path, tmp_path: Path
) -> None:
    text = played.read_text()
    first, second, third = re.findall(r"^time: (\S+)", text, re.MULTILINE)[:3]
    slow = tmp_path / "slow.yaml"
    day = "2026-01-01T00:00:0"
    slow.write_text(
        text.replace(first, day + "0.000Z", 1)
        .replace(second, day + "4.000Z", 1)
        .replace(third, day + "4.000Z", 1)
    )
    began = time.monotonic()
    command(
        "replay", cut_after(slow, 3, tmp_path / "short.yaml"), "--plain", "--speed", "4"
    )
    assert 1 <= time.monotonic() - began < 30


def test_a_reader_who_leaves_ends_it_quietly(played: Path) -> None:
    for arguments in (["replay", str(played)], ["export", str(played), "--to", "html"]):
        running = subprocess.Popen(
            [*COMMAND, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=os.environ["HOME"],
        )
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        running.stderr.close()
        assert running.wait(20) in (0, 1)


def test_resume_goes_on_from_any_event(played: Path, tmp_path: Path) -> None:
    whole = documents(played)
    for events in range(len(whole) - 1):
        part = cut_after(played, events, tmp_path / f"part{events}.yaml")
        done = command("resume", part, "--output", "json")
        assert done.returncode == 0, done.stderr
        printed = rows(done.stdout)
        assert [row.get("number") for row in printed] == [None, *range(1, len(whole))]
        assert printed[-1]["answer"] == "1.5 m/s"
        assert [row.get("text") for row in documents(part)] == [
            row.get("text") for row in whole
        ]


def test_resuming_a_finished_session_only_prints_it(played: Path) -> None:
    before = played.read_bytes()
    done = command("resume", played)
    assert done.returncode == 0
    assert "Result: 1.5 m/s" in done.stdout
    assert played.read_bytes() == before


def test_a_torn_session_replays_and_resumes_and_loses_nothing(
    played: Path, tmp_path: Path
) -> None:
    whole = played.read_bytes()
    torn = tmp_path / "torn.yaml"
    torn.write_bytes(whole[:-40])
    shown = command("replay", torn)
    assert shown.returncode == 0
    assert "torn.yaml was incomplete and is left out" in shown.stderr
    assert torn.read_bytes() == whole[:-40]
    assert command("resume", torn).returncode == 0
    assert documents(torn)[-1]["answer"] == "1.5 m/s"
    put_aside = (tmp_path / "torn.yaml.torn").read_bytes()
    assert put_aside
    assert whole[:-40].endswith(put_aside)


HEADER = "format: verifytui/1\n"
BAD = {
    "empty": b"",
    "not YAML": b"\x00\x01{{{[",
    "a list": b"- 1\n- 2\n...\n",
    "a text": b"hello\n...\n",
    "something else": b"a: 1\n...\n",
    "from the future": b"format: verifytui/9\nid: x\n...\n",
    "alias bomb": b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n...\n",
    "merge keys": b"format: verifytui/1\nx: &x {a: 1}\ny:\n  <<: *x\n...\n",
    "python object": b"format: !!python/object/apply:os.system ['touch pwned']\n...\n",
    "deep": b"format: " + b"[" * 100_000 + b"\n...\n",
    "binary": bytes(range(256)) * 50,
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_no_session(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(BAD[name])
    for arguments in (
        ["replay", path],
        ["resume", path],
        ["export", path, "--to", "md"],
        ["replay", "-"],
    ):
        refused(command(*arguments, stdin=BAD[name]))
    assert path.read_bytes() == BAD[name]
    assert not (tmp_path / "pwned").exists()


def test_a_file_that_cannot_be_one(tmp_path: Path) -> None:
    refused(command("replay", tmp_path / "missing.yaml"), "missing.yaml")
    refused(command("resume", tmp_path / "missing.yaml"), "missing.yaml")
    refused(command("replay", tmp_path, "--plain"), "folder")
    huge = tmp_path / "huge.yaml"
    with huge.open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    refused(command("replay", huge), "64 MB")


def test_a_session_that_cannot_be_written_is_not_gone_on_with(
    played: Path, tmp_path: Path
) -> None:
    part = cut_after(played, 2, tmp_path / "part.yaml")
    part.chmod(0o400)
    refused(command("resume", part), "read")
    assert command("replay", part).returncode == 0
