"""`verifytui runs`: the batches and studies of this machine, found again, followed and
led from any terminal.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...sessions.clean import clean
from ...sessions.errors import bad_input
from ...sessions.paths import paths
from ...texts import t
from .. import console
from ..command import group
from ..execution_options import concurrency_option
from ..flags import ParamType, output_option, typed_option

if TYPE_CHECKING:
    from ...engines.batches.orders import ControlOrder
    from ...engines.batches.registry import Record
    from ...engines.batches.runs import RunNow

LOOKS = 0.1
"""Seconds between two looks for an answer."""
PATIENCE = 60.0
"""Seconds after which a runner that has not answered is given up."""
TERMINAL_SECONDS, LOG_SECONDS = 0.5, 10.0
"""Between two lines of `follow`: those that are drawn over each other, and those below
each other.
"""


@group(invoke_without_command=True)
@output_option
@click.pass_context
def runs(ctx: click.Context, output: str) -> int | None:
    if ctx.invoked_subcommand is not None:
        return None
    from ..run_lines import table

    found = [(_looked(record.path), record) for record in _records()]
    found.sort(key=lambda one: not one[0].alive)
    if output == "json":
        for run, record in found:
            console.out_json({**run.as_json(time.time()), "begun": record.begun})
    elif found:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        console.line(clean("\n".join(table([run for run, _ in found], width))))
    else:
        console.tell("report.runs.none")
    return console.DONE


@runs.command("follow")
@click.argument("run", metavar="RUN")
@output_option
def follow(run: str, output: str) -> int:
    now = _found(run)
    try:
        now = _follow(now, as_json=output == "json")
    except KeyboardInterrupt:
        if now.look().alive:
            console.tell("report.runs.goes_on", folder=now.folder)
        raise
    return {
        "done": console.DONE,
        "waiting": console.DONE,
        "budget": console.BUDGET,
    }.get(now.state, console.FAILED)


def _follow(now: RunNow, *, as_json: bool) -> RunNow:
    """Prints how far the run is, again and again, until its runner has left the folder.

    Returns the run as it is then.
    """
    if sys.stdout.isatty() and sys.stderr.isatty() and not as_json:
        now = _draw(now)
    else:
        before, since = "", 0.0
        while now.alive:
            if time.monotonic() - since >= LOG_SECONDS:
                before, since = _print(now, as_json, before), time.monotonic()
            time.sleep(TERMINAL_SECONDS)
            now = now.look()
    _wait_for_the_lock(now.folder)
    _print(now, as_json, "")
    if now.state in ("none", "elsewhere") and not as_json:
        console.say(_nobody(now))
    return now


def _wait_for_the_lock(folder: Path) -> None:
    """Waits until the folder can be used again: a runner writes its last line before
    it lets go of the lock.
    """
    from ...engines.batches.registry import has_runner

    end = time.monotonic() + PATIENCE
    while has_runner(folder) and time.monotonic() < end:
        time.sleep(LOOKS)


def _draw(now: RunNow) -> RunNow:
    """The same as a bar that is drawn over itself; it is left where somebody
    interrupts it."""
    from .. import bar
    from ..run_lines import line

    try:
        while now.alive:
            counts = now.counts()
            bar.draw(
                counts["done"] + counts["failed"],
                sum(counts.values()),
                clean(line(now), newlines=False),
            )
            time.sleep(TERMINAL_SECONDS)
            now = now.look()
    except KeyboardInterrupt:
        bar.leave()
        raise
    bar.clear()
    return now


def _print(now: RunNow, as_json: bool, before: str) -> str:
    """Prints how far it is, unless that was printed before; returns what was
    printed.
    """
    from ..run_lines import line

    if as_json:
        console.out_json(now.as_json(time.time()))
        return ""
    words = clean(line(now), newlines=False)
    if words != before:
        console.line(words)
    return words


@runs.command("pause")
@click.argument("run", metavar="RUN")
@output_option
def pause(run: str, output: str) -> int:
    return _do(run, "pause", output)


@runs.command("go-on")
@click.argument("run", metavar="RUN")
@output_option
def go_on(run: str, output: str) -> int:
    return _do(run, "go-on", output)


@runs.command("stop")
@click.argument("run", metavar="RUN")
@output_option
def stop(run: str, output: str) -> int:
    return _do(run, "stop", output)


class Limit(ParamType):
    """A number above 0, or `none`."""

    name = "limit"

    def __init__(self, kind: type[int] | type[float]) -> None:
        self._kind = kind

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        if str(value).casefold() in ("none", "无"):
            return "none"
        try:
            number = self._kind(
                str(value).removeprefix("$").replace(",", "")
                if isinstance(value, str)
                else value
            )
        except (ValueError, OverflowError):
            number = 0
        if not 0 < number < (1 << 53):
            self.fail(t("wrong.led.limit", value=value), param, ctx)
        return number


@runs.command("set")
@click.argument("run", metavar="RUN")
@typed_option("--budget-usd", Limit(float), "X|none")
@typed_option("--budget-tokens", Limit(int), "N|none")
@concurrency_option
@output_option
def set_(
    run: str, budget_usd: Any, budget_tokens: Any, concurrency: int | None, output: str
) -> int:
    from ...engines.batches.orders import ControlOrder

    order = ControlOrder()
    if budget_usd is not None:
        order.budget_usd = None if budget_usd == "none" else float(budget_usd)
    if budget_tokens is not None:
        order.budget_tokens = None if budget_tokens == "none" else budget_tokens
    if concurrency is not None:
        order.concurrency = concurrency
    if order.empty:
        raise bad_input("wrong.led.set_what")
    return _order(run, order, output)


@runs.command("forget")
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
def forget(runs: tuple[str, ...]) -> int:
    from ...engines.batches.registry import forget as strike

    folders = [_folder(one, gone=True) for one in runs]
    for folder in folders:
        if _looked(folder).alive:
            raise bad_input("wrong.led.alive", folder=folder)
    for folder in folders:
        try:
            known = strike(folder, paths())
        except OSError as error:
            raise bad_input(
                "wrong.led.not_forgotten", folder=folder, why=error.strerror
            ) from None
        console.line(
            t(
                "report.runs.forgotten" if known else "report.runs.not_listed",
                folder=clean(str(folder), newlines=False),
            )
        )
    return console.DONE


def _do(run: str, what: Any, output: str) -> int:
    from ...engines.batches.orders import ControlOrder

    return _order(run, ControlOrder(do=what), output)


def _order(name: str, order: ControlOrder, output: str) -> int:
    """Gives an order and waits until the runner has obeyed or refused it; the exit
    code: 0, or 1 where it was not carried out.
    """
    import msgspec

    from ...engines.batches.changes import changes_in
    from ...engines.batches.orders import give
    from ...engines.reports.run_changes import in_words

    now = _found(name)
    before = len(changes_in(now.folder))
    takes = now.alive or now.state == "elsewhere"
    why = (
        _answer(now, give(now.folder, order), ends=order.do == "stop")
        if takes
        else _nobody(now)
    )
    if output == "json":
        console.out_json(
            {
                "folder": str(now.folder),
                "order": msgspec.to_builtins(order),
                "obeyed": not why,
                "why": why,
            }
        )
    elif why:
        console.say(why)
    else:
        made = in_words(changes_in(now.folder)[before:])[1:]
        console.line(clean("\n".join(made or [t("report.runs.as_it_was")])))
    if why:
        return console.FAILED
    return console.DONE


def _answer(now: RunNow, order: str, *, ends: bool) -> str:
    """Why an order was not carried out; "" where it was.

    `ends`: the runner is to leave, too.
    """
    until = time.monotonic() + PATIENCE
    head = now.head
    while time.monotonic() < until:
        head = head.look()
        if head.answers.get(order):
            return head.answers[order]
        if order in head.answers and not (ends and head.alive):
            return ""
        if order not in head.answers and not head.alive and head.state != "elsewhere":
            return t("report.runs.over")
        time.sleep(LOOKS)
    if order in head.answers:
        return ""
    said = {"seconds": round(PATIENCE), "folder": now.folder}
    if head.state == "elsewhere" and head.began is not None:
        return t("report.runs.unanswered_elsewhere", host=head.began.host, **said)
    return t("report.runs.unanswered", **said)


def _nobody(now: RunNow) -> str:
    """Explain why no runner would follow the order, and how to continue the run."""
    from ...engines.batches.batch_snapshot import going_on

    began = now.head.began
    if now.state == "elsewhere" and began is not None:
        return t(
            "report.runs.elsewhere", folder=now.folder, host=began.host, ago=_ago(now)
        )
    command = going_on(began)
    if now.state in ("done", "failed") or not command:
        return t("report.runs.nobody", folder=now.folder)
    return t("report.runs.nobody_command", folder=now.folder, command=command)


def _ago(now: RunNow) -> str:
    from ..progress import span

    return span(max(time.time() - now.head.last, 0.0))


def _records() -> list[Record]:
    from ...engines.batches.registry import records

    return records(paths())


def _looked(folder: Path) -> RunNow:
    from ...engines.batches.runs import RunNow

    return RunNow(folder).look()


def _found(name: str) -> RunNow:
    """The run of this name. Raises: BadInput."""
    now = _looked(_folder(name))
    if now.kind is None:
        raise bad_input("wrong.led.gone", folder=now.folder)
    return now


def _folder(name: str, *, gone: bool = False) -> Path:
    """Resolve a path or the name of a listed run to its folder.

    `gone`: accept a folder that no longer holds a run. Raises: BadInput.
    """
    from ...sessions.folders import kind_of

    path = Path(name)
    if kind_of(path) is not None:
        return path.resolve()
    listed = list(dict.fromkeys(one.path for one in _records()))
    found = [one for one in listed if name in (one.name, str(one))] or [
        one for one in listed if gone and one == path.absolute()
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise bad_input(
            "wrong.led.several", name=name, folders=", ".join(map(str, found))
        )
    raise bad_input("wrong.led.unknown", name=name)
