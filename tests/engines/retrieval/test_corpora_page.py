"""docs/corpora.md against the code."""

from __future__ import annotations

import re
from pathlib import Path

from verifytui.engines.retrieval import bm25, build, documents
from verifytui.engines.retrieval.tokeniser import DEFAULT, NAMES

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "corpora.md").read_text("utf-8")


def quoted(line: str) -> list[str]:
    return re.findall(r"`([^`]+)`", line)


def rows(heading: str) -> list[str]:
    """First cells of the table under a heading."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [
        line.split("|")[1] for line in section.splitlines() if line.startswith("| `")
    ]


def test_kinds_of_files_and_fields() -> None:
    assert [suffix for row in rows("Documents") for suffix in quoted(row)] == list(
        documents.SUFFIXES
    )
    line = next(line for line in PAGE.splitlines() if line.startswith("| `.jsonl`"))
    assert quoted(line)[2:] == [*documents.TEXT_FIELDS, *documents.TITLE_FIELDS]
    assert f"{build.LIMIT_MB:g} MB unless set" in PAGE


def test_words_and_parameters() -> None:
    assert [quoted(row)[0] for row in rows("Words")] == list(NAMES)
    assert [quoted(row)[0] for row in rows("What is found")] == list(NAMES)
    assert f"| `{DEFAULT}` | overlapping grams of two characters: the default" in PAGE
    assert f"k1 = {bm25.K1} and b = {bm25.B}" in PAGE
