"""A panel on the judge's seat: taken in the line-up, refused where it cannot sit, and
its votes below the verdict.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from verifytui.engines.models.config import Config, NamedModel, NamedPanel
from verifytui.engines.starting import wishes
from verifytui.sessions.events.debate import Verdict
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.piloting import events, everything, seat, tui, wait
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.lineup import LineupScreen
from verifytui.tui.workspaces.drafts import draft

pytestmark = pytest.mark.slow


def judged(side: str, answer: str) -> str:
    return json.dumps(
        {
            "reason": f"The {side} is right.",
            "preference": True,
            "supported_side": side,
            "answer": answer,
        }
    )


SAYS = {
    "one": judged("affirmative", "8 m"),
    "two": judged("affirmative", "8 m."),
    "three": "I cannot[bold] tell.",
}


@pytest.fixture
async def pilot(home: Path, loopback: Loopback) -> AsyncIterator[Pilot[None]]:
    """A debate of one round on a local model, before its first speech."""
    set_language("en")

    def answer(body: dict[str, Any]) -> Answer:
        return Answer(text=SAYS.get(body["model"], "Slowly."))

    loopback.answer = answer
    models = {
        name: NamedModel(model=f"openai/{name}", api_base=loopback.base_url)
        for name in ("here", *SAYS)
    }
    config = Config(
        models=models,
        panels={"jury": NamedPanel(panel=[*SAYS])},
        model="here",
        retries=0,
    )
    app = VerifyTui(
        config, draft(wishes("debate", {"rounds": 1}, topic="How far?"), config)
    )
    async with app.run_test(size=(120, 36), notifications=True) as made:
        await wait(made, lambda: app.workspace.play is not None)
        yield made
        assert app.defects == []


async def test_a_panel_takes_the_judges_seat_and_its_votes_are_shown(
    pilot: Pilot[None],
) -> None:
    await pilot.press("m")
    await wait(pilot, lambda: isinstance(pilot.app.screen, LineupScreen))
    await pilot.press("tab", *"jury", "enter")
    await wait(pilot, lambda: "can only judge" in everything(pilot.app))
    assert events(pilot) == []
    assert "from the next call" not in everything(pilot.app)
    await pilot.press("shift+tab", "down", "down", "tab", "enter")
    await wait(pilot, lambda: seat(pilot, "judge").name == "jury")
    assert events(pilot) == []
    await pilot.press("escape")
    await wait(pilot, lambda: len(pilot.app.screen_stack) == 1)
    await pilot.press("r")
    await wait(pilot, lambda: tui(pilot).workspace.play.session.result is not None, 60)  # type: ignore[union-attr]
    verdict = next(each for each in events(pilot) if isinstance(each, Verdict))
    assert (verdict.supported_side, verdict.answer) == ("affirmative", "8 m")
    shown = everything(pilot.app)
    assert "votes of 3 members: 2 readable, 2 of them equal" in shown
    assert "three  could not be read, does not vote" in shown
