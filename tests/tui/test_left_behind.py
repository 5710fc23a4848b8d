"""Once another session is open, nothing of the former one stays in memory, nor its
widgets.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.engines.models.config import Config
from verifytui.sessions.events.debate import Speech
from verifytui.sessions.journal import Journal
from verifytui.tests.support.piloting import header, press, tui, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.memory import LONG
from verifytui.tui.play import Play
from verifytui.tui.workspaces.debate import drafts as begin
from verifytui.tui.workspaces.rag import drafts as asking
from verifytui.tui.workspaces.relevance import drafts as judging

pytestmark = pytest.mark.slow

EXAMPLES: dict[str, Callable[[Config], Play]] = {
    "debate": begin.example_draft,
    "relevance": judging.example_draft,
    "rag": asking.example_draft,
}
STEPS = 12


@pytest.fixture
async def pilot(home: Path) -> AsyncIterator[Pilot[None]]:
    app = VerifyTui(Config())
    async with app.run_test(size=(120, 36)) as made:
        await wait(made, lambda: app.workspace.play is not None)
        yield made
        assert app.defects == []


async def opened(pilot: Pilot[None], play: Play) -> None:
    assert await tui(pilot).open_play(play)
    await pilot.pause()


def held(pilot: Pilot[None]) -> dict[str, weakref.ref[object]]:
    """What belongs to the session that is open."""
    workspace = tui(pilot).workspace
    assert workspace.play is not None
    parts = {
        "play": workspace.play,
        "journal": workspace.play.journal,
        "session": workspace.play.session,
    }
    if workspace.runner.desk is not None:
        parts["desk"] = workspace.runner.desk
    return {name: weakref.ref(part) for name, part in parts.items()}


def widgets(pilot: Pilot[None]) -> weakref.WeakSet[object]:
    return weakref.WeakSet(tui(pilot).screen_stack[0].walk_children())


async def alive(
    pilot: Pilot[None],
    parts: dict[str, weakref.ref[object]],
    seen: weakref.WeakSet[object],
) -> list[str]:
    """What of it is neither free nor still on the screen, after a collection."""
    await pilot.pause()
    gc.collect()
    shown = set(tui(pilot).screen_stack[0].walk_children())
    return [
        *(name for name, part in parts.items() if part() is not None),
        *(repr(one) for one in seen if one not in shown),
    ]


def collected(one: object) -> bool:
    """Whether Python's collector looks through it."""
    return any(other is one for other in gc.get_objects())


@pytest.mark.parametrize("method", EXAMPLES)
async def test_a_session_is_freed_when_another_is_opened(
    pilot: Pilot[None], method: str
) -> None:
    await opened(pilot, EXAMPLES[method](Config()))
    await press(pilot, *["space"] * STEPS, "left", "left", "right")
    parts, seen = held(pilot), widgets(pilot)
    assert "desk" in parts
    await opened(pilot, EXAMPLES[method](Config()))
    assert await alive(pilot, parts, seen) == []


@pytest.mark.parametrize("key", ["f1", "o", "v", "s", "c"])
async def test_a_window_is_freed_when_it_is_left(pilot: Pilot[None], key: str) -> None:
    """Two times: of the library, the last one is kept for its place in the list."""
    await press(pilot, "space")
    windows, inside = [], weakref.WeakSet[object]()
    for _ in range(2):
        await pilot.press(key)
        await wait(
            pilot,
            lambda: len(pilot.app.screen_stack) > 1 and pilot.app.screen.is_running,
        )
        windows.append(weakref.ref(pilot.app.screen))
        if len(windows) == 1:
            inside = weakref.WeakSet(pilot.app.screen.walk_children())
        await pilot.press("escape")
        await wait(pilot, lambda: len(pilot.app.screen_stack) == 1)
    await press(pilot, "space")
    await pilot.app.workers.wait_for_complete()  # a thread at work holds its window

    def freed() -> bool:
        gc.collect()
        return windows[0]() is None and not list(inside)

    await wait(pilot, freed)  # a callback that is still due holds it, too


async def test_a_long_session_is_set_aside_and_yet_freed(
    pilot: Pilot[None], tmp_path: Path
) -> None:
    """Also the widgets that were on the screen while it was set aside, once the next
    long one is opened.
    """

    def long() -> Play:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.yaml"
        with Journal.create(path, header()) as journal:
            journal.sync_later = True
            for number in range(LONG):
                side = "affirmative" if number % 2 == 0 else "negative"
                journal.append(
                    Speech(
                        role=side,
                        round=number // 2 + 1,
                        text=f"{number}. 4d/3 seconds.",
                        answer="1.5",
                        model="gpt-4",
                    )
                )
        return Play(Journal.open(path, write=False), 0, replaying=True)

    await opened(pilot, long())
    assert not collected(tui(pilot).workspace.play)
    await press(pilot, "end", "left", "left")
    parts, seen = held(pilot), widgets(pilot)
    await opened(pilot, begin.example_draft(Config()))
    assert collected(tui(pilot).workspace.play)
    assert await alive(pilot, parts, weakref.WeakSet()) == []
    await opened(pilot, long())
    assert await alive(pilot, parts, seen) == []
