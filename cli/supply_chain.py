"""What in this environment may run code that nobody wanted: compromised releases of
packages, and files that Python runs at each start.
"""

from __future__ import annotations

import site
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

COMPROMISED = {"litellm": ("1.82.7", "1.82.8")}
"""Releases on PyPI that stole keys."""
MALICIOUS = ("litellm_init.pth",)
"""Files that such releases leave; they outlive the package."""
USUAL = (
    *("__editable__", "_virtualenv", "distutils-precedence", "easy-install"),
    *("a1_coverage", "coverage", "pywin32", "matplotlib", "google", "protobuf"),
)
"""How the names of `.pth` files with code that packages need begin."""


def compromised(name: str, version: str) -> bool:
    """Whether this release of a package is known to be malicious."""
    return version in COMPROMISED.get(name.lower(), ())


def folders() -> list[Path]:
    """Where Python looks for `.pth` files at its start."""
    listed = [*site.getsitepackages(), site.getusersitepackages(), *sys.path]
    return [Path(each) for each in dict.fromkeys(listed) if each.endswith("-packages")]


def startup_files(places: Iterable[Path]) -> Iterator[Path]:
    """The `.pth` files in these folders that run code and are not usual ones."""
    for folder in places:
        for file in sorted(folder.glob("*.pth")):
            usual = file.name.startswith(USUAL) or file.name.endswith("-nspkg.pth")
            if not usual and _runs_code(file):
                yield file


def _runs_code(file: Path) -> bool:
    """Whether Python runs a line of the file (`site`: those that begin with import)."""
    try:
        lines = file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    return any(line.startswith(("import ", "import\t")) for line in lines)
