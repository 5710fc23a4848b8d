"""`verifytui calibrate`: what it prints of a run of answers and of raters of pairs,
what it writes, and when it refuses.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from verifytui.cli.app import main
from verifytui.engines.api import batch
from verifytui.engines.calibration import report
from verifytui.engines.figures.rated import CORRECT
from verifytui.engines.method import method
from verifytui.engines.models.config import load_config
from verifytui.engines.rag.settings import SETTINGS
from verifytui.engines.studies.rating import (
    BlindRater,
    drawn_by_verdict,
    verdict_strata,
)
from verifytui.sessions.events.labels import Assignment
from verifytui.sessions.methods import METHODS
from verifytui.tests.support.commanding import rows
from verifytui.tests.support.solo_runs import write_lines
from verifytui.texts.columns import cells

CITIES = (
    "Lisbon",
    "Oslo",
    "Quito",
    "Rabat",
    "Sofia",
    "Tunis",
    "Vaduz",
    "Warsaw",
    "Yerevan",
    "Zagreb",
)


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighty answers in forty clusters, half of them right, all verified by words in
    common.
    """
    folder = tmp_path_factory.mktemp("verified")
    lines: list[dict[str, Any]] = []
    for n in range(40):
        city, other = CITIES[n % 10], CITIES[(n + 3) % 10]
        said = f"The archive number {n} was moved to {city} in {1900 + n}."
        asked = {
            "question": f"Where was the archive number {n} moved to?",
            "answers": [city],
            "references": [{"text": said}],
        }
        lines += [
            {
                "id": f"r{n}",
                "cluster": str(n),
                "answer": f"It was moved to {city} in {1900 + n}.",
                **asked,
            },
            {
                "id": f"w{n}",
                "cluster": str(n),
                "answer": f"Perhaps nobody in {other} knows whether it was moved.",
                **asked,
            },
        ]
    asyncio.run(
        batch(
            "rag",
            write_lines(folder / "lines.jsonl", lines),
            into=folder / "run",
            lines="answers",
            models="lexical",
        )
    )
    return folder / "run"


@pytest.fixture
def run(verified: Path, tmp_path: Path) -> Path:
    """A copy that a test may label."""
    return Path(shutil.copytree(verified, tmp_path / "run"))


def told(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert main(["calibrate", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_a_run_is_held_against_its_accepted_answers(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short, full = (
        told(capsys, run, "--resamples", "50", *more) for more in ([], ["--full"])
    )
    for words in (
        "run: judgements of lexical and the accepted answers",
        "80 of the 80 answers that were judged are labelled, in 40 clusters.",
        "right ones judged right (sensitivity)",
        "Cohen's kappa",
        "Gwet's AC1",
        "ROC area of the best score, ",
        "50.0% of 80 answers are right: all have a label",
        "Which bounds should be set?",
        "held-out labels, not used to choose the bounds (80 in all)",
    ):
        assert words in " ".join(short.split())
    assert len(short.splitlines()) <= 40
    for words in (
        "base rate: labelled right",
        "conciseness",
        "Chosen on 80 labels",
        "thresholds-all, chosen",
    ):
        assert words in full
        assert words not in short
    assert "bias" not in full  # which lexical does not give
    chinese = told(capsys, run, "--resamples", "50", "--lang", "zh", "--full")
    assert "约登指数" in chinese
    assert "chosen" not in chinese
    assert max(map(cells, f"{short}\n{full}\n{chinese}".splitlines())) <= 80


def test_the_labels_of_some_correct_the_rate_of_all(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = [
        {"id": f"{kind}{n}", "correct": kind == "r"}
        for n in range(0, 40, 2)
        for kind in ("r", "w")
    ]
    file = write_lines(
        tmp_path / "mine.jsonl", [*labels, {"id": "r1", "correct": None}]
    )
    text = told(capsys, run, "--labels", file, "--resamples", "50")
    assert "circularity" not in text
    manifest = {"models": {"mine": {"lexical": 40}}}
    (tmp_path / "export.json").write_text(json.dumps(manifest))
    again = told(capsys, run, "--labels", file, "--resamples", "50")
    assert "circularity: What lexical judges was chosen, labelled or" in again
    flat = " ".join(text.split())
    assert re.search(r"50\.0% \[[^]]+\] of 80 answers are right, estimated from", flat)
    assert "from 40 labels" in text
    assert "random sample" in text
    assert "No bounds are chosen: at least 50" in text
    assert "There are 40: 20 right, 20 wrong." in " ".join(text.split())
    (found,) = rows(
        told(capsys, run, "--labels", file, "--resamples", "50", "--output", "json")
    )
    assert (found["kind"], found["truth"]["by"], found["judged"], found["bounds"]) == (
        "answers",
        "file",
        80,
        None,
    )
    (asked,) = found["questions"]
    assert (asked["corrected"]["labels"], asked["corrected"]["others"]) == (40, 40)
    assert set(asked["sensitivity"]) == {"value", "low", "high", "count", "of"}
    assert asked["roc"]["truthfulness"]["points"][0] == [None, 0, 0]
    assert asked["right"].keys() <= {"true", "false", "unclear"}


def test_labels_that_were_picked_by_the_machines_word_correct_nothing(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_lines(
        tmp_path / "picked.jsonl", [{"id": f"r{n}", "correct": True} for n in range(30)]
    )
    assert "No corrected rate" in told(
        capsys, run, "--labels", file, "--resamples", "20"
    )
    (found,) = rows(
        told(capsys, run, "--labels", file, "--resamples", "20", "--output", "json")
    )
    assert found["questions"][0]["corrected"] is None
    assert found["questions"][0]["not_corrected"] == "drift"
    assert found["questions"][0]["drift_p"] < 0.001


def test_people_who_rated_go_before_the_accepted_answers(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, wrong in (("Mei", "Perhaps"), ("Tom", "It was")):
        rater = BlindRater.open(run, name)
        for answer in rater.answers:
            if int(answer.item[1:]) < 10 or name == "Mei":
                rater.say(
                    answer,
                    CORRECT,
                    int(not answer.answer.startswith(wrong)),
                    1.0,
                    seen=False,
                )
        rater.close()
    both = told(capsys, run, "--resamples", "20")
    assert "60 of the 80 answers" in both
    assert "judged right by as many people as wrong: 20" in both
    mine = told(capsys, run, "--rater", "Mei", "--resamples", "20")
    assert "and the labels of Mei" in mine
    assert "80 of the 80 answers" in mine
    assert "the accepted answers" in told(capsys, run, "--gold", "--resamples", "20")
    assert main(["calibrate", str(run), "--rater", "Ann"]) == 2
    assert (
        "There is no rater “Ann”; the answers have labels by Mei, Tom."
        in capsys.readouterr().err
    )


def test_bounds_that_are_advised_against_are_not_written(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.yaml"
    arguments = ["calibrate", str(run), "--write", str(file), "--resamples", "20"]
    assert main(arguments) == 2
    assert "Nothing is written. Keep the bounds" in capsys.readouterr().err
    assert not file.exists()


def test_the_first_line_says_whether_the_machine_is_reliable(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = " ".join(told(capsys, run, "--resamples", "20").split())
    start = words.index("the accepted answers") + len("the accepted answers")
    verdict = words[start:].strip()
    assert verdict.startswith(("Reliable: ", "Not proven: ", "Not reliable: "))


def test_a_score_stands_for_the_judgement(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def found(*more: str) -> dict[str, Any]:
        (one,) = rows(told(capsys, run, "--resamples", "20", "--output", "json", *more))
        return one

    at = found("--cutoff", "truthfulness=.9")
    assert at["cutoff"]["bound"] == 0.9
    assert at["bounds"] is None
    point = [
        sensitivity
        for bound, sensitivity, _ in at["questions"][0]["roc"]["truthfulness"]["points"]
        if bound is not None and bound >= 0.9
    ]
    assert at["questions"][0]["sensitivity"]["value"] == point[-1]
    chosen = found("--cutoff", "truthfulness")
    assert chosen["cutoff"]["chosen"]
    assert set(chosen["questions"][0]["right"]) <= {"true", "false"}
    for wrong in ("nothing", "truthfulness=2", "truthfulness=x"):
        assert main(["calibrate", str(run), "--cutoff", wrong]) == 2


def test_the_bounds_are_written_as_configuration_that_a_session_takes(
    run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "_gains", lambda chosen: "better")
    file = tmp_path / "config.yaml"
    (found,) = rows(
        told(
            capsys,
            run,
            "--write",
            file,
            "--goal",
            "accuracy",
            "--resamples",
            "20",
            "--output",
            "json",
        )
    )
    own = load_config(file, {}).settings["rag"]
    rule = found["bounds"]["rule"]
    assert found["bounds"]["goal"] == "accuracy"
    assert own == {
        "indicator": rule,
        "bounds": found["bounds"]["rules"][rule]["bounds"],
    }
    assert SETTINGS.over_defaults(own)["bounds"] == own["bounds"]
    assert "on held-out labels" in file.read_text("utf-8")
    before = file.read_bytes()
    assert main(["calibrate", str(run), "--write", str(file)]) == 2
    assert "already exists" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_levels_of_raters_are_held_against_one_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["qid\tdocid\thuman\tone\ttwo"]
    lines += [
        f"q{n % 6}\td{n}\t{n % 4 if n < 48 else ''}\t{(n + (n % 5 == 0)) % 4}\t{n // 2 % 4}"
        for n in range(72)
    ]
    table = tmp_path / "labels.tsv"
    table.write_text("\n".join(lines) + "\n", "utf-8")
    text = told(
        capsys, table, "--rater", "human", "--machine", "one", "--resamples", "50"
    )
    for words in (
        "Levels of one and of human",
        "48 of the 72 pairs",
        "Level 2 or above, the legal bit",
        "of 72 pairs are right",
        "ROC curve",
    ):
        assert words in text
    assert "Level 3 counts" not in text
    assert "Level 3 counts" in told(
        capsys,
        table,
        "--rater",
        "human",
        "--machine",
        "one",
        "--resamples",
        "50",
        "--full",
    )
    found = rows(
        told(capsys, table, "--rater", "human", "--resamples", "20", "--output", "json")
    )
    assert [one["name"] for one in found] == ["one", "two"]
    assert [one["question"] for one in found[0]["questions"]] == [
        "at_least_1",
        "at_least_2",
        "at_least_3",
        "material",
    ]
    assert main(["calibrate", str(table), "--rater", "human", "--predict", "bias"]) == 2
    assert "--predict applies to a run of answers; leave" in capsys.readouterr().err
    assert main(["calibrate", str(table)]) == 2
    assert (
        "Name the rater whose labels are right with --rater NAME"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"id": "r1", "correct": 3}', "is not a label of an answer; each line is one"),
        ('{"correct": true}', "is not a label of an answer; each line is one"),
        ('{"id": "\\u001b[31mno", "correct": true}', "the run has no item"),
        (
            '{"id": "r1", "correct": true}\n{"id": "r1", "correct": true}',
            "line 2: “r1” already has a label.",
        ),
        ("[1", "line 1"),
        (
            '{"id": "r1", "answer": "Oslo"}',
            "is not a label of an answer; each line is one",
        ),
    ],
)
def test_labels_that_cannot_be_read_are_named(
    run: Path, tmp_path: Path, line: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "labels.jsonl").write_text(line + "\n", "utf-8")
    assert (
        main(["calibrate", str(run), "--labels", str(tmp_path / "labels.jsonl")]) == 2
    )
    wrong = capsys.readouterr().err
    assert words in wrong
    assert "\x1b" not in wrong


def test_an_answer_that_was_given_twice_is_rated_once_and_counts_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {
        "question": "Where was it moved to?",
        "answers": ["Oslo"],
        "references": [{"text": "It was moved to Oslo in 1900."}],
    }
    lines = [
        {"id": f"{kind}{n}", "answer": f"To {kind} in 1900.", **asked}
        for kind in ("Oslo", "Rome")
        for n in "ab"
    ]
    asyncio.run(
        batch(
            "rag",
            write_lines(tmp_path / "lines.jsonl", lines),
            into=tmp_path / "run",
            lines="answers",
            models="lexical",
        )
    )
    rater = BlindRater.open(tmp_path / "run", "Mei")
    assert len(rater.answers) == 2
    for answer in rater.answers:
        rater.say(answer, CORRECT, int("Oslo" in answer.answer), 1.0, seen=False)
    rater.close()
    assert "4 of the 4 answers" in told(capsys, tmp_path / "run")


def test_of_several_runs_those_without_a_judged_answer_are_passed_over(
    run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = tmp_path / "both"
    both.mkdir()
    shutil.copytree(
        run, both / "begun", ignore=shutil.ignore_patterns("*.yaml", "summary.jsonl")
    )
    shutil.move(run, both / "whole")
    assert main(["calibrate", str(both), "--resamples", "0"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("whole: judgements")
    assert "begun is left out" in err
    labels = write_lines(tmp_path / "labels.jsonl", [{"id": "r1", "correct": True}])
    assert main(["calibrate", str(both), "--labels", str(labels)]) == 2
    assert "--labels applies to one run, because the same" in capsys.readouterr().err
    monkeypatch.setattr(report, "MOST_IN_FULL", 1)
    many = told(capsys, both / "whole", both / "whole", "--gold", "--resamples", "0")
    assert many.count("50.0%") == 4
    assert max(map(cells, many.splitlines()[:3])) <= 80


def test_from_few_labels_no_rate_is_corrected(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two labels of which the machine says the same are no proof of a bad sample
    either.
    """
    file = write_lines(
        tmp_path / "few.jsonl",
        [{"id": "w1", "correct": False}, {"id": "w2", "correct": False}],
    )
    assert "No corrected rate: at least 10 labels are needed." in told(
        capsys, run, "--labels", file
    )


def test_what_no_machine_has_judged_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = write_lines(
        tmp_path / "out.jsonl",
        [{"id": "a", "topic": "2 + 2", "answers": ["4"], "answer": "4"}],
    )
    for arguments in (
        [str(outputs)],
        [str(tmp_path / "nothing")],
        [str(outputs), "--gold", "--rater", "x"],
    ):
        assert main(["calibrate", *arguments]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_every_method_that_judges_says_how() -> None:
    judging = {
        name: verdicts
        for name in METHODS
        if (verdicts := method(name).verdicts) is not None
    }
    assert judging
    for name, one in judging.items():
        assert set(one.signs) <= set(one.better)
        settings = method(name).settings
        assert set(one.rules) <= set(settings[one.rule_setting].kind.words)  # type: ignore[union-attr]
        assert set(settings[one.bounds_setting].default) == set(one.signs)


def test_labels_drawn_by_verdict_are_weighted(
    verified: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    shutil.copytree(verified, run)
    strata = verdict_strata(run, lambda name: method(name).verdicts)
    part = drawn_by_verdict(strata, 12, Assignment(seed=3))
    assert sum(part.strata.values()) == 80
    assert len(part.drawn) == sum(min(12, n) for n in part.strata.values())
    rater = BlindRater.open(run, "Ann", part)
    assert len(rater.answers) == len(part.drawn)
    for n, answer in enumerate(rater.answers):
        rater.say(answer, CORRECT, int(n % 3 != 0), 1.0, seen=False)
    rater.close()
    again = BlindRater.open(run, "Ann")
    assert again.answers == rater.answers
    again.close()
    assert main(["calibrate", str(run)]) == 0
    assert "drawn by verdict" in " ".join(capsys.readouterr().out.split())
    assert main(["label", str(run), "--plan"]) == 0
    assert "54 if 90% of" in capsys.readouterr().out
