"""Home: what it lists, where its rows lead, what it finds; previews beside lists."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.engines.models import catalogue
from verifytui.engines.models.config import Config
from verifytui.sessions.events.debate import DebateResult, Speech
from verifytui.sessions.library import Library
from verifytui.sessions.methods import WORKSPACES
from verifytui.sessions.paths import paths
from verifytui.tests.support.loopback import Loopback
from verifytui.tests.support.piloting import everything, header, wait
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.remembered import Lineups
from verifytui.tui.screens import library as library_screen
from verifytui.tui.screens import preview
from verifytui.tui.screens.home import HomeScreen
from verifytui.tui.screens.library import LibraryScreen
from verifytui.tui.screens.lineup import LineupScreen
from verifytui.tui.screens.pick import PickScreen
from verifytui.tui.screens.preview import Preview
from verifytui.tui.widgets.long_list import LongList
from verifytui.tui.workspaces.debate.screens.new_debate import NewDebateScreen

pytestmark = pytest.mark.slow


@pytest.fixture
def bare(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with no key, no program and no server; returns its PATH."""
    set_language("en")
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("OLLAMA_API_BASE", "http://127.0.0.1:1")
    monkeypatch.setattr(catalogue, "PORTS", ())
    return programs


def saved(title: str, said: str, *, ended: bool) -> Path:
    made = header(title)
    made.title = title
    with Library(paths()).create(made) as journal:
        journal.append(Speech(role="affirmative", round=1, model="script", text=said))
        if ended:
            journal.append(DebateResult(answer="42", decided_by="extractive"))
        assert journal.path is not None
        return journal.path


@asynccontextmanager
async def started(
    config: Config, size: tuple[int, int] = (120, 36)
) -> AsyncIterator[tuple[VerifyTui, Pilot[None]]]:
    app = VerifyTui(config, home=True)
    async with app.run_test(size=size, notifications=True) as pilot:
        await wait(pilot, lambda: app.is_open or isinstance(app.screen, HomeScreen))
        yield app, pilot
        assert app.defects == []


def row(app: VerifyTui) -> int:
    if isinstance(app.screen, HomeScreen) and app.screen.query(LongList):
        return app.screen.query_one(LongList).cursor
    return -1


async def test_rows_lead_to_sessions_and_back_to_the_same_row(bare: Path) -> None:
    ended = saved("How high?", "As high as a house.", ended=True)
    saved("How far?", "As far as a mile.", ended=False)
    async with started(Config()) as (app, pilot):
        await wait(pilot, lambda: "As far as a mile." in everything(app))
        shown = everything(app)
        assert shown.index("waiting") < shown.index("How far?")
        assert (
            shown.index("How far?") < shown.index("recent") < shown.index("How high?")
        )
        assert shown.index("How high?") < shown.index("New debate")
        await pilot.press("down")
        await wait(pilot, lambda: "As high as a house." in everything(app))
        shown = everything(app)
        assert shown.index(" RESULT ") < shown.index("As high as a house.")
        await pilot.press("enter")
        await wait(pilot, lambda: len(app.screen_stack) == 1)
        play = app.workspace.play
        assert play is not None
        assert play.journal.path == ended
        assert "Home › How high?" in everything(app)
        await pilot.press("escape")
        await wait(pilot, lambda: row(app) == 1)
        await pilot.press("down", "enter")
        await wait(pilot, lambda: isinstance(app.screen, NewDebateScreen))
        await pilot.press("escape")
        await wait(pilot, lambda: row(app) == 2)
        await pilot.press("g", "s")
        await wait(pilot, lambda: isinstance(app.screen, LibraryScreen))
        await pilot.press("escape")
        await wait(pilot, lambda: row(app) == 2)
        await pilot.press("escape")
        await wait(pilot, lambda: len(app.screen_stack) == 1 and app.is_open)


async def test_with_nothing_there_the_example_opens(bare: Path) -> None:
    async with started(Config()) as (app, pilot):
        assert "An example." in everything(app)
        await pilot.press("g", "h")
        await wait(pilot, lambda: row(app) == 0)
        assert "Found" not in everything(app)
        await pilot.press("escape")
        await wait(pilot, lambda: "An example." in everything(app))


async def test_what_is_found_is_seated_everywhere(
    bare: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    loopback.ollama = ["a", "b", "c"]
    patient = partial(catalogue.local_choices, timeout=15)
    monkeypatch.setattr(catalogue, "local_choices", patient)
    monkeypatch.delenv("OLLAMA_API_BASE")
    monkeypatch.setenv("OLLAMA_HOST", loopback.root.partition("//")[2])
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-secret-of-mine-0123456789")
    (bare / "claude").write_text("#!/bin/sh\n")
    (bare / "claude").chmod(0o700)
    config = Config()
    async with started(config) as (app, pilot):
        found = "Found: deepseek (key), ollama (3 models), claude (command)"
        await wait(pilot, lambda: found in " ".join(everything(app).split()))
        assert "secret" not in everything(app)
        await pilot.press("m")
        await wait(pilot, lambda: isinstance(app.screen, PickScreen))
        for name in ("deepseek/deepseek-chat", "ollama/a", "ollama/b", "ollama/c"):
            assert f"{name} " in everything(app)
        await pilot.press("down", "down", "down", "down", "enter")
        await wait(pilot, lambda: "claude takes all roles" in everything(app))
        assert config.model == "claude"
        assert {Lineups().last(tab)[0] for tab in WORKSPACES} == {"claude"}
        assert "Found" not in everything(app)
        await pilot.press("g", "d")
        await wait(pilot, lambda: len(app.screen_stack) == 1 and app.is_open)
        play = app.workspace.play
        assert play is not None
        seated = {seat.model for seat in play.session.header.lineup.values()}
        assert seated == {"command:claude"}
        await pilot.press("g", "m")
        await wait(pilot, lambda: isinstance(app.screen, LineupScreen))
        await wait(pilot, lambda: "roles: A N J" in everything(app))
        await pilot.press("end", "tab", *"deepseek-chat", "enter")
        await wait(pilot, lambda: config.model == "deepseek/deepseek-chat")
        seats = play.session.seated(["affirmative", "negative", "judge"])
        await wait(pilot, lambda: "deepseek-chat takes all roles" in everything(app))
        seats = play.session.seated(["affirmative", "negative", "judge"])
        assert {seat.model for _, seat in seats} == {"deepseek/deepseek-chat"}
        assert loopback.requests == []


async def test_a_key_with_a_server_offers_what_the_server_lists(
    bare: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = partial(catalogue.local_choices, timeout=15)
    monkeypatch.setattr(catalogue, "local_choices", patient)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-mine-0123456789")
    monkeypatch.setenv("OPENAI_BASE_URL", loopback.base_url)
    config = Config()
    async with started(config, (80, 24)) as (app, pilot):
        found = f"Found: {loopback.root.partition('//')[2]} (1 model)"
        await wait(pilot, lambda: found in " ".join(everything(app).split()))
        assert "openai (key)" not in everything(app)
        await pilot.press("m")
        await wait(pilot, lambda: config.model == "openai/loopback-model")


async def test_a_server_that_has_not_answered_yet_is_offered_nothing_for(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its key alone would offer models that it may not have."""

    async def asked(env: object) -> list[catalogue.ModelRow]:
        asking.set()
        await asyncio.Event().wait()
        return []

    asking = asyncio.Event()
    monkeypatch.setattr(catalogue, "local_choices", asked)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-mine-0123456789")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    async with started(Config()) as (app, pilot):
        await wait(pilot, asking.is_set)
        await pilot.pause()
        assert "Found" not in everything(app)
        assert "new" in everything(app)


async def test_what_can_be_started_is_described(bare: Path) -> None:
    saved("How high is the tower?", "As high as a house.", ended=True)
    async with started(Config(), (80, 24)) as (app, pilot):
        await wait(pilot, lambda: "How high is the tower?" in everything(app))
        lines = [" ".join(line.split()) for line in everything(app).splitlines()]
        for said in (
            "New debate models argue, a judge decides",
            "New comparison of cases legal cases, judged in stages",
            "New question an answer, checked against its sources",
        ):
            assert any(said in line for line in lines), lines


async def test_a_preview_waits_for_the_cursor_to_rest(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [saved(f"Topic {n}?", f"Speech {n}.", ended=True) for n in range(4)]
    read: list[Path] = []
    usual = library_screen.of_path
    monkeypatch.setattr(
        library_screen, "of_path", lambda path: read.append(path) or usual(path)
    )
    async with started(Config()) as (app, pilot):
        await pilot.press("g", "s")
        await wait(pilot, lambda: isinstance(app.screen, LibraryScreen))
        await wait(pilot, lambda: "Speech 3." in everything(app))
        read.clear()
        monkeypatch.setattr(preview, "DELAY", 2.0)
        await pilot.press("down", "down", "down")
        await wait(pilot, lambda: "Speech 0." in everything(app))
        assert read == files[:1]
        monkeypatch.setattr(preview, "DELAY", 0.0)
        await pilot.resize_terminal(90, 30)
        await wait(pilot, lambda: not app.screen.query_one(Preview).display)
        read.clear()
        await pilot.press("up")
        await pilot.pause(0.3)
        assert read == []
        assert "Speech" not in everything(app)


async def test_home_is_narrowed_to_rows_with_every_word(bare: Path) -> None:
    saved("How high is the tower?", "As high as a house.", ended=True)
    saved("How far is the tower?", "As far as a mile.", ended=False)
    saved("How far is the moon?", "Very far.", ended=True)
    async with started(Config()) as (app, pilot):
        await wait(pilot, lambda: "moon" in everything(app))
        await pilot.press("slash", *"tower", "space", *"far")
        await wait(pilot, lambda: "moon" not in everything(app))
        shown = everything(app)
        assert "How far is the tower?" in shown
        assert "How high" not in shown
        assert "New debate" not in shown
        await pilot.press("enter", "enter")
        await wait(pilot, lambda: len(app.screen_stack) == 1)
        play = app.workspace.play
        assert play is not None
        assert play.session.title == "How far is the tower?"
        await pilot.press("escape")
        await wait(pilot, lambda: row(app) == 0)
        await wait(pilot, lambda: "moon" in everything(app))
        await pilot.press("slash", *"nothing")
        await wait(pilot, lambda: "tower" not in everything(app))
        await pilot.press("escape")
        await wait(pilot, lambda: "moon" in everything(app))
        assert isinstance(app.screen, HomeScreen)
