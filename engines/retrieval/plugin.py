"""The port of a retriever from another package: an entry point `NAME` in
`verifytui.retrievers`, which serves `--corpus NAME:…`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ...sessions import plugins
from ...sessions.errors import bad_input
from .dense import DenseMeta
from .home import Building
from .port import Retriever

if TYPE_CHECKING:
    from ...sessions.paths import Paths


class CorpusInfo(NamedTuple):
    """An entry in the list of corpora."""

    name: str
    passages: int
    documents: int
    languages: str
    """`zh`, `en` or `zh+en`."""
    words: str
    """The tokenizer of its words."""
    built: str
    """Build time, in UTC (ISO 8601)."""
    bytes: int
    """Size on disk."""
    path: Path
    problem: str | None
    """Why it cannot be opened, in one sentence; the counts are then 0."""
    sources: list[str]
    """The folders and files it was built from."""
    building: Building | None = None
    """Progress of a running build. Without a `problem`, the previous version can be
    searched meanwhile.
    """
    dense: DenseMeta | None = None
    """Its dense index."""
    dense_whole: bool = False
    """Whether all passages have vectors, so that it can be searched."""
    lives: str = ""
    """The address of a corpus that is not on this disk; its figures are those of the
    last upload from here.
    """


class CorpusUploader(Protocol):
    """The destination of a corpus for `index --to`."""

    def send(self, corpora: Any) -> tuple[str, dict[str, object], str]:
        """Uploads and returns what was sent, as text and as JSON, and why it is
        incomplete. `corpora`: those of this machine, `corpus.Corpora`.
        """
        ...

    def take_up(self, output: str) -> int:
        """Registers a corpus that was sent from elsewhere. Returns the exit code."""
        ...


class RetrieverPlugin(ABC):
    """Opens retrievers by name. Only `open` is required."""

    @abstractmethod
    def open(self, name: str, places: Paths, env: Mapping[str, str]) -> Retriever:
        """Opens the retriever `NAME:…`. Raises: RetrievalError."""

    def named(self, name: str, places: Paths) -> str | None:
        """The name that a session stores, for a corpus that is not `listed`; None if
        there can be none.
        """
        return name

    def listed(self, places: Paths) -> Iterable[CorpusInfo]:
        """The registered corpora; calls no server."""
        return ()

    def forget(self, name: str, places: Paths) -> None:
        """Removes a corpus from the list without deleting it. Raises: BadInput."""
        raise bad_input("wrong.corpus.no_corpus", name=name[:80])

    def drop(self, name: str, places: Paths) -> None:
        """Deletes a corpus. Raises: RetrievalError."""
        raise bad_input("wrong.corpus.no_corpus", name=name[:80])

    def upload(self, name: str, to: str, token_env: str | None) -> CorpusUploader:
        """Checks and returns the destination of the corpus NAME. Raises: BadInput."""
        raise bad_input("wrong.milvus.address")


def plugin_of(name: str) -> RetrieverPlugin | None:
    """Return the plugin of a corpus named `NAME:…` or of an address, or None.

    Raises: BadInput if it is broken.
    """
    kind, *rest = re.split("[:+]", name, maxsplit=1)
    if not rest or kind not in plugins.names("retrievers"):
        return None
    found: RetrieverPlugin = plugins.load("retrievers", kind)
    return found
