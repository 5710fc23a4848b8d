"""Plugins: entry points of installed packages in the groups `verifytui.KIND`.

`scale/` and `learning/` are plugins too; a checkout may lack one of them. The groups
are read on the first lookup.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache
from glob import escape as glob_escape
from glob import glob
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from ..texts import t
from .errors import BadInput, bad_input

Kind = Literal[
    "commands", "embedders", "measures", "methods", "readers", "retrievers", "runners"
]
ROOT = Path(__file__).parents[1]
PACKAGE = __name__.partition(".")[0]
"""The name of the package, which may differ from the folder's."""
_ENTRY = re.compile(r"([^=]+?) *= *([\w.]+)(?: *: *([\w.]+))?(?: *\[.*\])?")
BROKEN: dict[str, str] = {}
"""Plugins that are not used → one sentence with the reason."""


class Plugin(NamedTuple):
    """An entry point of an installed package."""

    name: str
    module: str
    attribute: str
    """"": the module itself."""
    owner: str
    """The package that provides it."""

    def load(self) -> Any:
        """Imports the object."""
        module = import_module(self.module)
        return attrgetter(self.attribute)(module) if self.attribute else module


@cache
def _found() -> dict[str, dict[str, Plugin]]:
    """The entry points of all installed packages, whatever their order: an old
    `.egg-info` in a checkout hides no entry points of the installed package.

    Does not use `importlib.metadata`, whose import alone takes longer than `--version`.
    """
    found: dict[str, dict[str, Plugin]] = {kind: {} for kind in get_args(Kind)}
    for folder in sys.path:
        for package in glob(os.path.join(glob_escape(folder), "*.*-info")):
            with suppress(OSError, UnicodeDecodeError):
                text = Path(package, "entry_points.txt").read_text("utf-8")
                for kind, plugin in _in_text(text, _owner(package)):
                    if kind in found:
                        found[kind].setdefault(plugin.name, plugin)
    return found


def _owner(package: str) -> str:
    """`name` from the folder `name-1.0.dist-info`, or `name.egg-info` of a checkout."""
    return re.split(r"-|\.egg$", os.path.basename(package).rpartition("-")[0])[0]


def _in_text(text: str, owner: str) -> Iterator[tuple[str, Plugin]]:
    """The plugins in the text of an `entry_points.txt`, with their kinds."""
    group = f"[{PACKAGE}."
    if group not in text:
        return
    kind = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            kind = line[len(group) : -1] if line.startswith(group) else ""
        elif kind and (entry := _ENTRY.fullmatch(line)):
            name, module, attribute = entry.groups("")
            plugin = Plugin(name, module, attribute, owner)
            if _is_there(plugin):
                yield kind, plugin


def _is_there(plugin: Plugin) -> bool:
    """False for a plugin in a top-level folder that this checkout lacks."""
    package, *more = plugin.module.split(".")
    return package != PACKAGE or not more or (ROOT / more[0]).exists()


def names(kind: Kind) -> list[str]:
    """The names of the plugins of a kind, sorted."""
    return sorted(_found()[kind])


def owners() -> dict[str, str]:
    """KIND.NAME of every plugin → the package that provides it."""
    return {
        f"{kind}.{name}": plugin.owner
        for kind, found in _found().items()
        for name, plugin in sorted(found.items())
    }


def load(kind: Kind, name: str) -> Any:
    """Load the plugin of this name. Raises: BadInput if it is missing or broken."""
    point = _found()[kind].get(name)
    if point is None:
        raise BadInput(t("wrong.plugin.none", kind=kind, name=name))
    try:
        return point.load()
    except Exception as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise BadInput(
            t("wrong.plugin.broken", kind=kind, name=name, owner=point.owner, why=why)
        ) from error


def every(kind: Kind, builtin: Collection[str] = ()) -> dict[str, Any]:
    """All plugins of a kind by name.

    Plugins that cannot be loaded, or whose name is in `builtin`, are left out; `BROKEN`
    says why.
    """
    plugins = {}
    for name, plugin in sorted(_found()[kind].items()):
        try:
            if name in builtin:
                raise bad_input(
                    "wrong.plugin.builtin", kind=kind, name=name, owner=plugin.owner
                )
            plugins[name] = load(kind, name)
        except BadInput as error:
            BROKEN[f"{kind}.{name}"] = str(error)
    return plugins
