"""Explains the four levels and their criteria."""

from __future__ import annotations

from collections.abc import Mapping

from textual.app import ComposeResult
from textual.content import Content

from .....texts import t
from ....screens.sheet import Pages
from ....screens.text_sheet import TextSheet
from ....showing import clean
from ....widgets.hits import HitText


class LevelsGuide(TextSheet):
    """A team's own guideline, and the criteria of section 3.1 of the LCR paper, in
    short.
    """

    DEFAULT_CSS = (
        "LevelsGuide { Pages { height: auto; max-height: 1fr; } Pages > Static { "
        "height: auto; } }"
    )
    NAME = "levels"
    HEADING = "relevance.guide_title"

    def __init__(
        self, guideline: str = "", scale: Mapping[int, str] | None = None
    ) -> None:
        """`scale`: a team's own levels with names."""
        super().__init__()
        self._guideline = guideline
        self._scale = scale or {}

    def body(self) -> ComposeResult:
        parts: list[str | tuple[str, str]] = []
        if self._guideline:
            title = t("labelling.guideline_title")
            parts += [(title + "\n", "bold"), clean(self._guideline.strip()) + "\n\n"]
        levels = self._scale or {
            level: t(f"relevance.guide_{level}") for level in range(4)
        }
        for level, words in levels.items():
            parts += [(f"{level}  ", "bold $primary"), words + "\n"]
        for name in () if self._scale else ("material", "legal"):
            parts += [
                ("\n" + t(f"relevance.facts_{name}") + "\n", "bold"),
                t(f"relevance.guide_{name}") + "\n",
            ]
        if not self._scale:
            parts.append(("\n" + t("relevance.guide_rest"), "$quiet"))
        with Pages():
            yield HitText(Content.assemble(*parts))
