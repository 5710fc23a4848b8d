"""`index`: the user's documents, made ready to be searched."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from ...sessions.clean import clean
from ...sessions.paths import paths
from ...texts import t
from .. import bar, console
from ..command import command
from ..flags import PATH, output_option


@command()
@click.argument("sources", nargs=-1, required=True, type=PATH, metavar="PATH…")
@click.option("--name", required=True, metavar="NAME")
@click.option("--words", metavar="KIND")
@click.option("--limit-mb", type=click.FloatRange(min=0, min_open=True), metavar="N")
@output_option
def index(sources: tuple[Path, ...], name: str, words: str | None, limit_mb: float | None, output: str) -> int:
    """Make a corpus of folders and files: .txt .md .jsonl .csv .html .pdf .docx. Run again it reads only what changed."""
    from ...engines.retrieval.corpus import Cancelled, Corpora

    progress = FileProgress()
    try:
        report = Corpora(paths()).build(name, sources, words=words, limit_mb=limit_mb, progress=progress.show)
    except Cancelled:
        raise KeyboardInterrupt from None
    finally:
        progress.end()
    for file, reason in report.skipped:
        console.say(t("report.said.left_out", file=file, why=reason))
    if output == "json":
        skipped = [{"file": str(file), "reason": reason} for file, reason in report.skipped]
        counts = {"indexed": report.indexed, "unchanged": report.unchanged, "removed": report.removed}
        console.out_json({"name": name, **counts, "skipped": skipped})
    else:
        told = t("report.said.indexed", indexed=report.indexed, unchanged=report.unchanged, removed=report.removed, n=len(report.skipped))
        console.out(f"{clean(name, newlines=False)}: {told}\n")
    return console.DONE


class FileProgress:
    """Progress on stderr: a bar on a terminal, a line now and then elsewhere."""

    TERMINAL_SECONDS = 0.1
    LOG_SECONDS = 10.0

    def __init__(self) -> None:
        self._bar = sys.stderr.isatty()
        self._last = time.monotonic() if not self._bar else 0.0
        self._drawn = False

    def show(self, done: int, total: int, file: object) -> None:
        """So many files of so many are read; this one is next."""
        now = time.monotonic()
        if now - self._last < (self.TERMINAL_SECONDS if self._bar else self.LOG_SECONDS):
            return
        self._last = now
        name = clean(str(file), newlines=False)
        if not self._bar:
            console.say(t("report.said.files", done=done, total=total, name=name))
            return
        bar.draw(done, total, f"{done}/{total} {name}"[: max(bar.width() - 26, 12)], widest=20)
        self._drawn = True

    def end(self) -> None:
        """The bar goes away."""
        if self._drawn:
            bar.clear()
