"""Copying where the user sits: OSC 52 goes through SSH to the terminal in front of them, wrapped for tmux."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .app import VerifyTui


def sequence(text: str, tmux: bool) -> str:
    """The escape sequence that sets the clipboard; inside tmux passed through to the outer terminal."""
    code = f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07"
    return f"\x1bPtmux;{code.replace(chr(27), chr(27) * 2)}\x1b\\" if tmux else code


def copy(app: VerifyTui, text: str) -> None:
    """Puts text into the clipboard of the terminal, and into the app's own for pasting."""
    app._clipboard = text
    if app._driver is not None:
        app._driver.write(sequence(text, bool(os.environ.get("TMUX"))))
        if os.environ.get("TMUX"):
            app._driver.write(sequence(text, False))
        app._driver.flush()
    if os.environ.get("TMUX"):
        threading.Thread(target=_give_to_tmux, args=(text,), daemon=True).start()


def _give_to_tmux(text: str) -> None:
    """Into tmux's buffer, and from there by tmux itself to its terminal: as tmux is set at first, it drops both sequences of an app."""
    tmux = shutil.which("tmux")
    if tmux is not None:
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(  # noqa: S603
                [tmux, "load-buffer", "-w", "-"], input=text.encode(), capture_output=True, timeout=5, check=False
            )
