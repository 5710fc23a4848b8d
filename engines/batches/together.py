"""Runs one or several batches as one: one turnstile, one budget, one order of their lines. Each has a folder of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from ...sessions.errors import BadInput
from ...sessions.session import Header, Session
from ...texts import t
from ..models.port import Later
from .budget import Budget
from .control import Orders
from .crew import work_off
from .diary import Obeyed
from .estimate import Likely
from .makers import Here, Makers
from .obeying import Obeying
from .report import Row
from .retrying import Retrying
from .state import Limits, Reporter, State
from .telling import Telling
from .turnstile import Turnstile

Status = Literal["done", "failed", "budget", "stopped", "enough", "waiting"]
"""`failed`: a line or a comparison failed. `budget`: the limit is reached and lines are left. `stopped`: somebody has said so. `enough`:
whoever looks at the sessions needs no more of them. `waiting`: lines wait for replies that somebody brings."""


class Part(Protocol):
    """A batch in its folder; `run.Runner` is one."""

    into: Path

    async def likely(self) -> Likely: ...

    def locked(self) -> AbstractContextManager[None]: ...

    def keep(self) -> None: ...

    def take_in(self, state: State, budget: Budget) -> list[Job]: ...

    def begin(
        self, say: Callable[[str], None], turnstile: Turnstile, *, works: bool
    ) -> Telling: ...

    async def line(
        self, row: Row, header: Header, turnstile: Turnstile
    ) -> Session | None: ...

    async def compare(self, turnstile: Turnstile) -> None: ...

    @property
    def failed(self) -> bool: ...

    def end(self, status: str) -> None: ...


class Job(NamedTuple):
    """One line that is to be run."""

    part: Part
    row: Row
    header: Header


@dataclass(frozen=True)
class Home:
    """The run that batches are parts of, with a folder of its own: one turnstile for all of its phases, and orders for all parts."""

    turnstile: Turnstile
    obeying: Obeying
    """Watched by whoever made it."""
    telling: Telling


@dataclass(frozen=True)
class Together:
    """Batches that run as one."""

    parts: Sequence[Part]
    limits: Limits
    home: Home | None = None
    """What they are parts of."""
    order: Callable[[list[Job]], list[Job]] = lambda jobs: jobs
    """The order in which lines begin."""
    after: Callable[[Job, Session], bool] = lambda job, session: False
    """Is shown each session that has ended; True: no further one is to begin."""
    makers: Makers = field(default_factory=Here)
    """Those of the parts."""
    on_begin: Callable[[], None] = lambda: None
    """Is called when the folders are locked and it is noted down what they are of."""

    async def run(self, reporter: Reporter) -> Status:
        """Runs what is not done yet, to the end, to the budget, until it is enough or an order stops it. Raises: BadInput."""
        if self.home is None:
            turnstile = Turnstile(
                await budget_for(self.parts, self.limits), self.limits.concurrency
            )
        else:
            turnstile = self.home.turnstile
        status = "interrupted"
        with ExitStack() as locks:
            for part in self.parts:
                locks.enter_context(part.locked())
            obeying = [
                Obeying(Orders(part.into), turnstile, self._check_prices, reporter.say)
                for part in self.parts
            ]
            state = State(lines=0, turnstile=turnstile)
            todo = [
                job
                for part in self.parts
                for job in part.take_in(state, turnstile.budget)
            ]
            if todo:
                await self.makers.open(
                    turnstile, reporter.say
                )  # what cannot be had is said before anything is written
            for part in self.parts:
                part.keep()
            self.on_begin()
            try:
                ended = await self._run(turnstile, state, todo, obeying, reporter)
                status = found = ended or self._status(turnstile)
                if found == "budget" and turnstile.budget.is_below_one_call:
                    reporter.say(t("batch.budget_below_one_call"))
            finally:
                for part in self.parts:
                    part.end(status)
        return found

    def _status(self, turnstile: Turnstile) -> Status:
        if turnstile.out:
            return "failed"
        if turnstile.reached:
            return "budget"
        if turnstile.enough:
            return "enough"
        return "failed" if any(part.failed for part in self.parts) else "done"

    async def _run(
        self,
        turnstile: Turnstile,
        state: State,
        todo: list[Job],
        obeying: Sequence[Obeying],
        reporter: Reporter,
    ) -> Status | None:
        """Runs the sessions, then the comparisons; says where an order has stopped it, or lines wait. None: nothing is left to do."""
        busy = {id(job.part) for job in todo}
        tellings = [
            part.begin(reporter.say, turnstile, works=id(part) in busy)
            for part in self.parts
        ]
        reporter.begin(state)
        retrying = Retrying(self.limits.retries, state, reporter.say)
        work = asyncio.create_task(self._work(self.order(todo), turnstile, retrying))
        watches = self._watch(obeying, tellings, work, turnstile)
        leaders = obeying if self.home is None else [*obeying, self.home.obeying]
        if any(one.stopped for one in leaders):
            work.cancel()
        try:
            return "waiting" if await work else None
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if not any(one.stopped for one in leaders) or (
                current is not None and current.cancelling()
            ):
                raise
            return "stopped"
        finally:
            for task in (work, *watches):
                task.cancel()
            await asyncio.gather(work, *watches, return_exceptions=True)
            reporter.end()

    def _watch(
        self,
        obeying: Sequence[Obeying],
        tellings: Sequence[Telling],
        work: asyncio.Task[bool],
        turnstile: Turnstile,
    ) -> list[asyncio.Task[None]]:
        """What is ordered in one folder holds for all, and all their diaries say so."""
        every = [*tellings, *([self.home.telling] if self.home is not None else [])]
        for one, own in zip(obeying, tellings, strict=True):
            one.on_stop, one.others = (
                work.cancel,
                [other for other in every if other is not own],
            )
        if self.home is not None:
            self.home.obeying.on_stop, self.home.obeying.others = work.cancel, tellings
        if turnstile.paused:
            for telling in tellings:
                telling.note(Obeyed(do="pause"))
        return [
            asyncio.create_task(one.watch(telling))
            for one, telling in zip(obeying, tellings, strict=True)
        ]

    async def _work(
        self, todo: list[Job], turnstile: Turnstile, retrying: Retrying
    ) -> bool:
        """Runs the sessions, then the comparisons. True if lines are left that nobody goes on with now."""
        later: list[Job] = []
        """Those that wait for replies from outside."""
        while True:
            failed: list[Job] = []
            await work_off(
                todo,
                lambda job: self._line(job, turnstile, later, failed),  # noqa: B023 - awaited here
                turnstile,
            )
            todo = [] if turnstile.over else retrying.choose(failed)
            if todo and later:  # what they ask goes out with what the others ask
                retrying.say_joined(len(todo))
            elif todo:
                await retrying.pause(len(todo), turnstile)
            elif turnstile.out or not await self.makers.again(turnstile):
                break
            else:
                todo, later = later, []
        if later and not turnstile.over:
            return True
        for part in self.parts:
            await part.compare(turnstile)
        return False

    async def _line(
        self, job: Job, turnstile: Turnstile, later: list[Job], failed: list[Job]
    ) -> None:
        try:
            session = await job.part.line(job.row, job.header, turnstile)
        except Later:
            later.append(job)
            return
        if job.row.status == "failed":
            failed.append(job)
        if session is not None and self.after(job, session):
            turnstile.enough = True
            await turnstile.turn()

    async def _check_prices(self) -> None:
        await check_prices(self.parts)


async def check_prices(parts: Iterable[Part]) -> None:
    """Raises: BadInput where a limit in dollars cannot hold since a price is not known."""
    _all_known([await part.likely() for part in parts])


async def budget_for(parts: Sequence[Part], limits: Limits) -> Budget:
    """What these batches may spend together. Raises: BadInput for a limit in dollars where a price is not known."""
    if limits.tokens is None and limits.usd is None:
        return Budget(None, None)
    found = [await part.likely() for part in parts]
    if limits.usd is not None:
        _all_known(found)
    tokens, usd = (
        max((one.tokens for one in found), default=0.0),
        max((one.usd for one in found), default=0.0),
    )
    return Budget(limits.tokens, limits.usd, likely_tokens=tokens, likely_usd=usd)


def _all_known(found: Iterable[Likely]) -> None:
    unknown = dict.fromkeys(name for one in found for name in one.unknown_prices)
    if unknown:
        raise BadInput(t("wrong.batch.no_price", names=", ".join(unknown)))
