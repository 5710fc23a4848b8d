"""Text in columns of a terminal: wide signs take two cells."""

from __future__ import annotations

from unicodedata import east_asian_width


def cells(text: str) -> int:
    """How many cells a text takes."""
    return (
        len(text)
        if text.isascii()
        else sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)
    )


def pad(text: str, width: int) -> str:
    """The text, filled up with blanks to a width in cells."""
    return text + " " * (width - cells(text))
