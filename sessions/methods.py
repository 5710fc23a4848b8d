"""The one list of methods: ours, then those of plugins.

Everything else about a method is loaded by its name when needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from . import plugins
from .errors import BadInput

BUILTIN = {
    "debate": "debate",
    "relevance": "relevance",
    "rag": "rag",
    "solo": "debate",
    "grade": "relevance",
    "rank": "rag",
}
"""Each of our methods with the workspace that shows it, in the order of the tabs."""


class _Methods(Mapping[str, str]):
    """The workspace of each method. Plugins are looked up for other names only."""

    def __getitem__(self, name: str) -> str:
        if name in BUILTIN:
            return BUILTIN[name]
        if name not in plugins.names("methods"):
            raise KeyError(name)
        try:
            workspace: str = plugins.load("methods", name).WORKSPACE
        except BadInput:  # the command of the method says why
            raise KeyError(name) from None
        return workspace

    def __iter__(self) -> Iterator[str]:
        yield from BUILTIN
        yield from (name for name in plugins.names("methods") if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


METHODS: Mapping[str, str] = _Methods()
WORKSPACES = tuple(dict.fromkeys(BUILTIN.values()))
"""The workspaces, in the order of their tabs."""


def module_of(name: str, part: str) -> ModuleType:
    """The module of a method that holds `part`, such as `settings`, `starting` or
    `blocks`: the file of this name in `engines/METHOD/` or in the plugin's package, or
    its `method.py` where there is no such file. Raises: BadInput for a broken plugin.
    """
    package = f"{plugins.PACKAGE}.engines.{name}"
    if name not in BUILTIN:
        package = plugins.load("methods", name).__name__
    if not _has(package, part):
        part = "method"
    return import_module(f"{package}.{part}")


@cache
def _has(package: str, module: str) -> bool:
    return find_spec(f"{package}.{module}") is not None
