"""How raters agree: a table of levels and one of each bit for every two of them, and
how often each level was given.
"""

from __future__ import annotations

from collections.abc import Set
from itertools import combinations
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from .....engines.cases.rating import GOLD, MACHINE
from .....engines.metrics.agreement import (
    Table,
    bits,
    cohen_kappa,
    confusion,
    raw_agreement,
)
from .....engines.metrics.compare import margins, rates, singles
from .....engines.metrics.heatmap import shade
from .....engines.metrics.levels import LEVELS
from .....engines.relevance.plan import RelevanceState
from .....engines.relevance.result import raters
from .....sessions.events.relevance import LEAST_PAIRS
from .....sessions.session import Session
from .....texts import t
from ....screens.sheet import Pages, Sheet
from ..wording import Parts, kappa, rater

WIDE = 100
"""Cells of a screen on which the three tables of two raters stand in a row."""
BAR = 24
"""Cells of a share's bar."""


class AgreementScreen(Sheet[None]):
    """The raters of a session, on the candidates `seen`.

    `gold_shown`: whether the labels of the data are among them.

    Where two people or more have rated, they are compared alone until `B` adds the
    machine and the data.
    """

    DEFAULT_CSS = "AgreementScreen { Pages > Static { height: auto; } }"
    AUTO_FOCUS = "Pages"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("B", "others", show=False)]
    tall = True

    def __init__(
        self,
        session: Session,
        fold: RelevanceState,
        own: str,
        seen: Set[str],
        *,
        gold_shown: bool,
    ) -> None:
        super().__init__()
        found = {
            name: {id_: level for id_, level in levels.items() if id_ in seen}
            for name, levels in raters(session, fold).items()
        }
        shown = {
            name: levels
            for name, levels in found.items()
            if levels and (gold_shown or name != GOLD)
        }
        self._rated = {rater(name, own): levels for name, levels in shown.items()}
        people = [rater(name, own) for name in shown if name not in (MACHINE, GOLD)]
        self._people = people if 1 < len(people) < len(shown) else []
        """Those who are compared alone, if there is anybody to leave out."""
        self._all = not self._people
        self._gold = gold_shown and bool(found.get(GOLD))

    def heading(self) -> str:
        return t("relevance.agreement_title")

    def body(self) -> ComposeResult:
        with Pages():
            yield Static(self._told())

    def action_others(self) -> None:
        """Adds the machine and the data, or leaves them out again."""
        if self._people:
            self._all = not self._all
            self.query_one("Pages > Static", Static).update(self._told())

    def _told(self) -> Content:
        parts: Parts = []
        if self._people:
            parts.append(
                (
                    t(
                        "relevance.agreement_all"
                        if self._all
                        else "relevance.agreement_people"
                    )
                    + "\n\n",
                    "$quiet",
                )
            )
        compared = [
            name for name in reversed(self._rated) if self._all or name in self._people
        ]
        tables: Parts = []
        for one, other in combinations(
            compared, 2
        ):  # people's levels downwards, the machine's across, as in exports
            table = _table(self._rated[one], self._rated[other])
            if sum(map(sum, table)):
                tables.append(
                    pair(one, other, table, beside=self.app.size.width >= WIDE)
                )
        parts += tables or [(t("relevance.agreement_none") + "\n\n", "$quiet")]
        parts.append((t("relevance.shares") + "\n", "bold"))
        for name, levels in self._rated.items():
            parts.append(shares(name, levels))
        if self._gold and self._all:
            parts.append(("\n" + t("relevance.agreement_lecard"), "$quiet"))
        return Content.assemble(*parts)

    def keys(self) -> list[tuple[str, str]]:
        toggle = [("B", t("relevance.agreement_toggle"))] if self._people else []
        return [("j k", t("compare.scroll")), *toggle, ("esc", t("sheet.back"))]


def _table(first: dict[str, int], second: dict[str, int]) -> Table:
    both = [id_ for id_ in first if id_ in second]
    return confusion([first[id_] for id_ in both], [second[id_] for id_ in both])


def pair(one: str, other: str, table: Table, *, beside: bool) -> Content:
    """Two raters: the 4 x 4 table with the tables of the bits beside it, or under it;
    below them the base rates and every kappa.
    """
    bit_tables = {kind: bits(table, kind) for kind in ("material", "legal")}
    pairs = sum(map(sum, table))
    blocks = [
        heatmap(table),
        *(
            heatmap(one_bit, name)
            for one_bit, name in zip(bit_tables.values(), ("MF", "LF"), strict=True)
        ),
    ]
    lines = (
        _side_by_side(blocks) if beside else [*blocks[0], *_side_by_side(blocks[1:])]
    )
    parts: Parts = [
        (t("relevance.agreement_down", one=one, other=other), "bold"),
        ("  " + t("relevance.agreement_pairs", n=pairs) + "\n", "$quiet"),
    ]
    for line in lines:
        parts += [line, "\n"]
    for name, margin in zip((one, other), margins(table), strict=True):
        base = rates(margin)
        told = " ".join(
            f"{level}: {share:.0%}" for level, share in enumerate(base.levels)
        )
        positives = {kind: f"{share:.0%}" for kind, share in base.bits.items()}
        parts.append(
            (
                t("relevance.agreement_rates", rater=name, levels=told, **positives)
                + "\n",
                "$quiet",
            )
        )
    for single in singles((one, other), table):
        if single.what == "levels":
            parts.append(
                (
                    t(
                        "relevance.agreement_single",
                        rater=single.rater,
                        level=single.value,
                    )
                    + "\n",
                    "$warning",
                )
            )
        else:
            name = "MF" if single.what == "material" else "LF"
            parts.append(
                (
                    t(
                        "relevance.agreement_single_bit",
                        rater=single.rater,
                        bit=name,
                        value=single.value,
                    )
                    + "\n",
                    "$warning",
                )
            )
    if pairs < LEAST_PAIRS:
        return Content.assemble(
            *parts, t("relevance.agreement_few", least=LEAST_PAIRS) + "\n\n"
        )
    raw = raw_agreement(table)
    weighted = {
        "none": cohen_kappa(table),
        "linear": cohen_kappa(table, "linear"),
        "quadratic": cohen_kappa(table, "quadratic"),
    }
    told = t(
        "relevance.agreement_levels",
        raw="-" if raw is None else f"{raw:.0%}",
        **{name: kappa(one) for name, one in weighted.items()},
    )
    told_bits = t(
        "relevance.agreement_bits",
        **{kind: kappa(cohen_kappa(one_bit)) for kind, one_bit in bit_tables.items()},
    )
    return Content.assemble(*parts, told + "\n", told_bits + "\n\n")


def _side_by_side(blocks: list[list[Content]]) -> list[Content]:
    return [
        Content("     ").join(
            block[at] if at < len(block) else Content(" " * block[0].cell_length)
            for block in blocks
        )
        for at in range(max(map(len, blocks)))
    ]


def heatmap(table: Table, name: str = "") -> list[Content]:
    """Lines of equal width: counts with shades, so that they read without colour; those
    alike stand out.
    """
    most = max(max(row) for row in table)
    width = max(len(str(most)), 3)
    lines = [
        Content.styled(
            f"{name:<3}" + "".join(f"  {j:>{width + 3}}" for j in range(len(table))),
            "$quiet",
        )
    ]
    for i, row in enumerate(table):
        parts: Parts = [(f"{i:<3}", "$quiet")]
        for j, count in enumerate(row):
            parts.append(
                (
                    f"  {shade(count, most) * 2} {count:>{width}}",
                    "bold $success" if i == j and count else "" if count else "$quiet",
                )
            )
        lines.append(Content.assemble(*parts))
    return lines


def shares(name: str, levels: dict[str, int]) -> Content:
    """One rater: a bar a level."""
    parts: Parts = [f"{name}  ", (f"({len(levels)})\n", "$quiet")]
    for level in LEVELS:
        count = sum(value == level for value in levels.values())
        share = count / len(levels) if levels else 0.0
        full = round(share * BAR)
        parts += [
            f"  {level}  ",
            ("\u2501" * full, "$primary"),
            ("\u2500" * (BAR - full), "$quiet"),
            f"  {count}  {share:.0%}\n",
        ]
    return Content.assemble(*parts)
