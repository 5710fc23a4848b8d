"""`index` and `corpora`: the user's documents, made ready to be searched."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..sessions.clean import clean
from ..sessions.errors import BadInput
from ..sessions.paths import paths
from . import console
from .options import output_option

if TYPE_CHECKING:
    from ..engines.retrieval.corpus import Corpora


@click.command()
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH…")
@click.option("--name", required=True, metavar="NAME", help="What the corpus is called.")
@click.option("--words", metavar="KIND", help="How Chinese is cut into words: jieba, bigrams or jieba+bigrams.")
@click.option("--limit-mb", type=click.FloatRange(min=0, min_open=True), metavar="N", help="Leave files larger than this out (default 50).")
@output_option
def index(sources: tuple[Path, ...], name: str, words: str | None, limit_mb: float | None, output: str) -> int:
    """Make a corpus of folders and files: .txt .md .jsonl .csv .html .pdf .docx. Run again it reads only what changed."""
    from ..engines.retrieval.corpus import Cancelled

    bar = Bar()
    try:
        report = _corpora().build(name, sources, words=words, limit_mb=limit_mb, progress=bar.show)
    except Cancelled:
        raise KeyboardInterrupt from None
    finally:
        bar.end()
    for file, reason in report.skipped:
        console.say(f"left out: {file}: {reason}")
    if output == "json":
        skipped = [{"file": str(file), "reason": reason} for file, reason in report.skipped]
        counts = {"indexed": report.indexed, "unchanged": report.unchanged, "removed": report.removed}
        console.out(console.json_line({"name": name, **counts, "skipped": skipped}))
    else:
        told = f"{report.indexed} indexed, {report.unchanged} unchanged, {report.removed} removed, {len(report.skipped)} left out"
        console.out(f"{clean(name, newlines=False)}: {told}\n")
    return console.DONE


@click.group(invoke_without_command=True)
@output_option
@click.pass_context
def corpora(ctx: click.Context, output: str) -> int | None:
    """List corpora; or search or delete one with a sub-command."""
    return _list(output) if ctx.invoked_subcommand is None else None


@corpora.command(name="list")
@output_option
def list_(output: str) -> int:
    """List corpora, the bundled example first."""
    return _list(output)


@corpora.command()
@click.argument("name")
def delete(name: str) -> int:
    """Delete the corpus NAME. The documents it was made of stay."""
    _corpora().delete(name)
    return console.DONE


@corpora.command()
@click.argument("name", metavar="NAME|PATH")
@click.argument("query")
@click.option("--k", type=click.IntRange(1, 1000), default=5, show_default=True, metavar="N", help="Passages at most.")
@output_option
def search(name: str, query: str, k: int, output: str) -> int:
    """Print the passages of a corpus that fit QUERY best."""
    from msgspec import to_builtins

    from ..engines.retrieval.port import RetrievalError

    try:
        corpus = _corpora().open(name)
    except RetrievalError as error:
        raise BadInput(str(error)) from None
    try:
        found = corpus.search(query, k)
    finally:
        corpus.close()
    if found.unknown:
        console.say(f"In no document: {', '.join(found.unknown)}")
    if not found.references and found.message:
        console.say(found.message)
    for one in found.references:
        if output == "json":
            console.out(console.json_line(to_builtins(one)))
        else:
            score = "" if one.score is None else f"  {one.score:.2f}"
            console.out(clean(f"[{one.n}] {one.title or one.id}{score}  {one.file or ''}".rstrip(), newlines=False) + "\n")
            console.out("".join(f"    {line}\n" for line in clean(one.text).splitlines()))
    return console.DONE


class Bar:
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
            console.say(f"{done}/{total} files: {name}")
            return
        width = shutil.get_terminal_size().columns
        full = 20 * done // max(total, 1)
        self._write(f"\r[{'#' * full}{'.' * (20 - full)}] {done}/{total} {name}"[:width] + "\x1b[K")
        self._drawn = True

    def end(self) -> None:
        """The bar goes away."""
        if self._drawn:
            self._write("\r\x1b[K")

    @staticmethod
    def _write(text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            return


def _corpora() -> Corpora:
    from ..engines.retrieval.corpus import Corpora

    return Corpora(paths())


def _list(output: str) -> int:
    for one in _corpora().list():
        if output == "json":
            console.out(console.json_line({**one._asdict(), "path": str(one.path)}))
        else:
            told = one.problem or f"{one.passages} passages of {one.documents} documents, {one.languages}, words by {one.words}"
            console.out(clean(f"{one.name}  {told}  {one.built[:16]}  {one.path}", newlines=False) + "\n")
    return console.DONE
