"""The runner alone, without a screen: stepping, running, pausing, stopping, replaying,
wishes, a person who leaves, a defect.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.models.port import Delta, ModelCall, Models
from verifytui.engines.tools import Tools
from verifytui.sessions.events import Change, Event, Failure
from verifytui.sessions.events.debate import DebateResult, Speech, Verdict
from verifytui.sessions.journal import Journal
from verifytui.sessions.library import Library
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Session
from verifytui.tests.support.piloting import header
from verifytui.tui import runner as runner_file
from verifytui.tui.method import SessionMethod
from verifytui.tui.play import Play
from verifytui.tui.runner import PendingReply, SessionRunner


class Stage:
    """Keeps what streams in."""

    def __init__(self) -> None:
        self.fed: list[str] = []
        self.ended = 0

    async def begin(
        self,
        role: str,
        model: str,
        state: Callable[[], str],
        since: float | None = None,
    ) -> None:
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
        self.unseen = 0
        self.messages: list[str] = []
        self.defects: list[BaseException] = []
        self.rest = asyncio.Event()
        self.person = asyncio.Event()
        self.runner: SessionRunner | None = None
        self.each: Callable[[], None] = lambda: None

    async def refresh_view(self) -> None:
        assert self.runner is not None
        assert self.runner.play is not None
        self.refreshed.append(self.runner.play.cursor)
        self.each()

    async def stage(self) -> Stage:
        return self.place

    def grown(self) -> None:
        self.unseen += 1

    async def announce(self, stage: Stage, reply: PendingReply) -> None:
        self.announced.append(reply.role)

    def at_work(self, reply: PendingReply) -> None:
        pass

    def remark(self, part: object) -> None:
        self.messages.append(type(part).__name__)

    def asked(self) -> None:
        self.person.set()

    def say(self, message: str, severity: str = "information") -> None:
        self.messages.append(message)

    def rested(self) -> None:
        self.rest.set()

    def report(self, error: BaseException) -> None:
        self.defects.append(error)


async def nobody(call: ModelCall) -> str:
    raise AssertionError("a person was asked")


def debate(play: Play, ask: Any = nobody) -> SessionMethod:
    return SessionMethod(method("debate"), play, Tools(Config(), paths(), ask))


async def opened(play: Play, ask: Any = nobody) -> tuple[SessionRunner, Face]:
    face = Face()
    face.runner = runner = SessionRunner(face, Config(), lambda: Library(paths()))
    await runner.open(play, debate(play, ask))
    return runner, face


async def rested(runner: SessionRunner, face: Face) -> None:
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

    async def asked(call: ModelCall) -> str:
        waiting.set()
        await asyncio.Event().wait()
        return ""

    runner, face = await opened(
        draft(affirmative="human", negative="human", judge="human"), asked
    )
    runner.start("end")
    await waiting.wait()
    assert runner.speaking == "affirmative"
    await runner.halt()
    assert not runner.running
    assert runner.speaking is None
    assert runner.play is not None
    assert runner.play.session.events == []


async def test_a_person_who_leaves_ends_the_run_and_leaves_nothing() -> None:
    async def leaves(call: ModelCall) -> str:
        raise asyncio.CancelledError

    runner, face = await opened(
        draft(affirmative="human", negative="human", judge="human"), leaves
    )
    runner.start("end")
    await rested(runner, face)
    assert runner.play is not None
    assert runner.play.session.events == []
    assert (face.messages, face.defects) == ([], [])


async def test_a_wish_is_kept_until_the_call_ends() -> None:
    asked: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    waiting = asyncio.Event()

    async def person(call: ModelCall) -> str:
        waiting.set()
        return await asked

    runner, face = await opened(
        draft(affirmative="human", negative="human", judge="human"), person
    )
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


async def test_a_recording_is_played_in_time_and_keys_that_come_faster_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
        async def advance(
            self, session: Session, models: Models
        ) -> AsyncGenerator[Event, None]:
            raise ZeroDivisionError
            yield

    play = draft()
    broken = debate(play)
    broken.engine = Broken  # type: ignore[assignment,method-assign]

    face = Face()
    face.runner = runner = SessionRunner(face, Config(), lambda: Library(paths()))
    await runner.open(play, broken)
    runner.start("step")
    await rested(runner, face)
    await asyncio.sleep(0)
    assert [type(error) for error in face.defects] == [ZeroDivisionError]


async def test_a_session_of_an_unknown_method_does_not_go_on() -> None:
    unknown = header()
    unknown.method = "panel"
    face = Face()
    face.runner = runner = SessionRunner(face, Config(), lambda: Library(paths()))
    await runner.open(Play(Journal.create(None, unknown)), None)
    assert runner.start("step") == "unknown"
    assert not runner.running


class Speaks:
    """An engine whose replies come piece by piece, as the test lets them."""

    def __init__(self) -> None:
        self.pieces: asyncio.Queue[Delta | Event] = asyncio.Queue()

    def finished(self, session: Session) -> bool:
        return False

    def asks(self, session: Session) -> bool:
        return True

    async def advance(
        self, session: Session, models: Models
    ) -> AsyncGenerator[Any, None]:
        while True:
            piece = await self.pieces.get()
            yield piece
            if isinstance(piece, Event):
                return


async def speaking(runner: SessionRunner, face: Face) -> Speaks:
    """A run in which one speech has been given and half of the next one is heard."""
    engine = Speaks()
    assert runner.method is not None
    runner.method.engine = lambda: engine  # type: ignore[method-assign]
    engine.pieces.put_nowait(
        Speech(role="affirmative", round=1, text="First.", model="m")
    )
    engine.pieces.put_nowait(Delta(role="negative", text="Half "))
    runner.start("end")
    await until(lambda: face.place.fed == ["Half "])
    return engine


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0)


async def test_a_run_goes_on_while_the_user_looks_back_and_is_heard_whole_on_return() -> (
    None
):
    runner, face = await opened(draft())
    engine = await speaking(runner, face)
    play = runner.play
    assert play is not None
    await runner.look(0)
    assert (play.cursor, runner.running, face.place.ended) == (0, True, 1)
    engine.pieces.put_nowait(Delta(role="negative", text="a word"))
    await until(lambda: runner.reply is not None and len(runner.reply.said) == 2)
    assert face.place.fed == ["Half "]
    await runner.look(1)
    assert face.place.fed == ["Half ", "Half a word"]
    assert face.announced == ["affirmative", "negative", "negative"]
    await runner.look(0)
    engine.pieces.put_nowait(
        Speech(role="negative", round=1, text="Half a word.", model="m")
    )
    await until(lambda: face.unseen == 1)
    assert (play.cursor, len(play.session.events), face.refreshed[-1]) == (0, 2, 0)
    await runner.look(2)
    await runner.halt()
    assert (play.cursor, len(play.session.events)) == (2, 2)
    await runner.close()


async def test_a_wish_during_a_call_leaves_the_user_where_they_look() -> None:
    runner, face = await opened(draft())
    engine = await speaking(runner, face)
    play = runner.play
    assert play is not None
    play.wish("settings.level", 2, 3)
    await runner.look(0)
    engine.pieces.put_nowait(Speech(role="negative", round=1, text="Half.", model="m"))
    await until(lambda: len(play.session.events) == 3)
    assert isinstance(play.session.events[-1], Change)
    assert play.cursor == 0
    await runner.close()


async def test_what_a_stopped_call_has_cost_is_on_screen_only_for_who_looked_at_the_end() -> (
    None
):
    class Costly(Speaks):
        async def advance(
            self, session: Session, models: Models
        ) -> AsyncGenerator[Any, None]:
            await asyncio.Event().wait()
            yield

    for back, cursor in ((0, 2), (1, 0)):
        runner, face = await opened(draft())
        runner.start("step")
        await rested(runner, face)
        assert runner.method is not None
        runner.method.engine = Costly  # type: ignore[method-assign]
        runner.desk = None
        runner.start("step")
        await until(lambda runner=runner: runner.desk is not None)
        runner.desk.take_spent = lambda: Failure(
            role="negative", kind="cancelled", message="Cut.", cost=0.5
        )  # type: ignore[union-attr, method-assign]
        await runner.look(1 - back)
        await runner.halt()
        assert runner.play is not None
        assert [type(event).__name__ for event in runner.play.session.events] == [
            "Speech",
            "Failure",
        ]
        assert runner.play.cursor == cursor
        await runner.close()


async def test_a_person_is_asked_by_the_runner_and_may_leave_it_for_later() -> None:
    play = draft(affirmative="human", negative="human", judge="human")
    face = Face()
    face.runner = runner = SessionRunner(face, Config(), lambda: Library(paths()))
    await runner.open(play, debate(play, runner.ask))
    runner.start("step")
    await asyncio.wait_for(face.person.wait(), 10)
    assert runner.question is not None
    assert runner.question.call.role == "affirmative"
    runner.question.answer("I say so.\nAnswer: 1")
    await rested(runner, face)
    assert [type(event) for event in play.session.events] == [Speech]
    runner.start("step")
    await until(lambda: runner.question is not None)
    runner.question.answer(None)
    await rested(runner, face)
    assert ([type(event) for event in play.session.events], runner.question) == (
        [Speech],
        None,
    )
    await runner.close()
