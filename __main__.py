"""The door of the `verifytui` command."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command line and returns the exit code."""
    from .cli.app import main as run
    from .cli.console import end

    return end(run(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
