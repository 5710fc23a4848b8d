"""`ask --questions` and `verify`: lines, reports, bounds for use in CI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.metrics.intervals import clustered_share
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


def shown(done: Done) -> str:
    """What a command printed, on one line."""
    return " ".join(done.stdout.split())


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
    names = ("accuracy", "accuracy_decided", "accuracy_first", "webglm", "contains")
    for name in (*names, "contains_paper", "reference_accuracy_first"):
        figure = told[name]
        assert (figure["value"], figure["count"], figure["of"]) == (0.5, 1, 2), name
        assert figure["low"] < 0.5 < figure["high"]
    assert told["accepted_by"]["contains"] == 1
    assert told["exact_match"]["count"] == 0
    assert 0 < told["f1"]["value"] < 1
    assert told["length_words"]["n"] == 3
    assert told["correctness"]["n"] == 3
    assert "bias" not in told  # lexical measures none
    assert sum(told["judgements"].values()) >= 3
    assert {name for name in told if name.startswith("clause_")} == {
        "clause_reference_correctness",
        "clause_correctness",
        "clause_truthfulness",
        "clause_judgement",
        "clause_revised_query",
    }
    assert told["decided"]["value"] == 1
    assert told["unread"]["value"] == 0
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
    fired = told["clause_revised_query"]
    assert (fired["value"], fired["covered"], told["unread"]["value"]) == (1, 1, 0)
    assert told["judgements"] == {"false": 2}
    assert told["stopped_by"] == {"limit": 1}
    assert "accuracy, first answer 0.0%" in shown(done)


def prose(body: dict[str, Any]) -> Answer:
    """A verifier that talks instead of scoring."""
    if '"bias"' in body["messages"][1]["content"]:
        return Answer("Hm.")
    return answering()(body)


def test_a_measure_of_the_text_ignores_what_the_verifier_said(
    server: Loopback, tmp_path: Path
) -> None:
    """Ten wrong answers and a verifier that replies in prose: nobody decided, and all
    ten are wrong.
    """
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
    assert "--fail-under accuracy: 0.0000 is below 0.5." in done.stderr
    assert "accuracy: 0.0% (95 % interval 0.0 to 27.8%; n 10 of 10)" in shown(done)
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
    decided, unread = told["decided"], told["unread"]
    assert (decided["count"], decided["of"]) == (10, 10)
    assert "bias" not in told
    assert (unread["value"], unread["of"]) == (1.0, 10)
    assert (unread["low"], unread["high"]) == (pytest.approx(0.7085, abs=1e-4), 1.0)
    failed = rows((tmp_path / "out" / "failures.jsonl").read_text())
    assert [row["why"] for row in failed] == ["unread"] * 10
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
        "a gate tolerates one unread reply in twenty, unless it is told to "
        "tolerate more"
    )
    assert "--max-unread: 100.0% of the replies could not be read" in done.stderr


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
        told["accuracy"]["unanswered"],
    ) == (1, 3, {"no-references": 2})
    assert (
        told["accuracy_decided"]["count"],
        told["accuracy_decided"]["of"],
        told["accuracy_decided"]["missing"],
    ) == (1, 1, {"no-references": 2})
    assert (told["f1"]["of"], told["decided"]["count"]) == (3, 1)
    assert told["stopped_by"]["no-references"] == 2
    assert [(one["id"], one["why"]) for one in told["left_out"]] == [
        ("nothing", "no-references"),
        ("none", "no-references"),
    ]
    assert "accuracy: 33.3% (" in shown(done)
    assert "n 3 of 3)" in shown(done)
    assert "counted as wrong: 2 no-references" in shown(done)
    found = told["reference_accuracy_first"]
    assert (found["count"], found["of"], "missing" in found) == (1, 3, False), (
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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["has no lines; each line is"]),
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
    more: list[str],
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
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
        for n in range(60)
    ]
    model = ["--model", "openai/lb"]
    done = questions(tmp_path, lines, *model, "--budget-tokens", "1500")
    assert done.returncode == 3
    assert 1500 - 18 < 18 * len(server.requests) <= 1500
    assert questions(tmp_path, lines, *model).returncode == 0
    assert len(server.requests) == 120


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
    correctness = told["correctness"]
    assert 0 < correctness.pop("low") < 0.8 < correctness.pop("high") < 1
    assert correctness == {
        "value": 0.8,
        "n": 4,
        "of": 4,
        "clusters": 2,
        "covered": 4,
        "certified": None,
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
    assert "reference_accuracy_first" not in report(tmp_path)


def test_empty_answers_count_as_wrong_and_are_told(tmp_path: Path) -> None:
    """Nine answers of ten are empty: one of ten is right, not one of one."""
    lines = [{**RAGAS, "response": " " if n % 2 else None} for n in range(9)] + [RAGAS]
    done = answers(tmp_path, lines, "--fail-under", "accuracy=.5")
    assert done.returncode == 1, done.stderr
    assert "line 1: the answer of 1 is empty" in done.stderr
    assert "--fail-under accuracy: 0.1000 is below 0.5." in done.stderr
    assert "10 answers: 10 done" in done.stdout
    assert "accuracy: 10.0% (" in shown(done)
    assert "n 10 of 10)" in shown(done)
    assert "counted as wrong: 9 empty" in shown(done)
    told = report(tmp_path)
    assert (
        told["exact_match"]["of"],
        told["f1"]["of"],
        told["f1"]["value"] < 0.11,
        told["accuracy"]["unanswered"],
    ) == (10, 10, True, {"empty": 9})
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
        "“truthfulness” covers 1 of 10 input lines (10.0%), but --min-coverage "
        "requires 95.0%. Missing: 9 empty." in done.stderr
    )
    assert "“correctness” covers 1 of 10 input lines" in done.stderr
    assert (
        answers(
            tmp_path, lines, "--fail-over", "truthfulness=1", "--min-coverage", ".1"
        ).returncode
        == 0
    )


@pytest.mark.parametrize(
    "gate",
    [
        ["--fail-under", "accuracy_decided=0"],
        ["--fail-over", "judged_false=1"],
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
        f"“{gate[1].partition('=')[0]}” covers 1 of 10 input lines (10.0%), but "
        f"--min-coverage requires 95.0%. Missing: 9 empty." in done.stderr
    )
    assert answers(tmp_path, lines, *gate, "--min-coverage", ".1").returncode == 0


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
    uncited = told["uncited"]
    assert (uncited["n"], uncited["clusters"], told["unread"]["clusters"]) == (
        20,
        4,
        4,
    )
    assert uncited["value"] == pytest.approx(400 / 600)
    alone = clustered_share((n, n < 400) for n in range(600))
    assert alone is not None
    assert uncited["high"] - uncited["low"] > 3 * (alone.high - alone.low)
    assert told["length_words"]["clusters"] == 4


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
        "unanswered" in told["accuracy"],
    ) == (5, 10, False)
    assert told["stopped_by"]["no-references"] == 9
    left_out = told["left_out"]
    assert [one["why"] for one in left_out] == ["no-references"] * 9
    assert {"correctness", "uncited"} <= set(left_out[0]["of"])
    assert not {"accuracy", "f1"} & set(left_out[0]["of"])
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
        Answer(status=401, error="no")
        if "Bad built?" in str(body)
        else answering()(body)
    )
    lines = [
        {
            "id": name,
            "question": f"When was {name} built?",
            "answers": ["1873"],
            "references": REFERENCES,
        }
        for name in ("Good", "Bad")
    ]
    done = questions(tmp_path, lines, "--model", "openai/lb", "--fail-over", "bias=1")
    assert done.returncode == 1
    assert (
        "“bias” covers 1 of 2 input lines (50.0%), but --min-coverage requires "
        "95.0%. Missing: 1 failed." in done.stderr
    )
    told = report(tmp_path)
    assert (
        told["accuracy"]["count"],
        told["accuracy"]["of"],
        told["accuracy"]["unanswered"],
    ) == (1, 2, {"failed": 1})
    assert (told["bias"]["n"], told["bias"]["missing"]) == (1, {"failed": 1})
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
            "question": f"When was it built, {n}?",
            "answers": ["1873"],
            "references": REFERENCES,
        }
        for n in range(100)
    ]
    more = [
        "--model",
        "openai/lb",
        "--concurrency",
        "1",
        "--budget-tokens",
        "1800",
        "--fail-under",
        "accuracy=0",
    ]
    done = questions(tmp_path, lines, *more)
    assert done.returncode == 3
    assert (
        "“accuracy” covers 50 of 100 input lines (50.0%), but --min-coverage "
        "requires 95.0%. Missing: 50 not finished." in done.stderr
    )
    told = report(tmp_path)
    assert (
        told["accuracy"]["count"],
        told["accuracy"]["of"],
        "unanswered" in told["accuracy"],
    ) == (50, 50, False)
    assert [one["why"] for one in told["left_out"]] == ["stopped"] * 50


def test_lines_that_do_not_say_what_is_right_are_told(tmp_path: Path) -> None:
    lines = [
        RAGAS,
        {name: value for name, value in RAGAS.items() if name != "reference"},
    ]
    done = answers(tmp_path, lines)
    told = report(tmp_path)
    assert (told["accuracy"]["count"], told["accuracy"]["of"]) == (1, 1)
    [left_out] = told["left_out"]
    assert (left_out["id"], left_out["why"]) == ("2", "unlabelled")
    assert {"accuracy", "f1", "reference_accuracy_first"} <= set(left_out["of"])
    assert not {"correctness", "uncited", "decided"} & set(left_out["of"])
    assert "Some figures exclude lines (1)." in shown(done)


def test_a_report_names_who_verified(tmp_path: Path) -> None:
    done = answers(tmp_path, [RAGAS])
    assert "0 not finished; verified by lexical, not a language model" in shown(done)
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
    assert sum(row["judgements"].values()) == 1
    assert set(row["judgements"]) < {"true", "false", "unclear"}
    assert {
        "reference_correctness",
        "correctness",
        "citation_accuracy",
        "truthfulness",
        "conciseness",
    } < set(row["measures"])
    assert "bias" not in row["measures"]  # lexical measures none
    told = report(tmp_path)
    for name, value in (("uncited", 2 / 4), ("unknown", 1 / 2), ("empty_marks", 1)):
        assert row["measures"][name] == told[name]["value"] == value
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
    empty = told["accuracy"]["unanswered"].get("empty", 0)
    unverified = empty + told["stopped_by"].get("no-references", 0)
    assert told["done"] == told["accuracy"]["of"] == 2 * pairs > 100
    left_out = {one["id"] for one in told["left_out"]}
    assert told["reference_correctness"]["of"] == 2 * pairs - unverified
    assert (
        len(left_out)
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
    assert "--fail-under recall: 0.5000 is below 0.9." in done.stderr
    found = report(tmp_path)
    assert (
        found["recall"]["value"],
        found["recall"]["of"],
        found["recall"]["unanswered"],
    ) == (0.5, 3, {"no-references": 1})
    assert (found["hit_rate"]["count"], found["hit_rate"]["of"]) == (2, 3)
    assert 0 <= found["recall"]["low"] < 0.5 < found["recall"]["high"] <= 1
    assert found["mrr_first"] == found["mrr"]
    assert [row["measures"].get("recall") for row in summary(tmp_path)] == [
        1.0,
        0.5,
        0.0,
        None,
    ]
    assert {(one["id"], name) for one in found["left_out"] for name in one["of"]} >= {
        ("unlabelled", "recall")
    }
    assert "of the gold" in shown(done)


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
    assert "--fail-over skipped: 2.0000 is above 1." in done.stderr
    assert (
        "line 2: k must be" in done.stderr,
        "line 3: there is no “question”" in done.stderr,
    ) == (True, True)
    assert (report(tmp_path)["lines"], report(tmp_path)["skipped"]) == (1, 2)
    assert "Invalid lines of the file, skipped: 2" in shown(done)
