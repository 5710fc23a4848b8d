"""A comparison as text for a terminal of 80 columns and more."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ...sessions.clean import clean
from ...sessions.export.block import fact
from ...texts import t
from ...texts.columns import cells, pad
from . import compared_words as words
from .comparing import PRICE, Comparison, Versus
from .differing import Difference
from .wording import measure_name


def text(comparison: Comparison) -> str:
    """All runs against the first one: what differs in how they were made, then each measure."""
    return (
        "\n\n".join(
            "\n".join(lines)
            for lines in [
                *map(_versus, comparison.versus),
                _wrapped(t("report.compare.how")),
            ]
        )
        + "\n"
    )


def _versus(versus: Versus) -> list[str]:
    first, second = (
        clean(run.name, newlines=False) for run in (versus.first, versus.second)
    )
    lines = [
        t("report.compare.head", first=first, second=second),
        *words.head(versus),
        "",
        *_made(versus),
    ]
    quality = [one for one in versus.differences if one.measure.name not in PRICE]
    prices = [one for one in versus.differences if one.measure.name in PRICE]
    lines += [line for one in quality for line in ["", *_difference(versus, one)]]
    return [*lines, *(["", *_prices(versus, prices)] if prices else [])]


def _made(versus: Versus) -> list[str]:
    """What both have goes into two columns; what only one has, as the settings of another method, into a line for each run."""
    rows = words.made_differently(versus.differing)
    if not rows:
        return [words.alike(versus)]
    both = [(name, values) for name, values in rows if "–" not in values]
    lines = [t("report.compare.differ")]
    widths = (
        [
            max(map(cells, column))
            for column in zip(*[(name, *values) for name, values in both], strict=True)
        ]
        if both
        else []
    )
    lines += [
        "  "
        + "  ".join(
            pad(cell, width)
            for cell, width in zip((name, *values), widths, strict=True)
        ).rstrip()
        for name, values in both
    ]
    for place, run in enumerate((versus.first, versus.second)):
        own = [
            f"{name} {values[place]}"
            for name, values in rows
            if "–" in values and values[place] != "–"
        ]
        lines += (
            _filled(
                t("report.compare.only_made", name=clean(run.name, newlines=False)), own
            )
            if own
            else []
        )
    return lines


def _filled(head: str, parts: Sequence[str], width: int = 78) -> list[str]:
    """The parts in lines, broken between them."""
    comma = t("asked.comma")
    gap = " " if comma.endswith(" ") else ""
    lines, line = [], f"  {head}"
    for place, part in enumerate(parts):
        piece = part + (comma.rstrip() if place < len(parts) - 1 else "")
        if cells(line) + len(gap) + cells(piece) > width:
            lines.append(line)
            line = "    " + piece
        else:
            line += gap + piece
    return [*lines, line]


def _wrapped(sentences: str, width: int = 78) -> list[str]:
    return textwrap.wrap(sentences, width) if sentences.isascii() else [sentences]


def _prices(versus: Versus, prices: Sequence[Difference]) -> list[str]:
    """What an item took on average, a line each."""
    rows = [
        [
            t("report.compare.price"),
            *(side.name for side in words.sides(versus, prices[0])),
            "",
            "",
        ]
    ]
    for one in prices:
        sides = words.sides(versus, one)
        apart = f"({sides[2].interval})" if sides[2].interval else ""
        rows.append(
            [
                f"  {measure_name(one.measure.name)}",
                *(side.value for side in sides),
                apart,
                words.verdict(one, short=True),
            ]
        )
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    left = (0, 4, 5)
    lines = []
    for row in rows:
        shown = [
            pad(cell, width) if place in left else " " * (width - cells(cell)) + cell
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(shown).rstrip())
    return lines + [
        "  " + fact(measure_name(one.measure.name), told)
        for one in prices
        for told in words.remarks(versus, one)
    ]


def _difference(versus: Versus, one: Difference) -> list[str]:
    sides = words.sides(versus, one)
    names = max(cells(side.name) for side in sides)
    values = max(cells(side.value) for side in sides)
    lines = [
        t(
            "report.compare.measure",
            name=measure_name(one.measure.name),
            verdict=words.verdict(one),
        )
    ]
    for side in sides:
        lines.append(
            f"  {pad(side.name, names)}  {' ' * (values - cells(side.value))}{side.value}  {side.interval}".rstrip()
        )
    told = (
        [words.tested(one), words.counted(one)]
        if one.difference.value is not None
        else []
    )
    lines += [
        f"  {sentence}" for sentence in (*told, *words.remarks(versus, one)) if sentence
    ]
    return lines
