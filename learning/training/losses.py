"""Losses over scores of pairs, and the scores, computed from blocks. Arguments are
torch tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SCALE = 20.0
"""Factor for cosines: a temperature of .05."""
AT_ONCE = 16
"""Blocks per forward pass."""


def cosent(scores: Any, levels: Any) -> Any:
    """log(1 + Σ exp(20 (s_low - s_high))) over all pairs of scores with different
    levels (Huang et al. 2024, CoSENT).

    `scores`: n cosines; `levels`: n numbers, used as an order only.
    """
    import torch

    differences = SCALE * (scores[:, None] - scores[None, :])
    wrong = differences[levels[:, None] < levels[None, :]]
    return torch.logsumexp(torch.cat([scores.new_zeros(1), wrong]), dim=0)


def contrastive(scores: Any, left_out: Any) -> Any:
    """Cross-entropy of each query's own document among the documents of the batch (van
    den Oord et al. 2018, InfoNCE; temperature .05).

    `scores`: n × n cosines, row i the query and column i the document of pair i.
    `left_out`: n × n, true if a document is also relevant to the row's query, so it is
    not a negative.

    Every negative is thus relevant to another query, so an unjudged document cannot be
    recognized by its kind.
    """
    import torch

    own = torch.arange(len(scores), device=scores.device)
    return torch.nn.functional.cross_entropy(
        (SCALE * scores).masked_fill(left_out, float("-inf")), own
    )


def nearest(
    encoder: Any,
    queries: Sequence[Sequence[Any]],
    documents: Sequence[Sequence[Any]],
    pairs: Sequence[tuple[int, int]],
) -> Any:
    """The scores of pairs: the largest dot product of two blocks; n cosines with
    gradients.

    `queries`, `documents`: blocks of token ids, text by text; `pairs`: their indexes.
    The gradient of a maximum only reaches its two blocks. So the nearest blocks are
    found without gradients first, and only these go through the model again: memory is
    that of two blocks per pair, however long the texts are.
    """
    import torch

    every = [block for text in (*queries, *documents) for block in text]
    starts, at = [], 0
    for text in (*queries, *documents):
        starts.append(at)
        at += len(text)
    asked = (
        [starts[query] for query, _ in pairs],
        [len(queries[query]) for query, _ in pairs],
    )
    given = (
        [starts[len(queries) + one] for _, one in pairs],
        [len(documents[one]) for _, one in pairs],
    )
    chosen = list(zip(asked[0], given[0], strict=True))
    if max(*asked[1], *given[1]) > 1:
        vectors = _without_gradient(encoder, every)
        for place, (first, many, second, more) in enumerate(
            zip(*asked, *given, strict=True)
        ):
            best = int(
                (
                    vectors[first : first + many] @ vectors[second : second + more].T
                ).argmax()
            )
            chosen[place] = first + best // more, second + best % more
    needed = sorted({one for pair in chosen for one in pair})
    rows = {one: row for row, one in enumerate(needed)}
    made = _vectors(encoder, [every[one] for one in needed])
    left, right = (
        torch.tensor([rows[pair[side]] for pair in chosen], device=made.device)
        for side in (0, 1)
    )
    return (made[left] * made[right]).sum(dim=-1)


def _without_gradient(encoder: Any, blocks: Sequence[Any]) -> Any:
    import torch

    training = encoder.model.training
    encoder.model.eval()
    try:
        with torch.no_grad():
            return _vectors(encoder, blocks)
    finally:
        encoder.model.train(training)


def _vectors(encoder: Any, blocks: Sequence[Any]) -> Any:
    """The vectors of all blocks, in order. Blocks of similar length are encoded
    together to reduce padding.
    """
    import torch

    order = sorted(range(len(blocks)), key=lambda place: len(blocks[place]))
    parts = [
        encoder.vectors([blocks[place] for place in order[at : at + AT_ONCE]])
        for at in range(0, len(order), AT_ONCE)
    ]
    made = torch.cat(parts)
    back = torch.tensor(order, device=made.device).argsort()
    return made[back]
