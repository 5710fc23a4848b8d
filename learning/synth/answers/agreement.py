"""Measures how far the verifier agrees with known results, and with people who rated
without seeing its judgement.
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
"""The paper's figures for a sample of GPT-4's annotations (CoV-RAG, section 2.3, step
2). Not measured here.
"""


CLASSES = ("true", "false")
"""The classes of known samples. A verifier that gives every sample the same judgement
agrees with one class only.
"""


class KnownSample(NamedTuple):
    """A sample with a known result, and whether the verifier agrees."""

    sample: Sample
    judged: bool
    """Whether the judgement matches the known one. `unclear`, a tie and an unread
    verdict do not.
    """
    lower: bool | None
    """Whether the score that is known to be bad is lower than the origin's, or 0. None:
    no score is known.
    """
    said: str | None
    """The judgement; None if it is unread."""

    @property
    def agrees(self) -> bool:
        return self.judged and self.lower is not False


def known(
    samples: Iterable[Sample], verified: Mapping[str, SampleVerdict]
) -> list[KnownSample]:
    """The samples of `verified` with a known judgement, positives and negatives."""
    made = []
    for sample in samples:
        if sample.known_judgement is not None and sample.id in verified:
            told = verified[sample.id]
            made.append(
                KnownSample(
                    sample,
                    told.judgement == sample.known_judgement,
                    _lower(sample, told, verified),
                    told.judgement,
                )
            )
    return made


def _lower(
    sample: Sample, verdict: SampleVerdict, verified: Mapping[str, SampleVerdict]
) -> bool | None:
    if not sample.known:
        return None
    origin = verified.get(sample.origin or "")
    for name in sample.known:
        now, before = (
            verdict.scores.get(name),
            None if origin is None else origin.scores.get(name),
        )
        if now is None or before is None or (now >= before and now > 0):
            return False
    return True


class ShareFigure(msgspec.Struct, omit_defaults=True):
    """A share with its interval, clustered by question."""

    value: float
    low: float
    high: float
    n: int
    of: int
    count: int
    clusters: int | None = None
    """None: the same as `n`."""


class AgreementFigures(msgspec.Struct):
    """Number of judgements, scores and replies that match the known values."""

    share: ShareFigure | None
    judged: int
    lower: int
    of_scores: int
    unread: int
    undecided: int
    of: int


class AgreementReport(AgreementFigures, kw_only=True):
    """Agreement overall, by kind and by class."""

    by_kind: dict[str, AgreementFigures]
    by_class: dict[str, AgreementFigures]
    paper: float = PAPER
    least: float = 0
    """The lower bound that an export requires."""
    reached: bool = True


def report(samples: Sequence[KnownSample], least: float = 0) -> AgreementReport:
    """Computes the verifier's agreement with known results."""
    kinds = {
        kind: [sample for sample in samples if sample.sample.kind == kind]
        for kind in dict.fromkeys(sample.sample.kind for sample in samples)
    }
    made = AgreementReport(
        **msgspec.structs.asdict(_part(samples)),
        by_kind={kind: _part(listed) for kind, listed in kinds.items()},
        by_class={
            name: _part(
                [sample for sample in samples if sample.sample.known_judgement == name]
            )
            for name in CLASSES
        },
        least=least,
    )
    made.reached = reaches(made, least)
    return made


def _part(samples: Sequence[KnownSample]) -> AgreementFigures:
    scored = [sample.lower for sample in samples if sample.lower is not None]
    return AgreementFigures(
        share=_share(
            [(sample.sample.question_id, sample.agrees) for sample in samples]
        ),
        judged=sum(sample.judged for sample in samples),
        lower=sum(scored),
        of_scores=len(scored),
        unread=sum(sample.said is None for sample in samples),
        undecided=sum(sample.said == "undecided" for sample in samples),
        of=len(samples),
    )


def _share(agrees: Sequence[tuple[str, bool]]) -> ShareFigure | None:
    """The share that agrees, clustered by question."""
    if not agrees:
        return None
    return msgspec.convert(share_figure(agrees).as_json(), ShareFigure)


class RatedSample(NamedTuple):
    """A sample with a person's rating and the verifier's judgement."""

    sample: Sample
    right: bool
    judgement: str | None


class PersonAgreement(msgspec.Struct):
    """Agreement of the verifier with people."""

    share: ShareFigure | None
    kappa: float | None
    """Kappa of true against all other judgements."""
    right: int
    unread: int
    undecided: int
    of: int


def with_person(rated: Sequence[RatedSample]) -> PersonAgreement:
    """`unclear`, a panel's tie and an unread verdict never count as agreement."""
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
    """The lower interval bound of the class with the lowest agreement; None if a class
    has no known sample.
    """
    shares = [agreement.by_class[name].share for name in CLASSES]
    known = [share.low for share in shares if share is not None]
    if len(known) < len(CLASSES):
        return None
    return min(known)


def reaches(agreement: AgreementReport, least: float) -> bool:
    """Whether the lower bound of each class is at least `least`. A class without a
    measurement only reaches 0.
    """
    low = lowest(agreement)
    return least <= 0 or (low is not None and low >= least)
