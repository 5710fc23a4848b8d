"""The report of a defect: where in the code it happened, and nothing that was said."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_MOST = 30
"""Errors that one report follows, and reports that one process writes."""

_written = 0


def crash_report(error: BaseException) -> str | None:
    """Writes what a developer needs to a private file: places in the code and versions, no text of a session, no key. Its path, or None.

    An error's message, its notes and the values of variables are left out: they may hold what was said, or a key.
    """
    import platform
    import time

    from .. import __version__
    from .paths import paths, private_dir

    global _written
    if _written >= _MOST:  # a defect that comes with every second would fill the disk
        return None
    head = f"verifytui {__version__}, Python {platform.python_version()}, {platform.platform()}"
    kind = f"{_kind(error)} (its message is left out: it may hold text of a session)"
    lines = [head, kind, *_places(error), *(line for each in _others(error) for line in (f"after {_kind(each)}", *_places(each)))]
    name = f"crash-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}"
    try:
        folder = private_dir(paths().crash_dir)
        for file in (folder / f"{name}{end}.txt" for end in ("", *(f"-{n}" for n in range(2, _MOST + 2)))):
            if not os.path.lexists(file):
                break
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as stream:
            stream.write("\n".join([*lines, ""]))
        _written += 1
        return str(file)
    except (OSError, RuntimeError, ValueError):
        return None


def last_crash(folder: Path) -> Path | None:
    """The newest report in a folder of them. OSError if it cannot be read."""
    reports = list(folder.glob("crash-*.txt")) if folder.is_dir() else []
    return max(reports, key=lambda file: (file.stat().st_mtime_ns, file.name), default=None)


def ours(error: BaseException) -> bool:
    """Whether it went through code of VerifyTUI: what a library does wrong on its own beside the work is not the user's to hear."""
    files = (os.path.abspath(frame.f_code.co_filename) for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(file.startswith(_HERE) and "site-packages" not in file[len(_HERE) :] for file in files)


def stray(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """For `set_exception_handler`: a task that nobody waits for is reported and not printed."""
    error = context.get("exception")
    if isinstance(error, BaseException) and ours(error):
        crash_report(error)


def no_tracebacks() -> None:
    """From here on, what fails in a thread or while an object goes away is reported and not printed: Python would print its message."""

    def in_thread(failed: threading.ExceptHookArgs) -> None:
        if failed.exc_value is not None and ours(failed.exc_value):
            crash_report(failed.exc_value)

    def unraisable(failed: Any) -> None:
        if failed.exc_value is not None and ours(failed.exc_value):
            crash_report(failed.exc_value)

    threading.excepthook = in_thread
    sys.unraisablehook = unraisable


def _kind(error: BaseException) -> str:
    return f"{type(error).__module__}.{type(error).__qualname__}"


def _places(error: BaseException) -> list[str]:
    """One line for each call, the last one last. The code is given only of files of Python: a template is text of the user's."""
    found = traceback.extract_tb(error.__traceback__)
    return [f"  {f.filename}:{f.lineno} {f.name}: {(f.line or '') if f.filename.endswith('.py') else ''}".rstrip(": ") for f in found]


def _others(error: BaseException) -> Iterator[BaseException]:
    """What it came from, and what it holds: causes, members of a group, the error of a worker."""
    seen = {id(error)}
    waiting = [error]
    while waiting and len(seen) < _MOST:
        one = waiting.pop(0)
        inner = [one.__cause__ or one.__context__, getattr(one, "error", None), *getattr(one, "exceptions", ())]
        for each in inner:
            if isinstance(each, BaseException) and id(each) not in seen:
                seen.add(id(each))
                waiting.append(each)
                yield each
