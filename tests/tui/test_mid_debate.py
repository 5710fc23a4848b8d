"""What is changed while a call runs: it holds from the next call, and is kept however
the running one ends.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from verifytui.engines.debate.method import METHOD
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.starting import wishes
from verifytui.sessions.events import Change, Failure
from verifytui.sessions.events.debate import Speech, Verdict
from verifytui.sessions.journal import Journal
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.piloting import events, press, said, shown, tui, wait
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.confirm import ConfirmScreen
from verifytui.tui.screens.lineup import LineupScreen
from verifytui.tui.widgets.event_view import LiveEntry
from verifytui.tui.workspaces.drafts import draft

pytestmark = pytest.mark.slow

VERDICT = json.dumps(
    {"preference": False, "supported_side": "none", "reason": "Not yet.", "answer": ""}
)


@pytest.fixture(autouse=True)
def _english() -> None:
    set_language("en")


class Talk:
    """A server that speaks until it is told to end; the third reply is a verdict."""

    def __init__(self, server: Loopback) -> None:
        self.server = server
        self.answers: list[Answer] = []
        server.answer = self._answer

    def _answer(self, body: dict[str, Any]) -> Answer:
        text = VERDICT if len(self.answers) == 2 else "Slowly."
        self.answers.append(Answer(chunks=[text, *[" "] * 600], delay=0.05, usage=None))
        return self.answers[-1]

    def end(self) -> None:
        self.answers[-1].delay = 0


@pytest.fixture
def talk(loopback: Loopback) -> Talk:
    return Talk(loopback)


@pytest.fixture
async def pilot(home: Path, talk: Talk) -> AsyncIterator[Pilot[None]]:
    """A debate of one round on a local model, before its first speech."""
    base = talk.server.base_url
    models = {
        "here": NamedModel(model="openai/test", api_base=base),
        "there": NamedModel(model="openai/other", api_base=base),
    }
    config = Config(models=models, model="here", retries=0)
    app = VerifyTui(
        config, draft(wishes("debate", {"rounds": 1}, topic="How fast?"), config)
    )
    async with app.run_test(size=(120, 36), notifications=True) as made:
        await wait(made, lambda: app.workspace.play is not None)
        yield made
        assert app.defects == []


async def speaking(pilot: Pilot[None], talk: Talk, count: int = 1) -> None:
    """Until the reply of that number streams in."""
    await wait(pilot, lambda: len(talk.answers) == count, 60)
    await wait(
        pilot,
        lambda: any(
            live.said.source for live in pilot.app.screen_stack[0].query(LiveEntry)
        ),
        60,
    )


async def swap(pilot: Pilot[None], *to_seat: str) -> None:
    """Puts `there` on a seat; the keys lead from the first one to it."""
    await pilot.press("m")
    await wait(pilot, lambda: isinstance(pilot.app.screen, LineupScreen))
    await pilot.press(*to_seat, "tab", *"there", "enter")
    await pilot.pause()
    await pilot.press("escape")
    await wait(pilot, lambda: len(pilot.app.screen_stack) == 1)


def kinds(pilot: Pilot[None]) -> list[tuple[str, object]]:
    """The events: a change by what it changes, the others by their role."""
    return [
        (
            type(each).__name__,
            each.field if isinstance(each, Change) else getattr(each, "role", ""),
        )
        for each in events(pilot)
    ]


async def test_model_level_and_rounds_change_while_a_speech_streams(
    pilot: Pilot[None], talk: Talk
) -> None:
    await pilot.press("space")
    await speaking(pilot, talk)
    await swap(pilot, "down")
    await pilot.press("l")
    await wait(pilot, lambda: len(pilot.app.screen_stack) == 2)
    await pilot.press("3")
    await wait(pilot, lambda: len(pilot.app.screen_stack) == 1)
    await pilot.press(">", ">", "<")
    await pilot.pause()
    assert ". Applies from the next" in said(pilot)
    assert (events(pilot), tui(pilot).workspace.running) == ([], True)
    talk.end()
    await wait(pilot, lambda: not tui(pilot).workspace.running)
    expected = [
        ("Speech", "affirmative"),
        ("Change", "lineup.negative"),
        ("Change", "settings.level"),
        ("Change", "settings.rounds"),
    ]
    assert kinds(pilot) == expected
    await wait(pilot, lambda: shown(pilot) == ["Speech", "Change", "Change", "Change"])
    play = tui(pilot).workspace.play
    assert play is not None
    assert (
        play.cursor,
        play.session.setting("level"),
        play.session.setting("rounds"),
    ) == (4, 3, 2)
    assert (
        play.session.seat("negative").name,
        play.session.prefix(0).seat("negative").name,
    ) == ("there", "here")
    await pilot.press("space")
    await speaking(pilot, talk, 2)
    talk.end()
    await wait(pilot, lambda: not tui(pilot).workspace.running)
    assert [request["model"] for request in talk.server.requests] == ["test", "other"]
    assert [METHOD.asked(play.session, number) for number in (1, 5)] == [
        request["messages"] for request in talk.server.requests
    ]


async def test_what_is_changed_back_is_no_change(
    pilot: Pilot[None], talk: Talk
) -> None:
    await pilot.press("space")
    await speaking(pilot, talk)
    await pilot.press(">", "<")
    talk.end()
    await wait(pilot, lambda: not tui(pilot).workspace.running)
    assert kinds(pilot) == [("Speech", "affirmative")]


async def test_rounds_raised_while_the_judge_speaks_for_the_last_time(
    pilot: Pilot[None], talk: Talk
) -> None:
    await pilot.press("n")
    for count in (1, 2, 3):
        await speaking(pilot, talk, count)
        if count == 3:
            await pilot.press(">")
        talk.end()
        await wait(pilot, lambda count=count: len(events(pilot)) >= count)
    await wait(pilot, lambda: not tui(pilot).workspace.running)
    assert [type(each) for each in events(pilot)] == [Speech, Speech, Verdict, Change]
    await pilot.press("space")
    await speaking(pilot, talk, 4)
    talk.end()
    await wait(pilot, lambda: not tui(pilot).workspace.running)
    last = events(pilot)[-1]
    assert isinstance(last, Speech)
    assert last.round == 2


async def test_stopping_keeps_what_was_changed_and_retry_uses_it(
    pilot: Pilot[None], talk: Talk
) -> None:
    await pilot.press("space")
    await speaking(pilot, talk)
    await swap(pilot)
    await press(pilot, "x")
    assert [type(each) for each in events(pilot)] == [Failure, Change]
    assert shown(pilot) == ["Failure", "Change"]
    await pilot.press("t")
    await speaking(pilot, talk, 2)
    assert talk.server.requests[-1]["model"] == "other"
    talk.end()
    await wait(pilot, lambda: not tui(pilot).workspace.running)
    assert [type(each) for each in events(pilot)] == [Failure, Change, Speech]


async def test_leaving_keeps_what_was_changed(pilot: Pilot[None], talk: Talk) -> None:
    await pilot.press("space")
    await speaking(pilot, talk)
    await pilot.press(">", "q")
    await wait(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
    play = tui(pilot).workspace.play
    assert play is not None
    assert play.journal.path is not None
    await pilot.press("y")
    await wait(pilot, lambda: not pilot.app.is_running)
    session = Journal.open(play.journal.path, write=False).session
    assert [type(each) for each in session.events] == [Failure, Change]
    assert session.setting("rounds") == 2


async def test_a_model_that_is_gone_is_named_in_the_lineup_that_is_open(
    pilot: Pilot[None], talk: Talk
) -> None:
    talk.server.answer = Answer(
        status=404, error="The model does not exist", first_delay=0.5
    )
    await pilot.press("space", "m")
    await wait(pilot, lambda: isinstance(pilot.app.screen, LineupScreen))
    await wait(pilot, lambda: not tui(pilot).workspace.running, 60)
    await wait(
        pilot, lambda: "test" in str(pilot.app.screen.query_one("#note").render())
    )  # type: ignore[attr-defined]
    assert len(pilot.app.screen_stack) == 2
