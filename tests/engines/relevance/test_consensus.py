"""The level that several people's labels come to."""

from __future__ import annotations

import pytest
from verifytui.engines.relevance.consensus import majority


@pytest.mark.parametrize(
    ("levels", "wanted"),
    [
        ([3, 3, 1], 3),
        ([3, 1], None),
        ([3, 3, 1, 1], None),
        ([3, None, None], None),
        ([2], 2),
        ([], None),
        ([0, 0, None], 0),
    ],
)
def test_a_majority_is_more_than_half_of_all_who_labelled(
    levels: list[int | None], wanted: int | None
) -> None:
    assert majority(levels) == wanted
