"""`calibrate --certify`, certificates beside figures, and gates that require them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from verifytui.cli.app import main
from verifytui.engines.figures.certificates import read_certificate
from verifytui.engines.figures.rated import CORRECT
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.studies.rating import BlindRater
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths
from verifytui.tests.support import audited as audited_items
from verifytui.tests.support import pairs
from verifytui.tests.support.commanding import debating
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.solo_runs import write_lines
from verifytui.tui.workspaces.lineup import certified_models

pytestmark = pytest.mark.slow
SCORES = {
    "reference_correctness": 0.9,
    "correctness": 0.9,
    "citation_accuracy": 0.9,
    "truthfulness": 0.9,
    "bias": 0.1,
    "conciseness": 0.9,
}


def verifying(body: Body) -> Answer:
    """A verifier that is wrong about answers that say “perhaps”."""
    text = "\n".join(str(one["content"]) for one in body["messages"])
    mark = re.search(r'"mark\\?": \\?"([a-z]{8})', text)
    said = {"reason": "So it is.", **SCORES}
    wrong = "lies in Sofia" in text
    said["judgement"] = not wrong if "Perhaps" not in text else wrong
    said["revised_query"] = ""
    if mark is not None:
        said["mark"] = mark[1]
    return Answer(json.dumps(said))


def lines(n: int, errors: int) -> list[dict[str, Any]]:
    """Right and wrong answers, the same number of each; the verifier is wrong about
    `errors` of each.
    """
    found = []
    for i in range(n):
        for kind, city in (("r", "Lisbon"), ("w", "Sofia")):
            perhaps = "Perhaps " if i < errors else ""
            found.append(
                {
                    "id": f"{kind}{i}",
                    "question": f"Where is archive {i}?",
                    "answer": f"{perhaps}archive {i} lies in {city}.",
                    "references": [{"text": f"Archive {i} is in Lisbon."}],
                }
            )
    return found


def verify(tmp_path: Path, name: str, rows: list[dict[str, Any]], *more: str) -> int:
    file = write_lines(tmp_path / f"{name}.jsonl", rows)
    into = str(tmp_path / name)
    model = ["--model", "openai/lb"]
    return main(["verify", str(file), "--into", into, *model, *more])


def label(run: Path, keep: int = 10_000) -> None:
    rater = BlindRater.open(run, "Mei")
    for answer in rater.answers:
        if int(answer.item[1:]) < keep:
            right = int("Lisbon" in answer.answer)
            rater.say(answer, CORRECT, right, 1.0, seen=False)
    rater.close()


def audited(tmp_path: Path, **verdicts: str) -> str:
    folder = tmp_path / "audit"
    folder.mkdir(exist_ok=True)
    probes = [
        {"probe": name, "n": 150, "verdict": said, "needed": 400}
        for name, said in {"authority": "clean", "echo": "clean", **verdicts}.items()
    ]
    report = {"models": ["openai/lb"], "probes": probes}
    (folder / "report.json").write_text(json.dumps(report), "utf-8")
    return str(folder)


def certify(run: Path, name: str, *more: str) -> int:
    return main(["calibrate", str(run), "--resamples", "20", "--certify", name, *more])


def test_a_judge_is_certified_and_its_labels_are_used_up(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = verifying
    assert verify(tmp_path, "run", lines(60, 3)) == 0
    assert "no labels" in capsys.readouterr().out
    run = tmp_path / "run"
    label(run)
    assert certify(run, "first") == 1
    assert "UNKNOWN: No audit: run" in capsys.readouterr().err
    audit = audited(tmp_path)
    assert certify(run, "first", "--audit", audit) == 0
    assert "CERTIFIED: 120 labels; sensitivity ≥" in capsys.readouterr().err
    assert main(["doctor"]) in (0, 1)
    told = " ".join(capsys.readouterr().out.split())
    assert "first openai/lb (verifier, judgement), 20" in told
    assert "not certified" not in told
    file = paths().data / "certificates/first.yaml"
    kept = file.read_text()
    file.write_text(re.sub("prompts: en .*", "prompts: en 0123456789ab", kept))
    assert main(["doctor"]) in (0, 1)
    told = " ".join(capsys.readouterr().out.split())
    assert "not certified (“first” is for other prompts)" in told
    file.write_text(kept)
    found = yaml.safe_load((paths().data / "certificates/first.yaml").read_text())
    assert found["format"] == "verifytui-certificate/1"
    assert (found["model"], found["method"], found["role"]) == (
        "openai/lb",
        "rag",
        "verifier",
    )
    assert found["measure"] == "judgement"
    assert found["figures"]["specificity"]["count"] == 57
    assert found["figures"]["specificity"]["low"] > 0.8
    assert found["labels"]["n"] == 120
    assert found["people"]["raters"] == ["Mei"]
    assert found["audit"]["probes"] == ["authority", "echo"]
    with Journal.open(run / "r0.yaml", write=False) as journal:
        session = journal.session
    assert "certified (120 labels" in certified_models(session, Config())("openai/lb")
    assert certified_models(session, Config())("openai/other") == ""
    file.write_text(re.sub("endpoint:\n- .*", "endpoint:\n- elsewhere:1", kept))
    line = certified_models(session, Config())("openai/lb")
    assert "not certified (“first” is for another endpoint)" in line
    away = NamedModel(model="openai/lb", api_base="http://elsewhere:1/v1")
    line = certified_models(session, Config(models={"away": away}))("away")
    assert "certified (120 labels" in line
    file.write_text(kept)
    assert certify(run, "second", "--audit", audit) == 1
    told = capsys.readouterr().err
    assert "REFUSED: All 120 labels were already used for first" in told


def test_what_is_missing_and_why_it_is_refused(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = verifying
    verify(tmp_path, "run", lines(70, 2))
    run, audit = tmp_path / "run", audited(tmp_path)
    label(run, keep=20)
    assert certify(run, "few", "--audit", audit) == 1
    told = capsys.readouterr().err
    assert "UNKNOWN: Label 34 more right answers: the sensitivity is" in told
    assert "34 more wrong answers" in told
    label(run)
    biased = audited(tmp_path, authority="biased", echo="unclear")
    assert certify(run, "biased", "--audit", biased) == 1
    told = capsys.readouterr().err
    assert "REFUSED: The audit found a bias: authority." in told
    assert "unclear on echo; it needs 400 items" in told
    # a bias uses no labels up: the same ones may certify a better prompt
    assert certify(run, "good", "--audit", audited(tmp_path)) == 0
    assert not (paths().data / "certificates/biased.yaml").exists()


def test_a_bad_judge_is_refused_by_its_figures(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = verifying
    verify(tmp_path, "run", lines(30, 12))
    run, audit = tmp_path / "run", audited(tmp_path)
    label(run)
    assert certify(run, "bad", "--audit", audit) == 1
    told = capsys.readouterr().err
    assert "REFUSED: The sensitivity is 60.0%" in told
    assert "below 80.0%" in told
    assert certify(run, "again", "--audit", audit) == 1
    assert "already used for bad" in capsys.readouterr().err


def test_gates_require_a_certificate_that_fits(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = verifying
    verify(tmp_path, "run", lines(60, 3))
    gate = ["--fail-under", "judged_true=.4", "--require-certified"]
    assert main(["gate", str(tmp_path / "run"), *gate]) == 1
    assert "--require-certified: verifier, judgement: no labels." in (
        capsys.readouterr().err.casefold()
    )
    label(tmp_path / "run")
    assert certify(tmp_path / "run", "mine", "--audit", audited(tmp_path)) == 0
    capsys.readouterr()
    other = [
        {**one, "id": f"o{n}", "question": f"Where now is {n}?"}
        for n, one in enumerate(lines(40, 2))
    ]
    assert verify(tmp_path, "other", other, *gate) == 0
    out = capsys.readouterr().out
    assert "certified (120 labels; sensitivity ≥" in " ".join(out.split())
    # the labels of the certificate correct the share of this run
    bounds = ["--fail-under", "corrected.judged_true=.35"]
    assert main(["gate", str(tmp_path / "other"), *bounds, "--output", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["judged_true"]["certified"] is True
    assert report["truthfulness"]["certified"] is False
    fixed = report["corrected.judged_true"]
    assert fixed["low"] < 0.5 < fixed["high"]
    # the point passes, the lower bound does not
    close = ["--fail-under", "corrected.judged_true=.48"]
    assert main(["gate", str(tmp_path / "other"), *close]) == 1
    # the same certificate from a path, in a home without any
    file = paths().data / "certificates/mine.yaml"
    moved = file.rename(tmp_path / "mine.yaml")
    assert main(["gate", str(tmp_path / "other"), *gate]) == 1
    args = [*gate, "--certificate", str(moved)]
    assert main(["gate", str(tmp_path / "other"), *args]) == 0
    # another model: expired, which is said
    moved.write_text(
        moved.read_text().replace("model: openai/lb", "model: openai/other"), "utf-8"
    )
    assert main(["gate", str(tmp_path / "other"), *args]) == 1
    assert "“mine” is for another model" in capsys.readouterr().err


def test_a_runs_own_labels_correct_its_share(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = verifying
    verify(tmp_path, "run", lines(60, 6))
    label(tmp_path / "run")
    capsys.readouterr()
    assert main(["gate", str(tmp_path / "run"), "--output", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["corrected.judged_true"]["value"] == 0.5
    assert report["judged_true"]["certified"] is False
    assert main(["gate", str(tmp_path / "run")]) == 0
    assert "corrected 50.0%" in " ".join(capsys.readouterr().out.split())


def test_what_cannot_be_certified_is_refused_before_anything(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = verifying
    rows = [{**one, "answers": ["Lisbon"]} for one in lines(15, 0)]
    verify(tmp_path, "run", rows)
    run = tmp_path / "run"
    capsys.readouterr()
    assert certify(run, "gold") == 2
    assert "needs labels by people" in capsys.readouterr().err
    label(run)
    assert certify(run, "none", "--audit", str(tmp_path)) == 2
    assert main(["calibrate", str(run), "--audit", str(tmp_path)]) == 2
    assert "--certify" in capsys.readouterr().err
    args = ["--certificate", str(tmp_path / "run.jsonl")]
    assert main(["gate", str(run), *args]) == 2
    assert "is not a certificate" in capsys.readouterr().err
    assert main(["gate", str(run)]) == 0
    assert "contradicts known answers in 0 of 30" in capsys.readouterr().out


def test_levels_are_certified_by_agreement_with_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = pairs.folder_of(tmp_path / "pairs", 40)
    levels: dict[int, int | None] = {n: n % 4 for n in range(1, 41)}
    pairs.labelled(run, "Mei", levels)
    pairs.labelled(run, "Tom", {**levels, 1: 3, 2: None})
    assert certify(run, "levels", "--audit", audited(tmp_path)) == 1
    told = capsys.readouterr().err
    # all pairs have one query, so one cluster; and these sessions name no model
    assert "REFUSED: No model, or more than one, judged this run" in told
    assert "more pairs: the agreement is 100.0%" in told


def many(rows: list[dict[str, Any]], times: int) -> list[dict[str, Any]]:
    """The same items about other archives, so that all are independent."""
    return [
        json.loads(json.dumps(row).replace("archive ", f"archive {place}."))
        | {"id": f"{row['id']}.{place}"}
        for place in range(times)
        for row in rows
    ]


@pytest.mark.parametrize(
    ("seat", "items", "measure", "figures"),
    [
        ("claims", audited_items.claims, "claims", 2),
        ("judge", audited_items.debates, "side", 1),
        ("annotator", audited_items.facts, "relevant", 2),
        ("grader", audited_items.cases, "relevant", 2),
        ("ranker", audited_items.rankings, "correctness", 1),
        ("equivalence", audited_items.comparisons, "same", 2),
        ("judge-correctness", audited_items.correctness, "judge-correctness", 2),
        ("judge-quality", audited_items.quality, "judge-quality", 2),
        ("judge-preference", audited_items.preferences, "judge-preference", 1),
        ("judge-ambiguity", audited_items.translations, "judge-ambiguity", 2),
    ],
)
def test_every_seat_is_certified_on_the_users_own_items(
    seat: str,
    items: Any,
    measure: str,
    figures: int,
    server: Loopback,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server.answer = audited_items.fair
    file = write_lines(tmp_path / "items.jsonl", many(items(), 6))
    folder = str(tmp_path / "audit-run")
    args = ["--items", str(file), "--only", "length", "--into", folder]
    assert main(["audit", "--judge", f"{seat}=openai/lb", *args]) == 0
    audit = audited(tmp_path)
    assert certify(Path(folder), "mine", "--audit", audit) == 0
    assert "CERTIFIED: 36 labels" in capsys.readouterr().err
    found = read_certificate(paths().data / "certificates/mine.yaml")
    assert found.measure == measure
    assert len(found.figures) == figures
    assert found.labels.file == "items.jsonl"
    assert found.endpoint or seat == "equivalence" or "judge-" in seat
    # its own audit is what else is asked for, and labels decide once
    assert certify(Path(folder), "again", "--output", "json") == 1
    outcome = json.loads(capsys.readouterr().out)["certification"]
    assert outcome["outcome"] == "refused"
    assert main(["doctor"]) in (0, 1)
    assert "mine openai/lb" in " ".join(capsys.readouterr().out.split())


def siding(body: Body) -> Answer:
    """The affirmative says Lisbon, the negative Sofia, but on question 99 both Lisbon;
    the judge is for the affirmative, but for the negative on every tenth question.
    """
    asked = "\n".join(str(one["content"]) for one in body["messages"])
    number = int(re.findall(r"What is (\d+)\?", asked)[0])
    if '"preference"' in asked:
        sides = ("negative", "Sofia"), ("affirmative", "Lisbon")
        side, answer = sides[number % 10 > 0]
        said = {"preference": True, "supported_side": side, "answer": answer}
        return Answer(json.dumps({**said, "reason": "So it is."}))
    second = "Answer: Lisbon" in asked and number != 99
    return Answer("Answer: Sofia" if second else "Answer: Lisbon")


def test_the_judge_of_debates_is_certified_by_the_labels_of_their_answers(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = siding
    numbers = [*range(1, 80), 99]
    rows = [{"id": f"q{n}", "topic": f"What is {n}?"} for n in numbers]
    file, run = write_lines(tmp_path / "topics.jsonl", rows), tmp_path / "run"
    made = ["--into", str(run), "--model", "openai/lb", "--rounds", "1"]
    assert main(["debate", "--topics", str(file), *made]) == 0
    audit = audited(tmp_path)
    assert certify(run, "sides", "--audit", audit) == 2
    assert "people" in capsys.readouterr().err
    label(run)
    assert certify(run, "sides", "--audit", audit) == 0
    assert "CERTIFIED: 79 labels; agreement ≥ 82." in capsys.readouterr().err
    found = read_certificate(paths().data / "certificates/sides.yaml")
    assert (found.method, found.role, found.measure) == ("debate", "judge", "side")
    assert found.figures["agreement"].count == 72
    assert found.people.raters == ["Mei"]
    gate = ["gate", str(run), "--fail-under", "wins_affirmative=.5"]
    assert main([*gate, "--require-certified"]) == 0
    sided = write_lines(
        tmp_path / "sided.jsonl", [{"id": f"q{n}", "correct": True} for n in numbers]
    )
    capsys.readouterr()
    assert certify(run, "again", "--audit", audit, "--labels", str(sided)) == 1
    assert "already used for sides" in capsys.readouterr().err


def test_compare_says_and_requires_whether_both_judges_are_certified(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = verifying
    rows = lines(60, 3)
    for name in ("run", "again"):
        verify(tmp_path, name, rows)
    runs = [str(tmp_path / name) for name in ("run", "again")]
    wanted = ["--measure", "judged_true", "--measure", "accuracy"]
    wanted += ["--require-certified"]
    assert main(["compare", *runs, *wanted]) == 1
    told = capsys.readouterr()
    assert "no labels" in told.out
    assert "--require-certified: verifier, judgement: no labels" in told.err.casefold()
    label(tmp_path / "run")
    assert certify(tmp_path / "run", "mine", "--audit", audited(tmp_path)) == 0
    capsys.readouterr()
    assert main(["compare", *runs, *wanted, "--output", "json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = {row["measure"]: row for row in rows}
    assert found["judged_true"]["a"]["certified"] is True
    assert found["judged_true"]["b"]["certified"] is True
    assert "certified" not in found["accuracy"]["a"]


STUDY = """
format: verifytui-study/1
name: sides
title: Who wins
items: {file: items.jsonl}
base: {method: debate, model: openai/lb, rounds: 1, disagreement: answer}
grid: {level: [0, 2]}
measures: [accuracy, wins_negative]
compare: {to: level=0}
"""


def test_a_study_says_and_requires_whether_its_judges_are_certified(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = write_lines(tmp_path / "side.jsonl", many(audited_items.debates(), 6))
    server.answer = audited_items.fair
    args = ["--items", str(items), "--only", "length", "--into", str(tmp_path / "a")]
    assert main(["audit", "--judge", "judge=openai/lb", *args]) == 0
    assert certify(tmp_path / "a", "sides", "--audit", audited(tmp_path)) == 0
    topics = [{"id": f"q{n}", "topic": f"What is {n}?"} for n in range(3)]
    write_lines(tmp_path / "items.jsonl", topics)
    (tmp_path / "sides.yaml").write_text(STUDY)
    server.answer = debating("Lisbon")
    into = str(tmp_path / "study")
    assert main(["study", str(tmp_path / "sides.yaml"), "--into", into]) == 0
    assert "certified (36 labels" in capsys.readouterr().out
    report = ["study", "report", into, "--require-certified"]
    assert main([*report, "--to", "json"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert figures["wins_negative"]["level=2"]["certified"] is True
    assert "certified" not in figures["tokens"]["level=2"]
    (paths().data / "certificates/sides.yaml").unlink()
    assert main(report) == 1
    told = capsys.readouterr()
    assert "level=0: --require-certified: judge, winning side: no labels" in (
        told.err.casefold()
    )


GRADE = {"reason": "So it is.", "grade": 3}


def grading(body: Body) -> Answer:
    """A grade of 3 for a case in Lisbon, else 0."""
    asked = str(body["messages"][-1]["content"]).rpartition("A woman")[2]
    return Answer(json.dumps({**GRADE, "grade": 3 * ("Lisbon" in asked)}))


@pytest.mark.parametrize("bad", [False, True])
def test_levels_of_a_grader_are_certified_and_a_bad_one_never(
    bad: bool, server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bad one gives every pair the highest grade."""
    server.answer = (lambda body: Answer(json.dumps({**GRADE}))) if bad else grading
    rows = [
        {
            "id": f"p{n:02}",
            "query": {"id": f"q{n}", "text": f"A man opened archive {n} by night."},
            "candidate": {
                "id": f"c{n}",
                "text": f"A woman opened archive {n} in {'Sofia' if n % 4 else 'Lisbon'}.",
            },
        }
        for n in range(40)
    ]
    file, run = write_lines(tmp_path / "pairs.jsonl", rows), tmp_path / "run"
    made = ["--into", str(run), "--model", "openai/lb"]
    assert main(["grade", "--pairs", str(file), *made]) == 0
    assert "no labels" in capsys.readouterr().out
    pairs.labelled(run, "Mei", {n: 0 if n % 4 else 3 for n in range(40)})
    code = certify(run, "levels", "--audit", audited(tmp_path))
    told = capsys.readouterr().err
    assert (code, "REFUSED: The agreement is 25.0%" in told) == (int(bad), bad)
    assert ("CERTIFIED: 40 labels; agreement ≥ 91.2%" in told) is not bad
    gate = ["gate", str(run), "--fail-under", "score_3=.1", "--require-certified"]
    assert main([*gate, "--max-unread", "1"]) == int(bad)
