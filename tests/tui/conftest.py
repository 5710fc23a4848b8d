"""What the tests of the screen share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _rare_collections() -> Iterator[None]:
    """Looks for garbage less often: with Python's own thresholds, these tests spend a
    third of their time on it, with these a tenth.
    """
    before = gc.get_threshold()
    gc.set_threshold(20_000, 20, 50)
    yield
    gc.set_threshold(*before)
