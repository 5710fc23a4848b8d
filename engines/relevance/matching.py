"""Adaptive demo matching: chooses the demonstrations before a case in a prompt (LCR, section 3.2).

BM25 over the inputs of the demonstrations in that stage: case texts, material facts, or both sides of a pair. `BM25Plus` of rank-bm25,
since its `BM25Okapi` gives a term in half of a small set no weight. Equal scores keep the order of the set.
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ...prompts.demonstrations import Candidate, Case, DemonstrationSet, Fact, grams_of
from ...sessions.errors import BadInput
from ...sessions.events.relevance import DemonstrationItem, Stage
from ...texts import t
from ..metrics.levels import bit
from ..retrieval.tokeniser import Tokeniser
from .plan import kind_of
from .spans import plain

SAME = 0.9
"""If a demonstration shares at least this part of the five-character grams (of the shorter text), it was made from the case in hand."""


class Gone(BadInput):
    """A demonstration that was chosen is no longer in its set."""


class Pair(NamedTuple):
    """Two demonstrated cases, the second one judged."""

    query: Case
    candidate: Candidate


class Pool:
    """The demonstrations of one set, ready for matching. Each is tokenised once for each kind of stage. Several threads may use it."""

    def __init__(self, demonstrations: DemonstrationSet) -> None:
        self.name = demonstrations.name
        self.language = demonstrations.about.language
        self.digest = demonstrations.digest
        self.cases: dict[str, Case] = {}
        self.pairs: dict[str, Pair] = {}
        for group in demonstrations.groups:
            self.cases.update(group.cases())
            self.pairs.update({f"{group.id}/{one.level}": Pair(group.query, one) for one in group.candidates})
        self._members = {id_: (f"{id_.rpartition('/')[0]}/query", id_) for id_ in self.pairs}
        self._indexes: dict[str, _Index] = {}
        self._lock = threading.Lock()
        self._words = Tokeniser("jieba")
        self._cut = lru_cache(maxsize=64)(lambda text: Counter(self._words.cut(text)))
        self._same = lru_cache(maxsize=512)(self._made_from)
        self._texts: dict[str, tuple[str, set[str]]] = {}

    def case(self, id_: str) -> Case:
        """Raises: Gone if the set does not have it."""
        found = self.cases.get(id_)
        if found is None:
            raise self._gone(id_)
        return found

    def pair(self, id_: str) -> Pair:
        """Raises: Gone if the set does not have it."""
        found = self.pairs.get(id_)
        if found is None:
            raise self._gone(id_)
        return found

    def _gone(self, id_: str) -> Gone:
        return Gone(t("wrong.demonstrations.gone", name=self.name, id_=id_))

    def match(
        self, stage: Stage, hand: str, texts: Iterable[str], settings: Callable[[str], Any], place: str | None = None
    ) -> list[DemonstrationItem]:
        """The demonstrations for a stage, best first; for a judgement the relevant ones first.

        `hand` is the input of the stage in hand, joined as `joined` does it; `texts` are the cases it comes from, whose own demonstrations
        are left out; `place` (a candidate's id) only makes what is drawn at random differ from case to case.
        """
        made_from = {id_ for text in texts for id_ in self._same(text)}
        judged = stage.startswith("judgement")
        pool: Mapping[str, object] = self.pairs if judged else self.cases
        members = self._members if judged else {id_: (id_,) for id_ in self.cases}
        ids = [id_ for id_ in pool if not made_from.intersection(members[id_])]
        scores: Mapping[str, float | None]
        if settings("matching"):
            found = self._index(stage, extraction=bool(settings("extraction"))).scores(self._cut(hand)) if ids else {}
            ids.sort(key=lambda id_: -found[id_])
            scores = found
        else:
            random.Random(f"{settings('seed')}|{stage}|{place or ''}").shuffle(ids)  # noqa: S311 - not for secrets
            scores = {}
        if not judged:
            return [DemonstrationItem(id=id_, score=scores.get(id_)) for id_ in ids[: settings("shots")]]
        kind = kind_of(stage)
        made: list[DemonstrationItem] = []
        for wanted, name in ((True, "relevant_shots"), (False, "irrelevant_shots")):
            fitting = [id_ for id_ in ids if bool(bit(self.pairs[id_].candidate.level, kind)) is wanted]
            made += [DemonstrationItem(id=id_, score=scores.get(id_), relevant=wanted) for id_ in fitting[: settings(name)]]
        return made

    def is_ready(self, stage: Stage, *, extraction: bool = True) -> bool:
        """Whether `ready` has been called for this stage."""
        return _key(stage, extraction) in self._indexes and bool(self._texts or not self.cases)

    def ready(self, stage: Stage, *, extraction: bool = True) -> None:
        """Tokenises the demonstrations for this stage if that is not done. The first time takes a moment."""
        self._index(stage, extraction=extraction)
        self._grams()

    def _index(self, stage: Stage, *, extraction: bool) -> _Index:
        judged = stage.startswith("judgement")
        key = _key(stage, extraction)
        with self._lock:
            if key not in self._indexes:
                inputs = (
                    {id_: input_of(stage, pair.query, pair.candidate, extraction=extraction) for id_, pair in self.pairs.items()}
                    if judged
                    else {id_: input_of(stage, case, extraction=extraction) for id_, case in self.cases.items()}
                )
                self._indexes[key] = _Index({id_: self._words.cut(text) for id_, text in inputs.items()})
            return self._indexes[key]

    def _grams(self) -> dict[str, tuple[str, set[str]]]:
        with self._lock:
            if not self._texts:
                self._texts = {id_: (plain(case.text), grams_of(case.text)) for id_, case in self.cases.items()}
            return self._texts

    def _made_from(self, text: str) -> frozenset[str]:
        """Demonstrated cases that are this text, or share nearly all five-character grams with it."""
        mine, grams = plain(text), grams_of(text)
        return frozenset(id_ for id_, (theirs, other) in self._grams().items() if mine == theirs or _nearly_all(grams, other))


def input_of(stage: Stage, case: Case, other: Case | None = None, *, extraction: bool = True) -> str:
    """The input of a demonstration in a stage."""
    cases = [case] if other is None else [case, other]
    if stage == "facts-material" or (other is not None and not extraction):
        return joined(one.text for one in cases)
    material = [fact for one in cases for fact in texts_of(one.material)]
    legal = [fact for one in cases for fact in texts_of(one.legal)] if stage == "judgement-legal" else []
    return joined([*legal, *material])


def _key(stage: Stage, extraction: bool) -> str:
    return "pairs" if stage.startswith("judgement") and not extraction else stage


def joined(parts: Iterable[str]) -> str:
    """Facts or texts as one text for matching."""
    return "\n".join(parts)


def texts_of(facts: Iterable[Fact]) -> list[str]:
    return [one.fact for one in facts]


class _Index:
    """BM25Plus by rank-bm25, with its sums laid out by word: a long case is scored in a millisecond, not in seconds."""

    def __init__(self, documents: Mapping[str, Sequence[str]]) -> None:
        self._ids = list(documents)
        self._base: dict[str, float] = {}
        self._postings: dict[str, tuple[Any, Any]] = {}
        if not any(documents.values()):
            return  # rank-bm25 divides by the number of documents and by their mean length
        import numpy
        from rank_bm25 import BM25Plus

        index = BM25Plus([list(words) for words in documents.values()])
        places: dict[str, list[int]] = {}
        parts: dict[str, list[float]] = {}
        for at, (counts, length) in enumerate(zip(index.doc_freqs, index.doc_len, strict=True)):
            norm = index.k1 * (1 - index.b + index.b * length / index.avgdl)
            for word, count in counts.items():
                places.setdefault(word, []).append(at)
                parts.setdefault(word, []).append(index.idf[word] * count * (index.k1 + 1) / (norm + count))
        self._base = {word: index.idf[word] * index.delta for word in places}
        self._postings = {word: (numpy.array(places[word]), numpy.array(parts[word])) for word in places}

    def scores(self, words: Mapping[str, int]) -> dict[str, float]:
        """The score of every demonstration. Unknown words count for nothing."""
        known = [(word, count) for word, count in words.items() if word in self._postings]
        if not known:
            return dict.fromkeys(self._ids, 0.0)
        import numpy

        at = numpy.concatenate([self._postings[word][0] for word, _ in known])
        parts = numpy.concatenate([self._postings[word][1] * count for word, count in known])
        base = sum(self._base[word] * count for word, count in known)
        sums = numpy.bincount(at, weights=parts, minlength=len(self._ids)) + base
        return {id_: round(float(value), 6) for id_, value in zip(self._ids, sums, strict=True)}


def _nearly_all(one: set[str], other: set[str]) -> bool:
    """True if the smaller set has at least 90 % of its grams in the other. Gives up as soon as too many are missing."""
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    if not few:
        return False
    missing = 0
    spare = len(few) * (1 - SAME) + 1e-9
    for gram in few:
        if gram not in many:
            missing += 1
            if missing > spare:
                return False
    return True
