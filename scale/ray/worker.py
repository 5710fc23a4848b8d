"""A worker makes the next events of the sessions that the driver sends, in its own
event loop. It stores nothing on disk.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import platform
import socket
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import msgspec

from ...engines.batches.batch import Player
from ...engines.batches.shared_calls import SharedModels
from ...engines.models.config import Config
from ...engines.models.desk import Desk
from ...engines.models.litellm_loading import warm
from ...engines.models.port import ModelRemark, Models, Waiting
from ...engines.step import Engine, step
from ...engines.tools import Tools
from ...prompts.demonstrations import DemonstrationSet
from ...sessions.errors import BadInput
from ...sessions.events import Event, Failure
from ...sessions.paths import Paths, paths
from ...sessions.session import Session
from ...texts import english, set_language
from .messages import (
    Begin,
    Cancel,
    DriverReply,
    EventMade,
    Forget,
    Make,
    PartialReply,
    SessionUnknown,
    Sets,
    Slow,
    StepFailed,
    ToDriver,
    ToWorker,
    event_bytes,
    event_of,
    for_worker,
    packed,
)
from .remote_limits import DriverQuestions, RemotePacing, RemoteReplies

Players = Callable[[str], Player]
"""Returns a method by name."""

MOST_HELD = 4096
"""Maximum number of sessions in memory. A dropped session is sent again on demand."""
LONGEST_POLL = 5.0
"""Seconds between messages to the driver if there is nothing to report."""
FORSAKEN = 120.0
"""Seconds without a message from the driver after which a worker exits."""


class Hello(msgspec.Struct, kw_only=True):
    """The identity of a worker."""

    node: str
    pid: int
    version: str
    python: str


@dataclass
class WorkerSession:
    """A session in a worker, with the maker of its events. Implements `step.Keeping`
    for one event, which the driver stores.
    """

    session: Session
    engine: Engine
    models: Models
    event: Event | None = None

    def append(self, event: Event) -> Event:
        """Keeps the event until it is sent; it comes back numbered with the next
        request.
        """
        self.event = event
        return event


class SentTools(Tools):
    """The tools of a worker, with the demonstrations sent by the driver."""

    def __init__(self, config: Config, places: Paths) -> None:
        super().__init__(config, places)
        self.sets: dict[str, DemonstrationSet] = {}

    def demonstrations(self, name: str) -> DemonstrationSet:
        """See `Tools`."""
        if name in self.sets:
            return self.sets[name]
        return super().demonstrations(name)


class Worker:
    """The Ray actor on a node. Only the driver calls its methods."""

    def __init__(self, players: Players, config: bytes, language: str) -> None:
        set_language(language)
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        self._players = players
        self._config = msgspec.json.decode(config, type=Config)
        self._tools = SentTools(self._config, paths(os.environ))
        self._out: list[ToDriver] = []
        self._questions = DriverQuestions(self._say)
        self._replies = RemoteReplies(self._questions)
        self._pacing = RemotePacing(self._questions)
        self._held: OrderedDict[int, WorkerSession] = OrderedDict()
        self._running: dict[int, asyncio.Task[None]] = {}
        self._news: asyncio.Event | None = None
        self._heard = time.monotonic()
        warm()

    async def hello(self) -> bytes:
        """The worker's identity, as a `Hello`."""
        from ... import __version__

        self._heard = time.monotonic()
        self._watch_driver()
        return msgspec.json.encode(
            Hello(
                node=socket.gethostname(),
                pid=os.getpid(),
                version=__version__,
                python=platform.python_version(),
            )
        )

    async def put(self, data: bytes) -> None:
        """Receives the driver's messages."""
        self._heard = time.monotonic()
        for message in for_worker(data):
            self._hear(message)

    async def take(self) -> bytes:
        """Returns the pending reports: at once if there are any, otherwise after a
        while.
        """
        self._heard = time.monotonic()
        if self._news is None:
            self._news = asyncio.Event()
        if not self._out:
            self._news.clear()
            try:
                async with asyncio.timeout(LONGEST_POLL):
                    await self._news.wait()
            except TimeoutError:
                pass
        said, self._out = self._out, []
        return packed(said)

    # ---------------------------------------------------------------- inside

    def _say(self, message: ToDriver) -> None:
        self._out.append(message)
        if self._news is not None:
            self._news.set()

    def _hear(self, message: ToWorker) -> None:
        match message:
            case Make():
                task = self._running[message.call] = asyncio.create_task(
                    self._make(message)
                )
                task.add_done_callback(lambda task: self._over(message.call, task))
            case Begin():
                self._begin(message)
            case DriverReply():
                self._questions.hear(message)
            case Cancel():
                if message.call in self._running:
                    self._running[message.call].cancel()
            case Forget():
                self._held.pop(message.session, None)
            case Slow():
                self._pacing.slow.add(message.model)
            case Sets():
                demonstrations = pickle.loads(message.data)  # noqa: S301
                self._tools.sets[message.name] = demonstrations

    def _over(self, call: int, task: asyncio.Task[None]) -> None:
        del self._running[call]
        if task.cancelled():  # before it had begun
            self._say(EventMade(call=call, event=None))

    def _begin(self, message: Begin) -> None:
        player, session = self._players(message.method), Session(message.header, [])
        desk = Desk(
            session,
            self._config,
            env=os.environ,
            builtins=player.models(message.header, self._tools),
            stream=False,
            replies=self._replies,
            pacing=self._pacing,
            secret=message.secret or None,
        )
        models = (
            desk
            if message.repeat is None
            else SharedModels(desk, session, message.repeat)
        )
        self._held[message.session] = WorkerSession(
            session, player.engine(message.header, self._tools), models
        )
        while len(self._held) > MOST_HELD:
            self._held.popitem(last=False)

    async def _make(self, message: Make) -> None:
        """Makes the next event of a session, and the reports before it."""
        call = message.call
        try:
            held = self._held.get(message.session)
            if (
                held is None
                or len(held.session.events) + len(message.events) != message.after
            ):
                self._say(SessionUnknown(call=call))
                return
            self._held.move_to_end(message.session)
            held.session.events += [
                event_of(data, held.session.method) for data in message.events
            ]
            held.event = None
            try:
                async with aclosing(step(held, held.engine, held.models)) as parts:
                    async for part in parts:
                        if isinstance(part, Waiting):
                            self._say(PartialReply(call=call, waiting=part))
                        elif isinstance(part, ModelRemark):
                            self._say(PartialReply(call=call, remark=part))
            except asyncio.CancelledError:
                pass  # what it has cost is in `made`
            self._say(
                EventMade(
                    call=call,
                    event=None
                    if held.event is None
                    else event_bytes(_where(held.event)),
                )
            )
        except BadInput as error:
            self._say(StepFailed(call=call, bad_input=english(error)))
        except Exception as error:
            self._say(StepFailed(call=call, bad_input=None, kind=_places(error)))

    def _watch_driver(self) -> None:
        """Exits the process when the driver has been silent for too long."""
        if time.monotonic() - self._heard > FORSAKEN:
            os._exit(0)
        asyncio.get_running_loop().call_later(FORSAKEN / 10, self._watch_driver)


def _where(event: Event) -> Event:
    """The event; a failure because of a missing key names the node."""
    if isinstance(event, Failure) and event.kind in ("missing-key", "auth"):
        event.message = (
            f"{event.message} (The worker was on the node {socket.gethostname()}.)"
        )
    return event


def _places(error: BaseException) -> str:
    """The error's class and its last code locations, without session text."""
    import traceback

    frames: list[Any] = list(traceback.extract_tb(error.__traceback__))[-3:]
    return " ".join(
        [
            type(error).__name__,
            *(f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in frames),
        ]
    )
