"""What people say of answers, as measures of runs and studies."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest
from verifytui.engines.figures.compare import CompareOptions, compare, measures_of
from verifytui.engines.figures.rated import AMBIGUITY, CORRECT, QUALITY, RATED, measures
from verifytui.engines.figures.runs import read_run
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.studies.measuring import score, sessions_of
from verifytui.engines.studies.opening import planned
from verifytui.engines.studies.rating import BlindRater, answers_in
from verifytui.engines.studies.scale_agreement import agreed, differing, people_in
from verifytui.engines.studies.study import read_study
from verifytui.sessions.errors import BadInput
from verifytui.tests.support.commanding import command, refused
from verifytui.tests.support.study_folders import run_of, study_of

IDS = [f"q{number}" for number in range(8)]


def rate(study: Path, name: str, right: str) -> None:
    """One person says which answer is right, of all but those to the last item."""
    rater = BlindRater.open(study, name)
    for answer in rater.answers:
        if answer.item != IDS[-1]:
            rater.say(answer, CORRECT, int(answer.answer == right), 1.0, seen=False)
    rater.close()


def test_what_people_said_is_compared_and_nothing_else_is_counted(
    tmp_path: Path,
) -> None:
    study = study_of(
        tmp_path / "levels", {2: dict.fromkeys(IDS, "7"), 3: dict.fromkeys(IDS, "42")}
    )
    runs = [read_run(study / f"level={level}") for level in (2, 3)]
    available = measures_of(runs, lambda name: method(name).measures)
    names = [
        one.measure.name
        for one in compare(runs, available, CompareOptions()).versus[0].differences
    ]
    assert not any(name.startswith("human") for name in names)
    for name in ("Mei", "Tom", "Anna"):
        rate(study, name, right="42" if name != "Anna" else "7")
    runs = [read_run(study / f"level={level}") for level in (2, 3)]
    found = {
        one.measure.name: one
        for one in compare(runs, available, CompareOptions()).versus[0].differences
    }["human_correct"]
    assert (found.a.value, found.b.value, found.a.n) == (0, 1, 7)


def test_a_study_measures_what_people_said(tmp_path: Path) -> None:
    study = study_of(
        tmp_path / "levels", {2: dict.fromkeys(IDS, "7"), 3: dict.fromkeys(IDS, "42")}
    )
    rate(study, "Mei", right="42")
    file = study / "study.yaml"
    file.write_text(
        file.read_text().replace(
            "measures: [accuracy", "measures: [human_correct, accuracy"
        )
    )
    plan = planned(read_study(file, tmp_path / "levels-items"), method, Config())
    scores = [
        one
        for one in score(plan, sessions_of(plan, study))
        if one.measure == "human_correct"
    ]
    assert {(one.condition, one.value, one.state) for one in scores} == {
        ("level=2", 0.0, "wrong"),
        ("level=3", 1.0, "right"),
    }
    assert len(scores) == 14


@pytest.mark.slow
def test_agreement_of_two_people_is_counted_over_the_answers_that_both_rated(
    tmp_path: Path,
) -> None:
    study = study_of(
        tmp_path / "levels", {2: dict.fromkeys(IDS, "7"), 3: dict.fromkeys(IDS, "42")}
    )
    with pytest.raises(BadInput, match=r"needs two people who rate; .*levels has 0"):
        people_in(study)
    rate(study, "Mei", right="42")
    with closing(BlindRater.open(study, "Tom")) as tom:
        for answer in tom.answers:
            tom.say(
                answer,
                CORRECT,
                int(answer.answer == "42" and answer.item > "q1"),
                1.0,
                seen=True,
            )
    answers, people = answers_in(study), people_in(study)
    (one,) = agreed(answers, people, resamples=100)
    # Of 14 answers Mei found 7 right, and Tom 5 of these: observed 12/14, by chance (5
    # * 7 + 9 * 7) / 14**2 = 1/2.
    assert (one.first, one.second, one.n, one.equal, one.means) == (
        "Mei",
        "Tom",
        14,
        12 / 14,
        (7 / 14, 5 / 14),
    )
    assert one.kappa.value == pytest.approx((12 / 14 - 1 / 2) / (1 / 2))
    assert one.kappa.low is not None
    shares = (12 / 28, 16 / 28)
    chance = 2 * shares[0] * shares[1]
    assert one.gwet.value == pytest.approx((12 / 14 - chance) / (1 - chance))
    assert [each["item"] for each in differing(answers, people)] == ["q0", "q1"]
    done = command("agreement", study)
    table = " ".join(done.stdout.split())
    assert "Mei" in table
    assert re.search(r"14 +85\.7|14 +86|14 .*0\.71", table)
    refused(
        command("agreement", study, "--raters", "Mei,Zoe"),
        "there is no rater “Zoe”; choose from Mei, Tom",
    )


@pytest.mark.parametrize(
    ("scale", "values", "expected"),
    [
        (CORRECT, [1, 0, 1], [(1.0, "right")]),
        (AMBIGUITY, [1, 0], [(None, "undecided")]),
        (QUALITY, [2, 5], [(3.5, "measured")]),
        (QUALITY, [9], []),
        (CORRECT, [], []),
    ],
)
def test_several_people_make_one_value(tmp_path: Path, scale, values, expected) -> None:  # type: ignore[no-untyped-def]
    case = read_run(run_of(tmp_path / "run", {"q0": "7"})).cases["q0"]
    case.item.fields[RATED] = {scale.measure: values}  # type: ignore[index]
    found = measures()[f"human_{scale.measure}"].of(case.session, case.item)
    assert [(one.value, one.state) for one in found] == expected
