"""What a file of labels refuses, in whole sentences, and what it keeps exactly."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import msgspec
import pytest
from verifytui.sessions import case_pairs as pairs_module
from verifytui.sessions import files, label_files, label_store, labels
from verifytui.sessions.annotators import name_of, person, same_letters
from verifytui.sessions.case_pairs import Key, digests, session_files
from verifytui.sessions.errors import BadInput, SessionError, WriteError
from verifytui.sessions.events.labels import Assignment, Label, Reveal, Voice
from verifytui.sessions.journal import Journal
from verifytui.sessions.label_files import Documents, is_beginning, is_labels, places_of
from verifytui.sessions.label_store import LabelStore, labels_in, later, read_labels
from verifytui.sessions.labels import LabelFile, are_at_odds, is_own, still_holds
from verifytui.sessions.session import Header, Parent, Session
from verifytui.tests.support.refusing import sentence
from verifytui.tests.support.saying import relevance_header

NO_FILE = (
    "is not a file of labels (verifytui-labels/1); move it out of the folder of labels."
)
OVER = "is larger than 64 MB, the limit of a session; nothing was read."


def label(candidate: str, value: int | None, **more: object) -> Label:
    return Label(session="s1", candidate=candidate, value=value, **more)  # type: ignore[arg-type]


@pytest.fixture
def anna(tmp_path: Path) -> Path:
    """A file with one label."""
    with LabelFile.open(tmp_path, "Anna") as file:
        file.append(label("c1", 2))
    return file.path


# ---------------------------------------------------------------- names


def test_a_name_that_cannot_be_one_is_named() -> None:
    long = "x" * 81
    assert sentence(lambda: name_of(long)) == (
        f"“{long[:60]}” is not a valid annotator name; use up to 80 letters."
    )
    assert sentence(lambda: name_of(" GOLD ")) == (
        "“GOLD” is reserved for the adjudicated levels or the machine; "
        "choose another name."
    )
    assert sentence(lambda: name_of("GOLD", adjudicator=True)).startswith(
        "“GOLD” is reserved for the adjudicated levels or the machine;"
    )
    assert "\n" not in sentence(lambda: name_of("a\x1bb\nc\n"))
    assert sentence(lambda: name_of("gold")) == (
        sentence(lambda: name_of(" GOLD ")).replace("GOLD", "gold")
    )
    assert name_of("x" * 80) == "x" * 80
    assert name_of(" a \t b ") == "a b"
    assert name_of("gold", adjudicator=True) == "gold"
    assert name_of("e\u0301") == "é"


def test_older_sessions_may_call_a_person_as_the_machine_is_called() -> None:
    assert [person(name) for name in ("gold", "machine", "", "Anna")] == [
        "gold (annotator)",
        "machine (annotator)",
        "person",
        "Anna",
    ]
    assert same_letters("Ａn NA") == same_letters("anna")


# ---------------------------------------------------------------- the file of a person


def test_half_characters_become_visible(tmp_path: Path) -> None:
    with LabelFile.open(tmp_path, "Anna") as file:
        kept = file.append(label("c\udc80", 1))
        assert (kept.candidate, kept.value, kept.number) == ("c\ufffd", 1, 1)
        shown = file.append(Reveal(session="s\ud800", candidate="c1"))
        assert isinstance(shown, Reveal)
        assert shown.session == "s\ufffd"
    with LabelFile.open(tmp_path, "Anna") as again:
        assert list(again.own) == [Key("s1", "c\ufffd")]
        assert again.revealed == {Key("s\ufffd", "c1")}


def test_what_was_shown_and_whose_pairs_they_are_is_there_again(tmp_path: Path) -> None:
    theirs = Assignment(part=1, of=3, overlap=0.2, seed=7)
    with LabelFile.open(tmp_path, "Anna") as file:
        assert (file.revealed, file.assignment, file.torn) == (set(), None, None)
        file.append(theirs)
        file.append(Reveal(session="s1", candidate="c1"))
        assert file.revealed == {Key("s1", "c1")}
    with LabelFile.open(tmp_path, "Anna") as again:
        assert again.revealed == {Key("s1", "c1")}
        assert again.assignment == theirs
        assert again.annotator == "Anna"


def test_the_label_given_last_stands_last(tmp_path: Path) -> None:
    with LabelFile.open(tmp_path, "Anna") as file:
        for candidate, value in (("c1", 1), ("c2", 2), ("c1", 3)):
            file.append(label(candidate, value))
        file.append(label("c1", None, measure="style"))
        assert [(key.item, key.measure) for key in file.own] == [
            ("c2", ""),
            ("c1", ""),
            ("c1", "style"),
        ]


def test_a_rating_of_an_item_is_known_by_the_item() -> None:
    rating = Label(session="s1", item="answer 1", measure="style", value=7)
    assert Key.of(rating) == Key("s1", "answer 1", "style")


def test_a_closed_file_takes_nothing(anna: Path) -> None:
    file = LabelFile.open(anna.parent.parent, "Anna")
    file.close()
    file.close()
    assert sentence(lambda: file.append(label("c2", 1))) == "This session is closed."


def test_a_full_file_takes_nothing(anna: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LabelFile.open(anna.parent.parent, "Anna") as file:
        before = anna.read_bytes()
        event = label("c2", 1)
        file.append(event)
        size = anna.stat().st_size - len(before)
        monkeypatch.setattr(labels, "LIMIT", anna.stat().st_size + size)
        file.append(label("c3", 1))
        with pytest.raises(WriteError) as full:
            file.append(label("c4", 1))
    assert str(full.value).startswith("This session has reached 64 MB")


def test_a_file_that_was_moved_or_changed_is_not_written_to(anna: Path) -> None:
    with LabelFile.open(anna.parent.parent, "Anna") as file:
        away = anna.rename(anna.with_name("away"))
        gone = sentence(lambda: file.append(label("c2", 1)))
        anna.write_bytes(away.read_bytes())
        replaced = sentence(lambda: file.append(label("c2", 1)))
        away.rename(anna)
        with anna.open("a") as other:
            other.write("# by hand\n")
        changed = sentence(lambda: file.append(label("c2", 1)))
    nothing = "so nothing was written; open it again."
    moved = f"{anna} was moved, replaced or deleted while it was open, {nothing}"
    assert (gone, replaced) == (moved, moved)
    assert changed == (
        f"{anna} was changed by another program while it was open, {nothing}"
    )


def test_whoever_decides_is_not_interrupted(tmp_path: Path) -> None:
    first = LabelFile.open(tmp_path, "gold", adjudicator=True)
    assert sentence(lambda: LabelFile.open(tmp_path, "gold", adjudicator=True)) == (
        "Somebody else is adjudicating here, and only one person can at a time; "
        "try again later."
    )
    first.close()
    other = LabelFile.open(tmp_path, "Anna")
    assert sentence(lambda: LabelFile.open(tmp_path, "Anna")) == (
        "The labels of Anna are open in another VerifyTUI process; close "
        "them there, or label under your own name."
    )
    other.close()


def test_a_file_marked_read_only_is_left_alone(anna: Path) -> None:
    anna.chmod(0o400)
    assert sentence(lambda: LabelFile.open(anna.parent.parent, "Anna")) == (
        f"{anna} is read-only (it cannot be locked or opened for writing), so no label "
        "can be saved. Make it writable, or copy the folder and label the copy."
    )


def test_a_read_only_folder_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> Path:
        raise OSError(errno.EROFS, "")

    monkeypatch.setattr("verifytui.sessions.labels.private_dir", refuse)
    words = f"{tmp_path / 'labels'} is read-only (read-only file system), so no label"
    assert sentence(lambda: LabelFile.open(tmp_path, "Anna")).startswith(words)
    monkeypatch.undo()
    (tmp_path / "labels").mkdir()
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert sentence(lambda: LabelFile.open(tmp_path, "Anna")).startswith(words)


def test_a_file_of_somebody_else_is_not_written_to(anna: Path) -> None:
    for name in ("Bo\x1b[31m", "B" * 70):
        head = anna.read_bytes().replace(b"Anna", msgspec.json.encode(name))
        anna.write_bytes(head)
        seen = name.replace("\x1b", "␛")[:60]
        said = sentence(lambda: LabelFile.open(anna.parent.parent, "Anna"))
        assert said.startswith(f"{anna} contains the labels of B")
        assert said.endswith("; label under another name.")
        assert "\x1b" not in said
        assert len(said) <= len(
            f"{anna} contains the labels of {seen}; label under another name."
        )
        anna.write_bytes(head.replace(msgspec.json.encode(name), b"Anna"))


def test_what_a_kill_leaves_before_the_header_is_begun_again(tmp_path: Path) -> None:
    whole = LabelFile.open(tmp_path, "Anna")
    whole.close()
    head = whole.path.read_bytes()
    for left in (b"", b"\n \n", head[:9], head[:-5]):
        whole.path.write_bytes(left)
        with LabelFile.open(tmp_path, "Anna") as file:
            file.append(label("c1", 3))
        assert whole.path.read_bytes().count(b"format: ") == 1
        assert whole.path.read_bytes().startswith(head[:25])
        assert read_labels(tmp_path)["Anna"][Key("s1", "c1")].value == 3


@pytest.mark.parametrize("data", [b"a: 1\n...\n", b"format: verifytui/1\n...\n", b"hi"])
def test_another_file_is_neither_read_nor_written(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "labels" / "Anna.yaml"
    file.parent.mkdir()
    file.write_bytes(data)
    assert sentence(lambda: LabelFile.open(tmp_path, "Anna")) == f"{file} {NO_FILE}"
    assert sentence(lambda: read_labels(tmp_path)) == f"{file} {NO_FILE}"
    assert file.read_bytes() == data


def test_a_torn_end_is_moved_aside_and_said(anna: Path) -> None:
    whole = anna.read_bytes()
    anna.write_bytes(whole + b"event: la")
    with LabelFile.open(anna.parent.parent, "Anna") as file:
        assert file.torn == (
            f"The last event of {anna} was incomplete; "
            f"its 9 bytes were moved to {anna}.torn."
        )
    assert anna.read_bytes() == whole
    assert anna.with_name("Anna.yaml.torn").read_bytes() == b"event: la"
    anna.write_bytes(whole[:-1])
    with LabelFile.open(anna.parent.parent, "Anna") as file:
        assert file.torn is None
        assert anna.read_bytes() == whole
        file.append(label("c2", 1))
    assert len(read_labels(anna.parent.parent)["Anna"]) == 2


def test_a_torn_end_that_cannot_be_moved_is_said(anna: Path) -> None:
    torn = anna.read_bytes() + b"event: la"
    anna.write_bytes(torn)
    anna.with_name("Anna.yaml.torn").mkdir()
    assert sentence(lambda: LabelFile.open(anna.parent.parent, "Anna")) == (
        f"{anna} ends in an incomplete event and cannot be repaired: is a directory."
    )
    assert anna.read_bytes() == torn


# ---------------------------------------------------------------- events of a file


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("number: 1", "number: 3", "is damaged: expected event 1, found event 3."),
        (
            "value: 2",
            "value: 4",
            ", event 1: 4 is not one of the levels 0, 1, 2 and 3.",
        ),
        (
            "value: 2",
            "value: -1",
            ", event 1: -1 is not one of the levels 0, 1, 2 and 3.",
        ),
        ("value: 2", "value: high", "Event 1 of "),
        ("event: label", "event: song", "Event 1 of "),
    ],
)
def test_an_event_that_is_wrong_is_named(
    anna: Path, old: str, new: str, said: str
) -> None:
    anna.write_text(anna.read_text().replace(old, new))
    heard = sentence(lambda: read_labels(anna.parent.parent))
    assert said in heard
    assert str(anna) in heard
    assert "\n" not in heard
    assert sentence(lambda: LabelFile.open(anna.parent.parent, "Anna")) == heard


def test_the_second_event_is_called_the_second(anna: Path) -> None:
    with LabelFile.open(anna.parent.parent, "Anna") as file:
        file.append(label("c2", 1))
    anna.write_text(anna.read_text().replace("value: 1", "value: high"))
    heard = sentence(lambda: read_labels(anna.parent.parent))
    assert heard.startswith("Event 2 of ")
    assert "int" in heard
    assert len(heard) < len(str(anna)) + 300


def test_a_rating_need_not_be_a_level(tmp_path: Path) -> None:
    with LabelFile.open(tmp_path, "Anna") as file:
        file.append(Label(session="s1", item="a", measure="style", value=9))
    assert read_labels(tmp_path)["Anna"][Key("s1", "a", "style")].value == 9


def test_a_file_is_one_of_labels_by_how_it_begins() -> None:
    for head in (b"", b"---\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf---\n"):
        assert is_labels(head + b"format: verifytui-labels/1\n")
        assert is_labels(head + b"format: verifytui-labels/22\n")
    for other in (b"format: verifytui/1\n", b"", b"format: other/1\n", b"x: 1\n"):
        assert not is_labels(other)


def test_a_header_is_begun_or_not() -> None:
    head = b"format: verifytui-labels/1\n"
    assert all(is_beginning(head[:n]) for n in range(len(head) + 1))
    assert is_beginning(b" \n")
    assert is_beginning(head + b"annotator: An")
    assert not is_beginning(b"formal")
    assert not is_beginning(head + b"annotator: Anna\n...\n")


def test_documents_say_where_the_last_whole_one_ends(anna: Path) -> None:
    data = anna.read_bytes()
    read = Documents(anna)
    read.take(data[:-20])
    assert (len(read.events), read.end < len(data) - 20) == (0, True)
    rest = data[read.end :]
    read.take(rest)
    assert (len(read.events), read.end) == (1, len(data))
    assert read.header is not None
    assert read.header.annotator == "Anna"


# ---------------------------------------------------------------- reading everybody's


def test_of_one_annotator_only_that_file_is_read(anna: Path) -> None:
    (anna.parent / "Bo.yaml").write_text("no labels")
    reader = LabelStore(anna.parent.parent, "Anna")
    assert reader.look()
    assert not reader.look()
    assert list(reader.people) == ["Anna"]
    with pytest.raises(SessionError):
        LabelStore(anna.parent.parent).look()


def test_assignments_are_read(tmp_path: Path) -> None:
    with LabelFile.open(tmp_path, "Anna") as file:
        kept = file.append(Assignment(part=1, of=2, overlap=0.0, seed=1))
    reader = LabelStore(tmp_path)
    assert reader.look()
    assert reader.assignments == {"Anna": kept}


def test_a_file_that_shrinks_or_grows_too_large_is_said(
    anna: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = LabelStore(anna.parent.parent)
    reader.look()
    whole = anna.read_bytes()
    anna.write_bytes(whole[:-30])
    assert sentence(reader.look) == (
        f"{anna} was changed by another program, so what is shown is out of date; "
        "open it again."
    )
    anna.write_bytes(whole)
    monkeypatch.setattr(label_store, "LIMIT", len(whole))
    assert LabelStore(anna.parent.parent).look()
    monkeypatch.setattr(label_store, "LIMIT", len(whole) - 1)
    assert sentence(LabelStore(anna.parent.parent).look) == f"{anna} {OVER}"


def test_what_was_wrong_is_wrong_at_the_next_look(anna: Path) -> None:
    reader = LabelStore(anna.parent.parent)
    anna.write_bytes(anna.read_bytes().replace(b"value: 2", b"value: 9"))
    first = sentence(reader.look)
    assert sentence(reader.look) == first
    anna.write_bytes(anna.read_bytes().replace(b"value: 9", b"value: 2"))
    assert reader.look()
    assert len(reader.people["Anna"]) == 1


def test_what_was_read_before_stays_where_more_is_wrong(anna: Path) -> None:
    reader = LabelStore(anna.parent.parent)
    reader.look()
    whole = anna.read_bytes()
    anna.write_bytes(whole + b"---\nevent: song\n...\n")
    assert sentence(reader.look).startswith(f"Event 2 of {anna}")
    anna.write_bytes(whole)
    with LabelFile.open(anna.parent.parent, "Anna") as file:
        file.append(label("c2", 3))
    assert reader.look()
    assert [one.value for one in reader.people["Anna"].values()] == [2, 3]


def test_whoever_is_faster_begins_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = files.create

    def second(path: Path, data: bytes) -> files.OpenedFile:
        create(path, data).close()
        return create(path, data)

    monkeypatch.setattr(files, "create", second)
    with LabelFile.open(tmp_path, "Anna") as file:
        assert file.append(label("c1", 1)).number == 1


def test_a_file_that_cannot_be_opened_is_said(
    anna: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> int:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(os, "open", refused)
    said = sentence(LabelStore(anna.parent.parent).look)
    assert said == f"{anna} cannot be read: permission denied."


def test_two_files_of_one_person_in_a_folder_are_refused(anna: Path) -> None:
    """As a synced folder makes them: nobody knows which of two labels counts."""
    folder, two = anna.parent.parent, anna.parent / "Anna (copy).yaml"
    both = (
        f"Anna has two files of labels here: {two} and {anna}. To make one file of "
        f"them, run `verifytui labels merge {folder}`."
    )
    two.write_text(anna.read_text())
    reader = LabelStore(folder)
    assert [sentence(reader.look) for _ in range(2)] == [both, both]
    two.write_text(anna.read_text().replace("value: 2", "value: 3"))
    assert sentence(lambda: read_labels(folder)) == f"{both} They differ on: c1."
    assert sentence(LabelStore(folder, "Anna").look) == f"{both} They differ on: c1."
    for labeler, without in (("Bert", ()), (None, ("Anna",))):
        reader = LabelStore(folder, labeler, without)
        reader.look()
        assert reader.people.keys() == ({"Anna"} if labeler else set())
        told = [one for one in reader.warnings() if "no pair here" not in one]
        assert told == ([f"{both} They differ on: c1."] if labeler else [])
    two.unlink()
    assert len(read_labels(folder)["Anna"]) == 1


def test_another_place_may_hold_more_of_one_person(anna: Path) -> None:
    """The later one counts, as where a session of the folder was labelled alone."""
    beside = anna.parent.parent / "s.yaml.labels" / "Anna.yaml"
    beside.parent.mkdir()
    later = anna.read_text().replace("value: 2", "value: 3")
    beside.write_text(later.replace("time: 20", "time: 30"))
    (label,) = read_labels(anna.parent.parent)["Anna"].values()
    assert label.value == 3


def test_what_is_wrong_in_one_file_stops_nobody_else(anna: Path) -> None:
    folder = anna.parent.parent
    for name in ("Anna", "Bert"):
        with LabelFile.open(folder, name) as file:
            file.append(label("c2", 1))
    broken = anna.read_text().replace("value: 1", "value: one")
    anna.write_text(broken)
    line = broken[: broken.rindex("---")].count("\n") + 1
    heard = sentence(lambda: read_labels(folder))
    assert heard.startswith(f"Event 2 of {anna}")
    assert f"It is at line {line}, in the labels of Anna." in heard
    assert sentence(LabelStore(folder, "Anna").look) == heard
    bert = LabelStore(folder, "Bert")
    assert bert.look()
    assert {name: len(one) for name, one in bert.people.items()} == {
        "Anna": 1,
        "Bert": 1,
    }
    assert bert.warnings()[1:] == [heard]
    for damaged in (broken, "no labels"):
        anna.write_text(damaged)
        without = LabelStore(folder, without=["Anna"])
        without.look()
        assert without.people.keys() == {"Bert"}
        assert without.warnings() == ["1 label matches no pair here: Bert 1."]


def test_where_labels_are_looked_for(tmp_path: Path) -> None:
    for name in ("labels", "one.yaml.labels", "two.yaml.labels", "other"):
        (tmp_path / name).mkdir()
    one = tmp_path / "one.yaml"
    assert places_of(one) == [tmp_path / "one.yaml.labels", tmp_path / "labels"]
    assert places_of(tmp_path) == [
        tmp_path / "labels",
        tmp_path / "one.yaml.labels",
        tmp_path / "two.yaml.labels",
    ]
    (tmp_path / "labels" / "folder.yaml").mkdir()
    (tmp_path / "labels" / "notes.txt").write_text("x")
    (tmp_path / "labels" / "A.yaml").write_text("x")
    assert list(label_files.label_files(tmp_path)) == [tmp_path / "labels" / "A.yaml"]
    gone = tmp_path / "gone"
    assert sentence(lambda: label_files.listed(gone)) == (
        f"{gone} cannot be read: no such file or directory."
    )


# ---------------------------------------------------------------- labels in sessions


def test_labels_that_a_session_holds_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, header = tmp_path / "old.yaml", relevance_header("Why?")
    with Journal.create(path, header) as journal:
        journal.append(Label(candidate="b", value=2, annotator="Anna"))
        journal.append(Label(candidate="c2", value=9))
    (tmp_path / "folder.yaml").mkdir()
    pairs = digests(header)
    held = {"Anna": {Key(pairs["b"]): 2}, "person": {Key(header.id, "c2"): None}}
    for place in (path, tmp_path):
        found = read_labels(place)
        assert {
            name: {key: one.value for key, one in labels.items()}
            for name, labels in found.items()
        } == held
    assert session_files(path) == [path] == session_files(tmp_path)
    monkeypatch.setattr(pairs_module, "LIMIT", path.stat().st_size - 1)
    assert sentence(lambda: read_labels(path)) == f"{path} {OVER}"
    path.unlink()
    assert sentence(lambda: read_labels(path)) == (
        f"{path} cannot be read: no such file or directory."
    )


def test_a_damaged_session_is_named(tmp_path: Path) -> None:
    path = tmp_path / "old.yaml"
    with Journal.create(path, relevance_header("Why?")) as journal:
        journal.append(Label(candidate="c1", value=2, annotator="Anna"))
    path.write_bytes(path.read_bytes().replace(b"number: 1\n", b"number: 5\n"))
    assert str(path) in sentence(lambda: read_labels(path))


def test_a_fork_has_no_labels_of_the_session_it_was_forked_from(header: Header) -> None:
    events = [Label(candidate=f"c{n}", value=n, number=n) for n in (1, 2, 3)]
    assert len(labels_in(Session(header, list(events)))["person"]) == 3
    header.parent = Parent(id="p", number=2, why="fork")
    assert [is_own(header, event) for event in events] == [False, False, True]
    own = labels_in(Session(header, list(events)))["person"]
    assert [label.candidate for label in own.values()] == ["c3"]


@pytest.mark.parametrize(
    ("levels", "decided", "odds"),
    [
        ([], None, False),
        ([], 2, False),
        ([1], None, False),
        ([None], None, False),
        ([1, 1], None, False),
        ([1, 2], None, True),
        ([1, None], None, True),
        ([None, None], None, True),
        ([1, 1], 1, False),
        ([1, 1], 2, True),
        ([1], 2, True),
        ([1, 2], 1, True),
    ],
)
def test_who_needs_somebody_to_decide(
    levels: list[int | None], decided: int | None, odds: bool
) -> None:
    assert are_at_odds(levels, decided) is odds


def test_a_decision_rests_on_what_people_said_then() -> None:
    decision = Label(
        value=1, decides=[Voice(annotator="A", value=1), Voice(annotator="B", value=2)]
    )
    assert still_holds(decision, {"A": 1, "B": 2})
    assert not still_holds(decision, {"A": 1, "B": 3})
    assert not still_holds(decision, {"A": 1})


def test_of_two_labels_the_later_one_counts() -> None:
    key = Key("s", "c")

    def at(time: str, value: int) -> Label:
        return Label(value=value, time=time)

    for first, second, counts in (("1", "2", 2), ("2", "1", 1), ("1", "1", 2)):
        one = {"A": {key: at(first, 1)}, "B": {}}
        other = {"A": {key: at(second, 2)}, "C": {key: at("0", 3)}}
        made = later(one, other)
        assert made["A"][key].value == counts
        assert set(made) == {"A", "B", "C"}
        assert one["A"][key].value == 1


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "labels").write_text("a file")
    said = sentence(lambda: LabelFile.open(tmp_path, "Anna"))
    assert said.startswith(f"{tmp_path / 'labels'} cannot be created (")
    assert isinstance(files.own_folder(tmp_path / "new"), Path)
    with pytest.raises(BadInput):
        LabelFile.open(tmp_path, "machine")
