"""The command with a defect in it, whose message and variables hold the session's text
and a key: `python -m …crashing WHERE ARGUMENT…`.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from textual.widgets import Static
from verifytui.cli.app import main
from verifytui.engines.engine import MethodEngine
from verifytui.tui.workspaces.session_context import SessionContext

WORDS = "Words nobody else may read"


def fail(text: object) -> None:
    """Fails as code does that was handed the text of a session."""
    key = os.environ["OPENAI_API_KEY"]
    try:
        raise KeyError(f"{text} {key}")
    except KeyError as first:
        error = ValueError(f"{text} {key}")
        error.add_note(f"{text} {key}")
        raise error from first


def in_the_engine() -> None:
    async def advance(self: object, session: Any, models: object) -> Any:
        fail(session.header)
        yield

    MethodEngine.advance = advance  # type: ignore[method-assign]


def in_a_handler() -> None:
    async def look(self: Any, cursor: int) -> None:
        fail(self.play.session.header)

    SessionContext.look = look  # type: ignore[method-assign]


def in_a_render() -> None:
    render = Static.render

    def broken(self: Any) -> Any:
        made = render(self)
        if WORDS in str(made):
            fail(made)
        return made

    Static.render = broken  # type: ignore[method-assign]


def beside() -> None:
    """In a task that nobody waits for, in a thread, and while an object goes away."""

    class Going:
        def __init__(self, text: object) -> None:
            self.text = text

        def __del__(self) -> None:
            fail(self.text)

    async def task(text: object) -> None:
        fail(text)

    async def look(self: Any, cursor: int) -> None:
        text = self.play.session.header
        asyncio.get_running_loop().create_task(task(text))
        threading.Thread(target=fail, args=[text]).start()
        Going(text)

    SessionContext.look = look  # type: ignore[method-assign]


DEFECTS: dict[str, Callable[[], None]] = {
    "engine": in_the_engine,
    "handler": in_a_handler,
    "render": in_a_render,
    "beside": beside,
}

if __name__ == "__main__":
    for where in sys.argv[1].split("+"):
        DEFECTS[where]()
    sys.exit(main(sys.argv[2:]))
