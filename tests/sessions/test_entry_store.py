"""The summaries of a large folder, kept beside its sessions."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

import msgspec
import pytest
from verifytui.sessions import entry_store, library
from verifytui.sessions.entry_store import FILE, FORMAT
from verifytui.sessions.library import Library
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Header
from verifytui.sessions.summary import SessionSummary, entry


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_store, "FROM", 1)
    monkeypatch.setattr(entry_store, "SETTLED", 0.0)
    monkeypatch.setattr(library, "MANY", 1)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files whose sessions were read."""
    names: list[str] = []

    def summary(path: Path) -> SessionSummary:
        names.append(path.name)
        return entry(path)

    monkeypatch.setattr(library, "entry", summary)
    return names


@pytest.fixture
def folder(home: Path, header: Header) -> Path:
    shelf = Library(paths())
    for _ in range(3):
        shelf.create(header).close()
    return paths().sessions


def listed(folder: Path) -> list[SessionSummary]:
    return Library(paths()).entries(folder)


def test_another_library_reads_no_session_again(folder: Path, read: list[str]) -> None:
    first = listed(folder)
    assert (len(first), len(read)) == (3, 3)
    assert listed(folder) == first
    assert len(read) == 3


def test_a_session_that_was_changed_added_or_removed_is_seen(
    folder: Path, read: list[str]
) -> None:
    first, second, third = (one.path for one in listed(folder))
    del read[:]
    stat = first.stat()
    text = first.read_text()
    title = entry(first).title
    first.write_text(text.replace(title, title.upper()))  # as large as before
    os.utime(first, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    second.unlink()
    copied = third.with_name("copied.yaml")
    copied.write_bytes(third.read_bytes())
    found = {one.path: one.title for one in listed(folder)}
    assert found == {first: title.upper(), third: title, copied: title}
    assert sorted(read) == sorted([first.name, copied.name])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:-5],
        lambda data: b"\xff" * 100,
        lambda data: data.replace(FORMAT.encode(), b"verifytui-entries/0"),
    ],
)
def test_a_store_that_is_damaged_is_made_again(
    folder: Path, read: list[str], spoil: object
) -> None:
    first = listed(folder)
    path = folder / FILE
    path.write_bytes(spoil(path.read_bytes()))  # type: ignore[operator]
    assert listed(folder) == first
    assert len(read) == 6
    assert listed(folder) == first
    assert len(read) == 6


def test_what_changed_just_now_and_what_is_broken_is_not_kept(
    folder: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "broken.yaml").write_text("no session")
    listed(folder)
    del read[:]
    assert sum(one.broken is not None for one in listed(folder)) == 1
    assert read == ["broken.yaml"]
    (folder / FILE).unlink()
    monkeypatch.setattr(entry_store, "SETTLED", 60.0)
    listed(folder)
    assert not (folder / FILE).exists()


def test_a_folder_that_cannot_be_written_to_is_listed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / FILE).mkdir()
    assert len(listed(folder)) == 3


def test_no_path_is_made_of_a_session_that_is_known(
    folder: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = listed(folder)
    del read[:]
    made: list[object] = []
    plain = Path.__truediv__

    def joined(self: Path, name: str) -> Path:
        made.append(name)
        return plain(self, name)

    monkeypatch.setattr(Path, "__truediv__", joined)
    assert listed(folder) == first
    assert read == []
    names = {one.file for one in first}
    assert not names.intersection(map(str, made))


EVENTS = """
event: speech|role: affirmative|model: a/b|cost: 0.25|round: 1|answer: "4"
event: stance|role: negative|model: c|cost: null|round: 1|read: unread
event: change|field: title|old: T|new: Another title
event: change|field: negative|old: {model: c}|new: {model: d}
event: failure|role: judge|kind: cancelled|message: Stopped.|model: d|cost: 0.5
event: failure|role: judge|kind: server|message: Broken.|model: d|cost: 0.5
event: note|text: A remark.
event: answer|role: generator|model: d|cost: 1e-3|iteration: 3|usage: {input: 1}
event: retrieval|usage: {input: 7, output: 0}|iteration: 4
event: result|answer: null|ranking: [x, y, z, w]|scores: [3, null, 1, 0]|unread: 1
event: result|answer: "4"|decided_by: undecided|supported_side: tie
event: result|answer: Tower|stopped_by: unread|disagreement: {mode: answer, mean: 0.5}
event: result|answer: "4"|decided_by: extractive|supported_side: negative
"""
HEADER = """---
format: verifytui/1
id: 20261121T044400Z-7f3a2c
workspace: debate
created: 2026-11-21T04:44:00.123Z
title: T
task: {kind: question, topic: Why?}
lineup: {affirmative: {model: a/b}, negative: {model: c}, judge: {model: a/b}}
settings: {level: 2}
prompts: {set: en, hash: "sha256:0", templates: {}}
versions: {verifytui: "1"}
parent: PARENT
...
"""
PARENTS = ["null"] + [f"{{id: x, number: {n}, why: fork}}" for n in (0, 2)]


def test_the_format_names_the_rules_by_which_a_session_is_summarised(
    tmp_path: Path,
) -> None:
    """Other summaries of these sessions need another `FORMAT`, and its digest here."""
    digest = blake2b(digest_size=8)
    for parent in PARENTS:
        data = HEADER.replace("PARENT", parent)
        for number, event in enumerate(EVENTS.split("\n")[:-1]):
            if number:
                fields = event.replace("|", "\n")
                stamp = f"number: {number}\ntime: 2026-11-21T04:44:01.000Z"
                data += f"---\n{fields}\n{stamp}\n...\n"
            path = tmp_path / "one.yaml"
            path.write_text(data)
            made = entry(path)
            assert made.broken is None
            made.place = ""
            digest.update(msgspec.json.encode(made))
    assert (FORMAT, digest.hexdigest()) == ("verifytui-entries/4", "58ed48ea8f04d7eb")
