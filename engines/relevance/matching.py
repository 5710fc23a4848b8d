"""Adaptive demo matching: chooses the demonstrations before a case in a prompt (LCR,
section 3.2).

BM25 over the demonstrated cases: their texts and both lists of facts; for a pair, those
of both sides. Numbers, dates and common words are left out, and a word of the given
case counts once, so that its content decides, not its style. `BM25Plus` of rank-bm25,
because its `BM25Okapi` gives no weight to a term in half of a small set. Among cases,
among relevant pairs and among irrelevant ones, no group is used twice before all have
been used: two cases of one group are very similar. A relevant and an irrelevant pair
may share a group. Equal scores keep the order of the set.
"""

from __future__ import annotations

import heapq
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

import msgspec

from ...prompts.demonstrations import (
    DemonstrationCandidate,
    DemonstrationCase,
    DemonstrationFact,
    DemonstrationSet,
    grams_of,
)
from ...sessions.events.relevance import DemonstrationItem, Stage
from ...texts import t
from ..engine import StepFault
from ..metrics.levels import bit
from ..reading.places import plain
from ..retrieval.common import is_content
from ..retrieval.tokeniser import Tokeniser
from .plan import kind_of

SAME = 0.9
"""If a demonstration shares at least this part of the five-character grams (of the
shorter text), it was made from the case in hand.
"""


class DemonstrationGone(StepFault):
    """A demonstration that was chosen is no longer in its set."""

    kind, role = "corpus", "demonstrations"


class DemonstrationPair(NamedTuple):
    """Two demonstrated cases, the second one judged."""

    query: DemonstrationCase
    candidate: DemonstrationCandidate


class DemonstrationPool:
    """The demonstrations of one set, ready for matching.

    Each is tokenised once for each kind of stage. Several threads may use it.
    """

    def __init__(self, demonstrations: DemonstrationSet) -> None:
        self.name = demonstrations.name
        self.language = demonstrations.about.language
        self.digest = demonstrations.digest
        self.cases: dict[str, DemonstrationCase] = {}
        self.pairs: dict[str, DemonstrationPair] = {}
        for group in demonstrations.groups:
            self.cases.update(group.cases())
            self.pairs.update(
                {
                    f"{group.id}/{one.level}": DemonstrationPair(group.query, one)
                    for one in group.candidates
                }
            )
        self._members = {
            id_: (f"{id_.rpartition('/')[0]}/query", id_) for id_ in self.pairs
        }
        self._indexes: dict[bool, _Bm25PlusIndex] = {}
        self._lock = threading.Lock()
        self._words = Tokeniser("jieba")
        self._cut = lru_cache(maxsize=64)(
            lambda text: tuple(dict.fromkeys(self._content(text)))
        )
        self._same = lru_cache(maxsize=512)(self._made_from)
        self._texts: dict[str, tuple[str, set[str]]] = {}

    def case(self, id_: str) -> DemonstrationCase:
        """Return a demonstrated case. Raises: DemonstrationGone if the set does not
        have it.
        """
        return self.cases.get(id_) or self._gone(id_)

    def pair(self, id_: str) -> DemonstrationPair:
        """Return a demonstrated pair. Raises: DemonstrationGone if the set does not
        have it.
        """
        return self.pairs.get(id_) or self._gone(id_)

    def _gone(self, id_: str) -> NoReturn:
        told = t("wrong.demonstrations.gone", name=self.name, id_=id_)
        raise DemonstrationGone(told)

    def match(
        self,
        stage: Stage,
        hand: str,
        texts: Iterable[str],
        settings: Callable[[str], Any],
        place: str | None = None,
    ) -> list[DemonstrationItem]:
        """Return the demonstrations for a stage, best first; for a judgement, the
        relevant ones first.

        `hand` is the input of the current stage, joined by `joined`. `texts` are the
        cases it comes from; demonstrations of the same cases are excluded. `place` (a
        candidate's id) only varies the random choice between cases.
        """
        made_from = {id_ for text in texts for id_ in self._same(text)}
        judged = stage.startswith("judgement")
        pool: Mapping[str, object] = self.pairs if judged else self.cases
        members = self._members if judged else {id_: (id_,) for id_ in self.cases}
        ids = [id_ for id_ in pool if not made_from.intersection(members[id_])]
        item: Callable[[str], DemonstrationItem]
        spread: Callable[[list[str]], list[str]] = _one_of_each
        if settings("matching"):
            found = (
                self._matching(judged).find(self._cut(hand))
                if ids
                else DemonstrationMatches({}, {})
            )
            ids.sort(key=lambda id_: -found.scores[id_])
            written = {
                stem: raw.casefold() for raw, stem in reversed(self._words.pairs(hand))
            }

            def item(id_: str) -> DemonstrationItem:
                words = [written[stem] for stem in found.words(id_)]
                return DemonstrationItem(id=id_, score=found.scores[id_], words=words)
        else:
            spread = list
            seed = f"{settings('seed')}|{stage}|{place or ''}"
            random.Random(seed).shuffle(ids)  # noqa: S311

            def item(id_: str) -> DemonstrationItem:
                return DemonstrationItem(id=id_)

        if not judged:
            return [item(id_) for id_ in spread(ids)[: settings("shots")]]
        kind = kind_of(stage)
        made = []
        for wanted, name in ((True, "relevant_shots"), (False, "irrelevant_shots")):
            fitting = [
                id_
                for id_ in ids
                if bool(bit(self.pairs[id_].candidate.level, kind)) is wanted
            ]
            made += [
                msgspec.structs.replace(item(id_), relevant=wanted)
                for id_ in spread(fitting)[: settings(name)]
            ]
        return made

    def is_ready(self, stage: Stage) -> bool:
        """Return whether `ready` has been called for this stage."""
        return stage.startswith("judgement") in self._indexes and bool(
            self._texts or not self.cases
        )

    def ready(self, stage: Stage) -> None:
        """Tokenise the demonstrations for this stage, unless that is done.

        The first call takes a moment.
        """
        self._matching(stage.startswith("judgement"))
        self._grams()

    def _matching(self, judged: bool) -> _Bm25PlusIndex:
        """The index of the judged pairs, or of the cases."""
        with self._lock:
            if judged not in self._indexes:
                words = {
                    id_: self._content(input_of(case))
                    for id_, case in self.cases.items()
                }
                members = self._members if judged else {id_: (id_,) for id_ in words}
                documents = {
                    id_: [word for one in cases for word in words[one]]
                    for id_, cases in members.items()
                }
                self._indexes[judged] = _Bm25PlusIndex(documents)
            return self._indexes[judged]

    def _content(self, text: str) -> list[str]:
        """Return the words that describe a case: no numbers, dates, single characters
        or common words.
        """
        return [word for word in self._words.cut(text) if is_content(word)]

    def _grams(self) -> dict[str, tuple[str, set[str]]]:
        with self._lock:
            if not self._texts:
                self._texts = {
                    id_: (plain(case.text), grams_of(case.text))
                    for id_, case in self.cases.items()
                }
            return self._texts

    def _made_from(self, text: str) -> frozenset[str]:
        """Return demonstrated cases with the same text, or with nearly all
        five-character grams in common.
        """
        mine, grams = plain(text), grams_of(text)
        return frozenset(
            id_
            for id_, (theirs, other) in self._grams().items()
            if mine == theirs or _nearly_all(grams, other)
        )


def input_of(case: DemonstrationCase) -> str:
    """Return the text by which a demonstrated case is matched: its text and both lists
    of facts.
    """
    return joined([case.text, *texts_of(case.material), *texts_of(case.legal)])


def _one_of_each(ids: Sequence[str]) -> list[str]:
    """Reorder the ids so that the best of every group precedes the second best
    of any.
    """
    seen: Counter[str] = Counter()

    def turn(id_: str) -> int:
        group = id_.rpartition("/")[0]
        seen[group] += 1
        return seen[group]

    return sorted(ids, key=turn)


def joined(parts: Iterable[str]) -> str:
    """Join facts or texts into one text for matching."""
    return "\n".join(parts)


def texts_of(facts: Iterable[DemonstrationFact]) -> list[str]:
    return [one.fact for one in facts]


class DemonstrationMatches(NamedTuple):
    """The result of a search."""

    scores: Mapping[str, float]
    shares: Mapping[str, Sequence[tuple[float, str]]]
    """What each shared word adds to the score of a demonstration."""

    def words(self, id_: str, most: int = 5) -> list[str]:
        """Return the shared words that decided the match, strongest first."""
        return [
            word
            for _, word in heapq.nsmallest(
                most, ((-share, word) for share, word in self.shares.get(id_, ()))
            )
        ]


class _Bm25PlusIndex:
    """BM25Plus by rank-bm25, with its sums arranged by word: a long case is scored in a
    millisecond instead of seconds.
    """

    def __init__(self, documents: Mapping[str, Sequence[str]]) -> None:
        self._ids = list(documents)
        self._postings: dict[str, list[tuple[str, float]]] = {}
        self._base: dict[str, float] = {}
        if not any(documents.values()):
            # rank-bm25 divides by the number of documents and by their mean length
            return
        from rank_bm25 import BM25Plus

        index = BM25Plus([list(words) for words in documents.values()])
        for id_, counts, length in zip(
            self._ids, index.doc_freqs, index.doc_len, strict=True
        ):
            norm = index.k1 * (1 - index.b + index.b * length / index.avgdl)
            for word, count in counts.items():
                self._postings.setdefault(word, []).append(
                    (id_, index.idf[word] * count * (index.k1 + 1) / (norm + count))
                )
        self._base = {word: index.idf[word] * index.delta for word in self._postings}

    def find(self, words: Iterable[str]) -> DemonstrationMatches:
        """Return the score of every demonstration. Unknown words add nothing."""
        shares: dict[str, list[tuple[float, str]]] = {id_: [] for id_ in self._ids}
        base = 0.0
        for word in words:
            base += self._base.get(word, 0.0)
            for id_, share in self._postings.get(word, ()):
                shares[id_].append((share, word))
        scores = {
            id_: round(base + sum(share for share, _ in found), 6)
            for id_, found in shares.items()
        }
        return DemonstrationMatches(scores, shares)


def _nearly_all(one: set[str], other: set[str]) -> bool:
    """Return True if the larger set contains at least 90 % of the smaller set's grams.

    Stops as soon as too many are missing.
    """
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
