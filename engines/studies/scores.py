"""What was measured of every session of a study: `scores.jsonl`, one measurement a
line.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import cast

import msgspec

from ...sessions.errors import bad_input, unread
from ...sessions.files import write_whole
from ..figures.measure import MeasuredValue, State

FILE = "scores.jsonl"


class ScoreRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line."""

    condition: str
    item: str
    cluster: str
    repeat: int
    """From 1."""
    round: int | None
    """None: of the whole session."""
    measure: str
    value: float | None
    state: str
    counts: tuple[float, ...] = ()
    """What a pooled measure adds up over sessions; left out of the file where there is
    nothing.
    """

    @property
    def key(self) -> tuple[str, int]:
        """Item and repeat: what conditions are paired by."""
        return self.item, self.repeat

    @property
    def measured(self) -> MeasuredValue:
        return MeasuredValue(
            self.value, cast(State, self.state), self.round, self.counts
        )


def read_scores(folder: Path) -> list[ScoreRow]:
    """All lines; none where there is no file.

    Raises: BadInput for one that cannot be read.
    """
    path = folder / FILE
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise unread(path, error) from None
    decode = msgspec.json.Decoder(ScoreRow).decode
    try:
        return [decode(line) for line in data.splitlines() if line.strip()]
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise bad_input("wrong.study.scores", path=path) from None


def write_scores(folder: Path, scores: Iterable[ScoreRow]) -> None:
    """Writes them all, in place of what was there. Raises: BadInput, WriteError."""
    encode = msgspec.json.Encoder().encode
    write_whole(
        folder / FILE,
        b"".join(encode(score) + b"\n" for score in scores).decode("utf-8"),
    )
