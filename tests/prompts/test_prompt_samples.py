"""What every call of a debate and of a judgement of relevance sends, in all built-in
sets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from verifytui.tests.support import prompt_samples
from verifytui.tests.support.prompt_samples import (
    SETS,
    Sample,
    debate,
    marked,
    pages,
    relevance,
)

KINDS = ("question", "translation")


def every(name: str) -> Iterator[Sample]:
    for kind in KINDS:
        for debaters in (2, 3, 6):
            yield from debate(name, kind, debaters)
    yield from relevance(name)


@pytest.mark.parametrize("name", SETS)
def test_every_json_sample_in_a_prompt_is_json_with_the_keys_of_the_schema_in_its_order(
    name: str,
) -> None:
    for sample in every(name):
        text = sample.thread[-1]["content"]
        objects = [
            json.loads(line)
            for line in re.sub(r"(?s)<<<.*<<<end \w+>>>", "", text).splitlines()
            if line.startswith("{")
        ]
        if sample.schema is None:
            assert objects == [], sample.title
        elif not sample.title.endswith("again"):
            assert objects, sample.title
            for one in objects:
                assert (
                    list(one)
                    == list(sample.schema["properties"])
                    == sample.schema["required"]
                ), sample.title
                if "supported_side" in one:
                    assert (
                        one["supported_side"]
                        in sample.schema["properties"]["supported_side"]["enum"]
                    )


@pytest.mark.parametrize("name", SETS)
def test_no_prompt_holds_a_brace_that_is_not_json(name: str) -> None:
    for sample in every(name):
        for turn in sample.thread:
            if turn["role"] != "assistant":
                assert all(
                    line.startswith("{") and line.endswith("}")
                    for line in turn["content"].splitlines()
                    if "{" in line
                ), turn["content"]


@pytest.mark.parametrize("name", SETS)
def test_the_reason_is_asked_for_before_the_decision(name: str) -> None:
    for sample in every(name):
        keys = list(sample.schema["properties"]) if sample.schema else []
        if keys not in ([], ["facts"], ["facts", "secondary"], ["candidates"]):
            assert keys[0] == "reason", sample.title


@pytest.mark.parametrize("name", SETS)
def test_the_judge_is_told_the_id_of_every_debater(name: str) -> None:
    for debaters in (2, 6):
        for sample in debate(name, debaters=debaters):
            if (
                sample.schema
                and "supported_side" in sample.schema["properties"]
                and not sample.title.endswith("again")
            ):
                text = sample.thread[-1]["content"]
                names = load_names(name)
                for role in sample.schema["properties"]["supported_side"]["enum"][:-1]:
                    above = next(
                        one
                        for one, below in zip(
                            text.splitlines(), text.splitlines()[1:], strict=False
                        )
                        if f'"{role}"' in below
                    )
                    assert names[role] in above


def load_names(name: str) -> dict[str, str]:
    from verifytui.prompts import load

    return dict(load(name).templates["names"])


@pytest.mark.parametrize("name", ["zh", "small-zh"])
def test_chinese_prompts_do_not_speak_of_two_sides(name: str) -> None:
    for sample in every(name):
        assert all(
            words not in turn["content"]
            for turn in sample.thread
            for words in ("双方", "对方")
        ), sample.title


@pytest.mark.parametrize("name", SETS)
def test_no_prompt_asks_for_a_short_speech_or_a_wordy_answer(name: str) -> None:
    for sample in every(name):
        whole = "\n".join(turn["content"] for turn in sample.thread)
        assert not re.search(r"Answer it|Keep it short|in full|简短|全文", whole), (
            sample.title
        )


@pytest.mark.parametrize("name", SETS)
def test_no_turn_begins_or_ends_with_an_empty_line(name: str) -> None:
    for sample in every(name):
        assert all(
            turn["content"] == turn["content"].strip() for turn in sample.thread
        ), sample.title
        assert all("\n\n\n" not in turn["content"] for turn in sample.thread), (
            sample.title
        )


def test_small_sets_are_shorter() -> None:
    for language in ("en", "zh"):
        for make in (debate, relevance):
            long, short = (
                sum(len(turn["content"]) for one in make(name) for turn in one.thread)
                for name in (language, f"small-{language}")
            )
            assert short < 0.8 * long


def test_the_page_shows_every_call_as_it_is_sent() -> None:
    assert marked(prompt_samples.PAGE.read_text("utf-8"))[1] == pages()
