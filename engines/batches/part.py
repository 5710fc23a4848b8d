"""The part of a batch that a run is, where its lines are split over several folders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...sessions.errors import bad_input

MOST = 100_000
"""Parts of a batch."""


@dataclass(frozen=True)
class PartNumber:
    """Part `index` of `of`, from 1."""

    index: int
    of: int

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    def folder(self, path: Path) -> Path:
        """Return the folder name of this part, next to `path`."""
        return path.with_name(
            f"{re.sub(r'-[0-9]+of[0-9]+$', '', path.name)}-{self.index}of{self.of}"
        )


def part_in(entry: Any, path: Path) -> PartNumber | None:
    """The part recorded in a folder's file; None without one.

    Raises: BadInput, with the file's path.
    """
    if entry is None:
        return None
    try:
        index, of = int(entry["index"]), int(entry["of"])
    except (ValueError, KeyError, TypeError):
        index = of = 0
    if not 1 <= index <= of <= MOST:
        raise bad_input("wrong.batch.unread", path=path)
    return PartNumber(index, of)


def check_part(file: Path, begun: Any, wanted: Mapping[str, object] | None) -> None:
    """Checks that a folder was started as the part that is requested.

    `file`: the file in the folder with the entry `begun`. `wanted`: None for the whole.
    Raises: BadInput.
    """
    path, before, now = file.parent, part_in(begun, file), part_in(wanted, file)
    if before == now:
        return
    if now is None:
        raise bad_input("wrong.shard.needed", path=path, shard=before)
    named = {"path": path, "shard": now, "proposed": now.folder(path)}
    if before is None:
        raise bad_input("wrong.shard.whole", **named)
    raise bad_input("wrong.shard.other", existing=before, **named)
