"""Serves encoders in local folders as embedding and reranking models: `local:DIR` in
place of a model name.

Nothing leaves the machine, so `local_only` allows them. Each encoder is loaded once per
process, in a thread, on its first call. Its vectors are identified by the digest of its
folder.
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
    """A digest of the encoder: equal digests mean equal vectors. Raises: BadInput."""
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
    """Returns one vector per text, computed from its blocks. Raises: ModelError."""

    def work(folder: _EncoderFolder, encoder: LocalEncoder) -> Embeddings:
        values = [whole(blocks).tolist() for blocks in encoder.encode(texts)]
        return Embeddings(values, _usage(encoder, texts), 0.0, folder.name)

    return await _asked(target, work)


async def rerank(target: Target, query: str, texts: Sequence[str]) -> Relevance:
    """Returns, for each text, the similarity of its nearest block to the query.

    Raises: ModelError.
    """

    def work(_: _EncoderFolder, encoder: LocalEncoder) -> Relevance:
        asked, *given = encoder.encode([query, *texts])
        scores: list[float | None] = [encoder.score(asked, blocks) for blocks in given]
        return Relevance(scores, _usage(encoder, [query, *texts]), 0.0)

    return await _asked(target, work)


@dataclass
class _EncoderFolder:
    """The folder of an encoder, as loaded in this process."""

    folder: Path
    name: str
    """`local` and the digest of the folder: the reported model name."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Encodes one text at a time, because torch uses all cores for each."""
    encoder: LocalEncoder | None = None

    def ready(self) -> LocalEncoder:
        """Loads the encoder on the first call. Raises: BadInput."""
        if self.encoder is None:
            self.encoder = open_encoder(str(self.folder))
        return self.encoder


_LOADED: dict[Path, _EncoderFolder] = {}
_LOADING = threading.Lock()


def forget() -> None:
    """Releases all encoders."""
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
    ) as error:  # torch raises this when memory is exhausted
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
    """Number of tokens sent through the model; tokens of overlapping blocks count more
    than once.
    """
    return Usage(
        input=sum(len(block) for text in texts for block in encoder.blocks(text)),
        output=0,
    )
