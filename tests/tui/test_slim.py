"""What is written for a difference of two screens, read by another program's terminal."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from verifytui.tests.support.pictures import Picture, Seen
from verifytui.tui.terminal.cells import (
    PLAIN,
    UNKNOWN,
    Cell,
    Pen,
    cells_of,
    change,
    is_sure,
    pen_of,
)
from verifytui.tui.terminal.writer import Row, Slim, difference, put

WIDTH, HEIGHT = 14, 9

STYLES = [
    "none",
    "bold",
    "not bold italic",
    "red on blue",
    "bold #c8d0f0 on #16161e",
    "reverse",
    "underline green",
    "strike on red",
]
STYLES += ["dim", "bold dim"]
PENS = [pen_of(Style.parse(style), ColorSystem.TRUECOLOR) for style in STYLES]
TEXTS = [
    "a",
    "b",
    "  ",
    "Hello, ",
    "中",
    "文字",
    "é",
    "▌",
    "—",
    "。",
    "한국",
    "ｗ",
    "x中y",
    " " * WIDTH,
    "=" * WIDTH,
]
LOOSE = ["e\u0301", "🎉", "a🎉b", "✅ ", "n\u0303o"]
"""Where terminals differ: combined marks and emoji."""


@st.composite
def grids(draw: st.DrawFn, texts: list[str]) -> list[Row]:
    """Screens of texts and styles put anywhere, over each other too."""
    rows: list[Row] = [[(" ", PLAIN)] * WIDTH for _ in range(HEIGHT)]
    places = st.tuples(
        st.integers(0, HEIGHT - 1),
        st.integers(0, WIDTH - 1),
        st.sampled_from(texts),
        st.sampled_from(STYLES),
    )
    for y, x, text, style in draw(st.lists(places, max_size=25)):
        put(
            rows[y],
            x,
            cells_of([Segment(text, Style.parse(style))], ColorSystem.TRUECOLOR),
        )
    return rows


def moved(rows: list[Row], by: int) -> list[Row]:
    """The lines by so many further up, round the edge."""
    return rows[by:] + rows[:by]


def whole(rows: list[Row]) -> Picture:
    """The cells of a terminal in which a screen is drawn cell by cell, each with a
    reset before it.
    """
    seen = Seen(len(rows[0]), len(rows))
    for y, row in enumerate(rows):
        for x, (text, pen) in enumerate(row):
            if text:
                seen.stream.feed(
                    f"\x1b[{y + 1};{x + 1}H{change(PLAIN, pen)}{text}\x1b[0m"
                )
    return seen.cells()


def unknown(rows: list[Row]) -> list[Row]:
    return [[UNKNOWN] * len(row) for row in rows]


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.data(), st.booleans())
def test_a_terminal_that_is_sent_the_differences_shows_each_screen(
    data: st.DataObject, fills: bool
) -> None:
    first, other = data.draw(grids(TEXTS)), data.draw(grids(TEXTS))
    by = data.draw(st.integers(1, HEIGHT - 1))
    seen = Seen(WIDTH, HEIGHT, fills)
    seen.stream.feed("rubbish" * 30)
    before = unknown(first)
    for rows in (first, other, moved(other, by), moved(other, -by), moved(first, by)):
        seen.stream.feed(difference(before, rows, lambda: fills))
        assert seen.cells() == whole(rows)
        assert seen.screen.cursor.attrs == seen.screen.default_char
        assert not difference(rows, [list(row) for row in rows])
        before = rows


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_lines_with_marks_and_emoji_are_written_whole(data: st.DataObject) -> None:
    first, other = data.draw(grids(TEXTS + LOOSE)), data.draw(grids(TEXTS + LOOSE))
    seen = Seen(WIDTH, HEIGHT)
    seen.stream.feed(difference(unknown(first), first))
    assert seen.cells() == whole(first)
    seen.stream.feed(difference(first, other))
    assert seen.cells() == whole(other)


@pytest.mark.parametrize("before", PENS)
@pytest.mark.parametrize("after", PENS)
def test_a_change_of_pen_is_short_and_leads_to_the_other_pen(
    before: Pen, after: Pen
) -> None:
    seen, straight = Seen(WIDTH, HEIGHT), Seen(WIDTH, HEIGHT)
    sent = change(before, after)
    seen.stream.feed(change(PLAIN, before) + sent)
    straight.stream.feed(change(PLAIN, after))
    assert seen.screen.cursor.attrs == straight.screen.cursor.attrs
    assert len(sent) <= len(change(before, PLAIN)) + len(change(PLAIN, after))
    assert (sent == "") == (before == after)


def row_of(text: str, style: str = "none", width: int = 30) -> Row:
    cells = cells_of([Segment(text, Style.parse(style))], ColorSystem.TRUECOLOR)
    return cells + [(" ", PLAIN)] * (width - len(cells))


def test_one_letter_costs_a_few_bytes() -> None:
    old, new = [row_of("The way up")], [row_of("The way UP")]
    assert difference(old, new) == "\x1b[1;9HUP"


def test_after_a_wide_character_the_cursor_is_where_it_is() -> None:
    old, new = (
        [row_of("中aaaaaaaab", width=WIDTH)],
        [row_of("文aaaaaaaac", width=WIDTH)],
    )
    seen = Seen(WIDTH, 1)
    seen.stream.feed(difference(unknown(old), old) + difference(old, new))
    assert seen.cells() == whole(new)


def test_lines_that_move_up_are_moved_by_the_terminal() -> None:
    lines = [row_of(chr(97 + number) * 20) for number in range(11)]
    assert (
        difference(lines[:10], lines[1:])
        == f"\x1b[1;10r\x1b[1H\x1b[1M\x1b[r\x1b[10H{'k' * 20}"
    )
    assert (
        difference(lines[1:], lines[:10])
        == f"\x1b[1;10r\x1b[1H\x1b[1L\x1b[r\x1b[H{'a' * 20}"
    )


def test_blanks_of_lines_that_come_in_are_left_to_a_terminal_that_fills_them() -> None:
    lines = [
        row_of(chr(97 + number) * 20 + " " * 10, "on #16161e") for number in range(11)
    ]
    ground = "48;2;22;22;30"
    assert (
        difference(lines[:10], lines[1:], lambda: True)
        == f"\x1b[1;10r\x1b[1H\x1b[{ground}m\x1b[1M\x1b[r\x1b[10H{'k' * 20}\x1b[m"
    )
    assert difference(lines[:10], lines[1:]).count(" ") == 10


def test_long_blanks_are_erased_where_that_colors_them() -> None:
    text = "a" * 20 + " " * 12 + "b" + " " * 7
    rows = [row_of(text, "on #16161e")]
    before = [row_of("x" * len(text), "on #16161e")]
    ground = "48;2;22;22;30"
    assert (
        difference(before, rows, lambda: True)
        == f"\x1b[{ground}m\x1b[H{'a' * 20}\x1b[12X\x1b[12Cb\x1b[7X\x1b[m"
    )
    assert difference(before, rows).count(" ") == 19
    seen = Seen(len(text), 1)
    seen.stream.feed(difference(unknown(before), before, lambda: True))
    seen.stream.feed(difference(before, rows, lambda: True))
    assert seen.cells() == whole(rows)


@pytest.mark.parametrize("style", ["reverse", "underline on blue", "strike on red"])
def test_blanks_that_are_drawn_with_more_than_a_colour_are_written(style: str) -> None:
    """What a terminal fills has a colour and nothing else."""
    lines = [row_of(chr(97 + number) * 20 + " " * 10, style) for number in range(11)]
    seen = Seen(30, 10)
    seen.stream.feed(
        difference(unknown(lines[:10]), lines[:10])
        + difference(lines[:10], lines[1:], lambda: True)
    )
    assert seen.cells() == whole(lines[1:])


def test_a_scrollbar_that_moves_too_does_not_hide_it() -> None:
    def screen(top: int) -> list[Row]:
        return [
            row_of(f"{chr(97 + number) * 29}{'#' if number == 2 * top else ' '}")
            for number in range(top, top + 10)
        ]

    sent = difference(screen(0), screen(3))
    assert "\x1b[3M" in sent
    assert len(sent) < 3 * 30 + 60


@pytest.mark.parametrize(
    "text", ["👩\u200d👩\u200d👧 family", "❤\ufe0f heart", "🇨🇳 flag", "नमस्ते", "กำลัง"]
)
def test_what_terminals_measure_differently_is_addressed(text: str) -> None:
    """What stands after it is drawn where it belongs, whatever the terminal made of it;
    and a change beside it draws the whole line.
    """
    old, new = row_of(f"X {text} tail"), row_of(f"Y {text} tail")
    assert len(old) == 30
    sent = difference([old], [new])
    assert "tail" in sent
    assert "\x1b[" in sent.partition("tail")[0].rpartition("Y")[2]
    assert not all(is_sure(each) for each, _ in new)
    assert "".join(each for each, _ in new).rstrip() == f"Y {text} tail"


def test_control_characters_never_reach_the_terminal() -> None:
    cells = cells_of(
        [Segment("a\x1b]52;c;x\x07b\x9b31m\r\n\x00")], ColorSystem.TRUECOLOR
    )
    assert "".join(text for text, _ in cells) == "a]52;c;xb31m"


def test_a_mark_in_a_style_of_its_own_stays_with_its_letter() -> None:
    cells = cells_of(
        [Segment("e", Style.parse("bold")), Segment("\u0301x", Style.parse("red"))],
        ColorSystem.TRUECOLOR,
    )
    assert [text for text, _ in cells] == ["e\u0301", "x"]


def test_half_of_a_wide_character_is_a_blank() -> None:
    row: list[Cell] = row_of("中文字", width=6)
    put(row, 1, row_of("ab", width=2))
    assert [text for text, _ in row] == [" ", "a", "b", " ", "字", ""]
    put(row, 5, row_of("中", width=2))
    assert [text for text, _ in row] == [" ", "a", "b", " ", " ", " "]


def test_few_colours_stay_few() -> None:
    style = Style.parse("#c8d0f0 on #16161e")
    assert pen_of(style, ColorSystem.EIGHT_BIT).ink.startswith("38;5;")
    assert pen_of(style, ColorSystem.STANDARD).ground in {
        f"{number}" for number in range(40, 48)
    }


def test_an_update_of_an_unknown_kind_is_left_to_textual_and_nothing_is_taken_for_known_after_it() -> (
    None
):
    slim = Slim()
    slim.rows = [row_of("known")]
    assert slim.of("another kind") == "another kind"
    assert slim.rows == [[UNKNOWN] * 30]
    assert slim.of(None) is None
