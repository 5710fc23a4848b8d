"""How raters agree: a table of levels and one of each bit for every two of them, and how often each level was given."""

from __future__ import annotations

from collections.abc import Set
from itertools import combinations

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from ...engines.metrics.agreement import Table, bits, cohen_kappa, confusion, raw_agreement
from ...engines.metrics.heatmap import shade
from ...engines.metrics.levels import LEVELS
from ...engines.relevance.plan import Fold
from ...engines.relevance.result import GOLD, raters
from ...sessions.session import Session
from ..relevance_words import Parts, kappa, rater
from ..texts import t
from .sheet import Pages, Sheet

WIDE = 100
"""Cells of a screen on which the three tables of two raters stand in a row."""
BAR = 24
"""Cells of a share's bar."""


class AgreementScreen(Sheet[None]):
    """The raters of a session, on the candidates `seen`. `gold_shown`: whether the labels of the data are among them."""

    DEFAULT_CSS = "AgreementScreen { Pages > Static { height: auto; } }"
    AUTO_FOCUS = "Pages"
    tall = True

    def __init__(self, session: Session, fold: Fold, own: str, seen: Set[str], *, gold_shown: bool) -> None:
        super().__init__()
        found = {name: {id_: level for id_, level in levels.items() if id_ in seen} for name, levels in raters(session, fold).items()}
        self._rated = {rater(name, own): levels for name, levels in found.items() if levels and (gold_shown or name != GOLD)}
        self._gold = gold_shown and bool(found.get(GOLD))

    def heading(self) -> str:
        return t("relevance.agreement_title")

    def body(self) -> ComposeResult:
        parts: Parts = []
        for one, other in combinations(reversed(self._rated), 2):  # people's levels downwards, the machine's across, as in exports
            table = _table(self._rated[one], self._rated[other])
            if sum(map(sum, table)):
                parts.append(pair(one, other, table, beside=self.app.size.width >= WIDE))
        if not parts:
            parts.append((t("relevance.agreement_none") + "\n\n", "$quiet"))
        parts.append((t("relevance.shares") + "\n", "bold"))
        for name, levels in self._rated.items():
            parts.append(shares(name, levels))
        if self._gold:
            parts.append(("\n" + t("relevance.agreement_lecard"), "$quiet"))
        with Pages():
            yield Static(Content.assemble(*parts))

    def keys(self) -> list[tuple[str, str]]:
        return [("j k", t("compare.scroll")), ("esc", t("sheet.back"))]


def _table(first: dict[str, int], second: dict[str, int]) -> Table:
    both = [id_ for id_ in first if id_ in second]
    return confusion([first[id_] for id_ in both], [second[id_] for id_ in both])


def pair(one: str, other: str, table: Table, *, beside: bool) -> Content:
    """Two raters: the 4 x 4 table with the tables of the bits beside it, or under it, and every kappa below."""
    bit_tables = {kind: bits(table, kind) for kind in ("material", "legal")}
    raw = raw_agreement(table)
    told = t(
        "relevance.agreement_levels",
        none=kappa(cohen_kappa(table)),
        linear=kappa(cohen_kappa(table, "linear")),
        quadratic=kappa(cohen_kappa(table, "quadratic")),
        raw="-" if raw is None else f"{raw:.0%}",
    )
    told_bits = t("relevance.agreement_bits", **{kind: kappa(cohen_kappa(one_bit)) for kind, one_bit in bit_tables.items()})
    blocks = [heatmap(table), *(heatmap(one_bit, name) for one_bit, name in zip(bit_tables.values(), ("MF", "LF"), strict=True))]
    lines = _side_by_side(blocks) if beside else [*blocks[0], *_side_by_side(blocks[1:])]
    parts: Parts = [
        (t("relevance.agreement_down", one=one, other=other), "bold"),
        ("  " + t("relevance.agreement_pairs", n=sum(map(sum, table))) + "\n", "$quiet"),
    ]
    for line in lines:
        parts += [line, "\n"]
    return Content.assemble(*parts, told + "\n", told_bits + "\n\n")


def _side_by_side(blocks: list[list[Content]]) -> list[Content]:
    return [
        Content("     ").join(block[at] if at < len(block) else Content(" " * block[0].cell_length) for block in blocks)
        for at in range(max(map(len, blocks)))
    ]


def heatmap(table: Table, name: str = "") -> list[Content]:
    """Lines of equal width: counts with shades, so that they read without colour; those alike stand out."""
    most = max(max(row) for row in table)
    width = max(len(str(most)), 3)
    lines = [Content.styled(f"{name:<3}" + "".join(f"  {j:>{width + 3}}" for j in range(len(table))), "$quiet")]
    for i, row in enumerate(table):
        parts: Parts = [(f"{i:<3}", "$quiet")]
        for j, count in enumerate(row):
            parts.append(
                (f"  {shade(count, most) * 2} {count:>{width}}", "bold $success" if i == j and count else "" if count else "$quiet")
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
        parts += [f"  {level}  ", ("\u2501" * full, "$primary"), ("\u2500" * (BAR - full), "$quiet"), f"  {count}  {share:.0%}\n"]
    return Content.assemble(*parts)
