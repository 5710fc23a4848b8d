"""`verifytui synth questions`: questions about a corpus, with the passages that answer
them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import click

from ...cli import console, execution_options, flags, run_commands
from ...cli.command import command
from ...cli.screen import typed
from ...engines.rag.settings import SETTINGS
from ...sessions.clean import json_line
from ...sessions.errors import Faults, bad_input
from ...texts import t
from .synth_rag import broken_off, dry_run, progress

if TYPE_CHECKING:
    from ...engines.retrieval.corpus import Corpus
    from ...engines.starting import Starter, Wishes
    from ..synth.questions.candidates import Candidate
    from ..synth.questions.question_run import QuestionRun

KEYS = {"y": True, "n": False}
"""What a person says of a question, by key; any other key ends the sample."""


@command("questions")
@click.option("--corpus", metavar="NAME|PATH", required=True)
@flags.many_option("--model", "MODEL")
@flags.many_option("--param", "ROLE.NAME=VALUE")
@click.option("--into", type=flags.PATH, metavar="DIR", required=True)
@flags.whole_option("--single", 0, 100_000, 50)
@flags.whole_option("--multi", 0, 100_000, 10)
@flags.whole_option("--unanswerable", 0, 100_000, 10)
@flags.whole_option("--accept", 0, 100_000, 0)
@flags.whole_option("--seed", 0, 2**63 - 1, 0)
@flags.flag_option("--leave-failed")
@execution_options.dry_run_option
@execution_options.probe_option
@flags.with_options([*execution_options.LIMITS, *execution_options.OPTIONS_OF_MAKERS])
@execution_options.commands_option
@flags.output_option
def synth_questions(**values: Any) -> int:
    """Creates questions about a corpus."""
    from ...engines.rag.method import METHOD
    from ...engines.starting import Wishes

    faults = Faults()
    faults.of(lambda: run_commands.check_usd(values))
    options = {name: values[name] for name in ("corpus", "model", "param")}
    options |= {"revise": "none"}
    wishes = Wishes(SETTINGS, {k: v for k, v in options.items() if v})
    starter = flags.workshop(many=True, faults=faults)
    header = faults.of(lambda: METHOD.begin(wishes.about(question="?"), starter))
    faults.refuse()
    assert header is not None
    corpus = _opened(str(header.task["corpus"]), starter)
    with closing(corpus):
        writer = header.lineup["generator"].model
        making = _making(values, wishes, starter, (corpus, writer))
        if values["dry_run"]:
            return dry_run(making, values)
        if values["accept"]:
            console.needs_terminal()
        if values["probe"]:
            run_commands.probe_all(making.asked(), starter.config)
        try:
            made = console.run(making.run(progress))
        except KeyboardInterrupt:
            console.tell("batch.go_on", command=making.hand.command)
            raise
        if made.status != "done":
            return broken_off(making, made)
        return _finish(making, values)


def _opened(name: str, starter: Starter) -> Corpus:
    """Raises: BadInput for a corpus whose passages are not on this machine."""
    from ...engines.retrieval.corpus import Corpora, Corpus
    from ...engines.retrieval.port import as_bad_input

    with as_bad_input():
        opened = Corpora(starter.places).open(name)
    if not isinstance(opened, Corpus):
        raise bad_input("wrong.synth.corpus_elsewhere", corpus=name)
    return opened


def _making(
    values: flags.Values,
    wishes: Wishes,
    starter: Starter,
    opened: tuple[Corpus, str],
) -> QuestionRun:
    from ...engines.rag.method import METHOD
    from ..synth.answers.synthesis_run import StepOptions
    from ..synth.manifest import Manifest
    from ..synth.questions.candidates import KINDS
    from ..synth.questions.question_run import QuestionPlan, QuestionRun

    corpus, writer = opened
    counts = {kind: values[kind] for kind in KINDS}
    given = {name: one for name, one in wishes.options.items() if name != "corpus"}
    named = str(wishes.get("corpus"))
    if os.path.exists(named):
        named = os.path.abspath(named)
    asking = replace(wishes, options=given)
    plan = QuestionPlan(corpus, named, asking, counts, values["seed"], writer)
    makers = {
        name: values[name]
        for name in flags.names_of(execution_options.OPTIONS_OF_MAKERS)
    }
    hand = StepOptions(
        tools=lambda: run_commands.tools_for(starter, alone=False),
        makers=lambda into, tools: execution_options.makers_of(
            {**makers, "into": into}, tools
        ),
        limits=execution_options.limits_of(values),
        command=typed(),
        keyed=values.get("ray") is None,
        leave_failed=values["leave_failed"],
    )
    options = {"corpus": named, "index": corpus.meta.index, "seed": values["seed"]}
    options |= counts | asking.given()
    manifest = Manifest(values["into"], "questions", options, {})
    return QuestionRun(plan, values["into"], manifest, METHOD, starter, hand)


def _finish(making: QuestionRun, values: flags.Values) -> int:
    candidates = making.candidates
    if values["accept"]:
        _ask(making, [one for one in candidates if not one.why], values["accept"])
    report = making.finish(candidates)
    if values["output"] == "json":
        console.out_json(report)
        return console.DONE
    if making.plan.by_patterns:
        console.line(t("report.synth_questions.patterns"))
    kept = report["kept"]
    for kind, n in report["drawn"].items():
        kind_name = t(f"report.synth_questions.{kind}")
        console.line(
            t("report.synth_questions.kept", kind=kind_name, n=kept[kind], of=n)
        )
    for why, n in report["left_out"].items():
        reason = t(f"report.synth_questions.why_{why.replace('-', '_')}")
        console.line(t("report.synth_questions.left_out", why=reason, n=n))
    accepted = report["accepted"]
    if accepted["of"]:
        shares = {name: f"{accepted[name]:.1%}" for name in ("value", "low", "high")}
        console.line(t("report.synth_questions.accepted", **accepted | shares))
    if not kept["single"] + kept["multi"]:
        console.tell("report.synth_questions.none")
        return console.FAILED
    console.line(t("report.synth_questions.next", command=making.sweep_command))
    return console.DONE


def _ask(making: QuestionRun, kept: Sequence[Candidate], many: int) -> None:
    """Asks a person about a sample, one key per question. Earlier answers are kept."""
    from ..synth.answers.synthesis_run import read_rows
    from ..synth.questions.question_run import ACCEPTED

    path = making.into / ACCEPTED
    said = {row["id"] for row in read_rows(path)}
    left = [one for one in kept if one.id not in said]
    Random(making.plan.seed).shuffle(left)  # noqa: S311
    for number, one in enumerate(left[:many], 1):
        texts = [str(part["text"]) for part in one.gold or one.references]
        shown = [f"{number}/{min(many, len(left))}  {one.question}", one.answer, *texts]
        console.say("\n".join(filter(None, shown)))
        console.tell("report.synth_questions.keys")
        value = KEYS.get(click.getchar().lower())
        if value is None:
            return
        with path.open("a", encoding="utf-8") as file:
            file.write(json_line({"id": one.id, "accepted": value}))
