"""What stands in memory when the first picture is painted, and what a replay does
without.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from verifytui.sessions.events.debate import DebateResult, Speech
from verifytui.tests.support.piloting import header, recorded

GUARD = """
import json, socket, sys
opened = []
connect = socket.socket.connect
def guarded(self, address):
    opened.append(str(address))
    return connect(self, address)
socket.socket.connect = guarded
looked_up = socket.getaddrinfo
def asked(*where, **more):
    opened.append(str(where))
    return looked_up(*where, **more)
socket.getaddrinfo = asked
import asyncio
from pathlib import Path
from verifytui.engines.models.config import Config
from verifytui.sessions.journal import Journal
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
"""

TELL = """
print(json.dumps({"modules": sorted(sys.modules), "opened": opened, "events": shown}))
"""

START = """
async def main():
    app = VerifyTui(Config())
    async with app.run_test() as pilot:
        while app.workspace.play is None:
            await pilot.pause(0.01)
        await pilot.pause()
        assert "script" in str(app.workspace.query_one("#nothing").render())
    return len(app.workspace.play.session.events)
shown = asyncio.run(main())
"""

REPLAY = """
async def main():
    play = Play(Journal.open(Path(sys.argv[1])), 0)
    app = VerifyTui(Config(), play)
    async with app.run_test() as pilot:
        while app.workspace.play is None:
            await pilot.pause(0.01)
        for key in ["space", "r", "left", "home", "1", "v", "escape", "z", "end"]:
            await pilot.press(key)
            while app.workspace.running:
                await pilot.pause(0.01)
        assert app.defects == []
    return play.cursor
shown = asyncio.run(main())
"""

HEAVY = {"litellm", "openai", "jieba", "numpy", "bm25s", "pydantic", "httpx"}


def run(code: str, *arguments: str) -> dict[str, Any]:
    """What a fresh process holds after this, and where it went."""
    done = subprocess.run(
        [sys.executable, "-c", GUARD + code + TELL, *arguments],
        capture_output=True,
        text=True,
        env=dict(os.environ),
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_the_first_picture_needs_nothing_heavy(home: Path) -> None:
    told = run(START)
    assert "textual.app" in told["modules"]
    assert not HEAVY & set(told["modules"])
    assert not [
        name
        for name in told["modules"]
        if name.startswith(("verifytui.engines.rag", "verifytui.engines.retrieval"))
    ]
    assert told["opened"] == []
    assert not list(home.rglob("*.yaml"))


def test_a_replay_needs_no_model_library_and_no_network(
    home: Path, tmp_path: Path
) -> None:
    """A debate of models whose keys are even there is looked at, played, searched;
    nobody is asked.
    """
    path = tmp_path / "recorded.yaml"
    spoken = Speech(
        role="affirmative",
        round=1,
        model="gpt-4",
        text="So.\n\nAnswer: 2",
        answer="2",
        reasoning="Hm.",
    )
    said = Speech(
        role="negative",
        round=1,
        model="deepseek/deepseek-chat",
        text="No.\n\nAnswer: 3",
        answer="3",
    )
    result = DebateResult(answer="2", decided_by="extractive", rounds=1)
    recorded(
        header("Why?", affirmative="gpt-4", negative="gpt-4", judge="gpt-4"),
        [spoken, said, result],
        path,
    ).close()
    before = path.read_bytes()
    os.environ["OPENAI_API_KEY"] = "sk-not-a-key"
    try:
        told = run(REPLAY, str(path))
    finally:
        del os.environ["OPENAI_API_KEY"]
    assert told["events"] == 3
    assert "litellm" not in told["modules"]
    assert "openai" not in told["modules"]
    assert told["opened"] == []
    assert path.read_bytes() == before
