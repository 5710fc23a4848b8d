"""What the commands that make sessions share: the options of one session and of a batch, and how either is run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..sessions.errors import BadInput
from . import console
from .screen import open_app, speak

if TYPE_CHECKING:
    from ..sessions.journal import Journal
    from ..sessions.session import Header
    from .job import Job
    from .methods import Methods
    from .options import Maker

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
]
OF_A_BATCH = ("into", "concurrency", "budget_tokens", "budget_usd", "dry_run")
OF_ONE = ("save", "no_save", "tui")


def one_option(command: Command) -> Command:
    """`--save`, `--no-save`, `--tui`."""
    return _with(_ONE, command)


def both_options(command: Command) -> Command:
    """`--output`, `--lang`."""
    return _with(_BOTH, command)


def batch_options(command: Command) -> Command:
    """`--into`, `--concurrency`, `--budget-tokens`, `--budget-usd`, `--dry-run`."""
    return _with(_BATCH, command)


def _with(listed: Sequence[Callable[[Command], Command]], command: Command) -> Command:
    for option in reversed(listed):
        command = option(command)
    return command


def refuse(values: Mapping[str, Any], names: tuple[str, ...], why: str) -> None:
    """BadInput if one of these options was given: `--NAME` and why not."""
    for name in names:
        if values.get(name):
            raise BadInput(f"--{name.replace('_', '-')} {why}")


def check_save(values: Mapping[str, Any]) -> None:
    """BadInput where the session cannot be kept as was said."""
    save = values["save"]
    if save is not None and values["no_save"]:
        raise BadInput("--save and --no-save exclude each other; give one of them.")
    if save is not None and os.path.lexists(save):
        raise BadInput(f"{save} exists already; name another file, or go on with it: verifytui resume {save}")


def run_one(header: Header, maker: Maker, methods: Methods, values: Mapping[str, Any]) -> int:
    """One session from its beginning, printed and kept."""
    from .headless import go_on, output

    speak()
    journal = _journal(header, maker, values)
    try:
        return console.run(go_on(journal, maker.config, methods, output(values["output"], header.workspace)))
    finally:
        if journal.path is not None:
            console.say(f"Saved in {journal.path}")
        journal.close()
        methods.close()


def in_app(header: Header, values: Mapping[str, Any]) -> int:
    """The app on a new session."""
    if values["no_save"]:
        raise BadInput("--no-save does not go with --tui: the app keeps what it plays; delete it from the library afterwards.")
    return open_app(None, header=header, save=values["save"])


def run_batch(values: Mapping[str, Any], job: Callable[[], Job]) -> int:
    """A batch, or what it would cost."""
    from .batch import Batch, Limits

    if values["into"] is None:
        raise BadInput("A batch needs a folder for its sessions; name it with --into DIR.")
    refuse(values, OF_ONE, "is for one session, not for a batch; a batch keeps its sessions in --into DIR.")
    if values["budget_usd"] is not None and not 0 < values["budget_usd"] < float("inf"):
        raise BadInput("--budget-usd must be more than 0.")
    batch = Batch(job(), values["into"], Limits(values["concurrency"] or 16, values["budget_tokens"], values["budget_usd"]))
    return batch.dry_run(values["output"]) if values["dry_run"] else batch.run(values["output"])


def _journal(header: Header, maker: Maker, values: Mapping[str, Any]) -> Journal:
    from ..sessions.journal import Journal
    from ..sessions.library import Library

    if values["no_save"]:
        return Journal.create(None, header)
    if values["save"] is not None:
        return Journal.create(values["save"], header)
    return Library(maker.places).create(header)
