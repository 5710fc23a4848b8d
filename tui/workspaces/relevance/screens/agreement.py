"""How raters agree: a table of levels and one of each bit for every two of them, and
how often each level was given.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from itertools import combinations

from textual.app import ComposeResult
from textual.content import Content

from .....engines.cases.rating import GOLD, MACHINE
from .....engines.metrics.agreement import (
    Table,
    bits,
    cohen_kappa,
    confusion,
    raw_agreement,
)
from .....engines.metrics.compare import margins, rates, singles
from .....engines.metrics.gwet import gwet_table
from .....engines.metrics.heatmap import shade
from .....engines.metrics.levels import LEVELS
from .....engines.relevance.plan import RelevanceState, raters
from .....sessions.events.relevance import LEAST_PAIRS
from .....sessions.session import Session
from .....texts import t
from ....screens.sheet import Pages
from ....screens.text_sheet import TextSheet
from ....widgets.hits import HitText
from ..wording import Parts, kappa, rater

WIDE = 100
"""Cells of a screen on which the three tables of two raters are in a row."""
BITS: Mapping[str, str] = {"material": "MF", "legal": "LF"}
"""What the tables of the bits are called."""
BAR = 24
"""Cells of a share's bar."""


class AgreementScreen(TextSheet):
    """The raters of a session, on the candidates `seen`.

    `gold_shown`: whether the labels of the data are among them.

    Where two people or more have rated, they are compared alone until `B` adds the
    machine and the data.
    """

    DEFAULT_CSS = "AgreementScreen { Pages > Static { height: auto; } }"
    NAME = "agreement"
    HEADING = "relevance.agreement_title"
    BINDINGS = [("B", "others")]
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

    def body(self) -> ComposeResult:
        with Pages():
            yield HitText(self._summary())

    def action_others(self) -> None:
        """Adds the machine and the data, or leaves them out again."""
        if self._people:
            self._all = not self._all
            self.query_one(HitText).update(self._summary())

    def _summary(self) -> Content:
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
        # people's levels downwards, the machine's across, as in exports
        for one, other in combinations(compared, 2):
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

    def keys(self) -> dict[str, str]:
        toggle = {"B": t("relevance.agreement_toggle")} if self._people else {}
        return {"j k": t("compare.scroll"), **toggle}


def _table(first: dict[str, int], second: dict[str, int]) -> Table:
    both = [id_ for id_ in first if id_ in second]
    return confusion([first[id_] for id_ in both], [second[id_] for id_ in both])


def pair(one: str, other: str, table: Table, *, beside: bool) -> Content:
    """Format two raters: the 4 x 4 table, the tables of the bits, the base rates,
    and every kappa.
    """
    bit_tables = {
        "material": bits(table, "material"),
        "legal": bits(table, "legal"),
    }
    pairs = sum(map(sum, table))
    levels = heatmap(table)
    small = [heatmap(bit_tables[kind], name) for kind, name in BITS.items()]
    if beside:
        lines = _side_by_side([levels, *small])
    else:
        lines = [*levels, *_side_by_side(small)]
    parts: Parts = [
        (t("relevance.agreement_down", first=one, second=other), "bold"),
        ("  " + t("relevance.agreement_pairs", n=pairs) + "\n", "$quiet"),
    ]
    for line in lines:
        parts += [line, "\n"]
    parts += _base_rates(one, other, table)
    if pairs < LEAST_PAIRS:
        few = t("relevance.agreement_few", least=LEAST_PAIRS)
        return Content.assemble(*parts, few + "\n\n")
    raw = raw_agreement(table)
    told = t(
        "relevance.agreement_levels",
        raw="-" if raw is None else f"{raw:.0%}",
        none=kappa(cohen_kappa(table)),
        linear=kappa(cohen_kappa(table, "linear")),
        quadratic=kappa(cohen_kappa(table, "quadratic")),
    )
    kappas = {kind: kappa(cohen_kappa(each)) for kind, each in bit_tables.items()}
    told_bits = t("relevance.agreement_bits", **kappas)
    gwet = {kind: kappa(gwet_table(each)) for kind, each in bit_tables.items()}
    of_levels = kappa(gwet_table(table, "quadratic"))
    told_gwet = t("relevance.agreement_gwet", levels=of_levels, **gwet)
    return Content.assemble(*parts, f"{told}\n{told_bits}\n{told_gwet}\n\n")


def _base_rates(one: str, other: str, table: Table) -> Parts:
    """How often each rater gives each level and bit, and which raters give only one."""
    parts: Parts = []
    for name, margin in zip((one, other), margins(table), strict=True):
        base = rates(margin)
        shares = [f"{level}: {share:.0%}" for level, share in enumerate(base.levels)]
        positives = {kind: f"{share:.0%}" for kind, share in base.bits.items()}
        words = {"rater": name, "levels": " ".join(shares), **positives}
        parts.append((t("relevance.agreement_rates", **words) + "\n", "$quiet"))
    for single in singles((one, other), table):
        rater, value = single.rater, single.value
        if single.what == "levels":
            told = t("relevance.agreement_single", rater=rater, level=value)
        else:
            words = {"rater": rater, "bit": BITS[single.what]}
            told = t("relevance.agreement_single_bit", **words, value=value)
        parts.append((told + "\n", "$warning"))
    return parts


def _side_by_side(blocks: list[list[Content]]) -> list[Content]:
    return [
        Content("     ").join(
            block[at] if at < len(block) else Content(" " * block[0].cell_length)
            for block in blocks
        )
        for at in range(max(map(len, blocks)))
    ]


def heatmap(table: Table, name: str = "") -> list[Content]:
    """Format counts with shades, in lines of equal width.

    Readable without colour; the diagonal is highlighted.
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
