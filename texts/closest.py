"""The known name that is closest to one that there is not."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from . import t


def closest(given: str, known: Iterable[str]) -> str | None:
    """The known spelling that is closest; None where none is near."""
    near = get_close_matches(given, list(known), n=1, cutoff=0.6)
    if near:
        return near[0]
    return None


def with_closest(why: str, given: str, known: Iterable[str]) -> str:
    """The sentence, with the known spelling that is closest to what was given."""
    near = closest(given, known)
    if near is None:
        return why
    return t("wrong.preflight.closest", why=why, name=near)
