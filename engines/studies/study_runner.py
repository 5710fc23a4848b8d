"""Runs a study: the batches of its conditions as one, item by item over all conditions.
After any interruption the same call continues.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...sessions.entry_store import FileStamp
from ...sessions.errors import Faults
from ...sessions.files import write_whole
from ...sessions.session import Session
from ..batches.batch_group import (
    BatchGroup,
    LineJob,
    PhasedRun,
    Status,
    budget_for,
    check_prices,
)
from ..batches.budget import OverBudget
from ..batches.call_limiter import CallLimiter
from ..batches.changes import changes_in
from ..batches.estimate import CostEstimate
from ..batches.event_makers import EventMakers, LocalMakers
from ..batches.folder import locked
from ..batches.order_processor import OrderProcessor
from ..batches.orders import Orders
from ..batches.receipt import Receipt, write_receipt
from ..batches.registry import enlist
from ..batches.run import BatchRunner
from ..batches.run_journal import Comparing, RunJournal, RunStart
from ..batches.run_log import RunLog
from ..batches.state import Limits, Reporter
from ..figures.certificates import read_certificates
from ..figures.judge.answers import JudgeInstructions
from ..figures.judge.measure import JudgeMeasure
from ..figures.planning import Detectable, detectable
from ..models.preflight import SeatModel, problems, refuse
from ..starting import Starter
from ..tools import Tools
from .batches import batch_of
from .conditions import Condition, PlayedCondition, RecordedCondition
from .empty_searches import EmptySearches
from .forms import as_html
from .items import in_order
from .manifest import STUDY, check, freeze, made_with, read_manifest, write_manifest
from .measuring import Begun, judged_outside, score, score_outside, sessions_of
from .part import StudyPart
from .plan import StudyPlan
from .rankings import check as check_rankings
from .rankings import keep as keep_rankings
from .report import report_of
from .sample_size import SampleSizeCheck
from .scores import ScoreRow, write_scores

REPORT = "report.html"


@dataclass
class StudyRunner:
    """A study and its folder."""

    plan: StudyPlan
    into: Path
    limits: Limits
    starter: Starter
    tools: Tools
    only: Collection[str] = ()
    """The conditions that run; none named: all."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What was said on the command line and shapes the study: `model`, `take`."""
    until_width: float | None = None
    command: str = ""
    makers: EventMakers = field(default_factory=LocalMakers)
    """Who makes the events of all sessions."""
    part: StudyPart | None = None
    """Which part of a larger study it is; None: all of it."""
    said: str = ""
    """Why the study ended before all of it had run."""
    command_digest: str = ""
    """Of the command that it is run by; "": no receipt is written."""
    receipt: Receipt | None = None
    """What the sessions came to, as far as they have run."""
    remarks: Sequence[str] = ()
    """What recorded runs leave out, a sentence each, once they are read."""
    _read: dict[str, FileStamp] = field(default_factory=dict)

    def prepare(self) -> None:
        """Reads and checks everything, and opens what sessions look into.

        Nothing is written. Raises: BadInput.
        """
        check(self.into, self.plan, self.options, self._shard)
        self.remarks = [
            *check_rankings(self.plan, self.recorded, self.into),
            *self.plan.remarks,
        ]
        runners = self._runners(self._chosen())
        for runner in runners:
            runner.check()
        refuse(self._problems(runners))
        for runner in runners:
            runner.open()

    def problems(self) -> list[str]:
        """What is wrong with the configuration and the seats, a sentence each."""
        return self._problems(self._runners(self._chosen()))

    def missing(self) -> list[str]:
        """What it lacks before it can run, a sentence each: keys, models, and what its
        sessions look into, which is opened.
        """
        runners = self._runners(self._chosen())
        faults = Faults()
        faults.add(*self._problems(runners))
        for runner in runners:
            faults.of(runner.open)
        return list(faults.told)

    def asked(self) -> list[SeatModel]:
        """The models that sessions and measures ask. Raises: BadInput."""
        return self._asked(self._runners(self._chosen()))

    def _problems(self, runners: Sequence[BatchRunner]) -> list[str]:
        asked = self._asked(runners)
        return [*self.starter.wrong, *problems(asked, self.starter.config)]

    def _asked(self, runners: Sequence[BatchRunner]) -> list[SeatModel]:
        asked = [one for runner in runners for one in runner.asked()]
        for name, measure in self.plan.outside.items():
            if isinstance(measure, JudgeMeasure):
                asked.append(SeatModel(name, measure.seat))
        return asked

    async def estimate(self) -> dict[str, CostEstimate]:
        """What is left of each condition would ask and cost; of those that get chosen
        items, at most. Nothing is written. BadInput.
        """
        check(self.into, self.plan, self.options, self._shard)
        self.remarks = check_rankings(self.plan, self.recorded, self.into)
        played = [one for one in self._chosen() if isinstance(one, PlayedCondition)]
        return {
            condition.name: await runner.estimate()
            for condition, runner in zip(played, self._runners(played), strict=True)
        }

    def detectable(self) -> Detectable:
        """The smallest difference from the reference that the study can show."""
        plan = self.plan
        first = plan.measure(plan.quality[0]) if plan.quality else None
        tests = (len(plan.conditions) - 1) * len(plan.quality)
        return detectable(
            [item.cluster for item in plan.items],
            plan.study.against.margin,
            plan.study.repeats,
            tests if plan.study.against.correct == "holm" else 1,
            share=first is None or first.share,
        )

    async def run(self, reporter: Reporter) -> Status:
        """Runs what is not done yet, then takes the measures.

        Closes the tools. Raises: BadInput.
        """
        ended = False
        try:
            with locked(self.into, STUDY):
                orders = Orders(self.into)
                freeze(self.into, self.plan, self.options, self._shard)
                keep_rankings(self.plan, self.recorded, self.into)
                enlist(self.into, self.tools.places)
                try:
                    found = await self._led(orders, reporter)
                    ended = True
                    if found == "done" and self.receipt and self.command_digest:
                        write_receipt(self.into, self.receipt, self._read)
                finally:
                    # by a signal or a defect: whoever waits for the end is not made to
                    # wait for the measures
                    if not ended:
                        write_manifest(
                            self.into,
                            {
                                **read_manifest(self.into),
                                "status": "interrupted",
                                **self._changes(),
                            },
                        )
        finally:
            await self.makers.close()
            self.tools.close()
        return found

    async def _led(self, orders: Orders, reporter: Reporter) -> Status:
        """The sessions and the measures, as orders to the study's own folder say.

        What is done and how is in its diary.
        """
        first, rest = self._phases()
        phases = [
            await asyncio.to_thread(self._runners, conditions)
            for conditions in (first, rest)
        ]
        every = [runner for phase in phases for runner in phase]
        limiter = CallLimiter(
            await budget_for(every, self.limits), self.limits.concurrency
        )
        processor = OrderProcessor(
            orders, limiter, lambda: check_prices(every), reporter.say
        )
        home = PhasedRun(limiter, processor, RunLog(RunJournal(self.into)))
        home.run_log.begin(self._began(sum(len(runner.rows) for runner in every)), [])
        watch = asyncio.create_task(processor.watch(home.run_log))
        status = "interrupted"
        try:
            found = await self._sessions(phases[0], rest, home, reporter)
            status = found = await self._measure(found, home, reporter)
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
            home.run_log.end(status, [])
        return found

    def _began(self, lines: int) -> RunStart:
        limits = self.limits
        return RunStart(
            method="",
            kind="study",
            command=self.command,
            lines=lines,
            concurrency=limits.concurrency,
            budget_tokens=limits.tokens,
            budget_usd=limits.usd,
        )

    def keep(self, scores: Sequence[ScoreRow], begun: Begun, status: str) -> None:
        """Writes what was measured, and what the sessions were made with.

        Raises: BadInput, WriteError.
        """
        write_scores(self.into, scores)
        before = read_manifest(self.into)
        state = {
            "status": status,
            **({"until_width": self.until_width} if self.until_width else {}),
            "said": self.said,
        }
        silence = self.starter.config.silence
        judged = judged_outside(self.plan, begun, self.into)
        manifest = {
            **before,
            **({"silence": list(silence)} if silence else {}),
            "conditions": made_with(begun, before["conditions"], judged),
            **state,
            **self._changes(),
        }
        write_manifest(self.into, manifest)
        report = report_of(self.plan, scores, manifest, read_certificates())
        write_whole(self.into / REPORT, as_html(report))

    def _changes(self) -> dict[str, Any]:
        """What was ordered while it ran, for the manifest."""
        changes = changes_in(self.into)
        if changes:
            return {"changes": changes}
        return {}

    @property
    def _shard(self) -> dict[str, object] | None:
        return None if self.part is None else self.part.kept()

    def _chosen(self) -> list[Condition]:
        return [
            one
            for one in self.plan.conditions
            if not self.only or one.name in self.only
        ]

    @property
    def recorded(self) -> list[RecordedCondition]:
        """The recorded runs among the conditions that it takes."""
        return [one for one in self._chosen() if isinstance(one, RecordedCondition)]

    def _runners(
        self, conditions: Sequence[Condition], chosen: Collection[str] | None = None
    ) -> list[BatchRunner]:
        made = []
        for one in conditions:
            if not isinstance(one, PlayedCondition):
                continue
            batch = batch_of(
                self.plan,
                one,
                self.starter,
                self.tools,
                chosen if one.name not in self.plan.study.where else None,
            )
            if batch.lines:
                part = None if self.part is None else self.part.of(self.plan, batch)
                made.append(
                    BatchRunner(
                        replace(batch, part=part),
                        self.into / one.folder,
                        self.limits,
                        self.command,
                        self.makers,
                    )
                )
        return made

    def _phases(self) -> tuple[list[Condition], list[Condition]]:
        """The conditions that choose items for the others, where there are any, and the
        rest.
        """
        where = self.plan.study.where
        first = (
            [one for one in self._chosen() if one.name in where]
            if where
            else self._chosen()
        )
        return first, [one for one in self._chosen() if one not in first]

    async def _sessions(
        self,
        first: Sequence[BatchRunner],
        rest: Sequence[Condition],
        home: PhasedRun,
        reporter: Reporter,
    ) -> Status:
        """Runs the first conditions, then the rest with the items that are chosen for
        them.
        """
        if not first and not rest:
            return "done"  # recorded runs alone
        enough = (
            SampleSizeCheck(self.plan, self.into, self.until_width)
            if self.until_width
            else None
        )
        status = await self._together(first, reporter, home, None if rest else enough)
        if rest and status in ("done", "failed"):
            chosen = self._wanted()
            runners = await asyncio.to_thread(self._runners, rest, chosen)
            later = (
                await self._together(runners, reporter, home, enough)
                if runners
                else status
            )
            status = status if later == "done" else later
        return status

    async def _together(
        self,
        runners: Sequence[BatchRunner],
        reporter: Reporter,
        home: PhasedRun,
        enough: SampleSizeCheck | None,
    ) -> Status:
        places = {
            item.id: place
            for place, item in enumerate(
                in_order(self.plan.items, self.plan.study.items.seed)
            )
        }
        names = {id(runner): runner.into.name for runner in runners}

        def order(jobs: list[LineJob]) -> list[LineJob]:
            """Item by item over all conditions, in an order by chance: what is done at
            any time is a sample, and paired.
            """
            by_line = {
                name: (repeat, places[item.id])
                for name, (item, repeat) in self.plan.by_line.items()
            }
            return sorted(jobs, key=lambda job: by_line[job.row.line.id])

        empty = EmptySearches()

        def after(job: LineJob, session: Session) -> bool:
            narrow = enough is not None and enough.takes(
                names[id(job.part)], job.row.line.id, session
            )
            return empty.takes(session) or narrow

        status = await BatchGroup(
            runners, self.limits, home, order, after, self.makers
        ).run(reporter)
        for runner in runners:
            self._read |= {
                f"{runner.into.name}/{name}": stamp
                for name, stamp in runner.read.items()
            }
            self.receipt = runner.receipt()
            self.receipt.asked = self.command_digest
        if status == "enough" and not empty.many and enough is not None:
            self.said = enough.said
        return "failed" if empty.many else status

    def _wanted(self) -> set[str]:
        """The lines whose sessions in the conditions of `where` came to what they say
        there.
        """
        where = self.plan.study.where
        begun = sessions_of(self.plan, self.into)
        states: dict[str, dict[str, str]] = {}
        for condition in self.plan.conditions:
            measure = self.plan.measure("accuracy", condition)
            if condition.name in where and measure is not None:
                for line, case in begun[condition.name].items():
                    found = next(iter(measure.of(case.session, case.item)), None)
                    states.setdefault(line, {})[condition.name] = (
                        "" if found is None else found.state
                    )
        return {
            line
            for line, found in states.items()
            if all(found.get(name) in wanted for name, wanted in where.items())
        }

    async def _measure(
        self, status: Status, home: PhasedRun, reporter: Reporter
    ) -> Status:
        """Takes all measures, and writes them."""
        begun = await asyncio.to_thread(sessions_of, self.plan, self.into)
        scores = await asyncio.to_thread(score, self.plan, begun)
        status = "stopped" if home.processor.stopped else status
        empty = EmptySearches(least=1)
        for cases in begun.values():
            for case in cases.values():
                empty.takes(case.session)
        if empty.many:
            status, self.said = "failed", empty.said
            reporter.say(empty.said)
        self.keep(scores, begun, status)
        ended = status in ("stopped", "waiting") or home.limiter.out
        if self.plan.outside and not ended:
            home.run_log.note(Comparing())
            asking = JudgeInstructions(
                self.starter.config,
                home.limiter.step,
                home.limiter.budget.add,
                reporter.say,
            )
            work = asyncio.create_task(
                score_outside(self.plan, begun, self.into, asking, self.plan.outside)
            )
            home.processor.on_stop = work.cancel
            try:
                scores += await work
            except OverBudget:
                status = "budget"
            except asyncio.CancelledError:
                current = asyncio.current_task()
                if not home.processor.stopped or (
                    current is not None and current.cancelling()
                ):
                    raise
                status = "stopped"
            self.keep(scores, begun, status)
        return status
