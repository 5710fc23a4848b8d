"""The wheel holds every package and data file, and no tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KINDS = (".py", ".pyi", ".typed", ".yaml", ".tcss", ".md", ".txt", ".jsonl")
ROOMS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
DOORS = sorted(
    path.name
    for path in ROOT.iterdir()
    if path.suffix in (".py", ".pyi", ".typed") and path.name != "setup.py"
)

pytestmark = pytest.mark.slow


def shipped() -> set[str]:
    """What the package is made of, as paths in the wheel."""
    files = [ROOT / name for name in DOORS]
    for room in ROOMS:
        files += [
            path
            for path in (ROOT / room).rglob("*")
            if path.suffix in KINDS and "__pycache__" not in path.parts
        ]
    return {f"verifytui/{path.relative_to(ROOT).as_posix()}" for path in files}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in a wheel built from a copy of the tree."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    skipped = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for room in (*ROOMS, "tests"):
        shutil.copytree(ROOT / room, tree / room, ignore=skipped)
    for name in (*DOORS, "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(out),
        str(tree),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("*.whl")
    return set(zipfile.ZipFile(path).namelist())


def test_everything_is_in_it(wheel: set[str]) -> None:
    assert shipped() - wheel == set()


def test_nothing_else_is_in_it(wheel: set[str]) -> None:
    other = {name for name in wheel - shipped() if ".dist-info/" not in name}
    assert other == set()


def test_the_command_is_declared(wheel: set[str]) -> None:
    assert any(name.endswith("entry_points.txt") for name in wheel)
    assert any(name.endswith("licenses/LICENSE") for name in wheel)
