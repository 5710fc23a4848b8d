"""`sessions`: the library of saved sessions from the command line."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ...sessions.clean import clean, json_line
from ...sessions.entry_store import without_collecting
from ...sessions.errors import bad_input
from ...sessions.library import Library
from ...sessions.paths import paths
from ...sessions.summary import SessionSummary
from ...texts.settings import word
from .. import console
from ..command import group
from ..flags import PATH, output_option, typed_option

AT_ONCE = 1000
"""Sessions that are printed together: a command that reads them has them soon."""


@group(invoke_without_command=True)
@output_option
@typed_option("--folder", PATH, "DIR")
@click.option("--find", metavar="TEXT")
@click.pass_context
def sessions(
    ctx: click.Context, output: str, folder: Path | None, find: str | None
) -> int | None:
    """List saved sessions, newest first, forks under their parent; or change them with
    a sub-command.
    """
    if ctx.invoked_subcommand is not None:
        return None
    if folder is not None and not folder.is_dir():
        raise bad_input("wrong.file.no_folder", folder=folder)
    library = Library(paths())
    with without_collecting():
        found = library.find(find, folder) if find else library.entries(folder)
        _print(found, output)
    return console.DONE


@sessions.command()
@click.argument("session")
@click.argument("title")
def rename(session: str, title: str) -> int:
    """Give SESSION another TITLE."""
    library = Library(paths())
    library.rename(_path(session, library.entries()), title)
    return console.DONE


@sessions.command()
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION…")
def delete(sessions: tuple[str, ...]) -> int:
    """Move sessions to the bin, and print where they are now."""
    library = Library(paths())
    known = library.entries()
    for path in [_path(one, known) for one in sessions]:
        console.out(f"{library.delete(path)}\n")
    return console.DONE


@sessions.command(name="bin")
@output_option
def bin_(output: str) -> int:
    """List what is in the bin."""
    _print(Library(paths()).bin(), output)
    return console.DONE


@sessions.command()
@click.argument("session")
def restore(session: str) -> int:
    """Take SESSION out of the bin, and print where it is now."""
    library = Library(paths())
    path = _path(session, library.bin())
    if path.resolve().parent != library.paths.bin.resolve():
        raise bad_input("wrong.command.not_in_bin", path=path)
    console.out(f"{library.restore(path)}\n")
    return console.DONE


@sessions.command(name="empty-bin")
def empty_bin() -> int:
    """Throw away for good what is in the bin."""
    count = Library(paths()).empty_bin()
    console.tell("report.said.thrown_away", count=count)
    return console.DONE


@sessions.command()
@click.argument("session")
def duplicate(session: str) -> int:
    """Copy SESSION within the library, and print where the copy is."""
    library = Library(paths())
    console.out(f"{library.duplicate(_path(session, library.entries()))}\n")
    return console.DONE


def _path(name: str, known: list[SessionSummary]) -> Path:
    """Resolve a path, an id or a file name to one session file.

    Raises: BadInput if none or several match.
    """
    if os.path.lexists(name):
        return Path(name)
    found = [
        entry.path
        for entry in known
        if name in (entry.id, entry.file, entry.file.rpartition(".")[0])
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise bad_input("wrong.command.several_sessions", name=name, n=len(found))
    raise bad_input("wrong.command.no_session", name=name)


def _print(entries: list[SessionSummary], output: str) -> None:
    line = _json_line if output == "json" else _line
    for start in range(0, len(entries), AT_ONCE):
        console.out("".join(map(line, entries[start : start + AT_ONCE])))


def _json_line(entry: SessionSummary) -> str:
    from msgspec import to_builtins

    return json_line(to_builtins(entry))


def _line(entry: SessionSummary) -> str:
    state = (
        entry.broken
        or entry.result
        or word("undecided" if entry.undecided else entry.status)
    )
    title = "  " * entry.depth + (entry.title or entry.file)
    text = f"{entry.created[:16]:<16}  {title}  [{state}]  {entry.place}"
    return clean(text, newlines=False) + "\n"
