"""Uploads an index on disk to a collection, or updates it. Sends only differences, so
an interrupted upload continues.
"""

from __future__ import annotations

import hashlib
import secrets
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ...engines.retrieval.bm25 import Bm25Index, norm
from ...engines.retrieval.dense import DenseMeta
from ...engines.retrieval.home import CorpusFolder, Meta
from ...engines.retrieval.index import Data
from ...engines.retrieval.port import RetrievalError
from ...engines.retrieval.tokeniser import fold
from ...engines.retrieval.where import Fields
from ...sessions.errors import bad_input
from ...texts import t
from .head import EMPTY, CollectionWord, Head, place_of_file
from .server import TEXT, MilvusConnection, size_of

if TYPE_CHECKING:
    from ...engines.retrieval.dense import VectorIndex
    from ...engines.retrieval.store import Array

STEP = 1 << 20
"""Initial distance between the ids of two passages, which leaves room to insert
passages in order.
"""
BATCH = 500
"""Passages per request."""
WORDS = 5000
"""Words per request."""
DRIFT = 0.05
"""A share. If the average passage length changes by more, all weights are computed
again.
"""

Progress = Callable[[int, int], None]


class FillResult(NamedTuple):
    """Numbers of passages."""

    sent: int
    kept: int
    removed: int
    rebuilt: str
    """Why everything was sent again: `words`, `vectors`, `length` or `room`; empty if
    it was not.
    """
    head: Head


def fill(
    server: MilvusConnection,
    home: CorpusFolder,
    called: str,
    origin: str | None,
    *,
    begun: Callable[[Head], None],
    progress: Progress,
) -> FillResult:
    """Makes the collection equal to the index in `home`.

    `origin`: that of the collection last filled from here. `begun` receives the head
    before a collection is created; `progress(done, total)` counts passages. After an
    interruption, the next call continues; until then the collection cannot be searched.

    Raises: RetrievalError if the server fails; BadInput if the collection has another
    corpus, or another process is building this one.
    """
    with home.lock():
        meta, data, scores = home.open(called)
        with closing(data):
            return _CollectionFill(
                server,
                _DiskIndex(meta, data, scores, home.vectors(meta)),
                origin,
                begun,
                progress,
            ).run()


class _DiskIndex:
    """The index on disk, in the form of a collection."""

    def __init__(
        self, meta: Meta, data: Data, scores: Bm25Index, vectors: VectorIndex | None
    ) -> None:
        import numpy

        self.meta, self.data, self.scores, self.vectors = meta, data, scores, vectors
        self.lengths: Array = numpy.diff(data.tokens_at)
        self.mean = float(
            numpy.float64(self.lengths.sum(dtype="int64")) / max(1, len(self.lengths))
        )
        self.dense = None
        if vectors is not None and meta.dense is not None:
            self.dense = DenseMeta(
                model=meta.dense.model,
                answered=meta.dense.answered,
                size=meta.dense.size,
            )

    def head(self, mean: float, origin: str) -> Head:
        """The head of a collection filled from it."""
        meta = self.meta
        return Head(
            origin=origin,
            stamp=secrets.token_hex(8),
            words=meta.words,
            words_id=meta.words_id,
            mean=mean,
            passages=meta.passages,
            documents=meta.documents,
            languages=meta.languages,
            built=meta.built,
            dense=self.dense,
            fields=_bounded(Fields(self.data).of_metadata(), TEXT // 2),
        )

    def digests(self) -> list[str]:
        """The digest of each passage, in order."""
        return [_digest(row) for row in self.rows(range(self.meta.passages))]

    def rows(self, places: Sequence[int]) -> Iterator[dict[str, Any]]:
        """The stored fields of these passages, except words and vectors."""
        before, named = -1, dict[str, Any]()
        for at in places:
            document, start, end, *_ = self.data.passages[at].tolist()
            title, text = self.data.passage(at)
            if document != before:
                file, metadata = (
                    self.data.files[document],
                    _metadata(self.data.metadata(document)),
                )
                named = {
                    "file": _cut(file),
                    "metadata": metadata,
                    "place": place_of_file(file),
                }
                before = document
            yield {
                **named,
                "title": _cut(title),
                "start": start,
                "end": end,
                "text": _cut(text),
            }

    def words(self) -> dict[str, int]:
        """Every word, and the number of passages that have it."""
        frequencies = self.scores.frequencies
        counts = (frequencies[1:] - frequencies[:-1]).tolist()
        return {
            word: count
            for word, count in zip(self.data.terms, counts, strict=True)
            if count
        }


class _CollectionFill:
    """One upload: current state, target state, and differences."""

    def __init__(
        self,
        server: MilvusConnection,
        index: _DiskIndex,
        origin: str | None,
        begun: Callable[[Head], None],
        progress: Progress,
    ) -> None:
        self.server, self.index, self.begun, self.progress = (
            server,
            index,
            begun,
            progress,
        )
        self.before = server.head()
        if self.before is not None and self.before.origin != origin:
            raise bad_input(
                "wrong.milvus.other",
                place=server.where.place,
                collection=server.where.collection,
            )

    def run(self) -> FillResult:
        before, why = self.before, self._why_anew()
        digests = self.index.digests()
        there = (
            {}
            if before is None or why or not self.server.has_passages()
            else dict(self.server.digests())
        )
        ids = _ids(digests, there)
        if ids is None:
            why, there = "room", {}
            ids = _ids(digests, there)
            assert ids is not None
        anew = before is None or bool(why) or not self.server.has_passages()
        mean = self.index.mean if anew or before is None else before.mean
        head = self.index.head(
            mean, before.origin if before is not None else secrets.token_hex(8)
        )
        fresh = [at for at, place in enumerate(ids) if there.get(place) != digests[at]]
        now = set(ids)
        gone = [place for place in there if place not in now]
        if (
            not anew
            and not fresh
            and not gone
            and before is not None
            and self._same(before, head)
        ):
            return FillResult(0, len(ids), 0, "", before)
        if anew:
            self.begun(head)
            self.server.make(head)
        else:
            self.server.put_head(head)
        numbers, dropped = self._words()
        for low in range(0, len(gone), BATCH):
            self._mine(head)
            self.server.drop_passages(gone[low : low + BATCH])
        self._send(head, fresh, ids, digests, numbers)
        for low in range(0, len(dropped), WORDS):
            self.server.drop_words(dropped[low : low + WORDS])
        self.server.settle()
        self._mine(head)
        head = msgspec.structs.replace(head, whole=True)
        self.server.put_head(head)
        kept = len(ids) - len(fresh)
        return FillResult(len(fresh), kept, len(there) - kept, why, head)

    def _why_anew(self) -> str:
        """Why the collection cannot be updated in place; empty if it can."""
        before, index = self.before, self.index
        if before is None:
            return ""
        if before.words_id != index.meta.words_id:
            return "words"
        if _vectors_of(before.dense) != _vectors_of(index.dense):
            return "vectors"
        if abs(index.mean - before.mean) > DRIFT * before.mean:
            return "length"
        return ""

    def _same(self, before: Head, head: Head) -> bool:
        return before.whole and msgspec.structs.replace(
            head, stamp=before.stamp, built=before.built, whole=True
        ) == msgspec.structs.replace(before, built=before.built)

    def _words(self) -> tuple[dict[str, int], list[str]]:
        """Sends new words and words with changed frequencies. Returns the number of
        each word, and the words that no passage has any more.
        """
        wanted, there = self.index.words(), dict(self.server.all_words())
        following = max((word.number for word in there.values()), default=EMPTY) + 1
        changed = {}
        numbers = {}
        for word, frequency in wanted.items():
            known = there.get(word)
            numbers[word] = following if known is None else known.number
            following += known is None
            if known is None or known.frequency != frequency:
                changed[word] = CollectionWord(numbers[word], frequency)
        names = list(changed)
        for low in range(0, len(names), WORDS):
            self.server.put_words(
                {word: changed[word] for word in names[low : low + WORDS]}
            )
        return numbers, [word for word in there if word not in wanted]

    def _send(
        self,
        head: Head,
        places: list[int],
        ids: list[int],
        digests: list[str],
        numbers: dict[str, int],
    ) -> None:
        """Sends passages with vectors, and with word weights for the collection's
        average length.
        """
        import numpy

        data, vectors = self.index.data, self.index.vectors
        number_of = numpy.array(
            [numbers.get(fold(raw), EMPTY) for raw in data.raws], dtype="int64"
        )
        against = (
            norm(self.index.lengths, head.mean)
            if head.mean
            else self.index.lengths + 1.0
        )
        self.progress(0, len(places))
        for low in range(0, len(places), BATCH):
            some = places[low : low + BATCH]
            rows = []
            for at, row in zip(some, self.index.rows(some), strict=True):
                words, counts = numpy.unique(
                    number_of[data.tokens[data.tokens_at[at] : data.tokens_at[at + 1]]],
                    return_counts=True,
                )
                weights = (counts / (against[at] + counts)).astype("float32")
                row |= {
                    "id": ids[at],
                    "digest": digests[at],
                    "words": dict(zip(words.tolist(), weights.tolist(), strict=True))
                    or {EMPTY: 1.0},
                }
                if vectors is not None:
                    row["vector"] = vectors.rows[at].astype("float32").tolist()
                rows.append(row)
            self._mine(head)
            self.server.put_passages(rows)
            self.progress(low + len(some), len(places))

    def _mine(self, head: Head) -> None:
        """Raises RetrievalError if another process is filling the collection."""
        if self.server.head_now().stamp != head.stamp:
            raise RetrievalError(
                "corpus",
                t(
                    "wrong.milvus.two",
                    place=self.server.where.place,
                    collection=self.server.where.collection,
                ),
            )


def _vectors_of(dense: DenseMeta | None) -> tuple[str, str, int]:
    if dense is None:
        return ("", "", 0)
    return (dense.model, dense.answered, size_of(dense))


def _ids(digests: list[str], there: dict[int, str]) -> list[int] | None:
    """The id of each passage: the existing one, or one between its neighbors, so that
    ids follow the order of passages. None: there is no room between two ids.
    """
    places = {digest: at for at, digest in there.items()}
    ids = _rising([places.get(digest) for digest in digests])
    before, at = 0, 0
    while at < len(ids):
        if (own := ids[at]) is not None:
            before, at = own, at + 1
            continue
        end = next(
            (other for other in range(at, len(ids)) if ids[other] is not None), len(ids)
        )
        after, count = ids[end] if end < len(ids) else None, end - at
        if after is not None and after - before <= count:
            return None
        for number in range(count):
            ids[at + number] = before + (
                STEP * (number + 1)
                if after is None
                else (after - before) * (number + 1) // (count + 1)
            )
        at = end
    return [id_ for id_ in ids if id_ is not None]


def _rising(values: list[int | None]) -> list[int | None]:
    """The longest increasing subsequence of the values; other values become None."""
    ends: list[int] = []
    last: list[int] = []
    previous = {}
    for at, value in enumerate(values):
        if value is None:
            continue
        place = bisect_left(ends, value)
        if place:
            previous[at] = last[place - 1]
        ends[place : place + 1] = [value]
        last[place : place + 1] = [at]
    kept: list[int | None] = [None] * len(values)
    at = last[-1] if last else -1
    while at >= 0:
        kept[at] = values[at]
        at = previous.get(at, -1)
    return kept


def _digest(row: dict[str, Any]) -> str:
    """A digest of the stored fields of a passage. Its words and weights follow from
    these and the head.
    """
    return hashlib.blake2b(msgspec.json.encode(row), digest_size=16).hexdigest()


def _metadata(values: dict[str, str]) -> str:
    """The metadata as JSON within Milvus' limit: if it is too long, the last fields are
    left out.
    """
    names = list(values)
    while (
        len(text := msgspec.json.encode({name: values[name] for name in names})) > TEXT
    ):
        names = names[: len(names) * 3 // 4]
    return text.decode()


def _bounded(names: list[str], most: int) -> list[str]:
    """The first names that fit in this many bytes."""
    while len(msgspec.json.encode(names)) > most:
        names = names[: len(names) * 3 // 4]
    return names


def _cut(text: str) -> str:
    """A text, cut to Milvus' limit."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= TEXT:
        return text
    return raw[:TEXT].decode("utf-8", "ignore")
