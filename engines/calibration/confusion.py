"""How often a machine recognises what people call right, and what they call wrong.

What could not be read, or was not decided, recognises nothing: it counts against the
machine in sensitivity, specificity and accuracy. It claims nothing either, so it is no
part of the two predictive values. Kappa and Gwet's AC1 are of what was read.

Sources: Altman and Bland 1994 (sensitivity, specificity, predictive values); Cohen
1960; Gwet 2008; intervals as in `metrics.shares` and `metrics.bootstrap`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..metrics.agreement import Table, cohen_kappa
from ..metrics.bootstrap import RESAMPLES, IntervalEstimate, figure, resampled
from ..metrics.compare import (
    DRAWN_BY_VERDICT,
    LEAST_PAIRS,
    NO_PAIRS,
    NO_VARIATION,
    too_few,
)
from ..metrics.gwet import gwet_table
from .judged_item import JudgedItem, Share, labelled, share
from .stratified import weighted


class Confusion(NamedTuple):
    """A machine's word against people's, each share with its 95 % interval over
    clusters.
    """

    labels: int
    clusters: int
    unread: int
    """Labelled things of which the machine's word could not be read."""
    undecided: int
    """Those on which a panel of machines did not agree."""
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
    """Share of all labelled items on which label and machine agree."""
    people: Share
    """The base rate: what people call right, of all labelled things."""
    machine: Share
    """The machine's base rate: what it calls right, of all labelled things."""
    kappa: IntervalEstimate
    gwet: IntervalEstimate
    """Gwet's AC1, which holds up where nearly everything is right."""


def confusion(
    things: Sequence[JudgedItem],
    resamples: int = RESAMPLES,
    *,
    by_verdict: bool = False,
) -> Confusion:
    """The figures of the labelled ones among these things.

    `by_verdict`: they were drawn by the machine's verdict, so each verdict counts by
    how many of all things have it.
    """
    known = labelled(things)
    right, wrong = (
        [one for one in known if one.truth],
        [one for one in known if not one.truth],
    )
    read = [one for one in known if one.holds is not None]
    found = Confusion(
        labels=len(known),
        clusters=len({one.cluster for one in known}),
        unread=sum(one.holds is None and not one.said for one in known),
        undecided=sum(one.holds is None and bool(one.said) for one in known),
        right=dict(Counter(one.said for one in right)),
        wrong=dict(Counter(one.said for one in wrong)),
        sensitivity=share((one.cluster, one.holds is True) for one in right),
        specificity=share((one.cluster, one.holds is False) for one in wrong),
        precision=share((one.cluster, bool(one.truth)) for one in read if one.holds),
        negative=share((one.cluster, not one.truth) for one in read if not one.holds),
        accuracy=share((one.cluster, one.holds is one.truth) for one in known),
        people=share((one.cluster, bool(one.truth)) for one in known),
        machine=share((one.cluster, one.holds is True) for one in known),
        kappa=_of_table(read, resamples, cohen_kappa, varied=True),
        gwet=_of_table(read, resamples, gwet_table),
    )
    if by_verdict:
        told = weighted(things)
        # AC1 of labels that were drawn by verdict is not that of the run
        gwet = IntervalEstimate(None, DRAWN_BY_VERDICT)
        named: dict[str, Any] = {**told.shares, "kappa": told.kappa, "gwet": gwet}
        return found._replace(**named)
    return found


def _of_table(
    read: Sequence[JudgedItem],
    resamples: int,
    figure_of: Callable[[Table], float | None],
    *,
    varied: bool = False,
) -> IntervalEstimate:
    """A figure of the table of both words, with an interval over clusters drawn again.

    `varied`: undefined where either says the same of everything.
    """
    if len(read) < LEAST_PAIRS:
        return IntervalEstimate(None, too_few(len(read)) if read else NO_PAIRS)
    words = {one.truth for one in read}, {one.holds for one in read}
    if varied and min(map(len, words)) < 2:
        return IntervalEstimate(None, NO_VARIATION)
    cells: dict[str, list[int]] = {}
    for one in read:
        cells.setdefault(one.cluster, [0, 0, 0, 0])[
            2 * bool(one.truth) + bool(one.holds)
        ] += 1
    whole = [sum(column) for column in zip(*cells.values(), strict=True)]

    def of(counts: Sequence[float]) -> float | None:
        return figure_of([counts[:2], counts[2:]])  # type: ignore[list-item]

    return figure(
        of(whole),
        lambda: map(of, resampled(cells.values(), resamples)),
        NO_VARIATION,
        len(cells),
    )
