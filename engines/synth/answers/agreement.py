"""How far the verifier agrees with what is known of samples, and with people who did
not see its judgement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...figures.aggregate import share_figure
from ...metrics.agreement import cohen_kappa
from .samples import Sample, SampleVerdict

PAPER = 0.93
"""What the paper found in a sample of GPT-4's annotations (CoV-RAG, section 2.3, step
2). Nothing of it is measured here.
"""


class KnownSample(NamedTuple):
    """A sample of which something is known, and whether the verifier says the same."""

    sample: Sample
    judged: bool
    """It judges as is known. `unclear`, and what cannot be read, does not."""
    lower: bool | None
    """The score that is known to be bad is lower than the origin's, or 0.

    None: no score is known.
    """
    read: bool

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
                    told.judgement is not None,
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


def report(found: Sequence[KnownSample]) -> dict[str, Any]:
    """Agreement over all and by kind: `share` {value, low, high, count, of}, and how
    many judgements, scores and replies are as known.
    """
    kinds = {
        kind: [one for one in found if one.sample.kind == kind]
        for kind in dict.fromkeys(one.sample.kind for one in found)
    }
    by_kind = {kind: _part(listed) for kind, listed in kinds.items()}
    return {**_part(found), "by_kind": by_kind, "paper": PAPER}


def _part(found: Sequence[KnownSample]) -> dict[str, Any]:
    scored = [one.lower for one in found if one.lower is not None]
    return {
        "share": _share(
            found, lambda one: one.sample.question_id, lambda one: one.agrees
        ),
        "judged": sum(one.judged for one in found),
        "lower": sum(scored),
        "of_scores": len(scored),
        "unread": sum(not one.read for one in found),
        "of": len(found),
    }


def _share(
    found: Sequence[Any], cluster: Callable[[Any], str], agrees: Callable[[Any], bool]
) -> dict[str, Any] | None:
    """The share that agrees, over questions where several are of one."""
    if not found:
        return None
    return share_figure([(cluster(one), agrees(one)) for one in found]).as_json()


class RatedSample(NamedTuple):
    """A sample, what a person said of its answer, and what the verifier did."""

    sample: Sample
    right: bool
    judgement: str | None


def with_person(rated: Sequence[RatedSample]) -> dict[str, Any]:
    """How far the verifier's judgement is a person's: `share` as above, `kappa` (of
    true against the rest), `unread`.

    `unclear`, and what cannot be read, agrees with nothing.
    """
    agrees = {
        id(one): one.judgement == ("true" if one.right else "false") for one in rated
    }
    table = [
        [
            sum(
                one.right == row and (one.judgement == "true") == column
                for one in rated
            )
            for column in (True, False)
        ]
        for row in (True, False)
    ]
    return {
        "share": _share(
            rated, lambda one: one.sample.question_id, lambda one: agrees[id(one)]
        ),
        "kappa": cohen_kappa(table),
        "right": sum(one.right for one in rated),
        "unread": sum(one.judgement is None for one in rated),
        "of": len(rated),
    }


def reaches(agreement: Mapping[str, Any], least: float) -> bool:
    """Whether the lower end of the agreement's interval is `least` at least.

    What cannot be measured reaches only 0.
    """
    found = agreement["share"]
    return least <= 0 or (found is not None and found["low"] >= least)
