"""One session without the app: the same engine, the same events."""

from __future__ import annotations

import os
import sys
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol

from ..engines.method import method_of
from ..engines.models.port import Part
from ..engines.step import step
from ..sessions.errors import SessionError
from ..sessions.events import Event, Failure
from ..sessions.journal import Journal
from ..sessions.session import Session, Totals
from .console import BAD_INPUT, DONE, FAILED, out, say

if TYPE_CHECKING:
    from ..engines.models.config import Config
    from ..engines.tools import Tools


MISNAMED = frozenset({"unknown-model", "no-line"})
"""Failures that come of what was typed: a model that there is not, a script that has no
lines for this.
"""


class SessionPrinter(Protocol):
    """Where a session is printed."""

    stream: bool

    def header(self, session: Session) -> None: ...
    def before(self, session: Session) -> None: ...
    def part(self, part: Part) -> None: ...
    def event(self, event: Event) -> None: ...
    def spent(self, totals: Totals) -> None: ...


class JsonOut:
    """JSON lines: the header, then each event as it happens.

    What passes is for stderr.
    """

    stream = False

    def header(self, session: Session) -> None:
        from ..sessions.export.lines import header_line

        out(header_line(session.header).rstrip("\n") + "\n")

    def event(self, event: Event) -> None:
        from ..sessions.export.lines import event_line

        out(event_line(event).rstrip("\n") + "\n")
        if isinstance(event, Failure):
            say(event.message)

    def before(self, session: Session) -> None:
        """Events say themselves where they belong."""

    def part(self, part: Part) -> None:
        from .printer import Printer

        Printer().part(part)

    def spent(self, totals: Totals) -> None:
        """The events hold it."""


def output(kind: str) -> SessionPrinter:
    """`json`, or `text` that streams where somebody watches."""
    if kind == "json":
        return JsonOut()
    from .printer import Printer

    return Printer(stream=sys.stdout.isatty())


async def go_on(
    journal: Journal, config: Config, tools: Tools, shown: SessionPrinter
) -> int:
    """Advances a session until it is finished, and prints it from its start.

    The exit code.
    """
    from ..engines.models.desk import Desk

    session = journal.session
    method = method_of(session.header)
    engine, builtins = (
        method.engine(session.header, tools),
        method.models(session.header, tools),
    )
    desk = Desk(
        lambda: journal.session,
        config,
        env=os.environ,
        builtins=builtins,
        stream=shown.stream,
    )
    shown.header(session)
    for event in session.events:
        shown.event(event)
    last: Event | None = None
    while not engine.finished(journal.session):
        shown.before(session)
        try:
            async with aclosing(step(journal, engine, desk)) as parts:
                async for part in parts:
                    if isinstance(part, Event):
                        last = part
                        shown.event(part)
                    else:
                        shown.part(part)
        except SessionError as error:
            say(f"{error}")
            return FAILED
        if isinstance(last, Failure):
            if last.kind in MISNAMED:
                return BAD_INPUT
            return FAILED
    shown.spent(journal.session.totals())
    return DONE
