"""The index of what sessions say: finds words, forgets, and may be thrown away."""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.sessions import text_index
from verifytui.sessions.text_index import TextIndex, query, words_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "sessions"
    made.mkdir()
    (made / "a.yaml").write_text("title: One\ntext: The Xylophone café\n")
    (made / "b.yaml").write_text(
        "title: Two\n---\ntext: |-\n  屈原是战国时期的诗人。\n"
    )
    (made / "c.txt").write_text("text: xylophone\n")
    return made


def filled(folder: Path) -> TextIndex:
    index = TextIndex(folder, folder.parent / "cache")
    index.fill(lambda done, of: True)
    return index


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("xylophone", {"a.yaml"}),
        ("XYLO", {"a.yaml"}),
        ("phone", set()),
        ("cafe", {"a.yaml"}),
        ("诗人", {"b.yaml"}),
        ("战国时期", {"b.yaml"}),
        ("屈", {"b.yaml"}),
        ("诗原", set()),
        ("title", set()),
        ("two", {"b.yaml"}),
        ("th", set()),
        ('"', set()),
        ('a" OR "b', set()),
    ],
)
def test_words_are_found(folder: Path, word: str, names: set[str]) -> None:
    assert filled(folder).find(word) == names


def test_what_changes_is_read_again_and_what_is_away_is_forgotten(
    folder: Path,
) -> None:
    index = filled(folder)
    (folder / "a.yaml").write_text("title: One\ntext: a zither instead\n")
    (folder / "b.yaml").unlink()
    index.fill(lambda done, of: True)
    assert index.find("zither") == {"a.yaml"}
    assert index.find("xylophone") == index.find("诗人") == set()


def test_it_goes_on_where_it_stopped(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_index, "AT_A_TIME", 1)
    index, told = TextIndex(folder, folder.parent / "cache"), []

    def once(done: int, of: int) -> bool:
        told.append((done, of))
        return len(told) < 2

    index.fill(once)
    assert told == [(0, 2), (1, 2)]
    assert index.find("诗人") == {"b.yaml"}, "the newest name comes first"
    assert index.find("xylophone") == set()
    told.clear()

    def always(done: int, of: int) -> bool:
        told.append((done, of))
        return True

    index.fill(always)
    assert told == [(1, 2), (2, 2)]
    assert index.find("xylophone") == {"a.yaml"}


def test_a_damaged_index_is_made_anew(folder: Path) -> None:
    index = filled(folder)
    index._path.write_bytes(b"not a database, and long enough to be told from one" * 40)
    index.fill(lambda done, of: True)
    assert index.find("xylophone") == {"a.yaml"}


def test_nothing_is_found_where_nothing_can_be_kept(folder: Path) -> None:
    cache = folder.parent / "file"
    cache.write_text("")
    index = TextIndex(folder, cache)
    index.fill(lambda done, of: True)
    assert index.find("xylophone") == set()


def test_words_leave_out_names_of_fields_and_digests() -> None:
    said = words_of(f"role: judge\n  - answer: 42\nid: {'a' * 64}\n")
    assert said == {"judge", "42"}
    assert query("诗") == '"诗" *'
    assert query("…") == ""
