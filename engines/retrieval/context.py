"""Extends passages by the text around them in their document, within a token budget."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...sessions.events import Reference
from ..models.tokens import estimate
from .index import BETWEEN, Data
from .port import PassageFilter


def widened(
    data: Data, references: Sequence[Reference], wanted: PassageFilter
) -> list[Reference]:
    """Return references of a corpus with their neighbors, or with their sections, up to
    an equal share of the tokens. Extending them does not repeat text.
    """
    places = {one.n: place for one in references if (place := _place(data, one))}
    taken = {at for at, _, _ in places.values()}
    share = wanted.context_tokens // max(1, len(references))
    made = []
    for one in references:
        if one.n not in places:
            made.append(one)
            continue
        first, last = _grown(data, *places[one.n], taken, share, wanted.context)
        taken.update(range(first, last + 1))
        made.append(_reference(data, one, first, last))
    return made


def _place(data: Data, one: Reference) -> tuple[int, int, int] | None:
    """Which passage a reference is, and the first and the last one of its document."""
    document = data.files.place(one.file or "")
    if document is None or one.start is None:
        return None
    low, high = data.passages[:, 0].searchsorted([document, document + 1])
    at = low + int(data.passages[low:high, 1].searchsorted(one.start))
    return (int(at), int(low), int(high) - 1) if at < high else None


def _grown(
    data: Data, at: int, low: int, high: int, taken: set[int], share: int, context: str
) -> tuple[int, int]:
    """The first and the last passage of what is given with a passage: by turns the next
    one after it and before it.
    """
    section, first, last = data.sections[at], at, at
    if context == "neighbors":
        low, high = max(low, at - 1), min(high, at + 1)
    left = share - estimate(data.passage(at)[1])
    ends = [1, -1]
    while ends:
        step = ends.pop(0)
        new = last + 1 if step > 0 else first - 1
        if not low <= new <= high or new in taken:
            continue
        inside = f"{data.sections[new]}{BETWEEN}".startswith(f"{section}{BETWEEN}")
        tokens = estimate(data.passage(new)[1])
        if tokens > left or not (context == "neighbors" or not section or inside):
            continue
        left -= tokens
        first, last = min(first, new), max(last, new)
        ends.append(step)
    return first, last


def _reference(data: Data, one: Reference, first: int, last: int) -> Reference:
    if first == last:
        return one
    _, start, _, low, _ = data.passages[first].tolist()
    _, _, end, _, high = data.passages[last].tolist()
    header, text = data.headers[first], data.part(low, high)
    return msgspec.structs.replace(
        one, start=start, end=end, text=f"{header}\n{text}" if header else text
    )
