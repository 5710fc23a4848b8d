"""Corpora on Milvus as retrievers: `milvus:NAME`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ...engines.retrieval.plugin import CorpusInfo, RetrieverPlugin
from ...engines.retrieval.port import RetrievalError
from ...sessions.paths import Paths
from .address import PREFIX, Register, address, token_name

if TYPE_CHECKING:
    from .corpus import MilvusCorpus
    from .upload import CorpusUpload


class _MilvusPlugin(RetrieverPlugin):
    def open(self, name: str, places: Paths, env: Mapping[str, str]) -> MilvusCorpus:
        """See `RetrieverPlugin`."""
        from .corpus import open_corpus

        return open_corpus(name, places, env)

    def named(self, name: str, places: Paths) -> None:
        """See `RetrieverPlugin`: lists all registered corpora."""

    def listed(self, places: Paths) -> Iterator[CorpusInfo]:
        """See `RetrieverPlugin`."""
        register = Register(places)
        for name in register.names():
            path = register.path(name)
            try:
                one = register.get(name)
            except RetrievalError as error:
                yield CorpusInfo(
                    f"{PREFIX}{name}", 0, 0, "", "", "", 0, path, str(error), []
                )
                continue
            if one is not None:
                counts = (
                    one.passages,
                    one.documents,
                    one.languages,
                    one.words,
                    one.built,
                )
                dense = (one.dense, one.dense is not None)
                yield CorpusInfo(
                    f"{PREFIX}{name}",
                    *counts,
                    0,
                    path,
                    None,
                    [],
                    None,
                    *dense,
                    str(one.address),
                )

    def forget(self, name: str, places: Paths) -> None:
        """See `RetrieverPlugin`."""
        Register(places).forget(name.removeprefix(PREFIX))

    def drop(self, name: str, places: Paths) -> None:
        """See `RetrieverPlugin`."""
        from .corpus import drop

        drop(name, places)

    def upload(self, name: str, to: str, token_env: str | None) -> CorpusUpload:
        """See `RetrieverPlugin`."""
        from .upload import CorpusUpload

        env = None if token_env is None else token_name(token_env)
        found = CorpusUpload(name, address(to, name), env)
        found.try_it()  # before anything long is done
        return found


MILVUS = _MilvusPlugin()
