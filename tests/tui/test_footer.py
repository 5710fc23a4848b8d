"""The line of keys at 80x24: whatever a sentence on the screen tells to press is in it,
and what shows the hidden half of the screen comes first.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.engines.models.config import Config
from verifytui.sessions.events import Failure
from verifytui.sessions.methods import WORKSPACES
from verifytui.tests.support.piloting import (
    everything,
    header,
    press,
    recorded,
    tui,
    wait,
)
from verifytui.tests.support.saved import spoken
from verifytui.tui.app import VerifyTui

SIZE = (80, 24)


def keys(pilot: Pilot[None]) -> str:
    return str(tui(pilot).screen.query_one("#keys").render())  # type: ignore[attr-defined]


def mentioned(text: str) -> set[str]:
    """The keys of sentences such as `Press space to go on, p and x to stop.`"""
    rows = (row.strip(" │▌█▁▔┃|") for row in text.splitlines()[1:-1])
    found: set[str] = set()
    for sentence in re.findall(r"\b[Pp]ress ([^.]*)\.", " ".join(rows)):
        for clause in re.split(r"[,;] (?:then )?", sentence):
            words = re.split(r" (?:to|for) ", clause)[0].split()
            found |= {
                word
                for word in words
                if len(word) == 1 or word in ("space", "end", "home")
            }
    return found - {"a"}


def hold(pilot: Pilot[None]) -> set[str]:
    """Fails where the line lacks a key that the screen mentions; returns them."""
    wanted = mentioned(everything(pilot.app))
    line = keys(pilot)
    assert not [key for key in wanted if f" {key} " not in line], line
    return wanted


def test_keys_are_found_in_sentences() -> None:
    told = "head\nPress space for the next stage, n for all;\n0, 1 or 2 to give, ? to show.\n"
    assert mentioned(f"{told}foot") == {"space", "n", "0", "1", "2", "?"}


@pytest.mark.parametrize("tab", WORKSPACES)
async def test_what_is_mentioned_is_in_the_line(home: Path, tab: str) -> None:
    app = VerifyTui(Config())
    async with app.run_test(size=SIZE) as pilot:
        await wait(pilot, lambda: app.is_open)
        await app.show_tab(tab)
        await wait(pilot, lambda: app.front == tab and app.workspace.play is not None)
        await pilot.pause()
        assert {"space", "r", "m", "c"} <= hold(pilot)
        assert keys(pilot).split()[:3:2] == ["space", "b"]
        await press(pilot, "space")
        hold(pilot)
        assert keys(pilot).split()[:3:2] == ["space", "b"]
        await press(pilot, "left")
        hold(pilot)
        await press(pilot, "end", "r")
        hold(pilot)


async def test_after_a_failure_what_cures_it_comes_first(
    home: Path, tmp_path: Path
) -> None:
    failure = Failure(role="negative", kind="server", message="No.", model="m")
    path = tmp_path / "failed.yaml"
    recorded(
        header("Why?", affirmative="m", negative="m", judge="m"),
        [spoken(1), failure],
        path,
    ).close()
    app = VerifyTui(Config())
    async with app.run_test(size=SIZE) as pilot:
        await wait(pilot, lambda: app.is_open)
        await app.open_path(path)
        await wait(pilot, lambda: "FAILED" in everything(app))
        assert "FAILED: the provider failed" in everything(app).splitlines()[0]
        assert keys(pilot).split()[:5:2] == ["t", "m", "b"]
        assert {"t", "m"} <= set(keys(pilot).split())
