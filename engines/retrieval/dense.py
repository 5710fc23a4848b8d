"""Vectors of passages on disk, exact search in them, and the fusion of several
rankings.

Beside the generation of an index lie, under one name, `NAME.npy` (a row for each
passage, in their order: float16, of length 1) and `NAME.digests.npy` (what each row was
made of). While vectors are bought they are appended to `paid-SIZE.bin`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from .store import Array

RRF = 60
"""The constant of reciprocal rank fusion, as its authors set it (Cormack, Clarke and
Buettcher, SIGIR 2009).
"""
DIGEST = 16
"""Bytes."""
_BLOCK = 512
"""Rows that are turned into float32 at once: they stay in the processor's cache."""
_ROWS = 8192
"""Rows that are copied at once."""
_SCALE = 2.0**112
"""float32's exponents begin 112 below those of float16."""


class DenseMeta(msgspec.Struct):
    """The dense index in `index.json`."""

    model: str
    """As the user wrote it."""
    answered: str = ""
    """As it called itself when it made the vectors."""
    size: int = 0
    """Numbers of a vector."""
    name: str = ""
    """Name of the vector files; empty while there are none."""
    generation: str = ""
    """The generation whose passages the vectors are of; another one: some are missing
    or too many.
    """


class VectorIndex:
    """The vectors of an index, memory-mapped. Several threads may search at once.

    Raises: OSError or ValueError if they are missing, incomplete or of another shape
    than `passages` rows of `size` numbers.
    """

    def __init__(self, folder: Path, name: str, passages: int, size: int) -> None:
        import numpy

        self.rows: Array = numpy.load(
            folder / f"{name}.npy", mmap_mode="r", allow_pickle=False
        )
        if self.rows.dtype != numpy.dtype("<f2") or self.rows.shape != (passages, size):
            raise ValueError("The vectors are those of another index.")

    def scores(self, query: Array) -> Array:
        """The cosine similarity of each passage to a vector of length 1 (from `unit`):
        float32, in the order of passages.
        """
        import numpy

        # numpy turns float16 into float32 one by one. Shifted by hand, whole blocks at
        # a time, that takes a sixth of the time: the sign spreads and is masked,
        # exponent and fraction move to their places, and the exponent's other bias is a
        # factor of the query.
        halves = self.rows.view("<i2")
        scaled = query.astype("float32") * numpy.float32(_SCALE)
        made = numpy.empty(len(halves), dtype="float32")
        wide = numpy.empty((_BLOCK, halves.shape[1]), dtype="int32")
        floats = wide.view("float32")
        for low in range(0, len(halves), _BLOCK):
            block = halves[low : low + _BLOCK]
            part = wide[: len(block)]
            numpy.copyto(part, block)
            part <<= 13
            part &= numpy.int32(-0x70000001)
            numpy.dot(
                floats[: len(block)],
                scaled,
                out=made[low : low + len(block)],
            )
        return made


def unit(vector: Sequence[float] | Array) -> Array:
    """The vector with length 1, in float32.

    Raises: ValueError if it has no length, or holds what is not a number.
    """
    import numpy

    values = numpy.asarray(vector, dtype="float64")
    largest = float(numpy.abs(values).max(initial=0.0))
    if not 0 < largest < float("inf"):
        raise ValueError("The vector has no direction.")
    values = values / largest
    return (values / numpy.linalg.norm(values)).astype("float32")


def top(scores: Array, k: int, among: Array | None = None) -> list[int]:
    """The k highest scores' places, highest first; equal ones in order.

    `among`: for each whether it may be one of them.
    """
    import numpy

    places = numpy.arange(len(scores)) if among is None else numpy.flatnonzero(among)
    k = min(k, len(places))
    if k < 1:
        return []
    high = scores if among is None else scores[places]
    found = numpy.flatnonzero(
        high >= numpy.partition(high, len(high) - k)[len(high) - k]
    )
    order: list[int] = places[found[numpy.lexsort((found, -high[found]))][:k]].tolist()
    return order


def fused(rankings: Iterable[Sequence[int]]) -> list[int]:
    """What the rankings hold by reciprocal rank fusion, best first: by the sum of 1 /
    (60 + rank); equal ones in order of their numbers.
    """
    figures: dict[int, float] = {}
    for ranking in rankings:
        for rank, at in enumerate(ranking, 1):
            figures[at] = figures.get(at, 0.0) + 1 / (RRF + rank)
    return sorted(figures, key=lambda at: (-figures[at], at))


def digest(key: str, title: str, text: str) -> bytes:
    """Tells passages apart whose vectors differ: by the model's `key`, title and
    text.
    """
    parts = (part.encode("utf-8", "replace") for part in (key, title, text))
    return hashlib.blake2b(
        b"".join(len(part).to_bytes(8, "little") + part for part in parts),
        digest_size=DIGEST,
    ).digest()


class StoredVectors:
    """Vectors that are on disk already, found by digest: those of a finished index, or
    those that were paid for and lie apart.
    """

    def __init__(self, digests: Array, rows: Array) -> None:
        import numpy

        self.size = int(rows.shape[1])
        self.rows = rows
        self._order = numpy.argsort(digests, kind="stable")
        self._sorted = digests[self._order]

    def find(self, digests: Array) -> Array:
        """Return the row of each digest; -1 if there is none."""
        import numpy

        if not len(self._sorted):
            return numpy.full(len(digests), -1, dtype="int64")
        at = numpy.minimum(
            numpy.searchsorted(self._sorted, digests), len(self._sorted) - 1
        )
        return numpy.where(self._sorted[at] == digests, self._order[at], -1)


def known(folder: Path) -> Iterator[StoredVectors]:
    """Return all vectors in the folder of a corpus, from any model.

    Unreadable files are skipped.
    """
    import numpy

    for path in sorted(folder.glob("dense-*.digests.npy")):
        try:
            digests = numpy.load(path, mmap_mode="r", allow_pickle=False)
            rows = numpy.load(
                folder / f"{path.name.removesuffix('.digests.npy')}.npy",
                mmap_mode="r",
                allow_pickle=False,
            )
        except (OSError, ValueError):
            continue
        if (
            digests.dtype == f"S{DIGEST}"
            and rows.dtype == "<f2"
            and rows.ndim == 2
            and len(digests) == len(rows)
        ):
            yield StoredVectors(digests, rows)
    for path in sorted(folder.glob("paid-*.bin")):
        part = path.name.removeprefix("paid-").removesuffix(".bin")
        if part.isdigit() and (
            count := path.stat().st_size // _row(int(part)).itemsize
        ):
            kept = numpy.memmap(
                path,
                dtype=_row(int(part)),
                mode="r",
                shape=(count,),
            )
            yield StoredVectors(kept["digest"], kept["vector"])


def keep(folder: Path, digests: Sequence[bytes], vectors: Array) -> None:
    """Append the paid vectors; they are on disk when this returns.

    An incomplete row from an earlier interruption is overwritten.
    """
    import numpy

    kind = _row(vectors.shape[1])
    rows = numpy.zeros(len(digests), dtype=kind)
    rows["digest"], rows["vector"] = digests, vectors
    path = folder / f"paid-{vectors.shape[1]}.bin"
    with open(
        os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+b"
    ) as file:
        file.truncate(os.fstat(file.fileno()).st_size // kind.itemsize * kind.itemsize)
        file.seek(0, os.SEEK_END)
        file.write(rows.tobytes())
        file.flush()
        os.fsync(file.fileno())


def write(
    folder: Path, name: str, digests: Array, sources: Sequence[StoredVectors]
) -> None:
    """Writes the vectors of all `digests`, in their order.

    Each is in one of the `sources`, which are of one size.
    """
    import numpy

    at = [source.find(digests) for source in sources]
    part, final = folder / f"{name}.part.npy", folder / f"{name}.npy"
    rows = numpy.lib.format.open_memmap(
        part, mode="w+", dtype="<f2", shape=(len(digests), sources[0].size)
    )
    for low in range(0, len(digests), _ROWS):
        block = rows[low : low + _ROWS]
        for source, places in zip(reversed(sources), reversed(at), strict=True):
            here = places[low : low + _ROWS]
            has = here >= 0
            block[has] = source.rows[here[has]]
    rows.flush()
    numpy.save(folder / f"{name}.digests.npy", digests, allow_pickle=False)
    for path in (part, folder / f"{name}.digests.npy"):
        path.chmod(0o600)
        with path.open("rb") as file:
            os.fsync(file.fileno())
    part.rename(final)


def drop(folder: Path, but: str = "") -> None:
    """Removes all vectors in the folder of a corpus but those of one name."""
    for path in (*folder.glob("dense-*.npy"), *folder.glob("paid-*.bin")):
        if not but or path.name not in (f"{but}.npy", f"{but}.digests.npy"):
            path.unlink(missing_ok=True)


def _row(size: int) -> Any:
    import numpy

    return numpy.dtype([("digest", f"S{DIGEST}"), ("vector", "<f2", (size,))])
