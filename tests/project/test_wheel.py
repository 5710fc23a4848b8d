"""The wheel holds every package and data file, and no tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
import textual
import verifytui

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
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the tree."""
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
    return path


@pytest.fixture(scope="module")
def wheel(built: Path) -> set[str]:
    """The names in it."""
    return set(zipfile.ZipFile(built).namelist())


def test_everything_is_in_it(wheel: set[str]) -> None:
    assert shipped() - wheel == set()


def test_nothing_else_is_in_it(wheel: set[str]) -> None:
    other = {name for name in wheel - shipped() if ".dist-info/" not in name}
    assert other == set()


def test_the_command_is_declared(wheel: set[str]) -> None:
    assert any(name.endswith("entry_points.txt") for name in wheel)
    assert any(name.endswith("licenses/LICENSE") for name in wheel)


def test_it_runs_in_an_environment_of_its_own(
    built: Path, home: Path, tmp_path: Path
) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True, symlinks=True)

    def ran(program: str, *words: object) -> str:
        done = subprocess.run(
            [environment / "bin" / program, *map(str, words)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    ran(
        "python", "-m", "pip", "--isolated", "install", "--no-index", "--no-deps", built
    )
    assert ran("verifytui", "--version") == f"verifytui {verifytui.__version__}\n"
    # the packages that it needs are those of this environment
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "needed.pth").write_text(str(Path(textual.__file__).parents[1]), "utf-8")
    place = ran("python", "-c", "import verifytui; print(verifytui.__file__)")
    assert Path(place.strip()) == site / "verifytui" / "__init__.py"
    ran(
        "verifytui",
        *("ask", "Since when has there been a tower in Paris?"),
        *("--corpus", "example", "--save", "tower.yaml"),
    )
    assert "tower" in ran("verifytui", "replay", "tower.yaml", "--plain")


def test_the_source_distribution_holds_docs_tests_and_the_lock(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    tree, out = (
        tmp_path_factory.mktemp("whole") / "tree",
        tmp_path_factory.mktemp("out"),
    )
    skipped = shutil.ignore_patterns("__pycache__", "*.egg-info", ".git", ".venv")
    shutil.copytree(ROOT, tree, ignore=skipped)
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation"]
    done = subprocess.run(
        [*command, "--outdir", str(out), str(tree)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in (
        "CHANGELOG.md",
        "requirements.lock",
        "docs/install.md",
        "tests/project/test_wheel.py",
        "engines/engine.py",
        "texts/zh.yaml",
        ".ci/run",
        "README.zh.md",
        "packaging/verifytui.rb",
        "packaging/recipe.yaml",
    ):
        assert name in names
    assert not [name for name in names if "__pycache__" in name or ".venv" in name]


def test_every_extra_but_torch_is_in_all() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(everything.partition("[")[2].rstrip("]").split(","))
    assert named == set(extras) - {"all", "docs", "test", "train"}
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    assert [name for name in (*named, "all", "train") if f"`{name}`" not in page] == []
