"""What the commands that make sessions share: the options of one session and of a
batch, and how either is run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..sessions.clean import json_line
from ..sessions.errors import BadInput, Faults
from ..texts import speaking, t
from . import again, console, execution_options, shard_options, wave_options
from .flags import PATH, workshop
from .screen import open_app, typed

if TYPE_CHECKING:
    from ..engines.batches.batch import Batch
    from ..engines.batches.kind import BatchKind
    from ..engines.batches.lines import BatchLine
    from ..engines.batches.run import BatchRunner
    from ..engines.batches.shards import Shard
    from ..engines.batches.state import Limits
    from ..engines.figures.gates import Gates
    from ..engines.method import Method
    from ..engines.models.config import Config
    from ..engines.models.preflight import SeatModel
    from ..engines.starting import Starter, Wishes
    from ..engines.tools import Tools
    from ..sessions.journal import Journal
    from ..sessions.session import Header

Command = Callable[..., Any]

probe_option = click.option("--probe", is_flag=True)

_ONE: list[Callable[[Command], Command]] = [
    click.option("--save", type=PATH, metavar="FILE"),
    click.option("--no-save", is_flag=True),
    click.option("--tui", is_flag=True),
]
_BATCH: list[Callable[[Command], Command]] = [
    click.option("--into", type=PATH, metavar="DIR"),
    click.option("--concurrency", type=click.IntRange(1, 1000), metavar="N"),
    click.option("--budget-tokens", type=click.IntRange(min=1), metavar="N"),
    click.option("--budget-usd", type=float, metavar="X"),
    click.option("--dry-run", is_flag=True),
    probe_option,
    click.option("--skip-bad", is_flag=True),
    click.option("--fail-under", multiple=True, metavar="MEASURE=X"),
    click.option("--fail-over", multiple=True, metavar="MEASURE=X"),
    click.option("--max-unread", type=float, metavar="SHARE"),
    click.option("--min-coverage", type=float, metavar="SHARE"),
    *execution_options.OPTIONS,
]
equivalence_option = click.option("--equivalence", metavar="MODEL")
OF_A_BATCH = (
    "into",
    "concurrency",
    "budget_tokens",
    "budget_usd",
    "dry_run",
    "skip_bad",
    "fail_under",
    "fail_over",
    "max_unread",
    "min_coverage",
    "equivalence",
    *execution_options.NAMES,
)
OF_ONE = ("save", "no_save", "tui")


def one_option(command: Command) -> Command:
    """`--save`, `--no-save`, `--tui`."""
    return with_options(_ONE)(command)


def batch_options(command: Command) -> Command:
    """`--into`, `--concurrency`, the budgets, `--dry-run`, and the gates:
    `--fail-under`, `--fail-over`, `--max-unread`.
    """
    return with_options(_BATCH)(command)


def with_options(
    listed: Sequence[Callable[[Command], Command]],
) -> Callable[[Command], Command]:
    """A decorator that gives a command these options, in this order."""

    def give(command: Command) -> Command:
        for option in reversed(listed):
            command = option(command)
        return command

    return give


def refuse(values: Mapping[str, Any], names: tuple[str, ...], why: str) -> None:
    """BadInput if some of these options were given: `--NAME` and why not, for each."""
    faults = Faults()
    for name in names:
        value = values.get(name)
        if value is not None and value is not False and value != ():
            faults.add(f"--{name.replace('_', '-')} {why}")
    faults.refuse()


def check_usd(values: Mapping[str, Any]) -> None:
    """BadInput for a budget that is no amount."""
    if values["budget_usd"] is not None and not 0 < values["budget_usd"] < float("inf"):
        raise BadInput(t("wrong.command.budget_usd"))


def check_save(values: Mapping[str, Any]) -> None:
    """BadInput where the session cannot be kept as was said."""
    save = values["save"]
    if save is not None and values["no_save"]:
        raise BadInput(t("wrong.command.save_or_not"))
    if save is not None and os.path.lexists(save):
        raise BadInput(t("wrong.command.save_exists", save=save))


def tools_for(
    starter: Starter,
    *,
    alone: bool = True,
    url: str | None = None,
    foreign: bool = False,
) -> Tools:
    """The tools of one session, in which a person on stdin can be asked, or (not
    `alone`) of a batch. The rest as for `Tools`.
    """
    from ..engines.tools import Tools
    from .person import Person

    say = console.note if sys.stderr.isatty() else lambda message: None
    return Tools(
        starter.config,
        starter.places,
        Person() if alone else None,
        url=url,
        foreign=foreign,
        say=say,
        wrong=starter.wrong,
    )


def run_new(
    method: Method,
    make: Callable[[Starter], Wishes],
    values: Mapping[str, Any],
    remarks: Callable[[Starter], Sequence[str]] = lambda starter: (),
    faults: Faults | None = None,
) -> int:
    """A new session as `make` wishes it, printed and kept, or in the app.

    `remarks` are said once it can begin.

    `faults`: what is wrong so far; it is told with what is wrong beside it.
    """
    faults = faults or Faults()
    faults.of(lambda: check_save(values))
    starter = faults.of(lambda: workshop(attended=values["tui"]))
    wanted = None if starter is None else faults.of(lambda: make(starter))
    if values["tui"] or wanted is None:
        faults.refuse()
    assert starter is not None
    assert wanted is not None
    if values["tui"]:
        return _in_the_app(method, wanted, starter, values, remarks)
    from ..engines.preflight import begin_checked

    tools = tools_for(starter, url=wanted.address)
    header = faults.of(
        lambda: begin_checked(lambda: method.begin(wanted, starter), tools)
    )
    faults.refuse()
    assert header is not None
    if values["probe"]:
        from ..engines.models.preflight import asked_in

        probe_all(asked_in(header, starter.config), starter.config)
    for sentence in remarks(starter):
        console.say(sentence)
    method.open(header, tools)
    return _run_one(header, starter, tools, values)


def _in_the_app(
    method: Method,
    wanted: Wishes,
    starter: Starter,
    values: Mapping[str, Any],
    remarks: Callable[[Starter], Sequence[str]],
) -> int:
    """A new session in the app, where its seats can still be changed."""
    header = method.begin(wanted, starter)
    for sentence in remarks(starter):
        console.say(sentence)
    if values["no_save"]:
        raise BadInput(t("wrong.command.tui_no_save"))
    if wanted.address is not None:
        raise BadInput(t("wrong.command.tui_address"))
    return open_app(None, header=header, save=values["save"])


def _run_one(
    header: Header, starter: Starter, tools: Tools, values: Mapping[str, Any]
) -> int:
    from .headless import go_on, output

    journal = _journal(header, starter, values)
    try:
        return console.run(
            go_on(journal, starter.config, tools, output(values["output"]))
        )
    finally:
        if journal.path is not None:
            console.note(t("report.said.saved", path=journal.path))
        journal.close()
        tools.close()


def batch_of(
    method: Method,
    many: str,
    values: Mapping[str, Any],
    wishes: Wishes,
    lines: Sequence[BatchLine],
    remarks: Sequence[str],
    starter: Starter,
    faults: list[str],
    **told: Any,
) -> Batch:
    """The batch of these lines.

    `remarks` are said once it can begin. `faults`: what is wrong with further lines of
    the file.

    `told`: what the folder is known by, beside the wishes. Raises: BadInput, also for
    bad lines without `--skip-bad`.
    """
    from ..engines.all_wrong import wrong_lines
    from ..engines.batches.batch import Batch, headers_of
    from ..engines.batches.equivalence import Equivalence
    from ..engines.batches.lines import shortened

    together = Faults()
    equivalence = together.of(
        lambda: Equivalence.of(values.get("equivalence"), starter.config)
    )
    begun = together.of(
        lambda: headers_of(lines, lambda one: method.begin(one, starter), faults)
    )
    if begun is not None and faults and not values["skip_bad"]:
        wrong = wrong_lines(shortened(faults), wishes, starter, method.roles)
        together.add(*str(wrong).splitlines())
    together.refuse()
    assert begun is not None
    lines, headers = begun
    skipped = (
        [t("report.said.skipped", n=len(faults)), *shortened(faults)] if faults else []
    )
    for sentence in (*skipped, *remarks):
        console.say(sentence)
    addresses = {line.wanted.address for line in lines if line.wanted is not None} - {
        None
    }
    if len(addresses) > 1:
        raise BadInput(t("wrong.command.addresses"))
    tools = tools_for(starter, alone=False, url=next(iter(addresses), None))
    return Batch(
        method.batches[many],
        lines,
        headers,
        wishes.given() | told,
        method,
        tools,
        equivalence,
        skipped=len(faults),
    )


def run_lines(
    method: Method, many: str, file: Path, values: Mapping[str, Any], wishes: Wishes
) -> int:
    """A batch of the lines of a file, or what it would cost. The exit code."""
    kind = method.batches[many]

    def make() -> Batch:
        from ..engines.all_wrong import wrong_lines

        faults: list[str] = []
        starter = workshop(many=True)
        try:
            lines, remarks = kind.read(file, wishes, faults)
        except BadInput as error:
            told = str(error).splitlines()
            raise wrong_lines(told, wishes, starter, method.roles) from None
        return batch_of(method, many, values, wishes, lines, remarks, starter, faults)

    return run_batch(values, kind, make)


def run_batch(
    values: Mapping[str, Any], kind: BatchKind, make: Callable[[], Batch]
) -> int:
    """A batch, or what it would cost.

    The exit code: 0, 1 if a line failed or a gate is not passed, 3 if the budget is
    reached.

    130 if somebody has stopped it, by a signal or by an order.
    """
    faults = Faults()
    gates, limits, shard = _bounds(values, kind, faults)
    asked = again.asked_now()
    receipt = None if faults.told else again.finished(values["into"], asked)
    if receipt is not None:
        as_json = values["output"] == "json"
        return again.print_batch(receipt, values["into"], kind, gates, as_json=as_json)
    with console.heard() as said:
        batch = faults.of(
            lambda: (
                make() if shard is None else shard_options.dealt(make(), shard, limits)
            )
        )
    runner = None
    if batch is not None:
        with console.heard() as later:
            runner = faults.of(lambda: _runner(batch, values, limits))
        said += later
    if runner is not None and faults.told:
        faults.of(runner.check)
        faults.add(*runner.problems())
    faults.refuse()
    assert batch is not None
    assert runner is not None
    runner.command_digest, runner.said = asked, said
    if values["dry_run"] and values["detach"]:
        raise BadInput(t("wrong.led.dry"))
    if values["dry_run"]:
        return _dry_run(runner, as_json=values["output"] == "json")
    runner.prepare()
    if values["probe"]:
        probe_all(runner.asked(), batch.tools.config)
    if values["detach"]:
        from .detach import detach

        batch.tools.close()
        return detach(values["into"], as_json=values["output"] == "json")
    return _run_batch(runner, kind, gates, values)


def _bounds(
    values: Mapping[str, Any], kind: BatchKind, faults: Faults
) -> tuple[Gates, Limits, Shard | None]:
    """The gates, the limits and the part of the batch that the options name."""
    from ..engines.batches.state import Limits
    from ..engines.figures.gates import Gates, parse_gates

    if values["into"] is None:
        faults.add(t("wrong.command.into"))
    faults.of(lambda: refuse(values, OF_ONE, t("wrong.command.of_session")))
    faults.of(lambda: check_usd(values))
    gates = faults.of(
        lambda: parse_gates(
            values["fail_under"],
            values["fail_over"],
            values["max_unread"],
            values["min_coverage"],
            kind.measures,
        )
    )
    limits = Limits(
        values["concurrency"] or 16,
        values["budget_tokens"],
        values["budget_usd"],
        values["retries"] or 0,
    )
    shard = faults.of(lambda: shard_options.shard_of(values))
    limits = limits if shard is None else shard.share(limits)
    return gates or Gates([], None, None), limits, shard


def _runner(batch: Batch, values: Mapping[str, Any], limits: Limits) -> BatchRunner:
    """Raises: BadInput for options of makers that do not go together."""
    from ..engines.batches.run import BatchRunner

    makers = execution_options.makers_of(values, batch.tools)
    return BatchRunner(batch, values["into"] or Path(), limits, typed(), makers)


def _dry_run(runner: BatchRunner, *, as_json: bool) -> int:
    """Prints the calls and cost of the batch, and what would stop it."""
    import asyncio

    makers, shown = runner.makers, runner.detectable()
    with speaking("en" if as_json else None):
        estimate = asyncio.run(runner.estimate())
    if as_json:
        console.out_json(
            estimate.as_json()
            | {"detectable": shown.as_json()}
            | wave_options.about(makers, estimate)
        )
    else:
        console.out(
            f"{estimate.in_words()}\n{shown.in_words()}\n"
            + wave_options.about_in_words(makers, estimate)
        )
    return said_of(runner.problems())


def probe_all(asked: Iterable[SeatModel], config: Config) -> None:
    """Asks every model once (`--probe`). Raises: BadInput where one does not answer."""
    from ..engines.models import probe

    console.run(probe.probe_all(asked, config))


def said_of(problems: Sequence[str]) -> int:
    """Prints what would stop an estimated run; returns the exit code."""
    for sentence in problems:
        console.say(sentence)
    if problems:
        return console.BAD_INPUT
    return console.DONE


def _run_batch(
    runner: BatchRunner, kind: BatchKind, gates: Gates, values: Mapping[str, Any]
) -> int:
    from ..engines.batches.results import document_of
    from ..engines.reports.text import as_text
    from .progress import BatchProgress

    try:
        outcome = console.run(runner.run(BatchProgress()))
    except KeyboardInterrupt:
        say_what_is_kept(runner)
        raise
    if outcome.status == "stopped":
        say_what_is_kept(runner)
        return console.INTERRUPTED
    if outcome.status == "budget":
        console.say(t("report.said.budget"))
    if values["output"] == "json":
        console.out("".join(map(json_line, outcome.summary)))
    else:
        title = values["into"].resolve().name
        console.out(as_text(document_of(outcome.report, kind, title)))
    wanting = gates.failures(outcome.report)
    for sentence in wanting:
        console.say(sentence)
    code = {
        "done": console.DONE,
        "failed": console.FAILED,
        "budget": console.BUDGET,
        "waiting": console.DONE,
    }[outcome.status]
    if wanting and code == console.DONE:
        return console.FAILED
    return code


def say_what_is_kept(runner: BatchRunner) -> None:
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
