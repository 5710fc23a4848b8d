"""Bounds that the report of a batch is held to. Gates fail closed: what cannot be measured does not pass."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ...sessions.errors import BadInput
from ...texts import own_words, t

MAX_UNREAD = 0.05
"""The share of unread replies, and of items that a figure leaves out, that a gate lets pass where `--max-unread` is not given."""


MOST = 20
"""Figures that a sentence lists."""


@dataclass(frozen=True)
class Figure:
    """A figure of a report that can be held to a bound."""

    path: str
    """Where it stands in report.json, with dots; `*` stands for every entry of a list or an object: the bound must hold in each."""
    of: str | None = None
    """For a count: where that stands of which it is a share. The entries of an object are added up."""
    least: float = 0.0
    most: float = 1.0
    left_out: str | None = None
    """Where it stands how many items the figure leaves out."""
    counted: str | None = None
    """Where it stands how many it counts."""


Figures = Mapping[str, Figure]

COMMON: Figures = {
    "unread": Figure("unread_share"),
    "failed": Figure("failed", "lines"),
    "stopped": Figure("stopped", "lines"),
    "skipped": Figure("skipped", most=math.inf),
    "calls": Figure("calls", most=math.inf),
    "seconds": Figure("seconds", most=math.inf),
    "cost": Figure("cost", most=math.inf),
}
"""What every report has."""


def mean_of(path: str, *, least: float = 0.0, most: float = 1.0) -> Figure:
    """A figure that leaves out what could not be measured: {value, of, excluded}."""
    return Figure(
        path, least=least, most=most, left_out=f"{path}.excluded", counted=f"{path}.of"
    )


def shares_of(
    family: str,
    names: Iterable[str],
    of: str | None = None,
    *,
    left_out: str | None = None,
    counted: str | None = None,
) -> dict[str, Figure]:
    """Counts by name, each as a share of their sum, or of the count at `of`."""
    return {
        f"{family}.{name}": Figure(
            f"{family}.{name}", of or family, left_out=left_out, counted=counted
        )
        for name in names
    }


@dataclass(frozen=True)
class Bound:
    """One `--fail-under` or `--fail-over`."""

    option: str
    name: str
    bound: float


@dataclass(frozen=True)
class Gates:
    """All bounds of a batch."""

    figures: Figures
    bounds: Sequence[Bound] = ()
    max_unread: float | None = None
    """None: not given; then the default holds where there is a bound."""

    def wanting(self, found: dict[str, Any]) -> list[str]:
        """Why a report does not pass, a sentence each; empty where it passes or nothing was asked for."""
        if not self.bounds and self.max_unread is None:
            return []
        told = []
        for state, why in (
            ("stopped", t("wrong.gates.stopped")),
            ("failed", t("wrong.gates.failed")),
        ):
            if found[state]:
                told.append(
                    t(
                        "wrong.gates.not_passed",
                        found=found[state],
                        found2=found["lines"],
                        why=why,
                    )
                )
        return [
            *told,
            *self._unread(found),
            *(
                sentence
                for bound in self.bounds
                for sentence in self._held(found, bound)
            ),
        ]

    @property
    def _most(self) -> float:
        return MAX_UNREAD if self.max_unread is None else self.max_unread

    def _unread(self, found: dict[str, Any]) -> list[str]:
        part = found["unread_share"]
        if part is None or part["value"] <= self._most:
            return []
        return [
            t(
                "wrong.gates.unread",
                part=part["count"],
                part2=part["of"],
                part3=part["value"],
                most=self._most,
            )
        ]

    def _held(self, found: dict[str, Any], bound: Bound) -> list[str]:
        """A sentence where the bound does not hold, or cannot be tried."""
        figure, about = self.figures[bound.name], f"{bound.option} {bound.name}"
        values = _values(found, figure)
        unknown = (
            next((why for value, why in values if value is None), None)
            if values
            else t("wrong.gates.nothing_measured")
        )
        if unknown is not None:
            return [t("wrong.gates.unmeasured", about=about, unknown=unknown)]
        missing = _missing(found, figure)
        if missing is None:
            return [t("wrong.gates.nothing_left", about=about)]
        left_out, items = missing
        if items and left_out / items > self._most:
            why = t(
                "wrong.gates.left_out", left_out=left_out, items=items, most=self._most
            )
            return [t("wrong.gates.unmeasured_why", about=about, why=why)]
        under = bound.option == "--fail-under"
        worst = (min if under else max)(
            value for value, _ in values if value is not None
        )
        if worst < bound.bound if under else worst > bound.bound:
            return [
                t(
                    "wrong.gates.under" if under else "wrong.gates.over",
                    about=about,
                    worst=worst,
                    bound=bound.bound,
                )
            ]
        return []


def parse_gates(
    under: Sequence[str],
    over: Sequence[str],
    max_unread: float | None,
    figures: Figures,
) -> Gates:
    """The gates of the options `--fail-under`, `--fail-over` and `--max-unread`. BadInput for one that cannot be held."""
    if max_unread is not None and not 0 <= max_unread <= 1:
        raise BadInput(t("wrong.gates.max_unread"))
    bounds = [
        _bound(option, text, figures)
        for option, texts in (("--fail-under", under), ("--fail-over", over))
        for text in texts
    ]
    return Gates(figures, bounds, max_unread)


def _bound(option: str, text: str, figures: Figures) -> Bound:
    name, _, value = text.partition("=")
    name = name.strip()
    if name not in figures:
        name = next(
            (one for one, figure in figures.items() if figure.path == name), name
        )
    if name not in figures:
        raise BadInput(
            t(
                "wrong.gates.no_figure",
                name=name,
                option=option,
                listed=_listed(figures, name),
            )
        )
    least, most = figures[name].least, figures[name].most
    try:
        bound = float(value)
    except ValueError:
        bound = math.nan
    if not least <= bound <= most or math.isinf(bound):
        wanted = (
            t("wrong.gates.from", least=least)
            if math.isinf(most)
            else t("wrong.gates.between", least=least, most=most)
        )
        raise BadInput(t("wrong.gates.no_bound", text=text, name=name, wanted=wanted))
    return Bound(option, name, bound)


def _listed(figures: Figures, wrong: str) -> str:
    """The names, those like the wrong one first, MOST of them. A family is spelt out only where the wrong name is of it:
    `wins.affirmative|negative`, else `wins.…`.
    """
    families: dict[str, list[str]] = {}
    for name in figures:
        head, _, tail = name.partition(".")
        families.setdefault(head, []).extend([tail] if tail else [])
    alone = [head for head in families if head in figures]
    alone = list(dict.fromkeys([*get_close_matches(wrong, alone), *alone]))
    near = wrong.partition(".")[0]
    more = [t("wrong.gates.more", n=len(alone) - MOST)] if len(alone) > MOST else []
    told = (
        f"{head}.{'|'.join(tails) if head == near else '…'}"
        for head, tails in families.items()
        if tails
    )
    return ", ".join([*alone[:MOST], *told, *more])


def _at(found: Any, path: str) -> list[Any]:
    """What stands at a path: one thing, or one for each entry where it holds a `*`; None where there is nothing."""
    places = [found]
    for name in path.split("."):
        if name == "*":
            places = [
                inner
                for one in places
                for inner in (
                    one.values()
                    if isinstance(one, dict)
                    else one
                    if isinstance(one, list)
                    else [None]
                )
            ]
        else:
            places = [
                one.get(name) if isinstance(one, dict) else None for one in places
            ]
    return places


def _count(found: Any, path: str) -> int | None:
    """The number of items at a path, added up; None where there is none."""
    places = _at(found, path)
    counts = [sum(one.values()) if isinstance(one, dict) else one for one in places]
    return None if not counts or None in counts else sum(counts)


def _values(found: dict[str, Any], figure: Figure) -> list[tuple[float | None, str]]:
    """The values of a figure; where there is none, why."""
    if figure.of is not None:
        whole = _count(found, figure.of)
        return (
            [((_count(found, figure.path) or 0) / whole, "")]
            if whole
            else [(None, t("wrong.gates.nothing_to_count"))]
        )
    made: list[tuple[float | None, str]] = []
    for part in _at(found, figure.path):
        value = part.get("value", part.get("mean")) if isinstance(part, dict) else part
        if isinstance(value, int | float) and math.isfinite(value):
            made.append((value, ""))
        else:
            made.append((None, _why(found, figure, part)))
    return made


def _why(found: dict[str, Any], figure: Figure, part: Any) -> str:
    if isinstance(part, dict) and part.get("reason"):
        return own_words(str(part["reason"]))
    if figure.path == "cost":
        return t("wrong.gates.no_price", names=", ".join(found["unpriced"]))
    return t("wrong.gates.not_counted")


def _missing(found: dict[str, Any], figure: Figure) -> tuple[int, int] | None:
    """How many items a figure leaves out, and of how many; None where that cannot be told."""
    if figure.left_out is None or figure.counted is None:
        return 0, 0
    left_out, counted = _count(found, figure.left_out), _count(found, figure.counted)
    return (
        None if left_out is None or counted is None else (left_out, left_out + counted)
    )
