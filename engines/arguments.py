"""Arguments of the functions for programs: whether they are of the declared types."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from ..sessions.errors import bad_input
from ..texts import t

_NAMES = {str: "text", Sequence: "list", Mapping: "mapping"}
_KNOWN = {"Any": Any, "Mapping": Mapping, "Sequence": Sequence}
"""What the modules of methods import for type checkers only."""


def bound(
    function: Callable[..., Mapping[str, object]], args: Sequence[object], given: object
) -> inspect.BoundArguments:
    """The arguments of a call, checked against the annotations of `function`.

    `given`: the named ones. Raises: BadInput for a value of another type; TypeError for
    arguments that are missing or too many, as Python does.
    """
    assert isinstance(given, dict)
    found = inspect.signature(function).bind(*args, **given)
    hints = get_type_hints(function, localns=_KNOWN)
    for name, value in found.arguments.items():
        _check(name, value, hints[name])
    return found


def _check(name: str, value: object, hint: object) -> None:
    """Raises: BadInput."""
    kinds = list(_kinds(hint))
    if any(kind is Any for kind, _ in kinds):
        return
    fitting = [each for each in kinds if _is(value, each[0])]
    if not fitting:
        expected = t("wrong.python.or").join(
            t(f"wrong.python.{_NAMES[kind]}") for kind, _ in kinds if kind in _NAMES
        )
        given = type(value).__name__
        raise bad_input("wrong.python.type", name=name, expected=expected, given=given)
    kind, parts = fitting[0]
    if kind is Sequence and parts and isinstance(value, Sequence):
        for number, item in enumerate(value):
            _check(f"{name}[{number}]", item, parts[0])
    if kind is Mapping and parts and isinstance(value, Mapping):
        for key, item in value.items():
            _check(f"{name}[{key!r:.80}]", item, parts[1])


def _kinds(hint: object) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The types that a hint allows, with the types of their parts."""
    if isinstance(hint, UnionType):
        for one in get_args(hint):
            yield from _kinds(one)
    else:
        yield get_origin(hint) or hint, get_args(hint)


def _is(value: object, kind: Any) -> bool:
    if kind is Sequence:
        unlisted = isinstance(value, str | bytes | Mapping)
        return isinstance(value, Iterable) and not unlisted
    if kind in (str, Mapping, NoneType):
        return isinstance(value, kind)
    return True
