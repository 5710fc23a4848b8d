"""Which colours the app has: those that the user named or chose last, and other
people's themes made legible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from textual.color import Color
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.theme import Theme

from ..engines.models.config import Config
from ..sessions.paths import paths, recall, remember
from .themes import DARK, LIGHT, SHORT

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
"""A colour becomes legible in this many steps towards black or white at most."""


class ThemeChoice(NamedTuple):
    """The name of a theme, and where it stands; empty: nowhere."""

    name: str
    where: str


class WholeCellBar(ScrollBarRender):
    """A scrollbar whose handle is drawn in whole cells: an end between two cells needs
    two more colors and moves with nearly every line, which costs bytes over SSH.
    """

    VERTICAL_BARS = HORIZONTAL_BARS = [ScrollBarRender.BLANK_GLYPH]


class AppTheme:
    """The theme that is wanted, and the one that the user chose in the app."""

    def __init__(
        self, option: str | None, config: Config, env: Mapping[str, str]
    ) -> None:
        """`option` is that of the command line."""
        self._named = config.theme
        self._chosen = paths(env).state / "theme.json"
        self.wanted = ThemeChoice(option, "--theme") if option else self._last(env)
        self._shown = SHORT.get(self.wanted.name, self.wanted.name)
        remote = bool(env.get("SSH_CONNECTION"))
        ScrollBar.renderer = WholeCellBar if remote else ScrollBarRender

    def _last(self, env: Mapping[str, str]) -> ThemeChoice:
        read = recall(self._chosen)
        chosen = read if isinstance(read, dict) else {}
        theme = chosen.get("theme")
        if theme and isinstance(theme, str) and chosen.get("beside") == self._named:
            return ThemeChoice(theme, str(self._chosen))
        if self._named:
            return ThemeChoice(
                self._named,
                "VERIFYTUI_THEME"
                if env.get("VERIFYTUI_THEME")
                else str(paths(env).config_file),
            )
        return ThemeChoice("dark", "")

    def take_light(self) -> bool:
        """Whether to use the light theme: light background, and no theme chosen."""
        free = self.wanted == ("dark", "") == (self._shown, "")
        if free:
            self._shown = "light"
        return free

    def remember(self, name: str) -> None:
        """Stores the theme that the user chose, not the one that is shown anyway.

        It holds until the configuration names another than it does now.
        """
        if name == self._shown:
            return
        self._shown = name
        remember(self._chosen, {"theme": name, "beside": self._named})


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
    """An own color; None for none, transparency or a terminal color."""
    color = Color.parse(text) if text.startswith("#") else None
    if color is not None and color.a == 1:
        return color
    return None
