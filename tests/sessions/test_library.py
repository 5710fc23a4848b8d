"""The list of saved sessions, and what can be done with one."""

from __future__ import annotations

import re
import stat
import time
from pathlib import Path

import pytest
import verifytui.sessions.library
from hypothesis import given
from hypothesis import strategies as st
from verifytui.sessions.errors import BadInput, SessionError
from verifytui.sessions.events import Change, Event, Failure, Note
from verifytui.sessions.events.debate import DebateResult, Disagreement, Speech
from verifytui.sessions.events.labels import Label
from verifytui.sessions.finding import SessionFinder
from verifytui.sessions.journal import Journal
from verifytui.sessions.label_store import read_labels
from verifytui.sessions.labels import LabelFile
from verifytui.sessions.library import Library, slug
from verifytui.sessions.origin import origin_of
from verifytui.sessions.paths import paths, private_dir
from verifytui.sessions.session import Header
from verifytui.sessions.summary import SessionSummary, ending, entry


@pytest.fixture
def library(home: Path) -> Library:
    return Library(paths())


def keep(library: Library, header: Header, events: list[Event]) -> Path:
    path = library.new_path(header.title)
    with Journal.create(path, header) as journal:
        for event in events:
            journal.append(event)
    return path


def test_paths_stay_under_home_and_nothing_is_made(home: Path) -> None:
    found = paths()
    assert all(path == home or home in path.parents for path in found.all().values())
    assert not home.exists()
    made = private_dir(found.sessions)
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_paths_without_home_are_the_platforms(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "d"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "c"))
    found = paths({"VERIFYTUI_HOME": ""})
    assert found.sessions == tmp_path / "d" / "verifytui" / "sessions"
    assert found.config_file == tmp_path / "c" / "verifytui" / "config.yaml"


def test_an_empty_library(library: Library) -> None:
    assert library.entries() == []
    assert library.bin() == []
    assert library.empty_bin() == 0


def test_what_an_entry_says(
    library: Library, header: Header, events: list[Event]
) -> None:
    path = keep(library, header, events)
    (found,) = library.entries()
    assert (found.path, found.id, found.title, found.workspace) == (
        path,
        header.id,
        "How fast was Alice?",
        "debate",
    )
    assert (found.models, found.result, found.status, found.events) == (
        ["gpt-4", "m/b"],
        "1.5 m/s",
        "finished",
        4,
    )
    assert not found.undecided
    assert not found.unread
    with Journal.open(path) as journal:
        journal.append(
            Change(field="lineup.judge", old={"model": "gpt-4"}, new={"model": "m/j"})
        )
        journal.append(
            Speech(role="judge", text="event: result\n...\nevent: change", round=2)
        )
    (found,) = library.entries()
    assert (found.models, found.status, found.events) == (
        ["gpt-4", "m/b", "m/j"],
        "finished",
        6,
    )


def test_status_unread_and_undecided(
    library: Library, header: Header, events: list[Event]
) -> None:
    from verifytui.sessions.events.debate import DebateResult, Verdict

    unread = Verdict(role="judge", round=1, mode="extractive", text="read: json\n")
    path = keep(
        library,
        header,
        [events[0], unread, Failure(role="judge", kind="server", message="x")],
    )
    assert [(e.status, e.unread) for e in library.entries()] == [("failed", 1)]
    with Journal.open(path) as journal:
        journal.append(Note(text="on"))
        assert [e.status for e in library.entries()] == ["unfinished"]
        journal.append(DebateResult(answer=None, decided_by="undecided"))
    (found,) = library.entries()
    assert (found.status, found.undecided, found.result) == ("finished", True, None)
    assert SessionFinder([found]).find("undecided ALICE")
    assert not SessionFinder([found]).find("undecided bob")


def test_forks_stand_under_their_parent(
    library: Library, header: Header, events: list[Event]
) -> None:
    header.created = "2026-01-01T00:00:00.000Z"
    old = keep(library, header, events)
    with Journal.open(old) as journal:
        journal.fork(library.new_path("fork"), 2, "fork", title="fork").close()
    fork = next(e for e in library.entries() if e.title == "fork")
    with Journal.open(fork.path) as journal:
        journal.fork(library.new_path("child"), 1, "fork", title="child").close()
    header.id, header.title, header.created = (
        "other",
        "newest",
        "2027-01-01T00:00:00.000Z",
    )
    keep(library, header, [])
    assert [(e.title, e.depth) for e in library.entries()] == [
        ("newest", 0),
        ("How fast was Alice?", 0),
        ("fork", 1),
        ("child", 2),
    ]
    library.delete(old)
    assert [(e.title, e.depth) for e in library.entries()] == [
        ("newest", 0),
        ("fork", 0),
        ("child", 1),
    ]


def test_sessions_that_claim_to_be_each_others_fork_are_listed(
    library: Library, header: Header
) -> None:
    from verifytui.sessions.session import Parent

    for own, other in (("a", "b"), ("b", "a"), ("c", "c")):
        header.id, header.parent = own, Parent(id=other, number=0, why="fork")
        keep(library, header, [])
    assert sorted(e.id for e in library.entries()) == ["a", "b", "c"]


def test_broken_files_are_entries_with_a_sentence(
    library: Library, saved: Path
) -> None:
    folder = private_dir(library.paths.sessions)
    for name, data in {
        "empty": b"",
        "list": b"- a\n...\n",
        "text": b"hello",
        "newer": b"format: verifytui/9\n...\n",
        "bomb": b"a: &a [x]\nb: *a\n...\n",
        "cut": saved.read_bytes()[:200],
        "tail": saved.read_bytes().replace(
            b"event: result\n", b"event: result\na: [\n"
        ),
    }.items():
        (folder / f"{name}.yaml").write_bytes(data)
    (folder / "gone.yaml").symlink_to(folder / "nowhere")
    (folder / "folder.yaml").mkdir()
    (folder / "notes.txt").write_text("x")
    found = library.entries()
    assert len(found) == 9
    assert all(
        e.broken and e.broken.endswith(".") and "\n" not in e.broken for e in found
    )
    library.delete(folder / "bomb.yaml")
    assert len(library.entries()) == 8


def test_a_torn_session_is_listed_as_far_as_it_goes(
    library: Library, saved: Path
) -> None:
    path = private_dir(library.paths.sessions) / "a.yaml"
    path.write_bytes(saved.read_bytes()[:-20])
    (found,) = library.entries()
    assert (found.broken, found.events, found.status) == (None, 3, "unfinished")


def test_big_files_are_read_at_both_ends_only(
    library: Library, header: Header, events: list[Event]
) -> None:
    many: list[Event] = [
        Speech(role="negative", text="x" * 20_000, round=1) for _ in range(100)
    ]
    path = keep(library, header, [*many, *events, Change(field="title", new="Big")])
    (found,) = library.entries()
    assert (found.title, found.events, found.status, found.result) == (
        "Big",
        105,
        "finished",
        "1.5 m/s",
    )
    with path.open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\n!!!\n")
    assert library.entries()[0].broken is None
    assert [event.number for event in ending(path, 2).events] == [104, 105]
    header.id = "huge"
    keep(library, header, [Speech(role="negative", text="x" * 2_000_000, round=1)])
    assert {e.id: e.events for e in library.entries()}["huge"] == 1


def test_rename_appends_and_keeps_everything(
    library: Library, header: Header, events: list[Event]
) -> None:
    path = keep(library, header, events)
    before = path.read_bytes()
    library.rename(path, " Another\nname ")
    assert path.read_bytes().startswith(before)
    assert library.entries()[0].title == "Another name"
    assert Journal.open(path, write=False).session.title == "Another name"
    with pytest.raises(BadInput):
        library.rename(path, " \n")
    with Journal.open(path), pytest.raises(SessionError, match="open in another"):
        library.rename(path, "x")


def test_delete_restore_empty(
    library: Library, header: Header, events: list[Event], tmp_path: Path
) -> None:
    path = keep(library, header, events)
    data = path.read_bytes()
    with Journal.open(path), pytest.raises(SessionError, match="is open"):
        library.delete(path)
    path.with_name(path.name + ".torn").write_bytes(b"half")
    with LabelFile.open(path, "Anna") as labels:
        labels.append(Label(session=header.id, candidate="c1", value=2))
    gone = library.delete(path)
    assert library.entries() == []
    assert [e.path for e in library.bin()] == [gone]
    path.write_bytes(b"something new")
    back = library.restore(gone)
    assert back.name == path.stem + "-2.yaml"
    assert back.read_bytes() == data
    assert back.with_name(back.name + ".torn").read_bytes() == b"half"
    assert [label.value for label in read_labels(back)["Anna"].values()] == [2]
    elsewhere = tmp_path / "batch"
    elsewhere.mkdir()
    back = back.rename(elsewhere / "q1.yaml")
    assert library.restore(library.delete(back)) == back
    library.delete(back)
    assert library.empty_bin() == 1
    assert list(library.paths.bin.iterdir()) == []
    with pytest.raises(SessionError, match="cannot be moved"):
        library.delete(tmp_path / "none.yaml")


def test_only_sessions_go_to_the_bin(library: Library, tmp_path: Path) -> None:
    for name in ("letter.txt", "folder", "folder.yaml"):
        path = tmp_path / name
        path.mkdir() if "folder" in name else path.write_text("dear")
        with pytest.raises(
            SessionError,
            match=re.escape("is not a session file (its name does not end in"),
        ):
            library.delete(path)
        assert path.exists()
    assert not library.paths.bin.exists()


def test_a_home_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    for home in ("/proc/1/none", "/dev/null/none"):
        monkeypatch.setenv("VERIFYTUI_HOME", home)
        with pytest.raises(SessionError, match="cannot be created"):
            Library(paths()).new_path("x")


def test_duplicate(library: Library, header: Header, events: list[Event]) -> None:
    path = keep(library, header, events)
    copy = library.duplicate(path)
    one, two = (Journal.open(each, write=False).session for each in (path, copy))
    assert one.events == two.events
    assert one.header.id != two.header.id
    assert [e.depth for e in library.entries()] == [0, 1]


def test_find_and_names(library: Library, header: Header) -> None:
    header.title = "吃掉敌人一个师, in Alice's words!"
    path = keep(library, header, [])
    assert path.name.endswith("-吃掉敌人一个师-in-alice-s-words.yaml")
    assert [e.path for e in library.find("敌人 GPT-4")] == [path]
    assert library.find("敌人 bob") == []
    with Journal.open(path) as journal:
        journal.append(
            Speech(
                role="affirmative", round=1, model="gpt-4", text="A zeppelin landed."
            )
        )
    assert [e.path for e in library.find("敌人 zeppelin")] == [path]
    assert library.find("敌人 balloon") == []
    assert library.new_path("..//../etc").parent == library.paths.sessions


def test_two_sessions_of_the_same_second(library: Library, header: Header) -> None:
    assert len({keep(library, header, []) for _ in range(5)}) == 5


def test_two_programs_that_choose_the_same_name(
    library: Library, header: Header, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, free = keep(library, header, []), library.new_path("another")
    names = iter([taken, taken, free])
    monkeypatch.setattr(library, "new_path", lambda _title: next(names))
    with library.create(header) as journal:
        assert journal.path == free
    monkeypatch.setattr(
        library, "new_path", lambda _title: free.parent / "not" / "there.yaml"
    )
    with pytest.raises(SessionError, match="cannot be written"):
        library.create(header)


@given(st.text(max_size=300))
def test_a_slug_is_always_a_safe_part_of_a_name(title: str) -> None:
    made = slug(title)
    assert len(made.encode()) <= 120
    assert not set(made) & set('/\\\0. \n:*?"<>|')
    assert not made.startswith("-")


def test_a_thousand_sessions_are_listed_fast(library: Library, saved: Path) -> None:
    folder = private_dir(library.paths.sessions)
    data = saved.read_bytes()
    for number in range(1000):
        (folder / f"{number}.yaml").write_bytes(
            data.replace(b"\nid: 2", b"\nid: %d-2" % number)
        )
    began = time.process_time()
    assert len(library.entries()) == 1000
    assert time.process_time() - began < 2


def test_what_somebody_else_moves_at_the_same_moment_is_neither_lost_nor_overwritten(
    library: Library, header: Header, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = (library.create(header) for _ in range(2))
    one.close()
    other.close()
    assert one.path is not None
    assert other.path is not None
    real = verifytui.sessions.library._free
    taken: list[Path] = []

    def late(folder: Path, name: str) -> Path:
        """Somebody else takes the name right after it was found free."""
        path = real(folder, name)
        if not taken:
            taken.append(path)
            path.write_text("somebody else's")
        return path

    monkeypatch.setattr(verifytui.sessions.library, "_free", late)
    deleted = library.delete(one.path)
    assert taken[0].read_text() == "somebody else's"
    assert deleted != taken[0]
    assert Journal.open(deleted, write=False).session.header == header
    monkeypatch.undo()
    monkeypatch.setattr(
        verifytui.sessions.library, "in_use", lambda path: bool(path.unlink())
    )
    with pytest.raises(SessionError, match="cannot be moved"):
        library.delete(other.path)
    monkeypatch.undo()
    monkeypatch.setattr(verifytui.sessions.library, "_files", lambda _: [other.path])
    assert library.entries() == []


def test_what_a_list_says_of_a_fork(library: Library, header: Header) -> None:
    def said(role: str, cost: float | None = 0.5) -> Speech:
        return Speech(role=role, round=1, answer="4", model="gpt-4", cost=cost)

    old = keep(library, header, [said("affirmative"), said("negative")])
    with Journal.open(old) as journal:
        fork = journal.fork(library.new_path("fork"), 1, "edit")
    with fork:
        fork.append(said("negative"))
        fork.append(Change(field="settings.level", old=2, new=3))
        fork.append(Change(field="settings.max_rounds", old=3, new=5))
        fork.append(Change(field="settings.max_rounds", old=5, new=3))
        fork.append(Change(field="title", old="a", new="b"))
        measured = Disagreement(mode="answer", per_round=[0.0, 1.0], mean=0.5)
        fork.append(
            DebateResult(
                answer="4",
                decided_by="discriminative",
                supported_side="negative",
                rounds=1,
                disagreement=measured,
            )
        )
        session = fork.session
    origin, found = library.entries()
    assert found.origin is not None
    assert (
        found.origin.id,
        found.origin.number,
        found.origin.why,
        found.origin.role,
    ) == (header.id, 1, "edit", "negative")
    assert found.origin.changed == {"settings.level": 3}, (
        "rounds that were set back have not changed"
    )
    assert found.origin == origin_of(session)
    assert (found.parts, found.disagreement, found.side, found.cost) == (
        1,
        0.5,
        "negative",
        1.0,
    )
    assert (origin.origin, origin.cost, origin.side) == (None, 1.0, None)
    with Journal.open(old) as journal:
        journal.append(said("judge", cost=None))
    assert next(e.cost for e in library.entries() if e.path == old) is None
    assert library.path_of(header.id) == old
    assert library.path_of("other") is None


def test_a_file_is_summarised_once_until_it_changes(
    library: Library, header: Header, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def counted(path: Path) -> SessionSummary:
        read.append(path)
        return entry(path)

    monkeypatch.setattr(verifytui.sessions.library, "entry", counted)
    paths = [keep(library, header, []) for _ in range(3)]
    assert len(library.entries()) == 3
    assert len(library.entries()) == 3
    assert sorted(read) == sorted(paths)
    library.rename(paths[1], "another")
    assert "another" in [each.title for each in library.entries()]
    assert read[3:] == [paths[1]]
    library.delete(paths[0])
    assert len(library.entries()) == 2


def test_whole_words_are_found_first(library: Library, header: Header) -> None:
    for day, title in enumerate(
        ("a hillside", "uphill", "a hill", "the hill", "问hill题"), 1
    ):
        header.id, header.title, header.created = (
            str(day),
            title,
            f"2026-01-0{day}T00:00:00.000Z",
        )
        keep(library, header, [])
    assert [each.title for each in library.find("hill")] == [
        "问hill题",
        "the hill",
        "a hill",
        "a hillside",
        "uphill",
    ]
    assert [each.title for each in library.find("题")] == ["问hill题"]


def test_the_whole_title_of_a_long_topic(library: Library, header: Header) -> None:
    topic = "How fast " + "does she go " * 20
    header.title, header.task = f"{topic[:70]}…", {"kind": "question", "topic": topic}
    path = keep(library, header, [])
    assert library.whole_title(path) == topic.strip()
    library.rename(path, "Mine")
    assert library.whole_title(path) == "Mine"


@pytest.mark.parametrize("note", [b"", b"/home/some", b"one.yaml"])
def test_a_note_that_was_cut_off_brings_a_session_back_to_the_others(
    library: Library, header: Header, note: bytes
) -> None:
    with library.create(header) as journal:
        path = journal.path
    assert path is not None
    deleted = library.delete(path)
    deleted.with_name(deleted.name + ".from").write_bytes(note)
    assert library.restore(deleted) == path
