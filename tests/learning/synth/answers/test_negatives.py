"""Bad answers by rule: what is repeated, what is cited in the place of what, and what
is known of them then.
"""

from __future__ import annotations

import re
from random import Random

import pytest
from verifytui.engines.retrieval.citations import citations, cited, support, unmarked
from verifytui.learning.synth.answers.negatives import (
    HELD,
    citation_swap,
    repeated_words,
)
from verifytui.learning.synth.answers.rag_answers import mentions
from verifytui.sessions.events import Reference

TEXTS = (
    "The lighthouse of Vern was built in 1873 by Ada Holm.",
    "Tea is made of leaves.",
    "Bees make honey in hives.",
)
REFERENCES = [Reference(n=n, id=str(n), text=text) for n, text in enumerate(TEXTS, 1)]
ANSWER = (
    "The lighthouse of Vern was built in 1873 [1]. Ada Holm built it [1][2], and it "
    "stands on a rock."
)
CHINESE = "弗恩灯塔建于一八七三年[1]。它由霍尔姆建造【1】。"


@pytest.mark.parametrize("answer", [ANSWER, CHINESE, "1873 [1]."])
@pytest.mark.parametrize("seed", range(5))
def test_repeated_words_say_as_much_again_and_leave_the_citations(
    answer: str, seed: int
) -> None:
    made = repeated_words(answer, Random(seed))
    assert made is not None
    assert made == repeated_words(answer, Random(seed))
    assert citations(made.answer) == citations(answer)
    assert made.how == "words"
    assert 0 < made.known["conciseness"] <= 0.5
    if answer != CHINESE:
        before, after = (
            len(re.findall(r"\w+", unmarked(text))) for text in (answer, made.answer)
        )
        assert made.known["conciseness"] == round(before / after, 2), (
            "the share of words that are no repetition"
        )
    left = iter(made.answer)
    assert all(sign in left for sign in answer), "nothing of the answer is lost"
    assert unmarked(made.answer) != unmarked(answer)


@pytest.mark.parametrize(
    "answer", [ANSWER, CHINESE, f"It is so, as made up [{len(REFERENCES) + 2}]."]
)
def test_swapped_citations_are_all_wrong(answer: str) -> None:
    ways = set()
    for seed in range(12):
        made = citation_swap(answer, REFERENCES, Random(seed))
        assert made is not None
        assert made.known == {"citation_accuracy": 0.0}
        assert unmarked(made.answer) == unmarked(answer)
        for before, now in zip(
            cited(answer, REFERENCES), cited(made.answer, REFERENCES), strict=True
        ):
            assert not set(before.citations) & set(now.citations)
            there = [one.text for one in REFERENCES if one.n in now.citations]
            assert len(there) == (len(now.citations) if made.how == "others" else 0)
            assert all(
                (support(unmarked(before.text), [text]) or 0) < HELD for text in there
            )
        ways.add(made.how)
    assert ways == {"others", "missing"}


def test_what_cannot_be_made_is_none() -> None:
    assert (
        citation_swap("It cites nothing, not even [].", REFERENCES, Random(0)) is None
    )
    assert repeated_words("[1][2]", Random(0)) is None
    alone = citation_swap("It is so [1].", REFERENCES[:1], Random(1))
    assert alone is not None
    assert alone.how == "missing", "one reference has no others beside it"


def test_chinese_is_repeated_by_words() -> None:
    words = set()
    for seed in range(40):
        made = repeated_words("灯塔", Random(seed))
        assert made is not None
        words.add(made.answer.replace("灯塔", ""))
    assert words == {""}


@pytest.mark.parametrize(
    ("answer", "accepted", "right"),
    [
        ("It was built in nineteen forty-six [1].", "1946", True),
        ("It cost forty-two crowns [2].", "42 crowns", True),
        ("It was built in nineteen forty-seven [1].", "1946", False),
        ("It is green [1].", "v3", False),
    ],
)
def test_a_right_answer_in_other_words_is_no_bad_one(
    answer: str, accepted: str, right: bool
) -> None:
    assert mentions(answer, [accepted]) is right
