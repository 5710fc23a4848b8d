"""Agreement within each query: where people read a query's candidates differently."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

from ...sessions.clean import clean
from ...texts import own_words, t
from ...texts.columns import cells, pad
from . import agreement
from .compare import BITS, LEAST_PAIRS, NO_VARIATION, Rater, too_few
from .levels import bit

MOST_QUERIES = 20

FIGURES = (*BITS, "levels")


class QueryAgreement(NamedTuple):
    """All raters together on the candidates of one query."""

    query: str
    pairs: int
    """Candidates with two ratings or more."""
    differ: int
    """Those that are not rated alike."""
    raw: dict[str, float]
    """Share of equal ratings among all two ratings of one pair, on `material`, `legal` and `levels`."""
    alpha: dict[str, float | None]
    """Krippendorff's alpha; None where it is undefined or not shown."""
    why: str | None
    """Why there is no alpha."""


def by_query(raters: Sequence[Rater]) -> list[QueryAgreement]:
    """Every query that has a pair with two ratings, the one with the lowest share of equal levels first."""
    items: dict[str, list[list[int | None]]] = {}
    for pair in dict.fromkeys(pair for rater in raters for pair in rater.labels):
        ratings = [rater.labels.get(pair) for rater in raters]
        if sum(one is not None for one in ratings) > 1:
            items.setdefault(pair[0], []).append(ratings)
    made = [_of_query(query, rated) for query, rated in items.items()]
    return sorted(made, key=lambda one: (one.raw["levels"], one.query))


def _of_query(query: str, rated: list[list[int | None]]) -> QueryAgreement:
    raw: dict[str, float] = {}
    alpha: dict[str, float | None] = {}
    for name in FIGURES:
        seen = [[_value(one, name) for one in ratings] for ratings in rated]
        couples = [
            (one, other)
            for ratings in seen
            for one, other in combinations(
                [one for one in ratings if one is not None], 2
            )
        ]
        raw[name] = sum(one == other for one, other in couples) / len(couples)
        alpha[name] = (
            agreement.krippendorff_alpha(seen) if len(rated) >= LEAST_PAIRS else None
        )
    differ = sum(
        len({one for one in ratings if one is not None}) > 1 for ratings in rated
    )
    undefined = NO_VARIATION if None in alpha.values() else None
    return QueryAgreement(
        query,
        len(rated),
        differ,
        raw,
        alpha,
        too_few(len(rated)) if len(rated) < LEAST_PAIRS else undefined,
    )


def _value(level: int | None, name: str) -> int | None:
    if level is None or name == "levels":
        return level
    return bit(level, "material" if name == "material" else "legal")


def by_query_json(found: Sequence[QueryAgreement]) -> list[dict[str, Any]]:
    """An object a query."""
    return [one._asdict() for one in found]


def by_query_text(found: Sequence[QueryAgreement]) -> list[str]:
    """A line a query, those with most disagreement first."""
    if not found:
        return []
    shown = found[:MOST_QUERIES]
    names = [clean(one.query, newlines=False)[:40] for one in shown]
    width = max(map(cells, names))
    titles = [
        t("report.figure.pairs"),
        t("report.ratings.differ"),
        *(t(f"report.figure.short_{name}") for name in FIGURES),
        t("report.ratings.alpha_short"),
    ]
    more = (
        t("report.ratings.first_disputes", n=len(shown))
        if len(found) > len(shown)
        else ""
    )
    lines = [t("report.ratings.by_query", n=len(found), more=more)]
    lines.append(
        " " * (width + 2)
        + "".join(" " * (max(10 - cells(title), 1)) + title for title in titles)
    )
    for name, one in zip(names, shown, strict=True):
        alpha = one.alpha["levels"]
        row = [
            str(one.pairs),
            str(one.differ),
            *(f"{one.raw[which]:.4f}" for which in FIGURES),
            "–" if alpha is None else f"{alpha:.4f}",
        ]
        lines.append(
            "  "
            + pad(name, width)
            + "".join(
                f"{cell:>{max(10, cells(title) + 1)}}"
                for cell, title in zip(row, titles, strict=True)
            )
        )
    if any(one.pairs < LEAST_PAIRS for one in shown):
        lines.append(t("report.ratings.no_alpha", least=LEAST_PAIRS))
    if any(one.pairs >= LEAST_PAIRS and one.why for one in shown):
        lines.append(f"–: {own_words(NO_VARIATION)}")
    return lines
