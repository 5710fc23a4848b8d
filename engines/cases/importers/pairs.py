"""Pairs of cases: one object per line, {"id", "query", "candidate", "label"}. A case is
a text or {"id", "text", "title"}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ....sessions.errors import bad_input
from ....texts import t
from ...metrics.values import first_in
from ..task import is_level
from .cases import CaseFile, case_of

LABELS = ("label", "gold")


class CasePair(NamedTuple):
    """A query and one candidate."""

    query: CaseFile
    candidate: CaseFile
    label: int | None = None
    """The level 0 to 3 that the data give it."""


def pair_of(row: Mapping[str, object]) -> CasePair:
    """Return the pair of a line. Raises: BadInput."""
    for name in ("query", "candidate"):
        if row.get(name) is None:
            raise bad_input("wrong.cases.no_field", name=name)
    label = first_in(row, LABELS)
    if label is not None and not is_level(label):
        raise bad_input("wrong.labels.no_level", label=label)
    return CasePair(
        case_of(row["query"], t("wrong.cases.the_query")),
        case_of(row["candidate"], t("wrong.cases.the_candidate")),
        label,
    )
