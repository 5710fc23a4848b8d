"""What people call roles and models: one letter, a name.

Text from outside comes back as it is; a sink cleans or escapes it.
"""

from __future__ import annotations

from . import has, t

BUILT_IN = ("human", "script", "lexical")
"""Who can answer without being a language model."""


PANEL = "panel"
"""The id of the model of a seat that a panel sits on."""


def letter(role: str) -> str:
    """One letter or digit that tells a speaker apart without colour."""
    key = f"letter.{role}"
    if has(key):
        return t(key)
    return (role[-1:] if role[-1:].isdigit() else role[:1].upper()).strip() or "?"


def role_name(role: str) -> str:
    """`debater3` → debater 3. A role without a name of its own is called by its id."""
    if role.startswith("debater"):
        return t("role.debater", n=role.removeprefix("debater"))
    key = f"role.{role}"
    if has(key):
        return t(key)
    return role


def model_name(model: str, name: str | None = None) -> str:
    """The user's name for a model with its real id behind it; a built-in says that it
    is not a language model.
    """
    if not model:
        return t("model.nobody")
    if model in (*BUILT_IN, "given"):
        return t(f"model.{model}")
    if model == PANEL and name:
        return t("model.panel", name=name)
    if name and name != model:
        return f"{name} ({model})"
    return model
