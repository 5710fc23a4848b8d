"""What the four levels mean, and by what they are given."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content

from .....texts import t
from ....screens.sheet import Pages
from ....screens.text_sheet import TextSheet
from ....widgets.hits import HitText


class LevelsGuide(TextSheet):
    """The criteria of section 3.1 of the LCR paper, in short."""

    DEFAULT_CSS = (
        "LevelsGuide { Pages { height: auto; max-height: 1fr; } Pages > Static { "
        "height: auto; } }"
    )
    NAME = "levels"
    HEADING = "relevance.guide_title"

    def body(self) -> ComposeResult:
        parts: list[str | tuple[str, str]] = []
        for level in range(4):
            parts += [
                (f"{level}  ", "bold $primary"),
                t(f"relevance.guide_{level}") + "\n",
            ]
        for name in ("material", "legal"):
            parts += [
                ("\n" + t(f"relevance.facts_{name}") + "\n", "bold"),
                t(f"relevance.guide_{name}") + "\n",
            ]
        parts.append(("\n" + t("relevance.guide_rest"), "$quiet"))
        with Pages():
            yield HitText(Content.assemble(*parts))
