"""Textual's private names stand in one file, and belong to the version that is pinned."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from textual.message_pump import MessagePump

ROOT = Path(__file__).parents[2]
COMPAT = "tui/terminal/compat.py"
PUBLIC = {"_replace", "_asdict", "_exit"}
"""Names with an underscore that are no secret: of named tuples, and of `os`."""


def files() -> Iterator[Path]:
    for path in sorted((ROOT / "tui").rglob("*.py")):
        if path != ROOT / COMPAT:
            yield path


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


def own_names(tree: ast.AST) -> set[str]:
    """What a file itself keeps in its objects: one object of a class may look into
    another of the same class.
    """
    stored = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    return stored | {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_nobody_reaches_into_another_object_but_for_textuals_one_file() -> None:
    reached: list[str] = []
    for path in files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        own = own_names(tree)
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Attribute)
                and private(node.attr)
                and node.attr not in own
            ):
                at_home = isinstance(node.value, ast.Name) and node.value.id in (
                    "self",
                    "cls",
                )
                if not at_home:
                    reached.append(
                        f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}"
                    )
            elif isinstance(node, ast.ImportFrom) and any(
                part.startswith("_") for part in (node.module or "").split(".")[1:]
            ):
                reached.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.module}")
    assert reached == []


@cache
def private_names(kind: type) -> set[str]:
    """The private names that the source of a class defines or keeps in its objects."""
    return {
        name
        for name in re.findall(
            r"(?:self\.|def |^    )(_[a-z]\w*)", inspect.getsource(kind), re.MULTILINE
        )
        if private(name)
    }


def test_no_widget_of_ours_uses_or_replaces_a_private_name_of_its_base() -> None:
    used: list[str] = []
    for path in files():
        module = import_module(
            ".".join(
                ["verifytui", *path.relative_to(ROOT).with_suffix("").parts]
            ).removesuffix(".__init__")
        )
        for kind in vars(module).values():
            if not (
                isinstance(kind, type)
                and kind.__module__ == module.__name__
                and issubclass(kind, MessagePump)
            ):
                continue
            theirs = {
                name
                for base in kind.__mro__
                if base.__module__.startswith("textual.")
                for name in private_names(base)
            }
            used += [
                f"{kind.__name__}.{name}"
                for name in sorted(theirs & private_names(kind))
            ]
    assert used == []


def test_textual_is_pinned_to_the_version_that_is_installed() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]["dependencies"]
    pins = [
        line
        for name in ("constraints.txt", "requirements.lock")
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
    ]
    assert f"textual=={version('textual')}" in wanted
    assert (
        sum(
            re.match(r"textual==[\d.]+", line) is not None
            and f"textual=={version('textual')}" in line
            for line in pins
        )
        == 2
    )
