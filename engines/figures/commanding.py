"""Runs a command of the user without a shell, alone or over the lines of a file.

Stopping it stops everything that it has started.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from ...sessions.clean import clean
from ...sessions.errors import cause
from ...texts import t
from ..models.keys import without_keys

KEPT = 8192
"""Bytes of what a command prints that are kept: the last ones."""
GRACE = 2.0
"""Seconds between asking a command to stop and ending it."""


class Failed(Exception):
    """The command did not do it. `str()` says why, without a full stop."""


async def run_over(words: Sequence[str], into: Path, out: Path, seconds: float) -> None:
    """Runs a command that reads the lines of `into` and writes lines to `out`.

    `{in}` and `{out}` in its words are these files. Without the word, the file is its
    stdin or stdout.

    Raises: Failed, also if a file cannot be opened. What the command started has ended.
    """
    reads, writes = (any(mark in word for word in words) for mark in ("{in}", "{out}"))
    await run(
        _filled(words, into, out),
        seconds,
        stdin=None if reads else into,
        stdout=None if writes else out,
    )


def _filled(words: Sequence[str], into: Path, out: Path) -> list[str]:
    return [
        word.replace("{in}", str(into.absolute())).replace("{out}", str(out.absolute()))
        for word in words
    ]


async def run(
    words: Sequence[str],
    seconds: float,
    *,
    stdin: Path | None = None,
    stdout: Path | None = None,
) -> str:
    """Runs a command to its end and returns the last of what it printed.

    What goes to the file `stdout` is no part of that.

    Raises: Failed; what it started is ended by then.
    """
    with ExitStack() as files:
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.DEVNULL
                if stdin is None
                else files.enter_context(stdin.open("rb")),
                stdout=asyncio.subprocess.PIPE
                if stdout is None
                else files.enter_context(stdout.open("wb")),
                stderr=asyncio.subprocess.STDOUT
                if stdout is None
                else asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise Failed(
                t("wrong.measure.not_run", command=words[0], why=cause(error))
            ) from None
    pipe = process.stderr if process.stdout is None else process.stdout
    printed = b""

    async def listen() -> None:
        nonlocal printed
        assert pipe is not None
        while piece := await pipe.read(1 << 16):
            printed = (printed + piece)[-KEPT:]

    listening = asyncio.create_task(listen())
    try:
        code = await asyncio.wait_for(process.wait(), seconds)
        await asyncio.wait(
            [listening], timeout=GRACE
        )  # somebody that it left behind may hold the pipe open
    except TimeoutError:
        await _end(process)
        raise Failed(t("wrong.measure.too_long", seconds=seconds)) from None
    except BaseException:
        await _end(process)
        raise
    finally:
        listening.cancel()
    text = clean(without_keys(printed.decode("utf-8", "replace"), os.environ))
    if code != 0:
        last = next(
            (line.strip() for line in reversed(text.splitlines()) if line.strip()), ""
        )
        raise Failed(
            t("wrong.measure.exit", code=code, last=last[:300])
            if last
            else t("wrong.measure.exit_silent", code=code)
        )
    return text


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ends a command and what it has started: it is asked first."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        if process.returncode is None:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(process.wait()), GRACE)
