"""The command, with what the app draws apart from all else that is written to stdout or
stderr: `python -m …apart LOG ARGUMENT…`.

Textual draws on its own copy of the terminal; the descriptors 1 and 2, which everybody
knows, lead into LOG while the app runs.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from verifytui.cli.app import main
from verifytui.tui.app import VerifyTui

run = VerifyTui.run


def run_apart(self: VerifyTui, **options: Any) -> None:
    log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    kept = os.dup(1), os.dup(2)
    drawn = sys.__stderr__
    sys.__stderr__ = os.fdopen(os.dup(2), "w", encoding="utf-8")  # type: ignore[misc]
    for number in (1, 2):
        os.dup2(log, number)
    try:
        run(self, **options)
    finally:
        sys.__stderr__ = drawn  # type: ignore[misc]
        for number, descriptor in zip((1, 2), kept, strict=True):
            os.dup2(descriptor, number)


if __name__ == "__main__":
    VerifyTui.run = run_apart  # type: ignore[method-assign, assignment]
    sys.exit(main(sys.argv[2:]))
