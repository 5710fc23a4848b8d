"""How this program was installed: the command that adds one of its extras."""

from __future__ import annotations

import json
import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAME = "verifytui"
_TOOLS = {
    "uv-receipt.toml": "uv tool install",
    "pipx_metadata.json": "pipx install",
}
"""File in an environment to the command that creates the environment again."""
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"extra *== *['\"]([^'\"]+)['\"]")


def install_command(extra: str) -> str:
    """The shell command that adds an extra to this installation.

    It is one for pip, pipx or uv, whichever made the environment, and names the folder
    that was installed from, if any. pipx and uv tools are made anew by it, so that it
    names the extras that are there, too.
    """
    folder, editable = _source()
    environment = Path(sys.prefix)
    for made_by, command in _TOOLS.items():
        if (environment / made_by).is_file():
            mode = "--editable " if editable else ""
            extras = ",".join(sorted({extra, *_present()}))
            return f"{command} --force {mode}{_requirement(folder, extras)}"
    mode = "-e " if editable else ""
    wanted = _requirement(folder, extra)
    python = shlex.quote(sys.executable)
    if find_spec("pip") is None:
        return f"uv pip install --python {python} {mode}{wanted}"
    return f"{python} -m pip install {mode}{wanted}"


def _requirement(source: str, extras: str) -> str:
    if "://" in source:
        return shlex.quote(f"{NAME}[{extras}] @ {source}")
    return shlex.quote(f"{source or NAME}[{extras}]")


def _present() -> list[str]:
    """The extras of which every package is installed."""
    from importlib.metadata import PackageNotFoundError, distribution, version

    missing, named = set[str](), set[str]()
    try:
        lines = distribution(NAME).requires or []
    except PackageNotFoundError:
        return []
    for line in lines:
        package, extra = _NAME.match(line), _EXTRA.search(line)
        if package is None or extra is None or package[0].lower() == NAME:
            continue
        named.add(extra[1])
        try:
            version(package[0])
        except PackageNotFoundError:
            missing.add(extra[1])
    return sorted(named - missing - {"docs", "test"})


def _source() -> tuple[str, bool]:
    """The folder or address that was installed from, empty for an index; whether
    changes in the folder take effect (PEP 610).
    """
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        written = distribution(NAME).read_text("direct_url.json")
        found = json.loads(written or "{}")
        url, vcs = str(found.get("url", "")), found.get("vcs_info", {})
        editable = bool(found.get("dir_info", {}).get("editable"))
        if vcs:
            return f"{vcs['vcs']}+{url}@{vcs['commit_id']}", False
    except (PackageNotFoundError, OSError, ValueError, AttributeError, KeyError):
        return "", False
    if url.startswith("file://"):
        return unquote(urlsplit(url).path), editable
    return url, False
