"""Agreement of the verifier with what is known: what counts, by which interval, and
what reaches a bound.
"""

from __future__ import annotations

from typing import Any

from verifytui.engines.metrics.shares import score_interval
from verifytui.learning.synth.answers.agreement import (
    AgreementReport,
    RatedSample,
    known,
    reaches,
    report,
    with_person,
)
from verifytui.learning.synth.answers.samples import Sample, SampleVerdict


def sample(id_: str, question: str = "q", **given: Any) -> Sample:
    kind = given.pop("kind", "sampled")
    return Sample(
        id=id_,
        question_id=question,
        question="?",
        half="verification",
        kind=kind,
        references=[],
        answer="!",
        **given,
    )


def said(id_: str, judgement: Any, **scores: float | None) -> SampleVerdict:
    return SampleVerdict(sample=id_, judgement=judgement, scores=scores, read="json")


SWAP: dict[str, Any] = {
    "kind": "citation-swap",
    "origin": "a",
    "known": {"citation_accuracy": 0.0},
    "known_judgement": "false",
}


def agrees(swapped: SampleVerdict, origin: float | None = 0.8) -> bool:
    samples = [sample("a", known_judgement="true"), sample("b", **SWAP)]
    verified = {"a": said("a", "true", citation_accuracy=origin), "b": swapped}
    return next(one.agrees for one in known(samples, verified) if one.sample.id == "b")


def test_a_negative_is_agreed_on_where_it_is_judged_false_and_its_score_is_lower() -> (
    None
):
    assert agrees(said("b", "false", citation_accuracy=0.4))
    assert agrees(said("b", "false", citation_accuracy=0.0), origin=0.0)
    assert not agrees(said("b", "false", citation_accuracy=0.8))
    assert not agrees(said("b", "false", citation_accuracy=0.4), origin=None)
    assert not agrees(said("b", "false"))
    for judgement in ("true", "unclear", None):
        assert not agrees(said("b", judgement, citation_accuracy=0.0))


def test_the_share_is_over_questions_and_what_is_not_known_is_left_out() -> None:
    samples = [
        sample(f"{q}{n}", str(q), known_judgement="true")
        for q in range(3)
        for n in range(2)
    ] + [sample("open")]
    verified = {
        one.id: said(one.id, "true" if one.question_id else None) for one in samples
    }
    verified["00"] = said("00", None)
    found = report(known(samples, verified))
    assert (found.of, found.judged, found.unread) == (6, 5, 1)
    assert found.share is not None
    assert found.share.clusters == 3
    assert found.share.low < score_interval(5 / 6, 6)[0], (
        "two of one question say less than two of two"
    )
    assert found.by_kind["sampled"].share == found.share
    alone = report(known(samples[::2], verified)).share
    assert alone is not None
    assert (alone.low, alone.high) == score_interval(2 / 3, 3)


def of_both(right: Any, wrong: Any) -> AgreementReport:
    """The report of 30 right answers and 30 wrong ones with these judgements."""
    samples, verified = [], {}
    for known_as, judgement in (("true", right), ("false", wrong)):
        for n in range(30):
            one = sample(f"{known_as}{n}", str(n), known_judgement=known_as)
            samples.append(one)
            verified[one.id] = said(one.id, judgement)
    return report(known(samples, verified))


def test_a_bound_holds_for_the_lower_end_of_each_class() -> None:
    found = of_both("true", "false")
    share, of_class = found.share, found.by_class["true"].share
    assert share is not None
    assert of_class is not None
    assert 0.85 < of_class.low < 0.9
    assert share.low > of_class.low
    assert reaches(found, 0.85)
    assert not reaches(found, 0.9)


def test_a_verifier_with_one_word_for_all_reaches_nothing() -> None:
    for word in ("true", "false"):
        assert not reaches(of_both(word, word), 0.01)


def test_what_is_not_measured_reaches_only_0() -> None:
    samples = [sample(str(n), str(n), known_judgement="true") for n in range(30)]
    one_class = report(
        known(samples, {one.id: said(one.id, "true") for one in samples})
    )
    for found in (one_class, report([])):
        assert not reaches(found, 0.01)
        assert reaches(found, 0)


def test_a_person_agrees_on_true_and_false_only() -> None:
    rows = [
        (True, "true"),
        (True, "unclear"),
        (False, "false"),
        (False, None),
        (False, "true"),
    ]
    found = with_person(
        [
            RatedSample(sample(str(n), str(n)), right, judgement)
            for n, (right, judgement) in enumerate(rows)
        ]
    )
    assert found.share is not None
    assert (found.share.count, found.of, found.right, found.unread) == (2, 5, 2, 1)
    tied = with_person([RatedSample(sample("t"), True, "undecided")])
    assert (tied.unread, tied.undecided, tied.right) == (0, 1, 1)
    assert tied.share is not None
    assert tied.share.count == 0
