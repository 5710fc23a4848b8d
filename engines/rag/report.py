"""What came out of a batch of questions, or of answers that were verified."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...sessions.events.rag import Check, Clause, RagResult, Verification
from ...sessions.session import Session
from ...texts import own_words, t
from ...texts.settings import listed, word
from ..batches.comparison import Compared
from ..batches.equivalence import Question, compared, compared_in_words
from ..batches.gates import COMMON, Figure, Figures, mean_of, shares_of
from ..batches.report import (
    Loss,
    Row,
    by_in_words,
    by_step,
    clustered,
    clustered_means,
    left_out_in_words,
    right_or_wrong,
    share_in_words,
    states_in_words,
    totals,
    totals_in_words,
    unanswered,
    verified_by,
)
from . import metrics
from .iterations import Iteration, iterations, texts
from .plan import SCORES, turns

SHARES = (
    "accuracy",
    "accuracy_decided",
    "contains",
    "contains_paper",
    "webglm",
    "exact_match",
    "accuracy_first",
    "accuracy_last",
    "reference_accuracy_first",
    "reference_accuracy_last",
    "judgement_accuracy",
    "revision_accuracy",
)

CONTAINMENT = ("contains", "contains_paper")
LONG_ANSWERS = "every accepted answer has more than ten words, which nobody repeats word for word"

STOPPED = ("indicator", "limit", "repeated-query", "unread", "no-references", "single")

CHECKED: dict[str, Any] = {"left_out": "check.excluded", "counted": "check.answers"}
"""Where a report says how many answers there were to verify, and how many lines had none."""

FIGURES: Figures = {
    "accuracy": Figure("accuracy"),
    "accuracy_decided": mean_of("accuracy_decided"),
    **{name: Figure(name) for name in ("webglm", "exact_match", "f1", "accuracy_first", "accuracy_last")},
    **{name: mean_of(name) for name in ("contains", "contains_paper")},
    **{name: mean_of(name) for name in ("reference_accuracy_first", "reference_accuracy_last")},
    **{f"verified.{name}": mean_of(f"{name}_accuracy") for name in ("judgement", "revision")},
    **{name: mean_of(f"scores.{name}") for name in SCORES},
    **{name: Figure(f"check.{name}", **CHECKED) for name in ("uncited", "unknown")},
    "support": mean_of("check.support"),
    "empty_marks": Figure("check.empty", "check.sentences", most=math.inf, **CHECKED),
    "undecided": Figure("undecided", "done"),
    "no_references": Figure("no_references", "done"),
    "empty": Figure("empty", "lines"),
    "iterations": Figure("iterations", most=math.inf),
    **{f"length.{unit}": Figure(f"length.{unit}", most=math.inf) for unit in ("words", "characters")},
    **shares_of("judgements", ("true", "false", "unclear", "unread"), **CHECKED),
    **shares_of("stopped_by", STOPPED, "done"),
    **{
        f"clauses.{name}": Figure(f"clauses.{name}.fired", f"clauses.{name}.of", **CHECKED)
        for name in (*SCORES, "judgement", "revised_query")
    },
    **COMMON,
}
"""What `--fail-under` and `--fail-over` can hold. `accuracy` and what is compared like it count every line that says what is right."""


@dataclass(frozen=True)
class Facts:
    """What counts of a finished session."""

    answer: str | None
    first: str | None
    last: str | None
    """The first and the last answer that was given."""
    undecided: bool
    """There is no answer, or the verification could not be read, so that nobody decided whether to go on."""
    turns: tuple[Iteration, ...]
    verification: Verification | None
    """The last one that was to give scores."""
    check: Check | None
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
    verified = [turn.verification for turn in made if turn.verification is not None and turn.iteration > 0]
    checks = [turn.check for turn in made if turn.check is not None]
    return Facts(
        answer=result.answer,
        first=answers[0] if answers else None,
        last=answers[-1] if answers else None,
        undecided=result.answer is None or result.stopped_by == "unread",
        turns=iterations(session),
        verification=next((one for one in reversed(verified) if _scores_wanted(one)), None),
        check=checks[-1] if checks else None,
        judgements=tuple(one.judgement or "unread" for one in verified),
        clauses=tuple(clause for turn in made if turn.decision is not None for clause in turn.decision.clauses),
        iterations=result.iterations,
        stopped_by=result.stopped_by,
    )


def _scores_wanted(verification: Verification) -> bool:
    """False for a reviser's reply, which is a query alone."""
    return verification.role != "reviser" or any(getattr(verification, name) is not None for name in SCORES)


class Item(NamedTuple):
    """One line as the measures see it."""

    accepted: tuple[str, ...]
    why: str | None
    """Why there is no answer: `failed`, `stopped`, `empty`, `no-references`, `undecided`; None where there is one."""
    answer: str = ""
    first: str = ""
    last: str = ""
    first_references: tuple[str, ...] | None = ()
    last_references: tuple[str, ...] | None = ()
    verified: Iteration | None = None
    """The first iteration whose answer was verified."""
    same: str | None = None
    """The answer that a model found to be the same as an accepted one."""


def item(row: Row) -> Item:
    """The answer of a line is what is scored, whatever the verifier said of it: one to verify is there without a result, too."""
    accepted = row.line.answers
    given, listed = getattr(row.line, "answer", None), getattr(row.line, "references", None)
    if row.empty:
        shown = None if listed is None else texts(listed)
        return Item(accepted, "empty", first_references=shown, last_references=shown)
    if row.status != "done" or not isinstance(row.facts, Facts):
        return Item(accepted, row.status if row.status != "done" else "failed")
    said = row.compared.get("answers")
    return item_of(row.facts, accepted, given, said.answer if said is not None and said.same else None)


def item_of(one: Facts, accepted: tuple[str, ...], given: str | None, same: str | None) -> Item:
    """A finished session as the measures see it. `given`: the answer that was there to be verified."""
    first, last = (one.turns[0].references, one.turns[-1].references) if one.turns else ((), ())
    verified = next((turn for turn in one.turns if turn.said is not None), None)
    answers = (given,) * 3 if given is not None else (one.answer, one.first, one.last)
    if answers[0] is None:
        why = one.stopped_by if one.stopped_by == "no-references" else "undecided"
        return Item(accepted, why, "", answers[1] or "", answers[2] or "", first, last, verified)
    empty = None if metrics.plain(answers[0]).strip() else "empty"
    return Item(accepted, empty, answers[0], answers[1] or "", answers[2] or "", first, last, verified, same)


Right = Callable[[Item], bool | None]


def _scored(test: Callable[[str, Sequence[str]], bool], text: Callable[[Item], str]) -> Right:
    """A measure of the text of an answer. A text that is missing or blank is wrong."""
    return lambda one: bool(metrics.plain(text(one)).strip()) and test(text(one), one.accepted)


def _stands(references: Callable[[Item], tuple[str, ...] | None]) -> Right:
    """Whether an accepted answer stands in one of the references; None where accepted answers stood for references."""

    def right(one: Item) -> bool | None:
        listed = references(one)
        return None if listed is None else any(metrics.contains(text, one.accepted) for text in listed)

    return right


def step_of(one: Item, text: str) -> metrics.Rung | None:
    """The step of the ladder on which a text is accepted; None for one that is missing, blank or wrong."""
    if not metrics.plain(text).strip():
        return None
    return metrics.step(text, one.accepted) or ("model" if one.same == text else None)


def _as_said(of: Callable[[Iteration], bool | None]) -> Right:
    """Whether what a verification says of the first answer that was verified is so; what could not be read is not. None: not verified."""

    def right(one: Item) -> bool | None:
        if one.verified is None:
            return None
        return of(one.verified) is (step_of(one, one.verified.answer or "") is not None)

    return right


def _unless_long(right: Right) -> Right:
    return lambda one: None if metrics.is_long(one.accepted) else right(one)


def questions(rows: Sequence[Row], of: Compared) -> list[Question]:
    """What a model is to compare: the answers that nothing else accepts."""
    if of != "answers":
        return []
    known = [(row, item(row)) for row in rows if row.line.answers]
    return [
        Question(row, of, str(getattr(row.line, "question", "")), one.accepted, one.answer)
        for row, one in known
        if one.why is None and step_of(one, one.answer) is None
    ]


MEASURES: dict[str, Right] = {
    "accuracy": lambda one: step_of(one, one.answer) is not None,
    "contains": _unless_long(_scored(metrics.contains, lambda one: one.answer)),
    "contains_paper": _unless_long(_scored(metrics.contains_paper, lambda one: one.answer)),
    "webglm": _scored(metrics.webglm, lambda one: one.answer),
    "exact_match": _scored(metrics.exact_match, lambda one: one.answer),
    "accuracy_first": lambda one: step_of(one, one.first) is not None,
    "accuracy_last": lambda one: step_of(one, one.last) is not None,
    "reference_accuracy_first": _stands(lambda one: one.first_references),
    "reference_accuracy_last": _stands(lambda one: one.last_references),
    "judgement_accuracy": _as_said(lambda turn: None if turn.said == "unread" else turn.said == "true"),
    "revision_accuracy": _as_said(lambda turn: None if turn.asks_again is None else not turn.asks_again),
}
"""How a line that says what is right comes out: true, false, or None where it cannot be told."""


def f1_of(one: Item) -> float:
    """F1 of the answer; 0 where there is none."""
    return metrics.f1(one.answer, one.accepted) if one.why is None else 0.0


def losses(rows: Sequence[Row]) -> list[Loss]:
    """The lines that figures have not got."""
    made = []
    labelled = any(row.line.answers for row in rows)
    verifications = [row.facts.verification for row in rows if isinstance(row.facts, Facts) and row.facts.verification is not None]
    measured = {name for name in SCORES if any(getattr(one, name) is not None for one in verifications)}
    """A score that no verifier here gives is null in the report: then no single line is left out of it."""
    all_long = all(metrics.is_long(row.line.answers) for row in rows if row.line.answers)
    for row in rows:
        one, known = item(row), isinstance(row.facts, Facts) and row.status == "done"
        unverified = known and row.facts.stopped_by == "no-references"
        if one.why is not None or unverified:
            of = ("accuracy_decided",) if one.why is not None and one.accepted else ()
            made.append(Loss(row, one.why or "no-references", (*of, "scores", "check")))
        if known and row.facts.verification is not None:
            verification = row.facts.verification
            empty = [name for name in SCORES if getattr(verification, name) is None]
            for why in ("unread", "unmeasured"):
                names = [name for name in empty if (name in verification.unmeasured) == (why == "unmeasured")]
                scores = tuple(f"scores.{name}" for name in names if why == "unread" or name in measured)
                made += [Loss(row, why, scores)] if scores else []
        if metrics.is_long(row.line.answers) and not all_long:
            made.append(Loss(row, "long-answers", CONTAINMENT))
        if labelled and not row.line.answers:
            made.append(Loss(row, "unlabelled", ("accuracy",)))
    return made


def details(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """For each line of summary.jsonl how it came out under each measure, and what verifier and check said of its last answer."""
    return [_details(row) for row in rows]


def _details(row: Row) -> dict[str, Any]:
    one = item(row)
    known = row.facts if isinstance(row.facts, Facts) and row.status == "done" else None
    verification, check = (known.verification, known.check) if known is not None else (None, None)
    measures: dict[str, Any] = {name: right(one) if one.accepted else None for name, right in MEASURES.items()}
    return {
        "accepted_by": step_of(one, one.answer) if one.accepted else None,
        "measures": {**measures, "f1": f1_of(one) if one.accepted else None},
        "judgement": verification.judgement if verification is not None else None,
        "scores": {name: getattr(verification, name) for name in SCORES} if verification is not None else None,
        "check": _counts(check) if check is not None else None,
        "left_out": one.why or ("no-references" if known is not None and known.stopped_by == "no-references" else None),
    }


def _counts(check: Check) -> dict[str, Any]:
    supports = [one.support for one in check.sentences if one.support is not None]
    return {
        "sentences": len(check.sentences),
        "citations": len({number for one in check.sentences for number in one.citations} | set(check.unknown)),
        "uncited": check.uncited,
        "unknown": len(check.unknown),
        "empty": check.empty,
        "support": sum(supports) / len(supports) if supports else None,
    }


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """Totals and metrics of a batch.

    What is measured on the text of an answer counts every line that says what is right, whatever the verifier said of it: a missing or
    empty answer is wrong, and `missing` says how many there are and why. `accuracy_decided` counts those with an answer alone. Where
    nothing could be counted a metric is null.
    """
    done: list[tuple[Row, Facts]] = [(row, row.facts) for row in rows if isinstance(row.facts, Facts)]
    known = [(row, item(row)) for row in rows if row.line.answers]
    missing = unanswered((row, one.why) for row, one in known)
    measured = {name: right_or_wrong([(row.line, right(one)) for row, one in known]) for name, right in MEASURES.items()}
    for name in ("accuracy", "webglm", "exact_match", "accuracy_first", "accuracy_last"):
        measured[name] = measured[name] and {**(measured[name] or {}), "missing": missing}
    if measured["accuracy"] is not None:
        measured["accuracy"]["by"] = by_step([step_of(one, one.answer) for _, one in known], metrics.RUNGS)
    for name in CONTAINMENT:
        if known and measured[name] is None:
            measured[name] = {"value": None, "reason": LONG_ANSWERS, "excluded": len(known)}
    decided = right_or_wrong([(row.line, MEASURES["accuracy"](one) if one.why is None else None) for row, one in known])
    of_f1 = clustered_means([(row.line, f1_of(one)) for row, one in known], 0.0, 1.0)
    lengths = [(row.line, *metrics.length(one.answer)) for row in rows if (one := item(row)).why is None]
    return {
        **totals(rows),
        "verified_by": verified_by(rows, "verifier"),
        "stopped_by": dict(Counter(one.stopped_by for _, one in done)),
        "undecided": sum(one.undecided for _, one in done),
        "no_references": sum(one.stopped_by == "no-references" for _, one in done),
        "empty": sum(item(row).why == "empty" for row in rows),
        "unread": sum(row.unread for row in rows),
        "iterations": sum(one.iterations for _, one in done) / len(done) if done else None,
        "judgements": dict(Counter(judged for _, one in done for judged in one.judgements)),
        "clauses": _clauses([clause for _, one in done for clause in one.clauses]),
        "scores": _scores(rows),
        "check": _check(rows),
        **measured,
        "accuracy_decided": decided,
        **compared(rows),
        "f1": of_f1 and {**of_f1, "excluded": 0, "missing": missing},
        "length": {
            unit: clustered_means([(line, count) for line, count, counted in lengths if counted == unit], 0.0, math.inf)
            for unit in sorted({counted for _, _, counted in lengths})
        },
        "left_out": [loss.as_json() for loss in losses(rows)],
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


def _verifiable(rows: Sequence[Row]) -> list[tuple[Row, Facts | None]]:
    """The lines whose last answer was verified or was to be, with their facts: None where there was nothing to verify, or no reply."""
    found = [row.facts if row.status == "done" and isinstance(row.facts, Facts) else None for row in rows]
    by_setting = [one is not None and one.verification is None and one.check is not None for one in found]
    return [(row, one) for row, one, spared in zip(rows, found, by_setting, strict=True) if not spared]


def _scores(rows: Sequence[Row]) -> dict[str, Any]:
    """Mean of each score over the last verifications.

    `excluded` counts the lines that have none: those that could not be read, and those without an answer or references, or not finished.
    Lines that no verification was wanted for do not count.
    """
    lines = _verifiable(rows)
    found: dict[str, Any] = {}
    for name in SCORES:
        of = [(row.line, one.verification) for row, one in lines if one is not None and one.verification is not None]
        values = [(line, value) for line, one in of if (value := getattr(one, name)) is not None]
        measured = clustered_means(values, 0.0, 1.0)
        found[name] = measured and {**measured, "excluded": len(lines) - len(values)}
    return found


def _check(rows: Sequence[Row]) -> dict[str, Any]:
    """What was computed of the citations in the last answers: shares of sentences without one and of citations of no reference, empty
    brackets, and the mean support of sentences that cite. `excluded` counts the lines without an answer from references."""
    known = [(row.line, row.facts.check) for row in rows if row.status == "done" and isinstance(row.facts, Facts)]
    made = [(line, _counts(check)) for line, check in known if check is not None]
    excluded = len(rows) - len(made)

    def part(measured: dict[str, Any] | None, count: int) -> dict[str, Any] | None:
        return measured and {**measured, "excluded": excluded, "answers": count}

    def among(name: str, whole: str) -> dict[str, Any] | None:
        return part(clustered([(line, number < one[name]) for line, one in made for number in range(one[whole])]), len(made))

    supports = [(line, one["support"]) for line, one in made if one["support"] is not None]
    return {
        "answers": len(made),
        "excluded": excluded,
        "sentences": sum(one["sentences"] for _, one in made),
        "uncited": among("uncited", "sentences"),
        "unknown": among("unknown", "citations"),
        "empty": sum(one["empty"] for _, one in made),
        "support": part(clustered_means(supports, 0.0, 1.0), len(supports)),
    }


def in_words(found: dict[str, Any], many: str) -> str:
    """The report for people."""
    lines = [states_in_words(found, many, by_in_words("verified", found["verified_by"], "verifier"))]
    again = (found["iterations"] or 0) > 1
    told = {name: t(f"report.share.{name}") for name in SHARES if again or name not in ("accuracy_first", "accuracy_last")}
    if not (found["accuracy"] or {}).get("missing"):
        del told["accuracy_decided"]
    lines += [_share_in_words(label, found[name]) for name, label in told.items() if found[name] is not None]
    lines += compared_in_words(found)
    lines += [_mean_in_words("F1", found["f1"])] if found["f1"] else []
    lines += [t("report.batch.length", part=part["value"], unit=word(unit), part2=part["of"]) for unit, part in found["length"].items()]
    for name, part in found["scores"].items():
        if part is not None:
            lines.append(_mean_in_words(t(f"asked.{name}") + (t("report.batch.bad") if name == "bias" else ""), part))
    if found["judgements"]:
        lines.append(
            t("report.batch.judgements") + listed(f"{word(judged)} {count}" for judged, count in sorted(found["judgements"].items()))
        )
    if found["clauses"]:
        fired = (t("report.batch.fired", name=word(name), n=part["fired"], of=part["of"]) for name, part in found["clauses"].items())
        lines.append(t("report.batch.clauses") + listed(fired))
    lines += _check_in_words(found["check"])
    if found["done"]:
        lines.append(t("report.batch.stopped_by") + listed(f"{word(why)} {count}" for why, count in sorted(found["stopped_by"].items())))
        lines.append(
            t(
                "report.batch.questions",
                found=found["undecided"],
                found2=found["no_references"],
                found3=found["empty"],
                found4=found["unread"],
            )
        )
    return "\n".join([*lines, *left_out_in_words(found["left_out"]), totals_in_words(found)])


def _share_in_words(label: str, part: dict[str, Any]) -> str:
    return (
        share_in_words(label, part)
        if part["value"] is not None
        else t("report.batch.not_given", label=label, part=own_words(part["reason"]))
    )


def _check_in_words(part: Mapping[str, Any]) -> list[str]:
    uncited, unknown = part["uncited"], part["unknown"]
    told = [t("report.batch.uncited", uncited=uncited["count"], uncited2=uncited["of"])] if uncited else []
    told += [t("report.batch.unknown", unknown=unknown["count"], unknown2=unknown["of"])] if unknown else []
    return [t("report.batch.check", part=part["answers"], names=", ".join(told), part2=part["empty"])] if told else []


def _mean_in_words(label: str, part: dict[str, Any]) -> str:
    interval = "" if part["low"] is None else t("report.batch.mean_interval", part=part["low"], part2=part["high"])
    left = t("report.batch.mean_left_out", part=part["excluded"]) if part["excluded"] else ""
    return t("report.batch.mean", label=label, part=part["value"], part2=part["of"], interval=interval, left=left)
