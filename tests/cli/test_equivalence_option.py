"""`--equivalence MODEL`, chrF and BLEU of translations, and long accepted answers,
through the real command.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.tests.support.commanding import Done, command, debating, refused, rows
from verifytui.tests.support.judges import data_in
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow

RIGHT, WRONG = "one more than three", "one more than four"


def batch(tmp_path: Path, lines: list[dict[str, Any]], *more: str) -> Done:
    (tmp_path / "topics.jsonl").write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    )
    return command(
        "debate",
        "--topics",
        tmp_path / "topics.jsonl",
        "--into",
        tmp_path / "out",
        "--model",
        "openai/lb",
        *more,
    )


def report(tmp_path: Path) -> dict[str, Any]:
    return json.loads((tmp_path / "out" / "report.json").read_text())


def comparing(answers: dict[str, str], verdict: str | None = None) -> Any:
    """A server that debates, and that compares answers as asked: equal where the answer
    is `RIGHT`.
    """

    def answer(body: Body) -> Answer:
        if "accepted answers" in str(body["messages"]):
            same = data_in(body)["given answer"] == RIGHT
            return Answer(verdict or json.dumps({"reason": "So it is.", "same": same}))
        return debating(
            next(
                (said for name, said in answers.items() if name in str(body)), "nothing"
            )
        )(body)

    return answer


def test_a_model_compares_what_nothing_else_settles(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = comparing(
        {"Exact?": "4", "Value?": "about 4", "Model?": RIGHT, "Wrong?": WRONG}
    )
    lines = [
        {"id": name, "topic": f"{name}?", "answers": ["4"], "wrong_answers": ["5"]}
        for name in ("Exact", "Value", "Model", "Wrong")
    ]
    assert batch(tmp_path, lines, "--rounds", "1").returncode == 0
    assert report(tmp_path)["accepted_by"] == {"exact": 1, "value": 1}
    assert "equivalence" not in report(tmp_path)
    before = len(server.requests)
    done = batch(tmp_path, lines, "--rounds", "1", "--equivalence", "openai/judge")
    assert done.returncode == 0, done.stderr
    told = report(tmp_path)
    assert told["accepted_by"] == {"exact": 1, "value": 1, "model": 1}
    assert (told["accuracy"]["count"], told["accuracy"]["of"]) == (3, 4)
    assert told["traps"]["count"] == 0
    asked = server.requests[before:]
    assert [body["model"] for body in asked] == [
        "judge"
    ] * 3  # two with what is right, and one of them with the trap
    assert told["equivalence"] == {
        "models": ["openai/judge"],
        "asked": 3,
        "same": 1,
        "different": 2,
        "unread": 0,
        "failed": 0,
        "undecided": 0,
    }
    assert told["calls"] == len(server.requests)
    assert told["usage"]["input"] == 11 * len(server.requests)
    assert "accuracy: 75.0%" in done.stdout
    assert "exact 1, model 1, value 1" in done.stdout
    assert "answers compared by openai/judge: 3; same 1, different 2" in done.stdout
    assert [
        row["accepted_by"]
        for row in rows((tmp_path / "out" / "summary.jsonl").read_text())
    ] == ["exact", "value", "model", None]
    kept = rows((tmp_path / "out" / "equivalence.jsonl").read_text())
    assert sorted(
        (row["id"], row["of"], row["same"], row["reason"]) for row in kept
    ) == [  # they are kept as they come
        ("Model", "answers", True, "So it is."),
        ("Wrong", "answers", False, "So it is."),
        ("Wrong", "wrong_answers", False, "So it is."),
    ]
    count = len(server.requests)
    assert (
        batch(
            tmp_path, lines, "--rounds", "1", "--equivalence", "openai/judge"
        ).returncode
        == 0
    )
    assert len(server.requests) == count
    assert report(tmp_path) == told


def test_a_comparison_that_cannot_be_read_is_no_agreement(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = comparing({"Why?": RIGHT}, verdict="They agree, I would say.")
    lines = [{"id": "a", "topic": "Why?", "answers": ["4"]}]
    done = batch(
        tmp_path,
        lines,
        "--rounds",
        "1",
        "--equivalence",
        "openai/judge",
        "--fail-over",
        "accuracy=1",
    )
    assert done.returncode == 1, done.stderr
    told = report(tmp_path)
    assert told["accuracy"]["count"] == 0
    assert told["equivalence"] == {
        "models": ["openai/judge"],
        "asked": 1,
        "same": 0,
        "different": 0,
        "unread": 1,
        "failed": 0,
        "undecided": 0,
    }
    assert "--max-unread" in done.stderr


def test_a_comparison_that_fails_is_told_and_asked_again_next_time(
    server: Loopback, tmp_path: Path
) -> None:
    broken = comparing({"Why?": RIGHT})
    server.answer = lambda body: (
        Answer(status=400, error="no")
        if "accepted answers" in str(body["messages"])
        else broken(body)
    )
    lines = [{"id": "a", "topic": "Why?", "answers": ["4"]}]
    done = batch(tmp_path, lines, "--rounds", "1", "--equivalence", "openai/judge")
    assert done.returncode == 1
    assert "a: the answers were not compared:" in done.stderr
    assert report(tmp_path)["equivalence"]["failed"] == 1
    server.answer = broken
    assert (
        batch(
            tmp_path, lines, "--rounds", "1", "--equivalence", "openai/judge"
        ).returncode
        == 0
    )
    assert report(tmp_path)["accepted_by"]["model"] == 1


def test_what_the_option_needs(server: Loopback, tmp_path: Path) -> None:
    refused(
        batch(tmp_path, [{"id": "a", "topic": "Why?"}], "--equivalence", "lexical"),
        "--equivalence",
        "language model",
    )
    refused(
        command(
            *("debate", "Why?", "--model", "openai/lb"),
            *("--equivalence", "openai/judge"),
        ),
        "--equivalence applies to a batch; name its topics",
    )
    assert not server.requests


@pytest.mark.parametrize(("target", "cut"), [("en", "13a"), ("zh", "zh"), ("ja", None)])
def test_translations_have_chrf_and_bleu_and_no_accuracy(
    server: Loopback, tmp_path: Path, target: str, cut: str | None
) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    said = {"one": "It rains today, I think.", "two": "He goes home now."}
    if target != "en":
        said = {"one": "今天下雨了，我想。", "two": "他现在回家。"}
    server.answer = lambda body: debating(
        said["one"] if "Satz one" in str(body) else said["two"]
    )(body)
    references = {
        "one": said["one"].replace("I think", "I believe").replace("我想", "我认为"),
        "two": said["two"][:-3],
    }
    lines = [
        {
            "id": name,
            "topic": f"Satz {name}",
            "answers": [references[name]],
            "wrong_answers": [said[name]],
        }
        for name in said
    ]
    done = batch(
        tmp_path,
        lines,
        "--rounds",
        "1",
        "--kind",
        "translation",
        "--from",
        "de",
        "--to",
        target,
    )
    assert done.returncode == 0, done.stderr
    told = report(tmp_path)
    assert not {"accuracy", "traps"} & told.keys()
    part = told
    answers, streams = list(said.values()), [list(references.values())]
    assert part["chrf"]["value"] == pytest.approx(
        sacrebleu.CHRF().corpus_score(answers, streams).score
    )
    assert part["chrf"]["low"] <= part["chrf"]["value"] <= part["chrf"]["high"]
    if cut is None:
        assert "bleu" not in part
        assert part["unmeasured"] == {"bleu": {"no-segmenter": 2}}
        assert "Not measured: BLEU (2 in a language that needs a word segmenter)" in (
            " ".join(done.stdout.split())
        )
    else:
        assert part["bleu"]["value"] == pytest.approx(
            sacrebleu.BLEU(tokenize=cut).corpus_score(answers, streams).score
        )
    assert done.stdout.splitlines()[2].startswith("chrF: ")
    assert "right:" not in done.stdout
    measures = rows((tmp_path / "out" / "summary.jsonl").read_text())[0]["measures"]
    assert measures["chrf"] == pytest.approx(
        sacrebleu.CHRF().sentence_score(said["one"], [references["one"]]).score
    )


def test_containment_is_no_measure_where_accepted_answers_are_long(
    tmp_path: Path, home: Path
) -> None:
    long = (
        "It was begun in 1889 and has since then been the tallest tower of all in Paris"
    )
    short = {
        "question": "How high?",
        "answer": "It is 330 metres high [1].",
        "references": ["It is 330 m."],
        "answers": ["330 metres"],
    }
    lines = [
        {
            "question": "Why?",
            "answer": f"{long}, they say.",
            "references": [long],
            "answers": [long],
        }
        for _ in range(2)
    ]
    for kept, name in ((lines, "long"), ([*lines, short], "mixed")):
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in kept)
        )
    done = command("verify", tmp_path / "long.jsonl", "--into", tmp_path / "out")
    told = report(tmp_path)
    assert (told["accuracy"]["count"], told["accuracy"]["of"]) == (0, 2)
    assert not {"contains", "contains_paper"} & told.keys()
    long_answers = {"long-answers": 2}
    assert told["unmeasured"] == {
        "contains": long_answers,
        "contains_paper": long_answers,
    }
    assert (
        "Not measured: contains an accepted answer "
        "(2 whose accepted answers have more than ten words)"
        in " ".join(done.stdout.split())
    )
    done = command(
        "verify",
        tmp_path / "long.jsonl",
        "--into",
        tmp_path / "out",
        "--fail-under",
        "contains=.5",
    )
    assert done.returncode == 1
    assert "Missing: 2 whose accepted answers have more than ten words" in done.stderr
    command("verify", tmp_path / "mixed.jsonl", "--into", tmp_path / "mixed")
    told = json.loads((tmp_path / "mixed" / "report.json").read_text())
    assert (
        told["contains"]["count"],
        told["contains"]["of"],
        told["contains"]["missing"],
    ) == (1, 1, long_answers)
    assert [one["why"] for one in told["left_out"]] == ["long-answers"] * 2


def test_a_dry_run_counts_the_comparisons(server: Loopback, tmp_path: Path) -> None:
    lines = [
        {"id": "a", "topic": "What is one and one?", "answers": ["two"]},
        {"id": "b", "topic": "What is red?", "answers": ["a colour"]},
        {"id": "c", "topic": "What is not known?"},
    ]
    dry = ("--dry-run", "--output", "json")
    alone = json.loads(batch(tmp_path, lines, *dry).stdout)
    compared = ("--equivalence", "openai/cmp")
    found = json.loads(batch(tmp_path, lines, *dry, *compared).stdout)
    assert found["calls"] == alone["calls"] + 2
    assert found["usage"]["input"] > alone["usage"]["input"] + 100
    assert "openai/cmp" in found["unknown_prices"]
    assert not server.requests
