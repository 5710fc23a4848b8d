"""Vectors on disk, exact search in them, and the fusion of rankings."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from verifytui.engines.retrieval import dense


def rows(count: int, size: int, seed: int = 0) -> numpy.ndarray:
    made = numpy.random.default_rng(seed).standard_normal((count, size))
    return (made / numpy.linalg.norm(made, axis=1, keepdims=True)).astype("<f2")


def names(count: int) -> numpy.ndarray:
    return numpy.array(
        [dense.digest("m", "", str(at)) for at in range(count)],
        dtype=f"S{dense.DIGEST}",
    )


@pytest.mark.parametrize(("count", "size"), [(1, 1), (513, 384), (1200, 7)])
def test_a_search_is_the_product_of_all_vectors_with_the_query(
    tmp_path: Path, count: int, size: int
) -> None:
    vectors = rows(count, size)
    vectors[0, 0] = 3e-8  # smaller than float16's smallest normal number
    numpy.save(tmp_path / "v.npy", vectors)
    query = dense.unit(rows(1, size, 1)[0])
    found = dense.VectorIndex(tmp_path, "v", count, size).scores(query)
    assert found.dtype == numpy.float32
    assert numpy.allclose(
        found, vectors.astype("float64") @ query.astype("float64"), atol=1e-6
    )
    with pytest.raises(ValueError, match="another index"):
        dense.VectorIndex(tmp_path, "v", count + 1, size)


@given(st.lists(st.integers(-3, 3), max_size=40), st.integers(0, 50), st.data())
def test_the_best_come_first_and_equal_ones_in_order(
    values: list[int], k: int, data: st.DataObject
) -> None:
    among = data.draw(
        st.none() | st.lists(st.booleans(), min_size=len(values), max_size=len(values))
    )
    mask = None if among is None else numpy.array(among, dtype=bool)
    allowed = [at for at in range(len(values)) if among is None or among[at]]
    expected = sorted(allowed, key=lambda at: (-values[at], at))[:k]
    assert dense.top(numpy.array(values, dtype="float32"), k, mask) == expected


def test_rankings_are_fused_by_reciprocal_rank() -> None:
    # 7: 1/61 + 1/63; 9: 1/62 + 1/61; 4 and 2 stand once at the same place
    assert dense.fused([[7, 9, 4], [9, 2, 7]]) == [9, 7, 2, 4]
    assert dense.fused([[5, 3], [3, 5]]) == [3, 5]
    assert dense.fused([[], [8]]) == [8]
    # the constant 60: twice at place 10 (2/70) goes before once at place 1 (1/61)
    assert dense.fused([[1, *range(10, 18), 2], [*range(20, 29), 2]])[0] == 2


@pytest.mark.parametrize(
    "vector", [[], [0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]], ids=str
)
def test_a_vector_without_a_direction_is_none(vector: list[float]) -> None:
    with pytest.raises(ValueError, match="The vector has no direction"):
        dense.unit(vector)


def test_any_length_becomes_one() -> None:
    for factor in (1e-300, 1.0, 1e300):
        assert dense.unit([3 * factor, -4 * factor]).tolist() == pytest.approx(
            [0.6, -0.8]
        )


def test_what_was_paid_for_is_found_again_also_after_a_row_was_cut_off(
    tmp_path: Path,
) -> None:
    vectors, digests = rows(5, 4), names(5)
    dense.keep(tmp_path, digests[:3].tolist(), vectors[:3])
    (path,) = tmp_path.glob("paid-*.bin")
    path.write_bytes(path.read_bytes()[:-3])
    (kept,) = dense.known(tmp_path)
    assert kept.find(digests).tolist() == [0, 1, -1, -1, -1]
    dense.keep(tmp_path, digests[2:].tolist(), vectors[2:])
    (kept,) = dense.known(tmp_path)
    assert kept.find(digests).tolist() == [0, 1, 2, 3, 4]
    dense.write(tmp_path, "dense-new", digests[[4, 0, 4]], [kept])
    found = dense.VectorIndex(tmp_path, "dense-new", 3, 4).rows
    assert (found == vectors[[4, 0, 4]]).all()
    dense.drop(tmp_path, "dense-new")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "dense-new.digests.npy",
        "dense-new.npy",
    ]
    (tmp_path / "dense-new.npy").write_bytes(b"broken")
    assert list(dense.known(tmp_path)) == []
