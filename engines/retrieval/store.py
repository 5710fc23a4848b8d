"""Strings and arrays on disk, read through memory maps: an index of any size opens at once and uses little memory."""

from __future__ import annotations

import mmap
import os
from array import array
from collections.abc import Iterable
from itertools import accumulate, islice, pairwise
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]


class StringWriter:
    """Writes NAME.bin, the strings in UTF-8 one after another, and NAME.npy, where each begins and the last ends, in bytes."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._file = open(folder / f"{name}.bin", "wb")  # noqa: SIM115 (closed by __exit__)
        self.ends = array("q", [0])

    def add(self, text: str) -> None:
        self.add_bytes(text.encode("utf-8"))

    def add_all(self, texts: Iterable[str]) -> None:
        encoded = [text.encode("utf-8") for text in texts]
        self._file.write(b"".join(encoded))
        self.ends.extend(islice(accumulate(map(len, encoded), initial=self.ends[-1]), 1, None))

    def add_bytes(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self.ends.append(self.ends[-1] + len(data))

    def __enter__(self) -> StringWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()
        if error is None:
            save(self._folder, self._name, self.ends)


class Strings:
    """The strings that a StringWriter wrote.

    Raises: OSError or ValueError if they cannot be read.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._ends = load(folder, name)
        with open(folder / f"{name}.bin", "rb") as file:
            size = os.fstat(file.fileno()).st_size
            self._data: mmap.mmap | bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        if size != int(self._ends[-1]):
            raise ValueError(f"{name} is cut off")

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, at: int) -> str:
        return self.raw(at).decode("utf-8")

    def raw(self, at: int) -> bytes:
        return self._data[int(self._ends[at]) : int(self._ends[at + 1])]

    def part(self, start: int, end: int) -> str:
        """The text between two places, in bytes from the beginning of the first string."""
        return self._data[start:end].decode("utf-8")

    def start(self, at: int) -> int:
        """Where a string begins, in bytes from the beginning of the first."""
        return int(self._ends[at])

    def all(self) -> list[str]:
        data, ends = bytes(self._data), self._ends.tolist()
        return [data[start:end].decode("utf-8") for start, end in pairwise(ends)]

    def find(self, text: str) -> int | None:
        """Where a string stands among strings sorted by their bytes; None if it is not there."""
        wanted, low, high = text.encode("utf-8", "replace"), 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.raw(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self.raw(low) == wanted else None

    def close(self) -> None:
        if isinstance(self._data, mmap.mmap):
            self._data.close()


def save(folder: Path, name: str, values: Any) -> None:
    """Writes an array as NAME.npy."""
    import numpy

    numpy.save(folder / f"{name}.npy", numpy.asarray(values), allow_pickle=False)


def load(folder: Path, name: str) -> Array:
    """The array of NAME.npy, memory-mapped.

    Raises: OSError or ValueError if it cannot be read.
    """
    import numpy

    return numpy.asarray(numpy.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))
