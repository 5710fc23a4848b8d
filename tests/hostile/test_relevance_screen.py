"""The corpus in the relevance workspace: cases, facts, judgements, labels, names; and a
key that a server repeats on the screen.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.starting import wishes
from verifytui.tests.support import hostile_texts as hostile
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.piloting import everything, press, wait
from verifytui.tests.support.saying import relevance_said
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.workspaces.drafts import draft

pytestmark = pytest.mark.slow

KEY = "plain words of the labs key"


@pytest.fixture
async def pilot(home: Path) -> AsyncIterator[Pilot[None]]:
    set_language("en")
    app = VerifyTui(Config())
    async with app.run_test(size=(160, 50), notifications=True) as made:
        await wait(made, lambda: app.workspace.play is not None)
        yield made
        assert app.defects == []


def harmless(app: VerifyTui) -> str:
    text = everything(app)
    assert not hostile.control_characters(text, "\n")
    return text


async def shown(pilot: Pilot[None], text: str) -> None:
    app: VerifyTui = pilot.app  # type: ignore[assignment]
    assert await app.open_play(Play(relevance_said(text)))
    await pilot.pause()
    seen = harmless(app)
    if text in hostile.MARKUP:
        assert seen.count(hostile.visible(text)) >= 3, text
    for number in (3, 6):
        await app.workspace.bench.look(number)
        await pilot.pause()
        harmless(app)


@pytest.mark.parametrize("corpus", ["MARKUP", "CONTROLS", "ODD", "DELIMITERS"])
async def test_every_part_is_text(pilot: Pilot[None], corpus: str) -> None:
    for text in getattr(hostile, corpus):
        await shown(pilot, text)
    app: VerifyTui = pilot.app  # type: ignore[assignment]
    for number in (2, 6):
        await app.workspace.bench.look(number)
        await pilot.press("v")
        await pilot.pause()
        harmless(app)
        await pilot.press("escape")
    for key in ("g", "question_mark", "m", "e"):
        await pilot.press(key)
        await pilot.pause()
        harmless(app)
        await pilot.press("escape")
        await pilot.pause()


@pytest.mark.parametrize("text", hostile.LONG[:3], ids=["open", "shut", "nested"])
async def test_a_case_of_a_million_brackets(pilot: Pilot[None], text: str) -> None:
    app: VerifyTui = pilot.app  # type: ignore[assignment]
    journal = relevance_said("x")
    journal.session.header.task["query"]["text"] = text
    assert await app.open_play(Play(journal))
    await wait(pilot, lambda: text[:20] in everything(app), 30)
    harmless(app)


async def test_a_key_that_a_server_repeats_is_not_on_the_screen(
    home: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", KEY)
    monkeypatch.setenv("OTHER_API_KEY", "another key of the users")
    set_language("en")
    loopback.answer = Answer(
        status=401, error=f"{KEY} and another key of the users \x1b[2J are wrong"
    )
    named = NamedModel(
        model="openai/lab", api_base=loopback.base_url, api_key_env="LAB_KEY"
    )
    config = Config(models={"lab": named}, model="lab", retries=0)
    app = VerifyTui(
        config, draft(wishes("debate", {"rounds": 1}, topic="Why?"), config)
    )
    async with app.run_test(size=(160, 50), notifications=True) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "space")
        await wait(pilot, lambda: "[key hidden]" in everything(app))
        assert KEY not in harmless(app)
        assert "another key" not in harmless(app)
        assert loopback.headers[0]["authorization"] == f"Bearer {KEY}"
        app.save_screenshot(str(home / "screen.svg"))
    for path in home.rglob("*"):
        assert path.is_dir() or (
            KEY.encode() not in path.read_bytes()
            and b"another key" not in path.read_bytes()
        ), path
