"""Training and validation data: pairs with levels from a BEIR data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...sessions.errors import bad_input
from ..encoders.data import EncoderTexts, PairLevel, by_query, read
from .options import TrainingOptions
from .ranking import candidates


@dataclass(frozen=True)
class Examples:
    """Training pairs and validation queries. No query is in both."""

    data: EncoderTexts
    pairs: list[PairLevel]
    """In file order. Contrastive: only relevant pairs."""
    near: dict[str, set[str]]
    """Query → its relevant documents, in all training sets."""
    twice: int
    """Pairs that an earlier set also has; the earlier level counts."""
    validation: dict[str, dict[str, int]]
    """Query → document → level."""
    pool: dict[str, list[str]]
    """Query → the documents to rank for it."""

    def texts(self) -> list[str]:
        """All training texts, each once: queries, then documents."""
        queries = dict.fromkeys(pair.query for pair in self.pairs)
        documents = dict.fromkeys(pair.document for pair in self.pairs)
        return [
            *(self.data.queries[name] for name in queries),
            *(self.data.documents[name] for name in documents),
        ]


def examples(options: TrainingOptions) -> Examples:
    """Reads the data set.

    Raises: BadInput as `data.read` does; if there is no training pair; if all pairs
    have one level and the loss compares levels; if a query is also in the validation
    set; if no validation query has a level above 0.
    """
    data = read(options.data)
    found: dict[tuple[str, str], PairLevel] = {}
    twice = 0
    for name in options.sets:
        for label in data.labels(name):
            twice += label[:2] in found
            found.setdefault(label[:2], label)
    near: dict[str, set[str]] = {}
    for label in found.values():
        if label.level >= options.relevant:
            near.setdefault(label.query, set()).add(label.document)
    pairs = [
        one
        for one in found.values()
        if options.loss == "cosent" or one.level >= options.relevant
    ]
    _enough(options, pairs)
    validation = by_query(data.labels(options.validation))
    both = next(
        (
            query
            for query in validation
            if any(query == one.query for one in found.values())
        ),
        None,
    )
    if both is not None:
        raise bad_input("wrong.encoder.leak", query=both, validation=options.validation)
    if not any(level for levels in validation.values() for level in levels.values()):
        raise bad_input("wrong.encoder.no_gain", name=options.validation)
    return Examples(
        data,
        pairs,
        near,
        twice,
        validation,
        candidates(data, validation, judged=_judged(options, validation)),
    )


def _enough(options: TrainingOptions, pairs: list[PairLevel]) -> None:
    names = ", ".join(options.sets)
    if options.loss == "cosent" and len({pair.level for pair in pairs}) < 2:
        raise bad_input("wrong.encoder.one_level", names=names)
    if options.loss == "contrastive" and len({pair.document for pair in pairs}) < 2:
        raise bad_input(
            "wrong.encoder.no_pairs", names=names, relevant=options.relevant
        )


def _judged(
    options: TrainingOptions, validation: Mapping[str, Mapping[str, int]]
) -> bool:
    """Whether only documents with a level are ranked."""
    if options.pool == "auto":
        return any(len(set(levels.values())) > 1 for levels in validation.values())
    return options.pool == "judged"
