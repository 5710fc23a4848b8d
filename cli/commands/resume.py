"""`resume`: an unfinished session continues."""

from __future__ import annotations

from pathlib import Path

import click

from ...sessions.errors import Faults, SessionError, bad_input
from ...texts import t
from .. import console
from ..command import command
from ..flags import PATH, events_option, workshop
from ..screen import app_options, is_plain, must_exist, open_app, plain_option


@command()
@click.argument("file", type=PATH)
@events_option
@click.option("--tui", is_flag=True)
@click.option("--retriever", metavar="URL")
@app_options
@plain_option
def resume(file: Path, output: str, tui: bool, retriever: str | None) -> int:
    """Go on with the unfinished session in FILE, and print it from its start."""
    if tui or is_plain():
        if retriever is not None:
            raise bad_input("wrong.command.tui_address")
        must_exist(file)
        return open_app(file)
    from ...engines.method import method_of
    from ...engines.preflight import check_rest
    from ...sessions.journal import Journal
    from ..headless import go_on
    from ..headless import output as output_for
    from ..run_commands import tools_for

    faults = Faults()
    starter = workshop(faults=faults)
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
            faults.of(lambda: check_rest(session, tools.config, tools.wrong))
            faults.refuse()
            method.open(session.header, tools)
        faults.refuse()
        return console.run(go_on(journal, starter.config, tools, output_for(output)))
    finally:
        journal.close()
        tools.close()
