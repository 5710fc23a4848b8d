"""Which colours the app has: those that the user named or chose last, and other
people's themes made legible.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from textual.color import Color
from textual.theme import Theme

from ..engines.models.config import Config
from ..sessions.paths import paths, private_dir
from .themes import DARK, LIGHT

LEGIBLE = 4.5
"""The least contrast of words with their ground (WCAG 2.2, 1.4.3)."""

WORDS = (
    "foreground",
    "primary",
    "secondary",
    "accent",
    "warning",
    "error",
    "success",
    *DARK.variables,
)
"""Colours in which words are written."""

GROUNDS = ("background", "surface", "panel")

STEPS = 20
"""A colour becomes legible in so many steps towards black or white at most."""


class ThemeChoice(NamedTuple):
    """The name of a theme, and where it stands; empty: nowhere."""

    name: str
    where: str


class AppTheme:
    """The theme that is wanted, and the one that the user chose in the app."""

    def __init__(
        self, option: str | None, config: Config, env: Mapping[str, str]
    ) -> None:
        """`option` is that of the command line."""
        self._named = config.theme
        self._chosen = paths(env).state / "theme.json"
        self.wanted = ThemeChoice(option, "--theme") if option else self._last(env)

    def _last(self, env: Mapping[str, str]) -> ThemeChoice:
        chosen = _read(self._chosen)
        if chosen.get("theme") and chosen.get("beside") == self._named:
            return ThemeChoice(chosen["theme"] or "", str(self._chosen))
        if self._named:
            return ThemeChoice(
                self._named,
                "VERIFYTUI_THEME"
                if env.get("VERIFYTUI_THEME")
                else str(paths(env).config_file),
            )
        return ThemeChoice("dark", "")

    def remember(self, name: str) -> None:
        """Keeps the theme that the user chose.

        It holds until the configuration names another than it does now.
        """
        with suppress(
            OSError
        ):  # a home that cannot be written: it holds until the app is left
            private_dir(self._chosen.parent)
            self._chosen.write_text(
                json.dumps({"theme": name, "beside": self._named}), encoding="utf-8"
            )


def legible(variables: Mapping[str, str], theme: Theme) -> dict[str, str]:
    """Returns the colours of somebody else's theme, with words that can be read on each
    of its grounds.
    """
    own = (DARK if theme.dark else LIGHT).variables
    made = {
        **variables,
        **{name: value for name, value in own.items() if name not in theme.variables},
    }
    grounds = [
        ground for name in GROUNDS if (ground := _color(made.get(name, ""))) is not None
    ]
    for name in WORDS:
        color = _color(made.get(name, ""))
        if color is not None and grounds:
            made[name] = _readable(color, grounds, theme.dark).hex
    return made


def contrast(one: Color, other: Color) -> float:
    """Returns the contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _readable(color: Color, grounds: Iterable[Color], dark: bool) -> Color:
    end = Color(255, 255, 255) if dark else Color(0, 0, 0)
    for step in range(STEPS + 1):
        mixed = color.blend(end, step / STEPS)
        if all(contrast(mixed, ground) >= LEGIBLE for ground in grounds):
            return mixed
    return end


def _luminance(color: Color) -> float:
    parts = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in color.normalized
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _color(text: str) -> Color | None:
    """Returns a colour of its own; None for what is none, is seen through, or is one of
    the terminal's.
    """
    color = Color.parse(text) if text.startswith("#") else None
    if color is not None and color.a == 1:
        return color
    return None


def _read(path: Path) -> dict[str, str | None]:
    try:
        kept: dict[str, str | None] = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    right = isinstance(kept, dict) and isinstance(kept.get("theme"), str)
    if right and isinstance(kept.get("beside"), str | None):
        return kept
    return {}
