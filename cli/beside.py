"""`debate --beside sc`: what the model of the debates answers alone, over the same
topics, and whether the debates pay off.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..sessions.clean import json_line
from ..sessions.errors import Faults, bad_input
from . import console, flags, run_commands

if TYPE_CHECKING:
    from ..engines.batches.batch import Batch
    from ..engines.starting import Wishes

beside_option = click.option("--beside", type=click.Choice(["sc"]))
_APART = ("dry_run", "detach", "shard", "shards")


def check(values: flags.Values) -> None:
    """Raises: BadInput for options that nothing can run beside, and for a file in place
    of a folder.
    """
    from ..engines.debate.payoff import BESIDE

    for name in BESIDE if values["into"] is not None else ():
        if (folder := _folder(values["into"], name)).is_file():
            raise bad_input("wrong.batch.not_a_folder", path=folder)
    if values.get("kind") == "translation":
        raise bad_input("wrong.beside.translation", id="--kind translation")
    for name in _APART:
        if values.get(name):
            raise bad_input(
                "wrong.command.exclude",
                first="--beside",
                second=f"--{name.replace('_', '-')}",
            )


def run_beside(code: int, values: flags.Values, wishes: Wishes) -> int:
    """Runs one answer and self-consistency after the debates; prints the comparison.

    `code`: the exit code of the debates, which must have ended. Folders that are done
    are kept. Returns the exit code: the first of all that is not 0.
    """
    from ..engines.debate.payoff import BESIDE

    if code not in (console.DONE, console.FAILED):
        return code
    folders = {name: _folder(values["into"], name) for name in BESIDE}
    for name, into in folders.items():
        more = _alone(name, into, values, wishes)
        if more not in (console.DONE, console.FAILED):
            return more
        code = code or more
    _print(values["into"], folders, as_json=values["output"] == "json")
    return code


def _folder(debates: Path, name: str) -> Path:
    """The folder of what runs beside debates."""
    return debates.absolute().with_name(f"{debates.absolute().name}-{name}")


def _alone(name: str, into: Path, values: flags.Values, wishes: Wishes) -> int:
    from ..engines.debate.payoff import solo_lines
    from ..engines.figures.runs import read_run
    from ..engines.method import method
    from ..engines.starting import wishes as plain

    solo = method("solo")
    kind = solo.batches["topics"]

    def make(faults: Faults) -> Batch:
        starter = flags.workshop(many=True, faults=faults)
        lines = solo_lines(read_run(values["into"]), name, wishes.address)
        if not lines:
            raise bad_input("wrong.compare.nothing_finished")
        base = plain("solo", {})
        return run_commands.batch_of(
            solo, "topics", values, base, lines, (), starter, []
        )

    apart = {**values, **run_commands.NO_GATES, "into": into, "probe": False}
    return run_commands.run_batch(
        apart, kind, make, lambda folder, as_json: None, uses_receipt=False
    )


def _print(debates: Path, folders: Mapping[str, Path], *, as_json: bool) -> None:
    from ..engines.debate.payoff import payoff, table
    from ..engines.figures.compare import measures_of
    from ..engines.figures.runs import read_run
    from ..engines.method import method
    from ..engines.reports.text import WIDTH, table_lines

    ours = read_run(debates)
    others = {name: read_run(folder) for name, folder in folders.items()}
    runs = [ours, *others.values()]
    known = measures_of(runs, lambda name: method(name).measures)["accuracy"]
    if not any(case.item.fields.get("answers") for case in ours.cases.values()):
        console.tell("report.beside.no_answers")
        return
    found = {name: payoff(ours, run, known) for name, run in others.items()}
    whole = {name: one for name, one in found.items() if one is not None}
    if "sc" not in whole:
        console.tell("report.beside.no_answers")
    elif as_json:
        told = {name: one.as_json() for name, one in whole.items()}
        console.out(json_line({"beside": told}))
    else:
        console.out("\n".join(table_lines(table(whole), WIDTH)))
