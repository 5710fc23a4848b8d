"""Terminal basics for every command: streams, signals, crash reports."""

from __future__ import annotations

import atexit
import errno
import os
import signal
import stat
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn, TextIO, TypeVar

T = TypeVar("T")

_heard: list[list[str]] = []

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

DONE, FAILED, BAD_INPUT, BUDGET, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes, part of the public contract."""
_CODES = {"failed": FAILED, "budget": BUDGET, "stopped": INTERRUPTED}


def code_of(status: str) -> int:
    """The exit code for what became of a run: `failed`, `budget`, `stopped`; else 0."""
    return _CODES.get(status, DONE)


def say(message: str) -> None:
    """A message for people, on stderr: one line, or several of the caller's own making.
    A stderr that is gone is no error.
    """
    from ..sessions.clean import clean

    for found in _heard:
        found.append(message)
    try:
        sys.stderr.write(clean(message) + "\n")
        sys.stderr.flush()
    except OSError:
        pass


_quiet = False
"""Whether only results and errors are printed."""


def tell(key: str, /, **words: object) -> None:
    """The text `key` as a message, with these words filled in."""
    from ..texts import t

    say(t(key, **words))


def note(message: str) -> None:
    """Progress, for people; under `--quiet` it is not printed."""
    if not _quiet:
        say(message)


def is_quiet() -> bool:
    """Whether no progress is printed."""
    return _quiet


@contextmanager
def quietly() -> Iterator[None]:
    """Prints no progress meanwhile."""
    global _quiet
    before, _quiet = _quiet, True
    try:
        yield
    finally:
        _quiet = before


@contextmanager
def heard() -> Iterator[list[str]]:
    """Collect the messages logged inside the block."""
    found: list[str] = []
    _heard.append(found)
    try:
        yield found
    finally:
        _heard.remove(found)


def has_terminal() -> bool:
    """Whether the app can be shown and keys can be read."""
    return _is_terminal(sys.stdout) and (_is_terminal(sys.stdin) or _tty_opens())


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()  # None where it was closed


def _tty_opens() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True


def needs_terminal() -> None:
    """Raises BadInput where the app cannot be shown."""
    from ..sessions.errors import bad_input

    if not has_terminal():
        raise bad_input("wrong.command.no_terminal")


def out(text: str) -> None:
    """Writes output to stdout immediately.

    Raises BrokenPipeError if the reader is gone. A closed terminal is no error: the
    caller has asked to outlive it.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        if error.errno != errno.EIO or not _is_device(sys.stdout.fileno()):
            raise
        forget_stdout()


def _is_device(fd: int) -> bool:
    """Whether it is, or was, a terminal."""
    return stat.S_ISCHR(os.fstat(fd).st_mode)


def line(text: str) -> None:
    """A line of output, with its end."""
    out(text + "\n")


def out_json(value: object) -> None:
    """One line of JSON, on stdout."""
    from ..sessions.clean import json_line

    out(json_line(value))


def fill_closed_streams() -> None:
    """Puts nothing where the parent closed stdin, stdout or stderr: else the first file
    opened would take its number and its text.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)


def plain_streams() -> None:
    """Text that the terminal's encoding lacks becomes `?` instead of an error.

    Redirected it is UTF-8, closed it leads nowhere.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(
                errors="replace", **({} if stream.isatty() else {"encoding": "utf-8"})
            )


def forget_stdout() -> None:
    """After a closed pipe or a full disk: nothing more is written, so that leaving
    brings no second error.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def end(code: int) -> int:
    """Ends the process with `code` at once while LiteLLM is being loaded; else only
    returns `code`, with which SIGTERM and SIGHUP end the process from here on.

    A thread in the middle of an import cannot be stopped, and Python would wait for it,
    up to seconds. Nothing is lost: events are on disk before they are shown, and what
    was printed is flushed here. Where that fails, Python ends the process in its own
    way and says why.
    """
    for number in _ending():
        if signal.getsignal(number) is _interrupt:
            signal.signal(number, lambda *_: os._exit(code))
    if "verifytui.engines.models.litellm_loading" in sys.modules:
        from ..engines.models.litellm_loading import loading

        if loading():
            try:
                sys.stdout.flush()
                sys.stderr.flush()
            except (OSError, ValueError):
                return code
            os._exit(code)
    return code


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _ending() -> Iterator[signal.Signals]:
    """SIGTERM and SIGHUP, where the system has them."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            yield getattr(signal, name)


def ends_like_ctrl_c() -> None:
    """SIGTERM and SIGHUP end a command as Ctrl+C does.

    What the parent set to be ignored (nohup) stays ignored. Once all is done, they are
    ignored: Python, which is about to leave, would give them back to the system, and a
    finished command would look like a killed one.
    """
    for number in _ending():
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)
            atexit.register(signal.signal, number, signal.SIG_IGN)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a command's event loop.

    The first signal cancels `work`, which tidies up, and raises KeyboardInterrupt; a
    second one kills. Once `work` is done, signals do again what they did before.

    A reader of stdout who leaves stops the work too: quietly, and as not done.
    """
    import asyncio

    from ..sessions.crash import stray
    from ..texts import has

    has(
        "wrong.machine.files"
    )  # so that it can still be said when no file can be opened any more

    before = {n: signal.getsignal(n) for n in (getattr(signal, s) for s in SIGNALS)}
    handled = [n for n, does in before.items() if does not in (signal.SIG_IGN, None)]
    stopped = []

    async def guarded() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        loop.set_exception_handler(stray)

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
        import click

        forget_stdout()
        raise click.exceptions.Exit(FAILED) from None
    finally:
        if not stopped:  # asyncio has left the system's own
            for number in handled:
                signal.signal(number, before[number])
