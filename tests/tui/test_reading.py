"""What a terminal shows of Markdown: every construct with its marks, at any width,
whole or streaming in.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.selection import SELECT_ALL
from verifytui.engines.models.config import Config
from verifytui.sessions.clean import clean
from verifytui.sessions.events.debate import DebateResult, Speech, Verdict
from verifytui.sessions.prose import ProseTable, Style, read
from verifytui.tests.support.hostile_texts import LONG, SHORT
from verifytui.tests.support.piloting import everything, header, press, recorded, wait
from verifytui.tests.support.speeches import SPEECH
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.raw import RawScreen
from verifytui.tui.widgets.flowing import flowing
from verifytui.tui.widgets.line_layout import (
    BROKEN,
    CODE_LINE,
    HEAD,
    QUOTE,
    RULE,
    WRAP,
    lay,
)
from verifytui.tui.widgets.prose_view import ProseView

OURS = RULE | WRAP


def lines(text: str, width: int = 40) -> list[str]:
    return [
        "".join([" " * one.hang, *(piece for piece, _ in one.pieces)]).rstrip()
        for part in read(text)
        for one in lay(part, width).drawn
    ]


def looks(text: str) -> dict[str, int]:
    return {
        piece: bits
        for part in read(text)
        for one in lay(part, 80).drawn
        for piece, bits in one.pieces
        if piece.strip()
    }


def test_marks_are_kept_and_look_like_marks() -> None:
    assert lines("# A **b** *c* ~~d~~ `e` [f](g)") == ["# A **b** *c* ~~d~~ `e` [f](g)"]
    found = looks("A **b** *c* ~~d~~ `e` [f](g)")
    assert (found["b"], found["c"], found["d"], found["e"], found["f"]) == (
        Style.STRONG,
        Style.EMPHASIS,
        Style.STRUCK,
        Style.CODE,
        Style.LINK,
    )
    assert found["g"] == Style.ADDRESS
    assert all(
        found[mark] & Style.MARK for mark in ("**", "*", "~~", "`", "[", "](", ")")
    )
    assert looks("## A")["A"] == HEAD
    assert looks("> a")["a"] == QUOTE


def test_items_go_on_under_their_first_word() -> None:
    assert lines("12. one two three\n    - four five", 12) == [
        "12. one two",
        "    three",
        "    - four",
        "      five",
    ]


def test_formulae() -> None:
    assert lines(r"Up \(t_1 \le \frac{d}{2}\), $5 and \(\unknown\).") == [
        r"Up t₁ ≤ d/2, $5 and \(\unknown\)."
    ]


def test_code_is_broken_with_a_mark_and_copied_without() -> None:
    (part,) = read("```\nabcdefghij\n\tx\n```")
    laid = lay(part, 6)
    assert lines("```\nabcdefghij\n\tx\n```", 6) == [
        "```",
        f"abcde{BROKEN}",
        "fghij",
        "    x",
        "```",
    ]
    assert laid.texts == ("```", "abcdefghij", "    x", "```")
    assert all(
        bits & CODE_LINE
        for one in laid.drawn
        for piece, bits in one.pieces
        if piece.strip()
    )


def test_a_table_is_aligned_with_a_rule_under_its_head_alone() -> None:
    assert lines(
        "| Way | Speed | Time |\n|:--|--:|:-:|\n| up | 1 | `d` |\n| down | 30 | "
        "$d^2$ | more |"
    ) == [
        "Way   Speed  Time",
        "───────────────────────",
        "up        1  `d`",
        "down     30   d²   more",
    ]


def test_a_wide_table_breaks_in_its_cells_and_one_that_is_far_too_wide_is_as_it_was_written() -> (
    None
):
    text = "| Way | Why |\n|---|---|\n| up | because it is steep |"
    assert lines(text, 16) == [
        "Way  Why",
        "────────────────",
        "up   because it",
        "     is steep",
    ]
    assert lines(text, 7) == [
        "| Way |",
        "Why |",
        "|---|--",
        "-|",
        "| up |",
        "because",
        "it is",
        "steep |",
    ]


@pytest.mark.parametrize("width", [1, 2, 7, 30, 120])
def test_nothing_that_was_said_is_missing_at_any_width(width: int) -> None:
    for text in (*SHORT, SPEECH):
        for part in read(clean(text)):
            laid = lay(part, width)
            shown = "".join(
                piece
                for one in laid.drawn
                for piece, bits in one.pieces
                if not bits & OURS
            )
            said = "".join(line.indent + line.shown for line in part.lines)
            if isinstance(part, ProseTable):
                said, shown = (
                    "".join(sorted(one.translate(str.maketrans("", "", "|-:"))))
                    for one in (said, shown)
                )
            assert "".join(shown.split()) == "".join(said.split()), text
            if width > 1:  # a wide character has two cells
                assert all(
                    one.hang + sum(cell_len(piece) for piece, _ in one.pieces) <= width
                    for one in laid.drawn
                ), text


@pytest.mark.parametrize(
    "text", [text[:100_000] for text in LONG], ids=[text[:3] for text in LONG]
)
def test_a_hundred_thousand_signs_are_laid_out(text: str) -> None:
    assert sum(
        len(piece)
        for part in read(text)
        for one in lay(part, 80).drawn
        for piece, _ in one.pieces
    ) == len(text)


def test_a_line_of_many_styles_is_laid_out_in_time_that_grows_with_its_length() -> None:
    (part,) = read("word **bold** and more of it " * 3_500)
    before = time.process_time()
    assert len(lay(part, 80).drawn) > 1_000
    assert time.process_time() - before < 0.5


def test_nothing_is_missing_where_a_text_stands_among_others() -> None:
    for text in (*SHORT, SPEECH):
        lines_of = [line for part in read(clean(text)) for line in part.lines]
        assert flowing(clean(text)).plain == "\n".join(
            (line.indent + line.shown).replace("\t", " " * 4) for line in lines_of
        ), text
    assert (
        flowing("- a\n\n| a | b |\n|---|---|\n| c | d |", width=20).plain
        == "- a\n\na  b\n────\nc  d"
    )


# On the screen


async def test_the_judges_reason_and_the_result_are_read_too(home: Path) -> None:
    set_language("en")
    happened = [
        Verdict(
            role="judge",
            round=1,
            mode="discriminative",
            model="m",
            text="{}",
            reason=r"- so **fast**: \(t_1 \le 2\)",
            read="json",
        ),
        DebateResult(
            answer=r"**1.5**, for \(d^2 \ge 1\)", decided_by="extractive", rounds=1
        ),
    ]
    app = VerifyTui(Config(), recorded(header(), happened))
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await pilot.press("end")
        await wait(pilot, lambda: "- so **fast**: t₁ ≤ 2" in everything(app))
        assert "**1.5**, for d² ≥ 1" in everything(app)


async def test_a_speech_with_all_constructs(home: Path) -> None:
    set_language("en")
    app = VerifyTui(
        Config(),
        recorded(
            header(),
            [
                Speech(
                    role="affirmative",
                    round=1,
                    model="m",
                    text=SPEECH,
                    answer="1.5 m/s",
                )
            ],
        ),
    )
    async with app.run_test(size=(160, 60)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await pilot.press("end")
        await wait(pilot, lambda: "**Answer: 1.5 m/s**" in everything(app))
        seen = everything(app)
        for shown in (
            "## Why the mean",
            "**the average**",
            "*not*",
            "t₁ = d/1",
            "v_avg = (2d)/(d + d/3) = 1.5 m/s",
            "> The harmonic",
            BROKEN,
        ):
            assert shown in seen
        quiet, plain = (
            app.theme_variables["quiet"].lower(),
            app.theme_variables["foreground"].lower(),
        )
        colours = {
            segment.text.strip(): (
                segment.style.color.get_truecolor().hex,
                bool(segment.style.bold),
            )
            for strip in app.screen._compositor.render_strips()
            for segment in strip
            if segment.style is not None and segment.style.color is not None
        }
        assert colours["**"] == (quiet, False)
        assert colours["the average"] == (plain, True)
        said = next(iter(app.screen.query(ProseView)))
        copied = said.get_selection(SELECT_ALL)
        assert copied is not None
        assert (
            "# the harmonic mean: the ways are equal and the times are not, so it "
            "is less than two\n" in copied[0]
        )
        await press(pilot, "v")
        await wait(pilot, lambda: isinstance(app.screen, RawScreen))
        await pilot.press("3")
        await wait(pilot, lambda: r"\frac{d}{1}" in everything(app))


async def test_what_streams_in_looks_like_what_is_whole(home: Path) -> None:
    set_language("en")
    app = VerifyTui(Config())
    async with app.run_test(size=(120, 60)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        transcript = await app.workspace.transcript()
        await transcript.begin("affirmative", "m", lambda: "speaking")
        for at in range(0, len(SPEECH), 7):
            transcript.feed(SPEECH[at : at + 7])
            if at % 70 == 0:
                await pilot.pause()
        await wait(pilot, lambda: "**Answer: 1.5 m/s**" in everything(app))
        streamed = next(iter(app.screen.query(ProseView)))
        assert [
            strip.text
            for strip in streamed.visual.render_strips(80, None, *_drawing(streamed))
        ] == [
            strip.text
            for strip in ProseView(SPEECH).visual.render_strips(
                80, None, *_drawing(streamed)
            )
        ]
        await transcript.end_live()


def _drawing(widget: ProseView) -> tuple[object, object]:
    from textual.visual import RenderOptions

    return widget.visual_style, RenderOptions(lambda name: widget.visual_style, {})
