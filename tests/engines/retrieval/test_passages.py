"""Sentences and passages: where they end, that they cover the text, and their sizes."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verifytui.engines.retrieval.passages import SIZE, cut, letters, sentences

TEXTS = st.text(
    alphabet='ab .!?\n\u3002\uff01\u4e2d\u6587D r1-#\t\u3000\u201d"(\u2026',
    max_size=4000,
) | st.text(max_size=2000)


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith of the U.S. came at 3.5 p.m. on Monday. J. K. Rowling left.", None),
        (
            "\u4ed6\u8bf4\uff1a\u201c\u662f\u7684\uff01\u201d\u7136\u540e\u8d70\u4e86\u3002\u597d\u3002",
            [
                "\u4ed6\u8bf4\uff1a\u201c\u662f\u7684\uff01\u201d",
                "\u7136\u540e\u8d70\u4e86\u3002",
                "\u597d\u3002",
            ],
        ),
        (
            "# A heading\nIts text\ngoes on.\n\nAnother\n\n\n",
            ["# A heading", "Its text\ngoes on.", "Another"],
        ),
        (
            "1. one thing\n2. another\n- third",
            ["1. one thing", "2. another", "- third"],
        ),
        ('He asked "Why?" Then he left.', ['He asked "Why?"', "Then he left."]),
        ("Wait... what?!", ["Wait...", "what?!"]),
        (" \n\t\u3000 ", []),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str] | None) -> None:
    if expected is None:
        expected = [
            "Dr. Smith of the U.S. came at 3.5 p.m. on Monday.",
            "J. K. Rowling left.",
        ]
    assert parts(text) == expected


@settings(deadline=None)
@given(TEXTS)
def test_sentences_part_the_text(text: str) -> None:
    end = 0
    for start, after in sentences(text):
        assert start >= end
        assert not text[end:start].strip()
        assert text[start:after].strip() == text[start:after] != ""
        end = after
    assert not text[end:].strip()


@settings(deadline=None)
@given(TEXTS)
def test_passages_cover_the_text_and_keep_to_the_size(text: str) -> None:
    covered = 0
    before = -1
    for start, end in cut(text):
        assert start > before
        assert not text[covered:start].strip()
        assert text[start:end].strip() == text[start:end] != ""
        assert letters(text[start:end]) <= 2 * SIZE
        before, covered = start, end
    assert not text[covered:].strip()


def test_a_short_text_is_one_passage() -> None:
    text = "One sentence. " * 70 + "\n\n" + "\u4e2d\u6587\u3002"
    assert letters(text) <= SIZE * 5 // 4
    assert list(cut(text)) == [(0, len(text))]


@pytest.mark.parametrize(
    "sentence",
    [
        "This sentence has seven words in it. ",
        "\u8fd9\u662f\u4e00\u53e5\u5341\u4e2a\u5b57\u7684\u8bdd\u3002",
    ],
)
def test_passages_of_one_paragraph_overlap_by_a_sentence(sentence: str) -> None:
    text = (sentence * 200).strip()
    pieces = list(cut(text))
    assert len(pieces) > 5
    for one, two in pairwise(pieces[:-1]):
        assert text[two.start : one.end].strip() == sentence.strip()
        assert SIZE * 0.9 <= letters(text[one.start : one.end]) <= SIZE * 1.1


def test_passages_end_with_paragraphs_where_they_can() -> None:
    paragraph = "This is a sentence of a paragraph. " * 16
    text = "\n\n".join(paragraph.strip() for _ in range(9))
    ends = {text.find("\n\n", at) for at in range(len(text))} | {len(text)}
    assert (
        len(list(cut(text))) == 8
    )  # what is left for the last is little more than a passage
    assert all(end in ends for _, end in cut(text))


def test_text_without_sentences_is_cut_at_blanks() -> None:
    text = "word " * 2000
    pieces = list(cut(text))
    assert all(
        text[start:end].startswith("word") and text[start:end].endswith("word")
        for start, end in pieces
    )
    assert len(list(cut("\u4e2d" * 3000))) == pytest.approx(10, abs=1)


@pytest.mark.parametrize(
    "part", [".", "\n \n", ".a", "\n# ", "'\"", ". ", "\u3002", " \t"]
)
def test_hostile_text_takes_no_longer_than_other_text(part: str) -> None:
    before = time.process_time()
    list(cut(part * 100_000 + "a"))
    assert time.process_time() - before < 5
