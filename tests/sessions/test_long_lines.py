"""Files whose lines are too long to be read."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from verifytui.engines.figures.rows import rows
from verifytui.engines.metrics import current_ratings
from verifytui.sessions import files
from verifytui.sessions.errors import BadInput, SessionError
from verifytui.sessions.load import LIMIT


@pytest.mark.parametrize("before", [0, 1, 3])
def test_the_long_line_is_named_and_hardly_any_memory_taken(
    tmp_path: Path, before: int
) -> None:
    path = tmp_path / "lines.jsonl"
    with path.open("wb") as file:
        file.write(b'{"topic": "Why?"}\n' * before)
        file.truncate(file.tell() + LIMIT + 1)  # a sparse line of zeros
    tracemalloc.start()
    with pytest.raises(BadInput, match=f"line {before + 1}: .*64 MB"):
        next(rows(path, "", []))
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()


def test_lines_up_to_the_limit_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LIMIT", 20)
    monkeypatch.setattr(files, "_PIECE", 7)
    path = tmp_path / "lines.jsonl"
    path.write_text('{"a": "12345678901"}\n' * 3)
    assert len(list(rows(path, "", []))) == 3
    path.write_text('{"a": 1}\n{"a": "123456789012"}\n{"a": 2}\n')
    with pytest.raises(BadInput, match="line 2"):
        next(rows(path, "", []))


@pytest.mark.parametrize("name", ["items.json", "items.JSON"])
def test_a_json_document_over_the_limit_is_not_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(b'[\n{"topic": "Why?"},\n')
        file.truncate(LIMIT + 1)
    for read in (lambda: next(rows(path, "", [])), lambda: files.read_text(path)):
        tracemalloc.start()
        with pytest.raises(BadInput, match=r"more than 64 MB.*\.jsonl"):
            read()
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        tracemalloc.stop()


def test_a_session_over_the_limit_is_not_read_for_its_labels(tmp_path: Path) -> None:
    path = tmp_path / "session.yaml"
    with path.open("wb") as file:
        file.write(b"format: verifytui/1\n")
        file.truncate(2 * LIMIT)
    tracemalloc.start()
    with pytest.raises(SessionError):
        current_ratings._load(path)
    assert tracemalloc.get_traced_memory()[1] < LIMIT + (1 << 20)
    tracemalloc.stop()
