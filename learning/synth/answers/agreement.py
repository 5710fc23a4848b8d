"""How far the verifier agrees with what is known of samples, and with people who did
not see its judgement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from ....engines.figures.aggregate import share_figure
from ....engines.metrics.agreement import cohen_kappa
from .samples import Sample, SampleVerdict

PAPER = 0.93
"""What the paper found in a sample of GPT-4's annotations (CoV-RAG, section 2.3, step
2). Nothing of it is measured here.
"""


CLASSES = ("true", "false")
"""What a sample is known to be. A verifier that says one word of all agrees on one."""


class KnownSample(NamedTuple):
    """A sample of which something is known, and whether the verifier says the same."""

    sample: Sample
    judged: bool
    """It judges as is known; `unclear`, a tie and an unread verdict do not."""
    lower: bool | None
    """The score that is known to be bad is lower than the origin's, or 0.

    None: no score is known.
    """
    said: str | None
    """The judgement; None: unread."""

    @property
    def agrees(self) -> bool:
        return self.judged and self.lower is not False


def known(
    samples: Iterable[Sample], verified: Mapping[str, SampleVerdict]
) -> list[KnownSample]:
    """The samples of `verified` whose judgement is known, positives and negatives."""
    made = []
    for one in samples:
        if one.known_judgement is not None and one.id in verified:
            told = verified[one.id]
            made.append(
                KnownSample(
                    one,
                    told.judgement == one.known_judgement,
                    _lower(one, told, verified),
                    told.judgement,
                )
            )
    return made


def _lower(
    sample: Sample, told: SampleVerdict, verified: Mapping[str, SampleVerdict]
) -> bool | None:
    if not sample.known:
        return None
    origin = verified.get(sample.origin or "")
    for name in sample.known:
        now, before = (
            told.scores.get(name),
            None if origin is None else origin.scores.get(name),
        )
        if now is None or before is None or (now >= before and now > 0):
            return False
    return True


class ShareFigure(msgspec.Struct, omit_defaults=True):
    """A share with its interval, over questions where several are of one."""

    value: float
    low: float
    high: float
    n: int
    of: int
    count: int
    clusters: int | None = None
    """None: as many as `n`."""


class AgreementFigures(msgspec.Struct):
    """How many judgements, scores and replies are as known."""

    share: ShareFigure | None
    judged: int
    lower: int
    of_scores: int
    unread: int
    undecided: int
    of: int


class AgreementReport(AgreementFigures, kw_only=True):
    """Agreement over all, by kind and by class."""

    by_kind: dict[str, AgreementFigures]
    by_class: dict[str, AgreementFigures]
    paper: float = PAPER
    least: float = 0
    """The lower end that an export needs."""
    reached: bool = True


def report(found: Sequence[KnownSample], least: float = 0) -> AgreementReport:
    """How far the verifier agrees with what is known."""
    kinds = {
        kind: [one for one in found if one.sample.kind == kind]
        for kind in dict.fromkeys(one.sample.kind for one in found)
    }
    made = AgreementReport(
        **msgspec.structs.asdict(_part(found)),
        by_kind={kind: _part(listed) for kind, listed in kinds.items()},
        by_class={
            name: _part([one for one in found if one.sample.known_judgement == name])
            for name in CLASSES
        },
        least=least,
    )
    made.reached = reaches(made, least)
    return made


def _part(found: Sequence[KnownSample]) -> AgreementFigures:
    scored = [one.lower for one in found if one.lower is not None]
    return AgreementFigures(
        share=_share([(one.sample.question_id, one.agrees) for one in found]),
        judged=sum(one.judged for one in found),
        lower=sum(scored),
        of_scores=len(scored),
        unread=sum(one.said is None for one in found),
        undecided=sum(one.said == "undecided" for one in found),
        of=len(found),
    )


def _share(agrees: Sequence[tuple[str, bool]]) -> ShareFigure | None:
    """The share that agrees, each with its question."""
    if not agrees:
        return None
    return msgspec.convert(share_figure(agrees).as_json(), ShareFigure)


class RatedSample(NamedTuple):
    """A sample, what a person said of its answer, and what the verifier did."""

    sample: Sample
    right: bool
    judgement: str | None


class PersonAgreement(msgspec.Struct):
    """How far the verifier's judgement is a person's."""

    share: ShareFigure | None
    kappa: float | None
    """Of true against the rest."""
    right: int
    unread: int
    undecided: int
    of: int


def with_person(rated: Sequence[RatedSample]) -> PersonAgreement:
    """`unclear`, a panel's tie and what cannot be read agree with nothing."""
    agrees = [
        (
            one.sample.question_id,
            one.judgement == ("true" if one.right else "false"),
        )
        for one in rated
    ]
    pairs = Counter((one.right, one.judgement == "true") for one in rated)
    table = [[pairs[row, column] for column in (True, False)] for row in (True, False)]
    return PersonAgreement(
        share=_share(agrees),
        kappa=cohen_kappa(table),
        right=sum(one.right for one in rated),
        unread=sum(one.judgement is None for one in rated),
        undecided=sum(one.judgement == "undecided" for one in rated),
        of=len(rated),
    )


def lowest(agreement: AgreementReport) -> float | None:
    """The lower end of the interval of the class that is agreed on least; None where a
    class has no known sample.
    """
    shares = [agreement.by_class[name].share for name in CLASSES]
    known = [share.low for share in shares if share is not None]
    if len(known) < len(CLASSES):
        return None
    return min(known)


def reaches(agreement: AgreementReport, least: float) -> bool:
    """Whether the lower end of each class's interval is `least` at least.

    What cannot be measured reaches only 0.
    """
    low = lowest(agreement)
    return least <= 0 or (low is not None and low >= least)
