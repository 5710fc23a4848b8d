"""Writes questions about a corpus, checks each, and keeps those that pass.

After an interruption, the same call continues.
"""

from __future__ import annotations

import asyncio
import json
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from ....engines import studies
from ....engines.batches.batch import headers_of
from ....engines.batches.estimate import CostEstimate
from ....engines.batches.state import Reporter
from ....engines.figures.aggregate import share_figure
from ....engines.figures.rows import Row
from ....engines.metrics.containment import contains
from ....engines.models.preflight import SeatModel
from ....engines.rag.abstention import abstains
from ....engines.rag.starting import LEXICAL
from ....engines.retrieval.corpus import Corpus
from ....engines.starting import Wishes
from ....prompts import PromptSet, prompt_set_for, with_templates
from ....sessions.errors import bad_input
from ....sessions.files import has_batch, write_whole
from ....sessions.session import Header, Prompts
from ..answers.synthesis_run import (
    SteppedRun,
    SynthesisOutcome,
    read_rows,
    seats_of,
    write_rows,
)
from .candidates import (
    KINDS,
    Candidate,
    Kind,
    drawn,
    elsewhere,
    facts,
    read_written,
)

WRITTEN, CHECKED = "written", "checked"
"""The folders of the two steps."""
CANDIDATES, QUESTIONS, SWEEP = "candidates.jsonl", "questions.jsonl", "sweep.yaml"
UNANSWERABLE, LEFT_OUT = "unanswerable.jsonl", "left_out.jsonl"
ACCEPTED, REPORT = "accepted.jsonl", "report.json"
OTHERS = 3
"""Other passages from which a question must not be answered."""
FOUND = 5
"""Passages that are searched for a question without an answer."""


@cache
def _prompts() -> Mapping[str, Mapping[str, str]]:
    read = yaml.safe_load(Path(__file__).with_name("prompts.yaml").read_text("utf-8"))
    made: Mapping[str, Mapping[str, str]] = read
    return made


@dataclass(frozen=True)
class QuestionPlan:
    """The requested questions."""

    corpus: Corpus
    named: str
    """The corpus, as a session names it."""
    wishes: Wishes
    """Who writes and checks: sessions over given references, without verification."""
    counts: Mapping[Kind, int]
    seed: int
    writer: str
    """The model."""

    @property
    def by_patterns(self) -> bool:
        """Whether no model writes. Questions are then facts found by patterns."""
        return self.writer == LEXICAL


@dataclass
class QuestionRun(SteppedRun):
    """A synthesis of questions and its folder."""

    plan: QuestionPlan
    candidates: list[Candidate] = field(default_factory=list)
    """All of them, once `run` is done."""

    def asked(self) -> list[SeatModel]:
        row = {"id": "1", "question": "?", "references": ["?"]}
        _, headers = headers_of(
            self._lines("questions", [row], self.plan.wishes), self._begin
        )
        return seats_of(headers, self.starter.config, keyed=self.hand.keyed)

    async def estimate(self) -> dict[str, CostEstimate]:
        """Estimates the remaining calls and cost of each step, as if every question
        passed. Calls no model. Raises: BadInput.
        """
        self.manifest.check()
        made, candidates = {}, self._drawn()
        if not self.plan.by_patterns:
            runner = await self._step(WRITTEN, self._to_write(candidates))
            made[WRITTEN] = await runner.estimate()
            for one in candidates:
                one.question = str(one.references[0]["text"])[:80]
        runner = await self._step(CHECKED, self._to_check(candidates))
        return {**made, CHECKED: await runner.estimate()}

    async def run(self, reporter: Callable[[str], Reporter]) -> SynthesisOutcome:
        """Runs what is not done yet. Raises: BadInput."""
        self.manifest.check()
        await asyncio.to_thread(self.check_steps)
        candidates = await asyncio.to_thread(self._drawn)
        if not candidates:
            raise bad_input("wrong.synth.no_passages", corpus=self.plan.named)
        with self.manifest.locked():
            self.manifest.keep()
            if not self.plan.by_patterns:
                runner = await self._step(WRITTEN, self._to_write(candidates))
                ended = await self._run(WRITTEN, runner, reporter)
                if ended is not None:
                    return ended
                await asyncio.to_thread(self._read_written, candidates)
            kept = self.into / CANDIDATES
            if has_batch(self.into / CHECKED):  # they stand once they are checked
                candidates = msgspec.convert(read_rows(kept), list[Candidate])
            write_rows(kept, map(msgspec.to_builtins, candidates))
            rows = await asyncio.to_thread(self._to_check, candidates)
            runner = await self._step(CHECKED, rows)
            ended = await self._run(CHECKED, runner, reporter)
            if ended is not None:
                return ended
            await asyncio.to_thread(self._judge, candidates, rows)
            self.candidates = candidates
        return SynthesisOutcome("done", CHECKED)

    async def _step(self, name: str, rows: Sequence[Row]) -> Any:
        lines = self._lines("questions", rows, self.plan.wishes)
        return await self._runner(name, lines, self.plan.wishes)

    def _drawn(self) -> list[Candidate]:
        plan = self.plan
        make = facts if plan.by_patterns else drawn
        return make(plan.corpus, plan.counts, plan.seed)

    def _begin(self, wanted: Wishes) -> Header:
        """Creates a session; one that writes a question gets a writer's prompt."""
        header = super()._begin(wanted)
        told = next(
            (
                one
                for one in _prompts().values()
                if wanted.task["question"] in one.values()
            ),
            None,
        )
        if told is None:
            return header
        before = header.prompts
        base = PromptSet(name=before.set, hash=before.hash, templates=before.templates)
        made = with_templates(base, {"answer_system": told["system"]})
        prompts = Prompts(set=made.name, hash=made.hash, templates=made.templates)
        return msgspec.structs.replace(header, prompts=prompts)

    def _to_write(self, candidates: Sequence[Candidate]) -> list[Row]:
        return [
            {
                "id": one.id,
                "question": _prompts()[
                    "zh" if prompt_set_for(one.references[0]["text"]) == "zh" else "en"
                ][one.kind],
                "references": one.references,
            }
            for one in candidates
        ]

    def _read_written(self, candidates: Sequence[Candidate]) -> None:
        find, seen = self._find(WRITTEN), set()
        for one in candidates:
            reply = self._answer(find, one.id)
            if reply is None:
                one.why = "failed"
            else:
                read_written(one, reply)
            same = " ".join(one.question.casefold().split())
            one.why = one.why or ("twice" if same in seen else "")
            seen.add(same)

    def _answer(self, find: Any, id_: str) -> str | None:
        """The answer of a line; "" for none. None where the session failed."""
        saved = find(id_)
        if saved is None or saved.session.result is None:
            return None
        return saved.session.result.answer or ""

    def _to_check(self, candidates: Sequence[Candidate]) -> list[Row]:
        """The sessions that check each question, by its id and the kind of check."""
        rows: list[Row] = []
        for one in candidates:
            if one.why:
                continue
            for name, references in self._checks(one).items():
                row = {"id": f"{one.id}.{name}", "question": one.question}
                rows.append({**row, "references": references, "cluster": one.id})
        return rows

    def _checks(self, one: Candidate) -> dict[str, list[Row]]:
        found = self.plan.corpus.search(one.question, FOUND + OTHERS).references
        if one.kind == "unanswerable":
            known = elsewhere(found, [])[:FOUND]
            return {"found": known} if known and not self.plan.by_patterns else {}
        made = {} if self.plan.by_patterns else {"with": one.references}
        if one.kind == "multi" and made:
            for number, reference in enumerate(one.references, 1):
                made[f"without{number}"] = [reference]
            return made
        others = elsewhere(found, one.references)[: OTHERS * (one.kind == "single")]
        return {**made, "without": others} if others else made

    def _judge(self, candidates: Sequence[Candidate], rows: Sequence[Row]) -> None:
        """Determines for each candidate why it is left out, if it is."""
        find = self._find(CHECKED)
        by_id = {one.id: one for one in candidates}
        for row in rows:
            id_, _, name = row["id"].rpartition(".")
            one, reply = by_id[id_], self._answer(find, row["id"])
            if one.why:
                continue
            if reply is None:
                one.why = "failed"
            elif name == "found":
                one.why = "" if abstains(reply) else "answered"
            else:
                right = not abstains(reply) and all(
                    contains(reply, [part]) for part in one.parts
                )
                if name == "with" and not right:
                    one.why = "not-answered"
                elif name != "with" and right:
                    one.why = "answered-without"

    # ------------------------------------------------------------- the result

    def finish(self, candidates: Sequence[Candidate]) -> Row:
        """Writes the questions that pass and that no person has refused, the study of
        them, and the report, which is returned.
        """
        said = {row["id"]: row["accepted"] for row in read_rows(self.into / ACCEPTED)}
        for one in candidates:
            if not one.why and said.get(one.id) is False:
                one.why = "refused"
        kept = [one for one in candidates if not one.why]
        answerable = [one for one in kept if one.kind != "unanswerable"]
        write_rows(self.into / QUESTIONS, [_line(one) for one in answerable])
        rest = [one for one in kept if one.kind == "unanswerable"]
        write_rows(
            self.into / UNANSWERABLE,
            [{"id": one.id, "question": one.question} for one in rest],
        )
        write_rows(
            self.into / LEFT_OUT,
            [
                {"id": one.id, "question": one.question, "why": one.why}
                for one in candidates
                if one.why
            ],
        )
        write_whole(self.into / SWEEP, self._sweep())
        by_id = {one.id: one for one in candidates}
        figure = share_figure(
            [(by_id[name].cluster, value) for name, value in said.items()]
        )
        accepted = {name: getattr(figure, name) for name in ("value", "low", "high")}
        report = {
            "written_by": self.plan.writer,
            "language_model": not self.plan.by_patterns,
            "drawn": dict(Counter(one.kind for one in candidates)),
            "kept": {kind: sum(one.kind == kind for one in kept) for kind in KINDS},
            "left_out": dict(Counter(one.why for one in candidates if one.why)),
            "accepted": {**accepted, "count": figure.count or 0, "of": len(said)},
        }
        text = json.dumps(report, ensure_ascii=False, indent=1)
        write_whole(self.into / REPORT, text + "\n")
        return report

    def _sweep(self) -> str:
        """The bundled `rag-sweep` on this corpus, without conditions that need vectors,
        a reranking model or another corpus.
        """
        bundled = Path(studies.__file__).with_name("builtin") / "rag-sweep.yaml"
        study = yaml.safe_load(bundled.read_text("utf-8"))
        study["base"]["corpus"] = self.plan.named
        if self.plan.corpus.meta.dense is None:
            study["grid"]["search"] = ["bm25"]
        for name in ("small", "large", "overlap", "rerank"):
            study["conditions"].pop(name)
        made: str = yaml.safe_dump(study, allow_unicode=True, sort_keys=False)
        return made

    @property
    def sweep_command(self) -> str:
        """The command that runs the study of the questions."""
        words = [str(self.into / SWEEP), "--data", str(self.into)]
        return shlex.join(
            ["verifytui", "study", *words, "--into", f"{self.into}-sweep"]
        )


def _line(one: Candidate) -> Row:
    gold = [
        {name: part[name] for name in ("file", "start", "end")} for part in one.gold
    ]
    made = {"id": one.id, "question": one.question, "answers": [one.answer]}
    return {**made, "gold": gold, "cluster": one.cluster}
