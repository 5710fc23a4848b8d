"""What came out of a batch of questions, or of answers that were verified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..engines.rag import metrics
from ..engines.rag.plan import SCORES, in_force, turns
from ..sessions.errors import BadInput
from ..sessions.events import Clause, RagResult, Retrieval, Verification
from ..sessions.session import Session
from .questions import ACCEPTED_ID
from .report import Row, mean, share, share_in_words, states_in_words, totals, totals_in_words

SHARES = {
    "accuracy": "right (contains)",
    "webglm": "right (raw substring)",
    "exact_match": "right (exact match)",
    "accuracy_first": "right, first answer",
    "accuracy_last": "right, last answer",
    "reference_accuracy_first": "accepted answer in the first references",
    "reference_accuracy_last": "accepted answer in the last references",
}
MEANS = ("f1", *(name for name in SCORES if name != "bias"))
BOUNDED = (*SHARES, *MEANS)
"""What `--fail-under` can hold; more is better in all of them."""


@dataclass(frozen=True)
class Facts:
    """What counts of a finished session."""

    answer: str | None
    first: str | None
    last: str | None
    """The first and the last answer that was given."""
    undecided: bool
    first_references: tuple[str, ...] | None
    last_references: tuple[str, ...] | None
    """Title and text of each; None where the accepted answers themselves stood for references."""
    verification: Verification | None
    """The last one."""
    judgements: tuple[str, ...]
    clauses: tuple[Clause, ...]
    iterations: int
    stopped_by: str


def facts(session: Session) -> Facts:
    """The facts of a finished session."""
    made = turns(session)
    result = next(event for event in reversed(session.events) if isinstance(event, RagResult))
    answers = [turn.answer.answer for turn in made if turn.answer is not None]
    found = [turn.retrieval for turn in made if turn.retrieval is not None]
    verified = [turn.verification for turn in made if turn.verification is not None and turn.iteration > 0]
    return Facts(
        answer=result.answer,
        first=answers[0] if answers else None,
        last=answers[-1] if answers else None,
        undecided=result.answer is None or result.stopped_by == "unread",
        first_references=_texts(found[0]) if found else (),
        last_references=_texts(found[-1]) if found else (),
        verification=verified[-1] if verified else None,
        judgements=tuple(one.judgement or "unread" for one in verified),
        clauses=tuple(clause for turn in made if turn.decision is not None for clause in turn.decision.clauses),
        iterations=result.iterations,
        stopped_by=result.stopped_by,
    )


def _texts(retrieval: Retrieval) -> tuple[str, ...] | None:
    listed = in_force(retrieval)
    if any(one.id.startswith(ACCEPTED_ID) for one in listed):
        return None
    return tuple(f"{one.title}\n{one.text}" for one in listed)


def _stands(references: tuple[str, ...] | None, accepted: Sequence[str]) -> bool | None:
    """Whether an accepted answer stands in one of the references."""
    return None if references is None else any(metrics.contains(one, accepted) for one in references)


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """Totals and metrics of a batch.

    Metrics count the finished lines that say what is right. Those without an answer, or whose verification could not be read so that nobody
    decided, are neither right nor wrong: `excluded` counts them, except for what is said of the references. Where nothing could be counted
    a metric is null.
    """
    done: list[tuple[Row, Facts]] = [(row, row.facts) for row in rows if isinstance(row.facts, Facts)]
    known = [(one, row.line.answers) for row, one in done if row.line.answers]
    kept = [(one, accepted) for one, accepted in known if not one.undecided]

    def hits(test: Callable[[Facts, Sequence[str]], bool | None], of: Sequence[tuple[Facts, Sequence[str]]]) -> dict[str, Any] | None:
        told = [right for right in (test(one, accepted) for one, accepted in of) if right is not None]
        measured = share(sum(told), len(told))
        return None if measured is None else {**measured, "excluded": len(known) - len(told)}

    lengths = [metrics.length(one.answer) for _, one in done if one.answer is not None]
    of_f1 = mean([metrics.f1(one.answer or "", accepted) for one, accepted in kept], 0.0, 1.0)
    return {
        **totals(rows),
        "stopped_by": dict(Counter(one.stopped_by for _, one in done)),
        "undecided": sum(one.undecided for _, one in done),
        "unread": sum(row.unread for row in rows),
        "iterations": sum(one.iterations for _, one in done) / len(done) if done else None,
        "judgements": dict(Counter(judged for _, one in done for judged in one.judgements)),
        "clauses": _clauses([clause for _, one in done for clause in one.clauses]),
        "scores": _scores([one.verification for _, one in done if one.verification is not None]),
        "accuracy": hits(lambda one, right: metrics.contains(one.answer or "", right), kept),
        "accuracy_first": hits(lambda one, right: metrics.contains(one.first or "", right), kept),
        "accuracy_last": hits(lambda one, right: metrics.contains(one.last or "", right), kept),
        "webglm": hits(lambda one, right: metrics.webglm(one.answer or "", right), kept),
        "exact_match": hits(lambda one, right: metrics.exact_match(one.answer or "", right), kept),
        "f1": of_f1 and {**of_f1, "excluded": len(known) - len(kept)},
        "reference_accuracy_first": hits(lambda one, right: _stands(one.first_references, right), known),
        "reference_accuracy_last": hits(lambda one, right: _stands(one.last_references, right), known),
        "length": {
            unit: mean([count for count, counted in lengths if counted == unit], 0.0, float("inf"))
            for unit in sorted({counted for _, counted in lengths})
        },
    }


def _clauses(clauses: Sequence[Clause]) -> dict[str, dict[str, int]]:
    """How often each clause of the decisions spoke for a revision, and how often it could not be read."""
    return {
        name: {
            "fired": sum(one.holds is True for one in clauses if one.name == name),
            "of": sum(one.name == name for one in clauses),
            "unread": sum(one.holds is None for one in clauses if one.name == name),
        }
        for name in dict.fromkeys(one.name for one in clauses)
    }


def _scores(verifications: Sequence[Verification]) -> dict[str, Any]:
    """Mean of each score over the last verifications; `excluded` counts those that could not be read."""
    found: dict[str, Any] = {}
    for name in SCORES:
        values = [value for one in verifications if (value := getattr(one, name)) is not None]
        measured = mean(values, 0.0, 1.0)
        found[name] = measured and {**measured, "excluded": len(verifications) - len(values)}
    return found


def parse_bounds(texts: Sequence[str]) -> dict[str, float]:
    """`accuracy=.8` texts as metric to bound. BadInput for a name that is no metric, or a value that is no number from 0 to 1."""
    bounds: dict[str, float] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if name not in BOUNDED:
            raise BadInput(f"There is no metric “{name}” for --fail-under; there are {', '.join(BOUNDED)}.")
        try:
            bounds[name] = float(value)
        except ValueError:
            bounds[name] = -1.0
        if not equals or not 0 <= bounds[name] <= 1:
            raise BadInput(f"“{text}” is no bound; write {name}=NUMBER with a number from 0 to 1.")
    return bounds


def under(found: dict[str, Any], bounds: dict[str, float]) -> list[str]:
    """A sentence for each metric of a report that is below its bound or could not be measured."""
    told = []
    for name, bound in bounds.items():
        part = found["scores"][name] if name in SCORES else found[name]
        if part is None:
            why = "no line could be verified" if name in SCORES else "no finished line says what is right (`answers`)"
            told.append(f"--fail-under {name}: it could not be measured: {why}.")
        elif part["value"] < bound:
            told.append(f"--fail-under {name}: {part['value']:.4f} is under {bound:g}.")
    return told


def in_words(found: dict[str, Any], many: str) -> str:
    """The report for people."""
    lines = [states_in_words(found, many)]
    again = (found["iterations"] or 0) > 1
    told = {name: label for name, label in SHARES.items() if again or not name.startswith("accuracy_")}
    lines += [share_in_words(label, found[name]) for name, label in told.items() if found[name] is not None]
    lines += [_mean_in_words("F1", found["f1"])] if found["f1"] else []
    lines += [f"answer length: {part['value']:.1f} {unit} on average ({part['of']})" for unit, part in found["length"].items()]
    for name, part in found["scores"].items():
        if part is not None:
            lines.append(_mean_in_words(name.replace("_", " ") + (" (1 is bad)" if name == "bias" else ""), part))
    if found["judgements"]:
        lines.append("judgements: " + ", ".join(f"{judged} {count}" for judged, count in sorted(found["judgements"].items())))
    if found["clauses"]:
        fired = (f"{name} {part['fired']} of {part['of']}" for name, part in found["clauses"].items())
        lines.append("clauses for a revision: " + ", ".join(fired))
    if found["done"]:
        lines.append("stopped by: " + ", ".join(f"{why} {count}" for why, count in sorted(found["stopped_by"].items())))
        lines.append(f"undecided: {found['undecided']}; replies that could not be read: {found['unread']}")
    return "\n".join([*lines, totals_in_words(found)])


def _mean_in_words(label: str, part: dict[str, Any]) -> str:
    interval = "" if part["low"] is None else f", 95 % interval {part['low']:.3f} to {part['high']:.3f}"
    left = f", {part['excluded']} left out" if part["excluded"] else ""
    return f"{label}: {part['value']:.3f} on average ({part['of']}{interval}{left})"
