"""VerifyTUI: a terminal workbench that verifies what language models say.

For programs: `debate`, `ask` and the other methods, `batch`, `resume`, `load`; `sync`
has the same for code without an event loop. docs/python.md has examples. Everything is
imported when it is first used, so that the command starts fast.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

__version__ = "0.1.0"

_PLACES = {
    "BadInput": "sessions.errors",
    "BatchReport": "engines.reports.batch",
    "ModelError": "engines.models.port",
    "RunComparison": "engines.figures.compare",
    "Session": "sessions.session",
    "batch": "engines.api",
    "compare": "engines.api",
    "frames": "engines.api",
    "load": "engines.api",
    "resume": "engines.api",
}


def __getattr__(name: str) -> _Any:
    """A public name, imported: one of the above, `sync`, or the function of a method."""
    if name.startswith("_"):
        raise AttributeError(name)
    if name == "sync":
        return _import_module(".sync", __name__)
    if name in _PLACES:
        return getattr(_import_module(f".{_PLACES[name]}", __name__), name)
    function = _import_module(".engines.api", __name__).session_functions().get(name)
    if function is not None:
        return function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, for completion."""
    functions = _import_module(".engines.api", __name__).session_functions()
    return sorted(["__version__", "sync", *_PLACES, *functions])
