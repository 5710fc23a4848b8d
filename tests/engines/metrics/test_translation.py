"""chrF and BLEU, held equal to sacrebleu."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verifytui.engines.metrics.translation import (
    Tokenizer,
    bleu_counts,
    bleu_of,
    chrf_counts,
    chrf_of,
    tokenizer_for,
)

pytestmark = pytest.mark.slow

sacrebleu = pytest.importorskip("sacrebleu")

ENGLISH = st.text("abc ABC.,-'\"&;0123456789!?()é\n\t<>", max_size=60)
CHINESE = st.text(
    "他想拉同村的干部一起下水去贩毒。，、“”——…！（）ABC abc 0.5,３", max_size=40
)


def _streams(references: list[list[str]]) -> list[list[str | None]]:
    """One list for the first reference of every sentence, one for the second, …"""
    return [
        [one[place] if place < len(one) else None for one in references]
        for place in range(max(map(len, references)))
    ]


def _sum(counted: list[list[int]]) -> list[int]:
    return [sum(column) for column in zip(*counted, strict=True)]


def chrf(answers: list[str], references: list[list[str]]) -> float:
    return chrf_of(_sum(list(map(chrf_counts, answers, references))))


def bleu(
    answers: list[str], references: list[list[str]], tokenizer: Tokenizer = "13a"
) -> float:
    pairs = zip(answers, references, strict=True)
    return bleu_of(_sum([bleu_counts(*pair, tokenizer) for pair in pairs]))


def _compare(
    answers: list[str], references: list[list[str]], tokenizer: Tokenizer
) -> None:
    streams = _streams(references)
    assert chrf(answers, references) == pytest.approx(
        sacrebleu.CHRF().corpus_score(answers, streams).score, abs=1e-9
    )
    judge = sacrebleu.BLEU(tokenize=tokenizer)
    assert bleu(answers, references, tokenizer) == pytest.approx(
        judge.corpus_score(answers, streams).score, abs=1e-9
    )
    alone = sacrebleu.BLEU(tokenize=tokenizer, effective_order=True)
    for answer, listed in zip(answers, references, strict=True):
        assert chrf_of(chrf_counts(answer, listed)) == pytest.approx(
            sacrebleu.CHRF().sentence_score(answer, listed).score, abs=1e-9
        )
        assert bleu_of(
            bleu_counts(answer, listed, tokenizer), effective=True
        ) == pytest.approx(alone.sentence_score(answer, listed).score, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(ENGLISH, st.lists(ENGLISH, min_size=1, max_size=3)),
        min_size=1,
        max_size=4,
    )
)
def test_english_is_as_in_sacrebleu(pairs: list[tuple[str, list[str]]]) -> None:
    _compare([answer for answer, _ in pairs], [listed for _, listed in pairs], "13a")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(CHINESE, st.lists(CHINESE, min_size=1, max_size=3)),
        min_size=1,
        max_size=4,
    )
)
def test_chinese_is_as_in_sacrebleu(pairs: list[tuple[str, list[str]]]) -> None:
    _compare([answer for answer, _ in pairs], [listed for _, listed in pairs], "zh")


def test_every_sign_is_cut_as_sacrebleu_cuts_it() -> None:
    signs = [
        chr(code) for code in range(0x20, 0x30000, 7) if not 0xD800 <= code <= 0xDFFF
    ]
    text = "".join(f"a{sign}b " for sign in signs)
    for tokenizer in ("13a", "zh"):
        for start in range(0, len(text), 400):
            piece = text[start : start + 400]
            cut = sacrebleu.BLEU(tokenize=tokenizer).tokenizer(piece.rstrip())
            assert bleu_of(
                bleu_counts(piece, [cut], tokenizer), effective=True
            ) == pytest.approx(
                sacrebleu.BLEU(tokenize=tokenizer, effective_order=True)
                .sentence_score(piece, [cut])
                .score,
                abs=1e-9,
            )


@pytest.mark.parametrize(
    "system", ["baseline", "gpt4", "mad", "maps", "rerank", "self_reflect"]
)
def test_recorded_translations_score_as_with_sacrebleu(
    shared: Path, system: str
) -> None:
    lines = [
        json.loads(line)
        for line in (shared / "mad-commonmt" / "lexical200_outputs.jsonl")
        .read_text("utf-8")
        .splitlines()
    ]
    answers, references = (
        [line["outputs"][system] for line in lines],
        [[line["reference"]] for line in lines],
    )
    _compare(answers, references, "13a")
    _compare(
        [line["source"] for line in lines],
        [[line["source"][:-3], line["source"][3:]] for line in lines],
        "zh",
    )
    assert 40 < chrf(answers, references) < 80


def test_the_tokenizer_goes_by_the_target_language() -> None:
    assert (
        tokenizer_for("en") == tokenizer_for(None) == tokenizer_for("German") == "13a"
    )
    assert (
        tokenizer_for("zh")
        == tokenizer_for("zh-CN")
        == tokenizer_for("Chinese")
        == "zh"
    )
    assert tokenizer_for("ja") is tokenizer_for("Korean") is None
