"""`synth rag` as typed: from questions to training data, broken off and gone on with,
and what keeps it from exporting.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from verifytui.engines.figures.rated import CORRECT
from verifytui.engines.studies.rating import BlindRater
from verifytui.sessions.paths import paths
from verifytui.tests.support.commanding import Done, command, refused, rows
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow

MANY = 8
FOLDERS = ("answers", "negatives", "verification")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder of documents, and questions that they answer."""
    (tmp_path / "docs").mkdir()
    for n in range(MANY):
        (tmp_path / "docs" / f"{n}.txt").write_text(
            f"Number {n} means v{n}. It stands on page {n * 7} beside alpha{n} "
            f"and beta{n}."
        )
    lines = [
        {"id": f"q{n}", "question": f"What does number {n} mean?", "answers": [f"v{n}"]}
        for n in range(MANY)
    ]
    (tmp_path / "q.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines)
    )
    return tmp_path


def speaking(body: Body) -> Answer:
    """A generator that is right, a maker of bad answers, and a verifier that sees what
    is bad.
    """
    system, asked = (one["content"] for one in body["messages"][:2])
    if "bad queries" in system:
        return Answer(json.dumps({"reason": "Vague.", "revised_query": "page beside"}))
    if "careless writer" in system:
        return Answer("It is green [1].")
    if '"bias"' not in asked:
        n = re.findall(r"number (\d+)", asked)[-1]
        place = re.search(rf"\[(\d)\]>>>[^<]*Number {n} means", asked)
        return Answer(
            f"Number {n} means v{n}, which stands there [{place[1] if place else 9}]."
        )
    answer, references = (
        asked.split("The answer to check:")[1],
        asked.split("The answer to check:")[0],
    )
    held = re.search(r"means v(\d+)", answer)
    right = (
        re.search(rf"\[(\d)\]>>>[^<]*means v{held[1]}\.", references) if held else None
    )
    cites, repeats = (
        right is not None and f"[{right[1]}]" in answer,
        re.search(r"(\b[\w, ]+) \1 \1", answer) is not None,
    )
    good = right is not None and cites and not repeats
    scores: dict[str, Any] = dict.fromkeys(
        ("reference_correctness", "correctness", "truthfulness"), 0.9
    )
    scores |= {
        "citation_accuracy": 0.9 if cites else 0.0,
        "bias": 0.1,
        "conciseness": 0.1 if repeats else 0.9,
    }
    return Answer(
        json.dumps(
            {
                "reason": "So.",
                **scores,
                "judgement": "true" if good else "false",
                "revised_query": "" if good else "What?",
            }
        )
    )


def synth(files: Path, into: str = "out", *more: str | Path) -> Done:
    seats = (
        "--model",
        "openai/lb",
        "--model",
        "negative=openai/bad",
        "--model",
        "verifier=openai/judge",
    )
    where = (
        "--corpus",
        files / "docs",
        "--k",
        "2",
        "--questions",
        files / "q.jsonl",
        "--into",
        files / into,
    )
    return command("synth", "rag", *where, *seats, "--min-agreement", ".5", *more)


def report(files: Path, into: str = "out") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((files / into / "report.json").read_text())
    return found


def test_from_questions_to_training_data(server: Loopback, files: Path) -> None:
    server.answer = speaking
    done = synth(files)
    assert done.returncode == 0, done.stderr
    assert "8 questions: 4 for answering, 4 for verification" in done.stdout
    told = report(files)
    assert {kind: found["of"] for kind, found in told["samples"].items()} == {
        "sampled": 8,
        **dict.fromkeys(
            ("repeated-words", "citation-swap", "retrieval-error", "bad-query"), 4
        ),
    }
    assert told["answering"] == {"rule": "right", "kept": 4, "of": 4}
    assert (
        told["agreement"]["of"],
        told["agreement"]["share"]["clusters"],
        told["agreement"]["unread"],
    ) == (19, 4, 0)  # a bad query found a reference that holds the answer
    assert told["agreement"]["share"]["count"] >= 16
    assert told["calls"] == len(server.requests) == 8 + 4 + 8 + 20
    assert {body["model"] for body in server.requests} == {"lb", "bad", "judge"}
    samples = {
        row["id"]: row for row in rows((files / "out" / "samples.jsonl").read_text())
    }
    for worse in [row for row in samples.values() if row["kind"] == "bad-query"]:
        assert (worse["query"], worse["origin"]) == (
            "page beside",
            f"{worse['question_id']}.1",
        )
        texts = " ".join(one["text"] for one in worse["references"])
        held = f"means v{worse['question_id'][1:]}." in texts
        assert worse["known_judgement"] == (None if held else "false")
    wrong = next(row for row in samples.values() if row["kind"] == "retrieval-error")
    assert wrong["donor"] != wrong["question_id"]
    assert not any(
        f"means v{wrong['question_id'][1:]}." in one["text"]
        for one in wrong["references"]
    )
    assert {
        row["known_judgement"] for row in samples.values() if row["kind"] == "sampled"
    } == {"true"}
    verified = rows((files / "out" / "verified.jsonl").read_text())
    assert len(verified) == 20
    assert all(
        (files / "out" / row["session"]).is_file()
        for row in [*samples.values(), *verified]
    )
    assert (files / "out" / "export" / "chat" / "train.jsonl").is_file()
    assert re.search(r"sampled +4 of 8 .*100% \[51, 100\]", done.stdout), done.stdout
    assert all(
        len(line) < 80
        for line in done.stdout.partition("kind ")[2].partition("\n\n")[0].splitlines()
    )
    refused(synth(files, "out", "--seed", "1"), "another “seed”: 0 then, 1 now")
    refused(
        synth(files, "out", "--param", "verifier.seed=1"),
        'another “answering.param”: nothing then, ["verifier.seed=1"] now',
    )
    below = synth(files, "out", "--min-agreement", "1")
    assert below.returncode == 1
    assert "are from an earlier call" in below.stderr


def test_broken_off_at_any_step_it_comes_to_the_same(
    server: Loopback, files: Path
) -> None:
    server.answer = lambda body: replace(speaking(body), usage=(600, 400))
    assert synth(files, "whole").returncode == 0
    calls = len(server.requests)
    reached = []
    for tokens in (3500, 14_000, 28_000):
        done = synth(
            files, "parts", "--budget-tokens", str(tokens), "--concurrency", "1"
        )
        assert done.returncode == 3, done.stderr
        assert "the budget is reached" in done.stderr
        reached.append(sum((files / "parts" / name).is_dir() for name in FOLDERS))
    assert reached == [1, 2, 3]
    assert synth(files, "parts").returncode == 0
    assert len(server.requests) == 2 * calls, "nothing is asked twice"
    for name in (
        "negatives.jsonl",
        "samples.jsonl",
        "verified.jsonl",
        "export/chat/train.jsonl",
        "export/preference/train.jsonl",
    ):
        assert (files / "parts" / name).read_bytes() == (
            files / "whole" / name
        ).read_bytes(), name


def test_below_the_bound_nothing_is_exported_and_a_person_can_look(
    server: Loopback, files: Path
) -> None:
    server.answer = lambda body: (
        Answer("Hm.") if '"bias"' in body["messages"][1]["content"] else speaking(body)
    )
    done = synth(files, "out", "--blind", "6")
    assert done.returncode == 1, done.stderr
    assert (
        "Nothing was exported: the lower bound of the agreement on one class is 0.000, "
        "below 0.5" in done.stderr
    )
    assert not (files / "out" / "export").exists()
    assert report(files)["agreement"]["unread"] == 19
    blind = files / "out" / "blind"
    kept = b"".join(path.read_bytes() for path in blind.glob("*.yaml"))
    assert b"judgement" not in kept.partition(b"templates:")[0]
    assert b"event: verification" not in kept
    assert b"repeated" not in kept
    rater = BlindRater.open(blind, "Ann")
    for answer in rater.answers[:4]:
        rater.say(answer, CORRECT, 1, 1.0, seen=False)
    rater.close()
    other = BlindRater.open(blind, "Bea")
    other.say(
        next(one for one in other.answers if one.item == rater.answers[0].item),
        CORRECT,
        0,
        1.0,
        seen=False,
    )
    other.close()
    done = synth(files, "out", "--output", "json")
    found = json.loads(done.stdout)["people"]
    refused(synth(files, "docs"), "docs is not empty (0.txt)")
    assert (
        found["raters"],
        found["of"],
        found["right"],
        found["unread"],
        found["share"]["count"],
    ) == (["Ann", "Bea"], 3, 3, 3, 0)
    assert (found["tied"], found["not_by_rule"]["of"] < 3) == (1, True)


def test_a_tie_of_two_verifiers_is_undecided_and_not_unread(
    server: Loopback, files: Path, home: Path
) -> None:
    def split(body: Body) -> Answer:
        said = speaking(body)
        if body["model"].endswith("other") and '"judgement"' in said.text:
            made = json.loads(said.text)
            made["judgement"] = "false" if made["judgement"] == "true" else "true"
            return Answer(json.dumps(made))
        return said

    server.answer = split
    panel = {"panel": ["openai/judge", "openai/other"], "rule": "majority"}
    file = paths().config / "config.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump({"models": {"jury": panel}}))
    seats = ("--model", "verifier=jury", "--min-agreement", "0")
    done = synth(files, "out", *seats)
    assert "counted as differing: 0 unread, 19 undecided" in done.stdout
    told = report(files)
    assert set(told["judgements"]["sampled"]) == {"undecided"}
    assert (told["agreement"]["undecided"], told["agreement"]["unread"]) == (19, 0)
    assert told["export_left_out"]["verification"] == {"undecided": 20}
    card = (files / "out" / "export" / "README.md").read_text("utf-8")
    assert "0 unread, 19 undecided" in card
    assert "the panel of verifiers was undecided | 20 |" in card


def test_a_failure_waits_for_the_same_command(server: Loopback, files: Path) -> None:
    def faulty(body: Body) -> Answer:
        if "number 3" in body["messages"][-1]["content"]:
            return Answer(status=400, error="no")
        return speaking(body)

    server.answer = faulty
    done = synth(files)
    assert done.returncode == 1
    assert "Answers: failed sessions: 1. The next step was not started." in done.stderr
    assert not (files / "out" / "negatives").exists()
    server.answer = speaking
    assert synth(files).returncode == 0
    assert report(files)["left_out"] == {}


def test_without_a_key_in_chinese_and_what_cannot_be_measured(files: Path) -> None:
    done = command(
        "--lang",
        "zh",
        "synth",
        "rag",
        "--corpus",
        "example",
        "--questions",
        files / "q.jsonl",
        "--into",
        files / "z",
    )
    assert done.returncode == 1, done.stderr
    assert "8 个问题：4 个用于作答，4 个用于核查" in done.stdout
    bare = files / "bare.jsonl"
    bare.write_text('{"id": "a", "question": "Who wrote poems?"}\n')
    arguments = (
        "synth",
        "rag",
        "--corpus",
        "example",
        "--questions",
        bare,
        "--into",
        files / "b",
    )
    refused(command(*arguments), "No question of", "--answers true or all")
    done = command(*arguments, "--answers", "all", "--negatives", "none")
    assert done.returncode == 1
    assert "answers is not measured" in done.stderr
    refused(
        command(
            *arguments[:-1], files / "c", "--answers", "all", "--model", "judge=gpt-4"
        ),
        "There is no role “judge”",
    )
    refused(
        command(
            "synth",
            "rag",
            "--questions",
            bare,
            "--into",
            files / "c",
            "--answers",
            "all",
        ),
        "The question “a” has no source to search",
    )
    dry = command(
        *arguments[:-1],
        files / "d",
        "--answers",
        "true",
        "--model",
        "openai/lb",
        "--dry-run",
        "--output",
        "json",
    )
    steps = json.loads(dry.stdout)["steps"]
    assert {name: one["calls"] for name, one in steps.items()} == {
        "answers": 1,
        "negatives": 2,
        "verification": 4,
    }
    assert not (files / "d").exists()
    several = (
        *arguments[:-1],
        files / "d",
        "--answers",
        "true",
        "--model",
        "openai/lb",
        "--dry-run",
        "--samples",
        "2",
    )
    assert "at temperature 0, a model says nearly the same" in command(*several).stderr
    assert (
        "temperature"
        not in command(*several, "--param", "generator.temperature=1").stderr
    )
