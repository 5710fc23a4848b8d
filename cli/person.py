"""A person on stdin in any seat: a speech ends at a line `.`, a verdict is one JSON
line.
"""

from __future__ import annotations

import os
from collections import deque
from contextlib import suppress

from ..engines.models.port import ModelCall, ModelError
from ..engines.threads import in_thread
from ..texts import t
from ..texts.roles import role_name
from .console import say

LONGEST = 1_000_000
"""Characters of one speech; more is refused, so that a wrong pipe does not fill the
memory.
"""
MOST = 4 * LONGEST
"""Bytes that are read for one speech or verdict, blank lines included."""


class InputLines:
    """Lines of a file descriptor, read by a daemon thread.

    It never takes the lock of `sys.stdin`, which would hold up leaving.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = b""
        self._whole: deque[bytes] = deque()
        self.read = 0
        """Bytes that have been read since this was last set to 0."""
        self._ended = False

    async def next(self) -> str | None:
        """The next line without its end, or None at the end of the input.

        ModelError `needs-person` for what has no end.
        """
        while not self._whole and not self._ended:
            data = await self._read()
            *whole, self._rest = (self._rest + data).split(b"\n")
            self._whole.extend(whole)
            self._ended = not data
            self.read += len(data)
            if self.read > MOST:
                raise _too_long()
        if not self._whole and not self._rest:
            return None
        line, self._rest = (
            (self._whole.popleft(), self._rest) if self._whole else (self._rest, b"")
        )
        return line.decode("utf-8", "replace").removesuffix("\r")

    async def _read(self) -> bytes:
        with suppress(OSError):
            return await in_thread(lambda: os.read(self._descriptor, 65536))
        return b""


class Person:
    """Gets a person's text for a call.

    One at a time: the seats of a debate take turns.
    """

    def __init__(self, lines: InputLines | None = None) -> None:
        self._lines = lines or InputLines(0)

    async def __call__(self, call: ModelCall) -> str:
        """The text for a call.

        ModelError `needs-person` where the input has ended, or is too long.
        """
        self._lines.read = 0
        if call.schema is not None:
            return await self._one_line(call)
        say(t("plain.your_speech", role=role_name(call.role)))
        spoken = []
        size = 0
        while (line := await self._lines.next()) is not None and line != ".":
            spoken.append(line)
            size += len(line) + 1
            if size > LONGEST:
                raise _too_long()
        text = "\n".join(spoken).strip("\n")
        if line is None and not text.strip():
            raise _ended(call.role)
        return text

    async def _one_line(self, call: ModelCall) -> str:
        wanted = ", ".join((call.schema or {}).get("properties", {}))
        say(t("plain.your_json", role=role_name(call.role), fields=wanted))
        while (line := await self._lines.next()) is not None:
            if line.strip():
                return line.strip()
        raise _ended(call.role)


def _too_long() -> ModelError:
    return ModelError(
        "needs-person",
        "The speech on stdin is longer than a million characters; make it shorter "
        "and resume.",
    )


def _ended(role: str) -> ModelError:
    return ModelError(
        "needs-person",
        f"The input ended before {role_name(role)} had spoken; resume the session "
        f"to go on, or seat a model there.",
    )
