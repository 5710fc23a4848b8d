"""`verifytui merge`: joins the folders of all shards of a batch or of a study."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...sessions.clean import json_line
from ...sessions.errors import BadInput
from ...texts import t
from .. import bar, console
from ..command import command
from ..flags import PATH, output_option, workshop

if TYPE_CHECKING:
    from ...engines.batches.merging import Watch


@command()
@click.argument("folders", nargs=-1, required=True, type=PATH, metavar="DIR…")
@click.option("--into", type=PATH, metavar="DIR")
@output_option
def merge(folders: tuple[Path, ...], into: Path | None, output: str) -> int:
    """Nobody is asked, and the shards stay as they are."""
    from ...engines.batches.registry import enlist
    from ...engines.studies.manifest import is_study
    from ...sessions.paths import paths

    if into is None:
        raise BadInput(t("wrong.merge.no_into"))
    again = next(
        (
            path
            for number, path in enumerate(folders)
            if path.resolve() in {one.resolve() for one in folders[:number]}
        ),
        None,
    )
    if again is not None:
        raise BadInput(t("wrong.merge.twice", path=again))
    studies = [is_study(path) for path in folders]
    if any(studies) and not all(studies):
        raise BadInput(
            t(
                "wrong.merge.mixed",
                path=folders[studies.index(True)],
                other=folders[studies.index(False)],
            )
        )
    code = (
        _study(folders, into, output) if all(studies) else _batch(folders, into, output)
    )
    enlist(into, paths())
    return code


def _batch(folders: tuple[Path, ...], into: Path, output: str) -> int:
    from ...engines.batches.merging import merge_batch
    from ...engines.batches.results import document_of
    from ...engines.method import method
    from ...engines.reports.text import as_text

    merged = merge_batch(folders, into, method, _watch())
    _say(merged.left_behind, into, len(folders))
    if output == "json":
        console.out("".join(map(json_line, merged.summary)))
    else:
        document = document_of(merged.report, merged.kind, into.resolve().name)
        console.out(as_text(document))
    if merged.report.failed:
        console.say(t("report.said.merged_failed", n=merged.report.failed, into=into))
    return console.DONE


def _study(folders: tuple[Path, ...], into: Path, output: str) -> int:
    from ...engines.method import method
    from ...engines.studies.merging import merge_study
    from .study import print_report

    _say(
        merge_study(folders, into, method, workshop().config, _watch()),
        into,
        len(folders),
    )
    print_report(into, output)
    return console.DONE


def _say(left: list[Path], into: Path, shards: int) -> None:
    console.say(t("report.said.merged", n=shards, into=into))
    if left:
        console.say(t("report.said.left_behind", n=len(left), path=left[0]))


def _watch() -> Watch:
    """Draws how many sessions were read, where somebody watches."""
    if not sys.stderr.isatty():
        return lambda done, total: None

    def draw(done: int, total: int) -> None:
        if done % 50 == 0:
            bar.draw(done, total, f"{done:,}/{total:,}")
        if done == total:
            bar.clear()

    return draw
