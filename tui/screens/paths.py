"""Completing the paths of files and folders while they are typed."""

from __future__ import annotations

import os

from textual.suggester import Suggester

from ...engines.threads import in_thread

MOST = 5_000
"""How many entries of a folder are looked at."""


class PathSuggester(Suggester):
    """Suggests the first entry of the folder that continues the typed text; the right
    arrow accepts it.
    """

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        return await in_thread(lambda: completed(value))


def completed(typed: str) -> str | None:
    """Returns what was typed and the rest of the name, with a slash behind a folder;
    None where nothing fits.

    Names with control characters are left out, and hidden ones as long as nothing of
    the name is typed.
    """
    if not typed.strip():
        return None
    folder, name = os.path.split(os.path.expanduser(typed))
    try:
        with os.scandir(folder or ".") as entries:
            fitting = [
                entry.name + ("/" if entry.is_dir() else "")
                for _, entry in zip(range(MOST), entries, strict=False)
                if entry.name.startswith(name)
                and entry.name != name
                and entry.name.isprintable()
                and (name or not entry.name.startswith("."))
            ]
    except (OSError, ValueError):
        return None
    if fitting:
        return typed + min(fitting)[len(name) :]
    return None
