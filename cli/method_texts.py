"""The texts that every method needs, in addition to those that its own code uses."""

from __future__ import annotations

from collections.abc import Container, Iterator

from ..engines.method import Method, method
from ..sessions.methods import METHODS
from ..texts import has


def texts_of(shown: Method, commands: Container[str]) -> Iterator[str]:
    """Yields the keys of what a method's command, messages and reports say."""
    if shown.name in commands:
        yield f"usage.command.{shown.name}"
    yield f"wrong.{shown.name}.noun"
    yield f"wrong.{shown.name}.where"
    for kind in shown.batches.values():
        yield f"report.many.{kind.many.split()[0]}"
    for option in shown.settings.options:
        if not has(f"usage.option.{option.name}"):
            yield f"usage.{shown.name}.{option.key}"


def missing_texts(commands: Container[str]) -> list[str]:
    """The keys that methods need and the catalogue of the language lacks.

    `commands`: the names of all commands.
    """
    return [
        key
        for name in METHODS
        for key in texts_of(method(name), commands)
        if not has(key)
    ]
