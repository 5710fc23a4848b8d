"""Defects in each tab, with the session's text and a key in their hands: what their
reports hold, and what they do not hold.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from verifytui.sessions import crash
from verifytui.tests.support import crashing
from verifytui.tests.support.terminal import Terminal

pytestmark = pytest.mark.slow

KEY = "sk-loopback-0123456789"
PROGRAM = [sys.executable, "-m", crashing.__name__]
READY = {
    "debate": "Press space for the first speech",
    "rag": "Press space to retrieve references",
    "relevance": "Judged by lexical",
}


@pytest.fixture(autouse=True)
def _key(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def begin(workspace: str, folder: Path) -> list[str]:
    """What begins a session of a workspace."""
    (folder / "a.txt").write_text(
        f"{crashing.WORDS}, said the accused, and took a ring from the house."
    )
    return {
        "debate": ["debate", f"{crashing.WORDS}: why?", "--model", "openai/x"],
        "rag": ["ask", f"{crashing.WORDS}: why?", "--corpus", str(folder / "a.txt")],
        "relevance": [
            "relevance",
            "--query",
            str(folder / "a.txt"),
            "--candidates",
            str(folder / "a.txt"),
        ],
    }[workspace]


def app(where: str, workspace: str, folder: Path) -> Terminal:
    """The app on a new session, with a defect in it."""
    line = [*PROGRAM, where, *begin(workspace, folder), "--tui"]
    return Terminal(shell="exec " + shlex.join(line), size=(120, 36))


def reports(home: Path) -> list[Path]:
    """The reports, which only their owner reads, and in which nothing stands that was
    said.
    """
    found = sorted(
        (home / "state" / "crashes").glob("*"),
        key=lambda path: (path.stat().st_mtime_ns, path.name),
    )
    for report in found:
        assert report.stat().st_mode & 0o777 == 0o600
        silent(report.read_text())
        assert "crashing.py" in report.read_text()
        assert "builtins.ValueError" in report.read_text().splitlines()[1]
        assert "after builtins.KeyError" in report.read_text()
    for path in home.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()
    return found


def silent(text: str) -> None:
    assert crashing.WORDS not in text
    assert KEY not in text
    assert "Traceback" not in text


@pytest.mark.parametrize("workspace", READY)
def test_a_defect_in_a_step_is_said_and_one_in_a_handler_ends_the_app(
    workspace: str, home: Path, tmp_path: Path
) -> None:
    with app("engine+handler", workspace, tmp_path) as terminal:
        terminal.until(READY[workspace])
        terminal.press("space")
        terminal.until("Something went wrong")
        terminal.until("ValueError")
        (first,) = reports(home)
        terminal.press("home")
        told = terminal.ended(1)
        assert KEY.encode() not in terminal.raw
    silent(told)
    assert "had to stop" in told
    assert str(reports(home)[-1]) in told
    assert reports(home)[0] == first


@pytest.mark.parametrize("workspace", READY)
def test_a_defect_while_drawing_ends_the_app_and_names_its_report(
    workspace: str, home: Path, tmp_path: Path
) -> None:
    with app("render", workspace, tmp_path) as terminal:
        told = terminal.ended(1)
        assert KEY.encode() not in terminal.raw
    silent(told)
    assert [str(report) for report in reports(home) if str(report) in told]


def test_defects_beside_the_work_are_reported_and_not_printed(
    home: Path, tmp_path: Path
) -> None:
    with app("beside", "debate", tmp_path) as terminal:
        terminal.until(READY["debate"])
        terminal.press("home")
        terminal.until("Something went wrong")
        terminal.until(lambda: len(reports(home)) == 3)
        terminal.press("q")
        assert terminal.ended() == ""
        assert KEY.encode() not in terminal.raw
    done = subprocess.run(
        [sys.executable, "-m", "verifytui", "doctor", "--output", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    found = json.loads(done.stdout)["last crash"]
    assert Path(found["report"]).expanduser() == reports(home)[-1]
    assert found["what"] == "builtins.ValueError"


def test_a_defect_without_the_app_is_one_sentence(home: Path, tmp_path: Path) -> None:
    line = [*PROGRAM, "engine", *begin("relevance", tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    silent(done.stderr)
    (report,) = reports(home)
    assert str(report) in done.stderr


def test_reports_of_the_same_moment_are_all_kept(home: Path) -> None:
    together = threading.Barrier(8)

    def report() -> None:
        together.wait()
        try:
            crashing.fail(crashing.WORDS)
        except ValueError as error:
            crash.crash_report(error)

    threads = [threading.Thread(target=report) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reports(home)) == 8


def test_a_report_holds_every_error_and_no_second_one_replaces_it(home: Path) -> None:
    class Holder(Exception):
        error: Exception

    made = []
    for _ in range(3):
        try:
            try:
                crashing.fail(crashing.WORDS)
            except ValueError as inner:
                holder = Holder(crashing.WORDS)
                holder.error = inner
                raise ExceptionGroup(crashing.WORDS, [holder]) from None
        except ExceptionGroup as error:
            made.append(crash.crash_report(error))
    texts = [Path(report or "").read_text() for report in made]
    assert len(set(made)) == 3
    for text in texts:
        silent(text)
        assert "ExceptionGroup" in text.splitlines()[1]
        assert text.count("\nafter ") == 3
        assert " fail: raise error from first" in text
    assert crash.last_crash(home / "state" / "crashes") == Path(made[-1] or "")


def test_a_template_of_the_users_is_not_quoted(home: Path) -> None:
    import jinja2

    template = jinja2.Environment(autoescape=True).from_string(
        f"{crashing.WORDS} {{{{ 1 / 0 }}}}"
    )
    try:
        template.render()
    except ZeroDivisionError as error:
        report = crash.crash_report(error)
    silent(Path(report or "").read_text())


def test_where_no_report_can_be_written_there_is_none(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.write_text("a file")
    assert crash.crash_report(ValueError()) is None
    assert os.path.isfile(home)
