"""Passages follow the structure of a text, and know the headings above them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from verifytui.engines.retrieval.corpus import Corpora, Corpus
from verifytui.engines.retrieval.documents import markup_of, read
from verifytui.engines.retrieval.passages import (
    SIZE,
    Passage,
    PassageSize,
    letters,
    passages,
)
from verifytui.engines.retrieval.port import PassageFilter
from verifytui.engines.retrieval.structure import blocks
from verifytui.engines.retrieval.text_window import TextWindow
from verifytui.sessions.paths import paths

PROSE = "The lamp burns oil that is brought up from the store each morning. " * 6


def kinds(text: str, file: str = "a.md") -> list[tuple[str, str]]:
    """Kind and last heading of each block."""
    return [
        (block.kind, block.path[-1] if block.path else "")
        for block in blocks(TextWindow([text]), markup_of(file))
    ]


def of(text: str, size: PassageSize | None = None) -> list[Passage]:
    return list(passages(TextWindow([text]), size=size or PassageSize()))


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        (
            "a.md",
            "# One\ntext\n\n```sh\n# none\n```\n## `Two` <a id=x></a>\n- item\n\n  more\n",
            [
                ("heading", "One"),
                ("text", "One"),
                ("code", "One"),
                ("heading", "Two"),
                ("item", "Two"),
            ],
        ),
        (
            "a.md",
            "Under\n=====\nthe text\n\nLower\n-----\n\n---\n<h2>Marked</h2>\n",
            [
                ("heading", "Under"),
                ("text", "Under"),
                ("heading", "Lower"),
                ("text", "Lower"),
                ("heading", "Marked"),
            ],
        ),
        (
            "a.adoc",
            "== One\n----\n== none\n----\n=== Two\n* item\n",
            [("heading", "One"), ("code", "One"), ("heading", "Two"), ("item", "Two")],
        ),
        (
            "a.org",
            "* One\n#+BEGIN_SRC sh\n* none\n#+END_SRC\n** Two\n- item\n",
            [("heading", "One"), ("code", "One"), ("heading", "Two"), ("item", "Two")],
        ),
        (
            "a.py",
            "# none\n\nclass Lamp:\n    oil = 1\n\n    def fill(self):\n        pass\n\n"
            "        more()\n\nend = 1\n",
            [
                ("code", ""),
                ("code", ""),
                ("code", "Lamp"),
                ("code", "fill"),
                ("code", ""),
            ],
        ),
    ],
)
def test_blocks(file: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text, file) == expected


def test_no_passage_ends_with_a_heading_or_what_leads_to_a_list() -> None:
    section = f"## Lamp %d\n\n{PROSE}\n\nIts parts are:\n\n- a wick\n- a glass\n\n"
    text = "# The lamps\n\n" + "".join(section % number for number in range(30))
    found = of(text)
    assert len(found) > 20
    for one in found:
        last = text[one.start : one.end].rstrip().splitlines()[-1]
        assert not last.startswith("#")
        assert not last.endswith(":")
    assert found[5].path[0] == "The lamps"
    assert found[5].path[1].startswith("Lamp ")


def test_code_and_items_stay_whole_where_they_fit() -> None:
    code = "```sh\n" + "light --lamp north\n\n" * 25 + "```"
    item = "- The lamp\n" + "  - is filled. It burns. It is cleaned\n" * 15
    assert letters(code) < SIZE
    assert letters(item) < SIZE
    text = f"{PROSE}\n\n{code}\n\n{item}\n{PROSE}\n\n{code}\n"
    whole = [text[one.start : one.end] for one in of(text)]
    assert sum(code in one for one in whole) == 2
    assert sum(item.strip() in one for one in whole) == 1


def test_a_split_table_repeats_its_header() -> None:
    head = "| Lamp | Oil |\n| --- | --- |"
    rows = "\n".join(f"| north {number} | {number} litres |" for number in range(200))
    found = of(f"# Lamps\n\n{head}\n{rows}\n")
    assert len(found) > 3
    assert found[0].header == ""
    assert {one.header for one in found[1:]} == {head}


def test_sizes_and_overlap() -> None:
    text = "The lamp burns oil from the store. " * 200
    small, none = of(text, PassageSize(40)), of(text, PassageSize(40, 0))
    assert len(small) > len(none) > 25
    assert all(one.end <= two.start for one, two in pairwise(none))
    both = of(text, PassageSize(40, 2))
    assert text[both[1].start : both[0].end].count("lamp") == 2


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    """Settings, each under a heading of its own; the answer does not name it."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    settings = "".join(
        f"### `lamp-{name}`\n\n{PROSE}\n\n{PROSE}\n\n{PROSE}\n\nDefault: {number}\n\n"
        for number, name in enumerate(("wick", "glass", "mirror", "shutter"), 101)
    )
    rows = "\n".join(f"| part-{number} | {number * 7} mm |" for number in range(300))
    (folder / "lamps.md").write_text(
        f"# Lamps\n\n## Limits\n\n{settings}## Sizes\n\n| Part | Width |\n|---|---|\n{rows}\n"
    )
    return folder


def opened(handbook: Path, **options: int) -> Corpus:
    corpora = Corpora(paths())
    corpora.build("mine", [handbook], replace=True, **options)
    corpus = corpora.open("mine")
    assert isinstance(corpus, Corpus)
    return corpus


def test_headings_are_searched_and_shown(handbook: Path) -> None:
    found = opened(handbook).search("default of lamp-mirror", 1).references[0]
    assert found.title == "Lamps \u203a Limits \u203a lamp-mirror"
    assert "Default: 103" in found.text
    row = opened(handbook).search("width of part-250", 1).references[0]
    assert row.text.startswith("| Part | Width |\n|---|---|\n")
    assert "| part-250 | 1750 mm |" in row.text
    kept = opened(handbook).document(row.file or "")[row.start : row.end]
    assert row.text.endswith(kept)


def test_the_text_around_a_passage(handbook: Path) -> None:
    corpus = opened(handbook, passage_size=60)
    asked = "default of lamp-mirror"
    alone = corpus.search(asked, 1).references[0]
    near = corpus.search(asked, 1, PassageFilter(context="neighbors")).references[0]
    section = corpus.search(asked, 1, PassageFilter(context="section")).references[0]
    assert alone.text in near.text
    assert alone.id == near.id == section.id
    assert section.text.startswith("### `lamp-mirror`")
    assert section.text.endswith("Default: 103")
    text = corpus.document(section.file or "")
    assert text[section.start : section.end] == section.text
    few = PassageFilter(context="section", context_tokens=200)
    assert (
        len(corpus.search(asked, 1, few).references[0].text) < 800 < len(section.text)
    )
    both = corpus.search(asked, 5, PassageFilter(context="neighbors")).references
    spans = sorted((one.start or 0, one.end or 0) for one in both)
    assert all(one[1] <= two[0] for one, two in pairwise(spans))


def test_another_size_reads_all_again_and_is_kept(handbook: Path) -> None:
    many, corpora = len(opened(handbook).data.passages), Corpora(paths())
    assert corpora.build("mine")[:2] == (0, 1)
    assert corpora.build("mine", passage_size=50)[:2] == (1, 0)
    smaller = len(corpora.open("mine").data.passages)  # type: ignore[attr-defined]
    assert smaller > many
    assert corpora.build("mine")[:2] == (0, 1)


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "```sh\n# a comment\n```\n\n# The lamps\n", "The lamps"),
        ("a.md", "The lamps\n---------\nburn\n", "The lamps"),
        ("a.md", "<h1 align=center>The <b>lamps</b></h1>\n\ntext\n", "The lamps"),
        ("a.adoc", "=== The lamps\ntext\n", "The lamps"),
        ("a.asc", "[[part]]\n== The lamps\n\ntext\n", "The lamps"),
        ("a.org", "text\n\n* The lamps\n", "The lamps"),
        ("a.tex", "\\chapter{The lamps}\nThey burn.\n", "The lamps"),
        ("a.md", "no heading at all\n", "a"),
    ],
)
def test_titles(tmp_path: Path, name: str, text: str, title: str) -> None:
    (tmp_path / name).write_text(text)
    assert [one.title for one in read(tmp_path / name)] == [title]
