"""Pages of HTML as documents: all their words are there, what is not the page's own is
not.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

import pytest
from verifytui.engines.retrieval.documents import (
    Document,
    RawFile,
    Unreadable,
    parse,
    reading,
)
from verifytui.engines.retrieval.documents.blocks import page_text
from verifytui.engines.retrieval.documents.html import parsed
from verifytui.engines.retrieval.documents.within import Late, within

pytest.importorskip("trafilatura")

ROWS = "".join(
    f"<tr><td><code>poll{n}</code></td><td>Fetches data for the\n topics, number "
    f"{n}.</td></tr>"
    for n in range(40)
)


def one(page: str | bytes, name: str = "a_page.html") -> tuple[Document, list[str]]:
    remarks: list[str] = []
    (found,) = parse(
        ".html",
        page.encode() if isinstance(page, str) else page,
        name,
        remark=remarks.append,
    )
    return found, remarks


def test_a_fragment_that_is_one_table_is_a_document_with_its_rows() -> None:
    found, _ = one(
        f"<table><tbody><tr><th>Method</th><th>What it does</th></tr>{ROWS}</"
        f"tbody></table>"
    )
    assert found.title == "a page"
    assert "| Method | What it does |" in found.text
    assert "\n| poll0 | Fetches data for the topics, number 0. |" in found.text
    assert found.text.count("Fetches data") == 40


def test_where_the_main_text_lacks_much_all_of_the_page_is_taken_and_that_is_said() -> (
    None
):
    article = (
        "<article><p>"
        + "A consumer reads records from a cluster of servers and keeps its place "
        "in them. " * 4 + "</p></article>"
    )
    found, remarks = one(
        f"<html><body><nav>Menu Home</nav>{article}<div><table>{ROWS}</table></"
        f"div><style>p {{}}</style></body></html>"
    )
    assert "reads records" in found.text
    assert "| poll39 | Fetches data for the topics, number 39. |" in found.text
    assert "Menu" not in found.text
    assert remarks in (
        [],
        [
            "less than 60 % of its words or table rows were recognized as main "
            "text, so the whole page was used"
        ],
    )
    _, remarks = one(
        "<div>"
        + "".join(f"<footer>a note on this {n}</footer>" for n in range(90))
        + "</div>"
    )
    assert remarks == [
        "less than 60 % of its words or table rows were recognized as main text, "
        "so the whole page was used"
    ]


def test_tables_within_lists_keep_their_cells_apart_and_menus_are_no_text() -> None:
    menu = (
        "<div class='subNav'><ul class='navList'><li><a href=x>Prev Class</a></"
        "li><li>Nested |</li></ul></div>"
    )
    about = (
        "<div class='navigation'><p>What the navigation of ships is, in a paragraph.</"
        "p></div><p class='unavailable'>Gone.</p>"
    )
    methods = (
        f"<ul><li><h3>Method Summary</h3><table class='memberSummary'>{ROWS}</table></"
        f"li></ul>"
    )
    found, _ = one(
        f"<html><body>{menu}<h2>Class Consumer</h2>{about}<div "
        f"class='contentContainer'>{methods}</div>{menu}</body></html>"
    )
    assert "\n| poll7 | Fetches data for the topics, number 7. |" in found.text
    assert "navigation of ships" in found.text
    assert "Gone." in found.text
    assert "Prev Class" not in found.text
    assert "Nested" not in found.text


def test_what_a_page_marks_as_its_main_part_is_its_text() -> None:
    text = (
        "<h2>Use</h2><ul><li>one <b>bold</b> word</li><li>two</li></ul><pre>a = 1\n  "
        "b = 2</pre>"
    )
    head = "<head><title>T</title><meta name=docsearch:version content=3.9></head>"
    page = f"<html lang=en>{head}<body><div>Home Search</div><main>{text}</main>"
    found, remarks = one(page)
    assert found == Document(
        "T",
        "## Use\n\n- one bold word\n- two\n\na = 1\n  b = 2",
        "a_page.html",
        {"language": "en", "version": "3.9"},
    )
    assert remarks == []


def test_a_page_that_is_kept_in_a_template_is_read() -> None:
    page = (
        "<!-- licence --><script id='design' type='text/"
        "x-handlebars-template'><h3>Motivation</h3><p>We built it to stream.</script>"
    )
    assert one(page)[0].text.split() == [
        "Motivation",
        "We",
        "built",
        "it",
        "to",
        "stream.",
    ]
    with pytest.raises(Unreadable, match="it has no text"):
        one("<!-- licence --><script>let words = 'not of the page';</script>")


def test_tables_that_arrange_a_page_and_cells_of_many_parts() -> None:
    page = (
        "<table><tr><td><p>Left.</p><table><tr><td>a<td>b<br>c</tr></table></"
        "td><td>Right.</td></tr></table>"
    )
    assert page_text(parsed(page)) == "Left.\n\n| a | b c |\n\nRight."


def test_hostile_pages() -> None:
    start = time.monotonic()
    deep = "<div>" * 20_000 + "the bottom"
    with contextlib.suppress(Unreadable):
        one(deep)
    wide = "<p>" + "<b>x</b> " * 60_000
    assert len(one(wide)[0].text.split()) >= 60_000
    assert one(
        "<?xml version='1.0' encoding='utf-8'?><!DOCTYPE html [<!ENTITY e SYSTEM "
        "'file:///etc/passwd'>]><p>&e; text"
    )[0].text.endswith("text")
    assert one(b"<meta charset=idna><p>" + b"x" * 1000)[0].text
    assert time.monotonic() - start < 20


def test_work_that_takes_too_long_is_broken_off() -> None:
    def forever() -> None:
        while True:
            try:
                time.monotonic()
            except Exception:
                continue

    with pytest.raises(Late):
        within(0.05, forever)
    assert within(60.0, lambda: 7) == 7
    caught: list[bool] = []

    def elsewhere() -> None:
        try:
            within(0.05, forever)
        except Late:
            caught.append(True)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join(10)
    assert caught == [True]


def test_a_file_that_takes_its_library_too_long_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def endless(raw: RawFile) -> Iterator[Document]:
        while raw:
            time.monotonic()
        yield Document("", "", "")

    monkeypatch.setitem(reading.READERS, ".pdf", endless)
    monkeypatch.setattr(reading, "SECONDS", 0.05)
    with pytest.raises(Unreadable, match="reading it takes longer than"):
        parse(".pdf", b"%PDF", "a.pdf")


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        (
            "<tr><td rowspan=2>a</td><td>1</td></tr><tr><td>2</td></tr>"
            "<tr><td>b</td><td>3</td></tr>",
            ["| a | 1 |", "| a | 2 |", "| b | 3 |"],
        ),
        (
            "<tr><th colspan=3>All of it</th></tr>"
            "<tr><td colspan=2>a</td><td rowspan=0>z</td></tr><tr><td>1</td><td>2</td>"
            "</tr><tr><td>3</td><td>4</td></tr>",
            ["All of it", "| a |  | z |", "| 1 | 2 | z |", "| 3 | 4 | z |"],
        ),
        (
            "<tr><td rowspan='x'>a</td><td colspan=99999999999>1</td></tr>",
            ["| a | 1 |"],
        ),
    ],
)
def test_cells_of_several_rows_are_in_each_of_them(rows: str, lines: list[str]) -> None:
    (found,) = parse(".html", f"<main><table>{rows}</table></main>".encode(), "a.html")
    assert found.text.split("\n") == lines


@pytest.mark.slow
def test_spans_do_not_blow_up_a_page() -> None:
    row = f"<tr>{'<td rowspan=1000 colspan=50>word</td>' * 400}</tr>"
    page = f"<main><table>{row}{'<tr><td>x</td></tr>' * 1000}</table></main>"
    (found,) = parse(".html", page.encode(), "a.html")
    assert len(found.text) < 300_000
