"""Passages are cut in turn: of a large text, few sentences are held at a time."""

from __future__ import annotations

import tracemalloc

from verifytui.engines.retrieval.passages import SIZE, cut, letters, sentences

TEXT = "The river rose in the night. Nobody had seen it. " * 40_000


def test_a_large_text_takes_no_memory_for_its_sentences() -> None:
    tracemalloc.start()
    count = sum(1 for _ in cut(TEXT))
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert count > len(TEXT) // (2 * SIZE)


def test_every_sentence_stands_in_a_passage() -> None:
    text = TEXT[:20_000] + "\n\n# A heading\n- one. two\n\n" + "x" * 5000
    pieces = list(cut(text))
    for start, end in sentences(text):
        if end - start <= SIZE:
            assert any(one.start <= start and end <= one.end for one in pieces)
    assert all(letters(text[one.start : one.end]) <= SIZE * 3 // 2 for one in pieces)
