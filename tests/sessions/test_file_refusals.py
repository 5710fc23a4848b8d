"""What session files and their locks refuse, in whole sentences, and what is left then."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from verifytui.sessions import files, locks
from verifytui.sessions.errors import BadInput, SessionError, WriteError
from verifytui.sessions.events import Change, Note
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Header, Seat
from verifytui.tests.support.refusing import sentence

NO_SPACE = "no space left on device"
CUT_OFF = b"---\nevent: sp"


def fails(
    number: int, on: Callable[..., bool] = lambda *_: True, times: int = 99
) -> Any:
    """Stands for a function of `os`: it fails with that error, `times` times, where
    `on` holds.
    """
    left = [times]

    def instead(real: Any) -> Any:
        def call(*given: Any, **more: Any) -> Any:
            if left[0] and on(*given):
                left[0] -= 1
                raise OSError(number, os.strerror(number))
            return real(*given, **more)

        return call

    return instead


def ends_with(name: str) -> Callable[..., bool]:
    return lambda path, *_: str(path).endswith(name)


@pytest.fixture
def replace(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], None]:
    def put(name: str, instead: Any) -> None:
        monkeypatch.setattr(os, name, instead(getattr(os, name)))

    return put


@pytest.fixture
def no_flock(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(fd: int, how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refused)


@pytest.fixture(params=[True, False], ids=["unnamed", "named"])
def unnamed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the file system has files without a name."""
    if not request.param:
        monkeypatch.delattr(os, "O_TMPFILE")
    return bool(request.param)


# ---------------------------------------------------------------- sessions


def test_an_existing_file_is_named(saved: Path, header: Header, unnamed: bool) -> None:
    assert sentence(lambda: Journal.create(saved, header)) == (
        f"{saved} already exists and is not overwritten; choose another name."
    )


def test_no_room_for_a_header_is_said_and_leaves_nothing(
    tmp_path: Path, header: Header, unnamed: bool, replace: Callable[[str, Any], None]
) -> None:
    path = tmp_path / "new.yaml"
    replace("write", fails(errno.ENOSPC))
    with pytest.raises(WriteError) as full:
        Journal.create(path, header)
    assert str(full.value) == (
        f"{path} could not be written ({NO_SPACE}); "
        "the file is as it was before this event."
    )
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_is_whole_private_and_locked(
    tmp_path: Path, header: Header, unnamed: bool
) -> None:
    path = tmp_path / "new.yaml"
    with Journal.create(path, header) as journal:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert locks.in_use(path)
        assert Journal.open(path, write=False).session == journal.session
        journal.append(Note(text="one"))
        journal.append(Note(text="two"))
    assert not locks.in_use(path)
    assert len(Journal.open(path, write=False).session.events) == 2


def test_a_folder_that_is_not_there_is_said(tmp_path: Path, header: Header) -> None:
    path = tmp_path / "no" / "new.yaml"
    assert sentence(lambda: Journal.create(path, header)) == (
        f"{path} cannot be written: no such file or directory."
    )


def test_what_is_no_session_file_is_called_what_it_is(tmp_path: Path) -> None:
    gone, pipe = tmp_path / "none.yaml", tmp_path / "pipe"
    os.mkfifo(pipe)
    for write in (True, False):
        said = [
            sentence(lambda path=path, write=write: Journal.open(path, write=write))  # type: ignore[misc]
            for path in (gone, tmp_path, pipe)
        ]
        assert said == [
            f"{gone} does not exist; `verifytui sessions` lists your sessions.",
            f"{tmp_path} is a folder, not a session file.",
            f"{pipe} is not a regular file, not a session file.",
        ]


def test_why_a_session_is_read_only(
    saved: Path, replace: Callable[[str, Any], None]
) -> None:
    why = Journal.open(saved, write=False).why_read_only
    assert why == "This session was opened read-only."
    with Journal.open(saved), Journal.open(saved) as reader:
        assert reader.why_read_only == (
            "This session is open in another VerifyTUI process, so it is read-only "
            "here; new events still appear."
        )
    saved.chmod(0o400)
    with Journal.open(saved) as marked:
        assert marked.why_read_only == (
            f"{saved} is marked read-only; fork it to continue."
        )
    saved.chmod(0o600)
    for number in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ETXTBSY):
        replace("open", fails(number, ends_with("saved.yaml"), times=1))
        with Journal.open(saved) as refused:
            assert len(refused.session.events) == 4
            assert (refused.why_read_only or "").startswith(
                f"{saved} cannot be written ("
            )
            assert (refused.why_read_only or "").endswith(
                "), so it is open read-only; fork it to continue."
            )


def test_a_file_that_cannot_be_opened_or_read_is_said(
    saved: Path, replace: Callable[[str, Any], None]
) -> None:
    replace("dup", fails(errno.EIO))
    assert sentence(lambda: Journal.open(saved)) == (
        f"{saved} cannot be read: input/output error."
    )
    assert not locks.in_use(saved)
    replace("open", fails(errno.EIO, ends_with("saved.yaml"), times=1))
    assert sentence(lambda: Journal.open(saved)) == (
        f"{saved} cannot be opened: input/output error."
    )


def test_a_file_over_64_mb_is_not_read(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LIMIT", saved.stat().st_size)
    assert Journal.open(saved, write=False).session.events
    monkeypatch.setattr(files, "LIMIT", saved.stat().st_size - 1)
    assert sentence(lambda: Journal.open(saved)) == (
        f"{saved} is larger than 64 MB, the limit of a session; nothing was read."
    )


def test_an_event_that_does_not_fit_leaves_the_file_as_it_was(
    saved: Path, replace: Callable[[str, Any], None]
) -> None:
    before = saved.read_bytes()
    with Journal.open(saved) as journal:
        replace("fsync", fails(errno.ENOSPC, times=1))
        with pytest.raises(WriteError) as full:
            journal.append(Note(text="x"))
        assert str(full.value) == (
            f"{saved} could not be written ({NO_SPACE}); "
            "the file is as it was before this event."
        )
        assert saved.read_bytes() == before
        assert len(journal.session.events) == 4
        assert journal.append(Note(text="x")).number == 5
    assert len(Journal.open(saved, write=False).session.events) == 5


def test_events_are_synced_at_once_or_later(
    tmp_path: Path, header: Header, replace: Callable[[str, Any], None]
) -> None:
    synced: list[str] = []

    def noted(real: Any) -> Any:
        def call(fd: int) -> None:
            folder = stat.S_ISDIR(os.fstat(fd).st_mode)
            synced.append("folder" if folder else "file")
            real(fd)

        return call

    replace("fsync", noted)
    with Journal.create(tmp_path / "a.yaml", header) as journal:
        assert synced == []
        journal.append(Note(text="x"))
        assert synced == ["file", "folder"]
        journal.append(Note(text="y"))
        assert synced == ["file", "folder", "file"]
    synced.clear()
    with Journal.create(tmp_path / "b.yaml", header) as journal:
        journal.sync_later = True
        journal.append(Note(text="x"))
        assert synced == []
        journal.sync()
        assert synced == ["file", "folder"]
        with journal.fork(tmp_path / "c.yaml", 1, "fork"):
            assert synced == ["file", "folder"] * 2
    synced.clear()
    with Journal.open(tmp_path / "b.yaml") as journal:
        journal.append(Note(text="y"))
        assert synced == ["file"]
    journal.sync()
    Journal.create(None, header).sync()
    assert synced == ["file"]


def test_a_sync_that_fails_is_said(
    saved: Path, replace: Callable[[str, Any], None]
) -> None:
    with Journal.open(saved) as journal:
        replace("fsync", fails(errno.EIO, times=1))
        with pytest.raises(WriteError) as failed:
            journal.sync()
        assert (
            str(failed.value) == f"{saved} could not be written (input/output error)."
        )
        journal.sync()


def test_a_fork_that_cannot_be_synced_is_not_there(
    saved: Path, replace: Callable[[str, Any], None]
) -> None:
    fork = saved.with_name("fork.yaml")
    with Journal.open(saved) as journal:
        replace("fsync", fails(errno.EIO, times=1))
        with pytest.raises(WriteError):
            journal.fork(fork, 4, "fork")
        assert not fork.exists()
        journal.fork(fork, 4, "fork").close()
        replace("fsync", fails(errno.EIO, times=1))
        replace("unlink", fails(errno.EIO))
        with pytest.raises(WriteError):
            journal.fork(saved.with_name("third.yaml"), 4, "fork")


def test_a_fork_from_the_very_beginning(saved: Path) -> None:
    with Journal.open(saved) as journal:
        fork = journal.fork(saved.with_name("fork.yaml"), 0, "edit", title="Other")
        with fork:
            assert fork.session.events == []
            parent = fork.session.header.parent
            assert parent is not None
            assert (parent.number, parent.why) == (0, "edit")
            fork.append(Note(text="x"))
        with pytest.raises(IndexError, match="there is no event -1"):
            journal.fork(None, -1, "fork")
        with pytest.raises(IndexError, match="there is no event 5"):
            journal.fork(None, 5, "fork")
    again = Journal.open(saved.with_name("fork.yaml"), write=False)
    assert [event.number for event in again.session.events] == [1]
    assert again.session.title == "Other"


def test_a_fork_is_of_the_same_method(header: Header) -> None:
    header.method = "panel"
    fork = Journal.create(None, header).fork(None, 0, "fork")
    assert fork.session.header.method == "panel"
    assert fork.session.header.workspace == header.workspace


def test_a_fork_says_what_is_changed_in_it(saved: Path) -> None:
    """A change that the copied events bring is answered by one that brings what was
    asked for.
    """
    with Journal.open(saved) as journal:
        journal.append(Change(field="settings.level", old=2, new=3))
        journal.append(Change(field="lineup.judge", new={"model": "m/j"}))
        journal.append(Change(field="title", old="How fast was Alice?", new="Fast"))
        fork = journal.fork(
            None,
            7,
            "swap",
            lineup={"judge": Seat(model="m/q")},
            settings={"level": 1, "stop": "adaptive"},
            title="Slow",
        )
        same = journal.fork(None, 7, "fork")
    changes = [event for event in fork.session.events[7:] if isinstance(event, Change)]
    assert [(one.field, one.old, one.new) for one in changes] == [
        ("lineup.judge", {"model": "m/j"}, {"model": "m/q"}),
        ("settings.level", 3, 1),
        ("title", "Fast", "Slow"),
    ]
    assert (same.session.title, len(same.session.events)) == ("Fast", 7)


def test_a_torn_end_is_said_and_moved(saved: Path) -> None:
    whole = saved.read_bytes()
    saved.write_bytes(whole + CUT_OFF)
    kept = saved.with_name("saved.yaml.torn")
    left_out = f"({len(CUT_OFF)} bytes)."
    assert Journal.open(saved, write=False).torn == (
        f"The last event of {saved} was incomplete and is left out {left_out}"
    )
    unnamed = Journal.from_bytes(saved.read_bytes()).torn
    assert unnamed == (
        f"The last event of the input was incomplete and is left out {left_out}"
    )
    assert Journal.from_bytes(saved.read_bytes(), "stdin").torn == (
        f"The last event of stdin was incomplete and is left out {left_out}"
    )
    assert not kept.exists()
    with Journal.open(saved) as journal:
        assert journal.torn == (
            f"The last event of {saved} was incomplete; "
            f"its {len(CUT_OFF)} bytes were moved to {kept}."
        )
        journal.append(Note(text="x"))
    assert kept.read_bytes() == CUT_OFF
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert saved.read_bytes().startswith(whole)
    assert Journal.open(saved, write=False).torn is None


def test_a_torn_end_that_cannot_be_moved_stays(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes() + CUT_OFF)
    before = saved.read_bytes()
    saved.with_name("saved.yaml.torn").symlink_to(saved)
    with Journal.open(saved) as journal:
        assert journal.why_read_only == (
            f"{saved} ends in an incomplete event and cannot be repaired: "
            "too many levels of symbolic links."
        )
    assert saved.read_bytes() == before


def test_a_session_without_its_last_line_end_gets_it(saved: Path) -> None:
    whole = saved.read_bytes()
    saved.write_bytes(whole.removesuffix(b"\n"))
    with Journal.open(saved) as journal:
        assert journal.torn is None
        journal.append(Note(text="x"))
    assert saved.read_bytes().startswith(whole + b"---\n")


def test_whoever_follows_is_told_of_other_changes(saved: Path) -> None:
    whole = saved.read_bytes()
    changed = (
        f"{saved} was changed by another program, so what is shown is out of date; "
        "open it again."
    )
    with Journal.open(saved, write=False) as reader:
        assert reader.follow() == []
        saved.write_bytes(whole[:-60])
        assert sentence(reader.follow) == changed
    saved.write_bytes(whole)
    with Journal.open(saved, write=False) as reader:
        with saved.open("ab") as file:
            file.write(
                b"---\nevent: note\nnumber: 9\ntime: x\ntext: y\nabout: null\n...\n"
            )
        assert str(saved) in sentence(reader.follow)
        assert len(reader.session.events) == 4
    saved.write_bytes(whole)
    with Journal.open(saved, write=False) as reader:
        pass
    assert reader.follow() == []


def test_whoever_follows_a_torn_session_reads_its_mended_end(saved: Path) -> None:
    whole = saved.read_bytes()
    saved.write_bytes(whole + CUT_OFF)
    with Journal.open(saved, write=False) as reader:
        assert reader.torn
        assert reader.follow() == []
        saved.write_bytes(whole)
        with Journal.open(saved) as writer:
            kept = writer.append(Note(text="x"))
        assert reader.follow() == [kept]
        assert reader.torn is None


def test_whoever_takes_over_a_damaged_session_is_told(saved: Path) -> None:
    whole = saved.read_bytes()
    with Journal.open(saved) as writer, Journal.open(saved) as reader:
        assert not writer.take_over()
        assert not reader.take_over()
        writer.close()
        saved.write_bytes(whole.replace(b"number: 4\n", b"number: 9\n"))
        assert str(saved) in sentence(reader.take_over)


def test_a_file_that_is_gone_is_not_written_to(saved: Path) -> None:
    nothing = "so nothing was written; open it again."
    with Journal.open(saved) as journal:
        away = saved.rename(saved.with_name("away"))
        moved = f"{saved} was moved, replaced or deleted while it was open, {nothing}"
        assert sentence(lambda: journal.append(Note(text="x"))) == moved
        away.rename(saved)
        with saved.open("ab") as file:
            file.write(b"# a remark\n")
        assert sentence(lambda: journal.append(Note(text="x"))) == (
            f"{saved} was changed by another program while it was open, {nothing}"
        )


def test_the_file_is_not_read_again_for_every_event(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal.open(saved) as journal:
        monkeypatch.setattr(files, "read_all", None)
        for text in ("x", "y", "z"):
            journal.append(Note(text=text))


# ---------------------------------------------------------------- other files


def test_bytes_are_written_however_few_are_taken(tmp_path: Path) -> None:
    fd = os.open(tmp_path / "a", os.O_WRONLY | os.O_CREAT)
    real = os.write
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", lambda fd, data: real(fd, bytes(data)[:3]))
        files.write_all(fd, b"0123456789")
    os.close(fd)
    assert (tmp_path / "a").read_bytes() == b"0123456789"


@pytest.mark.parametrize("content", ["äöü\n", b"\xff\x00"])
def test_a_whole_file_replaces_another_or_leaves_it(
    tmp_path: Path, content: str | bytes, replace: Callable[[str, Any], None]
) -> None:
    path = tmp_path / "report.json"
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(b"before")
    for name, number, kind in (
        ("fsync", errno.ENOSPC, WriteError),
        ("replace", errno.EACCES, BadInput),
    ):
        replace(name, fails(number, times=1))
        with pytest.raises(BadInput) as failed:
            files.write_whole(path, content)
        assert type(failed.value) is kind
        why = NO_SPACE if kind is WriteError else "permission denied"
        assert str(failed.value) == f"{path} cannot be written: {why}."
        assert path.read_bytes() == b"before"
        assert list(tmp_path.iterdir()) == [path]
    files.write_whole(path, content)
    assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_is_whole_or_not_there(
    tmp_path: Path, replace: Callable[[str, Any], None]
) -> None:
    path = tmp_path / "order.json"
    replace("fsync", fails(errno.ENOSPC, times=1))
    said = sentence(lambda: files.write_new(path, b"data"))
    assert said == f"{path} cannot be written: {NO_SPACE}."
    assert not path.exists()
    files.write_new(path, b"data")
    assert path.read_bytes() == b"data"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sentence(lambda: files.write_new(path, b"more")) == (
        f"{path} cannot be written: file exists."
    )
    assert path.read_bytes() == b"data"


def test_a_text_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    assert sentence(lambda: files.read_text(path)) == (
        f"{path} cannot be read: no such file or directory."
    )
    path.write_bytes(b"\xef\xbb\xbfa\xc3\xa4")
    assert files.read_text(path) == "aä"
    assert files.whole(path) == path.read_bytes()
    path.write_bytes(b"\xff")
    assert sentence(lambda: files.read_text(path)) == (
        f"{path} is not UTF-8 text; save it as UTF-8."
    )


def test_a_pipe_is_read_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(files, "LIMIT", 10)

    def given(data: bytes) -> threading.Thread:
        writer = threading.Thread(target=lambda: pipe.write_bytes(data))
        writer.start()
        return writer

    writer = given(b"0123456789")
    assert files.whole(pipe) == b"0123456789"
    writer.join()
    writer = given(b"0123456789a")
    assert sentence(lambda: files.whole(pipe)) == (
        f"{pipe} sends more than 64 MB; pipe in less, or save it as a file and "
        "name that."
    )
    writer.join()


def test_a_line_is_too_long_by_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LIMIT", 10)
    path = tmp_path / "lines"
    for piece in (3, 4, 100):
        monkeypatch.setattr(files, "_PIECE", piece)
        for good in (b"0123456789", b"0123456789\n0123456789", b"\n" * 30):
            path.write_bytes(good)
            assert files.whole(path) == good
        for number, bad in (
            (1, b"x" * 11),
            (2, b"a\n" + b"x" * 11 + b"\nb"),
            (3, b"\n\n" + b"x" * 11),
        ):
            path.write_bytes(bad)
            assert sentence(lambda: files.whole(path)) == (
                f"{path}, line {number}: the line is longer than 64 MB; "
                "shorten it. Nothing was read."
            )


def test_names_of_files_of_ids(tmp_path: Path) -> None:
    code = hashlib.sha256(b"a b/c").hexdigest()[:8]
    assert files.file_of("q-1.x") == "q-1.x.yaml"
    assert files.file_of("a b/c") == f"a-b-c-{code}.yaml"
    assert files.file_of("-- /") == (hashlib.sha256(b"-- /").hexdigest()[:8] + ".yaml")
    assert len(files.file_of("é" * 100)) == 40 + 1 + 8 + len(".yaml")
    code = hashlib.sha256(b"\xed\xb2\x80").hexdigest()[:8]
    assert files.file_of("\udc80") == f"{code}.yaml"
    same = files.file_of("q-1", digits=True)
    assert same == f"q-1-{hashlib.sha256(b'q-1').hexdigest()[:8]}.yaml"
    path = tmp_path / "a"
    path.write_bytes(b"x" * 3000)
    assert files.sha256(path) == hashlib.sha256(b"x" * 3000).hexdigest()
    assert not files.has_batch(tmp_path)
    (tmp_path / "batch.json").touch()
    assert files.has_batch(tmp_path)


# ---------------------------------------------------------------- locks


def rewrite(path: Path, **changed: Any) -> None:
    beside = locks.lock_file(path)
    mine = msgspec.json.decode(beside.read_bytes(), type=locks.Owner)
    beside.write_bytes(msgspec.json.encode(msgspec.structs.replace(mine, **changed)))


def test_a_lock_file_says_who_made_it(saved: Path, no_flock: None) -> None:
    beside = saved.with_name("saved.yaml.lock")
    with Journal.open(saved):
        made = msgspec.json.decode(beside.read_bytes(), type=locks.Owner)
        assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    assert not beside.exists()
    stat_ = Path(f"/proc/{os.getpid()}/stat").read_text()
    assert made.pid == os.getpid()
    assert made.host == os.uname().nodename[:253]
    assert made.started == stat_.rpartition(")")[2].split()[19]
    assert made.world.split() == [
        Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
        os.readlink("/proc/self/ns/pid"),
    ]
    assert len(made.token) == 16


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"host": "far", "token": "x"}, " on far"),
        ({"world": "{boot} pid:[1]", "token": "x"}, " on {host}"),
        (None, ""),
    ],
)
def test_whose_lock_it_is_is_said(
    saved: Path, no_flock: None, changed: dict[str, str] | None, said: str
) -> None:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    with Journal.open(saved):
        if changed is None:
            locks.lock_file(saved).write_bytes(b"{")
        else:
            rewrite(saved, **{k: v.format(boot=boot) for k, v in changed.items()})
        with Journal.open(saved) as reader:
            assert reader.why_read_only == (
                f"This session is open in another VerifyTUI process ({saved}.lock says "
                "that another VerifyTUI process"
                f"{said.format(host=os.uname().nodename)} is writing; delete that "
                "file if no such process runs), so it is read-only here; new events "
                "still appear."
            )
    assert locks.lock_file(saved).exists()  # it is somebody else's


def test_of_a_living_process_of_this_machine_nothing_is_said(
    saved: Path, no_flock: None
) -> None:
    with Journal.open(saved), Journal.open(saved) as reader:
        assert (reader.why_read_only or "").endswith("; new events still appear.")
        assert locks.in_use(saved)
        assert locks.in_use(saved.with_name("saved.yaml"), saved)
    assert not locks.in_use(saved)
    assert not locks.in_use(saved.with_name("gone"))


@pytest.mark.parametrize(
    ("call", "said"), [("open", "created"), ("write", "written"), ("fsync", "written")]
)
def test_a_lock_file_that_cannot_be_made_is_said(
    saved: Path,
    no_flock: None,
    replace: Callable[[str, Any], None],
    call: str,
    said: str,
) -> None:
    replace(
        call,
        fails(errno.ENOSPC, ends_with(".lock") if call == "open" else lambda *_: True),
    )
    with Journal.open(saved) as reader:
        assert reader.why_read_only == (
            f"{saved} cannot be locked ({saved}.lock cannot be {said}: {NO_SPACE}), "
            "so it is read-only; fork it to continue."
        )
        header = reader.session.header
    assert not locks.lock_file(saved).exists()
    new = saved.with_name("new.yaml")
    said_then = sentence(lambda: Journal.create(new, header))
    assert said_then == (
        f"{new} cannot be created, because it cannot be locked "
        f"({new}.lock cannot be {said}: {NO_SPACE}); choose another folder."
    )
    assert sorted(saved.parent.iterdir()) == [saved]


def test_a_lock_left_by_a_dead_process_is_removed_by_one_at_a_time(
    saved: Path, no_flock: None
) -> None:
    beside = locks.lock_file(saved)
    with Journal.open(saved):
        rewrite(saved, pid=2**22 + 1, started="1")
        assert not locks.in_use(saved)
        breaking = beside.with_name(beside.name + ".breaking")
        breaking.touch()
        with Journal.open(saved) as reader:
            assert (
                f"({breaking} is left over from another process; delete it if "
                "VerifyTUI is not running in that folder), so it is read-only here"
            ) in (reader.why_read_only or "")
        breaking.unlink()
        with Journal.open(saved) as writer:
            assert writer.writable
            assert not breaking.exists()
            assert locks.in_use(saved)


def test_a_session_cannot_be_begun_where_another_one_is_being_begun(
    tmp_path: Path, header: Header, monkeypatch: pytest.MonkeyPatch, unnamed: bool
) -> None:
    def busy(fd: int, how: int) -> None:
        raise BlockingIOError

    monkeypatch.setattr(fcntl, "flock", busy)
    path = tmp_path / "new.yaml"
    assert sentence(lambda: Journal.create(path, header)) == (
        f"{path} cannot be created: another VerifyTUI process is writing to it."
    )
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_is_released_twice_leaves_the_next_one(
    saved: Path, no_flock: None
) -> None:
    fd = os.open(saved, os.O_RDWR)
    first = locks.take(fd, saved)
    first.release()
    second = locks.take(fd, saved)
    first.release()
    assert locks.lock_file(saved).exists()
    with pytest.raises(locks.Busy):
        locks.take(fd, saved)
    second.release()
    assert not locks.lock_file(saved).exists()
    os.close(fd)
    with pytest.raises(SessionError):
        Journal.open(saved.with_name("gone"))
