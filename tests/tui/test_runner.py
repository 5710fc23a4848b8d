"""The runner alone, without a screen: stepping, running, pausing, stopping, replaying, wishes, a person who leaves, a defect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.models.port import Call, Models
from verifytui.engines.tools import Tools
from verifytui.sessions.events import Change, Event
from verifytui.sessions.events.debate import DebateResult, Verdict
from verifytui.sessions.journal import Journal
from verifytui.sessions.library import Library
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Seat, Session
from verifytui.tests.support.piloting import header
from verifytui.tui.play import Play
from verifytui.tui.workspaces import runner as runner_file
from verifytui.tui.workspaces.method import SessionMethod
from verifytui.tui.workspaces.runner import Runner


class Stage:
    """Keeps what streams in."""

    def __init__(self) -> None:
        self.fed: list[str] = []
        self.ended = 0

    async def begin(self, role: str, model: str, state: Callable[[], str]) -> None:
        self.fed.append(f"<{role}>")

    def feed(self, text: str, reasoning: bool = False) -> None:
        self.fed.append(text)

    async def end_live(self) -> None:
        self.ended += 1


class Face:
    """Keeps what a runner tells, and lets a test wait for its rest."""

    def __init__(self) -> None:
        self.place = Stage()
        self.refreshed: list[int] = []
        self.announced: list[str] = []
        self.messages: list[str] = []
        self.defects: list[BaseException] = []
        self.rest = asyncio.Event()
        self.runner: Runner | None = None
        self.each: Callable[[], None] = lambda: None

    async def refresh_view(self) -> None:
        assert self.runner is not None
        assert self.runner.play is not None
        self.refreshed.append(self.runner.play.cursor)
        self.each()

    async def stage(self) -> Stage:
        return self.place

    async def announce(self, stage: Stage, role: str, seat: Seat) -> None:
        self.announced.append(role)

    async def hear(self, stage: Stage, part: object) -> None:
        self.messages.append(type(part).__name__)

    def say(self, message: str, severity: str = "information") -> None:
        self.messages.append(message)

    def rested(self) -> None:
        self.rest.set()

    def report(self, error: BaseException) -> None:
        self.defects.append(error)


async def nobody(call: Call) -> str:
    raise AssertionError("a person was asked")


def debate(play: Play, ask: Any = nobody) -> SessionMethod:
    return SessionMethod(method("debate"), play, Tools(Config(), paths(), ask))


async def opened(play: Play, ask: Any = nobody) -> tuple[Runner, Face]:
    face = Face()
    face.runner = runner = Runner(face, Config(), lambda: Library(paths()))
    await runner.open(play, debate(play, ask))
    return runner, face


async def rested(runner: Runner, face: Face) -> None:
    await asyncio.wait_for(face.rest.wait(), 10)
    while runner.running:
        await asyncio.sleep(0)
    face.rest.clear()


def draft(**seats: str) -> Play:
    return Play(Journal.create(None, header(**seats)))


@pytest.fixture(autouse=True)
def _home(home: Path) -> None:
    """Drafts get their files in a home of their own."""


async def test_a_step_a_round_and_the_rest() -> None:
    runner, face = await opened(draft())
    assert runner.start("step") == ""
    assert runner.running
    await rested(runner, face)
    assert runner.play is not None
    events = runner.play.session.events
    assert (len(events), face.refreshed, face.announced) == (1, [1], ["affirmative"])
    runner.start("round")
    await rested(runner, face)
    assert isinstance(events[-1], Verdict)
    runner.start("end")
    await rested(runner, face)
    assert isinstance(events[-1], DebateResult)
    assert runner.start("step") == "finished"
    assert face.messages == []
    await runner.close()


async def test_a_pause_lets_the_event_end_and_a_halt_does_not_wait_for_it() -> None:
    runner, face = await opened(draft())
    face.each = runner.pause
    runner.start("end")
    await rested(runner, face)
    assert runner.play is not None
    assert len(runner.play.session.events) == 1
    waiting = asyncio.Event()

    async def asked(call: Call) -> str:
        waiting.set()
        await asyncio.Event().wait()
        return ""

    runner, face = await opened(draft(affirmative="human", negative="human", judge="human"), asked)
    runner.start("end")
    await waiting.wait()
    assert runner.speaking == "affirmative"
    await runner.halt()
    assert not runner.running
    assert runner.speaking is None
    assert runner.play is not None
    assert runner.play.session.events == []


async def test_a_person_who_leaves_ends_the_run_and_leaves_nothing() -> None:
    async def leaves(call: Call) -> str:
        raise asyncio.CancelledError

    runner, face = await opened(draft(affirmative="human", negative="human", judge="human"), leaves)
    runner.start("end")
    await rested(runner, face)
    assert runner.play is not None
    assert runner.play.session.events == []
    assert (face.messages, face.defects) == ([], [])


async def test_a_wish_is_kept_until_the_call_ends() -> None:
    asked: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    waiting = asyncio.Event()

    async def person(call: Call) -> str:
        waiting.set()
        return await asked

    runner, face = await opened(draft(affirmative="human", negative="human", judge="human"), person)
    runner.start("step")
    await waiting.wait()
    assert runner.live
    assert runner.play is not None
    runner.play.wish("settings.level", 2, 3)
    assert runner.play.session.events == []
    asked.set_result("I say so.\nAnswer: 1")
    await rested(runner, face)
    kinds = [type(event).__name__ for event in runner.play.session.events]
    assert kinds == ["Speech", "Change"]
    assert isinstance(runner.play.session.events[1], Change)


async def test_a_recording_is_played_in_time_and_keys_that_come_faster_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    runner, face = await opened(draft())
    runner.start("end")
    await rested(runner, face)
    assert runner.play is not None
    runner.play.cursor, face.refreshed = 0, []
    runner.start("step")
    runner.start("step")
    runner.start("step")
    await rested(runner, face)
    assert face.refreshed == [1, 2, 3]
    pauses: list[float] = []
    own = asyncio.sleep

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await own(0)

    monkeypatch.setattr(runner_file.asyncio, "sleep", sleep)
    runner.speed = "2"
    runner.start("end")
    await rested(runner, face)
    assert runner.play.at_end
    assert [pause for pause in pauses if pause] == [0.3] * 4


async def test_a_defect_is_reported_once_the_run_is_over() -> None:
    class Broken:
        async def advance(self, session: Session, models: Models) -> AsyncGenerator[Event, None]:
            raise ZeroDivisionError
            yield

    play = draft()
    broken = debate(play)
    broken.engine = Broken  # type: ignore[assignment,method-assign]

    face = Face()
    face.runner = runner = Runner(face, Config(), lambda: Library(paths()))
    await runner.open(play, broken)
    runner.start("step")
    await rested(runner, face)
    await asyncio.sleep(0)
    assert [type(error) for error in face.defects] == [ZeroDivisionError]


async def test_a_session_of_an_unknown_method_does_not_go_on() -> None:
    unknown = header()
    unknown.method = "panel"
    face = Face()
    face.runner = runner = Runner(face, Config(), lambda: Library(paths()))
    await runner.open(Play(Journal.create(None, unknown)), None)
    assert runner.start("step") == "unknown"
    assert not runner.running
