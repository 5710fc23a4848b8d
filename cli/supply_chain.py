"""Find malicious code in this environment: compromised releases of packages, and files
that Python runs at each start.
"""

from __future__ import annotations

import site
import sys
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

COMPROMISED = {"litellm": ("1.82.7", "1.82.8")}
"""Releases on PyPI that stole keys."""
MALICIOUS = ("litellm_init.pth",)
"""Files that such releases leave; they outlive the package."""
USUAL = (
    *("_virtualenv.pth", "a1_coverage.pth", "distutils-precedence.pth"),
    *("easy-install.pth", "pywin32.pth", "__editable__.*.pth", "*-nspkg.pth"),
)
"""Patterns of the names of `.pth` files with code that known packages bring."""


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
            usual = any(fnmatch(file.name, each) for each in USUAL)
            if not usual and _runs_code(file):
                yield file


def _runs_code(file: Path) -> bool:
    """Whether Python runs a line of the file (`site`: those that begin with import)."""
    try:
        lines = file.read_text("utf-8-sig", "replace").splitlines()
    except OSError:
        return False
    return any(line.startswith(("import ", "import\t")) for line in lines)
