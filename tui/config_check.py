"""Checks the entries of the configuration that only the app uses: theme and keys."""

from __future__ import annotations

from collections.abc import Iterator

from textual.theme import BUILTIN_THEMES

from ..engines.models.config import Config
from ..texts import t
from ..texts.closest import with_closest
from .actions import BY_ID, keymap, keys_in
from .themes import THEMES

WRONG = ("unknown-action", "not-a-key", "digits-only")
"""Why an entry of the keymap can never be used."""


def screen_problems(config: Config) -> Iterator[str]:
    """What is wrong with theme and keymap, a sentence each."""
    known = [*THEMES, *BUILTIN_THEMES]
    if config.theme is not None and config.theme not in known:
        why = t("wrong.config.theme", theme=config.theme, names=", ".join(known))
        yield with_closest(why, config.theme, known)
    for entry, reason in keymap(keys_in(config))[1]:
        if reason not in WRONG:
            continue  # it may work in another terminal: the app says so
        why = t("app.bad_key", entry=entry, why=t(f"keys.{reason.replace('-', '_')}"))
        yield f"keymap: {with_closest(why, entry, BY_ID)}"
