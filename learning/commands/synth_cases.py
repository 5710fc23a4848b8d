"""`verifytui synth cases`: draws, sorts and judges pairs of cases as training data for
retrievers.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...cli import console, execution_options, run_commands
from ...cli.command import command
from ...cli.flags import (
    PATH,
    GiveOption,
    choice_option,
    into_option,
    many_option,
    option_flags,
    output_option,
    typed_option,
    whole_option,
    wishes_of,
    with_options,
    workshop,
)
from ...cli.screen import typed
from ...engines.relevance.settings import SETTINGS
from ...sessions.errors import BadInput, Faults, bad_input
from ...texts import speaking, t
from ..synth.cases.sets import DEFAULT

if TYPE_CHECKING:
    from ...engines.batches.batch import Batch
    from ...engines.batches.run import BatchRunner, Outcome
    from ...engines.figures.gates import Gates
    from ...engines.models import preflight
    from ...engines.relevance.pairs import PairLine
    from ...engines.reports.batch import BatchReport
    from ...engines.starting import Starter, Wishes
    from ..synth.cases.outcome import CasesReport, CaseSynthesis
    from ..synth.cases.pair_plan import PairPlan, PairSelection, PairToJudge
    from ..synth.cases.sets import Size
    from ..synth.cases.sources import Sources
    from ..synth.exports.options import ExportOptions
    from ..synth.manifest import Manifest

JUDGED, EXPORT, FACTS = "judged", "export", "facts"
"""Subfolders of `--into`: the batch, and the exports."""
NEEDED = ("cases", "queries", "labels")
"""Required options."""

_RUN: list[GiveOption] = [
    *execution_options.LIMITS,
    execution_options.dry_run_option,
    execution_options.probe_option,
    *execution_options.GATES,
    *execution_options.OPTIONS_OF_MAKERS,
    execution_options.detach_option,
    execution_options.commands_option,
]


@command("cases")
@many_option("--cases", "DIR|FILE", PATH)
@typed_option("--queries", PATH, "DIR|FILE")
@typed_option("--labels", PATH, "FILE")
@typed_option("--pool", PATH, "FILE")
@into_option
@whole_option("--pairs", 1, 10_000_000, 200_000)
@typed_option("--presort", str, "bm25|local:DIR|FILE.csv", "bm25")
@whole_option("--top", 0, 10_000_000, 50_000)
@click.option("--sets", default=DEFAULT, show_default=True, metavar="SIZE,…")
@whole_option("--check", 0, 10_000_000, 0)
@choice_option("--export", "retrieval", "facts")
@click.option("--licence", metavar="TEXT")
@option_flags(SETTINGS)
@with_options(_RUN)
@output_option
def synth_cases(**values: Any) -> int:
    wishes = wishes_of(SETTINGS, values)
    return _Run(values, wishes).run()


class _Run:
    """One invocation of the command."""

    def __init__(self, values: dict[str, Any], wishes: Wishes) -> None:
        """Reads and checks all input files. Raises: BadInput."""
        from ...engines.all_wrong import unready
        from ...engines.method import method
        from ..synth.cases.pair_plan import PairPlan
        from ..synth.cases.sets import read_sizes
        from ..synth.cases.sources import read_sources

        faults = Faults()
        _check(values, faults)
        self.values, self.wishes = values, wishes
        self.method = method(SETTINGS.method)
        self.kind = self.method.batches["pairs"]
        gates = faults.of(
            lambda: execution_options.gates_of(values, self.kind.measures)
        )
        sizes = faults.of(lambda: read_sizes(values["sets"]))
        self.seed = wishes.get("seed") or 0
        self.plan: PairPlan = PairPlan(
            values["pairs"], values["top"], values["check"], self.seed
        )
        self.starter: Starter = workshop(many=True, faults=faults)
        self.as_json = values["output"] == "json"
        sources = None
        if all(values[name] for name in NEEDED):
            sources = faults.of(
                lambda: read_sources(
                    values["cases"], values["queries"], values["labels"], values["pool"]
                )
            )
        if sources is not None:
            self.sources: Sources = sources
            faults.of(self._check_options)
        elif faults.told:
            more = unready(wishes, self.starter, self.method.roles)
            faults.add(*self.starter.wrong, *more)
        faults.refuse()
        assert gates is not None
        assert sizes is not None
        self.gates: Gates = gates
        self.sizes: list[Size] = sizes

    def run(self) -> int:
        """Runs the command and returns the exit code."""
        if self.values["dry_run"]:
            return self._estimate()
        if self.values["probe"]:
            run_commands.probe_all(self._asked(), self.starter.config)
        into: Path = self.values["into"]
        manifest = self._manifest(into)
        manifest.check()
        if self.values["detach"]:
            from ...cli.detach import detach

            return detach(into / JUDGED, as_json=self.as_json)
        with manifest.locked():
            choice = self._choice(into, manifest)
            asked = choice.asked(self.sources, self.plan)
            outcome = self._judge(asked, into / JUDGED) if asked else None
            if outcome is not None and outcome.status not in ("done", "failed"):
                return self._not_ended(outcome)
            return self._finish(into, manifest, choice, asked, outcome)

    def _manifest(self, into: Path) -> Manifest:
        from ..synth.cases.scoring import BM25, LOCAL
        from ..synth.manifest import Manifest

        values = self.values
        named = {
            f"cases {at}" if at > 1 else "cases": path
            for at, path in enumerate(values["cases"], 1)
        }
        named |= {
            name: values[name]
            for name in ("queries", "labels", "pool")
            if values[name] is not None
        }
        options = {name: values[name] for name in ("pairs", "top", "sets", "check")}
        presort = values["presort"]
        if presort == BM25:
            options["presort"] = presort
        else:
            named["presort"] = Path(presort.removeprefix(LOCAL))
        return Manifest(
            into, "cases", {**options, **self.wishes.given(), "seed": self.seed}, named
        )

    def _choice(self, into: Path, manifest: Manifest) -> PairSelection:
        """Returns the pairs to judge: the saved choice, or a new one. The folder is
        claimed once the pairs are known.
        """
        from ..synth.cases.pair_plan import choose, keep, kept
        from ..synth.cases.scoring import scorer_of
        from ..synth.cases.words import WordNumbers

        before = kept(into) if manifest.check() else None
        if before is not None:
            return before
        scorer = scorer_of(self.values["presort"], _encoding)
        console.note(t("report.synth_cases.choosing", n=f"{self.plan.pairs:,}"))
        made = choose(
            self.sources, self.plan, self.values["presort"], scorer, WordNumbers()
        )
        manifest.keep()
        keep(into, made)
        return made

    def _lines(self, asked: Sequence[PairToJudge]) -> list[PairLine]:
        from ...engines.cases.importers.pairs import CasePair
        from ...engines.relevance.pairs import AnnotationRuns

        cases, queries = self.sources.cases, self.sources.queries
        lines: list[PairLine] = []
        for one in asked:
            query = cases[one.query] if one.label is None else queries[one.query]
            lines += AnnotationRuns().lines(
                one.id,
                one.id,
                CasePair(
                    query,
                    cases[one.case],
                    one.label,
                ),
                self.wishes,
            )
        return lines

    def _check_options(self) -> None:
        """Raises BadInput, before anything is drawn, if the options leave no pair to
        judge.
        """
        problems = self._problems()
        if problems and not self.values["dry_run"] and not self._judged():
            raise BadInput("\n".join(problems))

    def _judged(self) -> bool:
        """Whether judging has started. If so, only unfinished work is checked."""
        from ...sessions.files import has_batch

        into = self.values["into"]
        return into is not None and has_batch(into / JUDGED)

    def _problems(self) -> list[str]:
        """Checks the configuration and the models. Raises: BadInput."""
        from ...engines.models.preflight import problems

        config = self.starter.config
        return [*self.starter.wrong, *problems(self._asked(), config)]

    def _asked(self) -> list[preflight.SeatModel]:
        """Returns the models that judge. Raises: BadInput."""
        from ...engines.batches.batch import headers_of
        from ...engines.models.preflight import asked_in
        from ..synth.cases.pair_plan import PairToJudge

        query, case = next(iter(self.sources.labels))
        lines = self._lines([PairToJudge(f"{query}-{case}", query, case, label=0)])
        _, headers = headers_of(
            lines, lambda wanted: self.method.begin(wanted, self.starter)
        )
        config, keyed = self.starter.config, self.values.get("ray") is None
        return [
            one._replace(keyed=keyed)
            for header in headers
            for one in ([] if header is None else asked_in(header, config))
        ]

    def _batch(self, asked: Sequence[PairToJudge]) -> Batch:
        from ...engines.relevance.starting import remarks_on_language

        lines = self._lines(asked)
        remarks = remarks_on_language(
            lines[0].pair.query.text, self.wishes, self.starter
        )
        values = {**self.values, "skip_bad": False}
        return run_commands.batch_of(
            self.method,
            "pairs",
            values,
            self.wishes,
            lines,
            remarks,
            self.starter,
            [],
        )

    def _runner(self, asked: Sequence[PairToJudge], into: Path) -> BatchRunner:
        from ...engines.batches.run import BatchRunner

        values = self.values
        batch = self._batch(asked)
        limits = execution_options.limits_of(values)
        return BatchRunner(
            batch,
            into,
            limits,
            typed(),
            execution_options.makers_of({**values, "into": into}, batch.tools),
        )

    def _judge(self, asked: Sequence[PairToJudge], into: Path) -> Outcome:
        """Judges the pairs that have no judgement yet. Raises: BadInput."""
        from ...cli.progress import BatchProgress

        runner = self._runner(asked, into)
        runner.prepare()
        try:
            return console.run(runner.run(BatchProgress()))
        except KeyboardInterrupt:
            run_commands.say_what_is_kept(runner)
            raise

    def _not_ended(self, outcome: Outcome) -> int:
        """Reports why nothing is drawn yet: the budget is reached, replies are pending,
        or the run was stopped.
        """
        if self.as_json:
            report = outcome.report.as_json()
            console.out_json({"status": outcome.status, "report": report})
        else:
            console.out(self._judgements(outcome.report))
        console.say(
            t("report.said.budget")
            if outcome.status == "budget"
            else t("report.synth_cases.later")
        )
        return console.code_of(outcome.status)

    def _judgements(self, report: BatchReport) -> str:
        """The report of the judgements as text."""
        from ...engines.batches.results import document_of
        from ...engines.reports.text import as_text

        return as_text(document_of(report, self.kind, self.values["into"].name))

    def _finish(
        self,
        into: Path,
        manifest: Manifest,
        choice: PairSelection,
        asked: Sequence[PairToJudge],
        outcome: Outcome | None,
    ) -> int:
        """Draws the sets, checks for leaks, exports and reports."""
        import json

        from msgspec import to_builtins

        from ...sessions.files import write_whole
        from ..synth.cases import outcome as results
        from ..synth.cases.cases_report_text import in_words
        from ..synth.cases.leaks import leaks
        from ..synth.cases.pair_plan import DRAWN
        from ..synth.cases.words import WordNumbers

        summary = [] if outcome is None else outcome.summary
        made = results.outcome_of(
            self.sources, choice, asked, summary, JUDGED, self.sizes, self.seed
        )
        found = leaks(
            made.drawn, self.sources.queries, self.sources.cases, WordNumbers()
        )
        judged_by = None if outcome is None else outcome.report.verified_by
        check = None
        if outcome is not None and self.plan.check:
            check = results.agreement(outcome.report.as_json())
        report = results.report_of(made, check, judged_by, found)
        results.keep_pairs(into, made.judged)
        kept = json.dumps(to_builtins(report), ensure_ascii=False, indent=1)
        write_whole(into / results.REPORT, kept + "\n")
        wanting = [] if outcome is None else self.gates.failures(outcome.report)
        unread = bool(made.judged) and all(one.level is None for one in made.judged)
        held_back = bool(found or wanting or unread)
        if not held_back and self.plan.top:
            self._export(into, manifest, made, report)
        if not held_back and self.values["export"] == "facts":
            self._export_facts(into, manifest, made, report)
        if self.as_json:
            console.out_json(to_builtins(report))
        else:
            told = [] if outcome is None else [self._judgements(outcome.report)]
            console.out("\n".join([*told, in_words(report), ""]))
        for sentence in wanting:
            console.say(sentence)
        if held_back:
            key = "none_read" if unread else "not_exported"
            console.tell(f"report.synth_cases.{key}")
            return console.FAILED
        key, folder = ("exported", EXPORT) if self.plan.top else ("drawn_only", DRAWN)
        console.tell(f"report.synth_cases.{key}", path=into / folder)
        return console.DONE if outcome is None else console.code_of(outcome.status)

    def _export(
        self,
        into: Path,
        manifest: Manifest,
        synthesis: CaseSynthesis,
        report: CasesReport,
    ) -> None:
        from ..synth.exports.cases import export_cases

        cases = self.sources.cases
        texts = {name: one.text for name, one in cases.items()}
        titles = {name: one.title for name, one in cases.items() if one.title}
        queries = {name: one.text for name, one in self.sources.queries.items()}
        export_cases(
            texts,
            synthesis.drawn,
            into / EXPORT,
            queries=queries,
            titles=titles,
            options=self._options(manifest, report),
        )

    def _export_facts(
        self, into: Path, manifest: Manifest, made: CaseSynthesis, report: CasesReport
    ) -> None:
        """The sessions of the pairs that no person has labelled, as chat lines: the
        others are for measuring.
        """
        from ...engines.method import method_of
        from ..synth.exports.facts import export_facts

        files = [into / one.session for one in made.judged if one.session]
        options = self._options(manifest, report)
        export_facts(files, into / FACTS, method_of=method_of, options=options)
        console.tell("report.synth_cases.exported", path=into / FACTS)

    def _options(self, manifest: Manifest, report: CasesReport) -> ExportOptions:
        from ..synth.cases.cases_report_text import agreement_in_words
        from ..synth.exports.options import ExportOptions

        by = report.judged.judged_by or {}
        about = {
            name: f"{file['file']} (sha256 {file['sha256']})"
            for name, file in manifest.files.items()
        }
        about |= {
            "seed": str(self.seed),
            **{
                role: ", ".join(models)
                for role, models in by.items()
                if models and role != "built_in"
            },
        }
        return ExportOptions(
            seed=self.seed,
            licence=self.values["licence"],
            about=about,
            judges=by.get(self.kind.judged_by[0], ()),
            agreement=agreement_in_words(report.agreement),
        )

    def _estimate(self) -> int:
        """Prints the number of calls and the cost of judging. Calls no model and writes
        nothing.
        """
        import asyncio
        import tempfile

        from ..synth.cases.pair_plan import kept, unsorted
        from ..synth.cases.words import WordNumbers

        into = self.values["into"]
        if into is not None:
            self._manifest(into).check()
        before = kept(into) if into is not None else None
        choice = before or unsorted(self.sources, self.plan, WordNumbers())
        asked = choice.asked(self.sources, self.plan)
        if not asked:
            raise bad_input("wrong.synth_cases.nothing_asked")
        with (
            tempfile.TemporaryDirectory() as folder,
            speaking("en" if self.as_json else None),
        ):
            runner = self._runner(
                asked, Path(folder) / JUDGED if before is None else into / JUDGED
            )
            found = asyncio.run(runner.estimate())
            if self.as_json:
                console.out_json(
                    {"pairs": len(asked), **found.as_json()}
                    | runner.makers.note(found).as_json
                )
            else:
                console.line(
                    t(
                        "report.synth_cases.dry",
                        n=f"{len(asked):,}",
                        pool=f"{len(choice.pool.cases):,}",
                    )
                )
                console.out(
                    found.in_words() + "\n" + runner.makers.note(found).in_words
                )
        return run_commands.said_of([] if self._judged() else self._problems())


def _check(values: dict[str, Any], faults: Faults) -> None:
    """Raises BadInput for missing or incompatible options."""
    for name in NEEDED:
        if not values[name]:
            faults.add(t("wrong.synth_cases.missing", option=f"--{name}"))
    if values["into"] is None and not values["dry_run"]:
        faults.add(t("wrong.command.into"))
    if values["dry_run"] and values["detach"]:
        faults.add(t("wrong.led.dry"))
    faults.of(lambda: run_commands.check_usd(values))


def _encoding(done: int, every: int) -> None:
    """Shows on a terminal how many cases are encoded."""
    if not sys.stderr.isatty():
        return
    from ...cli import bar

    bar.draw(done, every, f"{done:,}/{every:,}")
    if done == every:
        bar.leave()
