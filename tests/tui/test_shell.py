"""What stands around a session: tabs, state line, footer, welcome; by keys and by the
mouse.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from verifytui.engines.models.config import Config
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.piloting import (
    everything,
    header,
    press,
    recorded,
    tui,
    wait,
)
from verifytui.tests.support.saved import finished
from verifytui.texts import LANGUAGES, set_language
from verifytui.tui.app import VerifyTui

pytestmark = pytest.mark.slow

SIZES = [(60, 20), (80, 24), (100, 30), (120, 36), (200, 60)]


def line(pilot: Pilot[None], at: int) -> str:
    """A row of the screen: 0 holds tabs and state, -1 the keys."""
    return everything(pilot.app).splitlines()[at]


def seconds(pilot: Pilot[None]) -> int | None:
    """What the state line counts; None while it does not."""
    found = re.search(r"RUNNING (\d+) s", line(pilot, 0))
    if found:
        return int(found[1])
    return None


async def click(pilot: Pilot[None], at: int, word: str) -> None:
    """Clicks where a word stands in the first or the last row."""
    row = line(pilot, at)
    assert word in row, row
    await pilot.click(
        "#place" if at == 0 else "#keys", offset=(cell_len(row[: row.index(word)]), 0)
    )
    await pilot.pause()


@pytest.fixture
async def pilot(home: Path) -> AsyncIterator[Pilot[None]]:
    """The app as it starts without a file."""
    app = VerifyTui(Config())
    async with app.run_test(size=(80, 24)) as made:
        await wait(made, lambda: app.is_open)
        yield made
        assert app.defects == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_an_empty_start_says_what_there_is_in_every_tab(
    home: Path, language: str, size: tuple[int, int]
) -> None:
    set_language(language)
    try:
        app = VerifyTui(Config())
        async with app.run_test(size=size) as made:
            await wait(made, lambda: app.is_open)
            for key in ("", "]", "]"):
                await press(made, *key)
                await made.pause()
                shown = everything(app)
                names = (
                    ("Debate", "Relevance", "RAG")
                    if language == "en"
                    else ("辩论", "相关性", "RAG")
                )
                assert all(
                    name in line(made, 0) and shown.count(name) > 1 for name in names
                )
                assert ("keys." if language == "en" else "键。") in shown, (
                    "what follows the welcome is cut"
                )
                assert "[ ]" in line(made, -1)
                assert "?" in line(made, -1)
                assert cell_len(line(made, -1).rstrip()) <= size[0]
            assert not app._notifications
    finally:
        set_language("en")


async def test_one_line_says_in_which_state_a_session_is(
    pilot: Pilot[None], tmp_path: Path
) -> None:
    assert "LIVE 0/0 · not saved yet" in line(pilot, 0)
    await press(pilot, "space", "space")
    assert "LIVE 2/2 · saved" in line(pilot, 0)
    await press(pilot, "left")
    assert (
        line(pilot, 0)
        .rstrip()
        .endswith("LOOKING BACK 1/2 · end returns · f forks here")
    )
    assert line(pilot, -1).startswith(" end return  f fork")
    await press(pilot, "end", "r")
    await wait(pilot, lambda: "FINISHED 7/7 · saved" in line(pilot, 0))
    assert line(pilot, -1).startswith(" s export  w twin")
    await tui(pilot).opening.open_path(finished(tmp_path / "r.yaml"), at_start=True)
    await press(pilot, "+", "space")
    assert "REPLAY 2× 1/" in line(pilot, 0)


async def test_a_run_counts_its_seconds_and_the_footer_stops_it(
    home: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    loopback.answer = Answer("Slowly said. " * 200, first_delay=20)
    app = VerifyTui(
        Config(),
        recorded(
            header(affirmative="openai/lb", negative="openai/lb", judge="openai/lb"), []
        ),
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.is_open)
        await pilot.press("space")
        await wait(pilot, lambda: seconds(pilot) is not None, 30)
        first = seconds(pilot)
        assert first is not None
        assert "Debate*" in line(pilot, 0)
        assert line(pilot, -1).startswith(" x stop  p pause")
        await wait(pilot, lambda: (seconds(pilot) or 0) > first, 30)
        await click(pilot, -1, "stop")
        await wait(
            pilot, lambda: not app.workspace.running and "RUNNING" not in line(pilot, 0)
        )
        assert "*" not in line(pilot, 0)


async def test_tabs_keys_and_hints_can_be_clicked(pilot: Pilot[None]) -> None:
    await click(pilot, 0, "RAG")
    await wait(pilot, lambda: tui(pilot).front == "rag" and tui(pilot).is_open)
    await click(pilot, -1, "[")
    await wait(pilot, lambda: tui(pilot).front == "relevance" and tui(pilot).is_open)
    await pilot.pause()
    await click(pilot, -1, "2 3 label")
    await wait(pilot, lambda: "you 2" in everything(pilot.app))
    await click(pilot, 0, "Debate")
    await wait(pilot, lambda: tui(pilot).front == "debate")
    await press(pilot, "space", "space", "left")
    await click(pilot, 0, "end returns")
    await wait(pilot, lambda: "LIVE 2/2" in line(pilot, 0))


async def test_a_long_topic_unfolds_and_folds(home: Path) -> None:
    topic = " ".join(f"word{number}" for number in range(120))
    app = VerifyTui(Config(), recorded(header(topic, affirmative="lexical"), []))
    async with app.run_test(size=(60, 20)) as pilot:
        await wait(pilot, lambda: app.is_open)
        assert "T unfolds" in everything(app)
        assert "word40" not in everything(app)
        await press(pilot, "T")
        assert "word40" in everything(app)
        await press(pilot, "T")
        assert "word40" not in everything(app)
