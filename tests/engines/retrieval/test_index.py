"""Indexes are written in little memory, and are the same however their parts went to
disk.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verifytui.engines.retrieval import bm25, index, store, vocabulary
from verifytui.engines.retrieval.documents import Document, Unreadable
from verifytui.engines.retrieval.index import Data, IndexedFile, IndexWriter
from verifytui.engines.retrieval.tokeniser import Tokeniser

texts = st.text(alphabet="aAbé 中文語.\n。", max_size=30)
files = st.lists(st.lists(texts, min_size=1, max_size=3), min_size=1, max_size=4)


def file(name: str) -> IndexedFile:
    return IndexedFile(name, name, 0, 0, "")


def documents(name: str, some: list[str]) -> list[Document]:
    return [
        Document("A title", text, f"{name}#{row}", {"row": str(row)})
        for row, text in enumerate(some, 1)
    ]


def write(folder: Path, some: list[list[str]]) -> Path:
    folder.mkdir()
    writer = IndexWriter(folder, Tokeniser())
    for number, rows in enumerate(some):
        writer.add(documents(f"{number}.jsonl", rows), file(f"{number}.jsonl"))
    writer.finish(lambda: None)
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@settings(deadline=None, max_examples=15)
@given(files, st.data())
def test_an_index_is_the_same_bytes_whatever_went_to_disk_and_whatever_was_kept(
    tmp_path_factory: pytest.TempPathFactory, some: list[list[str]], data: st.DataObject
) -> None:
    base = tmp_path_factory.mktemp("indexes")
    whole = content(write(base / "whole", some))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "MOST", data.draw(st.integers(1, 5)))
        patch.setattr(index, "_TOKENS", data.draw(st.integers(1, 9)))
        patch.setattr(index, "_STRETCH", data.draw(st.integers(1, 3)))
        patch.setattr(store, "_BUFFER", data.draw(st.integers(1, 9)))
        assert content(write(base / "parts", some)) == whole
        kept = data.draw(st.sets(st.integers(0, len(some) - 1)))
        old = Data(
            write(
                base / "old",
                [
                    rows if number in kept else ["gone", "Gone again"]
                    for number, rows in enumerate(some)
                ],
            )
        )
        (base / "grown").mkdir()
        writer = IndexWriter(base / "grown", Tokeniser())
        for number, rows in enumerate(some):
            if number in kept:
                writer.keep(old, old.sources()[number])
            else:
                writer.add(documents(f"{number}.jsonl", rows), file(f"{number}.jsonl"))
        writer.finish(lambda: None)
        old.close()
    assert content(base / "grown") == whole


def test_a_file_that_ends_in_an_error_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "MOST", 3)
    folder = tmp_path / "index"
    folder.mkdir()
    writer = IndexWriter(folder, Tokeniser())

    def broken() -> Iterator[Document]:
        yield from documents("bad.jsonl", ["three new words", "一些 more"])
        raise Unreadable("it changed")

    writer.add(documents("0.jsonl", ["one two"]), file("0.jsonl"))
    with pytest.raises(Unreadable):
        writer.add(broken(), file("bad.jsonl"))
    writer.add(documents("1.jsonl", ["two three", "four"]), file("1.jsonl"))
    writer.finish(lambda: None)
    assert content(folder) == content(
        write(tmp_path / "without", [["one two"], ["two three", "four"]])
    )


@pytest.mark.slow
def test_a_document_costs_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "_TOKENS", 10_000)
    monkeypatch.setattr(store, "_BUFFER", 100)
    monkeypatch.setattr(bm25, "SLICE", 10_000)
    words = Tokeniser()

    def peak(count: int) -> int:
        folder = tmp_path / str(count)
        folder.mkdir()
        writer = IndexWriter(folder, words)
        tracemalloc.start()
        try:
            writer.add(
                (
                    Document(
                        "",
                        f"word{n % 50} and a few others 词语 {n % 7}. " * 9,
                        f"rows#{n}",
                    )
                    for n in range(count)
                ),
                file("rows"),
            )
            writer.finish(lambda: None)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(50)
    assert peak(4000) - peak(500) < 100 * 3500  # bytes; its words alone are more
