"""The Homebrew formula and the conda recipe name the version and the dependencies of
pyproject.toml and requirements.lock.
"""

from __future__ import annotations

import hashlib
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import verifytui
import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "packaging"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))[
    "project"
]
MADE = runpy.run_path(str(FOLDER / "homebrew.py"))
CONDA_NAMES = {"rank_bm25": "rank-bm25"}


def formula() -> str:
    return (FOLDER / "verifytui.rb").read_text("utf-8")


def resources(text: str) -> dict[str, tuple[str, str]]:
    """Name -> address and hash."""
    found = re.findall(
        r'resource "(.+)" do\n +url "(.+)"\n +sha256 "([0-9a-f]{64})"\n', text
    )
    assert len(found) == text.count("  resource ")
    return {name: (url, sha256) for name, url, sha256 in found}


def as_lock(text: str) -> dict[str, Any]:
    """The resources as a pylock.toml holds them."""
    return {
        "packages": [
            {"name": name, "sdist": {"url": url, "hashes": {"sha256": sha256}}}
            for name, (url, sha256) in resources(text).items()
        ]
    }


def test_the_resources_are_the_source_distributions_of_the_lock() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8").replace("\\\n", " ")
    found = resources(formula())
    wanted = re.findall(r"^([a-z0-9-]+)==(\S+)(.*)$", lock, re.MULTILINE)
    names = {name for name, _, rest in wanted if "sys_platform == 'win32'" not in rest}
    assert set(found) == names - set(MADE["FROM_HOMEBREW"]), "run: make formula"
    for name, version, rest in wanted:
        if name in found:
            url, sha256 = found[name]
            assert f"sha256:{sha256}" in rest, name
            assert url.endswith(f"-{version}.tar.gz"), name


def test_the_formula_is_what_its_script_makes_of_this_version() -> None:
    assert MADE["formula"](as_lock(formula())) == formula(), "run: make formula"
    assert f"/verifytui-{verifytui.__version__}.tar.gz" in formula()
    python = re.search(r'depends_on "python@3\.(\d+)"', formula())
    assert python is not None
    assert f"Programming Language :: Python :: 3.{python[1]}" in PROJECT["classifiers"]


def test_the_script_hashes_a_source_distribution(tmp_path: Path) -> None:
    archive = tmp_path / "verifytui.tar.gz"
    archive.write_bytes(b"sources")
    lock = """[[packages]]
name = "some"
sdist = { url = "https://example.org/some-1.tar.gz", hashes = { sha256 = "ab" } }
[[packages]]
name = "colorama"
marker = "sys_platform == 'win32'"
"""
    done = subprocess.run(
        [sys.executable, str(FOLDER / "homebrew.py"), str(archive)],
        input=lock,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f'sha256 "{hashlib.sha256(b"sources").hexdigest()}"' in done.stdout
    assert done.stdout.count("  resource ") == 1
    assert MADE["UNKNOWN"] not in done.stdout


def test_the_recipe_has_the_version_and_dependencies_of_the_project() -> None:
    recipe = yaml.safe_load((FOLDER / "recipe.yaml").read_text("utf-8"))
    assert recipe["context"]["version"] == verifytui.__version__
    found = {}
    for line in recipe["requirements"]["run"]:
        name, _, versions = line.partition(" ")
        found[CONDA_NAMES.get(name, name)] = versions
    assert found.pop("__unix") == "", "native Windows is refused"
    assert found.pop("python") == PROJECT["requires-python"]
    assert [name + versions for name, versions in found.items()] == PROJECT[
        "dependencies"
    ]
    (wanted,) = [
        line for line in recipe["requirements"]["host"] if line.startswith("setuptools")
    ]
    built_with = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert wanted.replace(" ", "") in built_with["build-system"]["requires"]
    for command, place in PROJECT["scripts"].items():
        assert f"{command} = {place}" in recipe["build"]["python"]["entry_points"]
