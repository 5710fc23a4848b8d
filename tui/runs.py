"""Open sessions, on screen or not: a run continues when another session is opened.
Depends on runners, not on widgets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ..texts import t
from .play import same_file
from .runner import Face, SessionRunner
from .showing import clean_line
from .title_columns import fit

if TYPE_CHECKING:
    from ..engines.models.config import Config
    from ..engines.models.port import ModelRemark
    from ..sessions.library import Library
    from .runner import PendingReply, Stage

Severity = Literal["information", "warning", "error"]

LONGEST = 40
"""Cells of a title in a message, at most."""


def title_of(runner: SessionRunner) -> str:
    """Returns the title of a runner's session, in one line."""
    if runner.play is not None:
        return fit(clean_line(runner.play.session.title), LONGEST).rstrip()
    return ""


class Ground(Protocol):
    """What runs use of the app."""

    config: Config

    @property
    def library(self) -> Library: ...

    def say(self, message: str, severity: Severity = "information") -> None: ...

    def call_user(self, text: str) -> None: ...

    def say_place(self) -> None: ...

    def report(self, error: BaseException) -> None: ...


class OpenSessions:
    """Every open session with its runner, and what was filled in for them and not
    sent.
    """

    def __init__(self, host: Ground) -> None:
        self.unsent: dict[Hashable, Any] = {}
        """What was filled in for a person's turn and not sent, by what was asked."""
        self._host = host
        self._runners: list[SessionRunner] = []
        self._unseen: dict[SessionRunner, BackgroundView] = {}
        self._ends: set[asyncio.Task[None]] = set()

    def new(self, face: Face) -> SessionRunner:
        """Returns a runner that nothing is open in yet."""
        runner = SessionRunner(face, self._host.config, lambda: self._host.library)
        self._runners.append(runner)
        return runner

    @property
    def working(self) -> list[SessionRunner]:
        """Runners that are running, and those in the background that wait for the user,
        in the order in which they were opened.
        """
        return [
            runner
            for runner in self._runners
            if runner.running or runner in self._unseen
        ]

    @property
    def unseen(self) -> list[SessionRunner]:
        """Those that are not on screen."""
        return [*self._unseen]

    def at(self, path: Path) -> SessionRunner | None:
        """Returns the runner that writes to this file."""
        for runner in self._runners:
            play = runner.play
            if (
                play is not None
                and play.journal.writable
                and play.journal.path
                and same_file(play.journal.path, path)
            ):
                return runner
        return None

    async def leave(self, runner: SessionRunner) -> None:
        """Closes a session when the user opens another one; a run that creates events
        continues in the background.
        """
        play = runner.play
        if runner.running and runner.live and play is not None:
            play.cursor = len(play.session.events)
            self._unseen[runner] = face = BackgroundView(self._host, self, runner)
            await runner.meet(face)
        else:
            await self.close(runner)

    async def meet(self, runner: SessionRunner, face: Face) -> None:
        """A session is on screen again."""
        self._unseen.pop(runner, None)
        await runner.meet(face)

    async def close(self, runner: SessionRunner) -> None:
        """Closes a session; what runs in it is stopped first."""
        await runner.close()
        self._unseen.pop(runner, None)
        if runner in self._runners:
            self._runners.remove(runner)
            runner.forget()

    async def stop(self, runner: SessionRunner) -> None:
        """Stops a run; one that is not on screen is closed."""
        await runner.halt()
        if runner in self._unseen:
            await self.close(runner)
        self._host.say_place()

    def badge(self) -> str:
        """Returns how many sessions run that are not on screen, and how many of them
        wait for the user; empty where there are none.
        """
        unseen = self.unseen
        waits = sum(
            runner.question is not None or not runner.running for runner in unseen
        )
        runs = len(unseen) - waits
        return " ".join(
            [*([f"● {runs}"] if runs else []), *([f"◆ {waits}"] if waits else [])]
        )

    def rested(self, runner: SessionRunner) -> None:
        """A run that nobody looks at is over."""
        task = asyncio.create_task(self._over(runner))
        self._ends.add(task)
        task.add_done_callback(self._ends.discard)

    async def _over(self, runner: SessionRunner) -> None:
        await runner.at_rest()
        if runner not in self._unseen or runner.running or runner.play is None:
            return
        play = runner.play
        waits = runner.waits_for_person()
        what = (
            "failed"
            if play.failed
            else "waits"
            if waits
            else "finished"
            if play.finished
            else "paused"
        )
        self.tell(
            runner, what, "warning" if what in ("failed", "waits") else "information"
        )
        if not waits:
            await self.close(runner)
        self._host.say_place()

    def tell(
        self,
        runner: SessionRunner,
        what: str,
        severity: Literal["information", "warning"],
    ) -> None:
        """Says what has become of a session that is not on screen."""
        if runner.play is not None:
            sentence = t(
                f"attention.{what}",
                tab=t(f"app.{runner.play.session.workspace}"),
                title=title_of(runner),
            )
            self._host.say(sentence, severity)
            self._host.call_user(sentence)


class BackgroundView:
    """Shows nothing of a session that continues; says what the user has to know."""

    def __init__(self, host: Ground, runs: OpenSessions, runner: SessionRunner) -> None:
        self._host = host
        self._runs = runs
        self._runner = runner

    async def refresh_view(self) -> None:
        """Nobody looks."""

    def grown(self) -> None:
        """Nobody looks."""

    async def stage(self) -> Stage | None:
        return None

    async def announce(self, stage: Stage, reply: PendingReply) -> None:
        """Nobody looks."""

    def at_work(self, reply: PendingReply) -> None:
        """Nobody looks."""

    def remark(self, part: ModelRemark) -> None:
        """Nobody looks."""

    def asked(self) -> None:
        if self._runner.question is not None:
            self._runs.tell(self._runner, "waits", "warning")
        self._host.say_place()

    def say(self, message: str, severity: Severity = "information") -> None:
        self._host.say(f"{title_of(self._runner)}: {message}", severity)

    def rested(self) -> None:
        self._runs.rested(self._runner)

    def report(self, error: BaseException) -> None:
        self._host.report(error)
