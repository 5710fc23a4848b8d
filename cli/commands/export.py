"""`export`: a session as Markdown, HTML, JSON lines or CSV; a batch or a session as a
log of inspect_ai; levels of relevance for other tools.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from ...sessions.errors import BadInput, bad_input
from ...sessions.events import rated
from .. import console
from ..command import command
from ..flags import PATH, flag_option, many_option, without_option


@command()
@click.argument("file", type=PATH, metavar="FILE|DIR")
@click.option(
    "--to",
    type=click.Choice(["md", "html", "jsonl", "csv", "qrels", "run", "inspect"]),
)
@click.option("--rater", metavar="NAME")
@many_option("--raters", "NAME,…")
@without_option
@flag_option("--majority")
@flag_option("--gold")
@click.option("--sum", "summed", is_flag=True)
@click.option("-o", "--out", "target", type=PATH, metavar="OUT")
def export(
    file: Path,
    to: str | None,
    rater: str | None,
    raters: tuple[str, ...],
    without_rater: tuple[str, ...],
    majority: bool,
    gold: bool,
    summed: bool,
    target: Path | None,
) -> int:
    """Write the session FILE as Markdown, HTML, JSON lines or CSV."""
    from ...sessions.files import BATCH, PAGE

    page = file / PAGE
    if to in (None, "md", "html") and page.is_file():
        raise bad_input("wrong.export.batch", folder=file, page=page)
    if to is None:
        raise bad_input("wrong.export.no_format")
    if to == "csv" and (file / BATCH).is_file() and not _has_levels(file):
        from ...engines.api import table_of
        from ...sessions.export.table import sheet

        table = table_of([file])
        return _write(sheet(table.columns, table.rows), target)
    rules = {"majority": majority, "gold": gold, "sum": summed}
    if to == "inspect":
        given = {"rater": rater is not None, **rules, "raters": bool(raters)}
        return _inspect_log(file, [name for name, one in given.items() if one], target)
    return _write(_exported(file, to, rater, raters, rules, without_rater), target)


def _has_levels(folder: Path) -> bool:
    """Whether a batch is of sessions with levels of relevance, judged by the first that
    can be read.
    """
    from ...sessions.case_pairs import session_files
    from ...sessions.journal import read_session

    for file in session_files(folder):
        with suppress(BadInput):
            return rated(read_session(file).method)
    return False


def _inspect_log(file: Path, given: Sequence[str], target: Path | None) -> int:
    """Writes a log of inspect_ai. `given`: options that are about levels.

    Raises: BadInput, SessionError, WriteError.
    """
    from ...engines.api import log_of
    from ...engines.figures.other_results import EVAL
    from ...sessions.files import write_whole

    if given:
        raise bad_input("wrong.export.rater", option=given[0], format="inspect")
    if target is None or target.suffix != EVAL:
        raise bad_input("wrong.export.no_eval")
    if target.exists():
        raise bad_input("wrong.export.exists", target=target)
    write_whole(target, log_of(file))
    return console.DONE


def _write(text: str, target: Path | None) -> int:
    """Prints a text, or writes it to a new file. Raises: BadInput, WriteError."""
    from ...sessions.files import write_whole

    if target is None:
        console.out(text)
        return console.DONE
    if target.exists():
        raise bad_input("wrong.export.exists", target=target)
    write_whole(target, text)
    return console.DONE


def _exported(
    file: Path,
    to: str,
    rater: str | None,
    raters: tuple[str, ...],
    rules: dict[str, bool],
    without: tuple[str, ...],
) -> str:
    hows = [
        name for name, given in {"rater": rater is not None, **rules}.items() if given
    ]
    if len(hows) > 1:
        raise bad_input(
            "wrong.command.exclude", first=f"--{hows[0]}", second=f"--{hows[1]}"
        )
    if hows and to in ("md", "html"):
        raise bad_input("wrong.export.rater", option=hows[0], format=to)
    if raters and (file.is_dir() or to not in ("md", "html")):
        raise bad_input("wrong.export.raters")
    if file.is_dir() or to in ("qrels", "run") or hows:
        from ..labels_out import exported as labels_exported

        return labels_exported(file, to, hows[0] if hows else None, rater, without)
    from ...engines.blocks import export as exported
    from ...engines.method import method_of
    from ...sessions.journal import Journal
    from ...sessions.label_store import LabelStore

    journal = Journal.open(file, write=False)
    if journal.torn:
        console.say(journal.torn)
    session = journal.session
    ratings = (
        method_of(session.header).ratings
        if to in ("md", "html") and rated(session.method)
        else None
    )
    if ratings is not None:
        session = ratings.with_labels(
            session, LabelStore.of_pairs(file, without=without).people
        )
    return exported(session, to, raters)
