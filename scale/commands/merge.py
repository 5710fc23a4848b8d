"""`verifytui merge`: merges the folders of all shards of a batch or a study."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...cli import bar, console
from ...cli.command import command
from ...cli.flags import (
    PATH,
    into_option,
    output_option,
    without_warning_option,
    workshop,
)
from ...sessions.clean import json_line
from ...sessions.errors import bad_input

if TYPE_CHECKING:
    from ..shards.batch_merging import Watch


@command()
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    type=PATH,
    metavar="DIR…",
)
@into_option
@without_warning_option
@output_option
def merge(
    folders: tuple[Path, ...],
    into: Path | None,
    without_warning: tuple[str, ...],
    output: str,
) -> int:
    """Calls no model, and leaves the shards unchanged."""
    from ...engines.batches.registry import enlist
    from ...engines.studies.manifest import is_study
    from ...sessions.paths import paths

    if into is None:
        raise bad_input("wrong.merge.no_into")
    again = next(
        (
            path
            for number, path in enumerate(folders)
            if path.resolve() in {folder.resolve() for folder in folders[:number]}
        ),
        None,
    )
    if again is not None:
        raise bad_input("wrong.merge.twice", path=again)
    studies = [is_study(path) for path in folders]
    if any(studies) and not all(studies):
        raise bad_input(
            "wrong.merge.mixed",
            path=folders[studies.index(True)],
            other=folders[studies.index(False)],
        )
    code = (
        _study(folders, into, output) if all(studies) else _batch(folders, into, output)
    )
    enlist(into, paths())
    return code


def _batch(folders: tuple[Path, ...], into: Path, output: str) -> int:
    from ...engines.batches.results import document_of
    from ...engines.method import method
    from ...engines.reports.text import as_text
    from ..shards.batch_merging import merge_batch

    silence = workshop().config.silence
    merged = merge_batch(folders, into, method, _watch(), silence)
    _say(merged.left_behind, into, len(folders))
    if output == "json":
        console.out("".join(map(json_line, merged.summary)))
    else:
        document = document_of(merged.report, merged.kind, into.resolve().name)
        console.out(as_text(document))
    if merged.report.failed:
        console.tell("report.said.merged_failed", n=merged.report.failed, into=into)
    return console.DONE


def _study(folders: tuple[Path, ...], into: Path, output: str) -> int:
    from ...cli.commands.study import print_report
    from ...engines.method import method
    from ..shards.study_merging import merge_study

    _say(
        merge_study(folders, into, method, workshop().config, _watch()),
        into,
        len(folders),
    )
    print_report(into, output)
    return console.DONE


def _say(left: list[Path], into: Path, shards: int) -> None:
    console.tell("report.said.merged", n=shards, into=into)
    if left:
        console.tell("report.said.left_behind", n=len(left), path=left[0])


def _watch() -> Watch:
    """Shows how many sessions were read, on a terminal."""
    if not sys.stderr.isatty():
        return lambda done, total: None

    def draw(done: int, total: int) -> None:
        if done % 50 == 0:
            bar.draw(done, total, f"{done:,}/{total:,}")
        if done == total:
            bar.clear()

    return draw
