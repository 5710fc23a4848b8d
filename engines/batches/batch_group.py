"""Runs one or several batches together: one limiter, one budget, one order of their
lines. Each has its own folder.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from ...sessions.errors import bad_input
from ...sessions.events import Failure
from ...sessions.session import Header, Session
from ...texts import t
from ..models.port import Later
from .budget import Budget
from .call_limiter import CallLimiter
from .estimate import Likely
from .event_makers import EventMakers, LocalMakers
from .order_processor import OrderProcessor
from .orders import Orders
from .report import SummaryRow
from .retrying import Retrying
from .run_journal import OrderApplied
from .run_log import RunLog
from .state import BatchState, Limits, Reporter
from .work_queue import work_off

Status = Literal["done", "failed", "budget", "stopped", "enough", "waiting"]
"""`failed`: a line or a comparison failed.

`budget`: the limit is reached and lines are left. `stopped`: by a user's command.
`enough`: a watcher of the sessions needs no more of them. `waiting`: lines wait for
external replies.
"""


class RunPart(Protocol):
    """A batch in its folder; `run.BatchRunner` is one."""

    into: Path

    async def likely(self) -> Likely: ...

    def locked(self) -> AbstractContextManager[None]: ...

    def keep(self) -> None: ...

    def take_in(self, state: BatchState, budget: Budget) -> list[LineJob]: ...

    def begin(
        self, say: Callable[[str], None], limiter: CallLimiter, *, works: bool
    ) -> RunLog: ...

    async def line(
        self, row: SummaryRow, header: Header, limiter: CallLimiter
    ) -> Session | None: ...

    async def compare(self, limiter: CallLimiter) -> None: ...

    def keep_lost(self, job: LineJob, lost: Failure, budget: Budget) -> None: ...

    @property
    def failed(self) -> bool: ...

    def end(self, status: str) -> None: ...


class LineJob(NamedTuple):
    """One line that is to be run."""

    part: RunPart
    row: SummaryRow
    header: Header


@dataclass(frozen=True)
class PhasedRun:
    """The run that batches are parts of, with a folder of its own: one limiter for
    all of its phases, and orders for all parts.
    """

    limiter: CallLimiter
    processor: OrderProcessor
    """Observed by its creator."""
    run_log: RunLog


@dataclass(frozen=True)
class BatchGroup:
    """Batches that run as one."""

    parts: Sequence[RunPart]
    limits: Limits
    home: PhasedRun | None = None
    """What they are parts of."""
    order: Callable[[list[LineJob]], list[LineJob]] = lambda jobs: jobs
    """The order in which lines begin."""
    after: Callable[[LineJob, Session], bool] = lambda job, session: False
    """Is shown each session that has ended; True: no further one is to begin."""
    makers: EventMakers = field(default_factory=LocalMakers)
    """Those of the parts."""
    on_begin: Callable[[], None] = lambda: None
    """Is called when the folders are locked and it is noted down what they are of."""

    async def run(self, reporter: Reporter) -> Status:
        """Runs what is not done yet, to the end, to the budget, until it is enough or
        an order stops it. Raises: BadInput.
        """
        if self.home is None:
            limiter = CallLimiter(
                await budget_for(self.parts, self.limits), self.limits.concurrency
            )
        else:
            limiter = self.home.limiter
        status = "interrupted"
        with ExitStack() as locks:
            for part in self.parts:
                locks.enter_context(part.locked())
            processors = [
                OrderProcessor(
                    Orders(part.into), limiter, self._check_prices, reporter.say
                )
                for part in self.parts
            ]
            state = BatchState(lines=0, limiter=limiter)
            todo = [
                job
                for part in self.parts
                for job in part.take_in(state, limiter.budget)
            ]
            if todo:
                await self.makers.open(
                    limiter, reporter.say
                )  # what cannot be had is said before anything is written
            for part in self.parts:
                part.keep()
            self.on_begin()
            try:
                ended = await self._run(limiter, state, todo, processors, reporter)
                status = found = ended or self._status(limiter)
                if found == "budget" and limiter.budget.is_below_one_call:
                    reporter.say(t("batch.budget_below_one_call"))
            finally:
                for part in self.parts:
                    part.end(status)
        return found

    def _status(self, limiter: CallLimiter) -> Status:
        if limiter.out:
            return "failed"
        if limiter.reached:
            return "budget"
        if limiter.enough:
            return "enough"
        if any(part.failed for part in self.parts):
            return "failed"
        return "done"

    async def _run(
        self,
        limiter: CallLimiter,
        state: BatchState,
        todo: list[LineJob],
        processors: Sequence[OrderProcessor],
        reporter: Reporter,
    ) -> Status | None:
        """Runs the sessions, then the comparisons; says where an order has stopped it,
        or lines wait. None: nothing is left to do.
        """
        busy = {id(job.part) for job in todo}
        run_logs = [
            part.begin(reporter.say, limiter, works=id(part) in busy)
            for part in self.parts
        ]
        reporter.begin(state)
        retrying = Retrying(self.limits.retries, state, reporter.say)
        work = asyncio.create_task(self._work(self.order(todo), limiter, retrying))
        watches = self._watch(processors, run_logs, work, limiter)
        leaders = (
            processors if self.home is None else [*processors, self.home.processor]
        )
        if any(one.stopped for one in leaders):
            work.cancel()
        try:
            if await work:
                return "waiting"
            return None
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
        processors: Sequence[OrderProcessor],
        run_logs: Sequence[RunLog],
        work: asyncio.Task[bool],
        limiter: CallLimiter,
    ) -> list[asyncio.Task[None]]:
        """Apply an order in one folder to all batches, and record it in each
        journal.
        """
        every = [*run_logs, *([self.home.run_log] if self.home is not None else [])]
        for one, own in zip(processors, run_logs, strict=True):
            one.on_stop, one.others = (
                work.cancel,
                [other for other in every if other is not own],
            )
        if self.home is not None:
            self.home.processor.on_stop, self.home.processor.others = (
                work.cancel,
                run_logs,
            )
        if limiter.paused:
            for run_log in run_logs:
                run_log.note(OrderApplied(do="pause"))
        return [
            asyncio.create_task(one.watch(run_log))
            for one, run_log in zip(processors, run_logs, strict=True)
        ]

    async def _work(
        self, todo: list[LineJob], limiter: CallLimiter, retrying: Retrying
    ) -> bool:
        """Run the sessions, then the comparisons.

        True if lines remain that this run does not continue.
        """
        later: list[LineJob] = []
        """Those that wait for replies from outside."""
        while True:
            failed: list[LineJob] = []
            await work_off(
                todo,
                partial(self._line, limiter=limiter, later=later, failed=failed),
                limiter,
            )
            todo = [] if limiter.over else retrying.choose(failed)
            if todo and later:  # what they ask goes out with what the others ask
                retrying.say_joined(len(todo))
            elif todo:
                await retrying.pause(len(todo), limiter)
            elif limiter.out or not await self._again(limiter, later):
                break
            else:
                todo, later = later, []
        if later and not limiter.over:
            return True
        for part in self.parts:
            await part.compare(limiter)
        return False

    async def _again(self, limiter: CallLimiter, later: Sequence[LineJob]) -> bool:
        try:
            return await self.makers.again(limiter)
        finally:
            lost, limiter.lost = limiter.lost, []
            for job in later if lost else ():
                for session, failure in lost:
                    if session == job.header.id:
                        job.part.keep_lost(job, failure, limiter.budget)

    async def _line(
        self,
        job: LineJob,
        limiter: CallLimiter,
        later: list[LineJob],
        failed: list[LineJob],
    ) -> None:
        try:
            session = await job.part.line(job.row, job.header, limiter)
        except Later:
            later.append(job)
            return
        if job.row.status == "failed":
            failed.append(job)
        if session is not None and self.after(job, session):
            limiter.enough = True
            await limiter.turn()

    async def _check_prices(self) -> None:
        await check_prices(self.parts)


async def check_prices(parts: Iterable[RunPart]) -> None:
    """Raises: BadInput where a limit in dollars cannot hold since a price is not
    known.
    """
    _all_known([await part.likely() for part in parts])


async def budget_for(parts: Sequence[RunPart], limits: Limits) -> Budget:
    """Return the budget that these batches share.

    Raises: BadInput for a limit in dollars if a price is unknown.
    """
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
        raise bad_input("wrong.batch.no_price", names=", ".join(unknown))
