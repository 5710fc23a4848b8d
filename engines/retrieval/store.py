"""Strings and arrays on disk, read through memory maps: an index of any size opens at
once and uses little memory.
"""

from __future__ import annotations

import mmap
import os
from array import array
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

_BUFFER = 1 << 16
"""Values that are held back until they are written."""

_STRETCH = 1 << 20
"""Bytes that are copied at once."""

_HEAD = 128
_TYPES = {"i": "<i4", "q": "<i8", "f": "<f4"}


class ArrayWriter:
    """Writes an array as NAME.npy while its values come.

    What is written takes no memory.
    """

    def __init__(self, folder: Path, name: str, code: str, columns: int = 0) -> None:
        """`code`: "i" for int32, "q" for int64, "f" for float32.

        `columns`: values in a row; 0 for an array of one dimension.
        """
        self._code, self._columns = code, columns
        self._file = open(folder / f"{name}.npy", "wb")  # noqa: SIM115
        self._buffer = array(code)
        self._written = 0
        self._head()

    def __len__(self) -> int:
        """Values so far, those of all columns."""
        return self._written + len(self._buffer)

    def append(self, value: int) -> None:
        self._buffer.append(value)
        if len(self._buffer) >= _BUFFER:
            self._flush()

    def extend(self, values: Iterable[int]) -> None:
        self._buffer.extend(values)
        if len(self._buffer) >= _BUFFER:
            self._flush()

    def write(self, values: Array) -> None:
        """Adds an array of the same type."""
        self._flush()
        self._file.write(values.tobytes())
        self._written += values.size

    def truncate(self, count: int) -> None:
        """Drops the values after the first `count`."""
        self._flush()
        self._file.truncate(_HEAD + count * self._buffer.itemsize)
        self._file.seek(0, os.SEEK_END)
        self._written = count

    def flush(self) -> None:
        """Makes the file whole; it can be loaded and be written further."""
        self._flush()
        self._file.seek(0)
        self._head()
        self._file.seek(0, os.SEEK_END)
        self._file.flush()

    def __enter__(self) -> ArrayWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *about: object) -> None:
        try:
            if kind is None:
                self.flush()
        finally:
            self._file.close()

    def _flush(self) -> None:
        self._file.write(self._buffer.tobytes())
        self._written += len(self._buffer)
        del self._buffer[:]

    def _head(self) -> None:
        """NumPy's header of version 1.0, of a fixed length."""
        rows = self._written // (self._columns or 1)
        shape = f"({rows}, {self._columns})" if self._columns else f"({rows},)"
        text = (
            f"{{'descr': '{_TYPES[self._code]}', 'fortran_order': False, 'shape': "
            f"{shape}, }}".ljust(_HEAD - 11)
            + "\n"
        )
        self._file.write(
            b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()
        )


class StringWriter:
    """Writes NAME.bin, the strings in UTF-8 one after another, and NAME.npy, where each
    begins and the last ends, in bytes.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._file = open(folder / f"{name}.bin", "wb")  # noqa: SIM115
        self._ends = ArrayWriter(folder, name, "q")
        self._ends.append(0)
        self.end = 0
        """Where the last string ends, in bytes."""

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, text: str) -> None:
        self.add_bytes(text.encode("utf-8"))

    def passed(self, pieces: Iterable[str]) -> Iterator[str]:
        """The pieces of a string, each given on when it is written."""
        for text in pieces:
            data = text.encode("utf-8")
            self._file.write(data)
            self.end += len(data)
            yield text
        self._ends.append(self.end)

    def add_bytes(self, data: bytes) -> None:
        self._file.write(data)
        self.end += len(data)
        self._ends.append(self.end)

    def copy(self, old: Strings, first: int, last: int) -> None:
        """Adds the strings from `first` to before `last` of others, without reading
        them into memory at once.
        """
        for low in range(first, last, _BUFFER):
            ends = old.ends(low, min(low + _BUFFER, last))
            self._ends.write(ends[1:] - ends[0] + self.end)
            for data in old.stretches(int(ends[0]), int(ends[-1])):
                self._file.write(data)
            self.end += int(ends[-1] - ends[0])

    def truncate(self, count: int, end: int) -> None:
        """Drops the strings after the first `count`, which end at `end`."""
        self._ends.truncate(count + 1)
        self._file.truncate(end)
        self._file.seek(0, os.SEEK_END)
        self.end = end

    def __enter__(self) -> StringWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *about: object) -> None:
        try:
            self._file.close()
        finally:
            self._ends.__exit__(kind)


class Strings:
    """The strings that a StringWriter wrote.

    Raises: OSError or ValueError if they cannot be read.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._ends = load(folder, name)
        with open(folder / f"{name}.bin", "rb") as file:
            size = os.fstat(file.fileno()).st_size
            self._data: mmap.mmap | bytes = (
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
            )
        if size != int(self._ends[-1]):
            raise ValueError(f"{name} is cut off")

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, at: int) -> str:
        return self.raw(at).decode("utf-8")

    def raw(self, at: int) -> bytes:
        return self._data[int(self._ends[at]) : int(self._ends[at + 1])]

    def part(self, start: int, end: int) -> str:
        """The text between two places, in bytes from the beginning of the first
        string.
        """
        return self.raw_part(start, end).decode("utf-8")

    def raw_part(self, start: int, end: int) -> bytes:
        """As `part`, in UTF-8."""
        return self._data[start:end]

    def start(self, at: int) -> int:
        """Start of a string, in bytes from the start of the first."""
        return int(self._ends[at])

    def ends(self, first: int, last: int) -> Array:
        """Where the strings from `first` to before `last` begin, and where the last of
        them ends.
        """
        return piece(self._folder, self._name, first, last + 1)

    def stretches(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes between two places, in pieces that are read from the file, not
        mapped.
        """
        with open(self._folder / f"{self._name}.bin", "rb") as file:
            file.seek(start)
            while start < end:
                data = file.read(min(_STRETCH, end - start))
                if not data:
                    raise ValueError(f"{self._name} is cut off")
                start += len(data)
                yield data

    def __iter__(self) -> Iterator[str]:
        """All strings in order; few of them are in memory at once."""
        for low in range(0, len(self), _BUFFER):
            ends = self._ends[low : low + _BUFFER + 1].tolist()
            yield from (
                self._data[start:end].decode("utf-8") for start, end in pairwise(ends)
            )

    def all(self) -> list[str]:
        return list(self)

    def of_length(self, low: int, high: int) -> Iterator[tuple[Array, list[str]]]:
        """The strings of `low` to `high` characters, many at once, with their places;
        and all that are not ASCII, as folding may change their length.
        """
        import numpy

        for first in range(0, len(self), _BUFFER):
            ends = self.ends(first, min(first + _BUFFER, len(self)))
            data, ends = self.raw_part(int(ends[0]), int(ends[-1])), ends - ends[0]
            foreign = numpy.concatenate(
                ([0], numpy.cumsum(numpy.frombuffer(data, dtype="u1") >= 128))
            )[ends]
            lengths = ends[1:] - ends[:-1]
            places = numpy.flatnonzero(
                (lengths >= low) & (lengths <= high) | (foreign[1:] > foreign[:-1])
            )
            pieces = zip(
                ends[places].tolist(),
                ends[places + 1].tolist(),
                strict=True,
            )
            yield (
                places + first,
                [data[start:end].decode("utf-8") for start, end in pieces],
            )

    def find(self, text: str) -> int | None:
        """As `place`, and faster, among strings sorted by their bytes."""
        wanted, low, high = text.encode("utf-8", "replace"), 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.raw(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        if low < len(self) and self.raw(low) == wanted:
            return low
        return None

    def place(self, text: str) -> int | None:
        """Index of a string; None if it is missing."""
        wanted = text.encode("utf-8", "replace")
        start = self._data.find(wanted) if wanted else -1
        while start >= 0:
            at = int(self._ends.searchsorted(start, side="right")) - 1
            if self._ends[at] == start and self._ends[at + 1] == start + len(wanted):
                return at
            start = self._data.find(wanted, start + 1)
        return None

    def close(self) -> None:
        if isinstance(self._data, mmap.mmap):
            self._data.close()


def load(folder: Path, name: str) -> Array:
    """The array of NAME.npy, memory-mapped.

    Raises: OSError or ValueError if it cannot be read.
    """
    import numpy

    return numpy.asarray(
        numpy.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
    )


def piece(folder: Path, name: str, start: int, end: int) -> Array:
    """The rows from `start` to before `end` of NAME.npy.

    They alone are in memory; nothing stays mapped.
    """
    import numpy

    return numpy.array(load(folder, name)[start:end])
