"""`index`: the user's documents, made ready to be searched."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...sessions import plugins
from ...sessions.clean import clean
from ...sessions.errors import bad_input
from ...sessions.paths import paths
from ...texts import t
from ...texts.columns import cells, pad
from .. import bar, console
from ..command import command
from ..execution_options import dry_run_option
from ..flags import PATH, flag_option, output_option, typed_option, whole_option
from ..progress import span

if TYPE_CHECKING:
    from ...engines.retrieval.build import BuildReport
    from ...engines.retrieval.corpus import Corpora
    from ...engines.retrieval.kinds import FileFormat
    from ...engines.retrieval.plugin import CorpusUploader
    from ..dense import VectorBuild

NAMED = 3
"""Files that are named in a line which says why several were left out."""

REASONS = 40
"""Most such lines."""

UNREAD = 6
"""Kinds of files that are in the table though none of them was read; the others are one
line.
"""


@command()
@click.argument("sources", nargs=-1, type=PATH, metavar="[PATH…]")
@click.option("--name", required=True, metavar="NAME")
@flag_option("--add")
@flag_option("--replace")
@click.option("--words", metavar="KIND")
@typed_option("--limit-mb", click.FloatRange(min=0, min_open=True), "N")
@whole_option("--passage-size", 20, 2000)
@whole_option("--overlap", 0, 10)
@click.option("--include", multiple=True, metavar="PATTERN")
@click.option("--exclude", multiple=True, metavar="PATTERN")
@click.option("--ocr", metavar="COMMAND")
@click.option("--dense", metavar="MODEL|none")
@whole_option("--batch", 1, 96, 96)
@dry_run_option
@click.option("--to", metavar="ADDRESS")
@click.option("--token-env", metavar="NAME")
@output_option
def index(
    sources: tuple[Path, ...],
    name: str,
    dense: str | None,
    batch: int,
    dry_run: bool,
    to: str | None,
    token_env: str | None,
    output: str,
    **wanted: Any,
) -> int:
    """Make a corpus of folders and files, or bring it up to date."""
    from ...engines.retrieval.corpus import Corpora
    from ..dense import VectorBuild

    there = _uploader(name, to, token_env, dry_run=dry_run)
    vectors, corpora = VectorBuild(name, dense, batch), Corpora(paths())
    if dry_run:
        return _tried(corpora, vectors, sources, wanted, output)
    if there is not None and not sources and not corpora.path(name).is_dir():
        return there.take_up(output)
    report = _built(corpora, name, sources, wanted)
    if output == "text":
        told = t(
            "report.said.indexed",
            indexed=report.indexed,
            unchanged=report.unchanged,
            removed=report.removed,
            n=len(report.skipped),
        )
        console.out(f"{clean(name, newlines=False)}: {told}\n{_table(report.kinds)}")
    said, more, why = vectors.settle(corpora)
    if there is not None and not why:
        if said and output == "text":
            console.line(said)
        said, sent, why = there.send(corpora)
        more |= sent
    if output == "json":
        console.out_json({"name": name, **_as_json(report), **more})
    elif said:
        console.line(said)
    if why:
        console.say(why)
    if why or _warned(report):
        return console.FAILED
    return console.DONE


def _built(
    corpora: Corpora, name: str, sources: tuple[Path, ...], wanted: Mapping[str, Any]
) -> BuildReport:
    """Builds the corpus, and says what was left out of it."""
    from ...engines.retrieval.corpus import BuildCancelled

    progress = FileProgress()
    wanted = {name: None if one == () else one for name, one in wanted.items()}
    try:
        report = corpora.build(
            name, sources, progress=progress.show, pace=progress.pace, **wanted
        )
    except BuildCancelled:
        raise KeyboardInterrupt from None
    finally:
        progress.end()
    _say(report)
    return report


def _uploader(
    name: str, to: str | None, token_env: str | None, *, dry_run: bool
) -> CorpusUploader | None:
    """The destination of the corpus; None: none.

    Raises: BadInput with one sentence for any error.
    """
    from ...engines.retrieval.plugin import plugin_of

    if to is None:
        if token_env is not None:
            raise bad_input("wrong.milvus.token_alone")
        return None
    if dry_run:
        raise bad_input("wrong.milvus.dry_run")
    plugin = plugin_of(to) or plugins.load("retrievers", "milvus")
    found: CorpusUploader = plugin.upload(name, to, token_env)
    return found


def _as_json(report: BuildReport) -> dict[str, object]:
    return {
        "indexed": report.indexed,
        "unchanged": report.unchanged,
        "removed": report.removed,
        "skipped": [
            {"file": str(file), "reason": reason} for file, reason in report.skipped
        ],
        "remarks": [
            {"file": str(file), "remark": remark} for file, remark in report.remarks
        ],
        "kinds": [kind._asdict() for kind in report.kinds],
    }


def _tried(
    corpora: Corpora,
    vectors: VectorBuild,
    sources: tuple[Path, ...],
    wanted: Mapping[str, object],
    output: str,
) -> int:
    """Print what the vectors would cost.

    Builds the corpus in a temporary folder to count its passages.
    """
    with corpora.trial(vectors.name) as trial:
        report = _built(trial, vectors.name, sources, wanted)
        plan = vectors.plan(trial)
    if plan is None:
        raise bad_input("wrong.dense.dry_run")
    if output == "json":
        console.out_json({"name": vectors.name, **plan._asdict()})
    else:
        console.line(plan.describe(vectors.name))
    if _warned(report):
        return console.FAILED
    return console.DONE


def _warned(report: BuildReport) -> bool:
    """Says so if most files were left out."""
    from ...engines.retrieval.kinds import mostly_left_out

    left_out = mostly_left_out(report.kinds)
    if left_out is not None:
        console.tell(
            "report.said.mostly_left_out",
            left=f"{left_out[0]:,}",
            total=f"{left_out[1]:,}",
        )
    return left_out is not None


def _say(report: BuildReport) -> None:
    """Says why files and rows were left out, and how others were read: each reason
    once, with some of its files.
    """
    grouped: dict[tuple[str, str], list[str]] = {}
    for key, listed in (("left_out", report.skipped), ("remark", report.remarks)):
        for file, why in listed:
            grouped.setdefault((key, why), []).append(file)
    for (key, why), files in list(grouped.items())[:REASONS]:
        named = ", ".join(files[:NAMED])
        if len(files) > NAMED:
            named = t(
                "report.said.more_left_out", files=named, n=f"{len(files) - NAMED:,}"
            )
        console.tell(f"report.said.{key}", file=named, why=why, remark=why)
    if len(grouped) > REASONS:
        console.tell("report.said.reasons_left_out", n=f"{len(grouped) - REASONS:,}")


def _table(kinds: Sequence[FileFormat]) -> str:
    """The kinds of files, a line each: names on the left, figures on the right."""
    rows = [t("report.said.kinds").split("\t")]
    unread = [kind for kind in kinds if not kind.files]
    kinds, folded = (
        [kind for kind in kinds if kind.files] + unread[:UNREAD],
        unread[UNREAD:],
    )
    rows += [
        [
            clean(kind[0], newlines=False) or t("report.said.no_ending"),
            *(f"{count:,}" for count in kind[1:]),
        ]
        for kind in kinds
    ]
    if folded:
        left_out = sum(kind.left_out for kind in folded)
        rows.append(
            [
                t("report.said.more_endings", n=len(folded)),
                "0",
                "0",
                "0",
                "0",
                f"{left_out:,}",
            ]
        )
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(
            [
                pad(row[0], widths[0]),
                *(
                    " " * (width - cells(text)) + text
                    for text, width in zip(row[1:], widths[1:], strict=True)
                ),
            ]
        )
        + "\n"
        for row in rows
    )


class FileProgress:
    """Progress on stderr: a bar on a terminal, a line now and then elsewhere."""

    TERMINAL_SECONDS = 0.1
    LOG_SECONDS = 10.0

    def __init__(self) -> None:
        from ...engines.retrieval.pace import ReadingSpeed

        self._bar = sys.stderr.isatty()
        self._last = time.monotonic() if not self._bar else 0.0
        self._drawn = False
        self.pace = ReadingSpeed()

    def show(self, done: int, total: int, file: object) -> None:
        """Show the number of files read, the total, and the next file."""
        left = self.pace.left(done, total)
        now = time.monotonic()
        if now - self._last < (
            self.TERMINAL_SECONDS if self._bar else self.LOG_SECONDS
        ) and (done < total or not self._bar):
            return
        self._last = now
        name = (
            t("report.said.index_written")
            if done == total
            else clean(str(file), newlines=False)
        )
        if left is None or done == total:
            told = t(
                "report.said.files", done=f"{done:,}", total=f"{total:,}", name=name
            )
        else:
            told = t(
                "report.said.files_left",
                done=f"{done:,}",
                total=f"{total:,}",
                span=span(left),
                name=name,
            )
        if not self._bar:
            console.note(told)
            return
        bar.draw(
            done,
            total,
            _cut(told, max(bar.width() - 26, 12)),
            widest=20,
        )
        self._drawn = True

    def end(self) -> None:
        """The bar goes away."""
        if self._drawn:
            bar.clear()


def _cut(text: str, width: int) -> str:
    while cells(text) > width:
        text = text[:-1]
    return text
