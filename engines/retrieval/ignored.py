"""Reads `.gitignore`: which files and folders below a folder are left out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_LARGEST = 1 << 20
_PARTS = re.compile(r"\*\*/|/\*\*$|\*+|\?|\[!?\]?[^\]]*\]|\\.|.", re.DOTALL)


class IgnoreRules(NamedTuple):
    """The rules of a folder's `.gitignore`, as Git reads them."""

    folder: str
    """The folder, as the names of files begin with it."""
    rules: tuple[tuple[re.Pattern[str], bool, bool], ...]
    """Of names below the folder; whether it is taken after all; whether only folders
    are meant.
    """

    def ignores(self, name: str, *, folder: bool) -> bool | None:
        """Whether a name is ignored; None if no rule matches."""
        inside = name[len(self.folder) + 1 :]
        for pattern, taken, folders in reversed(self.rules):
            if (folder or not folders) and pattern.fullmatch(inside):
                return not taken
        return None


def rules_of(folder: Path, name: str) -> IgnoreRules | None:
    """The rules of the `.gitignore` in a folder; None where it has none."""
    try:
        with open(folder / ".gitignore", "rb") as file:
            lines = file.read(_LARGEST).decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    return IgnoreRules(name, tuple(map(_rule, filter(_meant, lines))))


def _meant(line: str) -> bool:
    return bool(line.strip("/ !")) and not line.startswith("#")


def _rule(line: str) -> tuple[re.Pattern[str], bool, bool]:
    line = line if line.endswith("\\ ") else line.rstrip()
    taken = line.startswith("!")
    line = line[taken:]
    path = line.strip("/")
    # a name alone is meant at any depth
    start = "" if "/" in line.rstrip("/") else "(?:.*/)?"
    try:
        pattern = re.compile(start + _PARTS.sub(_as_regex, path), re.DOTALL)
    except re.error:
        pattern = re.compile(re.escape(path))
    return pattern, taken, line.endswith("/")


def _as_regex(found: re.Match[str]) -> str:
    part = found[0]
    if part == "**/":
        return "(?:.*/)?"
    if part == "/**":
        return "/.*"
    if part[0] == "*":
        return "[^/]*"
    if part == "?":
        return "[^/]"
    if part[0] == "[" and len(part) > 2:
        return f"[^{part[2:]}" if part[1] in "!^" else part
    return re.escape(part[-1])
