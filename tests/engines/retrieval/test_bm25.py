"""The matrix of scores is that of bm25s, however it is sliced."""

from __future__ import annotations

from pathlib import Path

import bm25s
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verifytui.engines.retrieval import bm25
from verifytui.engines.retrieval.bm25 import B, Bm25Index, Builder

SIZE = 8
"""Words of the collections here, 0 to 7."""

passages_of_words = st.lists(
    st.lists(st.integers(0, SIZE - 1), max_size=12), min_size=1, max_size=20
)


def build(folder: Path, passages: list[list[int]], stretch: int) -> None:
    counts = numpy.bincount(
        numpy.array([word for words in passages for word in words], dtype="int64"),
        minlength=SIZE,
    )
    builder = Builder(folder, counts)
    for at in range(0, len(passages), stretch):
        some = passages[at : at + stretch]
        words = numpy.array([word for words in some for word in words], dtype="int32")
        builder.add(words, numpy.array([len(words) for words in some]))
    builder.finish(lambda: None)


@settings(deadline=None, max_examples=60)
@given(passages_of_words, st.integers(1, 7), st.integers(1, 50))
def test_scores_are_those_of_bm25s_to_the_bit(
    tmp_path_factory: pytest.TempPathFactory,
    passages: list[list[int]],
    stretch: int,
    piece: int,
) -> None:
    folder = tmp_path_factory.mktemp("bm25") / "index"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "SLICE", piece)
        build(folder, passages, stretch)
    theirs = bm25s.BM25(k1=bm25.K1, b=B)
    with numpy.errstate(invalid="ignore", divide="ignore"):
        scores = theirs.build_index_from_ids(range(SIZE), passages, show_progress=False)
    ours = bm25s.BM25.load(folder).scores
    for name in ("data", "indices", "indptr"):
        assert ours[name].dtype == scores[name].dtype
        assert ours[name].tobytes() == scores[name].tobytes()
    assert ours["num_docs"] == len(passages)
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [
            "data.csc.index.npy",
            "indices.csc.index.npy",
            "indptr.csc.index.npy",
            "params.index.json",
            "vocab.index.json",
        ]
    )


def test_the_best_passages(tmp_path: Path) -> None:
    build(tmp_path / "index", [[1, 2], [2], [3, 2, 2], [1]], 2)
    scores = Bm25Index(tmp_path / "index")
    assert [at for at, _ in scores.best([1, 3], 3)] == [2, 3, 0]
    assert [at for at, _ in scores.best([2], 2)] == [2, 1]
    assert (
        scores.best([2], 9, numpy.array([True, False, False, True]))
        == scores.best([2], 9)[2:]
    )
    assert [scores.frequency(word) for word in range(SIZE)] == [0, 2, 3, 1, 0, 0, 0, 0]
    assert scores.best([7], 3) == scores.best([], 3) == scores.best([1], 0) == []


@settings(deadline=None, max_examples=60)
@given(
    passages_of_words,
    st.lists(st.integers(0, SIZE - 1), min_size=1, max_size=4),
    st.integers(1, 25),
    st.integers(1, 9),
)
def test_the_best_are_the_first_of_all_in_order(
    tmp_path_factory: pytest.TempPathFactory,
    passages: list[list[int]],
    words: list[int],
    k: int,
    block: int,
) -> None:
    folder = tmp_path_factory.mktemp("best") / "index"
    build(folder, passages, 5)
    scores = Bm25Index(folder)
    every = scores._bm25.get_scores_from_ids(words).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "_BLOCK", block)
        found = scores.best(words, k)
    assert (
        found
        == sorted(
            ((at, score) for at, score in enumerate(every) if score > 0),
            key=lambda one: (-one[1], one[0]),
        )[:k]
    )
