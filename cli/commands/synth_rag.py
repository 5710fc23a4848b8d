"""`verifytui synth rag`: answers and their verification, made into training data
(CoV-RAG, section 2.3).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ...engines.rag.settings import SETTINGS
from ...sessions.errors import BadInput, Faults
from ...texts import speaking, t
from .. import (
    console,
    execution_options,
    flags,
    ray_options,
    run_commands,
    wave_options,
)
from ..command import command
from ..screen import typed

if TYPE_CHECKING:
    from ...engines.starting import Starter, Wishes
    from ...engines.synth.answers.plan import AnswerSynthesis, Steps
    from ...engines.synth.answers.synthesis_run import SynthesisOutcome, SynthesisRun
    from ...engines.synth.exports.lines import ExportRecord
    from ...engines.synth.exports.options import ExportOptions

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
"""Who makes negatives: the name of the seat for `--model` and `--param`."""
MADE_BY = ("generator", "reviser")
"""The roles that this seat has."""
SHARE = click.FloatRange(0, 1)


@command("rag")
@flags.option_flags(SETTINGS, [*SEARCHING, "prompts"])
@click.option("--model", multiple=True, metavar="[ROLE=]MODEL")
@click.option("--param", multiple=True, metavar="ROLE.NAME=VALUE")
@click.option("--questions", type=flags.PATH, metavar="FILE.jsonl", required=True)
@click.option("--into", type=flags.PATH, metavar="DIR", required=True)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    default=0,
    show_default=True,
)
@click.option(
    "--samples", type=click.IntRange(1, 100), metavar="N", default=1, show_default=True
)
@click.option(
    "--answering-share", type=SHARE, metavar="X", default=0.5, show_default=True
)
@click.option(
    "--negatives",
    metavar="KIND,…",
    default="repeated-words,citation-swap,retrieval-error,bad-query",
)
@click.option("--per-question", type=click.IntRange(min=1), metavar="N")
@click.option(
    "--answers",
    type=click.Choice(["right", "true", "all"]),
    default="right",
    show_default=True,
)
@click.option(
    "--min-agreement", type=SHARE, metavar="X", default=0.85, show_default=True
)
@click.option(
    "--blind",
    type=click.IntRange(0, 100_000),
    metavar="N",
    default=50,
    show_default=True,
)
@click.option("--shares", metavar="TASK=X,…")
@click.option("--validation", type=SHARE, metavar="X", default=0.1, show_default=True)
@click.option("--base", metavar="MODEL")
@click.option("--licence", metavar="TEXT")
@click.option("--leave-failed", is_flag=True)
@click.option("--skip-bad", is_flag=True)
@click.option("--dry-run", is_flag=True)
@run_commands.probe_option
@click.option("--concurrency", type=click.IntRange(1, 1000), metavar="N")
@click.option("--budget-tokens", type=click.IntRange(min=1), metavar="N")
@click.option("--budget-usd", type=float, metavar="X")
@run_commands.with_options(
    [*ray_options.OPTIONS, execution_options.commands_option, *wave_options.OPTIONS]
)
@flags.output_option
def synth_rag(**values: Any) -> int:
    """Makes training data of answers and their verification."""
    from ...engines.synth.answers.plan import parse_negatives

    faults = Faults()
    faults.of(lambda: run_commands.check_usd(values))
    options = faults.of(lambda: _export_options(values))
    if faults.of(lambda: parse_negatives(values["negatives"])) is None:
        values["negatives"] = "none"
    making = faults.of(lambda: _making(values))
    if making is not None and faults.told:
        faults.of(making.check_steps)
    faults.refuse()
    assert options is not None
    assert making is not None
    if values["dry_run"]:
        return _dry_run(making, values)
    if values["probe"]:
        making.check_steps()
        run_commands.probe_all(making.asked(), making.starter.config)
    try:
        made = console.run(making.run(_progress))
    except KeyboardInterrupt:
        console.say(t("batch.go_on", command=making.hand.command))
        raise
    if made.status != "done":
        return _broken_off(making, made)
    return _finish(making, made, values, options)


def _making(values: dict[str, Any]) -> SynthesisRun:
    from ...engines.batches.state import Limits
    from ...engines.rag.method import METHOD
    from ...engines.synth.answers.synthesis_run import StepOptions, SynthesisRun
    from ...engines.synth.manifest import Manifest

    starter = flags.workshop(many=True)
    wishes = flags.wishes_of(SETTINGS, values)
    plan = _plan(values, _steps(wishes))
    _say_if_equal(plan, starter)
    asks_live = {
        name: values[name] for name in (*ray_options.NAMES, *wave_options.NAMES)
    }
    hand = StepOptions(
        tools=lambda: run_commands.tools_for(starter, alone=False, url=wishes.address),
        makers=lambda into, tools: execution_options.makers_of(
            {**asks_live, "into": into}, tools
        ),
        limits=Limits(
            values["concurrency"] or 16, values["budget_tokens"], values["budget_usd"]
        ),
        command=typed(),
        keyed=values["ray"] is None,
        leave_failed=values["leave_failed"],
        blind=values["blind"],
    )
    manifest = Manifest(
        values["into"], "rag", plan.options(), {"questions": values["questions"]}
    )
    return SynthesisRun(plan, values["into"], manifest, METHOD, starter, hand)


def _plan(values: dict[str, Any], steps: Steps) -> AnswerSynthesis:
    from ...engines.batches.lines import bad_lines
    from ...engines.rag.method import METHOD
    from ...engines.rag.starting import sources
    from ...engines.synth.answers.plan import AnswerSynthesis, parse_negatives, rows_of

    faults: list[str] = []
    path = values["questions"]
    lines, _ = METHOD.batches["questions"].read(path, steps.answering, faults)
    if faults and not values["skip_bad"]:
        raise bad_lines(faults)
    if faults:
        console.say(t("report.said.skipped", n=len(faults)))
    if values["answers"] == "right" and not any(line.answers for line in lines):
        raise BadInput(t("wrong.synth.no_answers", path=path))
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
        raise BadInput(t("wrong.synth.nowhere", id=nowhere))
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
    """Several answers to a question are asked for, and they will be the same: each is
    paid for, and one counts.
    """
    from ...engines.batches.batch import headers_of
    from ...engines.rag.method import METHOD

    if plan.samples > 1:
        _, headers = headers_of(
            plan.asked()[:1], lambda wanted: METHOD.begin(wanted, starter)
        )
        if any(
            one is not None and one.lineup["generator"].params.get("temperature") == 0
            for one in headers
        ):
            console.say(t("report.synth_rag.equal", samples=plan.samples))


def _steps(wishes: Wishes) -> Steps:
    """Who is asked in each step.

    The verifier and whoever makes negatives are the generator's model where nobody is
    named.
    """
    from ...engines.synth.answers.plan import Steps

    own = {
        name: [
            one
            for one in wishes.listed(name)
            if not one.startswith(NEGATIVE + _SIGN[name])
        ]
        for name in _SIGN
    }
    negative = {
        name: [
            role + one.removeprefix(NEGATIVE)
            for one in wishes.listed(name)
            if one.startswith(NEGATIVE + _SIGN[name])
            for role in MADE_BY
        ]
        for name in _SIGN
    }
    models = own["model"]
    first = [one.partition("=")[2] for one in models if one.startswith("generator=")]
    verifier = (
        [f"verifier={first[-1]}"]
        if first and not any(one.startswith("verifier=") for one in models)
        else []
    )

    def with_seats(
        base: Wishes, more: dict[str, Sequence[str]], **settings: Any
    ) -> Wishes:
        listed = {name: (*own[name], *more.get(name, ())) for name in _SIGN}
        kept = {
            name: value for name, value in base.options.items() if name not in _SIGN
        }
        return replace(
            base,
            options={
                **kept,
                **{name: value for name, value in listed.items() if value},
                **settings,
            },
        )

    searched = {"iterations": 0, "final_check": False}
    bare = replace(
        wishes,
        options={
            name: value
            for name, value in wishes.options.items()
            if name not in SEARCHING
        },
    )
    return Steps(
        answering=with_seats(wishes, {}, **searched),
        worsening=with_seats(
            wishes,
            {name: tuple(listed) for name, listed in negative.items()},
            **searched,
        ),
        verifying=with_seats(bare, {"model": verifier}),
    )


_SIGN = {"model": "=", "param": "."}
"""The options that name seats, and what stands behind the role."""


def _export_options(values: dict[str, Any]) -> ExportOptions:
    from ...engines.synth.exports.options import ExportOptions, parse_shares

    shares = parse_shares(values["shares"]) if values["shares"] is not None else None
    chosen = {name: values[name] for name in ("seed", "validation", "base", "licence")}
    return ExportOptions(shares=shares, **chosen)


def _progress(step: str) -> Any:
    from ..progress import BatchProgress

    console.note(t(f"report.synth_rag.step_{step}"))
    return BatchProgress()


def _dry_run(making: SynthesisRun, values: dict[str, Any]) -> int:
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


def _broken_off(making: SynthesisRun, made: SynthesisOutcome) -> int:
    """Says why it goes no further now, and how it goes on."""
    console.say(
        t(
            f"report.synth_rag.ended_{made.status}",
            step=t(f"report.synth_rag.step_{made.step}"),
            n=made.failed,
        )
    )
    console.say(t("batch.go_on", command=making.hand.command))
    codes = {
        "failed": console.FAILED,
        "budget": console.BUDGET,
        "stopped": console.INTERRUPTED,
        "waiting": console.DONE,
    }
    return codes[made.status]


def _finish(
    making: SynthesisRun,
    made: SynthesisOutcome,
    values: dict[str, Any],
    options: ExportOptions,
) -> int:
    """Writes the report and, where the verifier agrees enough with what is known, the
    export.
    """
    from ...engines.synth.answers import blind
    from ...engines.synth.answers.report import in_words, report_of
    from ...engines.synth.answers.synthesis_run import EXPORT, REPORT
    from ...sessions.files import write_whole

    verified = {one.sample: one for one in made.verified}
    ratings = blind.ratings(making.into, made.samples, verified)
    report = report_of(
        making.plan,
        made,
        making.answering,
        least=values["min_agreement"],
        spent=making.spent,
        ratings=ratings,
    )
    reached = report["agreement"]["reached"]
    exported = _exported(making, made, report, options) if reached else None
    if exported is not None:
        report |= {
            "exported": {name: file.lines for name, file in exported.files.items()},
            "export_left_out": exported.left_out,
        }
    write_whole(
        making.into / REPORT, json.dumps(report, ensure_ascii=False, indent=1) + "\n"
    )
    if values["output"] == "json":
        console.out_json(report)
    else:
        console.out(in_words(report))
        if (making.into / blind.KEY).exists():
            console.say(t("report.synth_rag.blind", folder=making.into / blind.FOLDER))
    if exported is None:
        console.say(_not_reached(report["agreement"]))
        if (making.into / EXPORT).exists():
            console.say(t("report.synth_rag.earlier", folder=making.into / EXPORT))
        return console.FAILED
    if exported.changed:
        console.say(t("report.exports.changed", names=", ".join(exported.changed)))
    if not exported.lines:
        console.say(t("report.synth_rag.no_lines"))
    if exported.lines:
        return console.DONE
    return console.FAILED


def _exported(
    making: SynthesisRun,
    made: SynthesisOutcome,
    report: dict[str, Any],
    options: ExportOptions,
) -> ExportRecord:
    import msgspec

    from ...engines.method import method_of
    from ...engines.synth.answers.report import about, agreement_in_words
    from ...engines.synth.answers.sample_collection import kept_answers
    from ...engines.synth.answers.synthesis_run import EXPORT
    from ...engines.synth.exports.answers import export_answers

    kept = kept_answers(
        making.plan,
        made.samples,
        {one.sample: one for one in made.verified},
        making.answering,
    )
    with speaking("en"):
        card = {
            "about": about(making.plan, making.manifest),
            "agreement": agreement_in_words(report["agreement"]),
        }
    options = msgspec.structs.replace(options, **card)
    into = making.into
    return export_answers(
        made.samples,
        made.verified,
        into / EXPORT,
        folder=into,
        method_of=method_of,
        answering=kept,
        options=options,
    )


def _not_reached(found: dict[str, Any]) -> str:
    least, share = f"{found['least']:g}", found["share"]
    if share is None:
        return t("report.synth_rag.unknown_agreement", least=least)
    return t("report.synth_rag.not_reached", low=f"{share['low']:.3f}", least=least)
