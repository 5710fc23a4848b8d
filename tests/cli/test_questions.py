"""`ask --questions` and `verify`: lines, reports, bounds for use in CI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.batches.report import mean, wilson
from verifytui.tests.support.commanding import (
    Done,
    answering,
    command,
    documents,
    refused,
    rows,
)
from verifytui.tests.support.loopback import Answer, Loopback

pytestmark = pytest.mark.slow

REFERENCES = [
    "The lighthouse of Vern was built in 1873 by Ada Holm.",
    {"title": "Tea", "text": "Tea is made of leaves."},
]

ALONE = {"title": "A title alone"}


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8"
    )
    return path


def questions(tmp_path: Path, lines: list[dict[str, Any]], *more: str | Path) -> Done:
    return command(
        "ask",
        "--questions",
        write(tmp_path / "q.jsonl", lines),
        "--into",
        tmp_path / "out",
        *more,
    )


def answers(tmp_path: Path, lines: list[dict[str, Any]], *more: str | Path) -> Done:
    return command(
        "verify", write(tmp_path / "a.jsonl", lines), "--into", tmp_path / "out", *more
    )


def report(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((tmp_path / "out" / "report.json").read_text())
    return found


def summary(tmp_path: Path) -> list[dict[str, Any]]:
    return rows((tmp_path / "out" / "summary.jsonl").read_text())


def test_a_batch_without_a_key_from_end_to_end(tmp_path: Path) -> None:
    lines = [
        {
            "id": "built",
            "question": "When was the lighthouse of Vern built?",
            "answers": ["1873"],
            "references": REFERENCES,
        },
        {
            "id": "keeper",
            "question": "Who built the lighthouse of Vern?",
            "answers": "Ada Lovelace",
            "references": [*REFERENCES, ALONE],
        },
        {
            "id": "bees",
            "question": "What do bees make?",
            "corpus": "example",
            "k": 3,
            "bound": {"bias": 0.5},
            "merge": True,
        },
    ]
    done = questions(tmp_path, lines, "--indicator", "thresholds-any")
    assert done.returncode == 0, done.stderr
    assert "3 questions: 3 done" in done.stdout
    found = summary(tmp_path)
    assert [row["id"] for row in found] == ["built", "keeper", "bees"]
    assert {
        "id",
        "file",
        "status",
        "result",
        "usage",
        "cost",
        "seconds",
        "error",
    } < set(found[0])
    assert {"answer", "iterations", "stopped_by"} <= set(found[0]["result"])
    assert (
        documents(tmp_path / "out" / "keeper.yaml")[1]["references"][2]["text"]
        == "A title alone"
    )
    header = documents(tmp_path / "out" / "bees.yaml")[0]
    assert header["task"]["corpus"] == "example"
    assert (
        header["settings"]["k"],
        header["settings"]["merge"],
        header["settings"]["bounds"]["bias"],
    ) == (3, True, 0.5)
    told = report(tmp_path)
    low, high = wilson(1, 2) or (0, 0)
    right = {"value": 0.5, "low": low, "high": high, "count": 1, "of": 2, "excluded": 0}
    assert told["accuracy_decided"] == told["reference_accuracy_first"] == right
    assert told["webglm"] == told["accuracy_first"] == {**right, "missing": {}}
    assert told["accuracy"] == {
        **right,
        "missing": {},
        "by": {"exact": 0, "value": 0, "contains": 1, "model": 0},
    }
    assert told["contains"] == told["contains_paper"] == right
    assert told["exact_match"]["count"] == 0
    assert 0 < told["f1"]["value"] < 1
    assert told["length"]["words"]["of"] == 3
    assert told["scores"]["correctness"]["of"] == 3
    assert told["scores"]["bias"] is None  # lexical measures none
    assert sum(told["judgements"].values()) >= 3
    assert set(told["clauses"]) == {
        "reference_correctness",
        "correctness",
        "truthfulness",
        "judgement",
        "revised_query",
    }
    assert told["undecided"] == told["unread"] == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert questions(tmp_path, lines, "--indicator", "thresholds-any").returncode == 0
    assert {
        path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()
    } == before


def test_first_and_last_answers_are_told_apart(
    server: Loopback, tmp_path: Path
) -> None:
    def reply(body: dict[str, Any]) -> Answer:
        if '"bias"' in body["messages"][-1]["content"]:
            return answering(again=True)(body)
        return Answer("In 1901 [1]." if len(server.requests) == 1 else "In 1873 [1].")

    server.answer = reply
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text(
        "What was the lighthouse? What else? It was built in 1873."
    )
    lines = [{"id": "a", "question": "What was the lighthouse?", "answers": ["1873"]}]
    done = questions(
        tmp_path, lines, "--corpus", tmp_path / "docs", "--model", "openai/lb"
    )
    assert done.returncode == 0, done.stderr
    told = report(tmp_path)
    assert (
        told["accuracy_first"]["count"],
        told["accuracy_last"]["count"],
        told["accuracy"]["count"],
    ) == (0, 1, 1)
    assert told["clauses"]["revised_query"] == {"fired": 2, "of": 2, "unread": 0}
    assert told["judgements"] == {"false": 2}
    assert told["stopped_by"] == {"limit": 1}
    assert "right, first answer: 0 of 1" in done.stdout


def prose(body: dict[str, Any]) -> Answer:
    """A verifier that talks instead of scoring."""
    return (
        Answer("Hm.")
        if '"bias"' in body["messages"][1]["content"]
        else answering()(body)
    )


def test_a_measure_of_the_text_ignores_what_the_verifier_said(
    server: Loopback, tmp_path: Path
) -> None:
    """Ten wrong answers and a verifier that replies in prose: nobody decided, and all ten are wrong."""
    server.answer = prose
    lines = [
        {
            "id": f"q{n}",
            "question": f"When {n}?",
            "answers": ["1999"],
            "references": REFERENCES,
        }
        for n in range(10)
    ]
    done = questions(
        tmp_path,
        lines,
        "--model",
        "openai/lb",
        "--fail-under",
        "accuracy=.5",
        "--max-unread",
        "1",
    )
    assert done.returncode == 1, done.stderr
    assert "--fail-under accuracy: 0.0000 is under 0.5." in done.stderr
    assert "right: 0 of 10" in done.stdout
    told = report(tmp_path)
    for name in (
        "accuracy",
        "accuracy_decided",
        "webglm",
        "exact_match",
        "accuracy_first",
        "accuracy_last",
    ):
        assert (told[name]["count"], told[name]["of"]) == (0, 10), name
    assert (told["f1"]["value"], told["f1"]["of"]) == (0.0, 10)
    assert (told["undecided"], told["unread"], told["scores"]["bias"]) == (10, 10, None)
    assert told["unread_share"] == {
        "value": 1.0,
        "low": pytest.approx(0.7225, abs=1e-4),
        "high": 1.0,
        "count": 10,
        "of": 10,
    }
    assert {(one["why"], "scores.bias" in one["of"]) for one in told["left_out"]} == {
        ("unread", True)
    }
    assert [row["measures"]["accuracy"] for row in summary(tmp_path)] == [False] * 10


def test_an_unread_verification_makes_no_right_answer_wrong(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = prose
    lines = [
        {"id": "a", "question": "When?", "answers": ["1873"], "references": REFERENCES}
    ]
    assert (
        questions(
            tmp_path,
            lines,
            "--model",
            "openai/lb",
            "--fail-under",
            "accuracy=1",
            "--max-unread",
            "1",
        ).returncode
        == 0
    )
    assert report(tmp_path)["accuracy"]["value"] == 1.0
    done = questions(
        tmp_path, lines, "--model", "openai/lb", "--fail-under", "accuracy=1"
    )
    assert done.returncode == 1, (
        "a gate tolerates one unread reply in twenty, unless it is told to tolerate more"
    )
    assert "--max-unread: 1 of 1 replies could not be read" in done.stderr


def test_a_question_without_an_answer_is_wrong(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = answering()
    lines = [
        {
            "id": "right",
            "question": "When?",
            "answers": ["1873"],
            "references": REFERENCES,
        },
        {
            "id": "nothing",
            "question": "Xyzzy plugh?",
            "answers": ["1873"],
            "corpus": "example",
        },
        {"id": "none", "question": "When?", "answers": ["1873"], "references": []},
    ]
    done = questions(tmp_path, lines, "--model", "openai/lb")
    assert done.returncode == 0, done.stderr
    told = report(tmp_path)
    assert (
        told["accuracy"]["count"],
        told["accuracy"]["of"],
        told["accuracy"]["missing"],
    ) == (1, 3, {"no-references": 2})
    assert (
        told["accuracy_decided"]["count"],
        told["accuracy_decided"]["of"],
        told["accuracy_decided"]["excluded"],
    ) == (1, 1, 2)
    assert (told["f1"]["of"], told["no_references"], told["undecided"]) == (3, 2, 2)
    assert [(one["id"], one["why"]) for one in told["left_out"]] == [
        ("nothing", "no-references"),
        ("none", "no-references"),
    ]
    assert "right: 1 of 3" in done.stdout
    assert "2 without an answer, counted as wrong: 2 no-references" in done.stdout
    found = told["reference_accuracy_first"]
    assert (found["count"], found["of"], found["excluded"]) == (1, 3, 0), (
        "where nothing was found, no answer was found"
    )


@pytest.mark.parametrize(
    ("bound", "code"),
    [
        ("accuracy=.5", 0),
        ("accuracy=.51", 1),
        ("reference_accuracy_last=1", 1),
        ("correctness=0", 0),
        ("f1=1", 1),
    ],
)
def test_a_report_can_be_held_to_a_bound(bound: str, code: int, tmp_path: Path) -> None:
    lines = [
        {
            "id": "a",
            "question": "When was the lighthouse of Vern built?",
            "answers": ["1873"],
            "references": REFERENCES,
        },
        {
            "id": "b",
            "question": "When was the lighthouse of Vern built?",
            "answers": ["1903"],
            "references": REFERENCES,
        },
    ]
    done = questions(tmp_path, lines, "--fail-under", bound)
    assert done.returncode == code, done.stderr
    assert (f"--fail-under {bound.partition('=')[0]}: " in done.stderr) == bool(code)


def test_means_have_the_interval_of_the_normal_distribution() -> None:
    found = mean([0.0, 0.5, 1.0], 0.0, 1.0)
    assert found is not None
    assert (
        round(found["value"], 3),
        round(found["low"], 3),
        found["high"],
        found["of"],
    ) == (0.5, 0.0, 1.0, 3)
    found = mean([2.0, 4.0], 0.0, float("inf"))
    assert found is not None
    assert (round(found["low"], 2), round(found["high"], 2)) == (1.04, 4.96)
    assert mean([0.5], 0, 1) == {"value": 0.5, "low": None, "high": None, "of": 1}
    assert mean([], 0, 1) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["nothing to do"]),
        ('{"id": "a"}\n', ["line 1", "question"]),
        ('{"id": [1], "question": "x?"}\n', ["line 1", "id"]),
        ('{"id": "a", "question": ""}\n', ["line 1", "question"]),
        (
            '{"id": "a", "question": "x?", "references": "text"}\n',
            ["line 1", "references", "list"],
        ),
        (
            '{"id": "a", "question": "x?", "references": [{"tilte": 1}]}\n',
            ["line 1", "reference 1"],
        ),
        (
            '{"id": "a", "question": "x?", "references": ["x"], "corpus": "example"}\n',
            ["line 1"],
        ),
        ('{"id": "a", "question": "x?", "corpus": "nowhere"}\n', ["line 1", "nowhere"]),
        (
            '{"id": "a", "question": "x?", "k": "5"}\n',
            ["line 1", "k must be", "whole number"],
        ),
        (
            '{"id": "a", "question": "x?", "merge": 1}\n',
            ["line 1", "merge must be", "true or false"],
        ),
        ('{"id": "a", "question": "x?", "answer": "y"}\n', ["line 1", "“answer”"]),
        ('{"id": "a", "question": "x?", "model": "human"}\n', ["line 1", "human"]),
        (
            '{"id": "a", "question": "x?"}\n{"id": "a", "question": "y?"}\n',
            ["line 2", "line 1"],
        ),
    ],
)
def test_questions_that_are_wrong_cost_nothing(
    text: str, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "q.jsonl").write_text(text)
    refused(
        command(
            "ask",
            "--questions",
            tmp_path / "q.jsonl",
            "--into",
            tmp_path / "out",
            "--corpus",
            "example",
        ),
        *words,
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], ["line 1", "--corpus"]),
        (["A question?", "--corpus", "example"], ["not both"]),
        (["--corpus", "example", "--save", "x"], ["--save"]),
        (
            ["--corpus", "example", "--fail-under", "beauty=1"],
            ["beauty", "accuracy", "exact_match"],
        ),
        (["--corpus", "example", "--fail-under", "accuracy"], ["accuracy=NUMBER"]),
        (["--corpus", "example", "--fail-under", "accuracy=8"], ["from 0 to 1"]),
        (["--retriever", "ftp://x"], ["http://"]),
        (
            ["--corpus", "example", "--model", "openai/lb", "--budget-usd", "1"],
            ["price", "openai/lb"],
        ),
    ],
)
def test_options_that_do_not_hold(
    more: list[str], words: list[str], tmp_path: Path
) -> None:
    refused(questions(tmp_path, [{"id": "a", "question": "Why?"}], *more), *words)
    assert not (tmp_path / "out").exists()


def test_an_address_is_written_nowhere(tmp_path: Path) -> None:
    done = questions(
        tmp_path,
        [{"id": "a", "question": "Why?"}],
        "--retriever",
        "http://127.0.0.1:9/secret-path",
    )
    assert done.returncode == 1
    assert summary(tmp_path)[0]["status"] == "failed"
    assert "secret-path" not in "".join(
        path.read_text() for path in (tmp_path / "out").iterdir()
    )


def test_a_dry_run_counts_the_calls_that_would_be_made(
    server: Loopback, tmp_path: Path
) -> None:
    lines = [
        {"id": "a", "question": "Why?"},
        {"id": "b", "question": "When?", "references": REFERENCES, "iterations": 0},
    ]
    options = ["--corpus", "example", "--model", "openai/lb", "--iterations", "2"]
    told = json.loads(
        questions(tmp_path, lines, *options, "--dry-run", "--output", "json").stdout
    )
    assert (told["questions"], told["calls"], told["least_calls"]) == (
        2,
        3 * 2 + 2,
        2 + 2,
    )
    assert told["usage"]["input"] > 1000
    assert server.requests == []
    assert not (tmp_path / "out").exists()
    server.answer = answering(again=True)
    assert questions(tmp_path, [lines[1]], *options).returncode == 0
    assert len(server.requests) == 2


def test_a_budget_stops_the_calls(server: Loopback, tmp_path: Path) -> None:
    server.answer = answering()
    lines = [
        {"id": f"q{n}", "question": f"Why {n}?", "references": REFERENCES}
        for n in range(6)
    ]
    assert (
        questions(
            tmp_path, lines, "--model", "openai/lb", "--budget-tokens", "60"
        ).returncode
        == 3
    )
    assert 60 <= 18 * len(server.requests) < 60 + 18
    assert questions(tmp_path, lines, "--model", "openai/lb").returncode == 0
    assert len(server.requests) == 12


RAGAS = {
    "user_input": "When was it built?",
    "response": "In 1873 [1].",
    "retrieved_contexts": ["Built in 1873."],
    "reference": "1873",
}


def test_answers_are_verified_and_nothing_is_generated(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = answering()
    lines = [
        {
            "id": "own",
            "question": "When was it built?",
            "answer": "In 1873 [1].",
            "references": REFERENCES,
            "answers": ["1873"],
        },
        RAGAS,
        {
            "question": "When was it built?",
            "answer": "In 1901.",
            "contexts": ["Built in 1873."],
            "ground_truth": "1873",
            "topic": "towers",
        },
        {
            "query": "When?",
            "response": "In 1873.",
            "retrieved_context": [{"doc_id": "d1", "text": "Built in 1873."}],
            "gt_answer": "1873",
        },
    ]
    done = answers(tmp_path, lines, "--model", "verifier=openai/lb")
    assert done.returncode == 0, done.stderr
    assert [row["id"] for row in summary(tmp_path)] == ["own", "2", "3", "4"]
    assert len(server.requests) == 4
    assert all('"bias"' in body["messages"][1]["content"] for body in server.requests)
    header, *events = documents(tmp_path / "out" / "2.yaml")
    assert (
        header["task"]["answer"],
        header["task"]["answers"],
        header["task"]["corpus"],
    ) == ("In 1873 [1].", ["1873"], "given")
    assert [event["event"] for event in events] == [
        "retrieval",
        "answer",
        "check",
        "verification",
        "result",
    ]
    assert (events[1]["model"], events[-1]["stopped_by"]) == ("given", "single")
    told = report(tmp_path)
    assert (told["accuracy"]["count"], told["accuracy"]["of"]) == (3, 4)
    assert told["reference_accuracy_first"]["count"] == 4
    assert told["verified_by"] == {"verifier": ["openai/lb"], "built_in": []}
    assert "verified by openai/lb\n" in done.stdout
    assert told["scores"]["correctness"] == {
        "value": 0.8,
        "low": 0.8,
        "high": 0.8,
        "of": 4,
        "clusters": 2,
        "excluded": 0,
    }


def test_answers_without_references(tmp_path: Path) -> None:
    alone = {"question": "What do bees make?", "answer": "Honey."}
    refused(answers(tmp_path, [alone]), "line 1", "references", "--corpus")
    done = answers(tmp_path, [alone], "--corpus", "example")
    assert done.returncode == 0, done.stderr
    assert documents(tmp_path / "out" / "1.yaml")[0]["task"]["corpus"] == "example"


def test_accepted_answers_stand_in_for_references_and_are_not_counted_as_found(
    tmp_path: Path,
) -> None:
    done = answers(
        tmp_path,
        [{"question": "What do bees make?", "answer": "Honey.", "answers": ["Honey"]}],
    )
    assert done.returncode == 0, done.stderr
    assert (
        documents(tmp_path / "out" / "1.yaml")[1]["references"][0]["title"]
        == "Accepted answer"
    )
    assert report(tmp_path)["accuracy"]["count"] == 1
    assert report(tmp_path)["reference_accuracy_first"] is None


def test_empty_answers_count_as_wrong_and_are_told(tmp_path: Path) -> None:
    """Nine answers of ten are empty: one of ten is right, not one of one."""
    lines = [{**RAGAS, "response": " " if n % 2 else None} for n in range(9)] + [RAGAS]
    done = answers(tmp_path, lines, "--fail-under", "accuracy=.5")
    assert done.returncode == 1, done.stderr
    assert "line 1: the answer of 1 is empty" in done.stderr
    assert "--fail-under accuracy: 0.1000 is under 0.5." in done.stderr
    assert "10 answers: 10 done" in done.stdout
    assert "right: 1 of 10" in done.stdout
    assert "9 without an answer, counted as wrong: 9 empty" in done.stdout
    told = report(tmp_path)
    assert (
        told["exact_match"]["of"],
        told["f1"]["of"],
        told["f1"]["value"] < 0.11,
        told["empty"],
    ) == (10, 10, True, 9)
    assert (told["accuracy_decided"]["count"], told["accuracy_decided"]["of"]) == (1, 1)
    assert [one["why"] for one in told["left_out"]] == ["empty"] * 9
    found = summary(tmp_path)
    assert [row["id"] for row in found] == [str(n) for n in range(1, 11)]
    assert (
        found[0]["file"],
        found[0]["status"],
        found[0]["result"],
        found[0]["left_out"],
    ) == (None, "done", None, "empty")
    assert [path.name for path in (tmp_path / "out").glob("*.yaml")] == ["10.yaml"]
    assert [
        row["id"] for row in rows((tmp_path / "out" / "failures.jsonl").read_text())
    ] == [str(n) for n in range(1, 10)]


def test_a_mean_of_the_few_that_could_be_measured_passes_no_gate(
    tmp_path: Path,
) -> None:
    lines = [{**RAGAS, "response": " "} for _ in range(9)] + [RAGAS]
    done = answers(
        tmp_path,
        lines,
        "--fail-over",
        "truthfulness=1",
        "--fail-under",
        "correctness=0",
    )
    assert done.returncode == 1
    assert (
        "--fail-over truthfulness: it could not be measured: 9 of 10 items are left out"
        in done.stderr
    )
    assert "--fail-under correctness: it could not be measured" in done.stderr
    assert (
        answers(
            tmp_path, lines, "--fail-over", "truthfulness=1", "--max-unread", "1"
        ).returncode
        == 0
    )


@pytest.mark.parametrize(
    "gate",
    [
        ["--fail-under", "accuracy_decided=0"],
        ["--fail-over", "judgements.false=1"],
        ["--fail-over", "uncited=1"],
        ["--fail-over", "empty_marks=1"],
    ],
)
def test_a_share_among_the_few_that_were_left_passes_no_gate(
    gate: list[str], tmp_path: Path
) -> None:
    many = {
        **RAGAS,
        "response": " ".join(f"The sentence {n} says something." for n in range(200)),
    }
    lines = [{**RAGAS, "response": " "} for _ in range(9)] + [many]
    done = answers(tmp_path, lines, *gate)
    assert done.returncode == 1
    assert (
        f"{gate[0]} {gate[1].partition('=')[0]}: it could not be measured: 9 of 10 items are left out"
        in done.stderr
    )
    assert answers(tmp_path, lines, *gate, "--max-unread", "1").returncode == 0


def test_sentences_and_replies_of_one_question_are_not_independent(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = prose
    said = " ".join(
        f"Sentence {n} says something{' [1]' if n % 3 else ''}." for n in range(30)
    )
    lines = [
        {
            **RAGAS,
            "user_input": f"Question {n // 5}?",
            "response": said if n < 10 else said.replace(" [1]", ""),
        }
        for n in range(20)
    ]
    assert answers(tmp_path, lines, "--model", "openai/lb").returncode == 0
    told = report(tmp_path)
    uncited = told["check"]["uncited"]
    assert (uncited["of"], uncited["clusters"], told["unread_share"]["clusters"]) == (
        600,
        4,
        4,
    )
    low, high = wilson(uncited["count"], 600) or (0, 0)
    assert uncited["high"] - uncited["low"] > 3 * (high - low)
    assert told["length"]["words"]["clusters"] == 4


def test_no_references_means_none_and_the_answer_is_scored(tmp_path: Path) -> None:
    wrong, right = {**RAGAS, "response": "In 1901."}, RAGAS
    lines = (
        [{**wrong, "retrieved_contexts": []} for _ in range(5)]
        + [{**right, "retrieved_contexts": []} for _ in range(4)]
        + [right]
    )
    done = answers(tmp_path, lines, "--fail-under", "accuracy=.6", "--max-unread", "1")
    assert done.returncode == 1, done.stderr
    assert "line 1: 1 has no references" in done.stderr
    told = report(tmp_path)
    assert (
        told["accuracy"]["count"],
        told["accuracy"]["of"],
        told["accuracy"]["missing"],
    ) == (5, 10, {})
    assert (told["no_references"], told["stopped_by"]["no-references"]) == (9, 9)
    assert {(one["why"], tuple(one["of"])) for one in told["left_out"]} == {
        ("no-references", ("scores", "check"))
    }
    assert (
        told["reference_accuracy_first"]["count"],
        told["reference_accuracy_first"]["of"],
    ) == (1, 10)
    assert documents(tmp_path / "out" / "1.yaml")[0]["task"]["references"] == []
    assert (
        answers(
            tmp_path, lines, "--fail-under", "accuracy=.5", "--max-unread", "1"
        ).returncode
        == 0
    )


def test_a_failed_line_is_wrong_and_fails_every_gate(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = lambda body: (
        Answer(status=401, error="no") if "Bad?" in str(body) else answering()(body)
    )
    lines = [
        {
            "id": name,
            "question": f"{name}?",
            "answers": ["1873"],
            "references": REFERENCES,
        }
        for name in ("Good", "Bad")
    ]
    done = questions(tmp_path, lines, "--model", "openai/lb", "--fail-over", "bias=1")
    assert done.returncode == 1
    assert "The gates are not passed: 1 of 2 lines failed" in done.stderr
    told = report(tmp_path)
    assert (
        told["accuracy"]["count"],
        told["accuracy"]["of"],
        told["accuracy"]["missing"],
    ) == (1, 2, {"failed": 1})
    assert told["scores"]["bias"]["excluded"] == 1
    failed = rows((tmp_path / "out" / "failures.jsonl").read_text())
    assert [(row["id"], row["why"], row["status"]) for row in failed] == [
        ("Bad", "failed", "failed")
    ]
    assert failed[0]["error"]


def test_lines_that_a_budget_stopped_fail_every_gate(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = answering()
    lines = [
        {
            "id": f"q{n}",
            "question": f"Why {n}?",
            "answers": ["1873"],
            "references": REFERENCES,
        }
        for n in range(4)
    ]
    more = [
        "--model",
        "openai/lb",
        "--concurrency",
        "1",
        "--budget-tokens",
        "36",
        "--fail-under",
        "accuracy=0",
    ]
    done = questions(tmp_path, lines, *more)
    assert done.returncode == 3
    assert "The gates are not passed: 3 of 4 lines are not finished" in done.stderr
    told = report(tmp_path)
    assert (
        told["accuracy"]["count"],
        told["accuracy"]["of"],
        told["accuracy"]["missing"],
    ) == (1, 4, {"stopped": 3})
    assert [one["why"] for one in told["left_out"]] == ["stopped"] * 3


def test_lines_that_do_not_say_what_is_right_are_told(tmp_path: Path) -> None:
    lines = [
        RAGAS,
        {name: value for name, value in RAGAS.items() if name != "reference"},
    ]
    done = answers(tmp_path, lines)
    told = report(tmp_path)
    assert (told["accuracy"]["count"], told["accuracy"]["of"]) == (1, 1)
    assert told["left_out"] == [{"id": "2", "why": "unlabelled", "of": ["accuracy"]}]
    assert "left out of figures: 1 unlabelled" in done.stdout


def test_a_report_names_who_verified(tmp_path: Path) -> None:
    done = answers(tmp_path, [RAGAS])
    assert done.stdout.splitlines()[0].endswith(
        "verified by lexical, no language model"
    )
    assert report(tmp_path)["verified_by"] == {
        "verifier": ["lexical"],
        "built_in": ["lexical"],
    }


def test_a_line_of_the_summary_says_what_it_came_to(tmp_path: Path) -> None:
    answers(
        tmp_path, [{**RAGAS, "response": "In 1873 [1]. It is tall. See [7]. And [ ]."}]
    )
    row = summary(tmp_path)[0]
    assert row["measures"]["accuracy"] is True
    assert row["measures"]["exact_match"] is False
    assert 0 < row["measures"]["f1"] < 1
    assert row["measures"]["reference_accuracy_first"] is True
    assert row["judgement"] in ("true", "false", "unclear")
    assert set(row["scores"]) == {
        "reference_correctness",
        "correctness",
        "citation_accuracy",
        "truthfulness",
        "bias",
        "conciseness",
    }
    assert (
        row["check"]["uncited"],
        row["check"]["unknown"],
        row["check"]["empty"],
    ) == (2, 1, 1)
    told = report(tmp_path)["check"]
    assert (
        told["uncited"]["count"],
        told["uncited"]["of"],
        told["unknown"]["count"],
        told["unknown"]["of"],
    ) == (2, 4, 1, 2)
    assert (row["cost"], row["cost_known"], row["unpriced"], row["unread"]) == (
        0.0,
        0.0,
        [],
        0,
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            {name: value for name, value in RAGAS.items() if name != "response"},
            ["line 1", "answer"],
        ),
        ({**RAGAS, "response": 5}, ["line 1", "response"]),
        ({**RAGAS, "user_input": None}, ["line 1", "question"]),
        ({**RAGAS, "retrieved_contexts": {"a": 1}}, ["line 1", "retrieved_contexts"]),
        ({**RAGAS, "id": 1.5}, ["line 1", "id"]),
    ],
)
def test_answers_that_are_wrong(
    line: dict[str, Any], words: list[str], tmp_path: Path
) -> None:
    refused(answers(tmp_path, [line]), *words)
    assert not (tmp_path / "out").exists()


def test_options_that_an_answer_has_no_use_for(tmp_path: Path) -> None:
    refused(answers(tmp_path, [RAGAS], "--iterations", "2"), "--iterations")
    refused(answers(tmp_path, [RAGAS], "--merge"), "--merge")
    refused(command("verify", write(tmp_path / "a.jsonl", [RAGAS])), "--into")
    refused(
        command("verify", tmp_path / "nowhere.jsonl", "--into", tmp_path / "out"),
        "nowhere.jsonl",
    )


def test_real_answers_of_real_systems(shared: Path, tmp_path: Path) -> None:
    done = command(
        "verify",
        shared / "ragchecker-human" / "pairs.jsonl",
        "--into",
        tmp_path / "out",
    )
    assert done.returncode == 0, done.stderr
    pairs = (shared / "ragchecker-human" / "pairs.jsonl").read_text().count("\n")
    told = report(tmp_path)
    unverified = told["empty"] + told["no_references"]
    assert told["done"] == told["accuracy"]["of"] == 2 * pairs > 100
    assert told["scores"]["reference_correctness"]["of"] == 2 * pairs - unverified
    assert (
        len(told["left_out"])
        == unverified
        == done.stderr.count("is empty;") + done.stderr.count("has no references;")
    )


def test_gold_passages_are_measured_and_held_to_a_bound(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name, text in (("vern", REFERENCES[0]), ("tea", "Tea is made of leaves.")):
        (tmp_path / "docs" / f"{name}.txt").write_text(str(text))
    lines = [
        {
            "id": "found",
            "question": "Who built the lighthouse of Vern?",
            "gold": ["vern.txt"],
        },
        {
            "id": "half",
            "question": "What is tea made of?",
            "gold": [{"text": "Tea is made of leaves."}, "milk.txt"],
        },
        {"id": "nothing", "question": "Xyzzy plugh?", "gold": {"docs/tea.txt": 2}},
        {"id": "unlabelled", "question": "What is made of leaves?"},
    ]
    more = [
        "--corpus",
        tmp_path / "docs",
        "--iterations",
        "0",
        "--no-final-check",
        "--fail-under",
        "recall=.9",
    ]
    done = questions(tmp_path, lines, *more)
    assert done.returncode == 1, done.stderr
    assert "--fail-under recall: 0.5000 is under 0.9." in done.stderr
    found = report(tmp_path)["retrieval"]
    assert (found["recall"]["value"], found["recall"]["of"], found["missing"]) == (
        0.5,
        3,
        {"no-references": 1},
    )
    assert (found["hit_rate"]["count"], found["hit_rate"]["of"]) == (2, 3)
    assert 0 <= found["recall"]["low"] < 0.5 < found["recall"]["high"] <= 1
    assert report(tmp_path)["retrieval_first"]["mrr"] == found["mrr"]
    assert [row["measures"]["recall"] for row in summary(tmp_path)] == [
        1.0,
        0.5,
        0.0,
        None,
    ]
    assert {(one["id"], tuple(one["of"])) for one in report(tmp_path)["left_out"]} >= {
        ("unlabelled", ("retrieval",))
    }
    assert "gold passages of 3 questions" in done.stdout


def test_bad_lines_are_skipped_where_that_is_wanted_and_counted(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "question": "When?", "references": REFERENCES},
        {"id": "b", "question": "Why?", "k": 99},
        {"id": "c"},
    ]
    more = ["--iterations", "0", "--no-final-check"]
    done = questions(tmp_path, lines, *more)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 2), done.stderr
    assert not (tmp_path / "out").exists()
    done = questions(tmp_path, lines, *more, "--skip-bad", "--fail-over", "skipped=1")
    assert done.returncode == 1, done.stderr
    assert "--fail-over skipped: 2.0000 is over 1." in done.stderr
    assert (
        "line 2: k must be" in done.stderr,
        "line 3: there is no “question”" in done.stderr,
    ) == (True, True)
    assert (report(tmp_path)["lines"], report(tmp_path)["skipped"]) == (1, 2)
    assert "passed over: 2" in done.stdout
