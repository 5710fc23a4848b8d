"""`resume`: an unfinished session goes on."""

from __future__ import annotations

from pathlib import Path

import click

from ...sessions.errors import BadInput, SessionError
from .. import console
from ..screen import interface, lang_option, must_exist, open_app, speak, theme_option


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
        must_exist(file)
        return open_app(file)
    from ...engines.method import method_of
    from ...sessions.journal import Journal
    from ..flags import workshop
    from ..headless import go_on
    from ..headless import output as output_for
    from ..running import tools_for

    starter = workshop()
    speak()
    journal = Journal.open(file)
    tools = tools_for(starter, url=retriever, foreign=True)
    try:
        session = journal.session
        method = method_of(session.header)
        if not method.engine(session.header, tools).finished(session):
            if not journal.writable:
                raise SessionError(f"{file} can only be read: {journal.why_read_only}")
            method.open(session.header, tools)
        return console.run(go_on(journal, starter.config, tools, output_for(output)))
    finally:
        journal.close()
        tools.close()
