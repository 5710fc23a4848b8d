"""The summaries of a large folder, kept beside its sessions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from verifytui.sessions import entry_store, library
from verifytui.sessions.entry_store import FILE
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
        lambda data: data.replace(b"verifytui-entries/2", b"verifytui-entries/9"),
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
