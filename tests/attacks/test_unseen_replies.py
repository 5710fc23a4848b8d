"""Replies that people wrote who did not know the readers.

Each file was read once as it came, then the readers were changed for it. The figures
stand in docs/security.md and must not become worse.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from verifytui.tests.support.unseen_replies import read, rows, same, wanted

FILES = {
    "replies.jsonl": (356, 338, 80),
    "more_replies.jsonl": (200, 160, 0),
    "latest_replies.jsonl": (220, 180, 0),
}
"""How many own verdicts, quotations and own verdicts without the mark a file has."""
ROWS = {file: rows(file) for file in FILES}
HALVES = [(file, half) for file in FILES for half in (0, 1)]
READ = 0.9
"""The least share of own verdicts with their mark that are read."""


def outcome(row: dict[str, Any], guess: str = "") -> str:
    found, own = read(row, guess), wanted(row)
    if found is None:
        return "unread"
    if own is not None and same(found, own):
        return "right"
    return "wrong"


@pytest.mark.parametrize(("file", "half"), HALVES)
def test_nothing_is_misread(file: str, half: int) -> None:
    told = Counter(outcome(row) for row in ROWS[file] if row["n"] % 2 == half)
    assert told["wrong"] == 0


@pytest.mark.parametrize(("file", "half"), HALVES)
def test_own_verdicts_with_their_mark_are_read(file: str, half: int) -> None:
    own = [row for row in ROWS[file] if row["kind"] == "own" and row["n"] % 2 == half]
    told = Counter(outcome(row) for row in own)
    assert told["right"] / len(own) >= READ, told


@pytest.mark.parametrize("file", FILES)
def test_with_a_mark_that_was_guessed_own_verdicts_are_not_read_in_any_form(
    file: str,
) -> None:
    own = [row for row in ROWS[file] if row["kind"] == "own"]
    told = Counter(outcome(row, "abcdefgh") for row in own)
    assert told["wrong"] == 0
    assert told["right"] / len(own) < 0.5


@pytest.mark.parametrize("file", FILES)
def test_the_corpus_is_whole(file: str) -> None:
    kinds = Counter(row["kind"] for row in ROWS[file])
    assert (kinds["own"], kinds["attack"], kinds["own_unmarked"]) == FILES[file]
