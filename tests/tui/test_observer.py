"""The observer in the app: why nothing is measured, and the line-up that seats one."""

from __future__ import annotations

import pytest
from textual.widgets import Static
from verifytui.engines.debate.method import example
from verifytui.engines.models.config import Config
from verifytui.sessions.events import Change
from verifytui.sessions.events.debate import Stance
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.piloting import events, press, tui, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.lineup import LineupScreen
from verifytui.tui.workspaces.debate.widgets.side import Side, SideLine
from verifytui.tui.workspaces.drafts import draft

pytestmark = pytest.mark.slow


def drawn(app: VerifyTui, kind: type[Static]) -> str:
    return str(app.screen_stack[0].query_one(kind).render())


async def test_a_debate_without_an_observer_says_so_and_the_lineup_seats_one(
    loopback: Loopback, home: object, monkeypatch
) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    loopback.answer = Answer('{"reason": "In part.", "disagreement": 0.25}')
    app = VerifyTui(Config(), draft(example(3), Config()))
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: tui(pilot).workspace.play is not None)
        assert "no observer" in " ".join(drawn(app, Side).split())
        await press(pilot, "space", "space")
        await pilot.press("m")
        await wait(pilot, lambda: isinstance(app.screen, LineupScreen))
        rows = app.screen._roles  # type: ignore[attr-defined]
        assert [(row.role, row.needed) for row in rows][-2] == ("observer", False)
        await pilot.press("j", "j", "j", "enter", *"openai/lb", "enter")
        await wait(
            pilot, lambda: any(isinstance(event, Change) for event in events(pilot))
        )
        await pilot.press("escape")
        (change,) = [event for event in events(pilot) if isinstance(event, Change)]
        assert (change.field, change.old) == ("lineup.observer", None)
        await press(pilot, "space")
        await wait(
            pilot, lambda: any(isinstance(event, Stance) for event in events(pilot))
        )
        await wait(pilot, lambda: "0.25" in drawn(app, Side))


async def test_the_folded_line_says_so_too(home: object) -> None:
    app = VerifyTui(Config(), draft(example(3), Config()))
    async with app.run_test(size=(100, 30)) as pilot:
        await wait(pilot, lambda: tui(pilot).workspace.play is not None)
        await wait(pilot, lambda: "no observer" in drawn(app, SideLine))
