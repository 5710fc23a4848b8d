"""What is said where something is refused."""

from __future__ import annotations

from collections.abc import Callable

from verifytui.sessions.errors import BadInput


def sentence(call: Callable[[], object]) -> str:
    """The whole sentence of a call that is refused."""
    try:
        made = call()
    except BadInput as error:
        return str(error)
    raise AssertionError(f"not refused: {made!r}")
