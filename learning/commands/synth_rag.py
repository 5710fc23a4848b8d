"""`verifytui synth rag`: creates training data from answers and their verification
(CoV-RAG, section 2.3).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ...cli import console, execution_options, flags, run_commands
from ...cli.command import command
from ...cli.screen import typed
from ...engines.rag.settings import SETTINGS
from ...sessions.errors import Faults, bad_input
from ...texts import speaking, t

if TYPE_CHECKING:
    from ...engines.starting import Starter, Wishes
    from ..synth.answers.agreement import AgreementReport
    from ..synth.answers.plan import AnswerSynthesis, Steps
    from ..synth.answers.synthesis_run import (
        SteppedRun,
        SynthesisOutcome,
        SynthesisRun,
    )
    from ..synth.exports.lines import ExportRecord
    from ..synth.exports.options import ExportOptions

SEARCHING = (
    "corpus",
    "web",
    "web_pages",
    "retriever",
    "k",
    "search",
    "rerank",
    "embed",
    "where",
    "duplicates",
    "per_document",
)
NEGATIVE = "negative"
"""Role that makes negatives, for `--model` and `--param`."""
MADE_BY = ("generator", "reviser")
"""The roles that this option sets."""
SHARE = click.FloatRange(0, 1)


@command("rag")
@flags.option_flags(SETTINGS, [*SEARCHING, "prompts"])
@flags.many_option("--model", "[ROLE=]MODEL")
@flags.many_option("--param", "ROLE.NAME=VALUE")
@click.option("--questions", type=flags.PATH, metavar="FILE.jsonl", required=True)
@click.option("--into", type=flags.PATH, metavar="DIR", required=True)
@flags.whole_option("--seed", 0, 2**63 - 1, 0)
@flags.whole_option("--samples", 1, 100, 1)
@flags.typed_option("--answering-share", SHARE, "X", 0.5)
@click.option(
    "--negatives",
    metavar="KIND,…",
    default="repeated-words,citation-swap,retrieval-error,bad-query",
)
@flags.whole_option("--per-question", 1)
@flags.choice_option("--answers", "right", "true", "all")
@flags.typed_option("--min-agreement", SHARE, "X", 0.85)
@flags.whole_option("--blind", 0, 100_000, 50)
@click.option("--shares", metavar="TASK=X,…")
@flags.typed_option("--validation", SHARE, "X", 0.1)
@click.option("--base", metavar="MODEL")
@click.option("--licence", metavar="TEXT")
@flags.flag_option("--leave-failed")
@flags.flag_option("--skip-bad")
@execution_options.dry_run_option
@execution_options.probe_option
@flags.with_options([*execution_options.LIMITS, *execution_options.OPTIONS_OF_MAKERS])
@execution_options.commands_option
@flags.output_option
def synth_rag(**values: Any) -> int:
    """Creates training data from answers and their verification."""
    from ...engines.all_wrong import unready
    from ...engines.rag.method import METHOD
    from ..synth.answers.plan import parse_negatives

    faults = Faults()
    faults.of(lambda: run_commands.check_usd(values))
    options = faults.of(lambda: _export_options(values))
    if faults.of(lambda: parse_negatives(values["negatives"])) is None:
        values["negatives"] = "none"
    wishes = flags.wishes_of(SETTINGS, values)
    starter = flags.workshop(many=True, faults=faults)
    making = faults.of(lambda: _making(values, wishes, starter))
    if making is None:
        faults.add(*starter.wrong, *unready(wishes, starter, METHOD.roles))
    elif faults.told:
        faults.of(making.check_steps)
    faults.refuse()
    assert options is not None
    assert making is not None
    if values["dry_run"]:
        return dry_run(making, values)
    if values["probe"]:
        making.check_steps()
        run_commands.probe_all(making.asked(), making.starter.config)
    try:
        made = console.run(making.run(progress))
    except KeyboardInterrupt:
        console.tell("batch.go_on", command=making.hand.command)
        raise
    if made.status != "done":
        return broken_off(making, made)
    return _finish(making, made, values, options)


def _making(values: flags.Values, wishes: Wishes, starter: Starter) -> SynthesisRun:
    from ...engines.rag.method import METHOD
    from ..synth.answers.synthesis_run import StepOptions, SynthesisRun
    from ..synth.manifest import Manifest

    plan = _plan(values, _steps(wishes))
    _say_if_equal(plan, starter)
    asks_live = {
        name: values[name]
        for name in flags.names_of(execution_options.OPTIONS_OF_MAKERS)
    }
    hand = StepOptions(
        tools=lambda: run_commands.tools_for(starter, alone=False, url=wishes.address),
        makers=lambda into, tools: execution_options.makers_of(
            {**asks_live, "into": into}, tools
        ),
        limits=execution_options.limits_of(values),
        command=typed(),
        keyed=values.get("ray") is None,
        leave_failed=values["leave_failed"],
        blind=values["blind"],
    )
    manifest = Manifest(
        values["into"], "rag", plan.options(), {"questions": values["questions"]}
    )
    return SynthesisRun(plan, values["into"], manifest, METHOD, starter, hand)


def _plan(values: flags.Values, steps: Steps) -> AnswerSynthesis:
    from ...engines.batches.lines import bad_lines
    from ...engines.rag.method import METHOD
    from ...engines.rag.starting import sources
    from ..synth.answers.plan import AnswerSynthesis, parse_negatives, rows_of

    faults: list[str] = []
    path = values["questions"]
    lines, _ = METHOD.batches["questions"].read(path, steps.answering, faults)
    if faults and not values["skip_bad"]:
        raise bad_lines(faults)
    if faults:
        console.tell("report.said.skipped", n=len(faults))
    if values["answers"] == "right" and not any(line.answers for line in lines):
        raise bad_input("wrong.synth.no_answers", path=path)
    chosen = {
        "seed": values["seed"],
        "share": values["answering_share"],
        "samples": values["samples"],
        "each": values["per_question"],
    }
    rows, negatives = rows_of(path), parse_negatives(values["negatives"])
    nowhere = next(
        (
            name
            for name, row in rows.items()
            if not sources(steps.answering) and not row.get("references")
        ),
        None,
    )
    if nowhere is not None:
        raise bad_input("wrong.synth.nowhere", id=nowhere)
    return AnswerSynthesis(
        lines,
        rows,
        steps,
        negatives=negatives,
        keep=values["answers"],
        skipped=len(faults),
        **chosen,
    )


def _say_if_equal(plan: AnswerSynthesis, starter: Starter) -> None:
    """Warns that several answers per question would be identical: each is paid for, and
    only one counts.
    """
    from ...engines.batches.batch import headers_of
    from ...engines.rag.method import METHOD

    if plan.samples > 1:
        _, headers = headers_of(
            plan.asked()[:1], lambda wanted: METHOD.begin(wanted, starter)
        )
        if any(
            header is not None
            and header.lineup["generator"].params.get("temperature") == 0
            for header in headers
        ):
            console.tell("report.synth_rag.equal", samples=plan.samples)


def _steps(wishes: Wishes) -> Steps:
    """Returns the model of each step. The verifier and the role `negative` default to
    the generator's model.
    """
    from ..synth.answers.plan import Steps

    own = {}
    negative = {}
    for name, sign in _SIGN.items():
        seat = NEGATIVE + sign
        listed = wishes.listed(name)
        own[name] = [one for one in listed if not one.startswith(seat)]
        negative[name] = [
            role + one.removeprefix(NEGATIVE)
            for one in listed
            if one.startswith(seat)
            for role in MADE_BY
        ]
    verifier = []
    named = dict(one.split("=", 1) for one in own["model"] if "=" in one)
    if "generator" in named and "verifier" not in named:
        verifier = [f"verifier={named['generator']}"]

    def with_seats(
        more: dict[str, list[str]],
        left_out: Sequence[str],
        settings: Mapping[str, object],
    ) -> Wishes:
        options = {**wishes.options, **settings}
        for name in _SIGN:
            options[name] = (*own[name], *more.get(name, ()))
        kept = {
            name: value
            for name, value in options.items()
            if name not in left_out and (value or name not in _SIGN)
        }
        return replace(wishes, options=kept)

    searched = {"iterations": 0, "final_check": False}
    return Steps(
        answering=with_seats({}, (), searched),
        worsening=with_seats(negative, (), searched),
        verifying=with_seats({"model": verifier}, SEARCHING, {}),
    )


_SIGN = {"model": "=", "param": "."}
"""Returns the options that name models, and the text after the role."""


def _export_options(values: flags.Values) -> ExportOptions:
    from ..synth.exports.options import ExportOptions, parse_shares

    shares = parse_shares(values["shares"]) if values["shares"] is not None else None
    chosen = {name: values[name] for name in ("seed", "validation", "base", "licence")}
    return ExportOptions(shares=shares, **chosen)


def progress(step: str) -> Any:
    from ...cli.progress import BatchProgress

    console.note(t(f"report.synth_rag.step_{step}"))
    return BatchProgress()


def dry_run(making: SteppedRun, values: flags.Values) -> int:
    """Prints what each step would ask and cost."""
    import asyncio

    from ...engines.batches.estimate import together

    as_json = values["output"] == "json"
    with speaking("en" if as_json else None):
        found = asyncio.run(making.estimate())
        whole = together(found.values())
        if as_json:
            console.out_json(
                {
                    "steps": {name: one.as_json() for name, one in found.items()},
                    "total": whole.as_json(),
                }
            )
            return run_commands.said_of(making.problems())
        for name, one in found.items():
            console.out(f"{t(f'report.synth_rag.step_{name}')}\n{one.in_words()}\n")
        console.out(
            t("report.synth_rag.dry_total")
            + "\n"
            + whole.in_words()
            + "\n"
            + t("report.synth_rag.dry")
            + "\n"
        )
        return run_commands.said_of(making.problems())


def broken_off(making: SteppedRun, outcome: SynthesisOutcome) -> int:
    """Prints why the run stopped, and how to continue it."""
    console.tell(
        f"report.synth_rag.ended_{outcome.status}",
        step=t(f"report.synth_rag.step_{outcome.step}"),
        n=outcome.failed,
    )
    console.tell("batch.go_on", command=making.hand.command)
    return console.code_of(outcome.status)


def _finish(
    making: SynthesisRun,
    outcome: SynthesisOutcome,
    values: flags.Values,
    options: ExportOptions,
) -> int:
    """Writes the report and, if the verifier agrees enough with the known results, the
    export.
    """
    from msgspec import to_builtins

    from ...sessions.files import write_whole
    from ..synth.answers import blind
    from ..synth.answers.report import in_words, report_of
    from ..synth.answers.synthesis_run import EXPORT, REPORT

    verified = {one.sample: one for one in outcome.verified}
    ratings = blind.ratings(making.into, outcome.samples, verified)
    report = report_of(
        making.plan,
        outcome,
        least=values["min_agreement"],
        spent=making.spent,
        ratings=ratings,
    )
    exported = None
    if report.agreement.reached:
        exported = _exported(making, outcome, report.agreement, options)
        report.exported = {name: file.lines for name, file in exported.files.items()}
        report.export_left_out = exported.left_out
    plain = to_builtins(report)
    text = json.dumps(plain, ensure_ascii=False, indent=1)
    write_whole(making.into / REPORT, text + "\n")
    if values["output"] == "json":
        console.out_json(plain)
    else:
        console.out(in_words(report))
        if (making.into / blind.KEY).exists():
            console.tell("report.synth_rag.blind", folder=making.into / blind.FOLDER)
    if exported is None:
        console.say(_not_reached(report.agreement))
        if (making.into / EXPORT).exists():
            console.tell("report.synth_rag.earlier", folder=making.into / EXPORT)
        return console.FAILED
    if exported.changed:
        console.tell("report.exports.changed", names=", ".join(exported.changed))
    if exported.lines:
        return console.DONE
    console.tell("report.synth_rag.no_lines")
    return console.FAILED


def _exported(
    making: SynthesisRun,
    outcome: SynthesisOutcome,
    agreement: AgreementReport,
    options: ExportOptions,
) -> ExportRecord:
    import msgspec

    from ...engines.method import method_of
    from ..synth.answers.report import about, agreement_in_words
    from ..synth.answers.sample_collection import kept_answers
    from ..synth.answers.synthesis_run import EXPORT
    from ..synth.exports.answers import export_answers

    kept = kept_answers(
        making.plan,
        outcome.samples,
        {one.sample: one for one in outcome.verified},
    )
    with speaking("en"):
        card = {
            "about": about(making.plan, making.manifest),
            "agreement": agreement_in_words(agreement),
        }
    options = msgspec.structs.replace(options, **card)
    into = making.into
    return export_answers(
        outcome.samples,
        outcome.verified,
        into / EXPORT,
        folder=into,
        method_of=method_of,
        answering=kept,
        options=options,
    )


def _not_reached(report: AgreementReport) -> str:
    from ..synth.answers.agreement import lowest

    least, low = f"{report.least:g}", lowest(report)
    if low is None:
        return t("report.synth_rag.unknown_agreement", least=least)
    return t("report.synth_rag.not_reached", low=f"{low:.3f}", least=least)
