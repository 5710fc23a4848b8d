"""What every command needs of the terminal: the two streams, signals, the report of a crash."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Coroutine
from types import FrameType
from typing import Any, NoReturn

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

DONE, FAILED, BAD_INPUT, BUDGET, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes, part of the public contract."""

AWKWARD = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
"""C1 and bidirectional controls, odd line ends, lone surrogates, as a regular expression."""


def say(message: str) -> None:
    """A message for people, on stderr: one line, or several of the caller's own making. A stderr that is gone is no error."""
    from ..sessions.clean import clean

    try:
        sys.stderr.write(clean(message) + "\n")
        sys.stderr.flush()
    except OSError:
        pass


def out(text: str) -> None:
    """Output, on stdout, at once. BrokenPipeError where nobody reads any more."""
    sys.stdout.write(text)
    sys.stdout.flush()


def json_line(value: object) -> str:
    """One line of JSON. What a terminal or `splitlines()` would trip over is escaped."""
    import json
    import re

    text = json.dumps(value, ensure_ascii=False, default=str)
    return re.sub(AWKWARD, lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def plain_streams() -> None:
    """Text that the terminal's encoding lacks becomes `?` instead of an error. Redirected it is UTF-8, closed it leads nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for as long as the program runs
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace", **({} if stream.isatty() else {"encoding": "utf-8"}))


def disk_is_full(error: OSError) -> bool:
    """True for what happens on a full, used-up or broken disk."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def forget_stdout() -> None:
    """After a closed pipe or a full disk: nothing more is written, so that leaving brings no second error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def ends_like_ctrl_c() -> None:
    """SIGTERM and SIGHUP end a command as Ctrl+C does. What the parent set to be ignored (nohup) stays ignored."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_DFL:
            signal.signal(getattr(signal, name), _interrupt)


def run(work: Coroutine[Any, Any, int]) -> int:
    """Runs a command's event loop. The first signal cancels `work`, which tidies up, and raises KeyboardInterrupt; a second one kills.

    A reader of stdout who leaves stops the work too: quietly, and as not done.
    """
    import asyncio

    from ..sessions.crash import stray

    async def guarded() -> int:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        loop.set_exception_handler(stray)
        stopped: list[int] = []
        handled = [n for n in (getattr(signal, name) for name in SIGNALS) if signal.getsignal(n) is not signal.SIG_IGN]

        def stop(number: int) -> None:
            stopped.append(number)
            for one in handled:
                loop.remove_signal_handler(one)
            task.cancel()

        for number in handled:
            loop.add_signal_handler(number, stop, number)
        try:
            return await work
        except asyncio.CancelledError:
            if stopped:
                raise KeyboardInterrupt from None
            raise

    try:
        return asyncio.run(guarded())
    except BrokenPipeError:
        forget_stdout()
        return FAILED
