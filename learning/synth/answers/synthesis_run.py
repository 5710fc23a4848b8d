"""Runs a synthesis in three steps, each a batch in its own folder. Call it again to
continue after an interruption.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from ....engines.batches.batch import Batch, headers_of
from ....engines.batches.estimate import CostEstimate, imagined
from ....engines.batches.event_makers import EventMakers
from ....engines.batches.lines import BatchLine
from ....engines.batches.run import BatchRunner
from ....engines.batches.state import Limits, Reporter
from ....engines.figures.rows import Row
from ....engines.method import Method
from ....engines.models.config import Config
from ....engines.models.preflight import SeatModel, asked_in, problems, refuse
from ....engines.starting import Starter, Wishes
from ....engines.tools import Tools
from ....sessions.clean import json_line, scrubbed
from ....sessions.errors import bad_input
from ....sessions.files import has_batch, read_text, write_whole
from ....sessions.journal import readable_session
from ....sessions.session import Header, Session, Totals
from ....texts import t
from ..manifest import Manifest
from . import blind
from .plan import AnswerSynthesis
from .sample_collection import (
    Find,
    SampleCollection,
    SavedSession,
    by_rule,
    rows_to_verify,
    rows_to_worsen,
    said,
    sampled,
    to_verify,
    worsened,
)
from .samples import Sample, SampleVerdict

ANSWERS, NEGATIVES, VERIFICATION = "answers", "negatives", "verification"
"""The folders of the three steps."""
ROWS, SAMPLES, VERIFIED = "negatives.jsonl", "samples.jsonl", "verified.jsonl"
REPORT, EXPORT = "report.json", "export"

Status = Literal["done", "failed", "budget", "stopped", "waiting"]


class SynthesisOutcome(NamedTuple):
    """The outcome of a run."""

    status: Status
    """`failed`: lines of a step failed, so the next step was not started. The others
    are as for a batch.
    """
    step: str
    """The folder of the last step that ran."""
    failed: int = 0
    """Number of failed lines in that step."""
    samples: Sequence[Sample] = ()
    verified: Sequence[SampleVerdict] = ()
    left_out: Mapping[str, int] = {}
    """Reason → number of samples that were not made."""


class StepOptions(NamedTuple):
    """How the steps are run. Everything but `tools` may change between two runs."""

    tools: Callable[[], Tools]
    makers: Callable[[Path, Tools], EventMakers]
    """Returns the event makers for the sessions in a folder."""
    limits: Limits
    """The limits of all steps together."""
    command: str = ""
    keyed: bool = True
    """Whether models are called with the keys of this process."""
    leave_failed: bool = False
    """Continue without failed lines."""
    blind: int = 0
    """Number of samples for a person to rate."""


@dataclass
class SteppedRun:
    """A synthesis in steps, each a batch in its folder."""

    plan: Any
    into: Path
    manifest: Manifest
    method: Method
    starter: Starter
    hand: StepOptions
    spent: Totals = field(default_factory=Totals)
    """Usage of the finished steps."""

    def asked(self) -> list[SeatModel]:
        """The models of the steps that have not begun. Raises: BadInput."""
        raise NotImplementedError

    async def estimate(self) -> dict[str, CostEstimate]:
        """Estimate the remaining calls and cost of each step. Calls no model. Raises:
        BadInput.
        """
        raise NotImplementedError

    def check_steps(self) -> None:
        """Creates a session of each step to detect a wrong model before the first call.

        Raises: BadInput.
        """
        refuse(self.problems())

    def problems(self) -> list[str]:
        """Checks the configuration and models of steps that have not started.

        Raises: BadInput if a step cannot start.
        """
        found = problems(self.asked(), self.starter.config)
        return [*self.starter.wrong, *found]

    async def _run(
        self, name: str, runner: BatchRunner, reporter: Callable[[str], Reporter]
    ) -> SynthesisOutcome | None:
        """Runs one step; returns None if the next one can start."""
        if not runner.batch.lines:
            return None
        await asyncio.to_thread(runner.prepare)
        outcome = await runner.run(reporter(name))
        for row in runner.rows:
            self.spent.add(row.totals)
        if outcome.status == "done" or (
            outcome.status == "failed" and self.hand.leave_failed
        ):
            return None
        assert outcome.status != "enough"
        return SynthesisOutcome(
            outcome.status, name, sum(row.status == "failed" for row in runner.rows)
        )

    async def _runner(
        self,
        name: str,
        lines: Sequence[BatchLine],
        wishes: Wishes,
        many: str = "questions",
    ) -> BatchRunner:
        """The batch of a step in its folder, with the rest of the budget."""
        kept, headers = (
            await asyncio.to_thread(headers_of, lines, self._begin)
            if lines
            else ([], [])
        )
        tools = self.hand.tools()
        batch = Batch(
            self.method.batches[many], kept, headers, wishes.given(), self.method, tools
        )
        makers = self.hand.makers(self.into / name, tools)
        return BatchRunner(
            batch, self.into / name, self._left(), self.hand.command, makers
        )

    def _begin(self, wanted: Wishes) -> Header:
        return self.method.begin(wanted, self.starter)

    def _left(self) -> Limits:
        """The limits of the next step. If the budget is used up, they are too small for
        any call.
        """
        limits, spent = self.hand.limits, self.spent
        tokens = (
            None
            if limits.tokens is None
            else max(limits.tokens - (spent.tokens or 0), 1)
        )
        usd = None if limits.usd is None else max(limits.usd - spent.cost_known, 1e-9)
        return replace(limits, tokens=tokens, usd=usd)

    def _lines(
        self, many: str, rows: Sequence[Row], wishes: Wishes
    ) -> Sequence[BatchLine]:
        """Parses rows as the method reads them from a file. Raises: BadInput."""
        if not rows:
            return []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / ROWS
            write_rows(
                path,
                (
                    {name: value for name, value in row.items() if name != "synth"}
                    for row in rows
                ),
            )
            return self.method.batches[many].read(path, wishes)[0]

    def _find(self, name: str) -> Find:
        """Return the sessions of a step; each is read on request."""
        files = {
            str(row["id"]): str(row["file"])
            for row in read_rows(self.into / name / "summary.jsonl")
            if row.get("file")
        }

        def find(line: str) -> SavedSession | None:
            file = files.get(line)
            session = (
                readable_session(self.into / name / file) if file is not None else None
            )
            if session is None:
                return None
            return SavedSession(session, f"{name}/{file}")

        return find


@dataclass
class SynthesisRun(SteppedRun):
    """A synthesis of answers and its folder."""

    plan: AnswerSynthesis

    async def estimate(self) -> dict[str, CostEstimate]:
        """Estimate the remaining calls and cost of each step.

        Steps without sessions yet are estimated with placeholders.

        Calls no model and writes nothing. Raises: BadInput.
        """
        self.manifest.check()
        first = await self._runner(
            ANSWERS, self.plan.asked(), self.plan.steps.answering
        )
        made = {ANSWERS: await first.estimate()}
        answers = sampled(self.plan, await self._imagined(first))
        rows, _ = self._rows(answers)
        second = await self._worsening(rows)
        made[NEGATIVES] = await second.estimate()
        samples = (
            self._frozen_samples()
            or self._samples(answers, rows, await self._imagined(second)).samples
        )
        third = await self._runner(
            VERIFICATION, self._to_verify(samples), self.plan.steps.verifying, "answers"
        )
        made[VERIFICATION] = await third.estimate()
        return made

    async def run(self, reporter: Callable[[str], Reporter]) -> SynthesisOutcome:
        """Run what is not done yet.

        `reporter` gets the progress of each step and shows it. Raises: BadInput.
        """
        self.manifest.check()
        await asyncio.to_thread(self.check_steps)
        if self.hand.limits.usd is not None:
            unknown = [
                name
                for one in (await self.estimate()).values()
                for name in one.unknown_prices
            ]
            if unknown:
                raise bad_input(
                    "wrong.batch.no_price", names=", ".join(dict.fromkeys(unknown))
                )
        first = await self._runner(
            ANSWERS, self.plan.asked(), self.plan.steps.answering
        )
        await asyncio.to_thread(first.prepare)
        with self.manifest.locked():
            self.manifest.keep()
            ended = await self._run(ANSWERS, first, reporter)
            if ended is not None:
                return ended
            answers = await asyncio.to_thread(sampled, self.plan, self._find(ANSWERS))
            rows, left_out = self._rows(answers)
            write_rows(self.into / ROWS, rows)
            second = await self._worsening(rows)
            ended = await self._run(NEGATIVES, second, reporter)
            if ended is not None:
                return ended
            found = await asyncio.to_thread(
                self._samples, answers, rows, self._find(NEGATIVES)
            )
            samples = self._frozen_samples() or found.samples
            write_rows(self.into / SAMPLES, map(msgspec.to_builtins, samples))
            return await self._verify(samples, left_out + found.left_out, reporter)

    async def _worsening(self, rows: Sequence[Row]) -> BatchRunner:
        """The step that makes wrong answers from right ones."""
        wishes = self.plan.steps.worsening
        lines = self._lines("questions", rows, wishes)
        return await self._runner(NEGATIVES, lines, wishes)

    async def _verify(
        self,
        samples: Sequence[Sample],
        left_out: Counter[str],
        reporter: Callable[[str], Reporter],
    ) -> SynthesisOutcome:
        wanted = to_verify(self.plan, samples)
        third = await self._runner(
            VERIFICATION, self._to_verify(samples), self.plan.steps.verifying, "answers"
        )
        ended = await self._run(VERIFICATION, third, reporter)
        if ended is not None:
            return ended
        verified = await asyncio.to_thread(said, wanted, self._find(VERIFICATION))
        write_rows(self.into / VERIFIED, map(msgspec.to_builtins, verified))
        chosen = blind.drawn(
            self.plan,
            [one for one in wanted if one.half == "verification"],
            self.hand.blind,
        )
        await asyncio.to_thread(blind.make, self.into, chosen, self._begin_blind)
        return SynthesisOutcome(
            "done", VERIFICATION, samples=samples, verified=verified, left_out=left_out
        )

    def _samples(
        self, answers: SampleCollection, rows: Sequence[Row], find: Find
    ) -> SampleCollection:
        """All samples: the given ones, and the negatives by rule and by a model."""
        ruled = by_rule(self.plan, _by_question(answers))
        asked = worsened(rows, find)
        made = [*answers.samples, *ruled.samples, *asked.samples]
        return SampleCollection(
            made, answers.left_out + ruled.left_out + asked.left_out
        )

    def _rows(self, answers: SampleCollection) -> tuple[list[Row], Counter[str]]:
        """The lines of the second step.

        They are fixed once the step has begun: a later answer does not change them.
        """
        rows, left_out = rows_to_worsen(self.plan, _by_question(answers))
        return read_rows(self.into / ROWS) if has_batch(
            self.into / NEGATIVES
        ) else rows, left_out

    def _frozen_samples(self) -> list[Sample] | None:
        """The samples with which the third step began; None if it has not begun."""
        if not has_batch(self.into / VERIFICATION):
            return None
        try:
            return msgspec.convert(read_rows(self.into / SAMPLES), list[Sample])
        except msgspec.ValidationError:
            raise bad_input("wrong.synth.unread", path=self.into / SAMPLES) from None

    def asked(self) -> list[SeatModel]:
        """The models of the steps that have not begun. Raises: BadInput."""
        row = {"id": "1", "question": "?", "references": ["?"]}
        steps, config = self.plan.steps, self.starter.config
        asked: list[SeatModel] = []
        for name, many, more, wishes in (
            (ANSWERS, "questions", {}, steps.answering),
            (NEGATIVES, "questions", {}, steps.worsening),
            (VERIFICATION, "answers", {"answer": "?"}, steps.verifying),
        ):
            lines = self._lines(many, [{**row, **more}], wishes.less("where"))
            _, headers = headers_of(
                [replace(line, where=_step(name)) for line in lines], self._begin
            )
            if not has_batch(self.into / name):
                asked += seats_of(headers, config, keyed=self.hand.keyed)
        return asked

    def _to_verify(self, samples: Sequence[Sample]) -> Sequence[BatchLine]:
        return self._lines(
            "answers",
            rows_to_verify(to_verify(self.plan, samples)),
            self.plan.steps.verifying,
        )

    def _begin_blind(
        self, chosen: Sequence[Sample], names: Sequence[str]
    ) -> tuple[Sequence[BatchLine], Sequence[Header | None]]:
        rows = [
            {**row, "id": name}
            for row, name in zip(rows_to_verify(chosen), names, strict=True)
        ]
        return headers_of(
            self._lines("answers", rows, self.plan.steps.verifying), self._begin
        )

    async def _imagined(self, runner: BatchRunner) -> Find:
        """Placeholders for the sessions of a step."""
        made = {}
        for row, header in runner.sessions:
            stands = readable_session(runner.into / row.line.file) or Session(
                header, []
            )
            done = stands.result is not None
            session = stands if done else await imagined(runner.batch.kind, stands)
            made[row.line.id] = SavedSession(session, "", imagined=not done)
        return made.get


def seats_of(
    headers: Sequence[Header | None], config: Config, *, keyed: bool
) -> list[SeatModel]:
    """The models that these sessions call."""
    return [
        one._replace(keyed=keyed)
        for header in headers
        if header is not None
        for one in asked_in(header, config)
    ]


def _step(name: str) -> str:
    return t(f"report.synth_rag.step_{name}")


def _by_question(answers: SampleCollection) -> dict[str, list[Sample]]:
    made: dict[str, list[Sample]] = {}
    for sample in answers.samples:
        if sample.half == "verification":
            made.setdefault(sample.question_id, []).append(sample)
    return made


def write_rows(path: Path, rows: Any) -> None:
    """Writes rows as JSON lines atomically. Raises: BadInput, WriteError."""
    write_whole(path, "".join(json_line(scrubbed(dict(row))) for row in rows))


def read_rows(path: Path) -> list[Row]:
    """Reads the rows that `write_rows` wrote; none if there is no file. Raises:
    BadInput.
    """
    if not path.exists():
        return []
    try:
        return [
            msgspec.json.decode(line, type=dict)
            for line in read_text(path).split("\n")
            if line
        ]
    except msgspec.DecodeError:
        raise bad_input("wrong.synth.unread", path=path) from None
