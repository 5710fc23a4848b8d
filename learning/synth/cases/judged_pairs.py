"""Pairs of cases and their levels: lines of `pairs.jsonl` and of the sets drawn from
them.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Split = Literal["train", "validation", "test"]
"""By query, 8:1:1 (the relevance paper, section 4.4)."""


class JudgedPair(msgspec.Struct, kw_only=True):
    """A pair of cases. The first one takes the place of the query."""

    query: str
    case: str
    level: int | None = None
    """0 to 3: 1 if the material facts are relevant, 2 if the legal facts are. None: not
    judged, or unread.
    """
    by: Literal["people", "machine"] = "machine"
    presort: float | None = None
    """The score that selected the pair."""
    session: str | None = None
    """Path of the session that judged it, relative to the folder."""


class PairSet(msgspec.Struct, kw_only=True):
    """A set of pairs: a split of people's labels, or a sample of the model's
    judgements.
    """

    name: str
    """`train`, `validation`, `test`, `train-2k`, `train-20k`, `train-40k`."""
    pairs: list[JudgedPair]
    """Each with a level."""
