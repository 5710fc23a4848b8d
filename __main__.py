"""The door of the `verifytui` command."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Runs the command line and returns the exit code.

    What people wait for most, the version and the app, does without click.
    """
    arguments = sys.argv[1:]
    if arguments == ["--version"] and _version_written():
        return 0
    from .cli.console import end
    from .cli.start import COMPLETING, refuse_system, start_page

    if not _is_posix():
        return refuse_system()
    if not arguments and COMPLETING not in os.environ:
        return end(start_page())
    from .cli.app import main as run

    return end(run(arguments))


def _is_posix() -> bool:
    """Whether Python has what locks and terminals need; native Windows lacks it."""
    try:
        import fcntl  # noqa: F401
        import resource  # noqa: F401
        import termios  # noqa: F401
    except ImportError:
        return False
    return True


def _version_written() -> bool:
    """Writes the version; False where stdout does not take it, which the command
    itself reports.
    """
    from . import __version__

    try:
        return os.write(1, f"verifytui {__version__}\n".encode()) > 0
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
