"""A folder that an earlier version began goes on: nothing is asked again, and new
questions are asked in the same words, but for the mark. `before/` holds its files, the
values that it gave, and digests of its requests.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.figures.judge.answers import EQUIVALENCE, read_answers
from verifytui.tests.support import judges
from verifytui.tests.support.loopback import Body, Loopback

BEFORE = Path(__file__).parent / "before"
GIVEN = json.loads((BEFORE / "values.json").read_text())


def unmarked(body: Body) -> Body:
    """A request without what asks for a mark."""
    messages = [
        {**one, "content": one["content"].rpartition("\n\n")[0]}
        if one["role"] == "user"
        else one
        for one in body["messages"]
    ]
    schema = copy.deepcopy(body.get("response_format"))
    if schema is not None:
        inner = schema["json_schema"]["schema"]
        del inner["properties"]["mark"]
        inner["required"].remove("mark")
    return {**body, "messages": messages, "response_format": schema}


def digest(body: Body) -> str:
    body = unmarked(body)
    names = ("model", "messages", "response_format", "temperature")
    parts = {name: body.get(name) for name in names}
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


async def everything(folder: Path, server: Loopback) -> dict[str, Any]:
    config = judges.config_of(server)
    values: dict[str, Any] = {}
    for spec in judges.MEASURES:
        measured, left = await judges.measure(spec, folder, config)
        states = [[one.value, one.state] for one in measured]
        name = spec.get("name") or f"judge-{spec['judge']}"
        values[name] = {"left": left, "values": states}
    for model in ("gpt4", "jury"):
        values[f"equivalence-{model}"] = await judges.compare(folder, config, model)
    return values


@pytest.fixture
def server(home: object, loopback: Loopback) -> Loopback:
    loopback.answer = judges.reply
    return loopback


async def test_judges_are_asked_in_the_same_words_as_before(
    server: Loopback, tmp_path: Path
) -> None:
    assert await everything(tmp_path, server) == GIVEN["values"]
    assert sorted(map(digest, server.requests)) == GIVEN["requests"]


async def test_a_folder_begun_before_is_not_asked_again(
    server: Loopback, tmp_path: Path
) -> None:
    for path in BEFORE.glob("*.jsonl"):
        shutil.copy(path, tmp_path)
    values = await everything(tmp_path, server)
    for name, expected in GIVEN["values"].items():
        if not name.startswith("equivalence"):
            failed = [state for _, state in expected["values"]].count("failed")
            orders = 2 if name == "judge-preference" else 1
            expected = {**expected, "left": failed * orders}
        assert values[name] == expected
    texts = [body["messages"][1]["content"] for body in server.requests]
    assert texts
    assert all(judges.REFUSED in text for text in texts)


@pytest.mark.parametrize("path", sorted(BEFORE.glob("*.jsonl")), ids=lambda p: p.stem)
async def test_lines_keep_all_their_fields(path: Path) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    answers = read_answers(path)
    assert len(answers) == len(lines)
    for line, answer in zip(lines, answers, strict=True):
        written = answer.line
        about = line.get("about", "same")
        assert written == {**line, "about": about, "prompts": ""}


async def test_a_new_line_says_who_answered_and_by_which_prompts(
    server: Loopback, tmp_path: Path
) -> None:
    await everything(tmp_path, server)
    for path in tmp_path.glob("*.jsonl"):
        for answer in read_answers(path):
            members = [vote.model for vote in answer.votes or ()]
            if members and not answer.error:
                assert {*members} == {"judge-gpt4", "judge-small"}
                assert re.fullmatch(r"jury: .*, .* \(\w+\)", answer.model)
            elif not answer.error:
                assert answer.model == "judge-gpt4"
            assert answer.prompts.startswith("sha256:")
    known = {answer.prompts for answer in read_answers(tmp_path / EQUIVALENCE)}
    assert len(known) == 2  # English and Chinese
