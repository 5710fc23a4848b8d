"""The forms of a person's turn stand beside what they are about: both can be used, and
what is filled in is kept.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import on
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input, TextArea
from verifytui.engines.models.config import Config
from verifytui.engines.rag.claims_reading import read_lines, read_nugget_lines
from verifytui.sessions.events import Reference
from verifytui.sessions.events.debate import Speech
from verifytui.sessions.journal import Journal
from verifytui.tests.support.piloting import (
    events,
    everything,
    header,
    press,
    recorded,
    said,
    shown,
    wait,
)
from verifytui.tests.support.screens_host import HOSTILE, Host
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.screens.confirm import ConfirmScreen
from verifytui.tui.screens.docked_form import DockedForm, Writing
from verifytui.tui.screens.form import ChoiceField
from verifytui.tui.screens.help import HelpScreen
from verifytui.tui.workspaces.debate.screens.verdict_form import JudgeForm
from verifytui.tui.workspaces.rag.screens.claims_form import ClaimsForm

pytestmark = pytest.mark.slow

PASSAGES = [Reference(n=n, id=str(n), text="Beorn is a bear.") for n in (1, 2)]


class Bare(Host):
    """One form, and what it says."""

    def __init__(self, form: DockedForm) -> None:
        super().__init__()
        self.form = form
        self.words: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.form

    @on(DockedForm.Sent)
    def _sent(self, event: DockedForm.Sent) -> None:
        self.words.append(event.words)


@asynccontextmanager
async def alone(form: DockedForm) -> AsyncIterator[tuple[Bare, Pilot[None]]]:
    app = Bare(form)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        form.take_keys()
        await pilot.pause()
        yield app, pilot


async def test_a_verdict_by_a_person() -> None:
    async with alone(
        JudgeForm("discriminative", ["affirmative", "negative"], ["2 m/s", "1.5 m/s"])
    ) as (app, pilot):
        await pilot.press(
            "right",
            "tab",
            "left",
            "left",
            "left",
            "tab",
            "right",
            "right",
            "tab",
            "tab",
            *"why",
            "f10",
        )
        (words,) = app.words
        assert json.loads(words) == {
            "preference": True,
            "supported_side": "affirmative",
            "reason": "why",
            "answer": "1.5 m/s",
        }


async def test_a_verdict_may_leave_everything_open_but_an_ending_needs_an_answer() -> (
    None
):
    async with alone(JudgeForm("discriminative", ["affirmative"], [])) as (app, pilot):
        await pilot.press("right", "f10")
        assert app.words == []
        assert app.query_one("#answer").has_focus
        app.query_one("#preference", ChoiceField).value = False
        await pilot.press("f10")
        assert [json.loads(each) for each in app.words] == [
            {"preference": False, "supported_side": None, "reason": "", "answer": None}
        ]


async def test_the_extractive_judge_must_name_an_answer() -> None:
    async with alone(JudgeForm("extractive", ["affirmative", HOSTILE], [HOSTILE])) as (
        app,
        pilot,
    ):
        assert not app.query("#preference")
        await pilot.press("f10")
        assert app.words == []
        app.query_one("#answer", Input).value = " 42 "
        await pilot.press("enter")
        said_: dict[str, Any] = json.loads(app.words[0])
        assert (said_["answer"], said_["preference"]) == ("42", True)


async def test_a_blind_judge_is_asked_for_the_answer_alone() -> None:
    async with alone(JudgeForm("blind", [])) as (app, pilot):
        await pilot.press(*"42", "tab", *"so", "f10")
        (words,) = app.words
        assert json.loads(words) == {
            "preference": True,
            "supported_side": None,
            "reason": "so",
            "answer": "42",
        }


# In a debate


def people(folder: Path, *speeches: str) -> Play:
    made = header("How fast?", affirmative="human", negative="human", judge="human")
    sides = ("affirmative", "negative")
    happened = [
        Speech(role=sides[n % 2], round=1, text=text, model="human")
        for n, text in enumerate(speeches)
    ]
    return recorded(made, [*happened], folder / "people.yaml")


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36), (180, 50)])
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_form_leaves_half_of_the_screen_to_the_debate(
    home: Path, tmp_path: Path, size: tuple[int, int], language: str
) -> None:
    set_language(language)
    app = VerifyTui(Config(), people(tmp_path, "It is two. " * 200))
    async with app.run_test(size=size) as pilot:
        await wait(pilot, lambda: app.is_open)
        await pilot.press("space")
        await wait(
            pilot, lambda: bool(app.query(Writing)) and app.workspace.dock.has_keys
        )
        await pilot.pause()
        form, transcript = (
            app.query_one(DockedForm).region,
            app.query_one("#transcript").region,
        )
        assert not form.overlaps(transcript)
        if size[0] >= 150:
            assert form.width <= size[0] // 2
        else:
            assert form.height <= size[1] // 2
        assert app.query_one(TextArea).size.height >= 4
        assert transcript.height >= 4
        assert app.query_one("#hints").region.bottom <= size[1]
        assert "F10" in everything(app)


@pytest.mark.parametrize(
    ("topic", "line"),
    [("How fast?", "Answer: 1.5 m/s"), ("平均速度是多少？", "答案：1.5 m/s")],
)
async def test_a_speech_has_a_field_of_its_own_for_the_answer(
    home: Path, tmp_path: Path, topic: str, line: str
) -> None:
    set_language("en")
    made = header(topic, affirmative="human", negative="human", judge="human")
    play = recorded(made, [], tmp_path / "people.yaml")
    app = VerifyTui(Config(), play)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.is_open)
        await pilot.press("space")
        await wait(pilot, lambda: app.workspace.dock.has_keys)
        await pilot.press(*"It is one and a half: is it?", "f1")
        await wait(pilot, lambda: isinstance(app.screen, HelpScreen))
        await wait(pilot, lambda: "Text to write" in everything(app))
        assert "F10 ^o  send" in everything(app)
        await pilot.press("escape", "tab", *"1.5 m/s", "enter")
        await wait(pilot, lambda: len(events(pilot)) == 1)
        speech = events(pilot)[0]
    assert isinstance(speech, Speech)
    assert speech.answer == "1.5 m/s"
    assert speech.text == f"It is one and a half: is it?\n\n{line}"
    assert app.defects == []


async def test_one_reads_above_while_one_writes(home: Path, tmp_path: Path) -> None:
    set_language("en")
    app = VerifyTui(Config(), people(tmp_path, "It is two. " * 400))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await wait(pilot, lambda: app.is_open)
        await pilot.press("space")
        await wait(pilot, lambda: app.workspace.dock.has_keys)
        await pilot.press(*"Mine qx", "left", "home")
        transcript = app.query_one("#transcript")
        start = transcript.scroll_y
        assert app.query_one(TextArea).text == "Mine qx"
        await pilot.press("ctrl+t", "pagedown")
        await wait(pilot, lambda: transcript.scroll_y > start)
        await pilot.press("left")
        await wait(pilot, lambda: shown(pilot) == [])
        await pilot.press("end", "ctrl+t", "end", "!")
        assert app.query_one(TextArea).text == "Mine qx!"
        await pilot.press("ctrl+o")
        await wait(pilot, lambda: len(events(pilot)) == 2 and not app.query(DockedForm))
        assert events(pilot)[-1].text == "Mine qx!"  # type: ignore[attr-defined]
        assert app.focused is transcript
    assert app.defects == []


async def test_what_is_written_is_kept_when_one_leaves_the_form_the_run_or_the_session(
    home: Path, tmp_path: Path
) -> None:
    set_language("en")
    play = people(tmp_path, "It is two.")
    app = VerifyTui(Config(), play)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await wait(pilot, lambda: app.is_open)
        await pilot.press("space")
        await wait(pilot, lambda: app.workspace.dock.has_keys)
        await pilot.press(*"half", "escape")
        await wait(
            pilot, lambda: not app.query(DockedForm) and not app.workspace.running
        )
        assert "kept" in said(pilot)
        await pilot.press("q")
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, ConfirmScreen)
                and "did not send" in everything(app)
            ),
        )
        await pilot.press("n")
        await wait(pilot, lambda: len(app.screen_stack) == 1)
        await pilot.press("space")
        await wait(
            pilot,
            lambda: (
                app.workspace.dock.has_keys and app.query_one(TextArea).text == "half"
            ),
        )
        await pilot.press("ctrl+t", "x")
        await wait(
            pilot, lambda: not app.query(DockedForm) and not app.workspace.running
        )
        await pilot.press("space")
        await wait(
            pilot,
            lambda: (
                app.workspace.dock.has_keys and app.query_one(TextArea).text == "half"
            ),
        )
        await app.open_play(Play(Journal.create(None, header("Another?"))))
        await wait(
            pilot, lambda: not app.query(DockedForm) and len(app.runs.unseen) == 1
        )
        await pilot.press("R")
        await wait(pilot, lambda: "waits for you" in everything(app))
        await pilot.press("enter")
        await wait(
            pilot,
            lambda: (
                app.workspace.dock.has_keys and app.query_one(TextArea).text == "half"
            ),
        )
        await pilot.press(*" way", "f10")
        await wait(pilot, lambda: len(play.session.events) == 2)
        await press(pilot)
        assert play.session.events[-1].text == "half way"  # type: ignore[attr-defined]
    assert app.defects == []


async def test_a_person_checks_each_sentence_of_an_answer() -> None:
    texts = ["Beorn is a bear: always.", "He eats honey.", "He sings."]
    form = ClaimsForm("Claims", texts, nuggets=False)
    async with alone(form) as (app, pilot):
        await pilot.press("f10")
        assert app.words == []
        await pilot.press("right", "f10")
        assert app.words == [], "a supported claim needs its reference"
        assert app.query_one("#on1").has_focus
        await pilot.press(*"1,2", "tab", "tab", "tab", "left", "f10")
        (said,) = app.words
    read = read_lines(said, PASSAGES)
    assert [(one.text, one.verdict, one.n, one.also) for one in read.items] == [
        (texts[0], "supported", 1, [2]),
        (texts[2], "not-found", None, []),
    ]
    assert read.problems == []


async def test_a_person_checks_every_nugget() -> None:
    form = ClaimsForm("Nuggets", ["A bear.", "Honey."], nuggets=True)
    async with alone(form) as (app, pilot):
        await pilot.press("right", "f10")
        assert app.words == []
        assert app.query_one("#verdict2").has_focus
        await pilot.press("left", "f10")
        (said,) = app.words
    read = read_nugget_lines(said, ["A bear.", "Honey."], "A bear.")
    assert [one.verdict for one in read.items] == ["supported", "not-found"]
    assert read.wanting is None
