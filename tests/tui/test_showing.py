"""Characters that nobody sees are named on the screen, and drawn apart from what was
said.
"""

from __future__ import annotations

import pytest
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from verifytui.tui.showing import clean
from verifytui.tui.terminal.cells import BIT, cells_of


def drawn(segments: list[Segment]) -> tuple[str, str]:
    """What stands in the cells, and which of them are dim (`_`: not)."""
    cells = cells_of(segments, ColorSystem.TRUECOLOR)
    return "".join(text for text, _ in cells), "".join(
        text if pen.on & BIT["dim"] else "_" * len(text) for text, pen in cells
    )


def test_the_name_of_an_unseen_character_is_dim_and_the_same_words_in_a_text_are_not() -> (
    None
):
    said, dim = drawn([Segment(clean("a\u200bb U+200B"), Style(bold=True))])
    assert said == "aU+200Bb U+200B"
    assert dim == "_U+200B________"


@pytest.mark.parametrize("width", range(1, 12))
def test_it_is_dim_wherever_the_line_is_broken(width: int) -> None:
    lines = Content(clean("see\u200bno evil")).wrap(width)
    found = [drawn([Segment(line.plain)]) for line in lines]
    assert "".join(said for said, _ in found).replace(" ", "") == "seeU+200Bnoevil"
    assert "".join(dim for _, dim in found).replace("_", "") == "U+200B"


def test_a_segment_that_begins_with_the_mark_dims_the_cell_before() -> None:
    shown = clean("\u200b")
    said, dim = drawn([Segment(shown[:1]), Segment(shown[1:])])
    assert (said, dim) == ("U+200B", "U+200B")
