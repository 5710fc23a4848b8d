"""`verifytui serve`: verified answers for other programs."""

from __future__ import annotations

import os
import secrets
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import click

from ...engines.rag.settings import SETTINGS
from ...sessions.errors import bad_input
from ...texts import t
from .. import console, execution_options, flags, run_commands
from ..command import command

if TYPE_CHECKING:
    from ...engines.starting import Starter, Wishes
    from ...engines.tools import Tools
    from ...sessions.journal import Journal
    from ...sessions.session import Header
    from ..http_api import ServedWork

SHORTEST = 16
"""Characters of a token that somebody chose."""


@command()
@flags.option_flags(SETTINGS)
@flags.typed_option("--socket", flags.PATH, "PATH")
@flags.whole_option("--port", 0, 65535, 8642)
@click.option("--token-env", metavar="NAME")
@flags.into_option
@flags.whole_option("--max-requests", 1, 1000, 16)
@flags.whole_option("--per-minute", 0, 1_000_000, 0)
@execution_options.probe_option
@execution_options.commands_option
@flags.output_option
def serve(**values: Any) -> int:
    """Answers questions that other programs ask, until it is stopped."""
    from ...engines.models.preflight import asked_in
    from ...engines.preflight import begin_checked
    from ...engines.rag.method import METHOD
    from ..http_api import ChatServer, listening
    from ..http_api import serve as served

    token = _token(values)
    wishes = flags.wishes_of(SETTINGS, values)
    starter = flags.workshop(many=True)
    with closing(
        run_commands.tools_for(starter, alone=False, url=wishes.address)
    ) as tools:
        first = wishes.about(question="?")
        header = begin_checked(lambda: METHOD.begin(first, starter), tools)
        for role, seat in header.lineup.items():
            if seat.model == "human":
                raise bad_input("wrong.serve.waits", role=role)
        if values["probe"]:
            run_commands.probe_all(asked_in(header, starter.config), starter.config)
        METHOD.open(header, tools)
        work = _work(wishes, starter, tools, header, values)
        path = values["socket"]
        server = ChatServer(
            work, values["max_requests"], values["per_minute"], token, path is None
        )
        with listening(path, values["port"]) as at:
            where = str(path) if path else f"http://127.0.0.1:{at.getsockname()[1]}/v1"
            try:
                console.run(served(server, at, lambda: _say(where, token, values)))
            finally:
                with suppress(OSError):
                    if path is not None:
                        path.unlink()
    return console.DONE


def _token(values: flags.Values) -> str | None:
    """What a request has to bring. At a port it cannot be left out; without a name of a
    variable it is made here. Raises: BadInput.
    """
    name = values["token_env"]
    if name is None:
        return None if values["socket"] else secrets.token_urlsafe(32)
    token = os.environ.get(name, "")
    if len(token) < SHORTEST or not token.isascii():
        raise bad_input("wrong.serve.bad_token", name=name, n=SHORTEST)
    return token


def _say(where: str, token: str | None, values: flags.Values) -> None:
    """Prints the address and, where it was made here, the token."""
    made = token if values["token_env"] is None else None
    if values["output"] == "json":
        console.out_json({"address": where, "token": made, "model": "verifytui"})
        return
    console.line(t("report.serve.at", where=where))
    if made is not None:
        console.line(t("report.serve.token", token=made))


def _work(
    wishes: Wishes,
    starter: Starter,
    tools: Tools,
    header: Header,
    values: flags.Values,
) -> ServedWork:
    from ...engines.api import to_the_end
    from ...engines.rag import served
    from ...engines.rag.method import METHOD
    from ...engines.rag.plan import setting, wanted
    from ...engines.threads import in_thread
    from ...sessions.files import has_batch, own_folder
    from ...sessions.journal import Journal
    from ...sessions.library import Library
    from ...sessions.session import Session
    from ..http_api import ServedWork

    into = values["into"]
    if into is not None and has_batch(own_folder(into)):
        raise bad_input("wrong.synth.other_run", path=into)

    def keep(new: Header) -> Journal:
        if into is None:
            return Library(starter.places).create(new)
        return Journal.create(into / f"{new.id}.yaml", new)

    async def search(query: str, k: int | None) -> list[dict[str, object]]:
        like = Session(header, [])
        retriever = await in_thread(tools.retriever(header))
        found = await retriever.retrieve(query, k or setting(like, "k"), wanted(like))
        return list(map(served.passage, found.references))

    return ServedWork(
        begin=lambda asked: METHOD.begin(wishes.about(question=asked), starter),
        keep=keep,
        finish=lambda journal: to_the_end(journal, tools, None),
        answer=served.answer_in,
        details=served.details,
        search=search,
    )
