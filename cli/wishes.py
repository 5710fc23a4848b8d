"""What a user asks for, from the command line or from one line of a batch, before it is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

from ..sessions.errors import BadInput


@dataclass(frozen=True)
class Given:
    """The options of one session as given; None and empty: not given. Subclasses are frozen dataclasses of plain values."""

    NOUN: ClassVar[str]
    """What the options are of, for messages: `a debate`."""
    NUMBERS: ClassVar[frozenset[str]] = frozenset()
    FLAGS: ClassVar[frozenset[str]] = frozenset()
    LISTS: ClassVar[frozenset[str]] = frozenset({"model", "param"})
    """What a line adds to instead of replacing it."""
    NAMES: ClassVar[Mapping[str, str]] = {}
    """Names of a line that are another field here."""

    def given(self) -> dict[str, Any]:
        """What was given, as JSON: what a batch is known by."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value not in (None, ())}

    def with_line(self, line: Mapping[str, Any]) -> Self:
        """These, with the options that one line of a batch gives for itself. BadInput for an unknown name or a wrong type."""
        known = {f.name for f in fields(self)}
        changes: dict[str, Any] = {}
        for name, value in line.items():
            key = self.NAMES.get(name, name.replace("-", "_"))
            if key not in known:
                raise BadInput(f"“{name}” is not an option of {self.NOUN}.")
            if key in self.LISTS:
                changes[key] = getattr(self, key) + _listed(name, value)
                continue
            if key in self.NUMBERS and (not isinstance(value, int) or isinstance(value, bool)):
                raise BadInput(f"“{name}” must be a whole number.")
            if key in self.FLAGS and not isinstance(value, bool):
                raise BadInput(f"“{name}” must be true or false.")
            if key not in self.NUMBERS | self.FLAGS and not isinstance(value, str):
                raise BadInput(f"“{name}” must be text.")
            changes[key] = value
        return replace(self, **changes)


def _listed(name: str, value: object) -> tuple[str, ...]:
    """`"X"`, `["X", "ROLE=Y"]` or `{"ROLE": "Y"}` as the command line would have them."""
    if isinstance(value, dict):
        value = [f"{key}={one}" for key, one in value.items()]
    elif isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BadInput(f"“{name}” must be text, a list of texts or an object.")
    return tuple(value)
