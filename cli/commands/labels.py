"""`labels`: the files of labels of a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...sessions.clean import clean
from ...sessions.errors import BadInput, bad_input
from ...texts import t
from .. import console
from ..command import group
from ..flags import PATH, flag_option, output_option, typed_option

if TYPE_CHECKING:
    from ...sessions.label_merge import FilesOfPerson, MergedLabels


def _tool_option(*names: str, more: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    tools = click.Choice(("label-studio", "inception", "argilla", *more))
    return click.option(*names, type=tools, required=True)


@group()
def labels() -> None:
    """The files of labels of a folder."""


@labels.command()
@click.argument("folder", type=PATH, metavar="DIR")
@click.argument("more", nargs=-1, type=PATH, metavar="[FILE…]")
@flag_option("--newest")
@typed_option("--prefer", PATH, "FILE")
@output_option
def merge(
    folder: Path,
    more: tuple[Path, ...],
    newest: bool,
    prefer: Path | None,
    output: str,
) -> int:
    """Merge several files of labels of one person into one."""
    return merged(folder, more, newest, prefer, output)


@labels.command(name="export")
@click.argument("folder", type=PATH, metavar="DIR")
@click.argument("file", type=PATH, metavar="FILE")
@_tool_option("--to", more=("inspect",))
def export_to(folder: Path, file: Path, to: str) -> int:
    """Write everybody's labels for another tool."""
    from ...sessions import label_exchange

    pairs = label_exchange.labeled_pairs(folder)
    if to == "inspect":
        from ...engines.figures.precomputed_scores import write_scores

        write_scores(folder, pairs, file)
    else:
        label_exchange.write(pairs, to, file)
    n = sum(len(one.labels) for one in pairs)
    console.tell("report.said.labels_written", n=n, pairs=len(pairs))
    return console.DONE


@labels.command(name="import")
@click.argument("folder", type=PATH, metavar="DIR")
@click.argument("file", type=PATH, metavar="FILE")
@_tool_option("--from", "tool")
@click.option("--name", "names", multiple=True, metavar="USER=NAME")
@flag_option("--newest")
@output_option
def import_from(
    folder: Path,
    file: Path,
    tool: str,
    names: tuple[str, ...],
    newest: bool,
    output: str,
) -> int:
    """Add the labels in another tool's file to those of the folder."""
    from tempfile import TemporaryDirectory

    from ...sessions import label_exchange

    people = {user: name for user, _, name in (one.rpartition("=") for one in names)}
    if not all(people):
        raise bad_input("wrong.labels.exchange_name")
    pairs = label_exchange.labeled_pairs(folder)
    read = label_exchange.read(file, tool, pairs, people)
    if read.unmatched:
        console.tell("report.said.labels_unmatched", n=read.unmatched)
    if not read.labels:
        raise bad_input("wrong.labels.exchange_none", path=file)
    with TemporaryDirectory() as made:
        given = label_exchange.as_files(read.labels, Path(made))
        return merged(folder, tuple(given), newest, None, output)


def merged(
    folder: Path,
    more: tuple[Path, ...],
    newest: bool,
    prefer: Path | None,
    output: str,
) -> int:
    """Makes one file of labels a person, and says so. Raises: BadInput."""
    from ...sessions import label_merge

    if newest and prefer is not None:
        raise bad_input("wrong.labels.merge_both")
    people = label_merge.doubles(folder, more)
    if prefer is not None and prefer not in {
        read.path for one in people for read in one.read
    }:
        raise bad_input("wrong.labels.merge_prefer", path=prefer)
    undecided = [one for one in people if _is_open(one, prefer)]
    if undecided and not newest:
        raise BadInput(_differences(undecided))
    if not people and output == "text":
        console.tell("report.said.merged_none")
    for one in people:
        _say(label_merge.merge(one, prefer, folder_of(one, folder, more), more), output)
    return console.DONE


@labels.command()
@click.argument("folder", type=PATH, metavar="DIR")
@output_option
def notes(folder: Path, output: str) -> int:
    """List the annotators' notes, those without a reply first."""
    from ...engines.relevance import labeling_overview
    from ...engines.relevance.overview_report import note_json, note_line
    from ...sessions.label_store import LabelStore

    for one in labeling_overview.notes(LabelStore.of_pairs(folder, labeler="")):
        if output == "json":
            console.out_json(note_json(one))
        else:
            console.line(clean(note_line(one), newlines=False))
    return console.DONE


@labels.command()
@click.argument("folder", type=PATH, metavar="DIR")
@click.argument("annotator")
@click.argument("query")
@click.argument("candidate")
@click.argument("text")
@click.option("--by", required=True, metavar="NAME")
def reply(
    folder: Path, annotator: str, query: str, candidate: str, text: str, by: str
) -> int:
    """Reply to the note of an annotator."""
    from ...engines.relevance import labeling_overview
    from ...sessions.annotators import GOLD, name_of, same_name
    from ...sessions.label_store import LabelStore
    from ...sessions.labels import LabelFile

    if not text.strip():
        raise bad_input("wrong.labels.empty_reply")
    lead = name_of(by)
    store = LabelStore.of_pairs(folder, labeler="")
    wanted = (same_name(annotator), query, candidate)
    found = [
        one
        for one in labeling_overview.notes(store)
        if (one.annotator, one.pair.query, one.pair.candidate) == wanted
    ]
    if not found:
        raise bad_input("wrong.labels.no_note", path=folder)
    with LabelFile.open(folder, GOLD, adjudicator=True) as file:
        labeling_overview.reply_to(file, found[0], lead, text)
    return console.DONE


def folder_of(one: FilesOfPerson, folder: Path, more: tuple[Path, ...]) -> Path:
    """Return the folder for a person's merged file.

    The folder of the person's existing files, otherwise the labels folder.
    """
    from ...sessions.labels import writable_folder

    here = [read.path.parent for read in one.read if read.path not in more]
    return here[0] if here else writable_folder(folder)


def _is_open(one: FilesOfPerson, prefer: Path | None) -> bool:
    """Whether the files differ and no rule says which one counts."""
    return any(prefer not in conflict.labels for conflict in one.conflicts)


def _differences(people: list[FilesOfPerson]) -> str:
    from ...sessions.label_merge import told

    conflicts = [conflict for one in people for conflict in one.conflicts]
    listed = "; ".join(map(told, conflicts[:10]))
    more = " …" if len(conflicts) > 10 else ""
    return t(
        "wrong.labels.merge_differ",
        names=clean(", ".join(one.annotator for one in people), newlines=False)[:200],
        n=len(conflicts),
        pairs=clean(listed, newlines=False)[:2000] + more,
    )


def _say(merged: MergedLabels, output: str) -> None:
    kept = [str(path) for path in merged.kept]
    if output == "json":
        console.out_json(
            {
                "annotator": merged.annotator,
                "file": str(merged.file),
                "labels": merged.labels,
                "differed": len(merged.conflicts),
                "kept": kept,
            }
        )
        return
    console.line(
        t(
            "report.said.merged_labels",
            annotator=clean(merged.annotator, newlines=False),
            file=clean(str(merged.file), newlines=False),
            n=merged.labels,
            differed=len(merged.conflicts),
        )
    )
    for path in kept:
        console.line(t("report.said.merged_kept", path=clean(path, newlines=False)))
