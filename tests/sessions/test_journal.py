"""Nothing that was written is lost, whatever happens to the file."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from verifytui.sessions.errors import SessionError, WriteError
from verifytui.sessions.events import Event, Note, UnknownEvent
from verifytui.sessions.events.debate import Speech
from verifytui.sessions.journal import Journal
from verifytui.sessions.pairs import pairs
from verifytui.sessions.session import Header, Prompts, Seat


def test_what_is_appended_is_there_again(
    tmp_path: Path, header: Header, events: list[Event]
) -> None:
    path = tmp_path / "a.yaml"
    with Journal.create(path, header) as journal:
        for number, event in enumerate(events, 1):
            kept = journal.append(event)
            assert kept.number == number
            assert kept.time.endswith("Z")
            assert Journal.open(path, write=False).session == journal.session
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with Journal.open(path) as again:
        assert again.session == journal.session
        assert again.torn is None
        assert again.writable


def test_an_event_of_an_unknown_method_is_appended_as_it_stands(saved: Path) -> None:
    """It is not wrapped into another event, so a version that knows the method reads
    it.
    """
    data = saved.read_bytes().replace(b"method: debate\n", b"method: panel\n", 1)
    found = Journal.from_bytes(data)
    assert any(isinstance(event, UnknownEvent) for event in found.session.events)
    again = Journal.create(None, found.session.header)
    for event in found.session.events:
        again.append(event)
    for before, after in zip(
        yaml.safe_load_all(data), yaml.safe_load_all(bytes(again._data)), strict=True
    ):
        assert {**before, "time": ""} == {**after, "time": ""} or "format" in before
    assert Journal.from_bytes(bytes(again._data)).session.events == again.session.events
    later = Journal.create(None, found.session.header)
    later.append(Note(text="first", about=""))
    for event in Journal.from_bytes(data).session.events:
        later.append(event)
    assert [pair.same for pair in pairs(found.session, later.session)] == [
        False,
        *[True] * len(found.session.events),
    ]


def test_every_yaml_reader_reads_it(saved: Path) -> None:
    first, *rest = yaml.safe_load_all(saved.read_bytes())
    assert first["format"] == "verifytui/1"
    assert [event["number"] for event in rest] == [1, 2, 3, 4]
    assert rest[1]["text"] == "吃掉 🙂  \n---\n...\nAnswer: 1.5 m/s"
    assert all(list(document)[-1] != "text" for document in rest)


def test_torn_at_every_byte(saved: Path, header: Header) -> None:
    data = saved.read_bytes()
    starts = [0, *(end + 4 for end in _find_all(data, b"\n...\n"))][:-1]
    whole = [end + 5 for end in _find_all(data, b"\n...\n")]
    before = Journal.open(saved, write=False).session
    path = saved.with_name("cut.yaml")
    torn = path.with_name("cut.yaml.torn")
    assert len(starts) == 5
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        count = (
            sum(1 for end in whole if end <= cut + 1) - 1
        )  # a missing line end takes nothing away
        if count < 0:
            with pytest.raises(SessionError):
                Journal.open(path)
            assert path.read_bytes() == data[:cut]
            continue
        tail = data[whole[count] : cut]
        reader = Journal.open(path, write=False)
        assert reader.session.events == before.events[:count]
        assert bool(reader.torn) == bool(tail)
        assert path.read_bytes() == data[:cut]
        reader.close()
        if (
            count != 1
        ):  # readers see every cut, writers those of one document: each mends on a real disk
            continue
        with Journal.open(path) as writer:
            assert bool(writer.torn) == bool(tail)
            assert writer.writable
            writer.append(Note(text="on"))
        assert (torn.read_bytes() if torn.exists() else b"") == tail
        torn.unlink(missing_ok=True)
        with Journal.open(path) as again:
            assert again.torn is None
            assert again.session.events[:count] == before.events[:count]
            assert [event.number for event in again.session.events] == list(
                range(1, count + 2)
            )


def test_a_second_tear_is_kept_beside_the_first(saved: Path) -> None:
    for half in (b"---\nevent: no", b"---\nevent: spee"):
        with saved.open("ab") as file:
            file.write(half)
        Journal.open(saved).close()
    assert (
        saved.with_name("saved.yaml.torn").read_bytes()
        == b"---\nevent: no---\nevent: spee"
    )


def test_open_elsewhere_is_read_only_and_follows(saved: Path) -> None:
    with Journal.open(saved) as writer, Journal.open(saved) as reader:
        assert not reader.writable
        assert "open in another" in str(reader.why_read_only)
        assert not reader.take_over()
        with pytest.raises(SessionError, match="open in another"):
            reader.append(Note(text="no"))
        assert reader.follow() == []
        written = [
            writer.append(Note(text="one")),
            writer.append(Note(text="two 🙂\n")),
        ]
        assert reader.follow() == written
        assert reader.follow() == []
        assert reader.session == writer.session
    with Journal.open(saved) as free:
        assert free.writable


def test_a_session_that_is_closed_elsewhere_is_taken_over(saved: Path) -> None:
    """With what was added since, and a torn end mended as on opening."""
    writer = Journal.open(saved)
    with Journal.open(saved) as reader:
        known = len(reader.session.events)
        writer.append(Note(text="one"))
        writer.close()
        with saved.open("ab") as file:
            file.write(b"---\nevent: no")
        assert reader.take_over()
        assert reader.writable
        assert not reader.take_over()
        assert len(reader.session.events) == known + 1
        reader.append(Note(text="from here"))
        with Journal.open(saved) as third:
            assert not third.writable
    with Journal.open(saved) as again:
        assert again.torn is None
        assert [event.text for event in again.session.events[known:]] == [  # type: ignore[attr-defined]
            "one",
            "from here",
        ]
    assert saved.with_name("saved.yaml.torn").read_bytes() == b"---\nevent: no"


def test_what_was_opened_only_to_be_read_is_not_taken_over(saved: Path) -> None:
    with Journal.open(saved, write=False) as reader:
        assert not reader.take_over()
        assert not reader.writable


def test_an_event_in_the_middle_of_being_written_is_not_called_torn(
    saved: Path,
) -> None:
    with Journal.open(saved), saved.open("ab", buffering=0) as file:
        file.write(b"---\nevent: no")
        for write in (True, False):
            with Journal.open(saved, write=write) as reader:
                assert reader.torn is None
                assert len(reader.session.events) == 4
    assert Journal.open(saved, write=False).torn


def test_a_lock_holds_against_another_process_and_ends_with_it(saved: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from verifytui.sessions.journal import Journal
from verifytui.sessions.pairs import pairs
journal = Journal.open(Path({str(saved)!r}))
print("open", flush=True)
sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with Journal.open(saved) as reader:
            assert not reader.writable
        other.kill()
        other.wait()
    with Journal.open(saved) as free:
        assert free.writable


def test_following_waits_for_the_whole_event(saved: Path) -> None:
    with (
        Journal.open(saved, write=False) as reader,
        saved.open("ab", buffering=0) as file,
    ):
        data = (
            "---\nevent: note\nnumber: 5\ntime: x\ntext: é\nabout: null\n...\n".encode()
        )
        for byte in data[:-1]:
            file.write(bytes([byte]))
            if not data.startswith(data[:-1]):
                assert reader.follow() == []
        file.write(data[-1:])
        assert [event.number for event in reader.follow()] == [5]


def test_following_returns_what_was_read_before_a_damaged_event(saved: Path) -> None:
    whole = "---\nevent: note\nnumber: {}\ntime: x\ntext: é\nabout: null\n...\n"
    with Journal.open(saved, write=False) as reader:
        with saved.open("a", encoding="utf-8") as file:
            file.write("# a comment\n" + whole.format(5) + whole.format(6))
            file.write("---\nevent: [note\n...\n" + whole.format(8))
        assert [event.number for event in reader.follow()] == [5, 6]
        for _ in range(2):
            with pytest.raises(SessionError):
                reader.follow()
        assert [event.number for event in reader.session.events] == [1, 2, 3, 4, 5, 6]


def test_an_existing_file_is_never_overwritten(saved: Path, header: Header) -> None:
    before = saved.read_bytes()
    with pytest.raises(SessionError, match="already exists"):
        Journal.create(saved, header)
    assert saved.read_bytes() == before


def test_files_that_cannot_be_opened(tmp_path: Path, header: Header) -> None:
    with pytest.raises(SessionError, match="does not exist"):
        Journal.open(tmp_path / "none.yaml")
    with pytest.raises(SessionError, match="folder"):
        Journal.open(tmp_path)
    with pytest.raises(SessionError, match="folder"):
        Journal.open(tmp_path, write=False)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SessionError, match="not a regular file"):
        Journal.open(tmp_path / "pipe", write=False)
    with pytest.raises(SessionError, match="cannot be written"):
        Journal.create(tmp_path / "no" / "folder.yaml", header)
    with pytest.raises(SessionError, match="not a regular file"):
        Journal.open(Path("/dev/zero"))


def test_a_file_marked_read_only_is_left_alone(saved: Path) -> None:
    with saved.open("ab") as file:
        file.write(b"---\nevent: sp")
    before = saved.read_bytes()
    saved.chmod(0o400)
    with Journal.open(saved) as journal:
        assert not journal.writable
        assert journal.torn
        assert len(journal.session.events) == 4
        with pytest.raises(SessionError):
            journal.append(Note(text="no"))
    assert saved.read_bytes() == before


def test_a_file_of_another_user_opens_read_only(saved: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody who may not write")
    saved.chmod(0o644)
    for folder in list(saved.parents)[:4]:
        if folder != Path(tempfile.gettempdir()):
            folder.chmod(0o755)
    here = Path(__file__).resolve().parents[2]
    program = f"""
import os, sys
from pathlib import Path
from verifytui.sessions.journal import Journal
from verifytui.sessions.pairs import pairs
import verifytui.sessions.load, yaml, _yaml
os.setuid(65534)
journal = Journal.open(Path({str(saved)!r}))
print(journal.writable, len(journal.session.events), journal.why_read_only)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=here,
        check=True,
    )
    assert done.stdout.startswith("False 4 ")
    assert "permission denied" in done.stdout


@pytest.fixture
def size_limit() -> Iterator[None]:
    """A limit on file sizes, as full disks have one: set by the test, lifted at the
    end.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def limit(size: int) -> None:
    resource.setrlimit(
        resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
    )


@pytest.mark.usefixtures("size_limit")
def test_no_room_for_an_event_leaves_the_file_as_it_was(saved: Path) -> None:
    before = saved.read_bytes()
    with Journal.open(saved) as journal:
        limit(len(before) + 100)
        with pytest.raises(WriteError, match="could not be written"):
            journal.append(Note(text="x" * 5000))
        assert saved.read_bytes() == before
        assert len(journal.session.events) == 4
        resource.setrlimit(
            resource.RLIMIT_FSIZE, resource.getrlimit(resource.RLIMIT_FSIZE)[1:] * 2
        )
        assert journal.append(Note(text="x" * 5000)).number == 5
    assert len(Journal.open(saved, write=False).session.events) == 5


@pytest.mark.usefixtures("size_limit")
def test_no_room_for_a_header_leaves_nothing(tmp_path: Path, header: Header) -> None:
    limit(50)
    with pytest.raises(WriteError, match="could not be written"):
        Journal.create(tmp_path / "a.yaml", header)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk(tmp_path: Path, header: Header, events: list[Event]) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(
            "a small file system cannot be mounted here: "
            + mounted.stderr.decode(errors="replace").strip()
        )
    try:
        path = tmp_path / "a.yaml"
        with Journal.create(path, header) as journal:
            with pytest.raises(WriteError, match="no space left"):
                fill(journal)
            count = len(journal.session.events)
            assert 5 < count < 15
        with Journal.open(path) as again:
            assert again.torn is None
            assert len(again.session.events) == count
            with pytest.raises(WriteError, match="no space left"):
                again.fork(tmp_path / "b.yaml", count, "fork")
        assert not (tmp_path / "b.yaml").exists()
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def fill(journal: Journal) -> None:
    for _ in range(100):
        journal.append(Note(text="x" * 5000))


def test_changed_or_moved_by_another_program(saved: Path) -> None:
    with Journal.open(saved) as journal:
        saved.rename(saved.with_name("elsewhere.yaml"))
        with pytest.raises(WriteError, match="moved, replaced or deleted"):
            journal.append(Note(text="x"))
        saved.with_name("elsewhere.yaml").rename(saved)
        journal.append(Note(text="x"))
        with saved.open("ab") as file:
            file.write(b"# a remark\n")
        with pytest.raises(WriteError, match="changed by another program"):
            journal.append(Note(text="y"))
    assert saved.read_bytes().endswith(b"...\n# a remark\n")


def test_the_largest_session_stays_readable(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifytui.sessions.journal.LIMIT", saved.stat().st_size + 50)
    with Journal.open(saved) as journal, pytest.raises(WriteError, match="64 MB"):
        journal.append(Note(text="x" * 100))


def test_lone_surrogates_become_visible_and_are_said(
    tmp_path: Path, header: Header
) -> None:
    header.title = "a\udc80"
    with Journal.create(tmp_path / "a.yaml", header) as journal:
        kept = journal.append(Speech(role="affirmative", text="a\ud83d b", round=1))
        assert isinstance(kept, Speech)
        assert (kept.text, kept.altered) == ("a\ufffd b", True)
        assert journal.append(Note(text="\udfff")).number == 2
        assert journal.session.title == "a\ufffd"
    assert Journal.open(tmp_path / "a.yaml").session == journal.session


def test_in_memory_nothing_is_on_disk(
    tmp_path: Path, header: Header, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    journal = Journal.create(None, header)
    for event in events:
        journal.append(event)
    fork = journal.fork(None, 2, "fork")
    assert fork.session.events == journal.session.events[:2]
    assert list(tmp_path.iterdir()) == []
    kept = fork.fork(tmp_path / "kept.yaml", 2, "fork")
    assert Journal.open(tmp_path / "kept.yaml", write=False).session == kept.session


def test_a_session_from_a_pipe_can_be_forked_but_not_changed(
    saved: Path, tmp_path: Path
) -> None:
    journal = Journal.from_bytes(saved.read_bytes())
    assert not journal.writable
    with pytest.raises(SessionError, match="pipe"):
        journal.append(Note(text="x"))
    with journal.fork(tmp_path / "b.yaml", 4, "fork") as fork:
        assert fork.writable


def test_a_fork_of_a_file_without_its_last_line_end(
    saved: Path, tmp_path: Path
) -> None:
    journal = Journal.from_bytes(saved.read_bytes().removesuffix(b"\n"))
    with (
        journal.fork(tmp_path / "a.yaml", 4, "fork") as fork,
        journal.fork(None, 4, "fork") as light,
    ):
        assert (
            fork.append(Note(text="on")).number
            == light.append(Note(text="on")).number
            == 5
        )
        assert len(light.fork(tmp_path / "b.yaml", 5, "fork").session.events) == 5
    for name in ("a.yaml", "b.yaml"):
        assert len(Journal.open(tmp_path / name, write=False).session.events) == 5


def test_a_fork_copies_byte_for_byte(saved: Path) -> None:
    data = (
        saved.read_bytes()
        .replace(b"event: verdict\n", b"event: verdict\nmood: sunny\n")
        .removesuffix(b"\n")
    )
    saved.write_bytes(data)
    with (
        Journal.open(saved) as journal,
        journal.fork(saved.with_name("fork.yaml"), 3, "retry", title="Other") as fork,
    ):
        assert fork.session.title == "Other"
        assert fork.session.header.id != journal.session.header.id
        assert fork.session.header.parent is not None
        assert (fork.session.header.parent.id, fork.session.header.parent.number) == (
            journal.session.header.id,
            3,
        )
        fork.append(Note(text="on"))
    old, new = (
        data.split(b"\n...\n"),
        saved.with_name("fork.yaml").read_bytes().split(b"\n...\n"),
    )
    assert new[1:4] == old[1:4]
    assert b"mood: sunny" in new[3]
    with Journal.open(saved.with_name("fork.yaml")) as again:
        assert again.session == fork.session
        assert [event.number for event in again.session.events] == [1, 2, 3, 4]
    with (
        Journal.open(saved) as journal,
        journal.fork(saved.with_name("all.yaml"), 4, "fork") as whole,
    ):
        whole.append(Note(text="on"))
    assert len(Journal.open(saved.with_name("all.yaml")).session.events) == 5


def test_a_fork_with_other_seats_and_settings(saved: Path) -> None:
    from verifytui.sessions.events import Change

    with Journal.open(saved) as journal:
        journal.append(Change(field="settings.level", old=2, new=3))
        journal.append(
            Change(field="lineup.judge", old={"model": "gpt-4"}, new={"model": "m/j"})
        )
        fork = journal.fork(
            None,
            6,
            "swap",
            lineup={"negative": Seat(model="m/n"), "judge": Seat(model="m/q")},
            settings={"level": 1, "rounds": 5},
        )
        assert fork.session.seat("negative").model == "m/n"
        assert fork.session.seat("judge").model == "m/q"
        assert fork.session.seat("affirmative").model == "gpt-4"
        assert (fork.session.setting("level"), fork.session.setting("rounds")) == (1, 5)
        early = journal.fork(
            None,
            4,
            "fork",
            settings={"level": 1},
            prompts=Prompts(set="zh", hash="x", templates={}),
        )
        assert early.session.setting("level") == 1
        assert len(early.session.events) == 4
        assert early.session.header.prompts.set == "zh"
        with pytest.raises(IndexError):
            journal.fork(None, 7, "fork")


def test_a_closed_journal_shows_but_does_not_write(saved: Path) -> None:
    journal = Journal.open(saved)
    journal.close()
    journal.close()
    assert len(journal.session.events) == 4
    with pytest.raises(SessionError, match="closed"):
        journal.append(Note(text="x"))
    assert len(journal.fork(None, 2, "fork").session.events) == 2


def _find_all(data: bytes, what: bytes) -> list[int]:
    found, at = [], data.find(what)
    while at >= 0:
        found.append(at)
        at = data.find(what, at + 1)
    return found
