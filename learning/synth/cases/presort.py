"""Scores pairs to select those to judge (the relevance paper, section 3.4)."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ....engines.retrieval.bm25 import norm, weight
from ....sessions.errors import bad_input, unread
from ....sessions.files import write_whole
from ....texts import t
from .sources import Pair

if TYPE_CHECKING:
    from ....engines.retrieval.store import Array

COLUMNS = ("query", "case", "score")


class ScoredPair(NamedTuple):
    """A pair and its score; None if it was not scored."""

    query: str
    case: str
    score: float | None = None


class Bm25:
    """BM25 scores of listed pairs, equal to those of a corpus of all cases: one case is
    the query, the other the document. Each word of a query counts as often as it
    occurs.
    """

    def __init__(self) -> None:
        self._words: dict[str, Array] = {}
        self._counts: dict[str, Array] = {}
        self._lengths: dict[str, int] = {}
        self._parts: dict[str, Array] | None = None

    def add(self, case: str, numbers: Array) -> None:
        """Adds the next case, as word numbers."""
        import numpy

        words, counts = numpy.unique(numbers, return_counts=True)
        self._words[case], self._counts[case], self._lengths[case] = (
            words.astype("int32"),
            counts.astype("int32"),
            len(numbers),
        )

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """The score of each pair."""
        import numpy

        parts, size = self._weighed()
        made = [0.0] * len(pairs)
        asked = numpy.zeros(size, dtype="float32")
        for query, places in groupby(
            sorted(range(len(pairs)), key=lambda at: pairs[at][0]),
            lambda at: pairs[at][0],
        ):
            asked[self._words[query]] = self._counts[query]
            for at in places:
                case = pairs[at][1]
                made[at] = float(asked[self._words[case]] @ parts[case])
            asked[self._words[query]] = 0
        return made

    def _weighed(self) -> tuple[dict[str, Array], int]:
        """The weight of each word in each case, and the number of words."""
        import numpy

        size = 1 + max(
            (int(words[-1]) for words in self._words.values() if len(words)), default=-1
        )
        if self._parts is None:
            frequencies = numpy.zeros(size, dtype="int64")
            for words in self._words.values():
                frequencies[words] += 1
            values, which = numpy.unique(frequencies, return_inverse=True)
            weights = numpy.array(
                [weight(value, len(self._words)) for value in values.tolist()],
                dtype="float32",
            )[which]
            mean = sum(self._lengths.values()) / max(1, len(self._lengths))
            self._parts = {
                case: weights[words]
                * (counts / (norm(self._lengths[case], mean) + counts)).astype(
                    "float32"
                )
                for (case, words), counts in zip(
                    self._words.items(), self._counts.values(), strict=True
                )
            }
        return self._parts, size


def best_first(scored: Iterable[ScoredPair]) -> list[ScoredPair]:
    """Sorts the pairs by score; ties keep the random order of drawing. Pairs without a
    score come last.
    """
    return sorted(scored, key=lambda one: math.inf if one.score is None else -one.score)


def read_scores(path: Path) -> dict[Pair, float]:
    """Reads scores from a table with the columns `query`, `case` and `score`.

    Raises: BadInput, which names the line.
    """
    found = {}
    for number, row in _rows(path):
        query, case, score = row["query"], row["case"], _number(row["score"])
        where = t("wrong.place.path_line", path=path, number=number)
        if score is None:
            raise bad_input("wrong.synth_cases.no_number", where=where)
        if (query, case) in found:
            raise bad_input("wrong.synth_cases.same_pair", where=where)
        found[query, case] = score
    return found


def read_drawn(path: Path) -> list[ScoredPair]:
    """Reads the pairs that `write_drawn` wrote, in order. Raises: BadInput."""
    return [
        ScoredPair(row["query"], row["case"], _number(row["score"]))
        for _, row in _rows(path)
    ]


def write_drawn(path: Path, pairs: Iterable[ScoredPair]) -> None:
    """Writes pairs as a table that `read_scores` can read.

    Raises: BadInput, WriteError.
    """
    made = StringIO()
    table = csv.writer(made, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(
        (pair.query, pair.case, "" if pair.score is None else repr(pair.score))
        for pair in pairs
    )
    write_whole(path, made.getvalue())


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            table: Any = csv.DictReader(file, strict=True)
            if not set(COLUMNS) <= set(table.fieldnames or ()):
                raise bad_input(
                    "wrong.synth_cases.columns",
                    path=path,
                    columns=", ".join(COLUMNS),
                )
            for row in table:
                if any(not isinstance(row[name], str) for name in COLUMNS):
                    raise bad_input(
                        "wrong.synth_cases.row",
                        where=t(
                            "wrong.place.path_line",
                            path=path,
                            number=table.line_num,
                        ),
                    )
                yield table.line_num, row
    except OSError as error:
        raise unread(path, error) from None
    except (csv.Error, ValueError):
        raise bad_input(
            "wrong.synth_cases.columns", path=path, columns=", ".join(COLUMNS)
        ) from None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if math.isfinite(number):
        return number
    return None
