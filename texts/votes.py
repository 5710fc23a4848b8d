"""Fields that a panel votes on, and their values, as people call them."""

from __future__ import annotations

from . import has, t
from .roles import role_name


def field_name(name: str) -> str:
    """`citation_accuracy` → citation accuracy.

    `answer2`, which a ranking votes on, is answer 2.
    """
    if name.startswith("answer") and name[6:].isdigit():
        return t("vote.answer_n", n=name[6:])
    if has(f"vote.{name}"):
        return t(f"vote.{name}")
    return name


def field_value(name: str, value: bool | int | float | str) -> str:
    """A value in words; a text that a model wrote comes back as it is."""
    if isinstance(value, bool):
        return t("vote.yes" if value else "vote.no")
    if isinstance(value, float):
        return f"{value:.2f}"
    if name == "supported_side":
        if value == "none":
            return t("vote.nobody")
        return role_name(str(value))
    if name == "judgement" and has(f"vote.judged_{value}"):
        return t(f"vote.judged_{value}")
    return str(value)
