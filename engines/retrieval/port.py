"""The interface of a retriever: a corpus, given references, the web, or another
server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple, Protocol

import msgspec

from ...sessions.errors import BadInput
from ...sessions.events import Reference, Usage
from ...texts import has, t


class RetrievalResult(msgspec.Struct, kw_only=True):
    """The result of a query: at most k references, numbered from 1, best first.

    If it is empty, `message` says why in one sentence.
    """

    references: list[Reference] = []
    unknown: list[str] = []
    """Words of the query that no document has, as the user wrote them."""
    message: str | None = None
    usage: Usage | None = None
    """Of embedding and reranking models; None where there were none."""
    cost: float | None = None
    altered: bool = False
    """True if a key that was sent was in a reference and is hidden there."""
    left_out: dict[str, int] = {}
    """How many passages were skipped, by the setting that says so: `duplicates`,
    `per_document`.
    """
    vectors_by: str = ""
    """The model of the vectors that were searched, as it called itself; empty where
    none were.
    """
    index: str = ""
    """A digest of the corpus that was searched; empty for other retrievers."""


Mode = Literal["bm25", "dense", "hybrid"]
Context = Literal["passage", "neighbors", "section"]


def passed_over(left_out: Mapping[str, int]) -> list[str]:
    """What `left_out` of a Found says, a few words for each setting, in the user's
    language.
    """
    return [
        t(f"asked.left_{name}_one" if n == 1 else f"asked.left_{name}", n=n)
        for name, n in left_out.items()
        if has(f"asked.left_{name}")
    ]


def places_in(found_by: Mapping[str, int]) -> str:
    """A reference's place in each index that found it, in a few words: `bm25 3 · dense
    1`.
    """
    return " · ".join(
        t(f"asked.found_{name}", place=place)
        for name, place in found_by.items()
        if has(f"asked.found_{name}")
    )


class PassageFilter(NamedTuple):
    """What passages of a corpus are wanted, beside the query.

    Other retrievers have no use for it.
    """

    where: str = ""
    """A filter of documents, as where.py reads it; "": all of them."""
    duplicates: Literal["one", "all"] = "one"
    """Of passages that say nearly the same: the best one, or all."""
    per_document: int = 0
    """At most this many passages of one document; 0: any number."""
    mode: Mode = "bm25"
    """Which index is searched: the words, the vectors, or both."""
    context: Context = "passage"
    """What is given of a document around a passage: nothing more, the passages before
    and after it, or the section that it is in.
    """
    context_tokens: int = 8000
    """Of all passages with what is around them, at most; passages alone may have more.
    """


ANY = PassageFilter()


RetrievalKind = Literal[
    "corpus",
    "connection",
    "timeout",
    "auth",
    "missing-key",
    "rate-limit",
    "server",
    "bad-request",
    "not-local",
    "internal",
]
"""`corpus`: it is not there, or cannot be read; the others as in models.port.Kind."""


class RetrievalError(Exception):
    """A retrieval that failed.

    `str()` is one sentence for people: what happened and what to do.
    """

    def __init__(
        self, kind: RetrievalKind, message: str, *, asked: bool = False
    ) -> None:
        """`asked`: an embedding or reranking model was asked, and what it took is
        unknown.
        """
        super().__init__(message)
        self.kind: RetrievalKind = kind
        self.asked = asked


@contextmanager
def as_bad_input() -> Iterator[None]:
    """A RetrievalError inside becomes BadInput with the same sentence."""
    try:
        yield
    except RetrievalError as error:
        raise BadInput(str(error)) from None


class Lexicon(Protocol):
    """The words of a collection, for those who answer by words alone."""

    size: int
    """Number of passages."""

    def words(self, text: str) -> list[str]:
        """The text's words as the index has them (folded, stemmed, cut), in order; stop
        words are kept.
        """
        ...

    def frequency(self, word: str) -> int:
        """The number of passages with a word of `words`."""
        ...

    def near(self, word: str) -> Sequence[str]:
        """Words as written in the documents that may be meant by a misspelt one,
        likeliest first.
        """
        ...


class Retriever(Protocol):
    """Finds passages for a query."""

    name: str
    """`corpus`, `given`, `web:NAME` or `http`."""

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        """The k best passages, or fewer if fewer fit.

        Cancelling stops it at once. Raises: RetrievalError.
        """
        ...

    def lexicon(self) -> Lexicon | None:
        """The words of the collection; None if they are not available."""
        ...
