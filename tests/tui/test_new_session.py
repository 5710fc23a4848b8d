"""The sheet for a new session: text, models of all seats and of each, settings."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from textual.widgets import Input
from verifytui.engines.debate.settings import SETTINGS
from verifytui.engines.models import litellm_loading
from verifytui.engines.models.config import Config
from verifytui.sessions.load import load_file
from verifytui.sessions.paths import paths
from verifytui.tests.support.loopback import Loopback
from verifytui.tests.support.piloting import everything, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.workspaces.debate.screens.new_debate import NewDebateScreen
from verifytui.tui.workspaces.rag.screens.new_question import NewQuestionScreen

pytestmark = pytest.mark.slow


async def never() -> None:
    """LiteLLM is not loaded: it takes seconds, and says only prices here."""
    await asyncio.Event().wait()


async def test_an_own_topic_with_one_model_takes_four_keys_and_then_two(
    home: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(litellm_loading, "warm", lambda: None)
    monkeypatch.setattr(litellm_loading, "ready", never)
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    app = VerifyTui(Config())
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.is_open)

        def lineup(topic: str) -> dict[str, str]:
            play = app.workspace.play
            assert play is not None
            assert play.session.header.task["topic"] == topic
            assert not play.session.events
            return {
                role: seat.model for role, seat in play.session.header.lineup.items()
            }

        async def sheet() -> None:
            await pilot.press("c")
            await wait(pilot, lambda: isinstance(app.screen, NewDebateScreen))
            await wait(pilot, lambda: app.screen.query("#models"))

        async def begun() -> None:
            await wait(pilot, lambda: len(app.screen_stack) == 1)

        await sheet()
        text = everything(app)
        assert text.index("Topic") < text.index("models") < text.index("rounds")
        names = [
            field.id for field in app.screen.query_one("#fields").query("*") if field.id
        ]
        places = [names.index(name) for name in SETTINGS.asked]
        assert places == sorted(places)
        assert SETTINGS.asked[:2] == ("rounds", "level")
        await pilot.press(*"Why?", "tab")
        await wait(pilot, lambda: "One model for all roles" in everything(app))
        await pilot.press(*"4o")
        await wait(pilot, lambda: "↓ gpt-4o" in everything(app))
        await pilot.press("down")
        await wait(pilot, lambda: "usable" in everything(app))
        await pilot.press("ctrl+o")
        await begun()
        model = lineup("Why?")["judge"]
        assert model == "gpt-4o"
        assert {*lineup("Why?").values()} == {model}

        await sheet()
        assert app.screen.query_one("#models", Input).value == model
        await pilot.press(*"How?", "tab", "tab", "tab", "tab", *"script", "f10")
        await begun()
        assert lineup("How?") == {
            "affirmative": model,
            "negative": model,
            "judge": "script",
        }

        await app.show_tab("rag")
        await pilot.press("c")
        await wait(pilot, lambda: isinstance(app.screen, NewQuestionScreen))
        await wait(pilot, lambda: app.screen.query("#models"))
        assert app.screen.query_one("#models", Input).value == ""
        await pilot.press("tab", "down")
        assert app.screen.query_one("#models", Input).value == model
        assert app.defects == []
    kept = json.loads((paths().state / "lineups.json").read_text("utf-8"))
    assert kept == {"debate": [[model, "judge=script"], [model]]}


@pytest.mark.parametrize("left_by", ["q", "c"])
async def test_a_question_that_was_typed_is_kept_though_nothing_was_asked(
    home: Path, monkeypatch: pytest.MonkeyPatch, left_by: str
) -> None:
    """It is left by quitting, or for another session."""
    monkeypatch.setattr(litellm_loading, "warm", lambda: None)
    app = VerifyTui(Config())
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.is_open)

        async def asked(topic: str) -> None:
            await pilot.press("c")
            await wait(pilot, lambda: isinstance(app.screen, NewDebateScreen))
            await pilot.press(*topic, "f10")
            await wait(pilot, lambda: len(app.screen_stack) == 1)

        await asked("Why?")
        assert not [*paths().sessions.glob("*.yaml")]
        if left_by == "c":
            await asked("How?")  # still open: it is a draft
        else:
            await pilot.press(left_by)
            await wait(pilot, lambda: not app.is_running)
    topics = {
        load_file(path, path.name).header.task["topic"]
        for path in paths().sessions.glob("*.yaml")
    }
    assert topics == {"Why?"}
