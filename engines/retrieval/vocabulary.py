"""The words of an index while it is written: numbered as they come, put in order at the
end, in little memory.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from .tokeniser import fold

if TYPE_CHECKING:
    from .store import Array, Strings

MOST = 400_000
"""Words that are held in memory. More of them go to disk, in order, and are forgotten.
"""

_Entry = tuple[str, str, int]
"""A word as the index has it, as it is written, and its first number."""


class _WordNumbers(dict[str, int]):
    """Gives every new word the next number."""

    def __init__(self) -> None:
        self.next = 0

    def __missing__(self, word: str) -> int:
        number = self[word] = self.next
        self.next += 1
        return number


class Vocabulary:
    """Words as written, each with a number.

    A word that was forgotten meanwhile gets a further one; `merged` brings them
    together.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._runs = 0
        self.numbers = _WordNumbers()
        """The number of a word: `numbers[word]`."""

    def __len__(self) -> int:
        """Numbers given so far."""
        return self.numbers.next

    def rest(self) -> None:
        """Makes room, if there are many words."""
        if len(self.numbers) >= MOST:
            self._spill(self._sorted())

    def adopt(self, words: Strings) -> int:
        """Gives the words of an older index numbers of their own: from what is returned
        on, in their order.
        """
        first = number = len(self)
        every = iter(words)
        while batch := list(islice(every, MOST)):
            self._spill(
                sorted((fold(raw), raw, at) for at, raw in enumerate(batch, number))
            )
            number += len(batch)
        self.numbers.next = number
        return first

    def merged(
        self, counts: Array
    ) -> Iterator[tuple[str, list[tuple[str, int, list[int]]]]]:
        """Each word as the index has it, in order, with the ways it is written: each
        with its count and its first numbers.

        `counts`: how often each first number occurs; words that do not occur are left
        out. To be called once.
        """
        entries = heapq.merge(iter(self._sorted()), *map(self._read, range(self._runs)))
        term, written = "", list[tuple[str, int, list[int]]]()
        for word, raw, number in entries:
            count = int(counts[number])
            if not count:
                continue
            if word != term or not written:
                if written:
                    yield term, written
                term, written = word, [(raw, count, [number])]
            elif written[-1][0] == raw:
                written[-1] = (raw, written[-1][1] + count, [*written[-1][2], number])
            else:
                written.append((raw, count, [number]))
        if written:
            yield term, written

    def _sorted(self) -> list[_Entry]:
        """The words in memory, which are forgotten."""
        found = sorted((fold(raw), raw, number) for raw, number in self.numbers.items())
        self.numbers.clear()
        return found

    def _spill(self, entries: list[_Entry]) -> None:
        with open(
            self._folder / f"words{self._runs}", "w", encoding="utf-8", newline="\n"
        ) as file:
            file.writelines(f"{number}\t{raw}\n" for _, raw, number in entries)
        self._runs += 1

    def _read(self, run: int) -> Iterator[_Entry]:
        path = self._folder / f"words{run}"
        with path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                number, _, raw = line[:-1].partition("\t")
                yield fold(raw), raw, int(number)
        path.unlink()
