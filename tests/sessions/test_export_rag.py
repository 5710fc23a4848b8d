"""Exports of the RAG workspace: references, scores and clauses are all there, and
nothing in them becomes markup or a formula.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from verifytui.engines.blocks import export
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Session
from verifytui.sessions.summary import entry
from verifytui.tests.support.exported import ATTRIBUTES, HOSTILE, TAGS, Page
from verifytui.tests.support.small_rag import make_rag


@pytest.mark.parametrize("text", HOSTILE)
def test_html_stays_what_it_is(text: str) -> None:
    made = export(Session(*make_rag(text)), "html")
    page = Page(made)
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert page.open == []
    if "\x1b" not in text:  # else it is cleaned
        assert page.text.count(text) >= 15


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_hostile_text_as_text(text: str) -> None:
    tokens = (
        MarkdownIt("commonmark", {"linkify": False})
        .enable(["table", "strikethrough"])
        .parse(export(Session(*make_rag(text)), "md"))
    )
    kinds = {token.type for token in tokens} | {
        child.type for token in tokens for child in token.children or ()
    }
    assert not kinds & {
        "link_open",
        "image",
        "fence",
        "code_block",
        "code_inline",
        "html_inline",
        "s_open",
        "ordered_list_open",
    }
    assert len([token for token in tokens if token.type == "table_open"]) == 2
    headings = [token.markup for token in tokens if token.type == "heading_open"]
    assert headings == ["#", "##", "##", *["###"] * 5, "##", *["###"] * 5, "##"]


@pytest.mark.parametrize("text", HOSTILE)
def test_csv_has_no_formula(text: str) -> None:
    names, *rows = csv.reader(
        io.StringIO(
            export(Session(*make_rag(text)), "csv").removeprefix("\ufeff"), newline=""
        )
    )
    assert len(rows) == 11
    assert names[:8] == [
        "number",
        "time",
        "event",
        "role",
        "model",
        "iteration",
        "text",
        "answer",
    ]
    assert not [
        cell
        for row in rows
        for cell in row
        if cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))
    ]


def test_what_a_reader_sees() -> None:
    made = export(Session(*make_rag()), "md")
    assert "## Iteration 1\n" in made
    assert "| Verifier | lexical (not a language model) |" in made
    assert (
        "**\\[1\\]** Alice walked up the hill. · score 1.5 · embedding 0.25 · "
        "reranked 0.5 · contains forged marks\n" in made
    )
    assert "| Reference correctness | 0.20 | |" in made.replace("  ", " ")
    assert "| Bias | 0.75 | 1 is bad |" in made
    assert "- Judgement: false\n- Revised query: Alice walked up the hill.\n" in made
    assert "- Bias: 0.75 (\\> 0.7): calls for a revision\n" in made
    assert "- Correctness: unread (\\< 0.26): could not be read\n" in made
    assert (
        "- Undecided by nonempty: the verification lacks a value that it needs.\n"
        in made
    )
    assert (
        "- Claims of the answer: 1 supported, 1 contradicted, 1 could not be read\n"
        in made
    )
    assert (
        "**\\[2\\]** supported · \\[1\\] \\[2\\] · “Alice walked up the hill.”\n"
        in made
    )
    assert "- Answers given: 2. The decision called for no revision.\n" in made
    assert "- Cites: \\[1\\] \\[99\\]\n" in made


@pytest.mark.parametrize(
    ("stopped_by", "undecided"), [("indicator", False), ("unread", True)]
)
def test_the_library_says_how_it_ended(
    stopped_by: str, undecided: bool, tmp_path: Path
) -> None:
    header, events = make_rag(stopped_by=stopped_by)
    with Journal.create(tmp_path / "a.yaml", header) as journal:
        for event in events:
            journal.append(event)
    found = entry(tmp_path / "a.yaml")
    assert (found.workspace, found.status, found.result) == (
        "rag",
        "finished",
        "Alice walked up the hill.",
    )
    assert (found.undecided, found.unread, found.events) == (undecided, 1, 11)
