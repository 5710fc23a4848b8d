"""The bundled example: a demonstrated query with its four candidates, whose levels are
known, among cases of other groups.

A demonstration made from the case in hand is never used, so no case stands as an
example of itself.
"""

from __future__ import annotations

from typing import Any

from ...prompts.demonstrations import DemonstrationSet

ORDER = (1, 3, 0, 2)
"""In which the levels stand: not from best to worst."""
OTHERS = 4
"""Candidates from other groups; nobody has given them a level."""


def example_of(
    demonstrations: DemonstrationSet,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The query and its candidates from the first groups of a set, as `new_relevance`
    takes them.
    """
    first, *others = demonstrations.groups
    query = {"id": first.id, "text": first.query.text, "title": first.query.charge}
    known = sorted(first.candidates, key=lambda one: ORDER.index(one.level))
    candidates: list[dict[str, Any]] = [
        {"text": one.text, "title": one.charge, "gold": one.level} for one in known
    ]
    for place, group in enumerate(others[:OTHERS]):
        candidates.insert(
            2 * place + 1, {"text": group.query.text, "title": group.query.charge}
        )
    return query, [
        {"id": f"c{number}", **one} for number, one in enumerate(candidates, 1)
    ]
