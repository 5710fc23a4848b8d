"""Agreement for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..engines.metrics import agreement
from ..engines.metrics.bootstrap import Figure
from ..engines.metrics.compare import BITS, KAPPAS, NOTE, Comparison, Dispute, Overall, Rater, mean_kappas
from ..engines.metrics.heatmap import heatmap
from ..engines.metrics.levels import LEVELS
from ..sessions.clean import clean

MOST_DISPUTES = 20


def agreement_json(raters: Sequence[Rater], compared: Sequence[Comparison], whole: Overall, disputes: Sequence[Dispute]) -> dict[str, Any]:
    """One object; a figure is {value, low, high, resamples, reason}, its value null where it is undefined."""
    return {
        "raters": [
            {
                "name": rater.name,
                "pairs": len(rater.labels),
                "unread": len(rater.labels) - len(rater.rated()),
                "seen_machine": rater.seen_machine,
                "shares": _shares(list(rater.rated().values())),
            }
            for rater in raters
        ],
        "comparisons": [comparison_json(one) for one in compared],
        "mean_kappa": {name: {"value": mean, "couples": couples} for name, (mean, couples) in mean_kappas(compared).items()},
        "fleiss": {"pairs": whole.complete, **_figures(whole.fleiss)},
        "alpha": {"pairs": whole.shared, **_figures(whole.alpha)},
        "adjudicate": [one._asdict() for one in disputes],
        "note": NOTE,
    }


def comparison_json(one: Comparison) -> dict[str, Any]:
    """Two raters as one object."""
    return {
        "raters": [one.first, one.second],
        "pairs": one.pairs,
        "unread": one.unread,
        "only_first": one.only_first,
        "only_second": one.only_second,
        "shares": [[row / one.pairs for row in rows] if one.pairs else None for rows in _margins(one)],
        "raw_agreement": one.raw,
        "kappa": _figures(one.kappa),
        "confusion": {"levels": one.levels, **{kind: agreement.bits(one.levels, kind) for kind in BITS}},
    }


def agreement_text(raters: Sequence[Rater], compared: Sequence[Comparison], whole: Overall, disputes: Sequence[Dispute]) -> str:
    """Two raters in full, with heatmaps; more of them a line a couple."""
    lines = [line for rater in raters for line in _rater(rater)]
    lines += ["", *(_couple(compared[0]) if len(compared) == 1 else _couples(compared))]
    for title, pairs, figures in (
        ("Krippendorff's alpha (ordinal)", whole.shared, whole.alpha),
        ("Fleiss' kappa", whole.complete, whole.fleiss),
    ):
        lines += ["", f"{title}, all raters, {pairs} pairs", *(f"  {KAPPAS[name]:<30} {_told(one)}" for name, one in figures.items())]
    lines += ["", *_disputes(disputes), "", NOTE]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _rater(rater: Rater) -> list[str]:
    rated = list(rater.rated().values())
    shares = _shares(rated)
    told = "no level" if shares is None else ", ".join(f"{level}: {share:.1%}" for level, share in zip(LEVELS, shares, strict=True))
    unread = len(rater.labels) - len(rated)
    seen = f"; {rater.seen_machine} given after the machine's were seen" if rater.seen_machine else ""
    return [f"{_name(rater.name)}: {len(rated)} pairs rated, {unread} unread{seen} ({told})"]


def _couple(one: Comparison) -> list[str]:
    """Everything about two raters."""
    first, second = _name(one.first), _name(one.second)
    lines = [
        f"{one.pairs} pairs rated by both; left out: {one.unread} unread by either, {one.only_first} only with {first}, "
        f"{one.only_second} only with {second}",
        "",
        "Cohen's kappa, 95 % interval",
        *(f"  {KAPPAS[name]:<30} {_told(figure)}" for name, figure in one.kappa.items()),
        "",
        "Raw agreement",
        *(f"  {KAPPAS[name]:<30} {'undefined (no pair)' if share is None else f'{share:.4f}'}" for name, share in one.raw.items()),
    ]
    lines += ["", "Levels: " + heatmap(one.levels, first, second)[0], *heatmap(one.levels, first, second)[1:]]
    for kind in BITS:
        shown = heatmap(agreement.bits(one.levels, kind), first, second)
        lines += ["", f"{kind.capitalize()} bit: {shown[0]}", *shown[1:]]
    return lines


def _couples(compared: Sequence[Comparison]) -> list[str]:
    """A line for every two raters."""
    names = [f"{_name(one.first)} / {_name(one.second)}" for one in compared]
    width = max(map(len, names))
    titles = ("pairs", "left out", "raw", "material", "legal", "levels", "linear", "quadratic", "quadratic, 95 %")
    lines = ["Cohen's kappa", " " * width + "".join(f"{title:>10}" for title in titles[:-1]) + f"  {titles[-1]}"]
    for name, one in zip(names, compared, strict=True):
        out = one.unread + one.only_first + one.only_second
        shares = [one.raw["levels"], *(figure.value for figure in one.kappa.values())]
        row = "".join(f"{'–' if share is None else f'{share:.4f}':>10}" for share in shares)
        lines.append(f"{name:<{width}}{one.pairs:>10}{out:>10}{row}  {_range(one.kappa['levels_quadratic'])}")
    means = "".join(f"{'–' if mean is None else f'{mean:.4f}':>10}" for mean, _ in mean_kappas(compared).values())
    lines.append(f"{'mean of those defined':<{width + 30}}{means}")
    reasons = {figure.reason for one in compared for figure in one.kappa.values() if figure.reason}
    return lines + [f"–: {reason}" for reason in sorted(reasons)]


def _disputes(disputes: Sequence[Dispute]) -> list[str]:
    if not disputes:
        return ["Nothing to adjudicate: no pair is rated differently."]
    shown = disputes[:MOST_DISPUTES]
    more = f"; the first {len(shown)}, all with --output json" if len(disputes) > len(shown) else ""
    lines = [f"To adjudicate: {len(disputes)} pairs, most different first{more}"]
    for one in shown:
        levels = ", ".join(f"{_name(name)} {level}" for name, level in one.labels.items())
        lines.append(f"  {_name(one.query)}  {_name(one.candidate)}  {levels}  ({' and '.join(one.bits)} bit)")
    return lines


def _margins(one: Comparison) -> tuple[list[int], list[int]]:
    return [sum(row) for row in one.levels], [sum(column) for column in zip(*one.levels, strict=True)]


def _shares(levels: Sequence[int]) -> list[float] | None:
    return [levels.count(level) / len(levels) for level in LEVELS] if levels else None


def _figures(figures: Mapping[str, Figure]) -> dict[str, Any]:
    return {name: one._asdict() for name, one in figures.items()}


def _told(one: Figure) -> str:
    return f"{one.value:7.4f}  {_range(one)}" if one.value is not None else f"{one.reason}"


def _range(one: Figure) -> str:
    return "" if one.low is None or one.high is None else f"[{one.low:.4f}, {one.high:.4f}]"


def _name(name: str, longest: int = 40) -> str:
    name = clean(name, newlines=False)
    return name if len(name) <= longest else f"{name[: longest - 1]}…"
