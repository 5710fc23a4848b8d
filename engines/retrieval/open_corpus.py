"""The interface of an open corpus, local or on a server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ...sessions.events import Usage
from .dense import DenseMeta
from .port import ANY, Mode, PassageFilter, RetrievalResult, Retriever
from .tokeniser import Tokeniser

if TYPE_CHECKING:
    from .store import Array


class EmbeddedQuery(NamedTuple):
    """A query as embedded by a model."""

    vector: Array
    """Of length 1."""
    usage: Usage | None
    cost: float | None


Embedder = Callable[[DenseMeta, str], Awaitable[EmbeddedQuery]]
"""Asks the model of a dense index for the vector of a query. Raises: RetrievalError."""


class OpenCorpus(Retriever, Protocol):
    """An open corpus, wherever it lives. Several threads may use it at once."""

    called: str
    words: Tokeniser
    embedder: Embedder | None
    """To be set before vectors are searched."""

    def check(self, mode: Mode) -> None:
        """Raises: RetrievalError if it cannot be searched in this way, with what to
        do.
        """
        ...

    def search(
        self,
        query: str,
        k: int,
        wanted: PassageFilter = ANY,
        vector: Array | None = None,
    ) -> RetrievalResult:
        """As `retrieve`, but not async.

        `vector`: the query's, of length 1. Raises: RetrievalError.
        """
        ...

    def fields(self) -> list[str]:
        """The fields that documents can be filtered by."""
        ...

    def fitting(self, where: str) -> object:
        """What fits a filter; None: all.

        Raises: RetrievalError if the filter cannot be read, or no document has such a
        field.
        """
        ...

    def document(self, file: str) -> str:
        """The text of a document, in which the offsets of references count.

        Raises: RetrievalError.
        """
        ...

    def close(self) -> None:
        """Closes files and connections."""
        ...
