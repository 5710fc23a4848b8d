"""One writer for a file, also where the file system has no locks of its own."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from verifytui.sessions import locks
from verifytui.sessions.errors import SessionError, WriteError
from verifytui.sessions.events import Note
from verifytui.sessions.journal import Journal

WITHOUT_FLOCK = """
import errno, fcntl, sys
from pathlib import Path

def refused(fd, how):
    raise OSError(errno.ENOSYS, "Function not implemented")

fcntl.flock = refused
from verifytui.sessions.events import Note
from verifytui.sessions.journal import Journal
"""

WRITER = (
    WITHOUT_FLOCK
    + """
sys.stdin.readline()
with Journal.open(Path(sys.argv[1])) as journal:
    print("writes" if journal.writable else "reads", flush=True)
    sys.stdin.readline()
    if journal.writable:
        for n in range(50):
            journal.append(Note(text=f"{sys.argv[2]} {n}"))
"""
)

HOLDER = (
    WITHOUT_FLOCK
    + """
import os, signal
journal = Journal.open(Path(sys.argv[1]))
print(journal.writable, flush=True)
sys.stdin.readline()
os.kill(os.getpid(), signal.SIGKILL)
"""
)


@pytest.fixture(params=[errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def no_flock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(fd: int, how: int) -> None:
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(fcntl, "flock", refused)


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def say(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_of_four_writers_without_flock_one_writes_and_the_session_stays_whole(
    saved: Path,
) -> None:
    before = len(Journal.open(saved, write=False).session.events)
    writers = [start(WRITER, saved, n) for n in range(4)]
    for writer in writers:
        say(writer)
    roles = [heard(writer) for writer in writers]
    for writer in writers:
        say(writer)
    assert [writer.wait() for writer in writers] == [0] * 4
    assert sorted(roles) == ["reads", "reads", "reads", "writes"]
    events = Journal.open(saved, write=False).session.events
    assert [event.number for event in events] == list(range(1, before + 51))
    assert not locks.lock_file(saved).exists()


def test_without_flock_a_session_that_is_open_is_read_only_and_is_taken_over_when_it_is_closed(
    saved: Path, no_flock: None
) -> None:
    with Journal.open(saved) as writer:
        assert writer.writable
        assert locks.in_use(saved)
        with Journal.open(saved) as reader:
            assert not reader.writable
            assert "open in another VerifyTUI" in (reader.why_read_only or "")
            assert not reader.take_over()
            kept = writer.append(Note(text="one more"))
            assert reader.follow() == [kept]
            writer.close()
            assert reader.take_over()
            reader.append(Note(text="and another"))
    assert not locks.in_use(saved)
    assert sorted(path.name for path in saved.parent.iterdir()) == [saved.name]


def test_the_lock_file_of_a_killed_process_is_removed(
    saved: Path, no_flock: None
) -> None:
    with start(HOLDER, saved) as holder:
        assert heard(holder) == "True"
        assert locks.in_use(saved)
        say(holder)
        holder.wait()
    assert locks.lock_file(saved).exists()
    assert not locks.in_use(saved)
    with Journal.open(saved) as journal:
        assert journal.writable
    assert not locks.lock_file(saved).exists()


def owner(path: Path) -> locks.Owner:
    return msgspec.json.decode(locks.lock_file(path).read_bytes(), type=locks.Owner)


@pytest.mark.parametrize("change", [{"host": "another"}, {"world": "{boot} pid:[1]"}])
def test_a_lock_file_of_another_host_or_container_is_respected_and_named(
    saved: Path, no_flock: None, change: dict[str, str]
) -> None:
    with Journal.open(saved):
        mine = owner(saved)
    boot = mine.world.partition(" ")[0]
    changed = {name: value.format(boot=boot) for name, value in change.items()}
    locks.lock_file(saved).write_bytes(
        msgspec.json.encode(
            msgspec.structs.replace(mine, pid=1, started="0", **changed)
        )
    )
    with Journal.open(saved) as journal:
        assert not journal.writable
        assert f"{locks.lock_file(saved)} says that another VerifyTUI" in (
            journal.why_read_only or ""
        )
        assert "delete that file if no such process runs" in (
            journal.why_read_only or ""
        )
        locks.lock_file(saved).unlink()
        assert journal.take_over()


@pytest.mark.parametrize("content", [b"", b"{", b"null", b"\xff" * 10])
def test_a_lock_file_that_cannot_be_read_is_respected(
    saved: Path, no_flock: None, content: bytes
) -> None:
    locks.lock_file(saved).write_bytes(content)
    assert locks.in_use(saved)
    with Journal.open(saved) as journal:
        assert not journal.writable


def test_a_lock_of_before_the_last_start_of_the_machine_is_removed(
    saved: Path, no_flock: None
) -> None:
    with Journal.open(saved):
        mine = owner(saved)
    locks.lock_file(saved).write_bytes(
        msgspec.json.encode(msgspec.structs.replace(mine, world="another-boot pid:[1]"))
    )
    with Journal.open(saved) as journal:
        assert journal.writable


def test_where_no_lock_can_be_made_a_session_is_read_only_and_none_is_begun(
    saved: Path, no_flock: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = os.open

    def refused(path: object, flags: int, *rest: object, **more: object) -> int:
        if str(path).endswith(".lock"):
            raise OSError(errno.EROFS, "Read-only file system")
        return make(path, flags, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refused)
    with Journal.open(saved) as journal:
        assert not journal.writable
        assert "cannot be locked" in (journal.why_read_only or "")
        header = journal.session.header
    with pytest.raises(SessionError, match="because it cannot be locked"):
        Journal.create(saved.with_name("new.yaml"), header)
    assert not saved.with_name("new.yaml").exists()


def test_a_file_changed_in_place_is_noticed_and_left_alone(saved: Path) -> None:
    with Journal.open(saved) as journal, Journal.open(saved, write=False) as reader:
        data = saved.read_bytes()
        changed = data.replace(b"1.5 m/s", b"2.5 m/s")
        assert len(changed) == len(data)
        assert changed != data
        with (
            saved.open("r+b") as file
        ):  # the same file with the same length, as an editor that writes in place leaves it
            file.write(changed)
        with pytest.raises(WriteError, match="was changed by another program"):
            journal.append(Note(text="one more"))
        with pytest.raises(SessionError, match="was changed by another program"):
            reader.follow()
        assert saved.read_bytes() == changed


def test_a_file_that_was_only_touched_is_gone_on_with(saved: Path) -> None:
    with Journal.open(saved) as journal:
        os.utime(saved, ns=(1, 1))
        journal.append(Note(text="one more"))
        assert Journal.open(saved, write=False).session == journal.session


def test_without_proc_a_process_is_known_by_its_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("ps") is None:
        pytest.skip("there is no ps")
    monkeypatch.setattr(locks, "PROC", tmp_path / "none")
    mine = locks._started(os.getpid()) or ""
    assert re.search(r"\d\d:\d\d:\d\d \d{4}$", mine)
    assert locks._started(os.getpid()) == mine
    with subprocess.Popen(["true"]) as child:
        child.wait()
    assert locks._started(child.pid) == ""
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    assert locks._started(os.getpid()) == mine
    other = locks._myself()
    assert not locks._gone(other)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert locks._started(os.getpid()) is None
    assert not locks._gone(other)
    assert not locks._gone(msgspec.structs.replace(other, started=""))
