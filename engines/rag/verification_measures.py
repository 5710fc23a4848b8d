"""Measures of the verifications of a question's answers, and of how often they are
right.

A verification is compared with the rule of `accuracy`. `judgement_accuracy` is column
Jdg of Table 6 of the CoV-RAG paper. `revision_accuracy` is the countable half of column
Rev: whether another query is requested if the answer is wrong, and none if it is right.
The other half, the quality of that query, appears in `reference_gain`. Both look at the
first answer that was verified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar, Literal

from ...sessions.session import Session
from ..figures.common import answer_of, rightness
from ..figures.measure import (
    STATES,
    Better,
    Item,
    Measure,
    MeasuredValue,
    Rule,
    State,
    Subject,
    ratio,
    right_if,
    without_verdict,
)
from ..figures.verdicts import MachineVerdict, Verdicts
from .abstention import abstains
from .claims_figures import ANSWER, FIGURES, ClaimFigures
from .decision import BOUNDED, conjunction, disjunction
from .facts import (
    Iteration,
    SessionFigures,
    facts,
    iterations,
    said_by,
    scores_wanted,
    share,
    unexamined,
)
from .plan import SCORES, kept_turn, setting


class RagVerdicts(Verdicts):
    """The judgement and the six scores of a verification, and the rules of the
    indicator with bounds.
    """

    words = ("true", "false", "unclear")
    better: ClassVar[Mapping[str, Literal["higher", "lower"]]] = {
        name: "lower" if name == "bias" else "higher" for name in SCORES
    }
    signs = BOUNDED
    rules = ("thresholds-all", "thresholds-any")
    rule_setting = "indicator"
    bounds_setting = "bounds"

    def of(self, session: Session) -> MachineVerdict | None:
        turn = kept_turn(session) if session.result is not None else None
        said = turn.verification if turn is not None else None
        if turn is None or said is None or not scores_wanted(said):
            return None
        known = {
            name: getattr(said, name) for name in SCORES if name not in said.unmeasured
        }
        holds = None if said.judgement is None else said.judgement == "true"
        given = turn.answer is not None and abstains(turn.answer.answer)
        word = said_by(said)
        told = "" if word == "unread" else word
        return MachineVerdict(holds, told, known, said.model, given)

    def rule(self, session: Session) -> tuple[str, Mapping[str, float]]:
        return str(setting(session, self.rule_setting)), dict(
            setting(session, self.bounds_setting)
        )

    def revises(
        self, rule: str, clauses: Mapping[str, bool | None], holds: bool | None
    ) -> bool | None:
        """Return what `decision.decide` returns, assuming a revised query."""
        together = conjunction if rule == "thresholds-all" else disjunction
        return conjunction(
            [together(clauses.values()), None if holds is None else not holds]
        )


JUDGEMENTS = ("true", "false", "unclear", "undecided", "unread")
CLAUSES = (*BOUNDED, "judgement", "revised_query", "abstention", "claims")
"""What the rules of a decision look at."""


def measures() -> Iterator[Measure]:
    """The measures of verifications and of claims."""
    rules = {"judgement_accuracy": _says_true, "revision_accuracy": _is_content}
    for name, rule in rules.items():
        yield Measure(
            name, "higher", _as_said(rule), True, 0, 1, subject="verification"
        )
    for name in SCORES:
        one = _mean(name, "bias", _score(name), "verification")
        yield replace(one, judge=f"verifier.{name}")
    for name in JUDGEMENTS:
        one = _pooled(f"judged_{name}", "neither", _judged(name), "verification")
        yield replace(one, judge="verifier.judgement", correctable=name == "true")
    for name in CLAUSES:
        yield _pooled(f"clause_{name}", "neither", _clause(name), "verification")
    for name in FIGURES:
        one = _mean(name, "contradicted", _claimed(name), "claims")
        yield replace(one, judge="verifier.claims")
    yield _pooled("unquoted", "lower", _unquoted, "claims")
    yield Measure("refused_rightly", "higher", _refused(False), True, 0, 1)
    yield Measure("refused_wrongly", "lower", _refused(True), True, 0, 1)


def _refused(answerable: bool) -> Rule:
    """Return whether the answer says that there is none, for questions that have (have
    no) answer. A question with accepted answers has one, unless its line says
    otherwise.
    """

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        known = item.fields.get("answerable", bool(item.fields.get("answers")) or None)
        if known is not answerable:
            return
        answer = answer_of(session)
        if answer.missing == "failed":
            yield MeasuredValue(None, "failed")
        else:
            yield right_if(abstains(answer.text))

    return of


def _mean(name: str, bad: str, rule: Rule, subject: Subject) -> Measure:
    """A measure from 0 to 1. `bad`: the name of the one that should be low."""
    better: Better = "lower" if name == bad else "higher"
    return Measure(name, better, rule, low=0, high=1, subject=subject)


def _pooled(name: str, better: Better, rule: Rule, subject: Subject) -> Measure:
    """A share pooled over all sessions."""
    return Measure(
        name,
        better,
        rule,
        low=0,
        high=1,
        pooled=ratio,
        subject=subject,
    )


# ------------------------------------------------------------------ did it know?


def _as_said(of_answer: Callable[[Iteration], bool | None]) -> Rule:
    """Return whether what a verification says of the first verified answer is true.

    An unread verification is not. Nothing is returned if no answer was verified.
    """

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        is_right = rightness(item)
        verified = next((each for each in iterations(session) if each.said), None)
        if is_right is None or verified is None or session.result is None:
            return
        said = of_answer(verified)
        if said is None:
            undecided = verified.said == "undecided"
            yield MeasuredValue(0.0, "undecided" if undecided else "unread")
        else:
            yield right_if(said is is_right(verified.answer or ""))

    return of


def _says_true(iteration: Iteration) -> bool | None:
    if iteration.said in ("undecided", "unread"):
        return None
    return iteration.said == "true"


def _is_content(iteration: Iteration) -> bool | None:
    """Return whether the verification requests no other query; None if that could not
    be read.
    """
    if iteration.asks_again is None:
        return None
    return not iteration.asks_again


# ------------------------------------------------------------------ what it said


def _score(name: str) -> Rule:
    """Return a score of the last verification that was asked for scores.

    Nothing is returned for a score that this verifier does not give.
    """

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        found = facts(session)
        scored = found.scored if found is not None else ()
        missing = unexamined(session)
        if not scored and missing is not None:
            yield MeasuredValue(None, missing)
        elif scored and name not in scored[-1].unmeasured:
            value = getattr(scored[-1], name)
            missing = without_verdict(scored[-1:], name)
            yield MeasuredValue(value, missing if value is None else "measured")

    return of


def _judged(name: str) -> Rule:
    """Return how many of all verifications have this judgement."""

    def count(figures: SessionFigures) -> MeasuredValue | None:
        judgements = figures.judgements
        if not judgements:
            return None
        return share(judgements.count(name), len(judgements))

    return _counted(count)


def _clause(name: str) -> Rule:
    """Return how often a clause of the decisions is in favor of a revision.

    Nothing is returned if the rule does not have it.
    """

    def count(figures: SessionFigures) -> MeasuredValue | None:
        clauses = [clause for clause in figures.clauses if clause.name == name]
        if not clauses:
            return None
        return share(sum(clause.holds is True for clause in clauses), len(clauses))

    return _counted(count)


def _counted(count: Callable[[SessionFigures], MeasuredValue | None]) -> Rule:
    """Return a count over all iterations, or the reason why there is none."""

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        found = facts(session)
        measured = count(found) if found is not None else None
        missing = unexamined(session)
        if measured is not None:
            yield measured
        elif missing is not None:
            yield MeasuredValue(None, missing)

    return of


# ------------------------------------------------------------------ claims


def _claimed(name: str) -> Rule:
    """Return a figure of the claims; nothing if the answer has nothing to measure."""

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        claimed = _claims(session)
        if claimed is not None and name in claimed.values:
            yield MeasuredValue(claimed.values[name], "measured")
        elif claimed is not None and name in claimed.missing:
            yield MeasuredValue(None, _state(claimed.missing[name]))
        elif claimed is None and name in ANSWER:
            yield from _unchecked(session)

    return of


def _unquoted(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """Return how many claims cite a reference with a quotation that it does not
    contain.
    """
    claimed = _claims(session)
    if claimed is None:
        yield from _unchecked(session)
    elif "faithfulness" in claimed.missing and not claimed.items:
        yield MeasuredValue(None, _state(claimed.missing["faithfulness"]))
    else:
        resting = [claim for claim in claimed.items if claim.n is not None]
        yield share(sum(claim.words is None for claim in resting), len(resting))


def _claims(session: Session) -> ClaimFigures | None:
    found = facts(session)
    if found is not None:
        return found.claimed
    return None


def _unchecked(session: Session) -> Iterator[MeasuredValue]:
    """Return why claims that were to be checked were not."""
    missing = unexamined(session)
    wanted = not session.header.lineup or setting(session, "claims")
    if missing is not None and wanted:
        yield MeasuredValue(None, missing)


def _state(why: str) -> State:
    return next((state for state in STATES if state == why), "unread")
