"""`verifytui debate`: one topic, or every topic of a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..sessions.errors import BadInput
from . import console, options
from .screen import interface, open_app, speak

if TYPE_CHECKING:
    from ..sessions.journal import Journal
    from ..sessions.session import Header
    from .options import Maker


@click.command()
@click.argument("topic", required=False)
@options.common
@click.option("--save", type=click.Path(path_type=Path), metavar="FILE", help="Where the session is kept (default: the library).")
@click.option("--no-save", is_flag=True, help="Keep nothing on disk.")
@click.option("--output", type=click.Choice(["text", "json"]), default="text", show_default=True, help="json: one event a line.")
@click.option("--tui", is_flag=True, help="Open the app with exactly these settings instead.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the interface.")
@click.option(
    "--topics", type=click.Path(path_type=Path), metavar="FILE.jsonl", help='Batch: a line is {"id", "topic"} and any option of its own.'
)
@click.option("--into", type=click.Path(path_type=Path), metavar="DIR", help="Batch: one session file a line, summary.jsonl, report.json.")
@click.option("--concurrency", type=click.IntRange(1, 1000), metavar="N", help="Batch: debates at a time (default 16).")
@click.option("--budget-tokens", type=click.IntRange(min=1), metavar="N", help="Batch: no call is begun once DIR has cost so many tokens.")
@click.option("--budget-usd", type=float, metavar="X", help="Batch: no call is begun once DIR has cost so many US dollars.")
@click.option("--dry-run", is_flag=True, help="Batch: print the number of calls, tokens and price; call nobody.")
def debate(topic: str | None, **values: Any) -> int:
    """Let models debate TOPIC, or with --topics every topic of a file.

    Without --model the built-in script answers, which knows the bundled example topics only. A seat named human
    reads stdin: a speech ends at a line that holds only a dot, a verdict is one line of JSON.
    """
    interface(values["lang"])
    wishes = options.take(values)
    if values["topics"] is not None:
        return _batch(topic, wishes, values)
    for name in ("into", "concurrency", "budget_tokens", "budget_usd", "dry_run"):
        if values[name]:
            raise BadInput(f"--{name.replace('_', '-')} belongs to a batch; name its topics with --topics FILE.jsonl.")
    if topic is None:
        raise BadInput("There is no topic; give one in quotes, or a file of them with --topics FILE.jsonl --into DIR.")
    if values["save"] is not None and values["no_save"]:
        raise BadInput("--save and --no-save exclude each other; give one of them.")
    if values["save"] is not None and os.path.lexists(values["save"]):
        raise BadInput(f"{values['save']} exists already; name another file, or go on with it: verifytui resume {values['save']}")
    maker = options.workshop()
    header = maker.header(topic, wishes)
    if values["tui"]:
        return _app(header, values)
    options.script_knows(header)
    return _one(header, maker, values)


def _app(header: Header, values: dict[str, Any]) -> int:
    if values["no_save"]:
        raise BadInput("--no-save does not go with --tui: the app keeps what it plays; delete it from the library afterwards.")
    return open_app(None, header=header, save=values["save"])


def _one(header: Header, maker: Maker, values: dict[str, Any]) -> int:
    from .headless import go_on, output

    speak()
    journal = _journal(header, maker, values)
    try:
        return console.run(go_on(journal, maker.config, output(values["output"])))
    finally:
        if journal.path is not None:
            console.say(f"Saved in {journal.path}")
        journal.close()


def _journal(header: Header, maker: Maker, values: dict[str, Any]) -> Journal:
    from ..sessions.journal import Journal
    from ..sessions.library import Library

    if values["no_save"]:
        return Journal.create(None, header)
    if values["save"] is not None:
        return Journal.create(values["save"], header)
    return Library(maker.places).create(header)


def _batch(topic: str | None, wishes: options.Wishes, values: dict[str, Any]) -> int:
    from .batch import Batch, Limits

    if topic is not None:
        raise BadInput("Give either one TOPIC or --topics FILE.jsonl, not both.")
    if values["into"] is None:
        raise BadInput("A batch needs a folder for its sessions; name it with --into DIR.")
    for name in ("save", "no_save", "tui"):
        if values[name]:
            raise BadInput(f"--{name.replace('_', '-')} is for one debate, not for a batch; a batch keeps its sessions in --into DIR.")
    if values["budget_usd"] is not None and not 0 < values["budget_usd"] < float("inf"):
        raise BadInput("--budget-usd must be more than 0.")
    limits = Limits(values["concurrency"] or 16, values["budget_tokens"], values["budget_usd"])
    batch = Batch(options.workshop(), values["topics"], values["into"], wishes, limits)
    if values["dry_run"]:
        return batch.dry_run(values["output"])
    return batch.run(values["output"])
