"""Copying where the user sits: OSC 52 goes through SSH to the terminal in front of
them, wrapped for tmux.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from textual.app import App

from ...sessions.paths import Paths, private_dir
from .compat import driver_of, set_clipboard


def sequence(text: str, tmux: bool) -> str:
    """Returns the escape sequence that sets the clipboard; inside tmux passed through
    to the outer terminal.
    """
    code = f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07"
    if tmux:
        return f"\x1bPtmux;{code.replace(chr(27), chr(27) * 2)}\x1b\\"
    return code


def answers(env: Mapping[str, str]) -> bool:
    """Whether the terminal may have a clipboard that a program can set: the Linux
    console, GNU screen, Terminal.app and dumb ones have none.
    """
    return (
        env.get("TERM", "dumb") not in ("dumb", "linux")
        and env.get("TERM_PROGRAM") != "Apple_Terminal"
        and "STY" not in env
    )


def keep(places: Paths, text: str) -> Path:
    """Writes text to a file of the user's own, and returns its path."""
    private_dir(places.state)
    path = places.state / "copied.txt"
    path.touch(0o600)
    path.write_text(text, encoding="utf-8")
    return path


def copy(app: App[Any], text: str) -> None:
    """Puts text into the clipboard of the terminal, and into the app's own for
    pasting.
    """
    tmux, driver = bool(os.environ.get("TMUX")), driver_of(app)
    set_clipboard(app, text)
    if driver is not None:
        driver.write(sequence(text, tmux))
        if tmux:
            driver.write(sequence(text, False))
        driver.flush()
    if tmux:
        threading.Thread(target=_give_to_tmux, args=(text,), daemon=True).start()


def _give_to_tmux(text: str) -> None:
    """Gives text to tmux, which gives it to its terminal: with its usual settings tmux
    drops both sequences of an app.
    """
    tmux = shutil.which("tmux")
    if tmux is not None:
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(  # noqa: S603
                [tmux, "load-buffer", "-w", "-"],
                input=text.encode(),
                capture_output=True,
                timeout=5,
                check=False,
            )
