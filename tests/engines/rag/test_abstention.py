"""Answers that do not answer are known as such; an answer that says anything else is
none of them.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.rag.abstention import LONGEST, NOT_HELD, abstains
from verifytui.prompts import load

NONE = """
The references do not hold the answer.
The references do not say who does.
I can not answer the question because of the insufficient information in documents.
I cannot answer this question based on the provided context.
Unable to answer based on given passages.
I don't know.
I do not know the answer.
Sorry, I couldn't find the answer in the documents.
I'm sorry, but the provided references do not contain any information about the population of Gondor.
Unfortunately, the passages do not mention when the bridge was built.
The provided documents do not contain enough information to answer the question.
There is no information in the provided context that any character failed.
There is not enough information to determine the answer.
Not enough information.
Insufficient information to answer.
None of the references mention the king's mother.
The references do not say when he was born [1][2].
Based on the context provided, there is no information about the Cnidians.
The answer is not in the references.
The question cannot be answered from the references.
The date of birth is not mentioned in the references.
The king's mother is not named in any of the passages.
It is not possible to determine the answer from the references.
No reference mentions the tower.
The context lacks information about this. Please provide more context.
The references do not hold the answer. They only describe the tower's construction [1].
The given sources don't specify the exact year.
**The references do not hold the answer.**
The references don’t say.
Not mentioned in the references.
The search results do not provide an answer to your question.
参考资料中没有答案。
抱歉，我无法回答这个问题。
根据参考资料，无法确定谁创办了老茶馆。
参考资料没有提到老茶馆的创办人。
参考资料中没有说明建成时间。
我不知道。
由于文档信息不足我无法基于提供的文档回答该问题。
资料中未提及。
无法回答。
提供的资料没有足够的信息来回答这个问题。
没有找到相关信息。
文档中没有相关信息，因此无法回答。
资料里没有给出答案。资料只介绍了老茶馆的历史[1]。
很抱歉，上下文中并未提供相关内容。
信息不足，无法作答。
从资料中无法得知具体日期。
目前没有足够的资料回答这个问题。
""".strip().split("\n")

ANSWERS = """
Beorn does [1].
The references do not give the exact day, but it was in May 1945 [1].
The references do not agree: [1] says 1889, [2] says 1887.
No.
No, it does not [1].
He did not answer the letter [1].
The Voynich manuscript has never been deciphered [1].
Its author is unknown [1].
The position and momentum of a particle cannot be determined at the same time [1].
Socrates said that he knew nothing [2].
The text does not provide enough information to say why. However, it names a few factors [1].
The context does not provide specific figures. It is mentioned that a trade could be made for $22.70.
There is no king of France [1].
There is no evidence that the drug works [1].
Nothing in the references contradicts him: he was born in 1809 [1].
The reference frame does not move [1].
It is impossible to trisect an angle with ruler and compass [1].
The halting problem cannot be solved [1].
Information cannot travel faster than light [1].
The Treaty did not include Prussia [3].
The data do not support the claim that vaccines cause autism [1].
Unknown.
量子的位置和动量无法同时确定[1]。
他没有回答记者的问题[1]。
参考资料没有写明具体日期，但应在 1945 年 5 月[1]。
资料没有给出准确数字。不过可以看出约为三千人[2]。
他不知道自己的父亲是谁[1]。
作者不详[1]。
没有证据表明该药有效[1]。
该方程没有实数解[1]。
这部小说没有提到主人公的名字[1]。
中国没有参加这次会议[2]。
没有。
信息的传播速度不能超过光速[1]。
文件没有提到台湾的地位，因为当时尚未讨论[1]。
未知
""".strip().split("\n")


@pytest.mark.parametrize("text", NONE)
def test_it_is_known_in_many_words(text: str) -> None:
    assert abstains(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_whoever_says_anything_answers(text: str) -> None:
    assert not abstains(text)


@pytest.mark.parametrize("text", [None, "", "  \n", "[1]", "..."])
def test_nothing_is_no_answer(text: str | None) -> None:
    assert abstains(text)


@pytest.mark.parametrize("name", ["en", "zh", "small-en", "small-zh"])
def test_the_generator_is_asked_for_the_sentence_that_is_known(name: str) -> None:
    asked = load(name, workspace="rag").templates["answer_system"]
    assert NOT_HELD["zh" in name] in asked
    assert all(abstains(sentence) for sentence in NOT_HELD.values())


def test_a_long_text_says_something() -> None:
    assert not abstains("I do not know. " * (LONGEST // 15 + 1))


@pytest.mark.parametrize(
    "part",
    [
        "the ",
        "a ",
        "根据",
        "no ",
        "the references ",
        "I am sorry, ",
        "资料没有",
        "the x ",
        "based on the ",
    ],
)
def test_a_hostile_text_takes_no_time(part: str) -> None:
    abstains("warm")
    began = time.process_time()
    for ending in ("", "not be found in ", "无", "cannot"):
        abstains((part * LONGEST)[: LONGEST - len(ending)] + ending)
    assert time.process_time() - began < 0.5


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)


def test_real_answers_are_told_apart(shared: Path) -> None:
    """Of 280 answers that real systems gave, the two that say so in words and the three
    that are empty; of accepted answers none.
    """
    pairs = rows(shared / "ragchecker-human" / "pairs.jsonl")
    said = {
        (one["id"], name): one[name]["response"]
        for one in pairs
        for name in ("model1", "model2")
    }
    found = {key for key, text in said.items() if abstains(text)}
    assert {id_ for id_, name in found if said[id_, name].strip()} == {
        "rc-055",
        "rc-277",
    }
    assert {id_ for id_, name in found if not said[id_, name].strip()} == {
        "rc-080",
        "rc-186",
        "rc-233",
    }
    right = [one["gt_answer"] for one in pairs]
    right += [
        one[name]
        for one in rows(shared / "halueval-qa" / "qa.jsonl")
        for name in ("right_answer",)
    ]
    right += [
        text
        for one in rows(shared / "retrievalqa" / "retrievalqa250.jsonl")
        for text in one["ground_truth"]
    ]
    for name in ("en_fact", "zh_fact", "zh_int", "zh_refine"):
        for one in rows(shared / "rgb" / f"{name}.jsonl"):
            right += [*texts(one.get("answer")), *texts(one["positive"])]
    assert len(right) > 2_000
    assert [text for text in right if abstains(text)] == []


def test_no_sentence_of_an_encyclopaedia_is_taken_for_one(shared: Path) -> None:
    for name in ("xquad/passages.en", "xquad/passages.zh"):
        sentences = [
            one.strip()
            for row in rows(shared / f"{name}.jsonl")
            for one in re.split("(?<=[。.!?])", row["text"])
        ]
        assert [one for one in sentences if len(one) > 9 and abstains(one)] == []
