"""`export`, `import`, `locate` and `schema`."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import click

from ..sessions.errors import BadInput, WriteError
from . import console
from .options import output_option


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE|DIR")
@click.option("--to", required=True, type=click.Choice(["md", "html", "jsonl", "csv", "qrels", "run"]), help="The format.")
@click.option("--rater", metavar="NAME", help="qrels, run: machine, gold or an annotator (default: people's levels, else the machine's).")
@click.option("-o", "--out", "target", type=click.Path(path_type=Path), metavar="OUT", help="The file to write (default: stdout).")
def export(file: Path, to: str, rater: str | None, target: Path | None) -> int:
    """Write the session FILE as Markdown, HTML, JSON lines or CSV.

    Levels of relevance also as qrels or a TREC run; and a DIR of such sessions as jsonl or csv with one pair a line.
    """
    text = _exported(file, to, rater)
    if target is None:
        console.out(text)
    elif target.exists():
        raise BadInput(f"{target} exists already and an export does not replace it; name another file with -o.")
    else:
        write_whole(target, text)
    return console.DONE


def _exported(file: Path, to: str, rater: str | None) -> str:
    if rater is not None and to not in ("qrels", "run"):
        raise BadInput(f"--rater has no meaning for {to}; it goes with --to qrels or --to run.")
    if file.is_dir() or to in ("qrels", "run"):
        from .labels_out import exported as labels_exported

        return labels_exported(file, to, rater)
    from ..sessions.export import export as exported
    from ..sessions.journal import Journal

    journal = Journal.open(file, write=False)
    if journal.torn:
        console.say(journal.torn)
    if journal.session.workspace == "relevance" and to in ("md", "html"):
        from ..engines.relevance.agreed import agreement_blocks

        return exported(journal.session, to, agreement_blocks(journal.session))
    return exported(journal.session, to)


def write_whole(path: Path, text: str) -> None:
    """Writes a file so that it is there as a whole or not at all. BadInput where it cannot be written, WriteError on a full disk."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        kind = WriteError if console.disk_is_full(error) else BadInput
        raise kind(f"{path} cannot be written ({error.strerror or error}).") from None


@click.command(name="locate")
@output_option
def locate(output: str) -> int:
    """Print every path that VerifyTUI uses."""
    from ..sessions.paths import paths

    places = {name: str(path) for name, path in paths().all().items()}
    if output == "json":
        console.out(console.json_line(places))
        return console.DONE
    width = max(map(len, places))
    for name, path in places.items():
        console.out(f"{name:<{width}}  {path}\n")
    return console.DONE


@click.command()
def schema() -> int:
    """Print the JSON Schema of a session's header and events."""
    from ..sessions.schema import schema as made

    console.out(json.dumps(made(), ensure_ascii=False, indent=2) + "\n")
    return console.DONE


@click.command(name="import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--into", type=click.Path(path_type=Path), metavar="DIR", help="The folder for the sessions (default: the library).")
def import_(files: tuple[Path, ...], into: Path | None) -> int:
    """Make sessions of recorded debates: .json (one object) or .jsonl (one a line). Prints the paths written."""
    from .importing import import_files

    return import_files(files, into)
