"""Where replies put their answers, from the model's server to the accuracy of a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.tests.support.commanding import command, rows
from verifytui.tests.support.loopback import Answer, Body, Loopback

WORKED = "There are 4 boxes of 6 apples.\n4 * 6 = 24\n"
ENDINGS = {
    "hashes": (WORKED + "#### 24", "24"),
    "box": (WORKED + "\\[\n\\boxed{24}\n\\]", "24"),
    "tag": (WORKED + "<answer>24</answer>", "24"),
    "object": (WORKED + '{"answer": 24}', "24"),
    "total": (WORKED + "So they have in total: **24**", "24"),
    "chinese": ("四个盒子，每个六个苹果。\n因此，一共是24", "24"),
    "sentence": ("It turns around itself as it rolls. Answer: 1.", "1"),
}


def replying(near: str | None = None) -> object:
    """A server that ends each reply in its own way; `near`: in place of the answer."""

    def reply(body: Body) -> Answer:
        asked = str(body["messages"])
        name = next(name for name in ENDINGS if f"Question {name}?" in asked)
        text, gold = ENDINGS[name]
        if near is not None:
            head, _, tail = text.rpartition(gold)
            text = head + near + tail
        return Answer(text)

    return reply


def asked(tmp_path: Path, near: str | None = None) -> tuple[Path, list[str]]:
    """The folder of a batch with a topic for each ending."""
    lines = [
        {"id": name, "topic": f"Question {name}?", "answers": [gold]}
        for name, (_, gold) in ENDINGS.items()
    ]
    topics = tmp_path / "topics.jsonl"
    topics.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    into = tmp_path / ("near" if near else "out")
    done = command(
        "solo", "--topics", topics, "--into", into, "--model", "openai/lb",
        "--strategy", "cot",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return into, done.stdout.split()


@pytest.mark.slow
def test_every_ending_is_found_and_counted_as_right(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = replying()
    into, printed = asked(tmp_path)
    report = json.loads((into / "report.json").read_text())
    assert (report["accuracy"]["count"], report["accuracy"]["of"]) == (7, 7)
    assert "100.0%" in printed
    summary = rows((into / "summary.jsonl").read_text())
    assert [row["result"]["answer"] for row in summary] == [
        gold for _, gold in ENDINGS.values()
    ]


def test_another_number_at_every_ending_is_wrong(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = replying("25")
    into, _ = asked(tmp_path, "25")
    report = json.loads((into / "report.json").read_text())
    assert (report["accuracy"]["count"], report["accuracy"]["of"]) == (0, 7)
    assert report["left_out"] == []


@pytest.mark.parametrize("name", ENDINGS)
def test_a_person_may_end_a_reply_so_too(name: str) -> None:
    text, gold = ENDINGS[name]
    done = command(
        "solo", "How many are there?", "--model", "human", "--strategy", "cot",
        "--no-save", "--output", "json", stdin=f"{text}\n.\n",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert rows(done.stdout)[-1]["answer"] == gold
