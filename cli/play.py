"""`open` (a file or a folder without a command), `resume` and `replay`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from ..sessions.errors import BadInput, SessionError
from . import console
from .screen import has_terminal, interface, open_app, speak

LONGEST_PAUSE = 5.0
"""Seconds; a recorded pause longer than this is cut to it."""

lang_option = click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the interface.")
theme_option = click.option("--theme", metavar="NAME", help="Colours of the app.")
SPEEDS = click.Choice(["1", "2", "4", "max"])


@click.command(name="open", hidden=True)
@click.argument("target", type=click.Path(path_type=Path))
@lang_option
@theme_option
def open_(target: Path, lang: str | None, theme: str | None) -> int:
    """Open the app on a session file, or on a folder of sessions."""
    interface(lang, theme)
    return open_app(target)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--output", type=click.Choice(["text", "json"]), default="text", show_default=True, help="json: one event a line.")
@click.option("--tui", is_flag=True, help="Open it in the app instead.")
@click.option("--retriever", metavar="URL", help="Where a session looks that was begun with an address; sessions keep none.")
@lang_option
@theme_option
def resume(file: Path, output: str, tui: bool, retriever: str | None, lang: str | None, theme: str | None) -> int:
    """Go on with the unfinished session in FILE, and print it from its start."""
    interface(lang, theme)
    if tui:
        if retriever is not None:
            raise BadInput("--tui needs a retriever with a name: put its address under `retrievers:` in config.yaml.")
        _must_exist(file)
        return open_app(file)
    from ..sessions.journal import Journal
    from .headless import go_on
    from .headless import output as output_for
    from .methods import Methods
    from .options import workshop
    from .person import Person

    maker = workshop()
    speak()
    journal = Journal.open(file)
    methods = Methods(maker.config, maker.places, Person(), url=retriever, foreign=True)
    try:
        session = journal.session
        if not methods.of(session.header).engine.finished(session):
            if not journal.writable:
                raise SessionError(f"{file} can only be read: {journal.why_read_only}")
            methods.open(session.header)
        return console.run(go_on(journal, maker.config, methods, output_for(output, session.workspace)))
    finally:
        journal.close()
        methods.close()


@click.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--plain", is_flag=True, help="Print it as text instead of opening the app; so it is where stdout is no terminal.")
@click.option("--speed", type=SPEEDS, help="1 is the recorded time with pauses of at most 5 s (default; as plain text: max).")
@lang_option
@theme_option
def replay(file: Path, plain: bool, speed: str | None, lang: str | None, theme: str | None) -> int:
    """Play the recorded session FILE (- is stdin) again: no model, no network."""
    interface(lang, theme)
    data = sys.stdin.buffer.read() if str(file) == "-" else None
    if plain or not has_terminal():
        return _print(file, data, speed or "max")
    if data is None:
        _must_exist(file)
    return open_app(None if data is not None else file, replay=True, speed=speed or "1", stdin_bytes=data)


def _print(file: Path, data: bytes | None, speed: str) -> int:
    from datetime import datetime

    from ..sessions.journal import Journal
    from .text import printer

    journal = Journal.from_bytes(data) if data is not None else Journal.open(file, write=False)
    speak()
    session = journal.session
    text = printer(session.workspace)
    if journal.torn:
        console.say(journal.torn)
    text.header(session)
    before: float | None = None
    for event in session.events:
        if speed != "max":
            try:
                now = datetime.fromisoformat(event.time.replace("Z", "+00:00")).timestamp()
            except ValueError:
                now = before or 0.0
            if before is not None:
                time.sleep(min(max(now - before, 0.0), LONGEST_PAUSE) / int(speed))
            before = now
        text.event(event)
    return console.DONE


def _must_exist(file: Path) -> None:
    if not file.is_file():
        raise BadInput(f"There is no file {file}; `verifytui sessions` lists those you have.")
