"""What the commands that make sessions share: the options of one session and of a batch, and how either is run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..sessions.clean import json_line
from ..sessions.errors import BadInput
from ..texts import t
from . import console
from .screen import open_app, speak, typed

if TYPE_CHECKING:
    from ..engines.batches.batch import Batch
    from ..engines.batches.kind import BatchKind
    from ..engines.batches.run import Runner
    from ..engines.starting import Starter
    from ..engines.tools import Tools
    from ..sessions.journal import Journal
    from ..sessions.session import Header

Command = Callable[..., Any]

_ONE = [
    click.option("--save", type=click.Path(path_type=Path), metavar="FILE", help="Where the session is kept (default: the library)."),
    click.option("--no-save", is_flag=True, help="Keep nothing on disk."),
    click.option("--tui", is_flag=True, help="Open the app with exactly these settings instead."),
]
_BOTH = [
    click.option("--output", type=click.Choice(["text", "json"]), default="text", show_default=True, help="json: one event a line."),
    click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the interface."),
]
_BATCH = [
    click.option(
        "--into", type=click.Path(path_type=Path), metavar="DIR", help="Batch: one session file a line, summary.jsonl, report.json."
    ),
    click.option("--concurrency", type=click.IntRange(1, 1000), metavar="N", help="Batch: sessions at a time (default 16)."),
    click.option(
        "--budget-tokens", type=click.IntRange(min=1), metavar="N", help="Batch: no call is begun once DIR has cost so many tokens."
    ),
    click.option("--budget-usd", type=float, metavar="X", help="Batch: no call is begun once DIR has cost so many US dollars."),
    click.option("--dry-run", is_flag=True, help="Batch: print the number of calls, tokens and price; call nobody."),
    click.option(
        "--fail-under", multiple=True, metavar="FIGURE=X", help="Batch: exit with 1 where a figure of the report is lower, or not measured."
    ),
    click.option("--fail-over", multiple=True, metavar="FIGURE=X", help="Batch: the same where it is higher, such as bias=.3."),
    click.option("--max-unread", type=float, metavar="SHARE", help="Batch: exit with 1 where more replies are unread (with a bound: .05)."),
]
_EQUIVALENCE = [
    click.option("--equivalence", metavar="MODEL", help="Batch: this model compares the answers that neither text nor value settles.")
]
OF_A_BATCH = ("into", "concurrency", "budget_tokens", "budget_usd", "dry_run", "fail_under", "fail_over", "max_unread", "equivalence")
OF_ONE = ("save", "no_save", "tui")


def one_option(command: Command) -> Command:
    """`--save`, `--no-save`, `--tui`."""
    return _with(_ONE, command)


def both_options(command: Command) -> Command:
    """`--output`, `--lang`."""
    return _with(_BOTH, command)


def batch_options(command: Command) -> Command:
    """`--into`, `--concurrency`, the budgets, `--dry-run`, and the gates: `--fail-under`, `--fail-over`, `--max-unread`."""
    return _with(_BATCH, command)


def equivalence_option(command: Command) -> Command:
    """`--equivalence`."""
    return _with(_EQUIVALENCE, command)


def _with(listed: Sequence[Callable[[Command], Command]], command: Command) -> Command:
    for option in reversed(listed):
        command = option(command)
    return command


def refuse(values: Mapping[str, Any], names: tuple[str, ...], why: str) -> None:
    """BadInput if one of these options was given: `--NAME` and why not."""
    for name in names:
        value = values.get(name)
        if value is not None and value is not False and value != ():
            raise BadInput(f"--{name.replace('_', '-')} {why}")


def check_save(values: Mapping[str, Any]) -> None:
    """BadInput where the session cannot be kept as was said."""
    save = values["save"]
    if save is not None and values["no_save"]:
        raise BadInput("--save and --no-save exclude each other; give one of them.")
    if save is not None and os.path.lexists(save):
        raise BadInput(f"{save} exists already; name another file, or go on with it: verifytui resume {save}")


def tools_for(starter: Starter, *, alone: bool = True, url: str | None = None, foreign: bool = False) -> Tools:
    """The tools of one session, in which a person on stdin can be asked, or (not `alone`) of a batch. The rest as for `Tools`."""
    from ..engines.tools import Tools
    from .person import Person

    say = console.say if sys.stderr.isatty() else lambda message: None
    return Tools(starter.config, starter.places, Person() if alone else None, url=url, foreign=foreign, say=say)


def run_one(header: Header, starter: Starter, tools: Tools, values: Mapping[str, Any]) -> int:
    """One session from its beginning, printed and kept."""
    from .headless import go_on, output

    speak()
    journal = _journal(header, starter, values)
    try:
        return console.run(go_on(journal, starter.config, tools, output(values["output"])))
    finally:
        if journal.path is not None:
            console.say(f"Saved in {journal.path}")
        journal.close()
        tools.close()


def in_app(header: Header, values: Mapping[str, Any]) -> int:
    """The app on a new session."""
    if values["no_save"]:
        raise BadInput("--no-save does not go with --tui: the app keeps what it plays; delete it from the library afterwards.")
    return open_app(None, header=header, save=values["save"])


def run_batch(values: Mapping[str, Any], kind: BatchKind, make: Callable[[], Batch]) -> int:
    """A batch, or what it would cost. The exit code: 0, 1 if a line failed or a gate is not passed, 3 if the budget is reached.

    130 if somebody has stopped it, by a signal or by an order.
    """
    import asyncio

    from ..engines.batches.gates import parse_gates
    from ..engines.batches.run import Limits, Runner
    from .progress import Progress

    if values["into"] is None:
        raise BadInput("A batch needs a folder for its sessions; name it with --into DIR.")
    refuse(values, OF_ONE, "is for one session, not for a batch; a batch keeps its sessions in --into DIR.")
    if values["budget_usd"] is not None and not 0 < values["budget_usd"] < float("inf"):
        raise BadInput("--budget-usd must be more than 0.")
    gates = parse_gates(values["fail_under"], values["fail_over"], values["max_unread"], kind.figures)
    as_json = values["output"] == "json"
    limits = Limits(values["concurrency"] or 16, values["budget_tokens"], values["budget_usd"])
    runner = Runner(make(), values["into"], limits, typed())
    if values["dry_run"]:
        estimate = asyncio.run(runner.estimate())
        console.out_json(estimate.as_json()) if as_json else console.out(estimate.in_words() + "\n")
        return console.DONE
    runner.prepare()
    speak()
    try:
        outcome = console.run(runner.run(Progress()))
    except KeyboardInterrupt:
        _say_what_is_kept(runner)
        raise
    if outcome.status == "stopped":
        _say_what_is_kept(runner)
        return console.INTERRUPTED
    if outcome.status == "budget":
        console.say("The budget is reached; the same command with a larger one goes on.")
    console.out("".join(map(json_line, outcome.summary)) if as_json else kind.in_words(outcome.report) + "\n")
    wanting = gates.wanting(outcome.report)
    for sentence in wanting:
        console.say(sentence)
    code = {"done": console.DONE, "failed": console.FAILED, "budget": console.BUDGET}[outcome.status]
    return console.FAILED if wanting and code == console.DONE else code


def _say_what_is_kept(runner: Runner) -> None:
    console.say(t("batch.stopped", folder=runner.into, **runner.counted()))
    console.say(t("batch.go_on", command=runner.command))


def _journal(header: Header, starter: Starter, values: Mapping[str, Any]) -> Journal:
    from ..sessions.journal import Journal
    from ..sessions.library import Library

    if values["no_save"]:
        return Journal.create(None, header)
    if values["save"] is not None:
        return Journal.create(values["save"], header)
    return Library(starter.places).create(header)
