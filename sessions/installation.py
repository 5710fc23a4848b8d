"""How this program was installed: the command that adds one of its extras."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAME = "verifytui"


def install_command(extra: str) -> str:
    """The shell command that adds an extra to this installation.

    It is one for pip, pipx or uv, whichever made the environment, and names the folder
    that was installed from, if any.
    """
    folder, editable = _source()
    wanted = shlex.quote(f"{folder or NAME}[{extra}]")
    environment = Path(sys.prefix)
    if (environment / "uv-receipt.toml").is_file():
        mode = "--editable " if editable else ""
        return f"uv tool install --force {mode}{wanted}"
    if (environment / "pipx_metadata.json").is_file():
        mode = "--editable " if editable else ""
        return f"pipx install --force {mode}{wanted}"
    mode = "-e " if editable else ""
    return f"{shlex.quote(sys.executable)} -m pip install {mode}{wanted}"


def _source() -> tuple[str, bool]:
    """The folder that was installed from, empty for an index; whether changes there
    take effect (PEP 610).
    """
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        written = distribution(NAME).read_text("direct_url.json")
        found = json.loads(written or "{}")
        url = urlsplit(str(found.get("url", "")))
        editable = bool(found.get("dir_info", {}).get("editable"))
    except (PackageNotFoundError, OSError, ValueError, AttributeError):
        return "", False
    return (unquote(url.path), editable) if url.scheme == "file" else ("", False)
