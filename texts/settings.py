"""What people call settings, their values, and other words that files keep in
English.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import has, t


def setting_name(name: str) -> str:
    """`judge_history` → judge reads.

    A setting without a name of its own is called by its id.
    """
    key = f"setting.{name}"
    if has(key):
        return t(key)
    return name


def setting_value(name: str, value: object) -> str:
    """A value in words: `value.stop_forced` → after all rounds.

    One without words of its own is called by what is written for it.
    """
    word = (
        {True: "on", False: "off", None: "none_named"}[value]
        if isinstance(value, bool | None)
        else str(value).replace("-", "_")
    )
    for key in (
        f"value.{name}_{word}",
        f"{name}s.name{word}",
        *([f"value.{word}"] if isinstance(value, bool) else []),
    ):
        if has(key):
            return t(key)
    return str(value)


def listed(words: Iterable[str]) -> str:
    """Words in a row, with the comma of the user's language."""
    return t("asked.comma").join(words)


def word(name: str) -> str:
    """A word of a report, such as `no-references`, in the user's language.

    One without words of its own stays as it is.
    """
    key = f"report.word.{name.replace('-', '_')}"
    if has(key):
        return t(key)
    return name
