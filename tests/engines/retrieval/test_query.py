"""How a query asks an index: Chinese words of one character, grams that are no words,
and words that no document has.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.engines.retrieval.corpus import Corpora, Corpus
from verifytui.engines.retrieval.query import read
from verifytui.engines.retrieval.tokeniser import NAMES, Tokeniser
from verifytui.sessions.paths import paths

TEXTS = [
    "古人用蓍草占卜吉凶。",
    "足球比赛由主裁判执法。",
    "第49届世界大会在北京举行。",
    "A股和T细胞没有关系。",
    "The lighthouse was built in 1873.",
]


@pytest.fixture(params=["bigrams", "jieba+bigrams"])
def corpus(request: pytest.FixtureRequest, home: Path, tmp_path: Path) -> Corpus:
    (tmp_path / "rows.jsonl").write_text(
        "".join(json.dumps({"text": text}) + "\n" for text in TEXTS), "utf-8"
    )
    corpora = Corpora(paths())
    corpora.build("mine", [tmp_path / "rows.jsonl"], words=request.param)
    return corpora.open("mine")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("蓍是什么？", 0),
        ("谁来裁？", 1),
        ("49届", 2),
        ("T细胞", 3),
        ("什么股？", 3),
        ("lighthouse的历史", 4),
    ],
)
def test_words_of_one_character_and_mixed_scripts_are_found(
    corpus: Corpus, query: str, text: int
) -> None:
    assert corpus.search(query, 1).references[0].text == TEXTS[text]


@pytest.mark.parametrize(
    ("query", "unknown"),
    [
        ("蓍草在哪里", ["哪里"]),
        ("量子纠缠与吉凶", ["量子", "纠缠", "与"]),
        ("lighthouses of 龟 1999", ["of", "龟", "1999"]),
        ("世界大会", []),
    ],
)
def test_unknown_words_are_words(
    corpus: Corpus, query: str, unknown: list[str]
) -> None:
    assert corpus.search(query, 5).unknown == unknown


def test_function_words_count_half_but_not_the_forms_of_be() -> None:
    numbers = dict(zip(("what", "is", "the", "otter"), range(4), strict=True))
    asked = read("What is the otter?", Tokeniser("bigrams"), numbers.get)
    assert asked.times == 2
    assert asked.words == [0, 1, 1, 2, 3, 3]


def test_a_gram_that_joins_a_common_word_counts_half() -> None:
    numbers = {"增长": 1, "长了": 2, "了多": 3, "多少": 4, "grow": 5}
    asked = read("grew 增长了多少 grow", Tokeniser(), numbers.get)
    assert (asked.words, asked.times) == ([1, 1, 2, 3, 4, 4, 5, 5], 2)
    assert read("grow 增长", Tokeniser(), numbers.get)[:2] == ([5, 1], 1)


def test_an_english_query_needs_no_dictionary(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "verifytui.engines.retrieval.query.segments",
        lambda run: pytest.fail("jieba was asked"),
    )
    assert (
        corpus.search("When was the lighthouse built?", 1).references[0].text
        == TEXTS[4]
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_query_of_anything_is_read(name: str) -> None:
    for query in ("", "的", "𠮷野家", "한국어 かな", "a" * 5000, "了" * 3000):
        assert read(query, Tokeniser(name), lambda word: None).words == []
