"""The report of a defect."""

from __future__ import annotations

import os


def crash_report(error: BaseException) -> str | None:
    """Writes what a developer needs to a private file: places in the code and versions, no text of a session, no key. Its path, or None."""
    import platform
    import time
    import traceback

    from .. import __version__
    from .paths import paths, private_dir

    places = [f"  {f.filename}:{f.lineno} {f.name}: {f.line or ''}" for f in traceback.extract_tb(error.__traceback__)]
    chain: list[str] = []
    cause = error.__cause__ or error.__context__
    while cause is not None and len(chain) < 10:
        chain.append(f"after {type(cause).__module__}.{type(cause).__qualname__}")
        chain += [f"  {f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(cause.__traceback__)]
        cause = cause.__cause__ or cause.__context__
    head = f"verifytui {__version__}, Python {platform.python_version()}, {platform.platform()}"
    kind = f"{type(error).__module__}.{type(error).__qualname__} (its message is left out: it may hold text of a session)"
    try:
        folder = paths().crash_dir
        private_dir(folder)
        file = folder / f"crash-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.txt"
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as stream:
            stream.write("\n".join([head, kind, *places, *chain, ""]))
        return str(file)
    except OSError:
        return None
