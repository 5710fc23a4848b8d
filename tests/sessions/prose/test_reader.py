"""One reading of Markdown: each construct, nothing lost, the same however it streams
in, and quick whatever it holds.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from verifytui.sessions.prose import (
    Code,
    Gap,
    Heading,
    HorizontalRule,
    IncrementalReader,
    Paragraph,
    Part,
    ProseTable,
    Style,
    read,
)
from verifytui.tests.support.hostile_texts import MARKDOWN, SHORT
from verifytui.tests.support.speeches import SPEECH


def spans(text: str) -> list[tuple[str, int]]:
    (part,) = read(text)
    return [(span.text, span.style) for line in part.lines for span in line.spans]


def written(parts: list[Part]) -> str:
    """What was read, put together again."""
    return "\n".join(
        line.indent + "".join(span.text for span in line.spans)
        for part in parts
        for line in part.lines
    )


MARK = Style.MARK


def test_emphasis_keeps_its_marks() -> None:
    assert spans("**a** b") == [
        ("**", MARK),
        ("a", Style.STRONG),
        ("**", MARK),
        (" b", 0),
    ]
    assert spans("*a*") == [("*", MARK), ("a", Style.EMPHASIS), ("*", MARK)]
    assert spans("~~a~~") == [("~~", MARK), ("a", Style.STRUCK), ("~~", MARK)]
    assert spans("***a***")[1] == ("a", Style.STRONG | Style.EMPHASIS)
    assert spans("这是**重点**内容")[2] == ("重点", Style.STRONG)
    assert ("b", Style.STRONG | Style.EMPHASIS) in spans("**a *b* c**")
    assert [line.shown for line in read("**a\nb**")[0].lines] == ["**a", "b**"]


@pytest.mark.parametrize(
    "text",
    [
        "2*3*4",
        "a_b_c",
        "__init__",
        "(a)*(b)*(c)",
        "5 * 3 * 2",
        "b**2 * c**3",
        "x<y>z",
        "[1], [2]",
        "*",
        "a ** b",
        "```a",
        "&amp;",
    ],
)
def test_signs_that_mean_something_else_stay_words(text: str) -> None:
    assert all(not style & ~MARK for _, style in spans(text))
    assert written(read(text)) == text


def test_code_in_a_line_holds_no_emphasis() -> None:
    assert spans("`a **b**`")[1] == ("a **b**", Style.CODE)


def test_a_link_shows_words_and_address() -> None:
    assert spans('[a **b**](javascript:x "t")') == [
        ("[", MARK),
        ("a ", Style.LINK),
        ("**", MARK | Style.LINK),
        ("b", Style.STRONG | Style.LINK),
        ("**", MARK | Style.LINK),
        ("](", MARK),
        ('javascript:x "t"', Style.ADDRESS),
        (")", MARK),
    ]
    assert spans("<https://x.y>")[1] == ("https://x.y", Style.ADDRESS)


def test_a_heading() -> None:
    (part,) = read("## A *b*")
    assert isinstance(part, Heading)
    assert (part.level, part.lines[0].spans[0].text) == (2, "## ")
    assert [type(part) for part in read("#no")] == [Paragraph]


def test_lists_and_quotes_in_each_other() -> None:
    lines = [
        line for part in read("1. a\n   - b\n     c\n2. > d") for line in part.lines
    ]
    assert [
        [(one.kind, one.mark, one.begins) for one in line.within] for line in lines
    ] == [
        [("number", "1. ", True)],
        [("number", "   ", False), ("bullet", "- ", True)],
        [("number", "   ", False), ("bullet", "  ", False)],
        [("number", "2. ", True), ("quote", "> ", True)],
    ]
    assert [
        one.number for line in lines for one in line.within if one.kind == "number"
    ] == [1, 1, 1, 2]


def test_code_is_not_read() -> None:
    (part,) = read("```python\n# **a**\n\n| b |\n```")
    assert isinstance(part, Code)
    assert [line.shown for line in part.lines] == [
        "```python",
        "# **a**",
        "",
        "| b |",
        "```",
    ]
    assert [type(part) for part in read("```\nopen\n\n- a")] == [Code]


def test_a_table() -> None:
    (part,) = read(
        "| a | b | c | d |\n|:--|--:|:-:|---|\n| 1 | `x` |\n| 1 | 2 | 3 | 4 | 5 |"
    )
    assert isinstance(part, ProseTable)
    assert part.aligned == ("left", "right", "center", "")
    assert [
        ["".join(span.shown for span in cell) for cell in row] for row in part.rows
    ] == [list("abcd"), ["1", "`x`"], list("12345")]
    assert [type(part) for part in read("a | b\nc | d")] == [Paragraph]


def test_rules_and_gaps() -> None:
    assert [type(part) for part in read("a\n\n---\n\n\nb")] == [
        Paragraph,
        Gap,
        HorizontalRule,
        Gap,
        Paragraph,
    ]


PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "a",
                "b **c**",
                "*",
                "**",
                "_",
                "`",
                "```",
                "~~~",
                "\n",
                "\n\n",
                "- ",
                "1. ",
                "> ",
                "# ",
                "| a | b |",
                "|--|:-:|",
                "|--|",
            ),
            "  ",
            "    ",
            "$x^2$",
            "\\[",
            "\\]",
            "\n---\n",
            "\\(t_1\\)",
            "[a](u)",
            "1",
            "\n> ",
            "\n- ",
            "\n  ",
            "\t",
        ]
    ),
    max_size=25,
)


@given(PIECES)
@example(["| a | b |", "\n", "|--|", "--|", "\n", "| c "])
@example(["a\n", "-", " b\n-", "--"])
@settings(max_examples=300, deadline=None)
def test_it_reads_the_same_however_it_streams_in(pieces: list[str]) -> None:
    reading = IncrementalReader()
    for piece in pieces:
        for char in piece:
            reading.add(char)
    assert reading.parts == read("".join(pieces))


@given(PIECES)
@settings(max_examples=300, deadline=None)
def test_nothing_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces).replace("\t", " ").replace("\\[", "")
    assert written(read(text)) == text


@pytest.mark.parametrize("text", [text for text in SHORT if "\t" not in text])
def test_nothing_hostile_is_lost(text: str) -> None:
    assert written(read(text)) == text


def test_what_is_drawn_agrees_with_another_parser() -> None:
    """On what models usually write: emphasis, code, headings, tables, lists, as
    markdown-it reads them.
    """
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(SPEECH)
    kinds = [token.type for token in tokens]
    parts = read(SPEECH)
    assert kinds.count("heading_open") == sum(
        isinstance(part, Heading) for part in parts
    )
    assert kinds.count("fence") == sum(isinstance(part, Code) for part in parts)
    assert kinds.count("table_open") == sum(
        isinstance(part, ProseTable) for part in parts
    )
    items = [
        one
        for part in parts
        for one in part.lines[0].within
        if one.kind != "quote" and one.begins
    ]
    assert kinds.count("list_item_open") == len(items)
    inline = [child for token in tokens for child in token.children or ()]
    mine = [
        span
        for part in parts
        if not isinstance(part, Code)
        for line in part.lines
        for span in line.spans
    ]
    code = [
        span.text for span in mine if span.style & Style.CODE and not span.style & MARK
    ]
    assert sorted(set(code)) == sorted(
        {child.content for child in inline if child.type == "code_inline"}
    )
    assert (
        sum(child.type == "strong_open" for child in inline)
        == sum(span.text == "**" and bool(span.style & MARK) for span in mine) // 2
    )


HUGE = [
    *(
        "[" * 100_000,
        "]" * 100_000,
        "[a](" * 25_000,
        "![" * 50_000,
        "*a " * 33_000,
        "**" * 50_000,
        "*a_b" * 25_000,
        "***a" * 25_000,
    ),
    *(
        "$" * 100_000,
        "$a " * 33_000,
        "\\(" * 50_000,
        "\\(x" * 30_000 + "\\)",
        "`" * 100_000,
        "`a``b" * 20_000,
        "> " * 50_000,
    ),
    *(
        "- " * 50_000,
        "| a " * 25_000 + "\n" + "|--" * 25_000,
        "a\n" * 50_000,
        "**a\n" * 25_000,
        "1. a\n" * 20_000,
        "<http://" * 12_000,
    ),
    *(
        "\\" * 100_000,
        " " * 100_000,
        "#" * 100_000,
        "$" + "{" * 399 + "$",
        "a " * 50_000,
        ("a |" * 300 + "\n") * 100,
    ),
]


@pytest.mark.parametrize("text", HUGE, ids=[f"{text[:5]!r}" for text in HUGE])
def test_a_hundred_thousand_signs_take_no_longer_than_so_many(text: str) -> None:
    before = time.process_time()
    parts = read(text)
    assert time.process_time() - before < 3
    assert len(written(parts)) == len(text)


def test_a_long_reply_streams_in_linear_time() -> None:
    """Twice the text, about twice the time: what is read already is not read again."""
    took = []
    for size in (400, 1_600):
        reading = IncrementalReader()
        before = time.process_time()
        for number in range(size):
            reading.add(f"Some **words** of line {number}.\n\n")
        took.append(time.process_time() - before)
    assert took[1] < 12 * took[0]


def test_hostile_markdown_is_only_text_and_marks() -> None:
    for text in MARKDOWN:
        for part in read(text):
            assert all(
                span.formula is None for line in part.lines for span in line.spans
            )
