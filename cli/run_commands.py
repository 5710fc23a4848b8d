"""Options that the session-making commands share, and how they run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..sessions.clean import json_line
from ..sessions.errors import BadInput, Faults, bad_input
from ..texts import speaking, t
from . import again, console, execution_options
from .flags import (
    PATH,
    Command,
    GiveOption,
    flag_option,
    into_option,
    names_of,
    typed_option,
    with_options,
    without_warning_option,
    workshop,
)
from .screen import app_options, is_plain, open_app, plain_option, typed

if TYPE_CHECKING:
    from ..engines.batches.batch import Batch
    from ..engines.batches.kind import BatchKind
    from ..engines.batches.lines import BatchLine
    from ..engines.batches.receipt import Receipt
    from ..engines.batches.run import BatchRunner
    from ..engines.batches.state import Limits
    from ..engines.figures.gates import Gates
    from ..engines.method import Method
    from ..engines.models.config import Config
    from ..engines.models.preflight import SeatModel
    from ..engines.starting import Starter, Wishes
    from ..engines.tools import Tools
    from ..sessions.journal import Journal
    from ..sessions.session import Header
    from .runner import RunPart

equivalence_option = click.option("--equivalence", metavar="MODEL")
_ONE: list[GiveOption] = [
    typed_option("--save", PATH, "FILE"),
    flag_option("--no-save"),
    flag_option("--tui"),
    app_options,
    plain_option,
]
_BATCH: list[GiveOption] = [
    into_option,
    *execution_options.LIMITS,
    execution_options.dry_run_option,
    flag_option("--skip-bad"),
    *execution_options.GATES,
    *execution_options.CERTIFICATES,
    without_warning_option,
    *execution_options.OPTIONS,
]
OF_ONE = names_of(_ONE)
OF_A_BATCH = (*names_of([*_BATCH, equivalence_option]), "beside")


def one_option(command: Command) -> Command:
    """`--save`, `--no-save`, `--tui`, `--plain`."""
    return with_options(_ONE)(command)


def batch_options(command: Command) -> Command:
    """`--into`, `--concurrency`, the budgets, `--dry-run`, and the gates:
    `--fail-under`, `--fail-over`, `--max-unread`.
    """
    return with_options([*_BATCH, execution_options.probe_option])(command)


def refuse(values: Mapping[str, object], names: tuple[str, ...], why: str) -> None:
    """BadInput if some of these options were given: `--NAME` and why not, for each."""
    faults = Faults()
    for name in names:
        value = values.get(name)
        if value is not None and value is not False and value != ():
            faults.add(f"--{name.replace('_', '-')} {why}")
    faults.refuse()


def check_certificates(values: Mapping[str, Any]) -> None:
    """BadInput for a certificate that cannot be read."""
    if values["certificate"]:
        from ..engines.figures.certificates import read_certificate

        for path in values["certificate"]:
            read_certificate(path)


def check_usd(values: Mapping[str, Any]) -> None:
    """BadInput for a budget that is no amount."""
    if values["budget_usd"] is not None and not 0 < values["budget_usd"] < float("inf"):
        raise bad_input("wrong.command.budget_usd")


def check_save(values: Mapping[str, Any]) -> None:
    """BadInput where the session cannot be kept as was said."""
    save = values["save"]
    if save is not None and values["no_save"]:
        raise bad_input("wrong.command.save_or_not")
    if save is not None and os.path.lexists(save):
        raise bad_input("wrong.command.save_exists", save=save)


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
    """Runs a new session with the wishes of `make`: printed and saved, or in the app.

    `remarks` are printed before it starts. `faults`: earlier errors, reported together
    with further ones.
    """
    faults = faults or Faults()
    attended = values["tui"] or is_plain()
    faults.of(lambda: check_save(values))
    starter = faults.of(lambda: workshop(attended=attended, faults=faults))
    wanted = None if starter is None else faults.of(lambda: make(starter))
    if attended or wanted is None:
        faults.refuse()
    assert starter is not None
    assert wanted is not None
    if attended:
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
        raise bad_input("wrong.command.tui_no_save")
    if wanted.address is not None:
        raise bad_input("wrong.command.tui_address")
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

    `remarks` are printed when it can start. `faults`: errors in further lines of the
    file. `told`: facts that identify the folder, in addition to the wishes. Raises:
    BadInput, also for invalid lines without `--skip-bad`.
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
        raise bad_input("wrong.command.addresses")
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


NO_GATES: Mapping[str, object] = {
    "fail_under": (),
    "fail_over": (),
    "max_unread": None,
    "min_coverage": None,
    "require_certified": False,
    "certificate": (),
}
"""The values of the options of gates where none is given."""


def run_lines(
    method: Method, many: str, file: Path, values: Mapping[str, object], wishes: Wishes
) -> int:
    """A batch of the lines of a file, or what it would cost. The exit code."""
    kind = method.batches[many]

    def make(told: Faults) -> Batch:
        from ..engines.all_wrong import wrong_lines

        faults: list[str] = []
        starter = workshop(many=True, faults=told)
        try:
            lines, remarks = kind.read(file, wishes, faults)
        except BadInput as error:
            said = str(error).splitlines()
            raise wrong_lines(said, wishes, starter, method.roles) from None
        return batch_of(method, many, values, wishes, lines, remarks, starter, faults)

    return run_batch(values, kind, make)


def run_batch(
    values: Mapping[str, object],
    kind: BatchKind,
    make: Callable[[Faults], Batch],
    show: Callable[[Path, bool], None] | None = None,
    *,
    uses_receipt: bool = True,
) -> int:
    """A batch, or what it would cost.

    `uses_receipt`: whether a receipt of the same command shows that the batch is done.
    It does not where the lines depend on more than the command and its file.

    `show` prints what the folder came to, as JSON or not, in place of its report.

    The exit code: 0, 1 if a line failed or a gate is not passed, 3 if the budget is
    reached.

    130 if somebody has stopped it, by a signal or by an order.
    """
    with _folder_at_once(values):
        return _checked_batch(values, kind, make, show, uses_receipt)


@contextmanager
def _folder_at_once(values: Mapping[str, Any]) -> Iterator[None]:
    """Makes the folder before anything that takes long, so that the app can wait for
    what comes into it; one that stays empty is removed again.
    """
    into = None if values["dry_run"] else values["into"]
    made = False
    with suppress(OSError):  # it is there, or `locked` makes it or says why not
        if into is not None:
            into.mkdir(mode=0o700)
            made = True
    try:
        yield
    finally:
        if into is not None and made:
            with suppress(OSError):  # it is not empty
                into.rmdir()


def _checked_batch(
    values: Mapping[str, Any],
    kind: BatchKind,
    make: Callable[[Faults], Batch],
    show: Callable[[Path, bool], None] | None,
    uses_receipt: bool,
) -> int:
    faults = Faults()
    gates, limits, part = _bounds(values, kind, faults)
    asked = again.asked_now() if uses_receipt else ""
    faults.of(lambda: check_certificates(values))
    receipt = None if faults.told else again.finished(values["into"], asked)
    if receipt is not None:
        return _print_again(receipt, values, kind, gates, show)
    with console.heard() as said:
        batch = faults.of(
            lambda: (
                make(faults) if part is None else part.of_batch(make(faults), limits)
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
        raise bad_input("wrong.led.dry")
    if values["dry_run"]:
        compared = show is None
        return _dry_run(runner, as_json=values["output"] == "json", compared=compared)
    runner.prepare()
    if values["probe"]:
        probe_all(runner.asked(), batch.tools.config)
    if values["detach"]:
        from .detach import detach

        batch.tools.close()
        return detach(values["into"], as_json=values["output"] == "json")
    return _run_batch(runner, kind, gates, values, show)


def _print_again(
    receipt: Receipt,
    values: Mapping[str, Any],
    kind: BatchKind,
    gates: Gates,
    show: Callable[[Path, bool], None] | None,
) -> int:
    """Prints what a folder that is done came to; returns the exit code."""
    as_json = values["output"] == "json"
    if show is not None:
        again.say_state(receipt)
        show(values["into"], as_json)
        return console.DONE
    return again.print_batch(
        receipt,
        values["into"],
        kind,
        gates,
        as_json=as_json,
        certificates=values["certificate"],
    )


def _bounds(
    values: Mapping[str, Any], kind: BatchKind, faults: Faults
) -> tuple[Gates, Limits, RunPart | None]:
    """The gates, the limits and the part of the batch that the options name."""
    from ..engines.figures.gates import Gates

    if values["into"] is None:
        faults.add(t("wrong.command.into"))
    faults.of(lambda: refuse(values, OF_ONE, t("wrong.command.of_session")))
    faults.of(lambda: check_usd(values))
    gates = faults.of(lambda: execution_options.gates_of(values, kind.measures))
    limits = execution_options.limits_of(values)
    part = faults.of(lambda: execution_options.part_of(values))
    limits = limits if part is None else part.share(limits)
    return gates or Gates([], None, None), limits, part


def _runner(batch: Batch, values: Mapping[str, Any], limits: Limits) -> BatchRunner:
    """Raises: BadInput for options of makers that do not go together."""
    from ..engines.batches.run import BatchRunner

    makers = execution_options.makers_of(values, batch.tools)
    runner = BatchRunner(batch, values["into"] or Path(), limits, typed(), makers)
    runner.certificates = values["certificate"]
    return runner


def _dry_run(runner: BatchRunner, *, as_json: bool, compared: bool) -> int:
    """Prints the calls and cost of the batch, and what would stop it. `compared`: also
    which difference a comparison with another batch can show.
    """
    import asyncio

    shown = runner.detectable() if compared else None
    with speaking("en" if as_json else None):
        estimate = asyncio.run(runner.estimate())
        note = runner.makers.note(estimate)
    if as_json:
        more = {} if shown is None else {"detectable": shown.as_json()}
        console.out_json(estimate.as_json() | more | note.as_json)
    else:
        more_words = "" if shown is None else f"{shown.in_words()}\n"
        console.out(f"{estimate.in_words()}\n{more_words}{note.in_words}")
    return said_of(runner.problems())


def probe_all(asked: Iterable[SeatModel], config: Config) -> None:
    """Asks every model once (`--probe`). Raises: BadInput where one does not answer."""
    from ..engines.models import probe

    console.run(probe.probe_all(asked, config))


def said_of(problems: Sequence[str]) -> int:
    """Prints what would stop an estimated run; returns the exit code."""
    for sentence in problems:
        console.say(sentence)
    return console.BAD_INPUT if problems else console.DONE


def _run_batch(
    runner: BatchRunner,
    kind: BatchKind,
    gates: Gates,
    values: Mapping[str, Any],
    show: Callable[[Path, bool], None] | None,
) -> int:
    from ..engines.batches.results import document_of
    from ..engines.judges.labelled import add_judges
    from ..engines.method import verdicts_of
    from ..engines.reports.text import as_text
    from .progress import BatchProgress

    try:
        outcome = console.run(runner.run(BatchProgress()))
    except KeyboardInterrupt:
        say_what_is_kept(runner)
        raise
    if outcome.status == "stopped":
        say_what_is_kept(runner)
        return console.code_of(outcome.status)
    add_judges(outcome.report, kind, values["into"], verdicts_of, values["certificate"])
    if outcome.status == "budget":
        console.tell("report.said.budget")
    if show is not None:
        show(values["into"], values["output"] == "json")
    elif values["output"] == "json":
        console.out("".join(map(json_line, outcome.summary)))
    else:
        title = values["into"].resolve().name
        console.out(as_text(document_of(outcome.report, kind, title)))
    wanting = gates.failures(outcome.report)
    for sentence in wanting:
        console.say(sentence)
    code = console.code_of(outcome.status)
    if wanting and code == console.DONE:
        return console.FAILED
    return code


def say_what_is_kept(runner: BatchRunner) -> None:
    console.tell("batch.stopped", folder=runner.into, **runner.counted())
    console.tell("batch.go_on", command=runner.command)


def _journal(header: Header, starter: Starter, values: Mapping[str, Any]) -> Journal:
    from ..sessions.journal import Journal
    from ..sessions.library import Library

    if values["no_save"]:
        return Journal.create(None, header)
    if values["save"] is not None:
        return Journal.create(values["save"], header)
    return Library(starter.places).create(header)
