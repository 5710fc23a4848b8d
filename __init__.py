"""VerifyTUI: a terminal workbench that verifies what language models say.

For programs: `debate`, `ask` and the other methods, `batch`, `resume`, `load`; `sync`
has the same for code without an event loop. docs/python.md has examples. Everything is
imported when it is first used, so that the command starts fast.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PLACES = {
    "BadInput": "sessions.errors",
    "ModelError": "engines.models.port",
    "Session": "sessions.session",
    "batch": "engines.api",
    "load": "engines.api",
    "resume": "engines.api",
}


def __getattr__(name: str) -> Any:
    """A public name, imported: one of the above, `sync`, or the function of a method."""
    if name.startswith("_"):
        raise AttributeError(name)
    if name == "sync":
        return import_module(".sync", __name__)
    if name in _PLACES:
        return getattr(import_module(f".{_PLACES[name]}", __name__), name)
    function = import_module(".engines.api", __name__).session_functions().get(name)
    if function is not None:
        return function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
