"""Screens where something is typed or chosen: new debate, editor, judge's form, level,
export, questions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from textual.widgets import Input, TextArea
from verifytui.engines.debate.settings import SETTINGS
from verifytui.engines.starting import Wishes, wishes
from verifytui.tests.support.screens_host import HOSTILE, NOT_YET, shown, text_of
from verifytui.tui.screens.confirm import ConfirmScreen, LinePrompt
from verifytui.tui.screens.edit import EditScreen
from verifytui.tui.screens.export import ExportScreen
from verifytui.tui.screens.form import ChoiceField
from verifytui.tui.workspaces.debate.screens.level import LevelScreen
from verifytui.tui.workspaces.debate.screens.new_debate import NewDebateScreen

pytestmark = pytest.mark.slow


class Example(NamedTuple):
    topic: str
    kind: str = "question"
    source: str | None = None
    target: str | None = None


EXAMPLES = [
    Example("How fast was Alice?"),
    Example("吃掉敌人一个师", "translation", "zh", "en"),
]


def filled(topic: str, **options: object) -> Wishes:
    """What the form gives for a topic: the defaults, but for these options."""
    left = (
        "kind",
        "debaters",
        "level",
        "rounds",
        "opening",
        "negative",
        "stop",
        "control",
        "resample_judge",
    )
    defaults = {
        name: value
        for name, value in {"kind": "question", **SETTINGS.defaults()}.items()
        if name in left
    }
    return wishes("debate", {**defaults, **options}, topic=topic)


async def test_a_typed_topic_with_the_defaults() -> None:
    async with shown(NewDebateScreen(EXAMPLES, {"rounds": 4, "level": 0})) as (
        host,
        pilot,
    ):
        await pilot.press(*"Why", "space", "1", "f10")
        assert host.result == filled("Why 1", rounds=4, level=0)


async def test_an_example_fills_the_form_and_the_own_topic_comes_back() -> None:
    async with shown(NewDebateScreen(EXAMPLES, {})) as (host, pilot):
        await pilot.press(*"mine", "tab", "right", "right")
        assert host.screen.query_one("#topic-text", TextArea).text == "吃掉敌人一个师"
        assert host.screen.query_one("#from", Input).display
        await pilot.press("right")
        assert host.screen.query_one("#topic-text", TextArea).text == "mine"
        await pilot.press("left", "enter")
        assert host.result == filled(
            "吃掉敌人一个师", kind="translation", source="zh", target="en"
        )


async def test_the_level_is_chosen_by_name() -> None:
    async with shown(NewDebateScreen(EXAMPLES, {}), (120, 36)) as (host, pilot):
        assert "disagree on everything" in text_of(host)
        host.screen.query_one("#level").focus()
        await pilot.press("right", "up")
        assert host.screen.query_one("#rounds").has_focus
        host.screen.query_one("#debaters").focus()
        await pilot.press("space", "right")
        host.screen.query_one("#topic-text", TextArea).text = "x"
        await pilot.press("enter")
        assert (host.result.get("level"), host.result.get("debaters")) == (3, 4)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"#topic-text": " \n"}, "topic"),
        ({"#rounds": "0"}, "Rounds"),
        ({"#rounds": "²"}, "Rounds"),
        ({"#rounds": "-1"}, "Rounds"),
        ({"#kind": "translation"}, "languages"),
    ],
)
async def test_what_cannot_be_taken_is_said_and_nothing_is_lost(
    change: dict[str, str], word: str
) -> None:
    async with shown(NewDebateScreen(EXAMPLES, {}, topic="a topic")) as (host, pilot):
        for selector, value in change.items():
            field: Any = host.screen.query_one(selector)
            if isinstance(field, TextArea):
                field.text = value
            else:
                field.value = value
        await pilot.press("f10")
        assert host.result is NOT_YET
        assert word in text_of(host)


async def test_escape_asks_before_it_throws_typed_text_away() -> None:
    async with shown(NewDebateScreen(EXAMPLES, {})) as (host, pilot):
        await pilot.press("x", "escape")
        assert isinstance(host.screen, ConfirmScreen)
        await pilot.press("escape")
        assert host.screen.query_one("#topic-text", TextArea).text == "x"
        await pilot.press("escape", "y")
        assert host.result is None


async def test_escape_leaves_an_untouched_form_at_once() -> None:
    async with shown(NewDebateScreen(EXAMPLES, {})) as (host, pilot):
        await pilot.press("tab", "right", "escape")
        assert host.result is None


async def test_the_form_fits_with_languages_shown() -> None:
    async with shown(NewDebateScreen(EXAMPLES, {"kind": "translation"}), (80, 24)) as (
        host,
        _,
    ):
        assert all(
            host.screen.query_one(f"#{name}").region.bottom <= 24
            for name in ("from", "disagreement", "hints")
        )
        assert (
            host.screen.query_one("#disagreement").region.bottom
            <= host.screen.query_one("#note").region.y
        )
        assert [
            one.id
            for one in host.screen.query("#fields Input")
            if one.display and not one.region.height
        ] == []


@pytest.mark.parametrize("key", ["f10", "ctrl+o"])
async def test_the_editor_gives_the_text_back(key: str) -> None:
    async with shown(EditScreen("A", "old\n", HOSTILE)) as (host, pilot):
        await pilot.press("n", "e", "w", "enter", "q", key)
        assert host.result == "old\nnew\nq"


async def test_the_editor_takes_no_empty_text_and_keeps_changes_from_escape() -> None:
    async with shown(EditScreen("A", "")) as (host, pilot):
        await pilot.press("space", "f10")
        assert host.result is NOT_YET
        await pilot.press("x", "escape", "n")
        assert host.result is NOT_YET
        assert host.screen.query_one(TextArea).text == " x"
        await pilot.press("escape", "y")
        assert host.result is None


async def test_a_long_task_above_the_editor_leaves_room_to_write() -> None:
    async with shown(EditScreen("A", "", "line\n" * 200)) as (host, pilot):
        assert host.screen.query_one(TextArea).size.height >= 6
        await pilot.press("shift+tab", "end")
        assert host.screen.query_one("#hint").scroll_y > 100


@pytest.mark.parametrize(
    ("keys", "level"),
    [
        (["enter"], 2),
        (["j", "enter"], 3),
        (["k", "k", "enter"], 0),
        (["1"], 1),
        (["escape"], None),
    ],
)
async def test_a_level(keys: list[str], level: int | None) -> None:
    async with shown(LevelScreen(2)) as (host, pilot):
        assert "(now)" in text_of(host)
        await pilot.press(*keys)
        assert host.result == level


async def test_the_export_ending_follows_the_format(tmp_path: Path) -> None:
    async with shown(ExportScreen(tmp_path / "a.b.md")) as (host, pilot):
        await pilot.press("right", "enter")
        assert host.result == ("html", tmp_path / "a.b.html")


@pytest.mark.parametrize(
    "name", ["there.md", "no/such/x.md", "", "x\0.md", "a" * 300 + "/x.md"]
)
async def test_an_export_that_cannot_be_written_is_refused(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "there.md").write_text("mine")
    async with shown(ExportScreen(tmp_path / "a.md")) as (host, pilot):
        host.screen.query_one("#path", Input).value = (
            f"{tmp_path}/{name}" if name else ""
        )
        await pilot.press("f10")
        assert host.result is NOT_YET
        assert str(host.screen.query_one("#note").render())


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (["enter"], False),
        (["j", "enter"], True),
        (["down", "up", "enter"], False),
        (["y"], True),
        (["n"], False),
        (["escape"], False),
    ],
)
async def test_a_question_stands_on_no(keys: list[str], answer: bool) -> None:
    async with shown(ConfirmScreen(HOSTILE, HOSTILE, "no")) as (host, pilot):
        await pilot.press(*keys)
        assert host.result is answer


async def test_a_line_of_text_is_not_empty() -> None:
    async with shown(LinePrompt("Title?", HOSTILE)) as (host, pilot):
        host.screen.query_one(Input).value = "  "
        await pilot.press("enter")
        assert host.result is NOT_YET
        await pilot.press(*"ok", "enter")
        assert host.result == "ok"


async def test_a_click_chooses(tmp_path: Path) -> None:
    async with shown(ExportScreen(tmp_path / "a.md")) as (host, pilot):
        choice = host.screen.query_one(ChoiceField)
        await pilot.click(choice, offset=(26, 0))
        assert choice.value == "html"
