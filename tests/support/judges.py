"""What judges of answers are asked in tests, by every kind of judge."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from verifytui.engines.batches.budget import Budget
from verifytui.engines.batches.call_limiter import CallLimiter
from verifytui.engines.batches.equivalence import Equivalence
from verifytui.engines.figures.judge.answers import (
    Compared,
    JudgeInstructions,
    same_question,
)
from verifytui.engines.figures.judge.measure import JudgeMeasure
from verifytui.engines.figures.measure import Item, MeasuredValue
from verifytui.engines.models.config import Config, NamedModel, NamedPanel, TokenPrices
from verifytui.tests.support.loopback import Answer, Body, Loopback

RIGHT = "seven"
"""The answer that every judge likes."""
REFUSED = "nine"
"""The answer to which the server replies with an error."""
VAGUE = "a number"
"""The answer of which no reply can be read."""

MEASURES: tuple[dict[str, Any], ...] = (
    {"judge": "ambiguity", "model": "gpt4"},
    {"judge": "correctness", "model": "gpt4", "temperature": 0.5},
    {"judge": "correctness", "model": "jury", "name": "by-jury"},
    {"judge": "quality", "model": "gpt4", "repeat": 1},
    {"judge": "preference", "model": "gpt4", "both": True, "blind": False},
)


def config_of(server: Loopback) -> Config:
    models = {
        name: NamedModel(
            model=f"judge-{name}",
            api_base=server.base_url,
            prices=TokenPrices(input=1.0, output=1.0),
        )
        for name in ("gpt4", "small")
    }
    panels = {"jury": NamedPanel(panel=["gpt4", "small", "gpt4"], rule="majority")}
    return Config(models=models, panels=panels, cache=False, retries=0)


def data_in(body: Body) -> Any:
    """The data of a request, without the text that asks for a mark."""
    return json.JSONDecoder().raw_decode(body["messages"][1]["content"])[0]


def reply(body: Body) -> Answer:
    """The reply of a server that judges: by the field that the first message asks for."""
    system = body["messages"][0]["content"]
    data = body["messages"][1]["content"]
    if REFUSED in data:
        return Answer(status=400, error="no")
    if VAGUE in data:
        return Answer("I would not say so.")
    good = RIGHT in json.dumps(list(data_in(body).values())[-1])
    values: dict[str, Any] = {
        '"score"': {"score": 5 if good else 2},
        '"better"': {"better": "A" if RIGHT in str(data_in(body)["A"]) else "B"}
        if '"A"' in data
        else {},
        '"right"': {"right": good},
        '"same"': {"same": good},
    }
    value = next(value for mark, value in values.items() if mark in system and value)
    return Answer(json.dumps({"reason": "So it is.", **value}))


def items() -> list[tuple[Item, str | None]]:
    translation = {
        "kind": "translation",
        "topic": "他想拉同村的干部一起下水。",
        "answers": ["to crime"],
        "wrong_answers": ["into water"],
    }
    question = {"kind": "question", "topic": "How many?", "answers": ["7", "VII"]}
    chinese = {"kind": "question", "question": "有几个？"}
    given: list[tuple[dict[str, Any], str | None]] = [
        (translation, RIGHT),
        (translation, "into the water"),
        (question, RIGHT),
        (question, VAGUE),
        (question, REFUSED),
        (question, None),
        (chinese, RIGHT),
        (chinese, "八"),
    ]
    return [
        (Item(f"i{number}", f"i{number}", "", fields), answer)
        for number, (fields, answer) in enumerate(given)
    ]


async def measure(
    spec: dict[str, Any], folder: Path, config: Config
) -> tuple[list[MeasuredValue], int]:
    """What a measure gives for `items`, and how many calls it had left before."""
    judged = JudgeMeasure.read(spec, config)
    given = items()
    against = [(item, "eight") for item, _ in given]
    other = against if judged.about == "preference" else None
    left = judged.left(given, folder, other)
    asking = JudgeInstructions(config, nullcontext)
    return await judged.measure(given, folder, asking, other), left


async def compare(folder: Path, config: Config, model: str = "gpt4") -> dict[str, Any]:
    """What the model said of each answer, by line and by what it was compared with."""
    equivalence = Equivalence.of(model, config)
    assert equivalence is not None
    heard: dict[str, Any] = {}

    def row(name: str) -> Any:
        def hear(said: Any, spent: Any) -> None:
            heard[f"{name}/{said.of}"] = said.same

        return SimpleNamespace(line=SimpleNamespace(id=name), hear=hear)

    def question(line: str, of: Compared, *texts: Any) -> Any:
        return row(line), same_question(line, *texts, of=of, seat=equivalence.name)

    questions = [
        question("a", "answers", "How many?", ("7", "VII"), RIGHT),
        question("b", "answers", "How many?", ("7",), "eight"),
        question("b", "wrong_answers", "How many?", ("8",), "eight"),
        question("c", "answers", "How many 个?", ("7",), VAGUE),
        question("d", "answers", "How many?", ("7",), REFUSED),
    ]
    limiter = CallLimiter(Budget(None, None), 2)
    await equivalence.compare(questions, folder, limiter, lambda message: None)
    return heard
