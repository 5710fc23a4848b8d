"""The two looks: calm grounds, one accent a speaker."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="verifytui-dark",
    dark=True,
    primary="#7aa2f7",
    secondary="#bb9af7",
    accent="#9ece6a",
    warning="#e0af68",
    error="#f7768e",
    success="#9ece6a",
    foreground="#c8d0f0",
    background="#16161e",
    surface="#1a1b26",
    panel="#1f2233",
    variables={
        "side-affirmative": "#7aa2f7",
        "side-negative": "#e0af68",
        "side-judge": "#9ece6a",
        "side-third": "#bb9af7",
        "side-other": "#7dcfff",
        "quiet": "#868eb0",
        "block-cursor-text-style": "none",
        "footer-key-foreground": "#9ece6a",
    },
)

LIGHT = Theme(
    name="verifytui-light",
    dark=False,
    primary="#2e5fd0",
    secondary="#7a45c9",
    accent="#3a6f12",
    warning="#8f5600",
    error="#b3243f",
    success="#3a6f12",
    foreground="#262a3a",
    background="#fbfbfd",
    surface="#f2f3f8",
    panel="#e6e8f1",
    variables={
        "side-affirmative": "#2e5fd0",
        "side-negative": "#975900",
        "side-judge": "#3a6f12",
        "side-third": "#7a45c9",
        "side-other": "#006c86",
        "quiet": "#5c6380",
        "block-cursor-text-style": "none",
        "footer-key-foreground": "#3a6f12",
    },
)

THEMES = {"dark": DARK, "light": LIGHT}

SHORT = {each.name: short for short, each in THEMES.items()}
"""What users call them, by their names in Textual."""
