"""Corpora on Milvus Lite, beside the same ones on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from verifytui.engines.retrieval.corpus import Corpora, Corpus
from verifytui.engines.retrieval.home import CorpusFolder
from verifytui.engines.retrieval.port import RetrievalResult
from verifytui.scale.milvus.address import address
from verifytui.scale.milvus.corpus import MilvusCorpus
from verifytui.scale.milvus.filling import FillResult, fill
from verifytui.scale.milvus.head import Head
from verifytui.scale.milvus.server import MilvusConnection
from verifytui.sessions.paths import paths


def same_found(there: RetrievalResult, local: RetrievalResult) -> bool:
    """Whether both found the same; each index has a digest of its own."""
    assert there.index
    assert local.index
    return replace(there, index="") == replace(local, index="")


class Both:
    """One corpus on disk and on Milvus: `with Both(tmp_path / "m.db", "papers", rows)
    as both: both.fill()`.
    """

    def __init__(self, file: Path, name: str, rows: list[dict[str, Any]]) -> None:
        self.name, self.corpora = name, Corpora(paths())
        self.source = file.parent / f"{name}.jsonl"
        self.where = address(f"milvus:{file}", name)
        self.origin: str | None = None
        self.server = MilvusConnection(self.where, None, {})
        self.build(rows)

    def __enter__(self) -> Both:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.close()

    def build(self, rows: list[dict[str, Any]]) -> None:
        """Makes the corpus on disk of these rows."""
        self.source.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8"
        )
        self.corpora.build(self.name, [self.source])

    def fill(
        self, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> FillResult:
        """Sends what differs."""
        return fill(
            self.server,
            CorpusFolder(self.corpora.path(self.name)),
            self.name,
            self.origin,
            begun=self._begun,
            progress=progress,
        )

    def _begun(self, head: Head) -> None:
        self.origin = head.origin

    def on_disk(self) -> Corpus:
        opened = self.corpora.open(self.name)
        assert isinstance(opened, Corpus)
        return opened

    def on_milvus(self) -> MilvusCorpus:
        """To be used before the connection is closed."""
        return MilvusCorpus(self.server, f"milvus:{self.name}")
