"""torch stays where it belongs: in the extra `train`, in the rooms of encoders and
training, and away from every start.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {
    "accelerate",
    "datasets",
    "sentence_transformers",
    "tokenizers",
    "torch",
    "transformers",
    "trl",
}
ROOMS = ("learning/encoders/", "learning/training/")


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(lines: list[str], extras: dict[str, list[str]]) -> set[str]:
    """Names of these requirements and of all that they need in turn, as far as it is
    installed.
    """
    found: set[str] = set()
    waiting = [Requirement(line) for line in lines]
    while waiting:
        one = waiting.pop()
        if plain(one.name) == "verifytui":
            waiting += [
                Requirement(line) for extra in one.extras for line in extras[extra]
            ]
            continue
        if plain(one.name) in found:
            continue
        found.add(plain(one.name))
        try:
            further = [Requirement(line) for line in requires(one.name) or []]
        except PackageNotFoundError:
            continue
        chosen = one.extras or {""}
        waiting += [
            each
            for each in further
            if each.marker is None
            or any(each.marker.evaluate({"extra": extra}) for extra in chosen)
        ]
    return found


@pytest.mark.parametrize("extra", ["", "test"])
def test_neither_the_plain_install_nor_the_tests_need_torch(extra: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    found = needed(extras[extra] if extra else project["dependencies"], extras)
    assert len(found) > 20
    assert found.isdisjoint({plain(name) for name in HEAVY - {"tokenizers"}})
    assert "torch" in needed(extras["train"], extras)


def imported(nodes: Iterable[ast.AST], place: Path) -> Iterator[str]:
    """Modules that these statements import: those of the package as paths of its root,
    without a suffix.
    """
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = place.parents[node.level - 1].as_posix() + "/" if node.level else ""
            named = base + (node.module or "").replace(".", "/" if node.level else ".")
            yield named
            yield from (f"{named}/{one.name}" for one in node.names)


def test_torch_is_imported_in_its_rooms_only_and_when_it_is_used() -> None:
    """Nothing outside the two rooms imports one of the libraries, nor at its top a file
    that does so at its own top.
    """
    at_the_top: dict[str, set[str]] = {}
    stray = {}
    for room in ("cli", "engines", "prompts", "sessions", "texts", "tui"):
        for path in sorted((ROOT / room).rglob("*.py")):
            text, place = path.read_text("utf-8"), path.relative_to(ROOT)
            if any(word in text for word in (*HEAVY, "encoders", "training", "local")):
                tree = ast.parse(text)
                at_the_top[place.with_suffix("").as_posix()] = {
                    *imported(tree.body, place)
                }
                everywhere = {
                    name.partition(".")[0] for name in imported(ast.walk(tree), place)
                } & HEAVY
                if everywhere and not place.as_posix().startswith(ROOMS):
                    stray[place.as_posix()] = everywhere
    loading = {
        place
        for place, names in at_the_top.items()
        if {name.partition(".")[0] for name in names} & HEAVY
    }
    while (
        more := {place for place, names in at_the_top.items() if names & loading}
        - loading
    ):
        loading |= more
    assert stray == {}
    assert [
        place
        for place in loading
        if not place.startswith(ROOMS) or place.endswith("__init__")
    ] == []
