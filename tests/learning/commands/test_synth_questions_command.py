"""`synth questions` as typed: written and checked by a model, by patterns without one,
accepted by a person, and swept over.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pexpect
import pytest
import yaml
from verifytui.learning.synth.questions.candidates import (
    Candidate,
    copied,
    read_written,
)
from verifytui.sessions.journal import read_session
from verifytui.tests.support.commanding import COMMAND, Done, command, refused, rows
from verifytui.tests.support.loopback import Answer, Body, Loopback

MANY = 9
FILLER = "It is one of the numbers that people know by heart in this place."


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(MANY):
        (folder / f"{n}.md").write_text(f"Number {n} means v{n}x. {FILLER}")
    return folder


def speaking(body: Body) -> Answer:
    """A writer, and who answers from references alone; from number 0 the writer's
    answer is not in its passage, of number 1 everybody knows the answer, and the
    question for number 2 is copied.
    """
    system, asked = (one["content"] for one in body["messages"][:2])
    numbers = re.findall(r"Number (\d) means", asked)
    if "You write questions" in system:
        return Answer(json.dumps(_written(asked, numbers)))
    wanted = re.findall(r"value (\d)", asked.rpartition("Question:")[2])
    if "copied" in asked or not wanted:
        return Answer("The references do not hold the answer.")
    held = [n for n in wanted if n in numbers or n == "1"]
    if len(held) < len(wanted):
        return Answer("The references do not hold the answer.")
    return Answer(" and ".join(f"v{n}x" for n in held) + " [1].")


def _written(asked: str, numbers: list[str]) -> dict[str, str]:
    first = numbers[0]
    if "does not answer" in asked:
        return {"question": f"Who discovered the thing beside {first}?"}
    if "words1" in asked:
        one, two = numbers[:2]
        answer = f"v{one}x and v{two}x"
        words = {"words1": f"v{one}x", "words2": f"v{two}x"}
        return {
            "question": f"Say value {one} and value {two}.",
            "answer": answer,
            **words,
        }
    if first == "2":
        copy = f"{FILLER[:-1]}, value 2"
        return {"question": copy, "answer": "v2x"}
    answer = "nowhere" if first == "0" else f"v{first}x"
    return {"question": f"Which is value {first}?", "answer": answer}


def synth(docs: Path, *more: str | Path, into: str = "out") -> Done:
    folder = docs.parent / into
    return command("synth", "questions", "--corpus", docs, "--into", folder, *more)


COUNTS = ("--single", str(MANY), "--multi", "0", "--unanswerable", "0")


@pytest.mark.slow
def test_a_model_writes_and_checks(docs: Path, server: Loopback) -> None:
    server.answer = speaking
    seat = ("--model", "openai/lb")
    dry = synth(docs, *COUNTS, *seat, "--dry-run", "--output", "json")
    assert dry.returncode == 0, dry.stderr
    assert json.loads(dry.stdout)["steps"].keys() == {"written", "checked"}
    assert server.requests == []
    done = synth(docs, *COUNTS, *seat, "--output", "json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["written_by"] == "openai/lb"
    assert report["language_model"] is True
    left_out = {"not-in-span": 1, "answered-without": 1, "copied": 1}
    assert report["left_out"] == left_out
    assert report["kept"] == {"single": MANY - 3, "multi": 0, "unanswerable": 0}
    into = docs.parent / "out"
    for row in rows((into / "questions.jsonl").read_text()):
        (gold,) = row["gold"]
        text = (docs / Path(gold["file"]).name).read_text()
        assert row["answers"][0] in text[gold["start"] : gold["end"]]
        assert text[gold["start"] : gold["end"]].startswith("Number")
        assert FILLER not in text[gold["start"] : gold["end"]]
    first = next((into / "written").glob("single-*.yaml"))
    assert "You write questions" in str(read_session(first).header.prompts.templates)
    before = len(server.requests)
    again = synth(docs, *COUNTS, *seat, "--output", "json")
    assert json.loads(again.stdout) == report
    assert len(server.requests) == before
    refused(synth(docs, *seat, "--single", "1"), "single")


@pytest.mark.slow
def test_several_passages_and_no_answer(docs: Path, server: Loopback) -> None:
    for n in range(3):
        (docs / f"{n}.md").unlink()
    server.answer = speaking
    counts = ("--single", "0", "--multi", "3", "--unanswerable", "3")
    done = synth(docs, *counts, "--model", "openai/lb", "--output", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kept"] == {
        "single": 0,
        "multi": 3,
        "unanswerable": 3,
    }
    into = docs.parent / "out"
    for row in rows((into / "questions.jsonl").read_text()):
        assert len({gold["file"] for gold in row["gold"]}) == 2
    assert len(rows((into / "unanswerable.jsonl").read_text())) == 3


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    folder = tmp_path / "settings"
    folder.mkdir()
    for n in range(6):
        (folder / f"s{n}.md").write_text(
            f"# Service {n}\n\nThe setting `svc-{n}` limits the things that are kept. "
            f"The default is {1234 + n}. More needs more memory.\n"
        )
        (folder / f"z{n}.md").write_text(
            f"# 服务 {n}\n\n参数 `zh-{n}` 限制保留的条目数量，影响内存的占用和响应速度。"
            f"默认值为 {4321 + n}。数值越大，占用的内存也就越多，启动也就越慢。\n"
        )
    return folder


@pytest.mark.slow
def test_patterns_need_no_model_and_the_printed_study_runs(
    settings: Path, tmp_path: Path
) -> None:
    counts = ("--single", "6", "--multi", "1", "--unanswerable", "1")
    done = synth(settings, *counts)
    assert done.returncode == 0, done.stderr
    assert "lexical, which is not a language model" in done.stdout
    found = {
        row["question"]: row["answers"]
        for row in rows((tmp_path / "out" / "questions.jsonl").read_text())
    }
    assert len(found) >= 6
    for question, answers in found.items():
        for number, answer in zip(
            re.findall(r"(?:svc|zh)-(\d)", question),
            answers[0].split(", "),
            strict=True,
        ):
            assert answer in (str(1234 + int(number)), str(4321 + int(number)))
    assert any("默认值" in one for one in found)
    assert any("default" in one for one in found)
    typed = done.stdout.splitlines()[-1].partition(": verifytui ")[2]
    swept = command(*shlex.split(typed), "--output", "json")
    assert swept.returncode == 0, swept.stderr
    study = yaml.safe_load((tmp_path / "out" / "sweep.yaml").read_text())
    assert study["base"]["corpus"] == str(settings)
    scores = rows((tmp_path / "out-sweep" / "scores.jsonl").read_text())
    recall = [one["value"] for one in scores if one["measure"] == "recall"]
    assert recall
    assert sum(recall) / len(recall) > 0.8


@pytest.mark.slow
def test_a_person_accepts_by_one_key(settings: Path, tmp_path: Path) -> None:
    counts = ("--single", "4", "--multi", "0", "--unanswerable", "0")
    assert synth(settings, *counts).returncode == 0
    words = ["--corpus", str(settings), "--into", str(tmp_path / "out"), *counts]
    shown = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], "synth", "questions", *words, "--accept", "4"],
        timeout=30,
        encoding="utf-8",
        cwd=str(tmp_path),
    )
    for key in "yynq":
        shown.expect("any other key: end")
        shown.send(key)
    shown.expect("2 of 3, 66.7%")
    shown.expect(pexpect.EOF)
    said = rows((tmp_path / "out" / "accepted.jsonl").read_text())
    assert [one["accepted"] for one in said] == [True, True, False]
    kept = {
        row["id"] for row in rows((tmp_path / "out" / "questions.jsonl").read_text())
    }
    assert said[2]["id"] not in kept
    assert len(kept) == 3
    left = json.loads((tmp_path / "out" / "report.json").read_text())
    assert left["left_out"] == {"refused": 1}
    assert left["accepted"]["low"] < 2 / 3 < left["accepted"]["high"]


@pytest.mark.slow
def test_what_cannot_begin_is_refused_before_a_call(docs: Path, tmp_path: Path) -> None:
    refused(synth(tmp_path / "nowhere"), "nowhere")
    refused(synth(docs), "no passage to ask about")
    refused(synth(docs, "--model", "openai/lb"), "OPENAI_API_KEY")
    refused(synth(docs, "--budget-usd", "0"), "more than 0")


def _candidate(kind: Any, *texts: str) -> Candidate:
    spans = [
        {"file": f"{n}.md", "start": 10, "end": 10 + len(text), "text": text}
        for n, text in enumerate(texts)
    ]
    return Candidate(id="x", kind=kind, references=spans)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ('{"question": "How high is it?", "answer": "333 METRES"}', ""),
        ('```json\n{"question": "How high?", "answer": "333 metres"}\n```', ""),
        ('{"question": "How high?", "answer": "334 metres"}', "not-in-span"),
        ('{"question": "", "answer": "333 metres"}', "unread"),
        ('{"question": "How high?"}', "unread"),
        ("No.", "unread"),
    ],
)
def test_a_writers_reply_is_read(reply: str, why: str) -> None:
    one = _candidate("single", "It is old. It is 333 metres high! It is red.")
    read_written(one, reply)
    assert one.why == why
    if not why:
        (gold,) = one.gold
        assert gold["text"].strip() == "It is 333 metres high!"
        assert gold["start"] == 10 + len("It is old. ")


def test_half_of_the_runs_make_a_copy() -> None:
    text = "Der Turm steht seit dem Jahr 1889 auf dem Feld in Paris"
    assert copied(
        "Is it so that der turm steht seit dem jahr 1889 auf dem feld?", [text]
    )
    assert not copied("Since which year has there been a tower in Paris?", [text])
    assert copied(
        "这座塔自一八八九年起就矗立在巴黎吗", ["这座塔自一八八九年起就矗立在巴黎"]
    )
    assert not copied("Turm?", [text])
