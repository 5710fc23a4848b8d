"""A finished run whose command is given again: no session is read, and whatever has
changed since is noticed."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from verifytui.cli.app import main
from verifytui.engines.batches.receipt import FILE
from verifytui.sessions import files
from verifytui.tests.support.commanding import debating
from verifytui.tests.support.loopback import Loopback

LINES = 6


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the session files that were opened."""
    names: list[str] = []
    plain = files.open_file

    def opening(path: Path, write: bool) -> files.OpenedFile:
        names.append(path.name)
        return plain(path, write)

    monkeypatch.setattr(files, "open_file", opening)
    return names


@pytest.fixture
def topics(server: Loopback, tmp_path: Path) -> Path:
    path = tmp_path / "topics.jsonl"
    lines = [
        {"id": f"q{n}", "topic": f"Why {n}?", "answers": ["1.5"]} for n in range(LINES)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(topics: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def debate(*more: str) -> tuple[int, str, str]:
        into = ["--into", str(tmp_path / "out"), "--model", "openai/lb"]
        code = main(["debate", "--topics", str(topics), *into, *more])
        said = capsys.readouterr()
        return code, said.out, said.err

    return debate


def test_the_same_command_again_opens_no_session_and_loads_no_engine(
    run: Run,
    server: Loopback,
    opened: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = run()
    assert first[0] == 0
    del opened[:]
    for engine in ("batches.folder", "batches.run"):  # an import of these would fail
        monkeypatch.setitem(sys.modules, f"verifytui.engines.{engine}", None)
    report = (tmp_path / "out" / "report.json").read_bytes()
    asked = len(server.requests)
    code, out, err = run()
    assert (code, out) == first[:2]
    assert err == first[2].splitlines(keepends=True)[-1]  # a slow run says more before
    assert opened == []
    assert (tmp_path / "out" / "report.json").read_bytes() == report
    assert len(server.requests) == asked
    code, out, _ = run("--output", "json")
    assert (code, out) == (0, (tmp_path / "out" / "summary.jsonl").read_text())
    assert opened == []
    code, _, err = run("--fail-under", "accuracy=.99")
    assert (code, opened) == (1, [])
    assert "accuracy" in err


@pytest.mark.scale
def test_the_same_shard_again_opens_no_session(run: Run, opened: list[str]) -> None:
    first = run("--shard", "1/2")
    del opened[:]
    assert run("--shard", "1/2") == first
    assert "1/2" in first[2]
    assert opened == []
    code, _, err = run("--shard", "2/2")
    assert (code, "1/2" in err) == (2, True)


def test_the_same_command_in_waves_again_opens_no_session_and_sends_no_wave(
    run: Run, server: Loopback, opened: list[str], tmp_path: Path
) -> None:
    first = run("--batch-api")
    assert first[0] == 0, first[2]
    asked = [*server.batches.asked]
    assert asked
    del opened[:]
    code, out, err = run("--batch-api")
    assert (code, out) == first[:2]
    assert err.splitlines()[-1] == first[2].splitlines()[-1]
    assert opened == []
    assert server.batches.asked == asked
    with (tmp_path / "out" / "waves" / "log.jsonl").open("a") as log:
        log.write("\n")
    run("--batch-api")
    assert len(set(opened)) == LINES
    assert server.batches.asked == asked


def _change_a_session(out: Path, topics: Path) -> None:
    path = sorted(out.glob("q*.yaml"))[0]
    stat = path.stat()
    text = path.read_text()
    at = text.index("text: ") + 8
    path.write_text(text[:at] + "#" + text[at + 1 :])  # as large as before
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _remove_a_report(out: Path, topics: Path) -> None:
    (out / "report.html").unlink()


def _spoil_the_receipt(out: Path, topics: Path) -> None:
    path = out / FILE
    path.write_bytes(path.read_bytes()[:-3])


def _touch_the_configuration(out: Path, topics: Path) -> None:
    place = Path(os.environ["VERIFYTUI_HOME"]) / "config.yaml"
    place.write_text("settings: {debate: {rounds: 3}}\n")


@pytest.mark.parametrize(
    "change",
    [
        _change_a_session,
        _remove_a_report,
        _spoil_the_receipt,
        _touch_the_configuration,
    ],
)
def test_what_has_changed_since_is_read(
    change: Callable[[Path, Path], None],
    run: Run,
    opened: list[str],
    topics: Path,
    tmp_path: Path,
) -> None:
    run()
    change(tmp_path / "out", topics)
    run()
    assert len(set(opened)) == LINES
    assert (tmp_path / "out" / "report.html").exists()


def test_a_session_that_is_gone_is_made_again(
    run: Run, server: Loopback, tmp_path: Path
) -> None:
    run()
    asked = len(server.requests)
    sorted((tmp_path / "out").glob("q*.yaml"))[0].unlink()
    code, _, _ = run()
    assert (code, len(server.requests) > asked) == (0, True)


def test_other_options_and_other_lines_are_still_refused(
    run: Run, topics: Path, opened: list[str]
) -> None:
    run()
    code, _, err = run("--level", "0")
    assert (code, "--level" in err) == (2, True)
    topics.write_text(topics.read_text().replace("Why 3?", "Why not 3?"))
    code, _, err = run()
    assert (code, "q3" in err) == (2, True)


def test_a_run_that_is_not_finished_has_no_receipt(
    run: Run, server: Loopback, tmp_path: Path
) -> None:
    server.answer = debating(delay=0)
    code, _, _ = run("--budget-tokens", "20")
    assert code == 3
    assert not (tmp_path / "out" / FILE).exists()
    code, _, _ = run()
    assert code == 0
    assert (tmp_path / "out" / FILE).exists()


STUDY = """
format: verifytui-study/1
name: small
title: One model alone, twice
items: {file: items.jsonl}
base: {method: solo, model: {"*": openai/lb}}
grid: {strategy: [direct, cot]}
measures: [accuracy]
"""


def test_the_same_study_again_opens_no_session(
    server: Loopback,
    opened: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    items = tmp_path / "items.jsonl"
    lines = [{"id": f"q{n}", "topic": "Why?", "answers": ["1.5"]} for n in range(4)]
    items.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "small.yaml").write_text(STUDY)
    command = ["study", str(tmp_path / "small.yaml"), "--into", str(tmp_path / "out")]

    def run() -> tuple[int, str, str]:
        code = main(command)
        said = capsys.readouterr()
        return code, said.out, said.err

    first = run()
    assert first[0] == 0, first[2]
    del opened[:]
    assert run() == first
    assert opened == []
    items.write_text(items.read_text().replace("1.5", "2.5"))
    assert run()[0] == 2
