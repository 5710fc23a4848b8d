"""`verifytui study`: checked, run, killed and gone on with, measured, reported; with a
model on the loopback.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from verifytui.tests.support.commanding import COMMAND, command, debating, refused, rows
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow

STUDY = """
format: verifytui-study/1
name: small
title: Debate against one model
items: {file: items.jsonl}
base: {method: debate, model: {"*": openai/lb, observer: openai/lb}, rounds: 1, opening: seeded, disagreement: answer}
grid: {level: [0, 2]}
conditions: {direct: {method: solo, strategy: direct}}
measures: [accuracy, disagreement]
by: [condition, round]
compare: {to: direct}
plot: {kind: bar, x: condition, y: [accuracy]}
paper: {source: "Liang 2023", values: {level=2: {accuracy: 0.37}}}
"""
ALONE = re.sub(r"(?m)^(grid|paper):.*\n", "", STUDY)


def answers(body: Body) -> Answer:
    """One model alone is right on odd numbers, a debate on all but the multiples of
    four.
    """
    asked = "".join(message["content"] for message in body["messages"])
    found = re.search(r"number (\d+)", asked)
    number = int(found[1]) if found else 0
    if any(
        name in body["messages"][-1]["content"]
        for name in ('"preference"', '"supported_side"', '"candidates"')
    ):
        answer: Answer = debating(str(number) if number % 4 else "wrong")(body)
        return answer
    return Answer(
        f"So it is.\n\nAnswer: {number if number % 2 else 'wrong'}",
        cached_input=8 if "Answer: …" in asked else None,
    )


@pytest.fixture
def study(server: Loopback, tmp_path: Path) -> Path:
    server.answer = answers
    items = [
        {"id": f"q{n}", "topic": f"What is the number {n}?", "answers": [str(n)]}
        for n in range(12)
    ]
    (tmp_path / "items.jsonl").write_text(
        "".join(json.dumps(item) + "\n" for item in items)
    )
    path = tmp_path / "small.yaml"
    path.write_text(STUDY)
    return path


def reported(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        command("study", "report", folder, "--to", "json").stdout
    )
    return found


def test_a_study_gives_its_table_and_calls_in_common_are_made_once(
    study: Path, server: Loopback, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = command("study", study, "--into", out)
    assert done.returncode == 0, done.stderr
    assert re.search(r"direct +50\.0% .* reference", done.stdout)
    assert re.search(r"level=2 +75\.0% .* 37\.0% +\+25\.0", done.stdout)
    assert re.search(r"level=2 +0\.\d+ \[.*\] \(12\)", done.stdout), (
        "of how many sessions a round's figure is"
    )
    assert "\naccuracy (%)\n" in done.stdout, "a plot says in words what it shows"
    assert (
        "direct: solo does not support model observer, rounds, opening, "
        "disagreement of `base`; ignored" in done.stdout
    )
    # a solo; a baseline and an opening for both levels; a reply and a verdict for each
    assert len(server.requests) == 12 * (1 + 2 + 2 + 2)
    scores = rows((out / "scores.jsonl").read_text())
    assert {one["measure"] for one in scores if "counts" in one} == {"cached"}, (
        "nothing else is pooled"
    )
    assert re.search(r"direct +18\.0 .* 0\.727 ", done.stdout)
    assert "What provider caches hold depends on earlier calls" in done.stdout
    calls = {
        one["condition"]: one["value"] for one in scores if one["measure"] == "calls"
    }
    assert calls == {
        "level=0": 4.0,
        "level=2": 4.0,
        "direct": 1.0,
    }  # as if each had run alone
    manifest = json.loads((out / "manifest.json").read_text())
    assert [one["sessions"]["done"] for one in manifest["conditions"]] == [12, 12, 12]
    assert manifest["conditions"][2]["models"] == {"solver": ["openai/lb"]}
    before = len(server.requests)
    assert command("study", study, "--into", out).returncode == 0
    assert len(server.requests) == before
    for form, sign in (
        ("md", "| level=2 |"),
        ("html", "<svg"),
        ("csv", "level=2,accuracy,,0.75"),
        ("svg", "<svg"),
    ):
        assert sign in command("study", "report", out, "--to", form).stdout
    flips = rows(
        command(
            "study",
            "diff",
            out,
            "direct",
            "level=2",
            "--measure",
            "accuracy",
            "--output",
            "json",
        ).stdout
    )
    assert (sorted(flips[0]["better_items"]), flips[0]["worse_items"]) == (
        ["q10", "q2", "q6"],
        [],
    )
    said = command("study", "diff", out, "direct", "level=2").stdout
    assert "cost: no item has a value in both (12 left out)" in said
    assert "Holm over the measures of these two conditions" in said


@pytest.mark.slow
def test_killed_it_is_paired_and_goes_on_to_the_table_of_an_undisturbed_one(
    study: Path, server: Loopback, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    arguments = ["study", str(study), "--into", str(out), "--concurrency", "3"]
    server.answer = lambda body: (
        Answer(first_delay=60) if len(server.requests) > 50 else answers(body)
    )
    running = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert server.wait_until(lambda s: len(s.requests) > 52, 60)
    running.send_signal(signal.SIGKILL)
    running.wait()
    ended = {
        folder.name: {
            file.stem
            for file in folder.glob("q*.yaml")
            if "event: result" in file.read_text()
        }
        for folder in out.glob("*=*")
    }
    assert 3 < len(ended["level=0"]) < 12
    assert len(ended["level=0"] ^ ended["level=2"]) <= 3
    server.answer = answers
    assert command(*arguments).returncode == 0
    assert (
        len(server.requests) <= 12 * 7 + 3
    )  # but for those under way, no call was made twice
    whole = tmp_path / "whole"
    assert command("study", study, "--into", whole).returncode == 0
    first, second = reported(out), reported(whole)
    assert first["figures"]["accuracy"] == second["figures"]["accuracy"]
    assert first["differences"]["accuracy"] == second["differences"]["accuracy"]


def test_only_items_that_another_condition_got_wrong(
    study: Path, server: Loopback, tmp_path: Path
) -> None:
    study.write_text(
        STUDY.replace("{to: direct}", "{test: default}") + "where: {direct: wrong}\n"
    )
    done = command("study", study, "--into", tmp_path / "out")
    assert done.returncode == 0
    assert "direct chose these items" in done.stdout
    found = reported(tmp_path / "out")
    assert {name: one["n"] for name, one in found["figures"]["accuracy"].items()} == {
        "level=0": 6,
        "level=2": 6,
        "direct": 12,
    }
    assert found["differences"]["accuracy"].keys() == {"level=2"}, (
        "the one that chose would be worse by its choice"
    )
    done = command("study", study, "--into", tmp_path / "out" / "direct")
    assert done.returncode == 2
    assert "contains a batch" in done.stderr


def test_repeats_are_asked_for_apart_and_share_a_cluster(
    study: Path, server: Loopback, tmp_path: Path
) -> None:
    study.write_text(ALONE + "repeats: 2\n")
    assert (
        command("study", study, "--into", tmp_path / "out", "--take", "3").returncode
        == 0
    )
    assert len(server.requests) == 3 * 2
    assert (
        sorted(file.stem for file in (tmp_path / "out" / "direct").glob("q*.r1.yaml"))
        != []
    )
    report = reported(tmp_path / "out")
    whole = report["figures"]["accuracy"]["direct"]
    assert (whole["n"], whole["clusters"]) == (6, 3)
    split = report["variances"]["accuracy"]["direct"]
    assert (split["items"], split["repeats"]) == (3, 2)
    assert split["error_without_repeats"] >= split["error"]
    words = command("study", "report", tmp_path / "out").stdout
    assert "of the variance is between repeats of an item" in " ".join(words.split())


def test_a_dry_run_counts_calls_and_writes_nothing(
    study: Path, server: Loopback, tmp_path: Path
) -> None:
    found = json.loads(
        command("study", study, "--dry-run", "--take", "5", "--output", "json").stdout
    )
    assert {name: one["least_calls"] for name, one in found["conditions"].items()} == {
        "level=0": 20,
        "level=2": 20,
        "direct": 5,
    }
    assert found["total"]["least_calls"] == 45
    shown = found["detectable"]
    assert (shown["items"], shown["repeats"], shown["tests"]) == (5, 1, 4)
    assert (shown["difference"], shown["margin"]) == (None, 0.02)
    words = command("study", study, "--dry-run", "--take", "5").stdout
    assert "5 items are too few to show a difference." in words
    assert server.requests == []


def test_it_stops_at_its_budget_and_when_the_interval_is_narrow(
    study: Path, server: Loopback, tmp_path: Path
) -> None:
    done = command("study", study, "--into", tmp_path / "out", "--budget-tokens", "200")
    assert done.returncode == 3
    assert (
        json.loads((tmp_path / "out" / "manifest.json").read_text())["status"]
        == "budget"
    )
    items = [
        {"id": f"q{n}", "topic": f"What is the number {n}?", "answers": [str(n)]}
        for n in range(60)
    ]
    study.with_name("items.jsonl").write_text(
        "".join(json.dumps(item) + "\n" for item in items)
    )
    study.write_text(ALONE)
    done = command(
        "study",
        study,
        "--into",
        tmp_path / "wide",
        "--until-width",
        ".9",
        "--concurrency",
        "2",
    )
    assert done.returncode == 0, done.stderr
    assert "all intervals are at most" in done.stdout
    assert (
        len(server.requests)
        - len(rows((tmp_path / "out" / "scores.jsonl").read_text()))
        >= 20
        or len(server.requests) < 90
    )


def test_what_cannot_be_is_one_sentence(study: Path, tmp_path: Path) -> None:
    wrong = {
        "grid: {level: [0, 2]}": ("grid: {lvel: [0, 2]}", "“lvel” is not an option"),
        "measures: [accuracy": ("measures: [acuracy", "no measure “acuracy”"),
        "compare: {to: direct}": (
            "compare: {to: nobody}",
            "“nobody”, which is not a condition",
        ),
        "conditions: {direct: {method: solo": (
            "conditions: {direct: {method: slo",
            "slo",
        ),
        "by:": ("bye:", "no “bye” in a study"),
        "file: items.jsonl": ("file: none.jsonl", "none.jsonl"),
        "format: verifytui-study/1": (
            "format: 1",
            "It is not a study; its first line must be",
        ),
    }
    for old, (new, words) in wrong.items():
        study.write_text(STUDY.replace(old, new))
        refused(command("study", "check", study), words)
    study.write_text(STUDY)
    refused(command("study", study), "--into DIR")
    refused(command("study", "report", tmp_path), "no study")
    refused(command("study", "nothing", "--into", tmp_path / "x"), "no study “nothing”")


def test_other_items_in_the_same_folder_are_refused(
    study: Path, server: Loopback, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert (
        command(
            "study", study, "--into", out, "--take", "4", "--only", "direct"
        ).returncode
        == 0
    )
    changed = (
        study.with_name("items.jsonl")
        .read_text()
        .replace("What is the number", "Which is the number")
    )
    study.with_name("items.jsonl").write_text(changed)
    refused(command("study", study, "--into", out), "other content under the id q")


def test_a_command_of_the_study_measures_and_does_not_run_unasked_later(
    study: Path, server: Loopback, tmp_path: Path
) -> None:
    program = tmp_path / "length.py"
    program.write_text(
        "import json, sys\n"
        "with open(sys.argv[1]) as given, open(sys.argv[2], 'a') as made:\n"
        "    for row in map(json.loads, given):\n"
        "        made.write(json.dumps({'id': row['id'], 'score': "
        "len(row['answer'])}) + chr(10))\n"
    )
    command_ = json.dumps(
        {"external": "length", "command": ["python3", str(program), "{in}", "{out}"]}
    )
    study.write_text(
        ALONE.replace("[accuracy, disagreement]", f"[accuracy, {command_}]")
    )
    out = tmp_path / "out"
    assert command("study", study, "--into", out, "--take", "3").returncode == 0
    assert reported(out)["figures"]["length"]["direct"]["n"] == 3
    assert command("study", "measure", out).returncode == 0
    frozen = out / "study.yaml"
    frozen.write_text(frozen.read_text().replace("python3", "touch-something"))
    refused(command("study", "measure", out), "touch-something", "--commands")
