"""`verifytui frame`: runs as a table with one row an item, for pandas, R and others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...sessions.errors import bad_input
from ...sessions.installation import install_command
from .. import console
from ..command import command
from ..flags import PATH, flag_option

if TYPE_CHECKING:
    from ...engines.figures.frame import ItemFrame

SUFFIXES = (".csv", ".jsonl", ".parquet")


@command()
@click.argument(
    "runs",
    nargs=-1,
    required=True,
    type=PATH,
    metavar="RUN…",
)
@click.option("-o", "--out", type=PATH, metavar="FILE", required=True)
@flag_option("--no-text")
def frame(runs: tuple[Path, ...], out: Path, no_text: bool) -> int:
    """Nothing is asked of a model, and no session is changed."""
    from ...engines.api import table_of

    if out.suffix.lower() not in SUFFIXES:
        raise bad_input("wrong.frame.suffix", path=out, names=", ".join(SUFFIXES))
    table = table_of(runs)
    if no_text:
        table = table.without_texts()
    _write(table, out)
    console.tell("report.said.frame", rows=len(table.rows), path=out)
    return console.DONE


def _write(table: ItemFrame, out: Path) -> None:
    """Raises: BadInput, WriteError."""
    from ...sessions.clean import json_line
    from ...sessions.export.table import sheet
    from ...sessions.files import write_whole

    suffix = out.suffix.lower()
    if suffix == ".csv":
        write_whole(out, sheet(table.columns, table.rows))
    elif suffix == ".jsonl":
        write_whole(out, "".join(map(json_line, table.rows)))
    else:
        _write_parquet(table, out)


def _write_parquet(table: ItemFrame, out: Path) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise bad_input(
            "wrong.frame.parquet", install=install_command("parquet")
        ) from None
    columns = {name: [row.get(name) for row in table.rows] for name in table.columns}
    parquet.write_table(pyarrow.table(columns), out)
