"""Near passages among many, found by their sketches."""

from __future__ import annotations

import random

import numpy
from verifytui.engines.retrieval.near import (
    SKETCH,
    QuotedTexts,
    Shingles,
    Sketches,
    near,
)


def passages() -> list[Shingles]:
    """Passages of many lengths, some of them changed a little or much, some a part of
    another, one empty.
    """
    chance = random.Random(7)
    made: list[list[int]] = [[], [1], [1, 2]]
    for length in (4, 30, 120, 129, 400, 1500, 1500):
        words = [chance.randrange(5000) for _ in range(length)]
        made.append(words)
        for share in (0.0, 0.01, 0.05, 0.1, 0.15, 0.3):
            made.append(
                [
                    chance.randrange(5000) if chance.random() < share else word
                    for word in words
                ]
            )
        made += [words[: length * part // 10] for part in (5, 7, 9)]
    return [Shingles(numpy.array(words, dtype="int64"), 0) for words in made]


def test_sketches_miss_no_near_passage_and_suspect_few_others() -> None:
    listed = passages()
    sketches = Sketches()
    for at, one in enumerate(listed):
        sketches.add(str(at), one)
    expected = {
        (str(at), str(other))
        for other in range(len(listed))
        for at in range(other)
        if near(listed[at], listed[other])
    }
    suspects = list(sketches.pairs())
    assert expected <= set(suspects)
    assert len(set(suspects)) == len(suspects) < 2 * len(expected)
    assert any(len(one.all) > 2 * SKETCH for one in listed)
    for at, one in enumerate(listed):
        assert {
            str(other) for other in range(len(listed)) if near(one, listed[other])
        } <= set(sketches.suspects(one)) | {str(at)}


def test_nothing_is_near_where_nothing_is() -> None:
    assert Sketches().suspects(passages()[5]) == []
    assert list(Sketches().pairs()) == []


def test_a_text_is_found_within_another_one() -> None:
    chance = random.Random(3)
    words = [chance.randrange(5000) for _ in range(200)]
    short, part, half, other = (
        words[:10],
        words[20:80],
        words[100:140] + [1] * 3 + [9000 + at for at in range(60)],
        [7] * 50,
    )
    named = {"short": short, "part": part, "half": half, "other": other}
    quoted = QuotedTexts(
        (name, Shingles(numpy.array(one, dtype="int64"), 0))
        for name, one in named.items()
    )
    assert quoted.within(Shingles(numpy.array(words, dtype="int64"), 0)) == ["part"]
    assert quoted.within(Shingles(numpy.array([], dtype="int64"), 0)) == []
    assert QuotedTexts([]).within(Shingles(numpy.array(words, dtype="int64"), 0)) == []
