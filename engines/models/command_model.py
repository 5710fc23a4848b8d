"""Runs a command of the user without a shell, alone or over the lines of a file.

Stopping it stops everything that it has started.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import signal
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import ExitStack, aclosing, suppress
from pathlib import Path
from typing import IO, Any

from ...sessions.clean import clean
from ...sessions.errors import cause
from ...texts import t
from .keys import without_keys
from .port import Kind

KEPT = 8192
"""Bytes of what a command prints that are kept: the last ones."""
GRACE = 2.0
"""Seconds between asking a command to stop and ending it."""
LOOK = 0.1
"""Seconds between two looks at whether a silent command has ended.

`Process.wait` of Python 3.11 waits for its pipes, too.
"""
PIECE = 1 << 16
"""Bytes that are read at a time."""


class CommandFailure(Exception):
    """The command did not do it. `str()` says why, without a full stop."""

    def __init__(self, why: str, kind: Kind = "bad-request") -> None:
        super().__init__(why)
        self.kind: Kind = kind


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

    What goes to the file `stdout` is not part of that.

    Raises: Failed; what it started is ended by then.
    """
    with ExitStack() as files:
        process = await _begun(
            words,
            stdin=asyncio.subprocess.DEVNULL
            if stdin is None
            else _opened(files, words, stdin, "rb"),
            stdout=asyncio.subprocess.PIPE
            if stdout is None
            else _opened(files, words, stdout, "wb"),
            stderr=asyncio.subprocess.STDOUT
            if stdout is None
            else asyncio.subprocess.PIPE,
        )
    pipe = process.stderr if process.stdout is None else process.stdout
    printed = b""

    async def listen() -> None:
        nonlocal printed
        assert pipe is not None
        while piece := await pipe.read(PIECE):
            printed = (printed + piece)[-KEPT:]

    listening = asyncio.create_task(listen())
    try:
        code = await asyncio.wait_for(process.wait(), seconds)
        # somebody that it left behind may hold the pipe open
        await asyncio.wait([listening], timeout=GRACE)
    except TimeoutError:
        await _end(process)
        raise CommandFailure(t("wrong.measure.too_long", seconds=seconds)) from None
    except BaseException:
        await _end(process)
        raise
    finally:
        listening.cancel()
    text = _cleaned(printed)
    if code != 0:
        raise _exited(code, text)
    return text


def _opened(files: ExitStack, words: Sequence[str], path: Path, mode: str) -> IO[Any]:
    """A file that stays open as long as `files`. Raises: Failed."""
    try:
        return files.enter_context(path.open(mode))
    except OSError as error:
        raise _not_run(words, error) from None


async def converse(
    words: Sequence[str],
    text: str,
    seconds: float,
    *,
    env: Mapping[str, str],
    most: int,
) -> AsyncGenerator[str, None]:
    """Runs a command that reads `text` on stdin, and yields what it writes to stdout,
    as it comes.

    `most`: bytes that it may write.

    Raises: Failed, also if it writes more; what it started is ended by then.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    process = await _begun(
        words,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=env,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    listening = asyncio.create_task(_last(process.stderr))
    writing = asyncio.create_task(_write_input(process.stdin, text))
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    left = most
    try:
        async with aclosing(_pieces(process, deadline)) as pieces:
            async for piece in pieces:
                left -= len(piece)
                if left < 0:
                    too_much = t("wrong.measure.too_much", mib=most >> 20)
                    raise CommandFailure(too_much, "too-large")
                yield decoder.decode(piece)
        if process.returncode == 0:
            yield decoder.decode(b"", final=True)
            return
        await asyncio.wait([listening], timeout=GRACE)
        printed = listening.result() if listening.done() else b""
    except TimeoutError:
        raise CommandFailure(
            t("wrong.measure.too_long", seconds=seconds), "timeout"
        ) from None
    finally:
        writing.cancel()
        listening.cancel()
        await _end(process)
        with suppress(TimeoutError):
            await asyncio.wait_for(_last(process.stdout), GRACE)
    raise _exited(process.returncode or 0, _cleaned(printed))


async def _pieces(
    process: asyncio.subprocess.Process, deadline: float
) -> AsyncGenerator[bytes, None]:
    """Yield a process's output until it ends. Raises: TimeoutError after `deadline`.

    Child processes can keep its stdout open; waits for them at most `GRACE`.
    """
    assert process.stdout is not None
    now = asyncio.get_running_loop().time
    reading = asyncio.create_task(process.stdout.read(PIECE))
    try:
        while True:
            left = deadline - now()
            await asyncio.wait([reading], timeout=max(0.0, min(LOOK, left)))
            if reading.done():
                piece = reading.result()
                if not piece:
                    break
                yield piece
                reading = asyncio.create_task(process.stdout.read(PIECE))
            elif process.returncode is not None:
                await asyncio.wait([reading], timeout=min(GRACE, left))
                if not reading.done():
                    return
            elif left <= 0:
                raise TimeoutError
    finally:
        reading.cancel()
    async with asyncio.timeout_at(deadline):
        await process.wait()


async def _begun(words: Sequence[str], **options: Any) -> asyncio.subprocess.Process:
    """Start a process in its own process group. Raises: Failed if it cannot be
    started.
    """
    try:
        return await asyncio.create_subprocess_exec(
            *words, start_new_session=True, **options
        )
    except OSError as error:
        raise _not_run(words, error) from None


def _not_run(words: Sequence[str], error: OSError) -> CommandFailure:
    why = cause(error)
    return CommandFailure(t("wrong.measure.not_run", command=words[0], why=why))


async def _write_input(pipe: asyncio.StreamWriter, text: str) -> None:
    """Writes all of a text; a command need not read it."""
    with suppress(ConnectionError):
        pipe.write(text.encode("utf-8", "replace"))
        await pipe.drain()
        pipe.close()


async def _last(pipe: asyncio.StreamReader) -> bytes:
    """The last of what comes, when nothing more does."""
    printed = b""
    while piece := await pipe.read(PIECE):
        printed = (printed + piece)[-KEPT:]
    return printed


def _cleaned(printed: bytes) -> str:
    return clean(without_keys(printed.decode("utf-8", "replace"), os.environ))


def _exited(code: int, text: str) -> CommandFailure:
    """Describe why a command failed, with the last line of its output."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return CommandFailure(t("wrong.measure.exit_silent", code=code))
    return CommandFailure(t("wrong.measure.exit", code=code, last=lines[-1][:300]))


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ends a command and what it has started: it is asked first."""
    now = asyncio.get_running_loop().time
    for number, grace in ((signal.SIGTERM, GRACE), (signal.SIGKILL, GRACE / 4)):
        deadline = now() + grace
        there = _signalled(process.pid, number)
        while there and now() < deadline:
            await asyncio.sleep(LOOK / 10)
            there = _signalled(process.pid, 0)
    if process.returncode is None:
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(process.wait()), GRACE)


def _signalled(group: int, number: int) -> bool:
    """Whether a group of processes was there to be signalled; 0 only looks."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
