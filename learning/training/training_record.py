"""`training.json`: the inputs and the state of training in a folder. The same command
continues; a different one is refused.
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
    """The inputs and state of a folder."""

    format: str = FORMAT
    options: dict[str, Any]
    digests: dict[str, str]
    """File of the data set → SHA-256; and `start`: the initial weights and tokenizer.
    """
    before: float | None = None
    """nDCG@30 before training."""
    ended: str = ""
    """Why training ended; empty: not yet."""
    best: str = ""
    """The checkpoint with the best figure, once training has ended."""


def begin(folder: Path, now: TrainingRecord) -> TrainingRecord:
    """The record of this folder, which is `now` if there was none.

    Raises: BadInput, which names the first difference; WriteError.
    """
    found = check(folder, now)
    if found is None:
        keep(folder, now)
    return found or now


def check(folder: Path, now: TrainingRecord) -> TrainingRecord | None:
    """The record of this folder; None if there is none. Writes nothing.

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
    """Saves the record atomically. Raises: BadInput, WriteError."""
    write_whole(
        folder / FILE, msgspec.json.format(msgspec.json.encode(begun), indent=1) + b"\n"
    )
