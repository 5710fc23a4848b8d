"""Ranks the documents of a data set with an encoder or BM25, as a TREC run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal

from ...engines.metrics.trec import run
from ...engines.retrieval.whole_texts import WholeTexts
from ...sessions.errors import bad_input
from ..encoders.data import EncoderTexts, PairLevel, by_query

if TYPE_CHECKING:
    from ..encoders.local import LocalEncoder
    from ..encoders.port import Matrix

BM25 = "bm25"
"""In place of an encoder: search by words, as in a corpus."""
Pool = Literal["judged", "all"]
"""Documents to rank for a query: those with a level for it, or the whole corpus except
an unlabelled document with the query's id.
"""
DEPTH = 100
"""Number of documents to keep per query."""
AT_ONCE = 64
"""Documents whose vectors are in memory at once, besides those of all queries."""

Told = Callable[[int, int], None]
"""Called with the number of finished documents and of all documents."""


Scorer = Callable[
    [EncoderTexts, Mapping[str, Sequence[str]], Told], Iterator[tuple[str, str, float]]
]
"""Query, document and score of each document to rank."""


def ranked(
    data: EncoderTexts,
    labels: Sequence[PairLevel],
    scorer: Scorer,
    pool: Pool,
    depth: int = DEPTH,
    progress: Told = lambda done, of: None,
) -> dict[str, list[tuple[str, float]]]:
    """The first `depth` documents of each labelled query with their scores, best first;
    ties by id.
    """
    wanted = candidates(data, by_query(labels), judged=pool == "judged")
    if not all(wanted.values()):
        raise bad_input("wrong.encoder.empty", path=data.folder)
    kept: dict[str, list[tuple[str, float]]] = {query: [] for query in wanted}
    for query, document, score in scorer(data, wanted, progress):
        found = kept[query]
        found.append((document, score))
        if len(found) >= 4 * depth + 1000:
            kept[query] = _best(found, depth)
    return {query: _best(found, depth) for query, found in kept.items()}


def candidates(
    data: EncoderTexts, labels: Mapping[str, Mapping[str, int]], *, judged: bool
) -> dict[str, list[str]]:
    """The documents to rank for each query: those with a level, or the whole corpus.
    The corpus includes query cases; such a case is not its own candidate unless it has
    a level.
    """
    return {
        query: list(levels)
        if judged
        else [name for name in data.documents if name != query or name in levels]
        for query, levels in labels.items()
    }


def as_run(lists: Mapping[str, Sequence[tuple[str, float]]], tag: str) -> str:
    """The lines of a TREC run.

    Raises: BadInput for an id that the format does not allow.
    """
    return "".join(run(query, found, tag) for query, found in lists.items())


def by_words(
    data: EncoderTexts, wanted: Mapping[str, Sequence[str]], progress: Told
) -> Iterator[tuple[str, str, float]]:
    """BM25 over all documents of the data set, not only those to rank."""
    names = list(data.documents)
    places = {name: place for place, name in enumerate(names)}
    index = WholeTexts(data.documents.values(), lambda done: progress(done, len(names)))
    try:
        for query, documents in wanted.items():
            scores = index.scores(data.queries[query])
            yield from (
                (query, name, float(scores[places[name]])) for name in documents
            )
    finally:
        index.close()


def by_encoder(encoder: LocalEncoder) -> Scorer:
    """The largest dot product of two blocks."""

    def score(
        data: EncoderTexts, wanted: Mapping[str, Sequence[str]], progress: Told
    ) -> Iterator[tuple[str, str, float]]:
        asking: dict[str, list[str]] = {}
        for query, documents in wanted.items():
            for name in documents:
                asking.setdefault(name, []).append(query)
        blocks = dict(
            zip(
                wanted,
                encoder.encode([data.queries[query] for query in wanted]),
                strict=True,
            )
        )
        names, done = iter(asking), 0
        while part := list(islice(names, AT_ONCE)):
            made = encoder.encode([data.documents[name] for name in part])
            for query, found in _by_query(part, asking).items():
                scores = _nearest(blocks[query], [made[place] for place in found])
                yield from (
                    (query, part[place], value)
                    for place, value in zip(found, scores, strict=True)
                )
            done += len(part)
            progress(done, len(asking))

    return score


def _by_query(
    names: Sequence[str], asking: Mapping[str, Sequence[str]]
) -> dict[str, list[int]]:
    """Query → the indexes of its documents."""
    found: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        for query in asking[name]:
            found.setdefault(query, []).append(place)
    return found


def _nearest(query: Matrix, documents: Sequence[Matrix]) -> list[float]:
    """`encoders.port.score` of a query and each document, in one computation."""
    import numpy

    starts = numpy.cumsum([0, *(len(document) for document in documents[:-1])])
    near = (query @ numpy.concatenate(list(documents)).T).max(axis=0)
    nearest: list[float] = numpy.maximum.reduceat(near, starts).tolist()
    return nearest


def _best(found: list[tuple[str, float]], depth: int) -> list[tuple[str, float]]:
    return sorted(found, key=lambda one: (-one[1], one[0]))[:depth]
