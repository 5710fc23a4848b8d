"""Writes crash reports: where in the code a defect happened, without any text of a
session.
"""

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
"""Most errors in one report, and most reports of one process."""

_written = 0


def crash_report(error: BaseException) -> str | None:
    """Writes what a developer needs to a private file: places in the code and versions,
    no text of a session, no key. Its path, or None.

    An error's message, its notes and the values of variables are left out: they may
    hold what was said, or a key.
    """
    import platform
    import time

    from .. import __version__
    from .paths import paths, private_dir

    global _written
    if _written >= _MOST:  # a defect that comes with every second would fill the disk
        return None
    head = (
        f"verifytui {__version__}, Python {platform.python_version()}, "
        f"{platform.platform()}"
    )
    kind = f"{_kind(error)} (its message is left out: it may hold text of a session)"
    lines = [
        head,
        kind,
        *_places(error),
        *(
            line
            for each in _others(error)
            for line in (f"after {_kind(each)}", *_places(each))
        ),
    ]
    name = f"crash-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}"
    try:
        folder = private_dir(paths().crash_dir)
        for file in (
            folder / f"{name}{end}.txt"
            for end in ("", *(f"-{n}" for n in range(2, _MOST + 2)))
        ):
            try:
                descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                break
            except FileExistsError:
                continue  # another thread may report in the same second
        else:
            return None
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as stream:
            stream.write("\n".join([*lines, ""]))
        _written += 1
        return str(file)
    except (OSError, RuntimeError, ValueError):
        return None


def last_crash(folder: Path) -> Path | None:
    """The newest report in a folder.

    Raises: OSError if it cannot be read.
    """
    reports = list(folder.glob("crash-*.txt")) if folder.is_dir() else []
    return max(
        reports, key=lambda file: (file.stat().st_mtime_ns, file.name), default=None
    )


def ours(error: BaseException) -> bool:
    """Whether the error passed through VerifyTUI's code.

    An error of a library alone does not concern the user.
    """
    files = (
        os.path.abspath(frame.f_code.co_filename)
        for frame, _ in traceback.walk_tb(error.__traceback__)
    )
    return any(
        file.startswith(_HERE) and "site-packages" not in file[len(_HERE) :]
        for file in files
    )


def stray(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    """For `set_exception_handler`: report a failed task that nothing awaits."""
    error = context.get("exception")
    if isinstance(error, BaseException) and ours(error):
        crash_report(error)


def no_tracebacks() -> None:
    """Makes Python report failures in threads and in `__del__` here; by itself it would
    print their messages.
    """

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
    """One line for each call, the last one last.

    The code is given only of files of Python: a template is text of the user's.
    """
    found = traceback.extract_tb(error.__traceback__)
    return [
        f"  {f.filename}:{f.lineno} {f.name}: "
        f"{(f.line or '') if f.filename.endswith('.py') else ''}".rstrip(": ")
        for f in found
    ]


def _others(error: BaseException) -> Iterator[BaseException]:
    """List the related errors: causes, members of a group, the error of a worker."""
    seen = {id(error)}
    waiting = [error]
    while waiting and len(seen) < _MOST:
        one = waiting.pop(0)
        inner = [
            one.__cause__ or one.__context__,
            getattr(one, "error", None),
            *getattr(one, "exceptions", ()),
        ]
        for each in inner:
            if isinstance(each, BaseException) and id(each) not in seen:
                seen.add(id(each))
                waiting.append(each)
                yield each
