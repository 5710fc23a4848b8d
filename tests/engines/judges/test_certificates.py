"""Certificates: how many labels are missing, which judge one holds for, and the share
that a certified judge's figures correct.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from verifytui.engines.calibration.judged_item import JudgedItem, Share, share
from verifytui.engines.figures.certificates import (
    CertifiedShare,
    JudgeFacts,
    PeopleAgreement,
    in_words,
    read_certificate,
    status_of,
)
from verifytui.engines.judges.certificate import (
    AuditRecord,
    JudgeLabels,
    LabelledJudge,
    certificate_path,
    certify,
    keep,
    labels_missing,
    people_agreement,
    read_audit,
)
from verifytui.engines.judges.labelled import rogan_gladen
from verifytui.sessions.errors import BadInput
from verifytui.tests.support.certifying import certificate

JUDGE = JudgeFacts("gpt-4", "en 0123456789ab", "judgement", ("rag", "verifier"))
CLEAN = AuditRecord("audit", "2026-11-26", ("gpt-4",), {"echo": "clean"}, {})


@pytest.fixture(autouse=True)
def _home(home: Path) -> None:
    """A home of its own."""


def things(right: int, wrong: int, missed: int, passed: int) -> list[JudgedItem]:
    """`missed` right ones that the judge calls wrong, `passed` wrong ones called right."""
    return [JudgedItem(f"r{n}", f"r{n}", True, n >= missed) for n in range(right)] + [
        JudgedItem(f"w{n}", f"w{n}", False, n < passed) for n in range(wrong)
    ]


def labelled(*counts: int, **more: object) -> LabelledJudge:
    people = PeopleAgreement(raters=["Mei"])
    labels = JudgeLabels(things(*counts), people, "Mei", int(more.pop("seen", 0)))
    return LabelledJudge(JUDGE, labels, "set", **more)


def test_the_missing_labels_bring_the_lower_bound_there() -> None:
    nothing = Share(None, None, None, 0, 0)
    assert labels_missing(nothing, 0.8) == 54
    for right, of in ((18, 20), (26, 30), (9, 10), (40, 45)):
        found = share((str(n), n < right) for n in range(of))
        more = labels_missing(found, 0.8)
        assert more is not None
        assert more > 0
        # a tenfold sample of the same share says how many there must be
        scaled = (of + more) / of
        whole = share(
            (str(n), n < round(right * scaled)) for n in range(round(of * scaled))
        )
        assert whole.low is not None
        assert whole.low > 0.785
    assert labels_missing(share((str(n), n < 95) for n in range(100)), 0.8) == 0
    assert labels_missing(share((str(n), n < 79) for n in range(100)), 0.8) is None


def test_labels_in_clusters_are_worth_less() -> None:
    alone = share((str(n), n % 10 > 0) for n in range(40))
    alike = share((str(n // 4), n // 4 % 10 > 0) for n in range(40))
    few, many = labels_missing(alone, 0.8), labels_missing(alike, 0.8)
    assert few is not None
    assert many is not None
    assert many > 2 * few


def test_what_the_labels_decide() -> None:
    assert certify("a", labelled(60, 60, 2, 2), 0.8, CLEAN).outcome == "certified"
    for counts, outcome in (
        ((60, 60, 30, 0), "refused"),
        ((60, 10, 0, 0), "unknown"),
        ((60, 0, 0, 0), "unknown"),
        ((0, 0, 0, 0), "unknown"),
    ):
        result = certify("a", labelled(*counts), 0.8, CLEAN)
        assert result.outcome == outcome, counts
        assert result.certificate is None
    (why,) = certify("a", labelled(60, 0, 0, 0), 0.8, CLEAN).reasons
    assert why == "Label 54 more wrong answers to measure the specificity."
    # a judge that always says right, and one that always says wrong
    assert certify("a", labelled(60, 60, 0, 60), 0.8, CLEAN).outcome == "refused"
    assert certify("a", labelled(60, 60, 60, 0), 0.8, CLEAN).outcome == "refused"
    seen = certify("a", labelled(60, 60, 2, 2, seen=20), 0.8, CLEAN)
    assert (seen.outcome, "20 of 120 labels" in seen.reasons[0]) == ("refused", True)
    drawn = certify("a", labelled(60, 60, 2, 2, not_random=True), 0.8, CLEAN)
    assert drawn.outcome == "unknown"


def test_an_audit_of_another_model_proves_nothing() -> None:
    other = CLEAN._replace(models=("gpt-3",))
    result = certify("a", labelled(60, 60, 2, 2), 0.8, other)
    assert result.outcome == "refused"
    assert result.reasons == ["The audit covers gpt-3, but gpt-4 judged this run."]
    seat = certify("a", labelled(60, 60, 2, 2), 0.8, CLEAN._replace(seat="judge"))
    assert seat.outcome == "refused"
    left = certify("a", labelled(60, 60, 2, 2), 0.8, CLEAN._replace(missing=3))
    assert left.reasons == ["The audit in audit lacks 3 sessions; finish it."]
    empty = certify("a", labelled(60, 60, 2, 2), 0.8, CLEAN._replace(verdicts={}))
    assert empty.outcome == "unknown"


def test_refused_labels_are_used_up_and_new_ones_count_alone() -> None:
    bad = certify("bad", labelled(60, 60, 30, 30), 0.8, CLEAN)
    keep(bad, "bad", certificate_path("bad"))
    again = certify("good", labelled(60, 60, 2, 2), 0.8, CLEAN)
    assert "already used for bad" in again.in_words
    more = [JudgedItem(f"n{n}", f"n{n}", n % 2 == 0, n % 2 == 0) for n in range(140)]
    judge = labelled(60, 60, 2, 2)
    labels = judge.labels._replace(things=[*judge.labels.things, *more])
    both = LabelledJudge(JUDGE, labels, "set")
    result = certify("good", both, 0.8, CLEAN)
    assert result.certificate is not None
    assert result.certificate.labels.n == 140


def test_a_written_certificate_is_read_again(tmp_path: Path) -> None:
    result = certify("mine", labelled(60, 60, 2, 2), 0.8, CLEAN)
    path = certificate_path(str(tmp_path / "in" / "mine.yaml"))
    keep(result, "mine", path)
    assert read_certificate(path) == result.certificate
    with pytest.raises(BadInput, match="already exists"):
        certificate_path(str(path))
    for text in ("format: verifytui-certificate/2\n", "[", "a: &a [*a]", ""):
        path.write_text(text, "utf-8")
        with pytest.raises(BadInput, match="is not a certificate"):
            read_certificate(path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": "gpt-5"}, "another model"),
        ({"prompts": "zh 0123456789ab"}, "other prompts"),
        ({"measure": "truthfulness"}, "another measure"),
        ({"model": None}, "another model"),
    ],
)
def test_an_expired_certificate_says_what_changed(
    changes: dict[str, str], words: str
) -> None:
    mine = certificate("mine", JUDGE)
    assert status_of(JUDGE, [mine]).certified is True
    status = status_of(JUDGE._replace(**changes), [mine])
    assert status.certified is False
    assert in_words(status) == f"not certified (“mine” is for {words})"


def test_the_nearest_certificate_counts_and_labels_alone_do_not() -> None:
    other = JUDGE._replace(model="gpt-3", prompts="en ffff")
    found = status_of(JUDGE, [certificate("a", JUDGE), certificate("b", other)])
    assert (found.certified, found.certificate) == (True, "a")
    elsewhere = JUDGE._replace(item_kind=("relevance", "annotator"))
    assert status_of(elsewhere, [certificate("a", JUDGE)]).certified is None
    assert status_of(elsewhere, [], labelled=True).certified is False


def test_people_are_held_against_each_other() -> None:
    said = {"Mei": {"a": 1, "b": 0, "c": 1}, "Tom": {"b": 1, "c": 1}, "Ann": {"c": 1}}
    found = people_agreement(said, {})
    assert found.agreement is not None
    assert (found.n, found.agreement.count) == (4, 3)
    assert people_agreement({"Mei": {"a": 1}}, {}).agreement is None


def test_a_report_that_is_none_of_an_audit_is_refused(tmp_path: Path) -> None:
    for text in (
        "",
        "{",
        "{}",
        '{"probes": [1]}',
        '{"probes": [{"verdict": "clean"}]}',
    ):
        (tmp_path / "report.json").write_text(text, "utf-8")
        with pytest.raises(BadInput):
            read_audit(tmp_path)
    probe = {"probe": "echo", "verdict": "unclear", "needed": 9}
    (tmp_path / "report.json").write_text(json.dumps({"probes": [probe]}), "utf-8")
    found = read_audit(tmp_path)
    assert (found.verdicts, found.needed) == ({"echo": "unclear"}, {"echo": 9})


def test_a_share_is_corrected_with_both_uncertainties() -> None:
    """By simulation: 95 % intervals hold the truth in 93 % of the samples or more."""
    draw = random.Random(20261126)
    for truth, finds, spares, labels, n in (
        (0.7, 0.9, 0.85, 60, 500),
        (0.9, 0.95, 0.8, 80, 200),
        (0.3, 0.85, 0.95, 54, 1000),
    ):
        held = 0
        for _ in range(400):
            sensitivity, specificity = (
                drawn(draw, share_, labels) for share_ in (finds, spares)
            )
            called = sum(
                draw.random() < (finds if draw.random() < truth else 1 - spares)
                for _ in range(n)
            )
            found = rogan_gladen(called / n, n, sensitivity, specificity)
            assert found is not None
            held += found.low <= truth <= found.high
        assert held / 400 >= 0.93, (truth, held)
    useless = drawn(draw, 0.5, 100)
    low = CertifiedShare(value=0.4, low=0, high=1, count=40, of=100)
    assert rogan_gladen(0.5, 100, low, useless) is None or useless.value > 0.6


def drawn(draw: random.Random, share_: float, of: int) -> CertifiedShare:
    count = sum(draw.random() < share_ for _ in range(of))
    return CertifiedShare(value=count / of, low=0, high=1, count=count, of=of)
