"""Requests without the mark that they ask for, which each installation makes its own."""

from __future__ import annotations

import re

_MARK = re.compile(r'\\?"mark\\?": \\?"[a-z]{8}\\?"')


def without_mark(text: str) -> str:
    """The text of a request, the same in every installation."""
    return _MARK.sub("", text)
