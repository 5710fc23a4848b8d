"""Killed while a session is begun: it is there with its header or not at all, and an
empty file hurts nobody.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from verifytui.sessions import locks
from verifytui.sessions.errors import SessionError
from verifytui.sessions.journal import Journal
from verifytui.sessions.library import Library
from verifytui.sessions.paths import paths
from verifytui.tests.support.beginning import Words, commands, read, said
from verifytui.tests.support.fork_server import ForkServer
from verifytui.tests.support.worlds import told, world
from verifytui.tui.screens.home import waits

pytestmark = pytest.mark.slow

BEGIN = """
import os, signal, sys
from pathlib import Path
from verifytui.sessions import files
from verifytui.sessions.journal import Journal
from verifytui.tests.support.worlds import world

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def half(fd, data):
    os.write(fd, bytes(data)[:len(data) // 2])
    die()

def without_a_name():
    del os.O_TMPFILE

link = os.link
def linked(*arguments, **more):
    link(*arguments, **more)
    die()

MOMENTS = {
    "begun": lambda: setattr(files, "write_all", die),
    "half written": lambda: setattr(files, "write_all", half),
    "written": lambda: setattr(os, "link", die),
    "named": lambda: setattr(os, "link", linked),
    "begun without unnamed files": lambda: (without_a_name(), setattr(files, "write_all", die)),
    "half written without unnamed files": lambda: (without_a_name(), setattr(files, "write_all", half)),
}
MOMENTS[sys.argv[1]]()
Journal.create(Path(sys.argv[2]), world("debate", 1).header)
"""


def kill_at(moment: str, path: Path) -> None:
    """A process that begins a session and is killed at that moment."""
    done = subprocess.run(
        [sys.executable, "-c", BEGIN, moment, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def unnamed_files(folder: Path) -> bool:
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
    except (OSError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("moment", ["begun", "half written", "written", "named"])
def test_killed_at_any_moment_a_session_is_there_with_its_header_or_not_at_all(
    moment: str, tmp_path: Path
) -> None:
    if not unnamed_files(tmp_path):
        pytest.skip("this file system has no files without a name")
    path = tmp_path / "into" / "one.yaml"
    path.parent.mkdir()
    kill_at(moment, path)
    assert list(path.parent.iterdir()) == [path] * (moment == "named")
    if moment == "named":
        with Journal.open(path) as journal:
            assert journal.session.header.title == "Why 1?"
            assert journal.writable


@pytest.mark.parametrize("named", [True, False])
def test_a_new_session_is_locked_private_and_never_over_another(
    named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if named:
        monkeypatch.delattr(os, "O_TMPFILE")
    header = world("debate", 1).header
    with Journal.create(tmp_path / "a.yaml", header) as journal:
        assert locks.in_use(tmp_path / "a.yaml")
        assert (tmp_path / "a.yaml").stat().st_mode & 0o777 == 0o600
        before = (tmp_path / "a.yaml").read_bytes()
        with pytest.raises(SessionError, match="already exists"):
            Journal.create(tmp_path / "a.yaml", header)
        assert (tmp_path / "a.yaml").read_bytes() == before
        assert journal.session.header.id == header.id
    with pytest.raises(SessionError, match="no such file"):
        Journal.create(tmp_path / "nowhere" / "a.yaml", header)
    (tmp_path / "link.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    with pytest.raises(SessionError, match="already exists"):
        Journal.create(tmp_path / "link.yaml", header)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.yaml", "link.yaml"]


def test_where_names_cannot_be_given_later_the_file_is_made_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refused)
    with Journal.create(tmp_path / "a.yaml", world("debate", 1).header) as journal:
        assert journal.writable
        assert locks.in_use(tmp_path / "a.yaml")
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]
    assert (
        Journal.open(tmp_path / "a.yaml", write=False).session.header.title == "Why 1?"
    )


@pytest.mark.parametrize(
    "moment", ["begun without unnamed files", "half written without unnamed files"]
)
def test_a_file_without_a_header_hurts_nobody(
    moment: str, forks: ForkServer, env: dict[str, str], home: Path, tmp_path: Path
) -> None:
    """What a file system of another kind may be left with; and a power cut any."""
    library, out, log = Library(paths(env)), tmp_path / "out", tmp_path / "log"
    with library.create(world("debate", 2).header) as good:
        assert good.path is not None
    left = library.new_path("left")
    kill_at(moment, left)
    why = (
        "is empty; you can delete it"
        if moment.startswith("begun")
        else "first document is incomplete"
    )

    found = {entry.path: entry for entry in library.entries()}
    assert why in (found[left].broken or "")
    assert not found[good.path].broken
    assert not any(map(waits, library.entries()))
    assert forks.wait(forks.start(["sessions"], env, out, log)) == 0, said(out)
    assert "Why 2?" in out.read_text()
    assert why in out.read_text() + said(out)
    refused: list[Words] = [
        ["replay", left, "--plain"],
        ["resume", left],
        ["export", left, "--to", "md"],
        ["sessions", "rename", left, "New"],
    ]
    for command in refused:
        before = left.read_bytes()
        assert forks.wait(forks.start(command, env, out, log)) == 2, command
        assert why in said(out), command
        assert len(said(out).splitlines()) == 1
        assert left.read_bytes() == before
    library.delete(left)
    assert [entry.path for entry in library.entries()] == [good.path]


@pytest.mark.parametrize(
    "moment", ["begun without unnamed files", "half written without unnamed files"]
)
def test_a_batch_goes_on_over_a_file_without_a_header(
    moment: str, forks: ForkServer, env: dict[str, str], tmp_path: Path
) -> None:
    out, log, into = tmp_path / "out", tmp_path / "log", tmp_path / "into"
    begin, _ = commands("rag", True, into, tmp_path)
    assert forks.wait(forks.start(begin, env, out, log)) == 0, said(out)
    before = {path.name: told(read(path)) for path in into.glob("*.yaml")}
    left = into / "n1.yaml"
    left.unlink()
    kill_at(moment, left)
    assert forks.wait(forks.start(begin, env, out, log)) == 0, said(out)
    assert {path.name: told(read(path)) for path in into.glob("*.yaml")} == before
    assert {
        json.loads(row)["status"]
        for row in (into / "summary.jsonl").read_text().splitlines()
    } == {"done"}
