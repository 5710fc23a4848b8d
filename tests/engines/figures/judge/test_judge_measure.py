"""A measure that a model takes, against a real server on the loopback."""

from __future__ import annotations

import json
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.figures.judge.answers import JudgeInstructions
from verifytui.engines.figures.judge.measure import JudgeMeasure
from verifytui.engines.figures.measure import Item, MeasuredValue
from verifytui.engines.models.config import Config, NamedModel, TokenPrices
from verifytui.sessions.errors import BadInput
from verifytui.sessions.session import Totals
from verifytui.tests.support.judges import data_in
from verifytui.tests.support.loopback import Answer, Body, Loopback

MT = {
    "kind": "translation",
    "topic": "他想拉同村的干部一起下水。",
    "from": "zh",
    "to": "en",
    "answers": ["to crime"],
    "wrong_answers": ["into water"],
}


def item(name: str = "i1", **fields: Any) -> Item:
    return Item(
        name,
        name,
        "",
        fields or {"kind": "question", "topic": f"Question {name}?", "answers": ["4"]},
    )


class Judges:
    """Who is asked, and what it was charged with."""

    def __init__(self, server: Loopback, folder: Path) -> None:
        prices = TokenPrices(input=1.0, output=1.0)
        named = NamedModel(model="judge-7b", api_base=server.base_url, prices=prices)
        self.config = Config(models={"gpt4": named}, cache=False, retries=0)
        self.server, self.folder, self.charged = server, folder, Totals()
        self.rest: int | None = None

    def asking(self) -> JudgeInstructions:
        return JudgeInstructions(self.config, self._step, self.charged.add)

    def _step(self) -> AbstractAsyncContextManager[None]:
        if self.rest is not None:
            self.rest -= 1
            if self.rest < 0:
                raise RuntimeError("over budget")
        return nullcontext()

    def says(self, reply: Any) -> None:
        """Every request is answered with this object, or with what this function makes
        of the data.
        """

        def answer(body: Body) -> Answer:
            value = reply(data_in(body)) if callable(reply) else reply
            return Answer(text=value if isinstance(value, str) else json.dumps(value))

        self.server.answer = answer

    def judge(self, about: str, **more: Any) -> JudgeMeasure:
        return JudgeMeasure.read({"judge": about, "model": "gpt4", **more}, self.config)


@pytest.fixture
def judges(loopback: Loopback, tmp_path: Path) -> Judges:
    return Judges(loopback, tmp_path / "kept")


async def test_ambiguity_is_right_or_wrong_with_the_reason_first_and_nothing_is_asked_twice(
    judges: Judges,
) -> None:
    judges.says(
        lambda data: {
            "reason": "the reading",
            "right": data["translation"] == "to crime",
        }
    )
    judge = judges.judge("ambiguity")
    given = [
        (item("a", **MT), "to crime"),
        (item("b", **MT), "in water"),
        (item("c", **MT), None),
        (item("d", **MT), "to crime"),
    ]
    assert judge.left(given, judges.folder) == 2
    for _ in range(2):
        assert await judge.measure(given, judges.folder, judges.asking()) == [
            MeasuredValue(1.0, "right"),
            MeasuredValue(0.0, "wrong"),
            MeasuredValue(0.0, "empty"),
            MeasuredValue(1.0, "right"),
        ]
    assert len(judges.server.requests) == 2
    sent = data_in(judges.server.requests[0])
    assert sent["translations with a wrong reading"] == ["into water"]
    assert judges.charged.calls == 2
    assert judges.charged.tokens == 36
    kept = [
        json.loads(line)
        for line in (judges.folder / "judge-ambiguity.judged.jsonl")
        .read_text()
        .splitlines()
    ]
    assert {one["reason"] for one in kept} == {"the reading"}
    assert kept[0]["cost"] > 0


async def test_quality_is_a_whole_number_from_1_to_5(judges: Judges) -> None:
    judges.says(
        lambda data: {
            "reason": "r",
            "score": {"x": 4, "y": "5", "z": 4.5}[data["answer"]],
        }
    )
    given = [(item(), "x"), (item(), "y"), (item(), "z"), (item(), "")]
    assert await judges.judge("quality").measure(
        given, judges.folder, judges.asking()
    ) == [
        MeasuredValue(4.0, "measured"),
        MeasuredValue(5.0, "measured"),
        MeasuredValue(None, "unread"),
        MeasuredValue(1.0, "empty"),
    ]
    assert (
        len(judges.server.requests) == 4
    )  # what cannot be read is asked for once more


async def test_of_two_answers_neither_gains_by_its_place(judges: Judges) -> None:
    judges.says({"reason": "the first is better", "better": "A"})
    names = [f"i{number}" for number in range(12)]
    given, other = (
        [(item(name), "one") for name in names],
        [(item(name), "two") for name in names],
    )
    found = await judges.judge("preference").measure(
        given, judges.folder, judges.asking(), other
    )
    assert {one.value for one in found} == {0.0, 1.0}
    in_both = await judges.judge("preference", name="both", both=True).measure(
        given, judges.folder, judges.asking(), other
    )
    assert {one.value for one in in_both} == {0.5}
    kept = [
        json.loads(line)
        for line in (judges.folder / "judge-preference.judged.jsonl")
        .read_text()
        .splitlines()
    ]
    first = {one["item"]: one["second_first"] for one in kept}
    assert [one.value for one in found] == [
        0.0 if first[name] else 1.0 for name in names
    ]


async def test_of_two_answers_a_missing_one_loses_and_equal_ones_need_no_judge(
    judges: Judges,
) -> None:
    given, other = (
        [(item(), "x"), (item(), None), (item(), None), (item(), "x")],
        [(item(), None), (item(), "x"), (item(), None), (item(), "x")],
    )
    found = await judges.judge("preference").measure(
        given, judges.folder, judges.asking(), other
    )
    assert [one.value for one in found] == [1.0, 0.0, 0.5, 0.5]
    assert judges.server.requests == []


async def test_where_the_budget_ends_what_was_said_is_kept(judges: Judges) -> None:
    judges.says({"reason": "r", "right": True})
    judge, given = (
        judges.judge("correctness"),
        [(item(f"i{number}"), "4") for number in range(5)],
    )
    judges.rest = 3
    with pytest.raises(RuntimeError, match="over budget"):
        await judge.measure(given, judges.folder, judges.asking())
    assert judge.left(given, judges.folder) == 2
    judges.rest = None
    assert [
        one.value for one in await judge.measure(given, judges.folder, judges.asking())
    ] == [1.0] * 5
    assert len(judges.server.requests) == 5


async def test_a_call_that_fails_gives_no_value_and_is_made_again(
    judges: Judges,
) -> None:
    judges.server.answer = Answer(status=400, error="no such parameter")
    judge = judges.judge("correctness")
    assert await judge.measure([(item(), "4")], judges.folder, judges.asking()) == [
        MeasuredValue(None, "failed")
    ]
    judges.says({"reason": "r", "right": False})
    assert await judge.measure([(item(), "4")], judges.folder, judges.asking()) == [
        MeasuredValue(0.0, "wrong")
    ]


async def test_repeats_and_another_model_are_asked_apart(judges: Judges) -> None:
    judges.says({"reason": "r", "right": True})
    for more in ({}, {"repeat": 1}, {"temperature": 0.7}, {}):
        await judges.judge("correctness", **more).measure(
            [(item(), "4")], judges.folder, judges.asking()
        )
    assert len(judges.server.requests) == 3


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ({"judge": "beauty", "model": "gpt4"}, "can judge ambiguity"),
        ({"judge": "quality"}, "Name the model that judges"),
        ({"judge": "quality", "model": "lexical"}, "is not a language"),
        ({"judge": "quality", "model": "gpt4", "blind": 1}, "true or false"),
        ({"judge": "quality", "model": "gpt4", "command": ["x"]}, "no “command”"),
        (
            {"judge": "quality", "model": "gpt4", "name": "a/b"},
            "” is not a valid name of a measure; use at most",
        ),
    ],
)
def test_a_wrong_declaration_is_refused(spec: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        JudgeMeasure.read(
            spec, Config(models={"gpt4": NamedModel(model="openai/judge")})
        )
