"""Notifies a user in another window that work is done.

By a terminal notification, a bell, and the window title.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Literal

from textual.app import App

from .compat import driver_of

BELL = "\a"


def notification(text: str, env: Mapping[str, str]) -> str:
    """Returns the escape sequence with which the terminal of this environment notifies;
    empty for one that may print it instead.

    Through SSH only `TERM` arrives, so a terminal that calls itself xterm is given OSC
    9: those that do not know it ignore it.
    """
    term, program = env.get("TERM", ""), env.get("TERM_PROGRAM", "")
    tmux = bool(env.get("TMUX"))
    if env.get("KITTY_WINDOW_ID") or term == "xterm-kitty":
        code = (
            f"\x1b]99;i=verifytui:e=1;{base64.b64encode(text.encode()).decode()}\x1b\\"
        )
    elif (
        program == "ghostty"
        or env.get("VTE_VERSION")
        or term.startswith(("foot", "rxvt", "xterm-ghostty"))
    ):
        code = f"\x1b]777;notify;VerifyTUI;{text.replace(';', ',')}\x1b\\"
    elif tmux or term.startswith(("xterm", "wezterm", "iterm")):
        code = f"\x1b]9;{text}\x1b\\"
    else:  # the Linux console, GNU screen
        return ""
    if tmux:
        return f"\x1bPtmux;{code.replace(chr(27), chr(27) * 2)}\x1b\\"
    return code


def title(text: str) -> str:
    """Returns the escape sequence that names the window."""
    return f"\x1b]2;{text}\x1b\\"


class TerminalNotifier:
    """Sends notifications to the terminal. All text is one clean line."""

    def __init__(
        self, app: App[Any], how: Literal["auto", "bell", "off"], env: Mapping[str, str]
    ) -> None:
        self._app = app
        self._how = how
        self._env = env
        self._title = ""

    def call(self, text: str) -> None:
        """Tells the user, unless the terminal has the focus."""
        if self._how == "off" or self._app.app_focus:
            return
        self._write(
            BELL + (notification(text, self._env) if self._how == "auto" else "")
        )

    def name_window(self, text: str) -> None:
        """Gives the window a title; the driver gives it back the one that it had."""
        if (
            self._how == "off"
            or text == self._title
            or self._env.get("TERM", "") == "linux"
        ):
            return
        self._write(title(text))
        self._title = text

    def _write(self, text: str) -> None:
        driver = driver_of(self._app)
        if driver is not None and not driver.is_headless:
            driver.write(text)
            driver.flush()
