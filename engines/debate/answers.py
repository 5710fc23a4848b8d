"""The answer that a speech states, and whether two answers are the same, by the rules
of `engines/metrics`.

These rules take a while to import, so they are imported when first needed, after the
first paint.
"""

from __future__ import annotations


def same(one: str, other: str) -> bool:
    """True if two answers say the same (`metrics/equivalence.py`)."""
    if one == other:
        return True
    from ..metrics import equivalence

    return equivalence.same(one, other)


def closing(text: str) -> str | None:
    """The answer that a speech states; None if it states none (`metrics/stated.py`)."""
    from ..metrics import stated_answer

    return stated_answer.closing(text)


def single_line(text: str) -> str | None:
    """The whole text, if it is one line."""
    from ..metrics import stated_answer

    return stated_answer.single_line(text)
