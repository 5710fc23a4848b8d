"""`resume`: an unfinished session goes on."""

from __future__ import annotations

from pathlib import Path

import click

from ...sessions.errors import BadInput, SessionError
from ...texts import t
from .. import console
from ..command import command
from ..flags import PATH, events_option, workshop
from ..screen import interface, must_exist, open_app, theme_option


@command()
@click.argument("file", type=PATH)
@events_option
@click.option("--tui", is_flag=True)
@click.option("--retriever", metavar="URL")
@theme_option
def resume(
    file: Path, output: str, tui: bool, retriever: str | None, theme: str | None
) -> int:
    """Go on with the unfinished session in FILE, and print it from its start."""
    interface(theme)
    if tui:
        if retriever is not None:
            raise BadInput(t("wrong.command.tui_address"))
        must_exist(file)
        return open_app(file)
    from ...engines.method import method_of
    from ...engines.preflight import check_rest
    from ...sessions.journal import Journal
    from ..headless import go_on
    from ..headless import output as output_for
    from ..run_commands import tools_for

    starter = workshop()
    journal = Journal.open(file)
    tools = tools_for(starter, url=retriever, foreign=True)
    try:
        session = journal.session
        method = method_of(session.header)
        if not method.engine(session.header, tools).finished(session):
            if not journal.writable:
                raise SessionError(
                    t(
                        "wrong.file.only_read",
                        file=file,
                        why_read_only=journal.why_read_only,
                    )
                )
            check_rest(session, starter.config)
            method.open(session.header, tools)
        return console.run(go_on(journal, starter.config, tools, output_for(output)))
    finally:
        journal.close()
        tools.close()
