"""Ranks the passages of a collection for one query, equal to the index on disk.

Milvus computes in its own precision and breaks ties arbitrarily, so it only provides
candidates. More are requested until no other passage can be among the best; then exact
scores determine the order, with ties in passage order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ...engines.retrieval.dense import fused
from ...engines.retrieval.index import BETWEEN
from ...engines.retrieval.near import Shingles
from ...engines.retrieval.port import RetrievalError
from ...engines.retrieval.ranks import FUSED, RankedPassage, Ranking
from ...engines.retrieval.tokeniser import Tokeniser
from ...sessions.clean import scrub
from ...texts import t
from .head import QueryScores
from .server import AT_ONCE, LIGHT, MOST, PASSAGE, MilvusConnection, PassageHit

if TYPE_CHECKING:
    from ...engines.retrieval.store import Array

SLACK = 0.001
"""Relative error of Milvus' scores: some servers store weights in 16 bits."""

Fits = Callable[[str, str, Mapping[str, str]], bool]


class MilvusPassage:
    """A passage as stored in the collection."""

    def __init__(
        self, row: dict[str, Any], words: Tokeniser, numbers: dict[str, int]
    ) -> None:
        """`numbers` assigns each written word a number, shared by all compared
        passages.

        Raises: ValueError if fields are missing or invalid.
        """
        texts = {name: row.get(name) for name in ("file", "title", "text")}
        start, end = row.get("start"), row.get("end")
        if (
            not all(isinstance(value, str) for value in texts.values())
            or not isinstance(start, int)
            or not isinstance(end, int)
        ):
            raise ValueError("A passage lacks its text or its place.")
        self.file, self.title, self.text = (
            scrub(str(value))[0] for value in texts.values()
        )
        self.start, self.end = start, end
        self.metadata = metadata_of(row)
        title = words.raw(self.title, characters=True)
        raws = title + words.raw(self.text, characters=True)
        self._title, self._numbers = (
            len(title),
            [numbers.setdefault(raw, len(numbers)) for raw in raws],
        )
        self.length = len(raws)
        self.counts = Counter(map(words.word, raws))

    @property
    def id(self) -> str:
        return f"{self.file}@{self.start}"

    def shingles(self) -> Shingles:
        import numpy

        return Shingles(numpy.array(self._numbers, dtype="int64"), self._title)


def metadata_of(row: Mapping[str, object]) -> dict[str, str]:
    """The metadata in a row. Raises: ValueError if it is invalid."""
    text = row.get("metadata")
    try:
        found = (
            msgspec.json.decode(text, type=dict[str, str])
            if isinstance(text, str)
            else None
        )
    except msgspec.MsgspecError:
        found = None
    if found is None:
        raise ValueError("A passage has no metadata.")
    return {scrub(name)[0]: scrub(value)[0] for name, value in found.items()}


class MilvusSearch:
    """The candidates for a query. `cut` is set if Milvus returned fewer than needed."""

    def __init__(
        self,
        server: MilvusConnection,
        words: Tokeniser,
        figures: QueryScores,
        numbers: Mapping[str, int],
        fits: Fits | None,
        graph: bool,
    ) -> None:
        """`numbers`: the query's words that the collection has. `graph`: whether
        vectors are searched with a graph.
        """
        self._server, self._words, self._figures, self._known = (
            server,
            words,
            figures,
            numbers,
        )
        self._fits, self._graph = fits, graph
        self._passages: dict[int, MilvusPassage] = {}
        self._raws: dict[str, int] = {}
        self.cut = False

    def by_words(self) -> Ranking:
        """Exact BM25."""
        vector = self._figures.vector
        return lambda depth: (
            [
                RankedPassage(at, score)
                for score, at in self._best("words", vector, depth, exact=True)
            ]
            if vector
            else []
        )

    def by_vectors(self, query: Array) -> Ranking:
        """Cosine similarity as computed by Milvus."""

        def ranked(depth: int) -> list[RankedPassage]:
            found = [
                RankedPassage(at, None, score)
                for score, at in self._best("vector", query.tolist(), depth)
            ]
            self._load([one.at for one in found])
            return found

        return ranked

    def by_both(self, query: Array) -> Ranking:
        """Reciprocal rank fusion of the first 1000 by words and by vector, as ranked by
        Milvus.
        """
        vector = self._figures.vector
        said = (
            {at: score for score, at in self._best("words", vector, FUSED)}
            if vector
            else {}
        )
        near = {at: score for score, at in self._best("vector", query.tolist(), FUSED)}
        found_by: dict[int, dict[str, int]] = {}
        for name, ranking in (("bm25", said), ("dense", near)):
            for place, at in enumerate(ranking, 1):
                found_by.setdefault(at, {})[name] = place
        order = fused([list(said), list(near)])

        def ranked(depth: int) -> list[RankedPassage]:
            self._load(order[:depth])
            return [
                RankedPassage(
                    at,
                    self._score(at) if at in said else None,
                    near.get(at),
                    found_by[at],
                )
                for at in order[:depth]
            ]

        return ranked

    def passage(self, at: int) -> MilvusPassage:
        """A ranked passage."""
        return self._passages[at]

    def look(self, at: int) -> tuple[Shingles, str]:
        """The shingles and the document of a ranked passage."""
        passage = self._passages[at]
        return passage.shingles(), passage.file

    def _best(
        self, field: str, query: Any, depth: int, *, exact: bool = False
    ) -> list[tuple[float, int]]:
        """The best matching passages with scores, best first, ties in order. `exact`:
        with the scores of the index on disk.
        """
        limit = min(
            depth + max(depth // 2, 10) if self._fits is None else max(depth * 8, 80),
            MOST,
        )
        while True:
            whole = exact and self._fits is None and limit <= AT_ONCE
            fields = (
                PASSAGE if whole else LIGHT if self._fits is not None else ("start",)
            )
            hits = self._server.search(
                field, query, limit, fields, graph=self._graph and field == "vector"
            )
            complete = len(hits) < limit or (field == "words" and hits[-1].score <= 0)
            kept = [hit for hit in hits if self._wanted(hit, field)]
            if exact:
                self._load(
                    [hit.at for hit in kept],
                    {hit.at: hit.row for hit in kept} if whole else None,
                )
            scored = [
                (self._score(hit.at) if exact else hit.score, hit.at)
                for hit in kept
                if not exact or hit.at in self._passages
            ]
            scored.sort(key=lambda one: (-one[0], one[1]))
            if complete:
                return scored[:depth]
            bound = hits[-1].score * (1 + SLACK) if exact else hits[-1].score
            sure = [one for one in scored if one[0] > bound]
            if len(sure) >= depth:
                return sure[:depth]
            if limit == MOST:
                self.cut = True
                return scored[:depth]
            limit = min(limit * 4, MOST)

    def _wanted(self, hit: PassageHit, field: str) -> bool:
        if field == "words" and hit.score <= 0:
            return False
        try:
            return self._fits is None or self._fits(
                str(hit.row.get("file")),
                str(hit.row.get("title")).partition(BETWEEN)[0],
                metadata_of(hit.row),
            )
        except ValueError as error:
            raise self._odd(error) from None

    def _score(self, at: int) -> float:
        passage = self._passages[at]
        counts = {
            number: passage.counts[word]
            for word, number in self._known.items()
            if word in passage.counts
        }
        return self._figures.score(counts, passage.length)

    def _load(
        self, places: Sequence[int], rows: Mapping[int, dict[str, Any]] | None = None
    ) -> None:
        """Reads passages that are not loaded yet; `rows`: their rows, if already
        received.
        """
        new = [at for at in places if at not in self._passages]
        found = (self._server.passages(new) if rows is None else rows) if new else {}
        try:
            for at in new:
                if at in found:
                    self._passages[at] = MilvusPassage(
                        found[at], self._words, self._raws
                    )
        except ValueError as error:
            raise self._odd(error) from None

    def _odd(self, error: ValueError) -> RetrievalError:
        return RetrievalError(
            "server",
            t(
                "wrong.milvus.server",
                place=self._server.where.place,
                why=str(error).rstrip("."),
            ),
        )
