"""Full collections wait until no key has come for a second."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from verifytui.tui.memory import (
    AT_MOST,
    DUE,
    QUIET_SECONDS,
    collect_if_due,
    collect_in_quiet_seconds,
)


@pytest.fixture
def full() -> Iterator[list[int]]:
    """Fills up with one number for each full collection, none of them by itself."""
    collections: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 2:
            collections.append(info["generation"])

    before = gc.get_threshold()
    gc.set_threshold(100_000, 1, 10)
    gc.callbacks.append(note)
    yield collections
    gc.callbacks.remove(note)
    gc.set_threshold(*before)


def middle_collections(count: int) -> None:
    for _ in range(count):
        gc.collect(1)


def test_python_alone_collects_less_often(full: list[int]) -> None:
    collect_in_quiet_seconds()
    assert gc.get_threshold() == (100_000, 1, AT_MOST)


@pytest.mark.parametrize(
    ("quiet_for", "due", "expected"),
    [
        (QUIET_SECONDS, DUE, 1),
        (QUIET_SECONDS / 2, DUE, 0),
        (QUIET_SECONDS, DUE - 1, 0),
    ],
)
def test_a_quiet_second_is_used(
    full: list[int], quiet_for: float, due: int, expected: int
) -> None:
    gc.collect()
    full.clear()
    middle_collections(due)
    collect_if_due(quiet_for)
    assert len(full) == expected
