"""Citations read from answers, and the check that needs no model."""

from __future__ import annotations

import time

import pytest
from verifytui.engines.rag.check import answer_of, check
from verifytui.engines.retrieval.citations import citations, supporting
from verifytui.tests.support.questions import passages

CITED = [
    ("Beorn does [1].", [1]),
    ("Beorn [2][1] does [2].", [2, 1]),
    ("Both [1, 3] do [2;4].", [1, 3, 2, 4]),
    ("Both [1\uff0c3] and [2\u30014].", [1, 3, 2, 4]),
    ("All [1-3] and [5\u20136].", [1, 2, 3, 5, 6]),
    ("Backwards [3-1].", [3, 1]),
    ("Years [1000-9999].", [1000, 9999]),
    ("\u8d1d\u5965\u6069\u3010\uff11\u3011\uff3b2\uff3d\u3002", [1, 2]),
    ("See [Reference 1], [Ref. 2, Ref 3], [^4] and [\u53c2\u8003\u8d44\u65995].", [1, 2, 3, 4, 5]),
    ("Nothing [0], far [99], twice [1][1].", [0, 99, 1]),
    ("In [2019] it was so.", [2019]),
    ("Empty [] and [ ], words [see above], [1a], [a1], [1.5], a[i].", []),
    ("Too long a number [12345678].", []),
    ("[" * 2000 + "1", []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "wanted"), CITED, ids=[text[:20] for text, _ in CITED]
)
def test_citations(text: str, wanted: list[int]) -> None:
    assert citations(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("  Beorn [1].\n", "Beorn [1]."),
        ("Answer: Beorn [1].", "Beorn [1]."),
        ("**Answer:** Beorn.", "Beorn."),
        ("\u7b54\u6848\uff1a\u8d1d\u5965\u6069", "\u8d1d\u5965\u6069"),
        ("Answer:", "Answer:"),
        ("The answers: many.", "The answers: many."),
        (" \n", None),
    ],
)
def test_the_answer_of_a_reply(text: str, wanted: str | None) -> None:
    assert answer_of(text) == wanted


def test_sentences_own_the_citations_behind_them() -> None:
    made = check(
        "Beorn is a bear.[1] [2] Bilbo is not.\n[2] He is small. And kind! [9][0]",
        passages("Beorn is a bear.", "Bilbo is small."),
    )
    assert [(one.text, one.citations) for one in made.sentences] == [
        ("Beorn is a bear.[1] [2]", [1, 2]),
        ("Bilbo is not.", []),
        ("[2] He is small.", [2]),
        ("And kind! [9][0]", [9, 0]),
    ]
    assert (made.unknown, made.empty, made.uncited, made.measure) == (
        [9, 0],
        0,
        1,
        "content-word-overlap",
    )
    assert made.sentences[1].support is None  # nothing cited
    assert made.sentences[3].support is None  # nothing cited that exists


def test_chinese_sentences() -> None:
    made = check(
        "\u8d1d\u5965\u6069\u53d8\u6210\u718a\u30101\u3011\u3002\u4ed6\u517b\u871c\u8702\u3002[1][2]\u8c01\u77e5\u9053\uff1f",
        passages(
            "\u8d1d\u5965\u6069\u80fd\u53d8\u6210\u718a\u3002",
            "\u4ed6\u517b\u871c\u8702\u3002",
        ),
    )
    assert [one.citations for one in made.sentences] == [[1], [1, 2], []]
    assert made.sentences[0].support == pytest.approx(
        4 / 5
    )  # one gram of five is not there, since a character stands between
    assert made.sentences[1].support == 1
    assert made.uncited == 1


@pytest.mark.parametrize(
    ("sentence", "support"),
    [
        ("Beorn turns into a bear [1].", 1.0),
        ("BEORN turned into bears [1].", 1.0),
        ("Beorn eats honey [1].", 1 / 3),
        ("Beorn eats honey [2].", 2 / 3),
        ("Beorn eats honey [1][2].", 1.0),
        ("Beorn eats honey [1][7].", 1 / 3),
        ("The Hobbit [1].", 1.0),  # stands in the title
        ("He was with them [1].", None),  # no word that carries content
    ],
)
def test_support(sentence: str, support: float | None) -> None:
    references = passages("Beorn turns into a bear.", "Bees make honey; he eats it.")
    references[0].title = "The Hobbit"
    made = check(sentence, references)
    assert made.sentences[0].support == (
        support if support is None else pytest.approx(support)
    )


def test_the_sentence_of_a_passage_that_supports_most() -> None:
    passage = "Bears eat fish. Beorn turns into a bear at night. Bilbo sleeps."
    place = supporting("At night Beorn becomes a bear [1].", passage)
    assert place is not None
    assert passage[slice(*place)] == "Beorn turns into a bear at night."
    assert supporting("Gandalf [1].", passage) is None
    assert supporting("Beorn.", "") is None


@pytest.mark.parametrize("answer", ["", "[1]", "\u2014", "[] []"])
def test_an_answer_without_a_sentence(answer: str) -> None:
    made = check(answer, passages("Beorn."))
    assert made.sentences == []
    assert (made.uncited, made.empty) == (0, answer.count("[]"))


def test_empty_brackets_are_counted() -> None:
    assert (
        check(
            "By voltage [], or [ ], or \u3010\u3011, or [,] [1].", passages("x")
        ).empty
        == 4
    )


def test_a_hostile_answer_does_not_hold_up() -> None:
    began = time.process_time()
    for text in (
        "[1" * 20_000,
        "[" + "1," * 20_000,
        "[" + " " * 40_000,
        "[1-" * 20_000,
        "a. " * 20_000 + "[1]",
    ):
        check(text, passages("a"))
    assert time.process_time() - began < 5
