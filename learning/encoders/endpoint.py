"""Encoders in folders of this machine, in the place of embedding and reranking models:
`local:DIR` where a model is named.

Nothing leaves the machine, so `local_only` does not stand against them. One is loaded
once a process, in a thread, when it is first asked; its vectors are known by the digest
of its folder.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ...engines.models.calls import Target
from ...engines.models.other_endpoints import Embeddings, Relevance
from ...engines.models.port import ModelError
from ...engines.retrieval.embedders import PROVIDER
from ...engines.threads import in_thread
from ...sessions.errors import BadInput, bad_input
from ...sessions.events import Usage
from ...sessions.session import Seat
from ...texts import t
from .folder import digest
from .opening import PREFIX, check_installed, open_encoder
from .port import whole

if TYPE_CHECKING:
    from .local import LocalEncoder

HOST = "localhost"

Result = TypeVar("Result")


def key(model: str) -> str:
    """Stands for an encoder in the digests of what it made: equal where its vectors
    are. Raises: BadInput.
    """
    return _known(model).name


def find(seat: Seat) -> Target:
    """See `EmbedderPlugin`."""
    check_installed()
    _check(seat.model)
    return Target(
        model=seat.model,
        call_as=seat.model,
        provider=PROVIDER,
        host=HOST,
        prices=(0.0, 0.0),
        called=seat.name or seat.model,
        keys=(),
    )


async def embed(target: Target, texts: Sequence[str]) -> Embeddings:
    """One vector for each whole text, of its blocks. Raises: ModelError."""

    def work(one: _EncoderFolder, encoder: LocalEncoder) -> Embeddings:
        values = [whole(blocks).tolist() for blocks in encoder.encode(texts)]
        return Embeddings(values, _usage(encoder, texts), 0.0, one.name)

    return await _asked(target, work)


async def rerank(target: Target, query: str, texts: Sequence[str]) -> Relevance:
    """How near the nearest block of each text is to the query. Raises: ModelError."""

    def work(_: _EncoderFolder, encoder: LocalEncoder) -> Relevance:
        asked, *given = encoder.encode([query, *texts])
        scores: list[float | None] = [encoder.score(asked, blocks) for blocks in given]
        return Relevance(scores, _usage(encoder, [query, *texts]), 0.0)

    return await _asked(target, work)


@dataclass
class _EncoderFolder:
    """An encoder's folder, as this process knows it."""

    folder: Path
    name: str
    """`local` and the digest of the folder: what it calls itself."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """One text after another: torch uses all cores for each."""
    encoder: LocalEncoder | None = None

    def ready(self) -> LocalEncoder:
        """Loads it, the first time. Raises: BadInput."""
        if self.encoder is None:
            self.encoder = open_encoder(str(self.folder))
        return self.encoder


_LOADED: dict[Path, _EncoderFolder] = {}
_LOADING = threading.Lock()


def forget() -> None:
    """Lets go of all encoders."""
    with _LOADING:
        _LOADED.clear()


async def _asked(
    target: Target, work: Callable[[_EncoderFolder, LocalEncoder], Result]
) -> Result:
    def asking() -> Result:
        one = _known(target.model)
        with one.lock:
            return work(one, one.ready())

    try:
        return await in_thread(asking)
    except BadInput as error:
        raise ModelError("bad-request", error.args[0]) from None
    except (
        OSError,
        RuntimeError,
        MemoryError,
    ) as error:  # what torch raises where there is no room
        raise ModelError(
            "internal",
            t(
                "wrong.encoder.failed",
                name=target.model,
                why=f"{type(error).__name__}: {error}"[:300],
            ),
        ) from error


def _known(model: str) -> _EncoderFolder:
    """Raises: BadInput."""
    folder = _check(model)
    with _LOADING:
        if folder not in _LOADED:
            _LOADED[folder] = _EncoderFolder(
                folder, f"{PROVIDER} {digest(folder)[:16]}"
            )
        return _LOADED[folder]


def _check(model: str) -> Path:
    folder = Path(model.removeprefix(PREFIX)).expanduser().absolute()
    if not folder.is_dir():
        raise bad_input("wrong.encoder.gone", folder=folder)
    return folder


def _usage(encoder: LocalEncoder, texts: Sequence[str]) -> Usage:
    """The tokens that went through the model, those of overlapping blocks more than
    once.
    """
    return Usage(
        input=sum(len(block) for text in texts for block in encoder.blocks(text)),
        output=0,
    )
