"""What came out of a batch of debates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..engines.debate.answers import same
from ..sessions.events import DebateResult
from .report import Row, share, share_in_words, states_in_words, totals, totals_in_words


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """Totals and metrics of a batch.

    Accuracy and trap share count the debates that ended with an answer and whose line says what is right (or a trap); debates that ended
    undecided are neither right nor wrong, and `excluded` says how many there are.
    """
    done = [(row, row.result) for row in rows if isinstance(row.result, DebateResult)]
    sides = Counter(result.supported_side or "none" for _, result in done)
    rounds = [result.rounds for _, result in done]
    return {
        **totals(rows),
        "decided_by": dict(Counter(result.decided_by for _, result in done)),
        "undecided": sum(result.decided_by == "undecided" for _, result in done),
        "unread": sum(row.unread for row in rows),
        "rounds": sum(rounds) / len(rounds) if rounds else None,
        "wins": dict(sorted(sides.items())),
        "side_by": dict(Counter(result.side_by or "none" for _, result in done)),
        "disagreement": _disagreement([result for _, result in done]),
        "accuracy": _hits(done, "answers"),
        "traps": _hits(done, "wrong_answers"),
    }


def _hits(done: list[tuple[Row, DebateResult]], name: str) -> dict[str, Any] | None:
    known = [(result.answer, getattr(row.line, name)) for row, result in done if getattr(row.line, name)]
    answered = [(answer, listed) for answer, listed in known if answer is not None]
    hits = sum(any(same(answer, one) for one in listed) for answer, listed in answered)
    measured = share(hits, len(answered))
    return None if measured is None else {**measured, "excluded": len(known) - len(answered)}


def _disagreement(results: list[DebateResult]) -> dict[str, Any]:
    """Mean over the debates, apart for each way of measuring."""
    means: dict[str, list[float]] = {}
    excluded: Counter[str] = Counter()
    for result in results:
        if result.disagreement is not None:
            excluded[result.disagreement.mode] += result.disagreement.excluded
            if result.disagreement.mean is not None:
                means.setdefault(result.disagreement.mode, []).append(result.disagreement.mean)
    return {mode: {"mean": sum(values) / len(values), "debates": len(values), "excluded": excluded[mode]} for mode, values in means.items()}


def in_words(found: dict[str, Any]) -> str:
    """The report for people, a few lines."""
    lines = [states_in_words(found, "topics")]
    for name, label in (("accuracy", "right"), ("traps", "in the trap")):
        if found[name] is not None:
            lines.append(share_in_words(label, found[name]))
    if found["wins"]:
        lines.append("sides: " + ", ".join(f"{side} {count}" for side, count in found["wins"].items()))
    if found["done"]:
        lines.append(
            f"undecided: {found['undecided']}; replies that could not be read: {found['unread']}; rounds: {found['rounds']:.2f} on average"
        )
    for mode, part in found["disagreement"].items():
        lines.append(f"disagreement ({mode}): {part['mean']:.3f} on average over {part['debates']} debates, {part['excluded']} excluded")
    return "\n".join([*lines, totals_in_words(found)])
