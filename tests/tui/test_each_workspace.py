"""Each workspace in short: its example is stepped and looked back on.

The long walks are marked slow.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.models.config import Config
from verifytui.sessions.methods import WORKSPACES
from verifytui.tests.support.piloting import events, press, wait
from verifytui.tui.app import VerifyTui

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("workspace", WORKSPACES)
async def test_an_example_is_stepped_and_looked_back_on(
    workspace: str, home: Path
) -> None:
    app = VerifyTui(Config())
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await app.show_tab(workspace)
        await wait(
            pilot, lambda: app.front == workspace and app.workspace.play is not None
        )
        await press(pilot, "space", "space", "left")
        assert len(events(pilot)) == 2
        assert app.workspace.play is not None
        assert app.workspace.play.cursor == 1
        await press(pilot, "end")
        assert app.workspace.play.cursor == 2
        assert app.defects == []
