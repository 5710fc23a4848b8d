"""Text from outside as the screen shows it."""

from __future__ import annotations

from ..sessions import clean as texts

NAMED = "\u2060"
"""Follows each character of the name that replaces an invisible one, and makes it dim.
Clean text holds it nowhere else.
"""


def clean(text: str, *, newlines: bool = True) -> str:
    """Returns text that is safe to show, as `sessions.clean.clean` does; names of
    invisible characters are drawn dim.
    """
    return texts.clean(text, newlines=newlines, mark=NAMED)


def clean_line(text: str) -> str:
    """Returns the text as one line that is safe to show."""
    return clean(text, newlines=False)
