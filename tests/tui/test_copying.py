"""`y` copies the source of a text, or of a piece of it; without a clipboard it is in a
file.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.models.config import Config
from verifytui.sessions.events import Reference
from verifytui.sessions.events.debate import Speech
from verifytui.sessions.events.rag import RagAnswer, Retrieval
from verifytui.tests.support.piloting import header, recorded, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.pick import PickScreen
from verifytui.tui.workspaces.copying import sources

TABLE = "| a | b |\n|---|---|\n| **1** | $2$ |"
SPEECH = f"See:\n\n```py\nprint(1)\n  x\n```\n\n{TABLE}\n\nDone."


def test_pieces_are_as_they_were_written() -> None:
    speech = Speech(role="judge", round=1, text=SPEECH)
    assert [one.text for one in sources(speech, [speech])] == [
        SPEECH,
        "print(1)\n  x",
        TABLE,
    ]
    plain = Speech(role="judge", round=1, text="No pieces.")
    assert [one.text for one in sources(plain, [])] == ["No pieces."]
    assert sources(None, []) == []


def test_a_reference_is_copied_with_its_number() -> None:
    found = Retrieval(
        iteration=1,
        query="q",
        references=[Reference(n=1, id="t", title="T", text="Words.")],
    )
    answer = RagAnswer(
        role="generator",
        iteration=1,
        text="So. [1] [7]",
        answer="So.",
        citations=[1, 7],
    )
    assert [one.text for one in sources(answer, [found, answer])] == [
        "So. [1] [7]",
        "[1] T\nWords.",
    ]


@pytest.mark.parametrize("term", ["linux", "xterm-256color"])
async def test_without_a_clipboard_the_text_is_in_a_file(
    term: str, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("TMUX", "STY", "TERM_PROGRAM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", term)
    play = recorded(
        header("Why?"),
        [Speech(role="affirmative", round=1, text=SPEECH)],
        tmp_path / "one.yaml",
    )
    app = VerifyTui(Config(), play)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await pilot.press("y")
        await wait(pilot, lambda: isinstance(app.screen, PickScreen))
        await pilot.press("down", "enter")
        await wait(pilot, lambda: app.clipboard == "print(1)\n  x")
        await pilot.pause()
    file = home / "state" / "copied.txt"
    assert file.exists() == (term == "linux")
    if file.exists():
        assert file.read_text() == "print(1)\n  x"
        assert file.stat().st_mode & 0o077 == 0
