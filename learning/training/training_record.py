"""`training.json`: what was begun in a folder, and how far it is.

The same command continues; another one is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from ...sessions.begun import check_same
from ...sessions.errors import bad_input, unread
from ...sessions.files import write_whole

FILE = "training.json"
FORMAT = "verifytui-training/1"


class TrainingRecord(msgspec.Struct, kw_only=True):
    """What a folder is of."""

    format: str = FORMAT
    options: dict[str, Any]
    digests: dict[str, str]
    """File of the data set → SHA-256; and `start`: the weights and the tokeniser that
    training began with.
    """
    before: float | None = None
    """nDCG@30 of what training began with."""
    ended: str = ""
    """Why training ended; empty: it has not."""
    best: str = ""
    """The checkpoint with the best figure, once training has ended."""


def begin(folder: Path, now: TrainingRecord) -> TrainingRecord:
    """What was begun in this folder: `now`, if nothing was.

    Raises: BadInput, which names the first difference; WriteError.
    """
    found = check(folder, now)
    if found is None:
        keep(folder, now)
    return found or now


def check(folder: Path, now: TrainingRecord) -> TrainingRecord | None:
    """What was begun in this folder, None if nothing was; nothing is written.

    Raises: BadInput, which names the first difference.
    """
    path = folder / FILE
    if not path.exists():
        return None
    try:
        found = msgspec.json.decode(path.read_bytes(), type=TrainingRecord)
    except OSError as error:
        raise unread(path, error) from None
    except msgspec.MsgspecError:
        raise bad_input("wrong.training.unread", path=path) from None
    check_same(
        folder, {**found.options, **found.digests}, {**now.options, **now.digests}
    )
    return found


def keep(folder: Path, begun: TrainingRecord) -> None:
    """Writes it down, as a whole. Raises: BadInput, WriteError."""
    write_whole(
        folder / FILE, msgspec.json.format(msgspec.json.encode(begun), indent=1) + b"\n"
    )
