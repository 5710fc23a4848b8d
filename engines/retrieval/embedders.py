"""Embedding and reranking: the endpoint of a model, or an encoder in a folder on this
machine, `local:DIR`, which a plugin loads (`verifytui.embedders`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from ...sessions import plugins
from ...sessions.errors import BadInput
from ...sessions.session import Seat
from ..models import other_endpoints, targets
from ..models.calls import Target
from ..models.config import Config
from ..models.lineup import LOCAL
from ..models.other_endpoints import Embeddings, Relevance
from ..models.port import ModelError

PROVIDER = "local"


class EmbedderPlugin(Protocol):
    """Encoders of this machine; a module has these names."""

    def key(self, model: str) -> str:
        """Return an encoder's identifier in the digests of its vectors. Equal
        identifiers mean equal vectors. Raises: BadInput.
        """
        ...

    def find(self, seat: Seat) -> Target:
        """Return the endpoint; `provider` is `local`. Raises: BadInput."""
        ...

    async def embed(self, target: Target, texts: Sequence[str]) -> Embeddings:
        """One vector for each text, in order. Raises: ModelError."""
        ...

    async def rerank(
        self, target: Target, query: str, texts: Sequence[str]
    ) -> Relevance:
        """How relevant each text is to the query. Raises: ModelError."""
        ...


def is_local(model: str) -> bool:
    """Whether a model's id names an encoder's folder."""
    return model.startswith(LOCAL)


def absolute(model: str) -> str:
    """The id of a model; an encoder's has the whole path of its folder, so that it is
    found from any folder.
    """
    if is_local(model):
        return f"{LOCAL}{Path(model.removeprefix(LOCAL)).expanduser().absolute()}"
    return model


def key(model: str) -> str:
    """See `EmbedderPlugin`."""
    return _plugin().key(model)


async def find(seat: Seat, config: Config, env: Mapping[str, str]) -> Target:
    """Return the endpoint of a model, as `targets.find` does, or an encoder's folder.

    Raises: ModelError.
    """
    if not is_local(seat.model):
        return await targets.find(seat, config, env)
    try:
        return _plugin().find(seat)
    except BadInput as error:
        raise ModelError("bad-request", error.args[0]) from None


async def embed(
    target: Target, texts: Sequence[str], env: Mapping[str, str]
) -> Embeddings:
    """One vector for each text, in order. Raises: ModelError."""
    if target.provider != PROVIDER:
        return await other_endpoints.embed(target, texts, env)
    return await _plugin().embed(target, texts)


async def rerank(
    target: Target, query: str, texts: Sequence[str], env: Mapping[str, str]
) -> Relevance:
    """How relevant each text is to the query. Raises: ModelError."""
    if target.provider != PROVIDER:
        return await other_endpoints.rerank(target, query, texts, env)
    return await _plugin().rerank(target, query, texts)


def _plugin() -> EmbedderPlugin:
    """Raises: BadInput."""
    found: EmbedderPlugin = plugins.load("embedders", PROVIDER)
    return found
