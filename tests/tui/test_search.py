"""One search over all text: it counts hits, marks them, and goes to the line."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES
from verifytui.engines.models.config import Config
from verifytui.engines.rag.starting import new_question
from verifytui.prompts import load
from verifytui.sessions.events import Reference
from verifytui.sessions.events.debate import DebateResult, Speech
from verifytui.sessions.events.rag import Retrieval
from verifytui.sessions.events.relevance import FactItem, Facts, Judgement
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Session
from verifytui.tests.support.piloting import (
    everything,
    header,
    press,
    recorded,
    tui,
    wait,
)
from verifytui.texts import t
from verifytui.tui.app import VerifyTui
from verifytui.tui.app_theme import LEGIBLE, contrast, legible
from verifytui.tui.play import Play
from verifytui.tui.screens.compare import CompareScreen
from verifytui.tui.screens.library import LibraryScreen
from verifytui.tui.screens.machine import MachineScreen
from verifytui.tui.screens.pick import PickScreen
from verifytui.tui.screens.raw import RawScreen
from verifytui.tui.screens.sheet import Pages, RowList
from verifytui.tui.terminal.compat import Palette
from verifytui.tui.themes import DARK, LIGHT
from verifytui.tui.widgets.event_view import EventView
from verifytui.tui.widgets.hits import HitText, wanted
from verifytui.tui.workspaces.debate.screens.new_debate import NewDebateScreen
from verifytui.tui.workspaces.rag.screens.document import DocumentScreen
from verifytui.tui.workspaces.relevance.drafts import example_draft
from verifytui.tui.workspaces.relevance.screens.demonstrations import (
    DemonstrationsScreen,
)
from verifytui.tui.workspaces.relevance.screens.levels_guide import LevelsGuide
from verifytui.tui.workspaces.relevance.widgets.case_pane import CasePane

LONG = " ".join(
    f"Sentence {n} has {'XYLOPHONES' if n in (1, 40) else 'words'} in it."
    for n in range(60)
)
SAID = [LONG, "Short, with a xylophone.", "Nothing.", LONG]


def debate() -> VerifyTui:
    """A debate with two long speeches, each with two hits."""
    return VerifyTui(
        Config(),
        recorded(
            header("How?", affirmative="m", negative="m", judge="m"),
            [
                Speech(
                    role="negative" if n % 2 else "affirmative",
                    model="m",
                    text=text,
                    round=n // 2 + 1,
                )
                for n, text in enumerate(SAID)
            ],
        ),
    )


@pytest.mark.slow
async def test_hits_are_counted_and_the_line_is_shown(home: Path) -> None:
    app = debate()
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: bool(app.query(EventView)))
        await press(pilot, "home", "slash", *"xylophone", "enter")
        assert "1 of 5" in everything(app)
        assert "Sentence 1 has XYLOPHONES" in " ".join(everything(app).split())
        await press(pilot, "n", "n")
        assert "3 of 5" in everything(app)
        play = tui(pilot).workspace.play
        assert play is not None
        assert play.cursor == 2
        await press(pilot, "N")
        assert "2 of 5" in everything(app)
        await press(pilot, "escape")
        assert play.cursor == 1


@pytest.mark.slow
async def test_a_long_speech_begins_at_its_first_line_and_keeps_its_speaker(
    home: Path,
) -> None:
    app = debate()
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: bool(app.query(EventView)))
        await press(pilot, "home", "right")
        speaker = app.query_one("#speaker")
        assert "Sentence 0 has" in everything(app)
        assert not speaker.display
        await press(pilot, "pagedown")
        await wait(pilot, lambda: speaker.display)
        assert "affirmative" in str(speaker.render())


@pytest.mark.parametrize("theme", [DARK, LIGHT, *BUILTIN_THEMES.values()])
def test_a_hit_is_legible_in_every_theme(theme: object) -> None:
    from textual.theme import Theme

    assert isinstance(theme, Theme)
    if "ansi" in theme.name:
        pytest.skip("the terminal's own colours")
    colors = theme.to_color_system().generate()
    if theme not in (DARK, LIGHT):
        colors = legible(colors, theme)
    warning, panel, ground = (
        Color.parse(colors[name]) for name in ("warning", "panel", "background")
    )
    assert contrast(warning, panel) >= LEGIBLE
    assert contrast(ground, warning) >= LEGIBLE


def test_a_hit_may_reach_over_lines() -> None:
    pattern = wanted("long words")
    assert pattern is not None
    assert pattern.search("a lo\n  ng\nWORDS") is not None
    assert wanted("  ") is None


@pytest.mark.slow
async def test_another_last_answer_of_the_credited_side_is_told(home: Path) -> None:
    app = VerifyTui(
        Config(),
        recorded(
            header("How?", affirmative="m", negative="m", judge="m"),
            [
                Speech(role="negative", model="m", text="2", round=1, answer="2"),
                DebateResult(
                    answer="1.5",
                    decided_by="extractive",
                    rounds=1,
                    supported_side="negative",
                ),
            ],
        ),
    )
    async with app.run_test(size=(120, 36)) as pilot:
        told = "the last answer of negative was 2"
        await wait(pilot, lambda: told in everything(app))


@pytest.mark.slow
@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_a_hit_in_a_reference_is_on_the_screen(
    home: Path, size: tuple[int, int]
) -> None:
    texts = ["Short.", LONG, "A xylophone."]
    references = [
        Reference(n=n, id=str(n), title=f"Title {n}", text=text)
        for n, text in enumerate(texts, 1)
    ]
    made = new_question(
        question="How?", references=references, prompts=load("en", workspace="rag")
    )
    journal = Journal.create(None, made)
    journal.append(
        Retrieval(iteration=1, query="How?", references=references, retriever="corpus")
    )
    app = VerifyTui(Config(), Play(journal))
    async with app.run_test(size=size) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "slash", *"xylophone", "enter", "n")
        assert "2 of 3" in everything(app)
        assert "40 has XYLOPHONES" in " ".join(everything(app).split())
        await press(pilot, "slash", *"Title 3", "enter")
        assert "[3] Title 3" in everything(app)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_facts_and_reasons_of_cases_are_found(
    home: Path, size: tuple[int, int]
) -> None:
    play = example_draft(Config())
    facts = [FactItem(text=f"Fact {n}.") for n in range(30)]
    for event in (
        Facts(
            role="extractor",
            kind="material",
            case="c1",
            items=[*facts, FactItem(text="He had a xylophone.")],
        ),
        Judgement(
            role="annotator",
            kind="material",
            candidate="c1",
            relevant=False,
            reason="word\n\n" * 40 + "No xylophone there.",
            read="json",
        ),
    ):
        play.journal.append(event)
    play.cursor = 2
    app = VerifyTui(Config(), play)
    async with app.run_test(size=size) as pilot:
        await wait(pilot, lambda: bool(app.query(CasePane)))
        await press(pilot, "slash", *"xylophone", "enter")
        assert "1 of 2" in everything(app)
        assert "[M31] He had a xylophone." in everything(app)
        assert app.query_one("#candidate", CasePane).front == "M31"
        await press(pilot, "n")
        assert "No xylophone there." in everything(app)
        await press(pilot, "n")
        assert "1 of 2" in everything(app)
    assert app.defects == []


def replies(*words: str) -> list[str]:
    """Long replies, each with one of the words in its middle."""
    filler = "Nothing to see here.\n" * 1000
    return [f"{filler}The {word} is here.\n{filler}" for word in words]


@pytest.mark.slow
async def test_raw_messages_are_searched_far_out_of_sight(home: Path) -> None:
    app = debate()
    first, last = replies("xylophone", "Xylophone")
    sent = [{"role": "user", "content": first}]
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.is_open)
        await app.push_screen(RawScreen("Event 1", sent, {}, last))
        await wait(pilot, lambda: len(app.screen.query(HitText)) > 4)
        await pilot.press("slash", *"xylophone", "enter")
        await wait(pilot, lambda: "The xylophone is here." in everything(app))
        assert "1 of 2" in everything(app)
        await pilot.press("n")
        await wait(pilot, lambda: "The Xylophone is here." in everything(app))
        assert "2 of 2" in everything(app)
        await pilot.press("n")
        await wait(pilot, lambda: "The xylophone is here." in everything(app))
        await pilot.press("slash", *"zither", "enter")
        await wait(pilot, lambda: t("search.none") in everything(app))
        await pilot.press("escape")
        await wait(pilot, lambda: not app.screen.query("SearchBar"))
        assert isinstance(app.screen, RawScreen)
        assert not any(text.hits() for text in app.screen.query(HitText))
        await pilot.press("escape")
        await wait(pilot, lambda: len(app.screen_stack) == 1)


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 120])
async def test_two_sessions_side_by_side_are_searched(home: Path, width: int) -> None:
    def play(*texts: str) -> Session:
        said = [
            Speech(role="affirmative", model="m", text=text, round=n)
            for n, text in enumerate(texts, 1)
        ]
        made = header("How?", affirmative="m", negative="m", judge="m")
        return recorded(made, said).session

    same, other = replies("kazoo", "xylophone")
    app = debate()
    async with app.run_test(size=(width, 24)) as pilot:
        await wait(pilot, lambda: app.is_open)
        left, right = play(same, "Short."), play(same, other)
        await app.push_screen(CompareScreen(left, right))
        await pilot.press("slash", *"xylophone", "enter")
        await wait(pilot, lambda: "The xylophone is here." in everything(app))
        assert "1 of 1" in everything(app)
        (line,) = (
            [*strip]
            for strip in app.screen._compositor.render_strips()
            if "The xylophone" in strip.text
        )
        (hit,) = (piece.style for piece in line if piece.text == "xylophone")
        warning = Color.parse(app.theme_variables["warning"])
        assert hit is not None
        assert hit.bgcolor == warning.rich_color
        await pilot.press("escape")
        await wait(pilot, lambda: not app.screen.query("SearchBar"))
        assert isinstance(app.screen, CompareScreen)


@pytest.mark.slow
async def test_a_choice_is_narrowed(home: Path) -> None:
    app = debate()
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.is_open)
        taken: list[int | None] = []
        rows = ["red house", "blue house", "house of blue"]
        app.push_screen(PickScreen("Which?", rows), taken.append)
        await pilot.press("slash", *"blue", "space", *"house", "down", "enter")
        await wait(pilot, lambda: taken == [2])


@pytest.mark.slow
async def test_demonstrations_are_narrowed_by_all_their_text(home: Path) -> None:
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.is_open)
        await pilot.press("C")
        await wait(pilot, lambda: isinstance(app.screen, DemonstrationsScreen))
        rows = app.screen.query_one(RowList)
        await wait(pilot, lambda: rows.option_count > 1)
        shown = app.screen.query_one("#demonstration", HitText)
        await pilot.press("slash", *"steal")
        pages = app.screen.query_one(Pages)
        await wait(pilot, lambda: shown.hits() and shown.hits()[0] > pages.size.height)
        first = shown.hits()[0]
        await wait(pilot, lambda: first - pages.size.height < pages.scroll_offset.y)
        assert pages.scroll_offset.y <= first
        await pilot.press(*"zzz")
        await wait(pilot, lambda: rows.option_count == 0)
        await pilot.press("right", "escape")
        await wait(pilot, lambda: rows.option_count > 1)
        assert isinstance(app.screen, DemonstrationsScreen)


@pytest.mark.slow
async def test_documents_and_agreement_have_the_same_search(home: Path) -> None:
    app = debate()
    (text,) = replies("xylophone")
    place = text.index("The xylophone")
    reference = Reference(
        n=1, id="a@0", file="a.txt", text="The", start=place, end=place + 3, title="A"
    )
    guide = t("relevance.guide_material").split()[0]
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.is_open)
        for screen, word in (
            (DocumentScreen(reference, text), "Nothing"),
            (LevelsGuide(), guide),
        ):
            await app.push_screen(screen)
            await pilot.press("slash", *word, "enter")
            await wait(pilot, lambda: "1 of " in everything(app))
            await pilot.press("escape", "escape")
            await wait(pilot, lambda: len(app.screen_stack) == 1)


@pytest.mark.slow
async def test_the_palette_opens_above_a_list_and_a_form(home: Path) -> None:
    app = debate()
    async with app.run_test(size=(100, 30)) as pilot:
        await wait(pilot, lambda: app.is_open)
        await pilot.press("o")
        await wait(pilot, lambda: isinstance(app.screen, LibraryScreen))
        await pilot.press("ctrl+p")
        await wait(pilot, lambda: isinstance(app.screen, Palette))
        await pilot.press(*"Runs")
        await wait(pilot, lambda: "Go to: Runs" in everything(app))
        await pilot.press("enter")
        await wait(pilot, lambda: isinstance(app.screen, MachineScreen))
        await pilot.press("colon")
        await wait(pilot, lambda: isinstance(app.screen, Palette))
        await pilot.press(*"This", "space", *"screen:", "space", *"search")
        await wait(pilot, lambda: "This screen: search" in everything(app))
        await pilot.press("enter")
        await wait(pilot, lambda: app.screen.query("#narrow.shown"))
        await pilot.press("escape", "escape")
        await wait(pilot, lambda: len(app.screen_stack) == 1)

        await pilot.press("c")
        await wait(pilot, lambda: isinstance(app.screen, NewDebateScreen))
        await pilot.press("ctrl+p", *"start")
        await wait(pilot, lambda: "This screen: start" in everything(app))
        await pilot.press("enter")
        await wait(pilot, lambda: t("new.no_topic") in everything(app))


@pytest.mark.slow
async def test_what_a_sheet_shows_is_written_to_a_file(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = debate()
    sent = [{"role": "user", "content": "What is it?"}]
    async with app.run_test(size=(100, 30)) as pilot:
        await wait(pilot, lambda: app.is_open)
        play = app.workspace.play
        assert play is not None
        raw_screen = RawScreen("Event 1", sent, {"top_p": 1}, "It is 2.")
        await app.push_screen(raw_screen)
        await wait(pilot, lambda: "It is 2." in raw_screen.text())
        await pilot.press("s", "tab", "enter")
        await wait(pilot, lambda: app.screen is raw_screen)
        await app.push_screen(CompareScreen(play.session, play.session))
        await pilot.press("s", "tab", "enter")
        await wait(pilot, lambda: isinstance(app.screen, CompareScreen))
    raw = (tmp_path / "messages.txt").read_text("utf-8")
    assert raw.index("What is it?") < raw.index("top_p: 1") < raw.index("It is 2.")
    both = (tmp_path / "comparison.txt").read_text("utf-8")
    assert t("compare.same", n=1, last=4) in both
