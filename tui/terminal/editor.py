"""The user's own editor, for a speech."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from ...sessions.paths import paths, private_dir
from ...texts import t
from ..showing import clean_line

if TYPE_CHECKING:
    from ..host import Host


def edit_in_editor(host: Host, text: str) -> str | None:
    """Opens `$VISUAL` or `$EDITOR` (else vi) on the text; returns the new text, or None
    if the editor failed.
    """
    wanted = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        command = shlex.split(wanted) or ["vi"]
    except ValueError:  # a quotation mark that nothing closes
        host.say(t("edit.editor_failed", command=clean_line(wanted)), "error")
        return None
    folder = paths().state
    private_dir(folder)
    handle, name = tempfile.mkstemp(suffix=".md", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        with host.suspend():
            done = subprocess.run([*command, name], check=False)  # noqa: S603
        if done.returncode:
            host.say(t("edit.editor_failed", command=command[0]), "error")
            return None
        edited = Path(name).read_bytes().decode("utf-8", "replace")
        if not text.endswith("\n"):
            return edited.removesuffix("\n")
        return edited
    except (OSError, SuspendNotSupported):
        host.say(t("edit.editor_failed", command=command[0]), "error")
        return None
    finally:
        Path(name).unlink(missing_ok=True)
