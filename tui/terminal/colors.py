"""The capabilities of the terminal, known from its name or queried."""

from __future__ import annotations

import os
import re

from textual.message import Message

ASK_NAME, ASK_GROUND = "\x1b[>0q", "\x1b]11;?\x1b\\"
"""What calls itself XTVERSION, and which background colour the terminal has."""

OWN_NAMES = ("alacritty", "foot", "linux", "rxvt-unicode")
"""`TERM` of terminals that give lines that come in the colour in use."""

FILLING = ("XTerm", "VTE", "foot", "WezTerm", "iTerm2", "mintty", "xterm.js")
"""Names with which such terminals identify themselves, whatever `TERM` is."""

ANSWER = re.compile(
    r"\x1b(?:P>\|(?P<name>[^\x1b\x07]{0,99})|\]11;rgb:(?P<ground>[\da-fA-F/]{5,14}))"
    r"(?:\x1b\\|\x07)"
)
BEGUN = re.compile(r"\x1b[P\]][^\x1b\x07]{0,99}\x1b?\Z")
"""The beginning of an answer whose end is still to come."""


class TerminalAnswer(Message):
    """The terminal has said what it is called, or how light its background is."""

    def __init__(self, name: str | None, ground: str | None) -> None:
        super().__init__()
        self.fills = name is not None and name.startswith(FILLING)
        """Whether it gives lines that come in the colour in use."""
        self.light = ground is not None and _is_light(ground)


def fills_in_color() -> bool:
    """Whether the terminal fills new lines with the current background color, judged by
    its name.

    `xterm-256color` proves nothing: many terminals use it, and terminfo knows only
    xterm. Inside tmux or GNU screen these draw, whatever `TERM` is.
    """
    name = os.environ.get("TERM", "")
    return name.startswith(OWN_NAMES) and not multiplexed()


def multiplexed() -> bool:
    """Whether tmux or GNU screen runs between the app and the terminal."""
    return bool({"TMUX", "STY"} & os.environ.keys())


def questions() -> str:
    """The query sent to the terminal at the start; empty for terminals that would print
    it.
    """
    if "STY" in os.environ or os.environ.get("TERM", "") in ("", "dumb", "linux"):
        return ""
    return ASK_NAME + ASK_GROUND


def _is_light(ground: str) -> bool:
    """Whether a colour as X11 writes it, `rrrr/gggg/bbbb`, is nearer to white."""
    parts = [
        int(part, 16) / (16 ** len(part) - 1) for part in ground.split("/") if part
    ]
    return (
        len(parts) == 3
        and sum(
            part * weight
            for part, weight in zip(parts, (0.299, 0.587, 0.114), strict=True)
        )
        > 0.5
    )
