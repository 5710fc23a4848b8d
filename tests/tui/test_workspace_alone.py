"""A workspace on an app that is not VerifyTUI's: all that it needs is a `Host`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import verifytui
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen
from verifytui.engines.models.config import Config
from verifytui.sessions.events import UnknownEvent
from verifytui.sessions.events.debate import DebateResult, Speech
from verifytui.sessions.journal import Journal
from verifytui.sessions.library import Library
from verifytui.sessions.paths import paths
from verifytui.tests.support.piloting import everything, header, recorded, wait
from verifytui.texts import set_language
from verifytui.tui.actions import keymap
from verifytui.tui.app import VerifyTui
from verifytui.tui.host import Host
from verifytui.tui.play import Play
from verifytui.tui.runs import OpenSessions
from verifytui.tui.screens.docked_form import Writing
from verifytui.tui.themes import DARK
from verifytui.tui.widgets.event_view import EventView
from verifytui.tui.workspaces.debate.workspace import DebateWorkspace


class Bare(App[None]):
    """The least that a workspace asks of an app."""

    CSS_PATH = [
        Path(verifytui.__file__).parent / "tui" / name
        for name in ("app.tcss", "workspaces/debate/debate.tcss")
    ]

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self.config = Config()
        self.stream_interval = 0.1
        self.library = Library(paths())
        self.messages: list[str] = []
        self.places = 0
        self.calls: list[str] = []
        self.window = ""
        self.keys_of = keymap({})[0]
        self.runs = OpenSessions(self._as_host())
        self.workspace = DebateWorkspace(self._as_host())

    def _as_host(self) -> Host:
        return self

    def compose(self) -> ComposeResult:
        yield self.workspace

    def key(self, action: str) -> str:
        return ""

    def say(self, message: str, severity: str = "information") -> None:
        self.messages.append(message)

    def result_listed(self, path: Path | None) -> bool:
        return False

    def report(self, error: BaseException) -> None:
        raise error

    def say_place(self) -> None:
        self.places += 1

    def call_user(self, text: str) -> None:
        self.calls.append(text)

    def name_window(self, text: str) -> None:
        self.window = text

    async def ask(self, screen: Screen[Any]) -> Any:
        return await self.run_worker(self.push_screen_wait(screen)).wait()

    def dialog(self, work: Any) -> None:
        self.run_worker(work)

    def copy(self, text: str) -> None:
        self.messages.append(text)

    async def open_path(self, path: Path, *, at: int | None = None) -> bool:
        return False

    async def open_play(self, play: Play) -> bool:
        return False


@pytest.fixture
async def pilot(home: Path) -> AsyncIterator[Pilot[None]]:
    set_language("en")
    async with Bare().run_test(size=(120, 36)) as made:
        yield made


def bare(pilot: Pilot[None]) -> Bare:
    assert isinstance(pilot.app, Bare)
    return pilot.app


async def act(pilot: Pilot[None], name: str) -> None:
    result = bare(pilot).workspace.action(name)()
    if result is not None:
        await result
    await wait(pilot, lambda: not bare(pilot).workspace.running)


async def test_a_debate_is_stepped_run_and_looked_back_at(pilot: Pilot[None]) -> None:
    workspace = bare(pilot).workspace
    await workspace.open(workspace.example(Config()))
    await act(pilot, "next")
    assert workspace.play is not None
    assert [type(event) for event in workspace.play.session.events] == [Speech]
    await act(pilot, "run")
    assert isinstance(workspace.play.session.events[-1], DebateResult)
    await wait(
        pilot,
        lambda: (
            len([entry for entry in pilot.app.query(EventView) if entry.display]) == 7
        ),
    )
    await act(pilot, "back")
    assert workspace.play.cursor == 6
    await act(pilot, "last")
    await act(pilot, "next")
    assert "finished" in bare(pilot).messages[-1]
    assert bare(pilot).places
    with pytest.raises(LookupError):
        workspace.action("heatmap")
    await workspace.close()


async def test_a_person_who_leaves_the_editor_ends_the_run(pilot: Pilot[None]) -> None:
    workspace = bare(pilot).workspace
    await workspace.open(
        Play(
            Journal.create(
                None,
                header("How?", affirmative="human", negative="human", judge="human"),
            )
        )
    )
    workspace.do_run()
    await wait(
        pilot, lambda: bool(pilot.app.query(Writing)) and workspace.dock.has_keys
    )
    await pilot.press("escape")
    await wait(pilot, lambda: not workspace.running)
    assert workspace.play is not None
    assert workspace.play.session.events == []
    assert bare(pilot).messages == []
    assert bare(pilot).calls == [
        "Debate: your turn. How?",
        "Debate: stopped here. How?",
    ]
    assert bare(pilot).window == "Debate r1/3"


async def test_a_transcript_that_comes_late_takes_no_keys_from_a_person(
    pilot: Pilot[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, late = bare(pilot).workspace, []
    monkeypatch.setattr(
        workspace, "call_after_refresh", lambda callback: late.append(callback)
    )
    await workspace.open(
        Play(
            Journal.create(
                None,
                header("How?", affirmative="human", negative="human", judge="human"),
            )
        )
    )
    workspace.do_run()
    await wait(
        pilot, lambda: bool(pilot.app.query(Writing)) and workspace.dock.has_keys
    )
    for callback in late:
        callback()
    await pilot.pause()
    assert workspace.dock.has_keys
    await workspace.close()


async def test_leaving_while_a_person_is_asked_is_no_defect(home: Path) -> None:
    play = Play(
        Journal.create(
            None, header("How?", affirmative="human", negative="human", judge="human")
        )
    )
    app = VerifyTui(Config(), play)
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: app.is_open)
        await pilot.press("space")
        await wait(pilot, lambda: bool(app.query(Writing)))
        await app.workspace.runner.halt()
        assert app.workspace.runner.running is False
        await pilot.pause()
        assert (app.defects, play.session.events) == ([], [])


async def test_a_session_of_an_unknown_method_is_shown_raw_and_cannot_go_on(
    pilot: Pilot[None], tmp_path: Path
) -> None:
    path = tmp_path / "panel.yaml"
    recorded(
        header("How?"),
        [Speech(role="affirmative", round=1, text="said", model="m")],
        path,
    ).close()
    text = path.read_text(encoding="utf-8").replace(
        "method: debate\n", "method: panel\n", 1
    )
    path.write_text(text.replace("event: speech", "event: vote"), encoding="utf-8")
    workspace = bare(pilot).workspace
    await workspace.open(Play(Journal.open(path)))
    assert workspace.play is not None
    (event,) = workspace.play.session.events
    assert isinstance(event, UnknownEvent)
    await wait(pilot, lambda: "vote" in everything(pilot.app))
    for name in ("next", "level", "rounds", "twin", "lineup"):
        bare(pilot).messages.clear()
        await act(pilot, name)
        assert len(bare(pilot).messages) == 1, name
        assert workspace.play.session.events == [event]
    await act(pilot, "raw")
    await wait(pilot, lambda: "round: 1" in everything(pilot.app))
    await workspace.close()
