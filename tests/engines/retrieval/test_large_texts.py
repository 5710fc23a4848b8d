"""A large file of plain text is read while it is cut, and is indexed as if it were read
at once.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from verifytui.engines.retrieval import readings, text_window
from verifytui.engines.retrieval.corpus import BuildCancelled, Corpora
from verifytui.engines.retrieval.documents import (
    Document,
    LargeText,
    Unreadable,
    parse,
)
from verifytui.engines.retrieval.documents import text as plain
from verifytui.engines.retrieval.documents.reading import tidied, tidy
from verifytui.engines.retrieval.passages import cut
from verifytui.engines.retrieval.text_window import TextWindow
from verifytui.sessions.paths import paths

ROOT = Path(__file__).parents[3]
PAGES = sorted(ROOT.glob("docs/*.md"))[::6]
PARTS = [*'ab .!?\n#-\t\u3000("9', "\n\n", "\n \t", "\n# ", "\n## A b", "\n- ", "1. "]
PARTS += [
    "\n12. ",
    "Dr. ",
    "U.S. ",
    "word ",
    "\u4e2d",
    "e\u0301",
    "x" * 30,
    "word " * 30,
]
PARTS += ["\u6587\u3002", "\uff01", "\u201d", "\u2026", "\u4e2d" * 40, ". ", "? "]


@pytest.mark.parametrize("seed", range(100))
def test_passages_do_not_depend_on_the_window(seed: int) -> None:
    chance = random.Random(seed)
    some = chance.sample(PARTS, chance.randint(2, len(PARTS)))
    text = "".join(chance.choices(some, k=chance.randint(1, 2000)))
    for at_once in (1, chance.randint(2, 60), chance.randint(60, 2000)):
        piece = chance.choice([1, 7, at_once])
        parts = [text[at : at + piece] for at in range(0, len(text), piece)]
        window = TextWindow(parts, at_once)
        found = []
        for start, end in cut(window):
            assert window.part(start, end) == text[start:end]
            found.append((start, end))
        assert found == list(cut(text))
        assert window.whole


def test_a_heading_longer_than_the_window_ends_with_its_line() -> None:
    text = "Intro.\n\n# " + "One, two. " * 300 + "\nA body. " * 300
    assert list(cut(TextWindow(text, 1))) == list(cut(text))


@pytest.mark.parametrize("at_once", [1, 50, 3000])
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_nor_do_those_of_pages(path: Path, at_once: int) -> None:
    text = path.read_text("utf-8")
    pieces = [text[at : at + 10] for at in range(0, len(text), 10)]
    assert list(cut(TextWindow(pieces, at_once))) == list(cut(text))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize("size", [3, 4, 7, 1000])
def test_a_large_file_is_indexed_as_if_read_at_once(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    encoding: str,
    size: int,
) -> None:
    text = (
        "# Ein Hafen\r\nCafe\u0301 \ufeff\r\rDie Bru\u0308cke. 大熊猫吃竹子。"
        "\U0001f3f4 Dr. No.\r\n\r\n1. one\n2. two\r"
    ) * 60
    if encoding == "gb18030":  # it is known by characters of two high bytes
        text, size = re.sub("[\u0300-\u036f\ufeff\U0001f3f4]", "", text), size * 33
    path = tmp_path / "a_harbour.txt"
    path.write_bytes(text.encode(encoding))
    document = parse(".txt", path.read_bytes(), path.name)[0]
    corpora = Corpora(paths())
    corpora.build("small", [path])
    monkeypatch.setattr(readings, "SMALL", 100)
    monkeypatch.setattr(plain, "_PIECE", size)
    monkeypatch.setattr(text_window, "AT_ONCE", 40)
    large = LargeText(path, path.name)
    assert "".join(large.pieces()) == document.text
    assert (large.title, large.file, large.share()) == ("a harbour", path.name, 1.0)
    assert large.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert corpora.build("large", [path])[:4] == (1, 0, 0, [])
    one, two = corpora.open("small"), corpora.open("large")
    assert one.data.texts.all() == two.data.texts.all() == [document.text]
    assert one.data.passages.tolist() == two.data.passages.tolist()
    assert one.data.tokens.tolist() == two.data.tokens.tolist()
    assert one.data.sources() == two.data.sources()
    assert corpora.build("large")[:3] == (0, 1, 0)


@given(st.text(alphabet="a\r\n\0\ud800 ", max_size=20), st.integers(1, 5))
def test_pieces_are_tidied_as_the_whole_text(text: str, size: int) -> None:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert "".join(tidied(pieces)) == tidy(Document("", text, "")).text


@pytest.mark.slow
def test_a_large_text_is_never_in_memory_as_a_whole() -> None:
    part = "The river rose in the night. Nobody had seen it. 河水在夜里上涨。\n"
    tracemalloc.start()
    count = sum(1 for _ in cut(TextWindow(part * 20 for _ in range(5000))))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count > 5000
    assert peak < 4 << 20


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\0\1" * 200, "binary"),
        (b"\x80\xff \x81" * 100, "neither UTF-8"),
        (b" \n" * 200, "no text"),
        (b"too large " * 200, "larger than"),
    ],
    ids=["binary", "no encoding", "blank", "large"],
)
def test_what_is_no_text_is_left_out(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, why: str
) -> None:
    monkeypatch.setattr(readings, "SMALL", 100)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("A harbour.", "utf-8")
    (tmp_path / "docs" / "b.log").write_bytes(data)
    report = Corpora(paths()).build("mine", [tmp_path / "docs"], limit_mb=0.001)
    assert report[:3] == (1, 0, 0)
    assert report.skipped[0][0] == "docs/b.log"
    assert why in report.skipped[0][1]


def test_one_that_changes_meanwhile_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("A harbour. " * 100_000, "utf-8")
    large = LargeText(path, "a.txt")
    pieces = large.pieces()
    next(pieces)
    os.utime(path, ns=(1, 1))
    with pytest.raises(Unreadable, match="changed"):
        list(pieces)
    with pytest.raises(Unreadable, match="changed"):
        next(large.pieces())


def test_how_far_it_is_and_stopping(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readings, "SMALL", 100)
    path = tmp_path / "a.txt"
    path.write_text("A harbour. " * 100_000, "utf-8")
    corpora, told = Corpora(paths()), list[str]()

    def progress(done: int, total: int, file: str) -> None:
        told.append(file)

    corpora.build("mine", [path], progress=progress)
    shares = [int(one.split("(")[1][:-2]) for one in told if "(" in one]
    assert shares == sorted(shares)
    assert len(set(shares)) > 5
    with pytest.raises(BuildCancelled):
        corpora.build(
            "other", [path], progress=progress, cancelled=lambda: "(" in told[-1]
        )
    assert "other" not in {info.name for info in corpora.list()}
