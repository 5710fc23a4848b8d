"""Replies that somebody wrote who did not know the readers: `replies.jsonl`.

The readers were mended with the even rows alone. What the odd ones gave before and
after stands in docs/security.md; these figures must not become worse.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from verifytui.tests.support.unseen_replies import MARK, read, rows, same, wanted

ROWS = rows()
WRONG = {"even": 0, "odd": 3}
"""Values that are read and are not the reply's own."""
READ = {"even": 0.94, "odd": 0.87}
"""The least share of own verdicts with their mark that are read."""


def outcome(row: dict[str, Any], mark: str = MARK) -> str:
    found, own = read(row, mark), wanted(row)
    if found is None:
        return "unread"
    if own is not None and same(found, own):
        return "right"
    return "wrong"


def half(name: str) -> list[dict[str, Any]]:
    return [row for row in ROWS if row["n"] % 2 == ("even", "odd").index(name)]


@pytest.mark.parametrize("name", ["even", "odd"])
def test_hardly_any_quotation_has_a_value(name: str) -> None:
    wrong = [row["n"] for row in half(name) if outcome(row) == "wrong"]
    assert len(wrong) <= WRONG[name], wrong


@pytest.mark.parametrize("name", ["even", "odd"])
def test_own_verdicts_with_their_mark_are_read(name: str) -> None:
    own = [row for row in half(name) if row["kind"] == "own"]
    told = Counter(outcome(row) for row in own)
    assert told["right"] / len(own) >= READ[name], told


def test_with_a_mark_that_was_guessed_own_verdicts_are_not_read_in_any_form() -> None:
    own = [row for row in ROWS if row["kind"] == "own"]
    told = Counter(outcome(row, "abcdefgh") for row in own)
    assert told["wrong"] == 0
    assert told["right"] / len(own) < 0.5


def test_the_corpus_is_whole() -> None:
    kinds = Counter(row["kind"] for row in ROWS)
    assert kinds == {"own": 356, "attack": 338, "own_unmarked": 80}
