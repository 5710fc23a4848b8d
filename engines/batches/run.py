"""Runs a batch: one session file a line, side by side. After any interruption the same call goes on."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from ...sessions.clean import json_line
from ...sessions.crash import crash_report
from ...sessions.errors import BadInput, SessionError, machine_fault
from ...sessions.events import Event, Failure
from ...sessions.files import write_whole
from ...sessions.journal import Journal
from ...sessions.session import Header, Session, Totals
from ...texts import english, t
from ..models.port import Remark, Waiting
from ..step import step
from .batch import Batch
from .budget import Budget, OverBudget
from .comparison import COMPARED
from .crew import work_off
from .diary import Began, Comparing, Diary
from .estimate import Estimate, estimate, prices_of
from .folder import Folder
from .obeying import Obeying
from .report import Row, failures
from .telling import Telling
from .turnstile import Turnstile

SUMMARY, FAILURES, REPORT = "summary.jsonl", "failures.jsonl", "report.json"


@dataclass(frozen=True)
class Limits:
    """How many sessions run at a time, and what the folder may cost in all, earlier runs included."""

    concurrency: int = 16
    tokens: int | None = None
    usd: float | None = None


@dataclass
class State:
    """How far a batch is."""

    lines: int
    done: int = 0
    failed: int = 0
    already: int = 0
    """Of `done`: finished before this run."""
    tokens: int = 0
    """Those that are known."""
    spent: Totals = field(default_factory=Totals)
    paused: bool = False


class Reporter(Protocol):
    """Shows the progress of a batch."""

    def begin(self, state: State) -> None:
        """The sessions begin to run; `state` changes as they go on."""

    def say(self, message: str) -> None:
        """A sentence for the user; the same one comes once."""

    def end(self) -> None:
        """The sessions have stopped running."""


class Silence:
    """Tells nobody."""

    def begin(self, state: State) -> None: ...

    def say(self, message: str) -> None: ...

    def end(self) -> None: ...


Status = Literal["done", "failed", "budget", "stopped"]


@dataclass(frozen=True)
class Outcome:
    """What came of a batch."""

    status: Status
    """`failed`: a line or a comparison failed. `budget`: the limit is reached and lines are left. `stopped`: somebody has said so."""
    report: dict[str, Any]
    """As in report.json."""
    summary: list[dict[str, Any]]
    """As in summary.jsonl: one mapping a line."""


async def run_batch(batch: Batch, into: Path, limits: Limits | None = None, reporter: Reporter | None = None) -> Outcome:
    """Runs what is not done yet of a batch in the folder `into`. Raises: BadInput, before anything is asked."""
    runner = Runner(batch, into, limits or Limits())
    await asyncio.to_thread(runner.prepare)
    return await runner.run(reporter or Silence())


class Runner:
    """A batch and the folder of its sessions."""

    def __init__(self, batch: Batch, into: Path, limits: Limits, command: str = "") -> None:
        """`command`: what a user types to go on, for those who follow the batch."""
        self.batch, self.into, self.limits, self.command = batch, into, limits, command
        self.rows = [Row(line) for line in batch.lines]
        self.sessions = [(row, header) for row, header in zip(self.rows, batch.headers, strict=True) if header is not None]
        """The rows that have a session, and its header."""
        self.folder = Folder(into, batch.options, [row.line for row, _ in self.sessions], [header for _, header in self.sessions])
        for row, header in zip(self.rows, batch.headers, strict=True):
            if header is None:
                row.leave_out()
        self._state = State(lines=len(self.rows))
        self._reporter: Reporter = Silence()
        self._said: set[str] = set()
        self._telling = Telling()
        self._disk = ThreadPoolExecutor(4, "disk")
        """Threads of its own: LiteLLM uses the event loop's, which a slow disk would take from it."""

    def prepare(self) -> None:
        """Checks the folder and opens what the new sessions look into, which may take a while. Nothing is written. Raises: BadInput."""
        self.folder.check()
        for row, header in self.sessions:
            if not (self.into / row.line.file).exists():
                self.batch.method.open(header, self.batch.tools)

    async def estimate(self) -> Estimate:
        """What the rest of the batch would ask and cost. Nobody is asked and nothing is written. Raises: BadInput."""
        self.folder.check()
        await self._budget()
        todo = [session for session in (self._stands(*pair) for pair in self.sessions) if not self._finished(session)]
        config = self.batch.tools.config
        return await estimate(self.batch.kind, todo, await prices_of(config, todo), cache=config.cache)

    async def run(self, reporter: Reporter) -> Outcome:
        """Runs what is not done yet, to the end, to the budget or until an order stops it; then closes the tools.

        Call `prepare` before. Raises: BadInput.
        """
        self._reporter = reporter
        status: Status | Literal["interrupted"] = "interrupted"
        try:
            turnstile = Turnstile(await self._budget(), self.limits.concurrency)
            with self.folder.locked():
                obeying = Obeying(self.into, turnstile, self._check_prices, reporter.say)
                self.folder.keep()
                try:
                    stopped = await self._run(turnstile, obeying)
                    failed = any(row.status == "failed" or any(said.error for said in row.compared.values()) for row in self.rows)
                    status = "stopped" if stopped else "budget" if turnstile.reached else "failed" if failed else "done"
                finally:
                    report, summary = self._write_results()
                    self._telling.end(status, [row for row, _ in self.sessions])
        finally:
            self.batch.tools.close()
        return Outcome(status, report, summary)

    def counted(self) -> dict[str, int]:
        """How many lines are done, failed, begun and not begun now."""
        begun = sum(row.status not in ("done", "failed") and row.totals.calls > 0 for row in self.rows)
        ended = {status: sum(row.status == status for row in self.rows) for status in ("done", "failed")}
        return {**ended, "begun": begun, "lines": len(self.rows)}

    def _finished(self, session: Session) -> bool:
        return self.batch.method.engine(session.header, self.batch.tools).finished(session)

    async def _budget(self) -> Budget:
        """The limits in force. Raises: BadInput for a limit in dollars where a price is not known."""
        if self.limits.tokens is None and self.limits.usd is None:
            return Budget(None, None)
        sessions, config = [Session(header, []) for _, header in self.sessions], self.batch.tools.config
        prices = await prices_of(config, sessions)
        likely = await estimate(self.batch.kind, sessions if self.limits.usd is not None else sessions[:1], prices, cache=config.cache)
        if self.limits.usd is not None and likely.unknown_prices:
            raise _no_prices(likely.unknown_prices)
        spent, calls = likely.spent, max(likely.spent.calls, 1)
        return Budget(self.limits.tokens, self.limits.usd, likely_tokens=(spent.tokens or 0) / calls, likely_usd=spent.cost_known / calls)

    async def _check_prices(self) -> None:
        """Raises: BadInput where a limit in dollars cannot hold since a price is not known."""
        sessions, config = [Session(header, []) for _, header in self.sessions], self.batch.tools.config
        prices = await prices_of(config, sessions)
        likely = await estimate(self.batch.kind, sessions[:1], prices, cache=config.cache)
        if likely.unknown_prices:
            raise _no_prices(likely.unknown_prices)

    def _stands(self, row: Row, header: Header) -> Session:
        """A line's session as it stands on disk; as it begins where there is none that can be read."""
        path = self.into / row.line.file
        if path.exists():
            try:
                with Journal.open(path, write=False) as journal:
                    return journal.session
            except SessionError:
                pass  # opened again, and reported, when its turn comes
        return Session(header, [])

    # ------------------------------------------------------------- running

    async def _run(self, turnstile: Turnstile, obeying: Obeying) -> bool:
        """Runs the sessions, then the comparisons; returns True if an order has stopped it."""
        todo = self._take_in(turnstile.budget)
        if todo or self.batch.equivalence is not None:
            self._telling = Telling(Diary(self.into))
            self._telling.begin(self._began(), self.sessions)
        self._reporter.begin(self._state)
        work = asyncio.create_task(self._work(todo, turnstile))
        watch = asyncio.create_task(obeying.watch(self._state, self._telling, work.cancel))
        try:
            await work
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if not obeying.stopped or (current is not None and current.cancelling()):
                raise
            return True
        finally:
            for task in (work, watch):
                task.cancel()
            await asyncio.gather(work, watch, return_exceptions=True)
            self._reporter.end()
        return False

    async def _work(self, todo: list[tuple[Row, Header]], turnstile: Turnstile) -> None:
        await work_off(todo, lambda pair: self._line(*pair, turnstile), turnstile)
        if self.batch.equivalence is not None:
            self._telling.note(Comparing())
            for compared in COMPARED:  # first with what is right, then the rest with the traps
                if not turnstile.reached:
                    questions = self.batch.kind.questions(self.rows, compared)
                    await self.batch.equivalence.compare(questions, self.into, turnstile, self._say)

    def _take_in(self, budget: Budget) -> list[tuple[Row, Header]]:
        """What earlier runs did and spent; returns what is to do."""
        todo = []
        for row, header in self.sessions:
            session = self._stands(row, header)
            row.take(session, self.batch.kind.facts)
            self._count(session.events, budget)
            if row.status != "done":
                row.status, row.error = "stopped", None
                todo.append((row, header))
        self._state.done = self._state.already = sum(row.status == "done" for row in self.rows)
        return todo

    def _began(self) -> Began:
        return Began(
            method=self.batch.method.name,
            kind=self.batch.lines_are,
            command=self.command,
            lines=len(self.rows),
            empty=len(self.rows) - len(self.sessions),
            concurrency=self.limits.concurrency,
            budget_tokens=self.limits.tokens,
            budget_usd=self.limits.usd,
        )

    async def _line(self, row: Row, header: Header, turnstile: Turnstile) -> None:
        """One session to its end or its failure. What goes wrong concerns this line only. Raises: OverBudget."""
        error: str | None = None
        journal: Journal | None = None
        self._telling.line(row, runs=True)
        try:
            journal = await asyncio.get_running_loop().run_in_executor(self._disk, self.folder.journal, row.line, header)
            await self._go_on(journal, row, turnstile)
        except OverBudget:
            self._telling.line(row, runs=False)
            raise
        except BadInput as wrong:
            error = str(wrong)
        except Exception as defect:
            error = english(machine_fault(defect)) or (
                f"Something went wrong inside VerifyTUI ({type(defect).__name__}); a report is in {crash_report(defect)}."
            )
        finally:
            if journal is not None:
                journal.close()
                row.take(journal.session, self.batch.kind.facts)
        if error is not None:
            row.status, row.error = "failed", error
        self._state.done += row.status == "done"
        self._state.failed += row.status == "failed"
        self._telling.line(row, runs=False)
        if row.status == "failed":
            self._say(f"{row.line.id}: {row.error}")

    async def _go_on(self, journal: Journal, row: Row, turnstile: Turnstile) -> None:
        from ..models.desk import Desk

        if not journal.writable:
            raise SessionError(journal.why_read_only or f"{journal.path} can only be read.")
        journal.sync_later = True
        session, method, tools = journal.session, self.batch.method, self.batch.tools
        engine = method.engine(session.header, tools)
        desk = Desk(lambda: session, tools.config, env=os.environ, builtins=method.models(session.header, tools), stream=False)
        charged = any(session.header.settings.get(name) for name in ("embed", "rerank"))
        """A retrieval costs too."""
        synced: asyncio.Future[None] | None = None
        try:
            while not engine.finished(session):
                async with (
                    turnstile.step() if charged or engine.asks(session) else nullcontext(),
                    aclosing(step(journal, engine, desk)) as parts,
                ):
                    async for part in parts:
                        if isinstance(part, Event):
                            self._count([part], turnstile.budget)
                            row.add(part)
                            self._telling.line(row, runs=True)
                        elif isinstance(part, Waiting) or (isinstance(part, Remark) and part.kind in ("remote-host", "cache")):
                            self._say(part.message)
                if synced is not None:
                    await synced
                synced = asyncio.get_running_loop().run_in_executor(self._disk, journal.sync)  # while the next call is made
                if session.events and isinstance(session.events[-1], Failure):
                    return
        finally:
            if synced is not None:
                await synced

    def _say(self, message: str) -> None:
        if message not in self._said:
            self._said.add(message)
            self._reporter.say(message)

    def _count(self, events: Iterable[Event], budget: Budget) -> None:
        for event in events:
            spent = Totals.of(event)
            if spent is not None:
                self._state.tokens += spent.tokens or 0
                self._state.spent.add(spent)
                budget.add(spent)

    def _write_results(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        kind = self.batch.kind
        report = kind.report(self.rows)
        summary = [row.summary() | more for row, more in zip(self.rows, kind.details(self.rows), strict=True)]
        write_whole(self.into / SUMMARY, "".join(map(json_line, summary)))
        write_whole(self.into / FAILURES, "".join(map(json_line, failures(self.rows, kind.losses(self.rows)))))
        write_whole(self.into / REPORT, json.dumps(report, ensure_ascii=False, indent=1) + "\n")
        return report, summary


def _no_prices(names: Iterable[str]) -> BadInput:
    return BadInput(t("wrong.batch.no_price", names=", ".join(names)))
