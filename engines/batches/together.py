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
from .budget import Budget
from .crew import work_off
from .estimate import Estimate
from .makers import Here, Later, Makers
from .obeying import Obeying
from .report import Row
from .state import Limits, Reporter, State
from .telling import Telling
from .turnstile import Turnstile

Status = Literal["done", "failed", "budget", "stopped", "enough"]
"""`failed`: a line or a comparison failed. `budget`: the limit is reached and lines are left. `stopped`: somebody has said so. `enough`:
whoever looks at the sessions needs no more of them."""


class Part(Protocol):
    """A batch in its folder; `run.Runner` is one."""

    into: Path

    async def likely(self, *, all_of_them: bool) -> Estimate: ...

    def locked(self) -> AbstractContextManager[None]: ...

    def keep(self) -> None: ...

    def take_in(self, state: State, budget: Budget) -> list[Job]: ...

    def begin(self, say: Callable[[str], None], *, works: bool) -> Telling: ...

    async def line(self, row: Row, header: Header, turnstile: Turnstile) -> Session | None: ...

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
class Together:
    """Batches that run as one."""

    parts: Sequence[Part]
    limits: Limits
    home: Path | None = None
    """A folder whose orders are for all of them, beside those in their own folders."""
    order: Callable[[list[Job]], list[Job]] = lambda jobs: jobs
    """The order in which lines begin."""
    after: Callable[[Job, Session], bool] = lambda job, session: False
    """Is shown each session that has ended; True: no further one is to begin."""
    budget: Budget | None = None
    """One that has been spent from already; None: a new one under the limits."""
    makers: Makers = field(default_factory=Here)
    """Those of the parts."""

    async def run(self, reporter: Reporter) -> Status:
        """Runs what is not done yet, to the end, to the budget, until it is enough or an order stops it. Raises: BadInput."""
        budget = self.budget or await budget_for(self.parts, self.limits)
        turnstile = Turnstile(budget, self.limits.concurrency)
        status = "interrupted"
        with ExitStack() as locks:
            for part in self.parts:
                locks.enter_context(part.locked())
            folders = [part.into for part in self.parts] + ([self.home] if self.home is not None else [])
            obeying = [Obeying(folder, turnstile, self._check_prices, reporter.say) for folder in folders]
            for part in self.parts:
                part.keep()
            try:
                stopped = await self._run(turnstile, obeying, reporter)
                status = found = self._status(turnstile, stopped)
            finally:
                for part in self.parts:
                    part.end(status)
        return found

    def _status(self, turnstile: Turnstile, stopped: bool) -> Status:
        if stopped:
            return "stopped"
        if turnstile.reached:
            return "budget"
        if turnstile.enough:
            return "enough"
        return "failed" if any(part.failed for part in self.parts) else "done"

    async def _run(self, turnstile: Turnstile, obeying: Sequence[Obeying], reporter: Reporter) -> bool:
        """Runs the sessions, then the comparisons; returns True if an order has stopped it."""
        state = State(lines=0)
        todo = [job for part in self.parts for job in part.take_in(state, turnstile.budget)]
        busy = {id(job.part) for job in todo}
        tellings = [part.begin(reporter.say, works=id(part) in busy) for part in self.parts]
        tellings += [Telling()] * (len(obeying) - len(tellings))
        reporter.begin(state)
        work = asyncio.create_task(self._work(self.order(todo), turnstile))
        watches = [asyncio.create_task(one.watch(state, telling, work.cancel)) for one, telling in zip(obeying, tellings, strict=True)]
        try:
            await work
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if not any(one.stopped for one in obeying) or (current is not None and current.cancelling()):
                raise
            return True
        finally:
            for task in (work, *watches):
                task.cancel()
            await asyncio.gather(work, *watches, return_exceptions=True)
            reporter.end()
        return False

    async def _work(self, todo: list[Job], turnstile: Turnstile) -> None:
        while True:
            later: list[Job] = []
            await work_off(todo, lambda job: self._line(job, turnstile, later), turnstile)  # noqa: B023 - awaited here
            if not await self.makers.again(turnstile):
                break
            todo = later
        for part in self.parts:
            await part.compare(turnstile)

    async def _line(self, job: Job, turnstile: Turnstile, later: list[Job]) -> None:
        try:
            session = await job.part.line(job.row, job.header, turnstile)
        except Later:
            later.append(job)
            return
        if session is not None and self.after(job, session):
            turnstile.enough = True
            await turnstile.turn()

    async def _check_prices(self) -> None:
        """Raises: BadInput where a limit in dollars cannot hold since a price is not known."""
        await _priced(self.parts)


async def budget_for(parts: Sequence[Part], limits: Limits) -> Budget:
    """What these batches may spend together. Raises: BadInput for a limit in dollars where a price is not known."""
    if limits.tokens is None and limits.usd is None:
        return Budget(None, None)
    found = await _priced(parts) if limits.usd is not None else [await part.likely(all_of_them=False) for part in parts]
    calls = max(sum(one.spent.calls for one in found), 1)
    tokens, usd = sum(one.spent.tokens or 0 for one in found), sum(one.spent.cost_known for one in found)
    return Budget(limits.tokens, limits.usd, likely_tokens=tokens / calls, likely_usd=usd / calls)


async def _priced(parts: Iterable[Part]) -> list[Estimate]:
    found = [await part.likely(all_of_them=True) for part in parts]
    unknown = dict.fromkeys(name for one in found for name in one.unknown_prices)
    if unknown:
        raise BadInput(t("wrong.batch.no_price", names=", ".join(unknown)))
    return found
