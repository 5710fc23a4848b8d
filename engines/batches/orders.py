"""Orders to a running batch: lines of `control.jsonl` in its folder.

Any process that can write to the folder can append one.
"""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ...sessions.clean import clean
from ...sessions.errors import bad_input
from ...sessions.files import write_all
from ...sessions.new import timestamp
from ...texts import t
from .run_journal import open_lines

FILE = "control.jsonl"
LONGEST = 4096
"""Bytes of a line; a longer one is not an order."""
MOST_TOLD = 20
"""Lines that a run names as ignored; of further ones it tells nothing."""
_AT_ONCE = 1 << 16
"""Bytes read in one look."""


class ControlOrder(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One order: an action, limits, or both.

    A limit of null removes it; a limit that is not named stays.
    """

    time: str | UnsetType = UNSET
    id: Annotated[str, Meta(max_length=40)] | UnsetType = UNSET
    """By which the runner's answer is known."""
    do: Literal["pause", "go-on", "stop"] | UnsetType = UNSET
    concurrency: Annotated[int, Meta(ge=1, le=1000)] | UnsetType = UNSET
    budget_tokens: Annotated[int, Meta(ge=1, le=1 << 53)] | UnsetType | None = UNSET
    budget_usd: Annotated[float, Meta(gt=0)] | UnsetType | None = UNSET

    @property
    def empty(self) -> bool:
        """Whether it asks for nothing."""
        return all(
            value is UNSET
            for value in (
                self.do,
                self.concurrency,
                self.budget_tokens,
                self.budget_usd,
            )
        )


def give(folder: Path, order: ControlOrder) -> str:
    """Appends an order to the folder's control file; returns its id.

    Raises: BadInput if it cannot be written.
    """
    order.time, order.id = timestamp(), secrets.token_hex(8)
    line = msgspec.json.encode(order) + b"\n"
    try:
        fd, torn = open_lines(folder / FILE)
        if fd is None:
            raise bad_input("batch.control_odd", file=folder / FILE)
        try:
            write_all(fd, b"\n" * torn + line)
        finally:
            os.close(fd)
    except OSError as error:
        raise bad_input(
            "batch.control_unwritten",
            file=folder / FILE,
            why=error.strerror or error,
        ) from None
    return order.id


class Orders:
    """Reads the orders that come after it is made: those that are in the file already
    are of an earlier run.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._read = self._size() or 0
        self._half = b""
        self._skips = False
        """In the middle of a line that is too long."""
        self._told = 0

    def take(self) -> tuple[list[ControlOrder], list[str]]:
        """The orders since the last look, and sentences on lines that are none.

        A line without its end is waited for.
        """
        orders = []
        ignored = []
        for line in self._lines():
            try:
                order = (
                    None
                    if line is None
                    else msgspec.json.decode(line, type=ControlOrder)
                )
                why = (
                    t("batch.order_long", n=LONGEST)
                    if order is None
                    else t("batch.order_empty")
                    if order.empty
                    else ""
                )
            # a ValueError: msgspec's own errors, and text that is not UTF-8
            except (ValueError, RecursionError) as error:
                order, why = None, clean(str(error), newlines=False)
            if order is not None and not why:
                orders.append(order)
            else:
                ignored += self._refuse(line or b"", why)
        return orders, ignored

    def _refuse(self, line: bytes, why: str) -> list[str]:
        self._told += 1
        if self._told > MOST_TOLD + 1:
            return []
        if self._told > MOST_TOLD:
            return [t("batch.orders_untold", file=FILE)]
        excerpt = clean(line[:60].decode("utf-8", "replace"), newlines=False)
        return [
            t(
                "batch.order_ignored",
                file=FILE,
                line=excerpt + (" …" if len(line) > 60 else ""),
                why=why,
            )
        ]

    def _lines(self) -> list[bytes | None]:
        """The lines that have come whole; None for one that is too long."""
        *whole, self._half = (self._half + self._fresh()).split(b"\n")
        found: list[bytes | None] = []
        for line in whole:
            if self._skips or len(line) > LONGEST:
                found += [] if self._skips else [None]
                self._skips = False
            elif line.strip():
                found.append(line)
        if len(self._half) > LONGEST:
            found += [] if self._skips else [None]
            self._skips, self._half = True, b""
        elif self._skips:
            self._half = b""
        return found

    def _fresh(self) -> bytes:
        """Return the lines appended since the last read.

        A file that became shorter is read on from its end.
        """
        size = self._size()
        if size is None or size == self._read:
            return b""
        if size < self._read:
            self._read, self._half, self._skips = size, b"", False
            return b""
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        except OSError:
            return b""
        try:
            data = os.pread(fd, _AT_ONCE, self._read)
        except OSError:
            data = b""
        finally:
            os.close(fd)
        self._read += len(data)
        return data

    def _size(self) -> int | None:
        """Size of the file in bytes; None unless it is a readable regular file."""
        try:
            info = os.lstat(self._path)
        except OSError:
            return None
        if stat.S_ISREG(info.st_mode):
            return info.st_size
        return None
