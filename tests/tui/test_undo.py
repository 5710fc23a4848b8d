"""The key that takes back the last thing a user did: the file keeps both, and the
screen says what was undone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea
from verifytui.engines.models.config import Config
from verifytui.sessions.events import Change
from verifytui.sessions.events.rag import Retrieval
from verifytui.sessions.events.relevance import Facts
from verifytui.tests.support.piloting import (
    events,
    labels_given,
    press,
    said,
    tui,
    wait,
)
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.edit import EditScreen
from verifytui.tui.screens.pick import PickScreen

pytestmark = pytest.mark.slow


@pytest.fixture
async def pilot(home: Path) -> AsyncIterator[Pilot[None]]:
    """The app as it starts without a file."""
    app = VerifyTui(Config())
    async with app.run_test(size=(120, 36)) as made:
        await wait(made, lambda: app.is_open)
        yield made
        assert app.defects == []


async def test_a_setting_goes_back_by_an_event(pilot: Pilot[None]) -> None:
    await press(pilot, "space", ">", ">", "ctrl+z", "Z")
    changes = [
        (event.old, event.new) for event in events(pilot) if isinstance(event, Change)
    ]
    assert changes == [(3, 4), (4, 5), (5, 4), (4, 3)]
    assert "Undone: rounds: 3 → 4" in said(pilot)
    await press(pilot, "Z")
    assert "You have changed nothing since you opened this" in said(pilot)


async def test_an_edited_speech_leads_back_to_the_session_before(
    pilot: Pilot[None],
) -> None:
    await press(pilot, "space", "space")
    app = tui(pilot)
    before = app.workspace.play
    assert before is not None
    await press(pilot, "e")
    await wait(pilot, lambda: isinstance(app.screen, EditScreen))
    app.screen.query_one(TextArea).text = "I say 5.\n\nAnswer: 5"
    await press(pilot, "f10")
    await wait(
        pilot,
        lambda: (
            app.workspace.play is not before
            and "Answer: 5" in str(events(pilot)[-1].text)
        ),
    )  # type: ignore[attr-defined]
    fork = app.workspace.play
    assert fork is not None
    await press(pilot, "ctrl+z")
    assert app.workspace.play is not None
    assert app.workspace.play.journal.path == before.journal.path
    assert "the fork stays in the library" in said(pilot)
    assert fork.journal.path is not None
    assert fork.journal.path.exists()


async def test_a_dropped_reference_comes_back_in_place(pilot: Pilot[None]) -> None:
    await press(pilot, "[", "space")
    await wait(pilot, lambda: len(events(pilot)) == 1)
    tui(pilot).workspace.query_one("#references").focus()
    await press(pilot, "D")
    await wait(pilot, lambda: len(events(pilot)) == 2)
    await press(pilot, "ctrl+z")
    first, dropped, again = events(pilot)
    assert isinstance(first, Retrieval)
    assert isinstance(dropped, Retrieval)
    assert isinstance(again, Retrieval)
    assert (len(first.dropped), len(dropped.dropped), again.dropped) == (0, 1, [])
    assert "Undone: drop or restore reference [1]." in said(pilot)


async def test_a_label_and_edited_facts_go_back(pilot: Pilot[None]) -> None:
    await press(pilot, "]", "n")
    await wait(
        pilot, lambda: len(events(pilot)) > 4 and not tui(pilot).workspace.running
    )
    await press(pilot, "3", "1", "backspace")
    assert [label.value for label in labels_given(pilot)] == [3, 1, 3]
    assert "Undone: level 1 of c1" in said(pilot)
    app = tui(pilot)
    await press(pilot, "e")
    await wait(pilot, lambda: isinstance(app.screen, PickScreen))
    await press(pilot, "enter")
    await wait(pilot, lambda: isinstance(app.screen, EditScreen))
    app.screen.query_one(TextArea).text = "One fact."
    await press(pilot, "f10", "Z")
    *_, before, edited, again = [
        event
        for event in events(pilot)
        if isinstance(event, Facts) and event.case == "c1" and event.kind == "material"
    ]
    assert [item.text for item in edited.items] == ["One fact."]
    assert (again.items, again.edited, again.usage.input) == (
        before.items,
        before.edited,
        0,
    )
