"""What terminfo says of the terminal's colours."""

from __future__ import annotations

import os
from functools import cache


@cache
def fills_in_color() -> bool:
    """Whether the terminal gives lines that come in the colour in use, as far as
    terminfo knows it.
    """
    if "STY" in os.environ:  # GNU screen does not, whatever name it goes by
        return False
    try:
        import curses

        curses.setupterm(fd=1)
        return curses.tigetflag("bce") > 0
    except Exception:  # no curses on this system, no such terminal, no terminal
        return False
