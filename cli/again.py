"""The same command again, of a finished run: nothing is read and no model is asked."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..texts import language
from . import console

if TYPE_CHECKING:
    from ..engines.batches.kind import BatchKind
    from ..engines.batches.receipt import Receipt
    from ..engines.figures.gates import Gates

_SHOWS = (
    "into",
    "concurrency",
    "output",
    "fail_under",
    "fail_over",
    "max_unread",
    "min_coverage",
    "require_certified",
    "certificate",
)
"""Options of a batch that change neither its sessions nor its report."""
_ACTS = ("dry_run", "probe", "detach")
"""Options that do something else than run."""


def asked_now(read: Sequence[Path] = (), *, shows: bool = False) -> str:
    """Return a digest of the command and of everything it reads outside the folder.

    "" if the digest cannot be computed. `read`: further input files. `shows`: include
    the options that change how the report is printed.
    """
    from ..engines.batches.receipt import asked_digest
    from ..sessions.paths import paths

    context = click.get_current_context()
    if any(context.params.get(name) for name in _ACTS):
        return ""
    left_out = ("into", "concurrency") if shows else _SHOWS
    given = sorted(
        (name, value) for name, value in context.params.items() if name not in left_out
    )
    own = sorted(
        (name, value)
        for name, value in os.environ.items()
        if name.startswith("VERIFYTUI_")
    )
    width = shutil.get_terminal_size().columns if shows and sys.stdout.isatty() else 0
    words = [context.command_path, repr(given), repr(own), language(), str(width)]
    places = paths()
    paths_read = [path for _, value in given for path in _paths(value)] + [*read]
    if places.config_file.exists():
        paths_read.append(places.config_file)
    folders = (places.prompts, places.demonstrations, places.corpora)
    return asked_digest(words, paths_read, folders) or ""


def texts_in(value: Any) -> Iterator[str]:
    """Every text in plain values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts_in(one)


def _paths(value: object) -> Iterator[Path]:
    """List the paths in an option's value, and the texts that exist as paths."""
    if isinstance(value, Path):
        yield value
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _paths(one)
    elif isinstance(value, str) and "\0" not in value and os.path.lexists(value):
        yield Path(value)


def finished(into: Path | None, asked: str) -> Receipt | None:
    """The receipt of a run that is finished as it is asked for now; None where there is
    something to do, or to look at."""
    from ..engines.batches.receipt import read_receipt
    from ..engines.batches.registry import enlist, has_runner
    from ..sessions.paths import paths

    if into is None or not asked or has_runner(into):
        return None
    found = read_receipt(into, asked)
    if found is not None:
        enlist(into, paths())
        for sentence in found.said:
            console.say(sentence)
    return found


def print_batch(
    receipt: Receipt,
    into: Path,
    kind: BatchKind,
    gates: Gates,
    *,
    as_json: bool,
    certificates: Sequence[Path] = (),
) -> int:
    """Prints what the batch came to; returns the exit code."""
    import json

    from ..engines.batches.results import document_of
    from ..engines.judges.labelled import add_judges
    from ..engines.method import verdicts_of
    from ..engines.reports.batch import read_report
    from ..engines.reports.text import as_text
    from ..sessions.files import REPORT, SUMMARY

    say_state(receipt)
    report = read_report(json.loads((into / REPORT).read_text("utf-8")))
    add_judges(report, kind, into, verdicts_of, certificates)
    if as_json:
        console.out((into / SUMMARY).read_text("utf-8"))
    else:
        console.out(as_text(document_of(report, kind, into.resolve().name)))
    wanting = gates.failures(report)
    for sentence in wanting:
        console.say(sentence)
    if wanting:
        return console.FAILED
    return console.DONE


def say_state(receipt: Receipt) -> None:
    """Says how far the run is: it is finished."""
    from ..engines.batches.state import BatchState
    from .progress import text_of

    state = BatchState(receipt.lines, receipt.done, tokens=receipt.tokens)
    state.spent = receipt.spent
    console.note(text_of(state))


def keep_printed(into: Path, asked: str, text: str) -> None:
    """Keeps how the report of a run that has just finished was printed."""
    if asked:
        from ..engines.batches.receipt import add_printed

        add_printed(into, asked, text)
