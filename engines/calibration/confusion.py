"""How often a machine recognises what people call right, and what they call wrong.

What could not be read recognises nothing: it counts against the machine in sensitivity,
specificity and accuracy. It claims nothing either, so it is no part of the two
predictive values. Kappa is of what was read.

Sources: Altman and Bland 1994 (sensitivity, specificity, predictive values); Cohen
1960; intervals as in `metrics.shares` and `metrics.bootstrap`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..metrics.agreement import cohen_kappa
from ..metrics.bootstrap import RESAMPLES, IntervalEstimate, figure, resampled
from ..metrics.compare import LEAST_PAIRS, NO_PAIRS, NO_VARIATION, too_few
from .judged_item import JudgedItem, Share, labelled, share


class Confusion(NamedTuple):
    """A machine's word against people's, each share with its 95 % interval over
    clusters.
    """

    labels: int
    clusters: int
    unread: int
    """Labelled things of which the machine's word could not be read."""
    right: dict[str, int]
    wrong: dict[str, int]
    """What the machine said of what people call right, and wrong: its words with their
    counts; "" is unread.
    """
    sensitivity: Share
    """Of what people call right, what the machine calls right, too."""
    specificity: Share
    """Of what people call wrong, what the machine does not call right."""
    precision: Share
    """Of what the machine calls right, what people call right, too: the positive
    predictive value.
    """
    negative: Share
    """Of what the machine does not call right, what people call wrong: the negative
    predictive value.
    """
    accuracy: Share
    """Of all labelled things, those of which both say the same."""
    people: Share
    """The base rate: what people call right, of all labelled things."""
    machine: Share
    """The machine's base rate: what it calls right, of all labelled things."""
    kappa: IntervalEstimate


def confusion(things: Sequence[JudgedItem], resamples: int = RESAMPLES) -> Confusion:
    """The figures of the labelled ones among these things."""
    known = labelled(things)
    right, wrong = (
        [one for one in known if one.truth],
        [one for one in known if not one.truth],
    )
    read = [one for one in known if one.holds is not None]
    return Confusion(
        labels=len(known),
        clusters=len({one.cluster for one in known}),
        unread=len(known) - len(read),
        right=dict(Counter("" if one.holds is None else one.said for one in right)),
        wrong=dict(Counter("" if one.holds is None else one.said for one in wrong)),
        sensitivity=share((one.cluster, one.holds is True) for one in right),
        specificity=share((one.cluster, one.holds is False) for one in wrong),
        precision=share((one.cluster, bool(one.truth)) for one in read if one.holds),
        negative=share((one.cluster, not one.truth) for one in read if not one.holds),
        accuracy=share((one.cluster, one.holds is one.truth) for one in known),
        people=share((one.cluster, bool(one.truth)) for one in known),
        machine=share((one.cluster, one.holds is True) for one in known),
        kappa=_kappa(read, resamples),
    )


def _kappa(read: Sequence[JudgedItem], resamples: int) -> IntervalEstimate:
    """Cohen's kappa, with an interval over clusters drawn anew; undefined where either
    says the same of everything.
    """
    if len(read) < LEAST_PAIRS:
        return IntervalEstimate(None, too_few(len(read)) if read else NO_PAIRS)
    if len({one.truth for one in read}) < 2 or len({one.holds for one in read}) < 2:
        return IntervalEstimate(None, NO_VARIATION)
    cells: dict[str, list[int]] = {}
    for one in read:
        cells.setdefault(one.cluster, [0, 0, 0, 0])[
            2 * bool(one.truth) + bool(one.holds)
        ] += 1
    whole = [sum(column) for column in zip(*cells.values(), strict=True)]

    def of(counts: Sequence[float]) -> float | None:
        return cohen_kappa([counts[:2], counts[2:]])  # type: ignore[list-item]

    return figure(
        of(whole),
        lambda: map(of, resampled(cells.values(), resamples)),
        NO_VARIATION,
        len(cells),
    )
