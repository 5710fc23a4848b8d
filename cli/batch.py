"""Many sessions: one file a line, run side by side, gone on with after any interruption."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..engines.models.port import Remark, Waiting
from ..engines.run import step
from ..sessions.crash import crash_report
from ..sessions.errors import BadInput, SessionError
from ..sessions.events import Event, Failure, Made, Retrieval
from ..sessions.journal import Journal
from ..sessions.session import Header, Session
from . import console
from .budget import Budget, OverBudget
from .files import write_whole
from .folder import Folder
from .job import Job
from .progress import Progress, State
from .report import Row

SUMMARY, REPORT = "summary.jsonl", "report.json"


@dataclass(frozen=True)
class Limits:
    """How many sessions at a time, and what the folder may cost in all."""

    concurrency: int
    tokens: int | None = None
    usd: float | None = None


class Batch:
    """A job and the folder of its sessions."""

    def __init__(self, job: Job, into: Path, limits: Limits) -> None:
        self.job, self.into, self.limits = job, into, limits
        self.rows = [Row(line) for line in job.lines]
        self.folder = Folder(into, job.options, job.lines, job.headers)
        self._told: set[str] = set()
        self._disk = ThreadPoolExecutor(4, "disk")
        """Threads of its own: LiteLLM uses the event loop's, which a slow disk would take from it."""

    def dry_run(self, output: str) -> int:
        """Prints what the batch would ask and cost. Nobody is asked and nothing is written."""
        from .estimate import estimate, prices

        self.folder.check()
        self._budget()
        todo = [session for session in map(self._stands, self.rows, self.job.headers) if not self._finished(session)]
        found = estimate(self.job.many, todo, prices(self.job.config, todo), cache=self.job.config.cache)
        console.out(console.json_line(found.as_json()) if output == "json" else found.in_words() + "\n")
        return console.DONE

    def run(self, output: str) -> int:
        """Runs what is not done yet. The exit code: 0, 1 if a line failed or the report is not good enough, 3 if the budget is reached."""
        self.folder.check()
        budget = self._budget()
        try:
            self._open()
            with self.folder.locked():
                self.folder.keep()
                try:
                    code = console.run(self._run(budget))
                finally:
                    found = self._write_results()
        finally:
            self.job.methods.close()
        if output == "json":
            console.out("".join(console.json_line(row.summary()) for row in self.rows))
        else:
            console.out(self.job.in_words(found) + "\n")
        wanting = self.job.under(found)
        for sentence in wanting:
            console.say(sentence)
        return console.FAILED if wanting and code == console.DONE else code

    # ------------------------------------------------------------- before

    def _open(self) -> None:
        """What the sessions that are to be run will look into. BadInput, before anything is written, where it cannot be used."""
        for row, header in zip(self.rows, self.job.headers, strict=True):
            if not (self.into / row.line.file).exists():
                self.job.methods.open(header)

    def _finished(self, session: Session) -> bool:
        return self.job.methods.of(session.header).engine.finished(session)

    def _budget(self) -> Budget:
        """The limits in force. BadInput for a limit in dollars where a price is not known."""
        if self.limits.tokens is None and self.limits.usd is None:
            return Budget(None, None)
        from .estimate import estimate, prices

        sessions = [Session(header, []) for header in self.job.headers]
        price = prices(self.job.config, sessions)
        found = estimate(self.job.many, sessions if self.limits.usd is not None else sessions[:1], price, cache=self.job.config.cache)
        if self.limits.usd is not None and found.unknown_prices:
            names = ", ".join(found.unknown_prices)
            raise BadInput(
                f"--budget-usd cannot hold: the price of {names} is not known; give prices in config.yaml or use --budget-tokens."
            )
        calls = max(found.calls, 1)
        likely = (found.input + found.output) / calls, (found.cost or 0.0) / calls
        return Budget(self.limits.tokens, self.limits.usd, likely_tokens=likely[0], likely_usd=likely[1])

    def _stands(self, row: Row, header: Header) -> Session:
        """A line's session as it stands on disk; as it begins where there is none that can be read."""
        path = self.into / row.line.file
        if path.exists():
            try:
                with Journal.open(path, write=False) as journal:
                    return journal.session
            except SessionError:
                pass  # opened again, and told, when its turn comes
        return Session(header, [])

    # ------------------------------------------------------------- running

    async def _run(self, budget: Budget) -> int:
        state = State(lines=len(self.rows))
        progress = Progress(state)
        todo = iter(self._take_in(state, budget))

        async def worker() -> None:
            for row, header in todo:
                await self._line(row, header, budget, progress)
                if budget.reached:
                    return

        showing = asyncio.create_task(progress.show())
        workers = [asyncio.create_task(worker()) for _ in range(min(self.limits.concurrency, len(self.rows)))]
        try:
            await asyncio.gather(*workers)
        finally:
            showing.cancel()
            for one in workers:
                one.cancel()
            await asyncio.gather(showing, *workers, return_exceptions=True)
            progress.end()
        if budget.reached:
            console.say("The budget is reached; the same command with a larger one goes on.")
            return console.BUDGET
        return console.FAILED if any(row.status == "failed" for row in self.rows) else console.DONE

    def _take_in(self, state: State, budget: Budget) -> list[tuple[Row, Header]]:
        """What earlier runs did and spent; returns what is to do."""
        todo = []
        for row, header in zip(self.rows, self.job.headers, strict=True):
            session = self._stands(row, header)
            row.take(session, self.job.facts)
            _count(session.events, state, budget)
            if row.status == "done":
                state.done += 1
                state.already += 1
            else:
                row.status, row.error = "stopped", None
                todo.append((row, header))
        return todo

    async def _line(self, row: Row, header: Header, budget: Budget, progress: Progress) -> None:
        """One session to its end, its failure or the budget. What goes wrong concerns this line only."""
        error: str | None = None
        journal: Journal | None = None
        try:
            journal = await asyncio.get_running_loop().run_in_executor(self._disk, self.folder.journal, row.line, header)
            await self._go_on(journal, budget, progress)
        except OverBudget:
            pass
        except BadInput as wrong:
            error = str(wrong)
        except Exception as defect:
            error = f"Something went wrong inside VerifyTUI ({type(defect).__name__}); a report is in {crash_report(defect)}."
        finally:
            if journal is not None:
                journal.close()
                row.take(journal.session, self.job.facts)
        if error is not None:
            row.status, row.error = "failed", error
        progress.state.done += row.status == "done"
        progress.state.failed += row.status == "failed"
        if row.status == "failed":
            self._tell(progress, f"{row.line.id}: {row.error}")

    async def _go_on(self, journal: Journal, budget: Budget, progress: Progress) -> None:
        from ..engines.models.desk import Desk

        if not journal.writable:
            raise SessionError(journal.why_read_only or f"{journal.path} can only be read.")
        journal.sync_later = True
        session = journal.session
        engine, builtins = self.job.methods.of(session.header)
        desk = Desk(lambda: session, self.job.config, env=os.environ, builtins=builtins, stream=False)
        charged = any(session.header.settings.get(name) for name in ("embed", "rerank"))
        """A retrieval costs too."""
        synced: asyncio.Future[None] | None = None
        try:
            while not engine.finished(session):
                async with (
                    budget.step() if charged or engine.asks(session) else nullcontext(),
                    aclosing(step(journal, engine, desk)) as parts,
                ):
                    async for part in parts:
                        if isinstance(part, Event):
                            _count([part], progress.state, budget)
                        elif isinstance(part, Waiting) or (isinstance(part, Remark) and part.kind in ("remote-host", "cache")):
                            self._tell(progress, part.message)
                if synced is not None:
                    await synced
                synced = asyncio.get_running_loop().run_in_executor(self._disk, journal.sync)  # while the next call is made
                if session.events and isinstance(session.events[-1], Failure):
                    return
        finally:
            if synced is not None:
                await synced

    def _tell(self, progress: Progress, message: str) -> None:
        """On stderr, the same sentence once."""
        if message not in self._told:
            self._told.add(message)
            progress.say(message)

    def _write_results(self) -> dict[str, Any]:
        found = self.job.report(self.rows)
        write_whole(self.into / SUMMARY, "".join(console.json_line(row.summary()) for row in self.rows))
        write_whole(self.into / REPORT, json.dumps(found, ensure_ascii=False, indent=1) + "\n")
        return found


def _count(events: Iterable[Event], state: State, budget: Budget) -> None:
    for event in events:
        if isinstance(event, Made | Failure) or (isinstance(event, Retrieval) and event.usage is not None):
            if event.usage is not None:
                state.tokens += (event.usage.input or 0) + (event.usage.output or 0)
            state.cost = None if state.cost is None or event.cost is None else state.cost + event.cost
            budget.add(event)
