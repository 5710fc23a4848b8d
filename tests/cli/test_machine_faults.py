"""A machine that lacks something, an address that is none, a config that everybody may
change: one sentence each.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
from pathlib import Path
from typing import Any

import pytest
from verifytui.cli import app
from verifytui.sessions.errors import machine_fault
from verifytui.tests.support.commanding import COMMAND, HILL, command, refused

pytestmark = pytest.mark.slow

FAULTS = [
    (MemoryError(), "There is not enough memory"),
    (OSError(24, "Too many open files"), "Too many files are open"),
    (OSError(23, "Too many open files in system"), "Too many files are open"),
]


@pytest.mark.parametrize(("error", "sentence"), FAULTS)
def test_what_the_machine_lacks_is_said_and_no_defect_is_reported(
    home: Path,
    error: Exception,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(arguments: list[str]) -> int:
        raise error

    monkeypatch.setattr(app, "_invoke", fails)
    monkeypatch.setattr(app.console, "ends_like_ctrl_c", lambda: None)
    assert app.main([]) == 1
    said = capsys.readouterr().err
    assert said.startswith(sentence)
    assert said.count("\n") == 1
    assert not (home / "state").exists()


def test_a_defect_is_no_fault_of_the_machine() -> None:
    assert machine_fault(ValueError("x")) is None
    assert machine_fault(OSError(2, "No such file")) is None


def limited(*arguments: str, files: int) -> subprocess.CompletedProcess[str]:
    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        preexec_fn=few,
        check=False,
        timeout=100,
    )


def test_doctor_says_it_when_no_more_files_can_be_opened(home: Path) -> None:
    seen = set()
    for files in range(5, 9):
        done = limited("doctor", files=files)
        assert "Traceback" not in done.stderr + done.stdout
        assert "Warning" not in done.stderr
        if "Too many files are open for this system" in done.stdout + done.stderr:
            seen.add(files)
            assert done.returncode == 1
    assert seen


@pytest.mark.parametrize("closed", ["<&-", "<&- >&-", "<&- >&- 2>&-", ">&-"])
def test_a_stream_that_the_parent_closed_is_nothing_and_no_file_takes_its_place(
    home: Path, tmp_path: Path, closed: str
) -> None:
    kept = tmp_path / "hill.yaml"
    for line in (
        ["debate", HILL, "--save", str(kept)],
        ["replay", str(kept), "--plain"],
        ["doctor"],
    ):
        words = " ".join(f"'{word}'" for word in [*COMMAND, *line])
        done = subprocess.run(
            ["sh", "-c", f"{words} {closed}"],
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
        assert done.returncode == 0, done.stderr
        assert "wrong" not in done.stderr
    text = kept.read_text()
    assert text.startswith("format: verifytui/1\n")
    assert text.rstrip().endswith("...")
    assert "Round 1" not in text.splitlines()


@pytest.mark.parametrize("line", [["replay", "-"], ["ask", "x", "--references", "-"]])
def test_a_closed_stdin_that_is_to_be_read_is_bad_input(
    home: Path, line: list[str]
) -> None:
    words = " ".join(f"'{word}'" for word in [*COMMAND, *line])
    done = subprocess.run(
        ["sh", "-c", f"{words} <&-"],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert "stdin is closed; name a file, or pipe in" in done.stderr


ADDRESSES = {
    "htp:/bad": "it does not begin with http:// or https://",
    "localhost:8000/v1": "it does not begin with http:// or https://",
    "http://": "it has no host",
    "http://[::1": "its host or its port cannot be read",
    "http://host:99999/v1": "its host or its port cannot be read",
    "http://host:0/v1": "its port is not from 1 to 65535",
    "http://user:secretword@ho st/v1": "it contains a space",
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_that_is_none_is_said_by_doctor_and_where_it_is_used(
    home: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    monkeypatch.setenv("OPENAI_API_BASE", address)
    sentence = (
        f"OPENAI_API_BASE is not the address of a server ({ADDRESSES[address]}); "
        f"write it as in http://localhost:8000/v1."
    )
    done = command("doctor", "--output", "json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["broken"] == [sentence]
    done = command("debate", "Is it so?", "--model", "openai/x", "--no-save")
    assert done.returncode == 2
    assert sentence in done.stderr + done.stdout
    assert "Retrying in" not in done.stderr
    home.mkdir(exist_ok=True)
    monkeypatch.delenv("OPENAI_API_BASE")
    (home / "config.yaml").write_text(
        json.dumps({"models": {"lab": {"model": "openai/x", "api_base": address}}})
    )
    if "secretword" not in address:  # what looks like a password is refused before
        refused(
            command("models"),
            f"models.lab.api_base is not the address of a server ({ADDRESSES[address]})",
        )
    assert "secretword" not in done.stderr + done.stdout


def test_doctor_calls_a_config_that_everybody_may_change_broken(home: Path) -> None:
    home.mkdir()
    config = home / "config.yaml"
    config.write_text("language: en\n")
    for mode, broken in ((0o600, False), (0o644, False), (0o666, True), (0o602, True)):
        config.chmod(mode)
        done = command("doctor", "--output", "json")
        told = " ".join(json.loads(done.stdout)["broken"])
        assert (
            "Anyone on this machine can change" in told and "config.yaml" in told
        ) is broken, oct(mode)
        assert done.returncode == int(broken)
    config.chmod(0o600)
    os.chmod(home, 0o777)
    assert command("doctor").returncode == 1
    os.chmod(home, 0o700)


def test_a_line_of_a_batch_that_cannot_open_a_file_says_so_and_the_others_go_on(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verifytui.engines.batches.folder import BatchFolder

    usual = BatchFolder.journal

    def refused(self: BatchFolder, line: Any, header: Any) -> Any:
        if line.id == "second":
            raise OSError(24, "Too many open files")
        return usual(self, line, header)

    monkeypatch.setattr(BatchFolder, "journal", refused)
    monkeypatch.setattr(app.console, "ends_like_ctrl_c", lambda: None)
    topics = tmp_path / "topics.jsonl"
    topics.write_text(
        "".join(
            json.dumps({"id": name, "topic": HILL}) + "\n"
            for name in ("first", "second", "third")
        )
    )
    assert (
        app.main(["debate", "--topics", str(topics), "--into", str(tmp_path / "out")])
        == 1
    )
    rows = {
        row["id"]: row
        for row in map(
            json.loads, (tmp_path / "out" / "summary.jsonl").read_text().splitlines()
        )
    }
    assert [rows[name]["status"] for name in ("first", "second", "third")] == [
        "done",
        "failed",
        "done",
    ]
    assert rows["second"]["error"].startswith("Too many files are open")
    assert not (home / "state" / "crashes").exists()
