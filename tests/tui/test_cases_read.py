"""How two cases are read: at full height, fact by fact, hits always in sight, both
scrolled together, what they share lit up.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.engines.models.config import Config
from verifytui.sessions.events.relevance import FactItem, Facts
from verifytui.tests.support.piloting import everything, press, said, tui, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.workspaces.drafts import draft
from verifytui.tui.workspaces.relevance.drafts import NewRelevance, example_draft
from verifytui.tui.workspaces.relevance.widgets.candidates import CandidateTable
from verifytui.tui.workspaces.relevance.widgets.case_pane import CasePane
from verifytui.tui.workspaces.relevance.widgets.page import (
    CharacterSpan,
    Listing,
    Page,
    PageFact,
)

pytestmark = pytest.mark.slow

HIT = 19_441


@pytest.fixture
async def pilot(home: Path, tmp_path: Path) -> AsyncIterator[Pilot[None]]:
    """Two long Chinese cases, of which the candidate has one word at its character
    19,441.
    """
    unit = (
        "被告人张三于2019年3月来到本市某超市，趁店员不备，将货架上的白酒两瓶藏入衣内后"
        "离开。“经鉴定”，价值人民币800元；"
    )
    (tmp_path / "q.txt").write_text(
        (unit * 200)[:9_000] + "另有酒后驾驶小型轿车一节。", encoding="utf-8"
    )
    (tmp_path / "c.txt").write_text(
        (unit * 400)[:HIT] + "独角兽驾驶小型轿车逃离" + (unit * 40)[:1_600],
        encoding="utf-8",
    )
    files = NewRelevance(
        str(tmp_path / "q.txt"), str(tmp_path / "c.txt"), "zh-criminal"
    )
    app = VerifyTui(Config(), draft(files.wishes(), Config()))
    async with app.run_test(size=(120, 36)) as made:
        await wait(
            made,
            lambda: (
                app.workspace.play is not None
                and bool(app.query(CasePane))
                and pane(made).size.width > 0
            ),
        )
        yield made
        assert app.defects == []


def pane(pilot: Pilot[None], id_: str = "candidate") -> CasePane:
    return pilot.app.query_one(f"#{id_}", CasePane)


def in_sight(case: CasePane, at: int) -> bool:
    """Whether a character of the case's text is on screen."""
    span = case.page.span(at, at + 1)
    return span is not None and case.line_of(span.start) in case.seen


def test_facts_are_numbered_at_their_spans_and_places_are_found_back() -> None:
    text = "One\x1b[31m man\u200b took\ta car, and ran."
    places = [
        CharacterSpan(text.index(word), text.index(word) + len(word))
        for word in ("took\ta car", "a car", "ran")
    ]
    facts = [
        PageFact(f"M{n}", text[place.start : place.end], place)
        for n, place in enumerate(places, 1)
    ]
    page = Page(
        text,
        [
            Listing(
                "Material facts",
                "",
                (),
                [*facts, PageFact("M4", "gone", None, "(no mark)")],
            )
        ],
        1000,
        "",
    )
    assert "[M1 took [M2 a car]], and [M3 ran]." in page.shown
    assert "\x1b" not in page.shown
    assert "[M4] gone  (no mark)" in page.shown
    for place, fact in zip(places, page.facts, strict=False):
        assert fact.text is not None
        assert page.source(fact.text.start) == place.start
    assert page.facts[3].text is None
    assert page.source(len(page.shown)) == len(text)


@pytest.mark.parametrize("key", ["T", "b"])
async def test_a_hit_is_on_screen_also_after_resizing(
    pilot: Pilot[None], key: str
) -> None:
    await press(pilot, key, "slash", *"独角兽", "enter")
    await wait(pilot, lambda: "1 of 1" in everything(pilot.app))
    for width, height in ((120, 36), (80, 24), (60, 20), (200, 60), (120, 36)):
        await pilot.resize_terminal(width, height)
        await wait(pilot, lambda width=width: pilot.app.size.width == width)
        await wait(
            pilot, lambda: in_sight(pane(pilot), HIT) and "独" in everything(pilot.app)
        )
    await press(pilot, "escape")
    assert in_sight(pane(pilot), HIT)


async def test_whole_texts_and_back(pilot: Pilot[None]) -> None:
    table, low = pilot.app.query_one(CandidateTable), pane(pilot).size.height
    await press(pilot, "T")
    await wait(pilot, lambda: table.size.height == 1)
    assert pane(pilot).size.height > low + 10
    assert pane(pilot).has_focus
    assert "▸ Candidate c" in everything(pilot.app)
    await press(pilot, "b")
    assert pane(pilot, "query").has_focus
    assert "▸ Query q" in everything(pilot.app)
    await press(pilot, "T")
    await wait(pilot, lambda: table.size.height > 1)
    assert table.has_focus


async def test_both_cases_scroll_together_on_request(pilot: Pilot[None]) -> None:
    one, other = pane(pilot), pane(pilot, "query")
    await press(pilot, "T", "pagedown")
    assert (one.scroll_y > 0, other.scroll_y) == (True, 0)
    await press(pilot, "&")
    await wait(pilot, lambda: other.scroll_y > 0)
    one.scroll_to(y=one.max_scroll_y // 2, animate=False)
    await wait(pilot, lambda: abs(other.place - one.place) < 0.02)
    await press(pilot, "&", "b", "pagedown")
    assert abs(other.place - one.place) > 0.02


async def test_after_a_jump_by_search_both_cases_stand_at_the_same_share(
    pilot: Pilot[None],
) -> None:
    one, other = pane(pilot), pane(pilot, "query")
    facts = [FactItem(text=f"事实{n}") for n in range(40)]
    play = tui(pilot).workspace.play
    assert play is not None
    play.keep(tui(pilot).library)
    play.journal.append(
        Facts(role="extractor", kind="material", case="query", items=facts, edited=True)
    )
    play.cursor = 1
    await tui(pilot).workspace.refresh_view()
    await press(pilot, "T", "b", "slash", *"独角兽", "enter")
    await wait(pilot, lambda: "1 of 1" in everything(pilot.app))
    await press(pilot, "escape", "&")
    await wait(pilot, lambda: one.scroll_y > 0 and abs(other.place - one.place) < 0.02)
    for key in ("pageup", "pageup", "end", "pageup", "home"):
        await press(pilot, key)
        await wait(pilot, lambda: abs(other.place - one.place) < 0.02)
    assert (one.scroll_y, other.scroll_y) == (0, 0)


async def test_home_and_end_scroll_the_case_that_is_read(pilot: Pilot[None]) -> None:
    play = tui(pilot).workspace.play
    assert play is not None
    await press(pilot, "n", "T", "end")
    cursor, one = play.cursor, pane(pilot)
    await wait(pilot, lambda: one.scroll_y == one.max_scroll_y > 0)
    line = everything(pilot.app).splitlines()[-1]
    shown = [line.index(f" {key} ") for key in "TF{&*"]
    assert shown == sorted(shown), line
    await press(pilot, "home")
    await wait(pilot, lambda: one.scroll_y == 0)
    assert play.cursor == cursor > 0
    await press(pilot, "T", "home")
    assert play.cursor == 0


async def test_nothing_of_facts_is_said_while_blind(pilot: Pilot[None]) -> None:
    await press(pilot, "n", "T", "F")
    front = pane(pilot).front
    assert front is not None
    assert f"{front}  " in everything(pilot.app)
    await press(pilot, "B")
    await wait(pilot, lambda: not pane(pilot).page.facts)
    assert pane(pilot).front is None
    assert f"{front}  " not in everything(pilot.app)


async def test_shared_phrases_are_lit_on_request(pilot: Pilot[None]) -> None:
    await press(pilot, "*")
    await wait(pilot, lambda: "shared phrases are highlighted." in said(pilot))
    lit = pane(pilot).lit("shared")
    assert any(start <= HIT + 3 and end >= HIT + 9 for start, end in lit)
    await press(pilot, "*")
    assert not pane(pilot).lit("shared")


async def test_from_fact_to_place_and_back(pilot: Pilot[None]) -> None:
    app = tui(pilot)
    play = app.workspace.play
    assert play is not None
    items = [
        FactItem(text="逃离", start=HIT + 9, end=HIT + 11),
        FactItem(text="独角兽", start=HIT, end=HIT + 3),
        FactItem(text="飞走"),
    ]
    play.keep(app.library)
    play.journal.append(
        Facts(role="extractor", kind="material", case="c", items=items, edited=True)
    )
    play.journal.append(
        Facts(
            role="extractor",
            kind="legal",
            case="c",
            items=[FactItem(text="非法占有")],
            edited=True,
        )
    )
    play.cursor = 2
    await app.workspace.refresh_view()
    case = pane(pilot)
    await press(pilot, "T", "F")
    assert (case.front, case.side) == ("M2", "text")
    assert in_sight(case, HIT)
    assert "[M2 独角兽]" in everything(app)
    await press(pilot, "enter")
    await wait(pilot, lambda: "[M2] 独角兽" in everything(app))
    assert case.side == "list"
    await press(pilot, "F", "enter")
    assert "M3 was not found in the text" in said(pilot)
    assert "飞走  (not found in the text: no mark)" in case.page.shown
    await press(pilot, "F", "enter")
    assert "L1 is a legal fact" in said(pilot)
    await press(pilot, "{", "{", "{", "enter")
    assert (case.front, case.side) == ("M1", "text")
    assert in_sight(case, HIT + 9)


async def test_a_click_goes_from_a_mark_to_its_fact(home: Path) -> None:
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "n", "T")
        case = pane(pilot)
        await wait(pilot, lambda: case.size.height > 30)
        first = case.page.facts[0].text
        assert first is not None
        line = case.line_of(first.start)
        begun = next(at for at in range(first.start + 1) if case.line_of(at) == line)
        at = (
            case.gutter.left + first.start - begun,
            case.gutter.top + 1 + line,
        )  # below the head
        await pilot.click(case, offset=at)
        assert (case.front, case.side) == ("M1", "text")
        await pilot.click(case, offset=at)
        await wait(pilot, lambda: case.side == "list")
        assert app.defects == []
