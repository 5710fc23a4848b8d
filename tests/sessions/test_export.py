"""Exports say everything, and nothing in what was said becomes markup, a formula or a
control character.
"""

from __future__ import annotations

import csv
import io
import json

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from verifytui.engines.blocks import export
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events import Event
from verifytui.sessions.export import FORMATS
from verifytui.sessions.export.lines import event_line, header_line
from verifytui.sessions.journal import Journal
from verifytui.sessions.schema import schema
from verifytui.sessions.session import Header, Session
from verifytui.tests.support.exported import ATTRIBUTES, HOSTILE, TAGS, Page, everything

VALID = jsonschema.Draft202012Validator(schema())


@pytest.mark.parametrize("text", HOSTILE)
def test_html_stays_what_it_is(header: Header, text: str) -> None:
    made = export(everything(header, text), "html")
    page = Page(made)
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert page.open == []
    assert not any(ord(c) < 32 and c != "\n" and c != "\t" for c in made)
    if "\x1b" not in text:  # else it is cleaned
        assert text in page.text


def test_html_has_no_scripts_and_fetches_nothing(
    header: Header, events: list[Event]
) -> None:
    session = Session(header, events)
    made = export(session, "html")
    for word in ("<script", "src=", "href=", "@import", "url("):
        assert word not in made
    assert "prefers-color-scheme: dark" in made
    assert '<span class="mark">A</span>' in made
    assert "<details><summary>Reasoning</summary>" in made
    assert made.count("<article") == 3


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_hostile_text_as_text(header: Header, text: str) -> None:
    made = export(everything(header, text), "md")
    parser = MarkdownIt("commonmark", {"linkify": False}).enable(
        ["table", "strikethrough"]
    )
    tokens = parser.parse(made)
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
    html = {token.content.strip() for token in tokens if token.type == "html_block"}
    assert html <= {
        "<details>\n<summary>Reasoning</summary>",
        "<details>\n<summary>Raw reply</summary>",
        "</details>",
    }
    assert len([token for token in tokens if token.type == "table_open"]) == 1
    headings = [token.markup for token in tokens if token.type == "heading_open"]
    assert headings == ["#", "##", "###", "##", *["###"] * 9, "##"]
    assert all(char >= " " or char == "\n" for char in made)


@given(st.text(alphabet="ab1 \n\t#*_-+=>~|`[]()<>!&;.\\:$@é", max_size=60))
@settings(max_examples=300, deadline=None)
def test_nothing_said_is_missing_from_rendered_markdown(text: str) -> None:
    from verifytui.sessions.export.markdown import quoted

    tokens = (
        MarkdownIt("commonmark")
        .enable(["table", "strikethrough"])
        .parse("\n".join(quoted(text)))
    )
    shown = "".join(
        c.content
        for token in tokens
        for c in token.children or ()
        if c.type in ("text", "text_special")
    )
    assert "".join(shown.split()) == "".join(text.split())


def test_markdown_reads_well(header: Header, events: list[Event]) -> None:
    journal = Journal.create(None, header)
    for event in events:
        journal.append(event)
    made = export(journal.session, "md")
    assert made.startswith(
        "# How fast was Alice?\n\n> Up at 1 m/s, down at 3 m/s.  \n> How fast on "
        "average?\n"
    )
    assert (
        "### 1. Affirmative\n\n*gpt-4 · 40 tokens · \\$0.0010*\n\n> The mean is 2 "
        "m/s.  \n> Answer: 2 m/s\n" in made
    )
    assert "- Answer: **1.5 m/s**\n- Side: negative\n" in made
    assert (
        "- Disagreement 1.00 by answers, mean of the rounds\n- Per round: 1.00" in made
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_json_lines_hold_every_value(header: Header, text: str) -> None:
    session = everything(header, text)
    made = export(session, "jsonl")
    first, *rest = made.splitlines()
    assert first == header_line(session.header)
    assert rest == [event_line(event) for event in session.events]
    assert json.loads(first) == json.loads(msgspec.json.encode(session.header))
    assert [json.loads(line) for line in rest] == [
        msgspec.to_builtins(event) for event in session.events
    ]
    assert not [
        c
        for c in made
        if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) <= 0x9F or c in "\u2028\u202e"
    ]
    for line in made.splitlines():
        VALID.validate(json.loads(line))


@pytest.mark.parametrize("text", HOSTILE)
def test_csv_has_a_row_an_event_and_no_formula(header: Header, text: str) -> None:
    session = everything(header, text)
    made = export(session, "csv")
    assert made.startswith("\ufeffnumber,time,event,role,model,round,text,answer,")
    names, *rows = csv.reader(io.StringIO(made.removeprefix("\ufeff"), newline=""))
    assert len(rows) == len(session.events)
    assert all(len(row) == len(names) for row in rows)
    assert not [
        cell
        for row in rows
        for cell in row
        if cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", " =", "\n="])
def test_csv_cells_cannot_begin_a_formula(header: Header, start: str) -> None:
    made = export(everything(header, start + "1+1"), "csv")
    rows = list(csv.DictReader(io.StringIO(made.removeprefix("\ufeff"), newline="")))
    assert rows[0]["text"].startswith("'")


def test_csv_numbers_stay_numbers(header: Header, events: list[Event]) -> None:
    rows = list(
        csv.DictReader(
            io.StringIO(export(Session(header, events), "csv").removeprefix("\ufeff"))
        )
    )
    assert (rows[0]["usage.input"], rows[0]["cost"], rows[0]["cached"]) == (
        "120",
        "0.001",
        "false",
    )


def test_another_format_is_a_sentence(header: Header) -> None:
    with pytest.raises(BadInput, match=", ".join(FORMATS)):
        export(Session(header, []), "pdf")
