"""The port of a retriever from another package: an entry point `NAME` in
`verifytui.retrievers`, which finds what `--corpus NAME:…` names.
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
    """A line of the list of corpora."""

    name: str
    passages: int
    documents: int
    languages: str
    """`zh`, `en` or `zh+en`."""
    words: str
    """How its words were cut."""
    built: str
    """When it was built, in UTC (ISO 8601)."""
    bytes: int
    """Size on disk."""
    path: Path
    problem: str | None
    """Why it cannot be opened, in one sentence; the counts are 0 then."""
    sources: list[str]
    """The folders and files it was built from."""
    building: Building | None = None
    """Progress of a running build.

    Without a `problem` the corpus can be used meanwhile, in its former state.
    """
    dense: DenseMeta | None = None
    """Its dense index."""
    dense_whole: bool = False
    """Whether all passages have their vectors, so that it can be searched."""
    lives: str = ""
    """The address of a corpus that is not on this machine's disk; its figures are those
    of the last time that it was sent from here.
    """


class CorpusUploader(Protocol):
    """Where `index --to` sends a corpus."""

    def send(self, corpora: Any) -> tuple[str, dict[str, object], str]:
        """What was sent, in words and as JSON; and why not all of it could be.

        `corpora`: those of this machine, `corpus.Corpora`.
        """
        ...

    def take_up(self, output: str) -> int:
        """Notes down a corpus that was sent from elsewhere; the exit code."""
        ...


class RetrieverPlugin(ABC):
    """Opens retrievers by name. Only `open` must be written."""

    @abstractmethod
    def open(self, name: str, places: Paths, env: Mapping[str, str]) -> Retriever:
        """The retriever called `NAME:…`. Raises: RetrievalError."""

    def named(self, name: str, places: Paths) -> str | None:
        """The name that a session keeps, for a corpus that is not `listed`; None if
        there can be none.
        """
        return name

    def listed(self, places: Paths) -> Iterable[CorpusInfo]:
        """The corpora that are known here; no server is asked."""
        return ()

    def forget(self, name: str, places: Paths) -> None:
        """Forgets a corpus, which stays where it is. Raises: BadInput."""
        raise bad_input("wrong.corpus.no_corpus", name=name[:80])

    def drop(self, name: str, places: Paths) -> None:
        """Deletes a corpus where it is. Raises: RetrievalError."""
        raise bad_input("wrong.corpus.no_corpus", name=name[:80])

    def upload(self, name: str, to: str, token_env: str | None) -> CorpusUploader:
        """Where the corpus NAME is to be sent, which is tried. Raises: BadInput."""
        raise bad_input("wrong.milvus.address")


def plugin_of(name: str) -> RetrieverPlugin | None:
    """The plugin of a corpus called `NAME:…`, or of an address; None if there is none.

    Raises: BadInput if it is broken.
    """
    kind, *rest = re.split("[:+]", name, maxsplit=1)
    if not rest or kind not in plugins.names("retrievers"):
        return None
    found: RetrieverPlugin = plugins.load("retrievers", kind)
    return found
