"""Every text of the corpus through every export, of every workspace: text it was, and
text it stays.
"""

from __future__ import annotations

import csv
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from verifytui.cli.printer import Printer
from verifytui.engines.blocks import export
from verifytui.sessions.clean import clean
from verifytui.sessions.events import plain
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Session
from verifytui.tests.support import hostile_texts as hostile
from verifytui.tests.support.exported import ATTRIBUTES, TAGS, Page, everything
from verifytui.tests.support.saying import relevance_said
from verifytui.tests.support.small_debate import make_header
from verifytui.tests.support.small_rag import make_rag

pytestmark = pytest.mark.slow

SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
UNSEEN = " \t\n\u200b\ufeff"


def debate(text: str) -> Session:
    return everything(make_header(), text)


def rag(text: str) -> Session:
    header, events = make_rag(text)
    journal = Journal.create(None, header)
    for event in events:
        journal.append(event)
    return journal.session


def relevance(text: str) -> Session:
    return relevance_said(text).session


MADE = {"debate": debate, "rag": rag, "relevance": relevance}

workspaces = pytest.mark.parametrize("workspace", list(MADE))


@workspaces
def test_html_has_no_tag_of_theirs(workspace: str) -> None:
    for text in hostile.SHORT:
        page = export(MADE[workspace](text), "html")
        seen = Page(page)
        assert seen.tags <= TAGS, text
        assert seen.attributes <= ATTRIBUTES, text
        assert seen.open == [], text
        assert not hostile.control_characters(page, "\n\t"), text
        assert text_of(page).count(hostile.visible(text)) >= 3, text


class _Text(HTMLParser):
    text = ""

    def handle_data(self, data: str) -> None:
        self.text += data


def text_of(page: str) -> str:
    found = _Text()
    found.feed(page)
    return hostile.visible(found.text)


@workspaces
def test_markdown_has_no_mark_of_theirs(workspace: str) -> None:
    usual = shape(export(MADE[workspace]("plain words"), "md"))
    parser = MarkdownIt("commonmark", {"linkify": False}).enable(
        ["table", "strikethrough"]
    )
    for text in hostile.SHORT:
        made = export(MADE[workspace](text), "md")
        kinds, headings = shape(made)
        assert not kinds & {
            "link_open",
            "image",
            "fence",
            "code_block",
            "code_inline",
            "html_inline",
            "s_open",
            "ordered_list_open",
        }, text
        assert not hostile.visible(text) or headings == usual[1], text
        blocks = {
            token.content.strip()
            for token in parser.parse(made)
            if token.type == "html_block"
        }
        names = ("Reasoning", "Raw reply")
        assert blocks <= {f"<details>\n<summary>{name}</summary>" for name in names} | {
            "</details>"
        }, text
        assert not hostile.control_characters(made), text


def shape(made: str) -> tuple[set[str], list[str]]:
    tokens = (
        MarkdownIt("commonmark", {"linkify": False})
        .enable(["table", "strikethrough"])
        .parse(made)
    )
    kinds = {token.type for token in tokens} | {
        child.type for token in tokens for child in token.children or ()
    }
    return kinds, [token.markup for token in tokens if token.type == "heading_open"]


@workspaces
def test_csv_cells_begin_no_formula(workspace: str) -> None:
    for text in hostile.SHORT:
        made = export(MADE[workspace](text), "csv")
        cells = [
            cell
            for row in csv.reader(io.StringIO(made.removeprefix("\ufeff"), newline=""))
            for cell in row
        ]
        assert not [
            cell
            for cell in cells
            if cell.startswith(("\t", "\n")) or cell.lstrip(UNSEEN).startswith(SIGNS)
        ], text
        assert not hostile.control_characters(made, "\r\n\t"), text


@workspaces
def test_json_lines_are_json_and_give_back_the_text(workspace: str) -> None:
    for text in hostile.SHORT:
        session = MADE[workspace](text)
        made = export(session, "jsonl")
        rows = [json.loads(line) for line in made.splitlines()]
        assert rows[1:] == [plain(event) for event in session.events], text
        assert not hostile.control_characters(made, "\n"), text
        assert (
            "\ud800" in text
            or text in json.dumps(rows, ensure_ascii=False)
            or json.dumps(text)[1:-1] in json.dumps(rows)
        ), text


@workspaces
def test_on_a_terminal(workspace: str) -> None:
    """What `replay` and the headless run print, streams included."""
    for text in hostile.SHORT:
        session = MADE[workspace](text)
        with (
            redirect_stdout(io.StringIO()) as out,
            redirect_stderr(io.StringIO()) as err,
        ):
            shown = Printer()
            shown.header(session)
            for event in session.events:
                shown.event(event)
        told = out.getvalue() + err.getvalue()
        assert not hostile.control_characters(told), text
        first = hostile.visible(text).split(" ")[0][:20]
        assert first in hostile.visible(told), text


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", hostile.LONG, ids=[f"{text[:4]}" for text in hostile.LONG]
)
def test_a_million_signs(text: str) -> None:
    """In a fact, a reason and a reference: each export takes seconds at most, and loses
    none of them.
    """
    made = relevance_said("x")
    event = made.session.events[5]
    assert type(event).__name__ == "Judgement"
    event.reason = text  # type: ignore[attr-defined]
    for form in ("md", "html", "jsonl", "csv"):
        told = export(made.session, form)
        assert len(told) >= len(text)
    assert clean(text) == text


def test_what_is_written_is_read_back() -> None:
    """The file itself: every text of the corpus comes back as it was, but for
    surrogates, which UTF-8 cannot hold.
    """
    for text in hostile.SHORT:
        for workspace, make in MADE.items():
            session = make(text)
            journal = Journal.create(None, session.header)
            for event in session.events:
                journal.append(event)
            again = Journal.from_bytes(bytes(journal._data)).session
            assert again.header == session.header, (workspace, text)
            assert again.events == session.events, (workspace, text)
