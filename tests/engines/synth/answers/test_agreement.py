"""Agreement of the verifier with what is known: what counts, by which interval, and
what reaches a bound.
"""

from __future__ import annotations

from typing import Any

from verifytui.engines.metrics.shares import score_interval
from verifytui.engines.synth.answers.agreement import (
    RatedSample,
    known,
    reaches,
    report,
    with_person,
)
from verifytui.engines.synth.answers.samples import Sample, SampleVerdict


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
    assert (found["of"], found["judged"], found["unread"]) == (6, 5, 1)
    assert found["share"]["clusters"] == 3
    assert found["share"]["low"] < score_interval(5 / 6, 6)[0], (
        "two of one question say less than two of two"
    )
    assert found["by_kind"]["sampled"]["share"] == found["share"]
    alone = report(known(samples[::2], verified))
    assert (alone["share"]["low"], alone["share"]["high"]) == score_interval(2 / 3, 3)


def test_a_bound_holds_for_the_lower_end_and_never_for_what_is_not_measured() -> None:
    samples = [sample(str(n), str(n), known_judgement="true") for n in range(30)]
    verified = {one.id: said(one.id, "true") for one in samples}
    found = report(known(samples, verified))
    assert 0.85 < found["share"]["low"] < 0.9
    assert reaches(found, 0.85)
    assert not reaches(found, 0.9)
    nothing = report([])
    assert nothing["share"] is None
    assert not reaches(nothing, 0.01)
    assert reaches(nothing, 0)


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
    assert (found["share"]["count"], found["of"], found["right"], found["unread"]) == (
        2,
        5,
        2,
        1,
    )
