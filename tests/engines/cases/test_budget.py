"""What of a long case is sent, and that nothing is left out without a word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from verifytui.engines.cases.budget import cut, cut_list, pieces, shares
from verifytui.engines.models.tokens import estimate

TEXTS = st.text(
    alphabet=st.sampled_from("ab \u76d7\u7a83\u3002.\n\uff0c"), max_size=2_000
)


def mark(count: int) -> str:
    return f"[... {count} ...]"


@given(TEXTS, st.integers(1, 500))
def test_head_and_tail(text: str, tokens: int) -> None:
    made, left_out = cut(text, tokens, mark)
    if estimate(text) <= tokens:
        assert (made, left_out) == (text, 0)
        return
    head, _, tail = made.partition(f"\n{mark(left_out)}\n")
    assert left_out > 0
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) + len(tail) + left_out == len(text)
    assert estimate(head) + estimate(tail) <= tokens + 1
    assert abs(len(head) - len(tail)) <= 1


@given(
    st.lists(st.text(alphabet="abc\u76d7", min_size=1, max_size=50), max_size=40),
    st.integers(1, 200),
)
def test_first_and_last_facts(items: list[str], tokens: int) -> None:
    head, tail, left_out = cut_list(items, tokens)
    assert items[: len(head)] == head
    assert not tail or items[-len(tail) :] == tail
    assert sum(map(len, items)) - sum(map(len, head + tail)) == left_out
    assert sum(map(estimate, head + tail)) <= tokens


@given(TEXTS, st.integers(20, 300))
def test_pieces(text: str, tokens: int) -> None:
    made = pieces(text, tokens)
    assert all(estimate(piece) <= tokens for piece in made)
    assert "".join("".join(made).split()) == "".join(text.split())


def test_pieces_end_with_sentences() -> None:
    text = "One sentence stands here. " * 100
    made = pieces(text, 100)
    assert len(made) > 5
    assert all(piece.strip().endswith(".") for piece in made)
    assert pieces("short", 100) == ["short"]


def test_short_texts_keep_all_and_long_ones_share_the_rest() -> None:
    assert shares([10, 1000, 1000], 210) == [10, 100, 100]
    assert shares([10, 10], 1000) == [10, 10]
    assert shares([], 10) == []
