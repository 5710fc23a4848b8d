"""Facts that only the terminal itself knows."""

from __future__ import annotations

import contextlib
import os
import re
import select
import time

ASKED = "·"
"""A character whose width Unicode calls ambiguous: one cell in most terminals, two in
some that are set for Chinese.
"""

PATIENCE = 0.5
"""Seconds until a terminal that does not answer is left unchanged."""


def ambiguous_width() -> int | None:
    """Measure how many cells an ambiguous-width character takes.

    Writes one and asks the terminal for the cursor position. None if the terminal does
    not answer.
    """
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return None
    try:
        return _ask(terminal)
    except OSError:
        return None
    finally:
        os.close(terminal)


def _ask(terminal: int) -> int | None:
    import termios
    import tty

    if (
        os.tcgetpgrp(terminal) != os.getpgrp()
        or os.environ.get("TERM", "dumb") == "dumb"
    ):
        # in the background a question would stop the program, and a dumb terminal would
        # show it
        return None
    try:
        before = termios.tcgetattr(terminal)
    except termios.error:
        return None
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        os.write(terminal, f"\r{ASKED}\x1b[6n".encode())
        return _column(terminal)
    finally:
        with contextlib.suppress(OSError):
            os.write(terminal, b"\r\x1b[K")
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _column(terminal: int) -> int | None:
    answer, end = b"", time.monotonic() + PATIENCE
    while (left := end - time.monotonic()) > 0 and select.select(
        [terminal], [], [], left
    )[0]:
        answer += os.read(terminal, 64)
        found = re.search(rb"\x1b\[\d+;(\d+)R", answer)
        if found:
            return int(found[1]) - 1
    return None
