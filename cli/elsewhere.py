"""Where and how a batch or a study runs: the options that both take, and who makes the events then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..engines.batches.makers import Makers
    from ..engines.tools import Tools

Command = Callable[..., Any]

OPTIONS: list[Callable[[Command], Command]] = []
NAMES: tuple[str, ...] = ()
"""The names of these options as values."""


def makers_of(values: Mapping[str, Any], tools: Tools) -> Makers:
    """Who makes the events of the sessions, as the options say. Raises: BadInput."""
    from ..engines.batches.makers import Here

    return Here()
