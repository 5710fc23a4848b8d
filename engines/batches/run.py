"""Runs a batch: one session file a line, side by side.

After any interruption the same call continues.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, aclosing, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ...sessions.crash import crash_report
from ...sessions.errors import BadInput, SessionError, WorkersGone, machine_fault
from ...sessions.events import Event, Failure
from ...sessions.journal import Journal, readable_session
from ...sessions.session import Header, Session, Totals
from ...texts import english, t
from ...texts.failures import said
from ..figures.compare import MARGIN
from ..figures.judge.answers import COMPARED, Compared
from ..figures.planning import Detectable, detectable
from ..models.port import Later, ModelRemark, Waiting
from ..models.preflight import EMBEDDING, SeatModel, asked_in, problems, refuse
from ..models.probe import probe_all
from ..reports.batch import BatchReport
from .batch import Batch
from .batch_group import BatchGroup, LineJob, Status, budget_for
from .budget import Budget, OverBudget
from .call_limiter import CallLimiter
from .estimate import CostEstimate, Likely, estimate, likely
from .event_makers import EventMakers, LocalMakers, search_costs
from .folder import BatchFolder
from .outage import IN_A_ROW
from .receipt import Files, Receipt, files_in, write_receipt
from .registry import enlist
from .report import SummaryRow
from .results import document_of, made, write_page, write_results
from .run_journal import Comparing, RunJournal, RunStart
from .run_log import RunLog
from .state import BatchState, Limits, NoReporter, Reporter


@dataclass(frozen=True)
class Outcome:
    """The result of a batch."""

    status: Status
    """`failed`: a line or a comparison failed.

    `budget`: the limit is reached and lines are left. `stopped`: somebody has said so.
    `waiting`: lines wait for replies from outside.
    """
    report: BatchReport
    summary: list[dict[str, Any]]
    """As in summary.jsonl: one mapping a line."""


async def run_batch(
    batch: Batch,
    into: Path,
    limits: Limits | None = None,
    reporter: Reporter | None = None,
    *,
    probe: bool = False,
) -> Outcome:
    """Runs what is not done yet of a batch in the folder `into`.

    Raises: BadInput, before anything but a probe is asked.
    """
    runner = BatchRunner(batch, into, limits or Limits())
    await asyncio.to_thread(runner.prepare)
    if probe:
        await probe_all(runner.asked(), batch.tools.config)
    return await runner.run(reporter or NoReporter())


class BatchRunner:
    """A batch and the folder of its sessions."""

    def __init__(
        self,
        batch: Batch,
        into: Path,
        limits: Limits,
        command: str = "",
        makers: EventMakers | None = None,
    ) -> None:
        """`command`: the command that continues the batch, for other processes.
        `makers`: None creates events in this process.
        """
        self.batch, self.into, self.limits, self.command = batch, into, limits, command
        self.makers = makers or LocalMakers()
        self.rows = [SummaryRow(line) for line in batch.lines]
        begun = [
            (row, header)
            for row, header in zip(self.rows, batch.headers, strict=True)
            if header is not None
        ]
        self._played = [row for row, _ in begun]
        part = None if batch.part is None else batch.part.entry(batch)
        self.folder = BatchFolder(
            into,
            batch.options,
            [row.line for row, _ in begun],
            [header for _, header in begun],
            part,
        )
        for row, header in zip(self.rows, batch.headers, strict=True):
            if header is None:
                row.leave_out(batch.kind)
        self.report: BatchReport | None = None
        self.summary: list[dict[str, object]] = []
        self.command_digest, self.said = "", list[str]()
        """The digest of the command that it is run by, and what that has said; "": no
        receipt is written."""
        self.certificates: Sequence[Path] = ()
        """Files of certificates beside the user's."""
        self.read: Files = {}
        """The sessions that were finished before, as they stood when they were read."""
        self._state = BatchState(lines=0)
        self._tell: Callable[[str], None] = lambda message: None
        self._said: set[str] = set()
        self._run_log = RunLog()
        self._disk = ThreadPoolExecutor(4, "disk")
        """Threads of its own: LiteLLM uses the event loop's, which a slow disk would
        take from it.
        """

    @property
    def sessions(self) -> list[tuple[SummaryRow, Header]]:
        """The rows that have a session, and what it begins with."""
        return [(row, self.folder.header(row.line)) for row in self._played]

    def prepare(self) -> None:
        """Check the folder and every seat, and open the resources of new sessions.

        Can take a while. Writes nothing and calls no model. Raises: BadInput.
        """
        self.check()
        refuse(self.problems())
        self.open()

    def check(self) -> None:
        """Checks the folder. Nothing is written. Raises: BadInput."""
        self.folder.check()
        self.makers.check(self.batch)

    def open(self) -> None:
        """Opens what the new sessions look into. Raises: BadInput."""
        for row, header in self.sessions:
            if not (self.into / row.line.file).exists():
                self.batch.method.open(header, self.batch.tools)

    def problems(self) -> list[str]:
        """List the faults in the configuration and the line-up, one sentence each."""
        tools = self.batch.tools
        return [*tools.wrong, *problems(self.asked(), tools.config)]

    def asked(self) -> list[SeatModel]:
        """The models that the sessions ask which are not finished. Raises: BadInput."""
        config = self.batch.tools.config
        alike: dict[bytes, list[tuple[SummaryRow, Header]]] = {}
        for row, header in self.sessions:
            named = [header.settings.get(name) for name in EMBEDDING]
            key = msgspec.json.encode([header.lineup, named])
            alike.setdefault(key, []).append((row, header))
        found = []
        for pairs in alike.values():
            asked = [
                one._replace(keyed=self.makers.keyed or one.who in EMBEDDING)
                for one in asked_in(pairs[0][1], config)
            ]
            if not problems(asked, config) or self._unfinished(pairs):
                found += asked
        comparing = self.batch.equivalence
        if comparing is not None:
            found.append(SeatModel(comparing.role, comparing.seat))
        return found

    def _unfinished(self, pairs: Iterable[tuple[SummaryRow, Header]]) -> bool:
        return any(not self._finished(self._stands(*pair)) for pair in pairs)

    async def estimate(self) -> CostEstimate:
        """Estimate the calls and cost of the rest of the batch.

        Calls no model and writes nothing. Raises: BadInput.
        """
        self.folder.check()
        await budget_for([self], self.limits)
        todo = [
            session
            for session in (self._stands(*pair) for pair in self.sessions)
            if not self._finished(session)
        ]
        config, comparing = self.batch.tools.config, self.batch.equivalence
        priced = todo
        if comparing is not None and todo:
            seated = msgspec.structs.replace(
                todo[0].header, lineup={comparing.role: comparing.seat}
            )
            priced = [*todo, Session(seated, [])]
        prices = await self.makers.prices(config, priced)
        found = await estimate(self.batch.kind, todo, prices, cache=config.cache)
        if comparing is not None:
            comparing.expect(found, todo, prices)
        return found

    def detectable(self) -> Detectable:
        """The smallest difference that a comparison of this batch can show."""
        return detectable([row.line.cluster for row in self.rows], MARGIN)

    async def run(self, reporter: Reporter) -> Outcome:
        """Runs what is not done yet, to the end, to the budget or until an order stops
        it; then closes the tools.

        Call `prepare` before. Raises: BadInput.
        """
        try:
            status = await BatchGroup(
                [self], self.limits, makers=self.makers, on_begin=self._enlist
            ).run(reporter)
        finally:
            await self.makers.close()
            self.batch.tools.close()
        assert self.report is not None
        return Outcome(status, self.report, self.summary)

    def _enlist(self) -> None:
        enlist(self.into, self.batch.tools.places)

    def counted(self) -> dict[str, int]:
        """Number of lines done, failed, started and not started."""
        begun = sum(
            row.status not in ("done", "failed") and row.totals.calls > 0
            for row in self.rows
        )
        ended = {
            status: sum(row.status == status for row in self.rows)
            for status in ("done", "failed")
        }
        return {**ended, "begun": begun, "lines": len(self.rows)}

    def _finished(self, session: Session) -> bool:
        return self.batch.method.engine(session.header, self.batch.tools).finished(
            session
        )

    async def likely(self) -> Likely:
        """Estimate the size of one call of the batch.

        Calls no model. Raises: BadInput.
        """
        sessions = [
            Session(header, list(row.line.recorded)) for row, header in self.sessions
        ]
        return await likely(
            self.batch.kind,
            sessions,
            await self.makers.prices(self.batch.tools.config, sessions),
        )

    def _stands(self, row: SummaryRow, header: Header) -> Session:
        """The session of a line from disk; a new one if it cannot be read."""
        path = self.into / row.line.file
        return readable_session(path) or Session(header, list(row.line.recorded))

    # ------------------------------------------------------------- running

    def locked(self) -> AbstractContextManager[None]:
        """The folder, with no second run at work in it. Raises: BadInput."""
        return self.folder.locked()

    def keep(self) -> None:
        """Notes down what the folder is of. Raises: BadInput."""
        self.folder.keep()
        if self.batch.part is not None:
            self.batch.part.keep(self.into, self.batch)

    def take_in(self, state: BatchState, budget: Budget) -> list[LineJob]:
        """Read the results and cost of earlier runs, and return the remaining lines."""
        self._state = state
        self.read = files_in(self.into)
        todo = []
        for row, header in self.sessions:
            session = self._stands(row, header)
            row.take(session, self.batch.kind)
            self._count(session.events, budget)
            if row.status != "done":
                row.status, row.error = "stopped", None
                todo.append(LineJob(self, row, header))
        state.lines += len(self.rows)
        done = sum(row.status == "done" for row in self.rows)
        state.done, state.already = state.done + done, state.already + done
        finished = {row.line.file for row in self.rows if row.status == "done"}
        self.read = {
            name: stamp for name, stamp in self.read.items() if name in finished
        }
        return todo

    def begin(
        self, say: Callable[[str], None], limiter: CallLimiter, *, works: bool
    ) -> RunLog:
        """Called when the sessions start; `works`: there is work to do.

        Returns the run's journal.
        """
        self._tell = say
        if works and self.folder.changed:
            names = ", ".join(self.folder.changed)
            self._say(t("batch.demonstrations_changed", names=names))
        if works or self.batch.equivalence is not None:
            self._run_log = RunLog(RunJournal(self.into))
            self._run_log.begin(self._began(limiter), self.sessions)
        return self._run_log

    async def compare(self, limiter: CallLimiter) -> None:
        """A model compares the answers, where one is named."""
        comparing = self.batch.equivalence
        if comparing is not None:
            self._run_log.note(Comparing())
            for (
                compared
            ) in COMPARED:  # first with what is right, then the rest with the traps
                if not limiter.reached and not limiter.out:
                    found = comparing.questions(
                        self.rows, compared, self.batch.repeats or {}
                    )
                    await comparing.compare(found, self.into, limiter, self._say)
                    self._measure_again(compared)

    def _measure_again(self, compared: Compared) -> None:
        """Takes the measures of answers that a model accepted."""
        headers = {row.line.id: header for row, header in self.sessions}
        for row in self.rows:
            said = row.compared.get(compared)
            if said is not None and said.same:
                session = self._stands(row, headers[row.line.id])
                row.measure(session, self.batch.kind)

    @property
    def failed(self) -> bool:
        """Whether a line or a comparison failed."""
        return any(
            row.status == "failed" or any(said.error for said in row.compared.values())
            for row in self.rows
        )

    def end(self, status: str) -> None:
        """The sessions have stopped running: the results are written."""
        kind, part = self.batch.kind, self.batch.part
        more: dict[str, object] = {
            "skipped": self.batch.skipped,
            "silence": self.batch.tools.config.silence,
        }
        if part is not None:
            entry = part.entry(self.batch)
            more["shard"] = {name: entry[name] for name in ("index", "of")}
        self.report, self.summary = write_results(
            self.into, kind, self.rows, more, self.certificates
        )
        if status != "interrupted":  # who has interrupted it waits for the prompt
            headers = {row.line.id: header for row, header in self.sessions}
            document = document_of(
                self.report,
                kind,
                self.into.resolve().name,
                self.rows,
                lambda row: self._stands(row, headers[row.line.id]),
                made(self.into),
            )
            write_page(self.into, document)
        self._run_log.end(status, [row for row, _ in self.sessions])
        if status == "done" and self.command_digest:
            write_receipt(self.into, self.receipt(), self.read)

    def receipt(self) -> Receipt:
        """Combine the results of all batches that run together."""
        state = self._state
        return Receipt(
            asked=self.command_digest,
            said=self.said,
            lines=state.lines,
            done=state.done,
            tokens=state.tokens,
            spent=state.spent,
        )

    def _began(self, limiter: CallLimiter) -> RunStart:
        return RunStart(
            method=self.batch.method.name,
            kind=self.batch.lines_are,
            command=self.command,
            lines=len(self.rows),
            empty=len(self.rows) - len(self.sessions),
            skipped=self.batch.skipped,
            concurrency=limiter.places,
            budget_tokens=limiter.budget.limit_tokens,
            budget_usd=limiter.budget.limit_usd,
        )

    async def line(
        self, row: SummaryRow, header: Header, limiter: CallLimiter
    ) -> Session | None:
        """One session to its end or its failure; None where it could not be opened.

        What goes wrong concerns this line only.

        Raises: OverBudget, Later, WorkersGone.
        """
        error: str | None = None
        journal: Journal | None = None
        self._run_log.line(row, runs=True)
        try:
            journal = await self._opened(row, header)
            await self._go_on(journal, row, limiter)
        except (OverBudget, Later, WorkersGone):
            self._run_log.line(row, runs=False)
            raise
        except BadInput as wrong:
            error = str(wrong)
        except Exception as defect:
            error = english(machine_fault(defect)) or (
                f"Something went wrong inside VerifyTUI "
                f"({type(defect).__name__}); a report is in "
                f"{crash_report(defect)}."
            )
        finally:
            if journal is not None:
                journal.close()
                row.take(journal.session, self.batch.kind)
            else:
                row.measure(Session(header, []), self.batch.kind)
        if error is not None:
            row.status, row.error, row.may_pass = "failed", error, False
        self._state.done += row.status == "done"
        self._state.failed += row.status == "failed"
        self._run_log.line(row, runs=False)
        if row.status == "failed":
            self._say(f"{row.line.id}: {row.error}")
        if journal is None:
            return None
        return journal.session

    def keep_lost(self, job: LineJob, lost: Failure, budget: Budget) -> None:
        """Keeps what a call cost that was cut off while its line waited, as far as the
        disk takes it.
        """
        with (
            suppress(BadInput),
            self.folder.journal(job.row.line, job.header) as journal,
        ):
            self._count([journal.append(lost)], budget)
            job.row.take(journal.session, self.batch.kind)

    async def _opened(self, row: SummaryRow, header: Header) -> Journal:
        """Open the journal of a line, and close it again if cancelled. Raises:
        BadInput.
        """
        opening = asyncio.get_running_loop().run_in_executor(
            self._disk, self.folder.journal, row.line, header
        )
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            with suppress(Exception):
                (await opening).close()
            raise

    async def _go_on(
        self, journal: Journal, row: SummaryRow, limiter: CallLimiter
    ) -> None:
        if not journal.writable:
            raise SessionError(
                journal.why_read_only or f"{journal.path} can only be read."
            )
        journal.sync_later = True
        session = journal.session
        maker = self.makers.maker(self.batch, row.line, session)
        engine, charged = maker.engine, search_costs(session)
        synced: asyncio.Future[None] | None = None
        try:
            while not engine.finished(session):
                async with (
                    limiter.step()
                    if charged or engine.asks(session)
                    else nullcontext(),
                    aclosing(maker.step(journal)) as parts,
                ):
                    async for part in parts:
                        if isinstance(part, Event):
                            self._count([part], limiter.budget)
                            await self._hear(part, session, limiter)
                            row.add(part)
                            self._run_log.line(row, runs=True)
                        elif isinstance(part, Waiting) or (
                            isinstance(part, ModelRemark)
                            and part.kind in ("remote-host", "cache")
                        ):
                            self._say(said(part))
                if synced is not None:
                    await synced
                synced = asyncio.get_running_loop().run_in_executor(
                    self._disk, journal.sync
                )  # while the next call is made
                if session.events and isinstance(session.events[-1], Failure):
                    return
        finally:
            if synced is not None:
                await synced

    async def _hear(self, event: Event, session: Session, limiter: CallLimiter) -> None:
        """Ends the run where a seat fails for good."""
        if limiter.outage.hear(event, session) and isinstance(event, Failure):
            why = said(event)
            self._say(t("batch.outage", role=event.role, n=IN_A_ROW, why=why))
            await limiter.turn()

    def _say(self, message: str) -> None:
        if message not in self._said:
            self._said.add(message)
            self._tell(message)

    def _count(self, events: Iterable[Event], budget: Budget) -> None:
        for event in events:
            spent = Totals.of(event)
            if spent is not None:
                self._state.tokens += spent.tokens or 0
                self._state.spent.add(spent)
                budget.add(spent)
