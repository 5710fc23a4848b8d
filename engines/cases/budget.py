"""Shortens long cases for a prompt.

Nothing is omitted silently: the text says so, and the event counts it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..models.tokens import estimate
from ..retrieval.passages import sentences


def shares(needed: Sequence[int], tokens: int) -> list[int]:
    """Return the tokens for each text: all that it needs, up to an equal share. The
    long texts divide the rest.
    """
    given = [0] * len(needed)
    left = tokens
    for done, at in enumerate(sorted(range(len(needed)), key=lambda one: needed[one])):
        given[at] = min(needed[at], left // (len(needed) - done))
        left -= given[at]
    return given


def cut(text: str, tokens: int, mark: Callable[[int], str]) -> tuple[str, int]:
    """Return head and tail of a text with `mark(characters left out)` between them, and
    the number of these characters; 0 if the whole text fits.
    """
    whole = estimate(text)
    if whole <= tokens:
        return text, 0
    keep = len(text) * tokens // whole
    while (
        keep
        and estimate(text[: keep - keep // 2]) + estimate(text[len(text) - keep // 2 :])
        > tokens
    ):
        keep -= max(1, keep // 50)
    left_out = len(text) - keep
    first, last = text[: keep - keep // 2], text[len(text) - keep // 2 :]
    return f"{first}\n{mark(left_out)}\n{last}", left_out


def cut_list(items: Sequence[str], tokens: int) -> tuple[list[str], list[str], int]:
    """Return the first items of a list, the last ones, and the number of characters
    left out between them; 0 if all are among the first.
    """
    sizes = [estimate(item) for item in items]
    if sum(sizes) <= tokens:
        return list(items), [], 0
    head, tail, left = 0, 0, tokens
    while head + tail < len(items):
        at = head if head <= tail else len(items) - 1 - tail
        if sizes[at] > left:
            break
        left -= sizes[at]
        head, tail = (head + 1, tail) if head <= tail else (head, tail + 1)
    behind = len(items) - tail
    return (
        list(items[:head]),
        list(items[behind:]),
        sum(len(item) for item in items[head:behind]),
    )


def pieces(text: str, tokens: int) -> list[str]:
    """Split a text into parts of at most this many tokens, between sentences if
    possible. A longer sentence is split.
    """
    if estimate(text) <= tokens:
        return [text]
    made = []
    start = end = 0
    for stop in [*(stop for _, stop in sentences(text)), len(text)]:
        if estimate(text[start:stop]) > tokens and end > start:
            made.append(text[start:end])
            start = end
        while estimate(text[start:stop]) > tokens:
            whole = stop
            while estimate(text[start:whole]) > tokens:
                whole -= max(1, (whole - start) // 20)
            made.append(text[start:whole])
            start = whole
        end = stop
    made.append(text[start:end])
    return [piece for piece in made if piece.strip()]
