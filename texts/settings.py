"""What people call settings and their values."""

from __future__ import annotations

from . import has, t


def setting_name(name: str) -> str:
    """`judge_history` → judge reads. A setting without a name of its own is called by its id."""
    key = f"setting.{name}"
    return t(key) if has(key) else name


def setting_value(name: str, value: object) -> str:
    """A value in words: `value.stop_forced` → after all rounds. One without words of its own is called by what is written for it."""
    word = {True: "on", False: "off", None: "none_named"}[value] if isinstance(value, bool | None) else str(value).replace("-", "_")
    for key in (f"value.{name}_{word}", f"{name}s.name{word}", f"value.{word}"):
        if has(key):
            return t(key)
    return str(value)
