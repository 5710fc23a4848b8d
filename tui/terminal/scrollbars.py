"""Scrollbars that cost few bytes, for terminals on the other side of a network."""

from __future__ import annotations

import os

from textual.scrollbar import ScrollBar, ScrollBarRender


class WholeCellBar(ScrollBarRender):
    """Draws the handle in whole cells: an end between two cells needs two more colors
    and moves with nearly every line.
    """

    VERTICAL_BARS = HORIZONTAL_BARS = [ScrollBarRender.BLANK_GLYPH]


def choose_scrollbars() -> None:
    """Draws scrollbars in whole cells over SSH, and in eighths of a cell elsewhere."""
    remote = bool(os.environ.get("SSH_CONNECTION"))
    ScrollBar.renderer = WholeCellBar if remote else ScrollBarRender
