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
    """Words of the query that no document contains, as written."""
    message: str | None = None
    usage: Usage | None = None
    """Of embedding and reranking models; None without them."""
    cost: float | None = None
    altered: bool = False
    """Whether a key that was sent occurred in a reference, where it is hidden."""
    left_out: dict[str, int] = {}
    """Number of skipped passages by setting: `duplicates`, `per_document`."""
    vectors_by: str = ""
    """The model of the searched vectors, by its reported name; empty without vectors.
    """
    index: str = ""
    """A digest of the searched corpus; empty for other retrievers."""


Mode = Literal["bm25", "dense", "hybrid"]
Context = Literal["passage", "neighbors", "section"]


def passed_over(left_out: Mapping[str, int]) -> list[str]:
    """The `left_out` counts as text, in the language of the user."""
    return [
        t(f"asked.left_{name}_one" if n == 1 else f"asked.left_{name}", n=n)
        for name, n in left_out.items()
        if has(f"asked.left_{name}")
    ]


def places_in(found_by: Mapping[str, int]) -> str:
    """The rank of a reference in each index: `bm25 3 · dense 1`."""
    return " · ".join(
        t(f"asked.found_{name}", place=place)
        for name, place in found_by.items()
        if has(f"asked.found_{name}")
    )


class PassageFilter(NamedTuple):
    """Options for passages of a corpus. Other retrievers ignore them."""

    where: str = ""
    """A filter of documents, as where.py reads it; "": all of them."""
    duplicates: Literal["one", "all"] = "one"
    """For near-duplicate passages: the best one, or all."""
    per_document: int = 0
    """Maximum number of passages per document; 0: unlimited."""
    mode: Mode = "bm25"
    """The index to search: words, vectors, or both."""
    context: Context = "passage"
    """The context of a passage: none, the passages before and after it, or its section.
    """
    context_tokens: int = 8000
    """Maximum number of tokens of all passages with their context; passages alone may
    exceed it.
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
"""`corpus`: it is missing or cannot be read; the others as in models.port.Kind."""


class RetrievalError(Exception):
    """A failed retrieval. `str()` says what happened and what to do."""

    def __init__(
        self, kind: RetrievalKind, message: str, *, asked: bool = False
    ) -> None:
        """`asked`: an embedding or reranking model was called, at unknown cost."""
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
    """The words of a collection, for readers that work with words only."""

    size: int
    """Number of passages."""

    def words(self, text: str) -> list[str]:
        """The words of a text as indexed (folded, stemmed, tokenized), in order,
        including stop words.
        """
        ...

    def frequency(self, word: str) -> int:
        """The number of passages with a word of `words`."""
        ...

    def near(self, word: str) -> Sequence[str]:
        """Suggestions for a misspelt word, as written in the documents, likeliest
        first.
        """
        ...


class Retriever(Protocol):
    """Finds passages for a query."""

    name: str
    """`corpus`, `given`, `web:NAME` or `http`."""

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        """The k best passages, or fewer if fewer match. Can be cancelled at any time.

        Raises: RetrievalError.
        """
        ...

    def lexicon(self) -> Lexicon | None:
        """The words of the collection; None if they are not available."""
        ...
