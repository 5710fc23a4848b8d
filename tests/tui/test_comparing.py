"""Any two sessions of any workspace stand side by side."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.engines.models.config import Config
from verifytui.sessions.methods import WORKSPACES
from verifytui.tests.support.piloting import everything, press, tui, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.compare import CompareScreen

pytestmark = pytest.mark.slow


async def compared(pilot: Pilot[None]) -> str:
    """What stands there when a fork is compared with its parent."""
    await pilot.press("d")
    await wait(pilot, lambda: isinstance(pilot.app.screen, CompareScreen))
    await pilot.pause()
    return everything(pilot.app)


@pytest.mark.parametrize("workspace", WORKSPACES)
async def test_a_fork_stands_beside_its_parent(home: Path, workspace: str) -> None:
    async with VerifyTui(Config()).run_test(
        size=(120, 36), notifications=True
    ) as pilot:
        await wait(pilot, lambda: tui(pilot).workspace.play is not None)
        await tui(pilot).show_tab(workspace)
        await press(pilot, "space", "space", "space", "left", "f")
        text = await compared(pilot)
        assert "difference 1 of 1" in text
        assert "Events 1 to 2 are the same." in text
        assert text.index("parent: ") < text.index("this: ")
        assert "no event here" in text
        assert tui(pilot).defects == []
