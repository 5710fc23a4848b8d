"""One level for a pair that several people have labelled: one person's, the majority's,
the adjudicated one, or LeCaRD's sum.

Source of the sum: Ma et al. 2021, LeCaRD. Three people give 1 to 4 each, and the sum is
split after 4, 7 and 10. Levels here are 0 to 3, so the sum of three is split after 1, 4
and 7. The result may be a level that no annotator chose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...sessions.events.labels import Label

How = Literal["rater", "majority", "gold", "sum"]
Why = Literal["nobody", "undecided", "rater", "majority", "gold", "sum"]
"""Why a pair has no level: nobody has labelled it, who has is undecided, or what the
rule of this name asks for is not there.
"""

SUMMED = 3
"""So many labels LeCaRD's rule adds up."""
_CUTS = (1, 4, 7)


@dataclass
class ConsensusLevels:
    """Levels by pair, and their basis."""

    levels: dict[tuple[str, str], int | None] = field(default_factory=dict)
    """Query and candidate to the level; None: this rule gives none."""
    by_pair: dict[str, int | None] = field(default_factory=dict)
    """The same by the pair's digest: ids alone may mean other cases in another session.
    """
    why: dict[tuple[str, str] | str, Why] = field(default_factory=dict)
    """Why this rule gives a pair none, by what `levels` and `by_pair` go by."""
    twice: str | None = None
    """One sentence where two cases with a level have the same ids, so that `levels`
    cannot hold both.
    """
    single: int = 0
    """Levels that rest on one person's label alone."""


def level_by(
    how: How,
    labels: Mapping[str, Label],
    decided: Label | None,
    rater: str | None = None,
) -> int | None:
    """Return the level of a pair by this rule; None if the rule gives none.

    `labels`: last label by annotator; `decided`: the adjudicated one. `rater`: the
    annotator to use with the rule `rater`. The rule `gold` uses the adjudicated level,
    or the level on which all annotators of the pair agree.
    """
    if how == "rater":
        own = labels.get(rater or "")
        if own is not None:
            return own.value
        return None
    if how == "majority":
        return majority([label.value for label in labels.values()])
    levels = [label.value for label in labels.values() if label.value is not None]
    if how == "sum":
        return lecard_sum(levels)
    if decided is not None and decided.value is not None:
        return decided.value
    if len(levels) == len(labels) and len(set(levels)) == 1:
        return levels[0]
    return None


def why_none(how: How, labels: Mapping[str, Label], rater: str | None = None) -> Why:
    """Return why this rule gives a pair no level, if it gives none."""
    if not labels:
        return "nobody"
    if how == "rater":
        if (rater or "") in labels:
            return "undecided"
        return "rater"
    if all(label.value is None for label in labels.values()) and (
        how != "gold" or len(labels) == 1
    ):
        return "undecided"
    return how


def majority(levels: Sequence[int | None]) -> int | None:
    """Return the level that more than half of the raters chose, counting undecided
    raters; None without one.
    """
    for level, count in Counter(levels).most_common(1):
        if 2 * count > len(levels):
            return level
        return None
    return None


def lecard_sum(levels: Sequence[int]) -> int | None:
    """Return the level of three people's sum by LeCaRD's rule; None unless there are
    three levels.
    """
    if len(levels) == SUMMED:
        return sum(sum(levels) > cut for cut in _CUTS)
    return None
