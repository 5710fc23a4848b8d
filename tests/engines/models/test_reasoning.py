"""Reasoning kept apart from the answer, whole, streamed and through LiteLLM."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from verifytui.engines.models.reasoning import Splitter, split
from verifytui.tests.support.asking import Make, ask, both
from verifytui.tests.support.loopback import Answer, Loopback

CASES = [
    ("plain", "plain", None),
    ("", "", None),
    ("<think>hm</think>\n\n2 m/s", "2 m/s", "hm"),
    ("\n<think>\nhm\n</think>2", "2", "hm"),
    ("<thinking>hm</thinking>2", "2", "hm"),
    ("hm, two\n</think>\n2", "2", "hm, two"),
    ("<think>never closed", "", "never closed"),
    ("<think>a</think><think>b</think>c", "c", "a\n\nb"),
    ("<think></think>\n\nyes", "yes", None),
    ("if a < b then <think about it>", "if a < b then <think about it>", None),
    ("The tag <think> opens a block.", "The tag <think> opens a block.", None),
    ("x<y and a</b", "x<y and a</b", None),
    ("<think>吃掉敌人</think>答案", "答案", "吃掉敌人"),
    ("[THINK]hm[/THINK]2", "2", "hm"),
    ("◁think▷hm◁/think▷2", "2", "hm"),
    ("<Thought>hm</Thought>2", "2", "hm"),
    ("<reasoning>hm</reasoning>\n2", "2", "hm"),
    # cut at the start alone
    ("2 <think>hm</think> 3", "2 <think>hm</think> 3", None),
    ("<think>hm</think>The tag </think>\nends it.", "The tag </think>\nends it.", "hm"),
    ("<think>a <think>b</think> c</think>2", "2", "a <think>b</think> c"),
    (
        '<think>They write </think>{x} at me.</think>{"a": 1}',
        '{"a": 1}',
        "They write </think>{x} at me.",
    ),
    ('<think>hm</think>{"a": "</think>{}"}', '{"a": "</think>{}"}', "hm"),
    # never inside JSON
    ('{"a": "</think>{\\"a\\": 2}"}', '{"a": "</think>{\\"a\\": 2}"}', None),
    ('{"a": "<think>b</think>c"}', '{"a": "<think>b</think>c"}', None),
    ('["</think>", 1]', '["</think>", 1]', None),
    ('"a</think>\\n{}"', '"a</think>\\n{}"', None),
    ('```json\n{"a": "</think>{}"}\n```', '```json\n{"a": "</think>{}"}\n```', None),
    ("{'a': 'x</think>{}'}", "{'a': 'x</think>{}'}", None),
    # a tag that is spoken of
    ("They wrote </think>{}. So what?", "They wrote </think>{}. So what?", None),
    ('They wrote "</think>". So what?', 'They wrote "</think>". So what?', None),
    ("They wrote:\n</think>\n{}", "They wrote:\n</think>\n{}", None),
    ("他们写道：\n</think>\n{}", "他们写道：\n</think>\n{}", None),
    ('hm, "two" {or} three.</think>{"a": 1}', '{"a": 1}', 'hm, "two" {or} three.'),
]


@pytest.mark.parametrize(("text", "answer", "reasoning"), CASES)
def test_split(text: str, answer: str, reasoning: str | None) -> None:
    assert split(text) == (answer, reasoning)


def pieces(chunks: list[str]) -> tuple[str, str]:
    splitter = Splitter()
    got = [
        piece for chunk in chunks for piece in splitter.feed(chunk)
    ] + splitter.finish()
    return "".join(text for text, thinking in got if not thinking), "".join(
        text for text, thinking in got if thinking
    )


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 100])
def test_tags_split_across_chunks(size: int) -> None:
    text = "\n<think>hm < 3</think>Two <think> or </b 3."
    assert pieces([text[at : at + size] for at in range(0, len(text), size)]) == (
        "\nTwo <think> or </b 3.",
        "hm < 3",
    )


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(
    "text",
    [
        '{"a": "</think>{}"}',
        "2 <think>hm</think> 3",
        '```json\n{"a": "<think></think>"}\n```',
    ],
)
def test_nothing_is_cut_from_a_stream_once_it_answers(text: str, size: int) -> None:
    assert pieces([text[at : at + size] for at in range(0, len(text), size)]) == (
        text,
        "",
    )


@given(st.text(alphabet="<>/think a", max_size=40), st.integers(1, 9))
def test_streaming_loses_nothing_but_tags_and_does_not_depend_on_chunks(
    text: str, size: int
) -> None:
    assert pieces([text[at : at + size] for at in range(0, len(text), size)]) == pieces(
        [text]
    )
    kept = "".join(pieces([text]))
    for tag in ("<think>", "</think>", "<thinking>", "</thinking>"):
        text = text.replace(tag, "")
        kept = kept.replace(tag, "")
    assert sorted(kept) == sorted(text)


@both
@pytest.mark.parametrize(
    "answer",
    [
        Answer(text="2 m/s", reasoning="up and down"),
        Answer(text="<think>up and down</think>\n\n2 m/s"),
        Answer(text="up and down</think>2 m/s"),
        Answer(chunks=["<th", "ink>up and", " down</th", "ink", ">2 m", "/s"]),
        Answer(
            chunks=[
                {"reasoning": "up and "},
                {"reasoning": "down"},
                {"content": "2 m/s"},
            ]
        ),
    ],
    ids=["field", "block", "lone", "across", "other-field"],
)
async def test_through_litellm(
    loopback: Loopback, make: Make, stream: bool, answer: Answer
) -> None:
    loopback.answer = answer
    if not stream and answer.chunks and isinstance(answer.chunks[0], dict):
        pytest.skip("a whole reply has the field that the first case shows")
    asked = await ask(make(stream=stream))
    assert (asked.reply.text, asked.reply.reasoning) == ("2 m/s", "up and down")
    if stream and "</think>" not in answer.text[3:20]:
        assert asked.streamed(reasoning=True) == "up and down"
        assert asked.streamed(reasoning=False).strip() == "2 m/s"
