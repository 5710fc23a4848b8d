"""The indicator of Algorithm 1: whether to retrieve again (CoV-RAG paper, section 2.2 and its footnote).

The paper says that the indicator typically asks whether there is a revised query (`nonempty`), and for speed gives the values (0.27,
(correct 0.26, bias 0.7, truthfulness 0.92), False, not empty). The numbers are the paper's; which way each is compared, and how they go
together, is our reading:

- `thresholds-all`: reference_correctness < .27 and correctness < .26 and bias > .7 and truthfulness < .92 and judgement not true and a
  revised query. The paper's own example of a second iteration (appendix F) lies just inside each of these bounds.
- `thresholds-any`: one of the four scores out of bounds, and judgement not true, and a revised query.

Logic has three values. A value that could not be read is unknown; a conjunction with a false part is false whatever the unknown parts are,
and with an unknown part and no false one it is unknown; a disjunction the other way round. Unknown is no decision: nothing is made up. The
judgement `unclear` is not true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...sessions.events import Clause, Decision, Verification

BOUNDED = {"reference_correctness": "<", "correctness": "<", "bias": ">", "truthfulness": "<"}
"""Scores that have a bound, and how the score stands to it where it speaks for a revision."""

NOT_TRUE = "not true"
NOT_EMPTY = "not empty"


def decide(verification: Verification, rule: str, bounds: Mapping[str, float]) -> Decision:
    """The decision of one rule, each of its clauses with value, bound and whether it holds."""
    query = _query(verification)
    if rule == "nonempty":
        return Decision(iteration=verification.iteration, rule=rule, clauses=[query], revise=query.holds)
    scores = [_score(verification, name, bounds[name]) for name in BOUNDED]
    judged = _judgement(verification)
    together = conjunction if rule == "thresholds-all" else disjunction
    revise = conjunction([together(clause.holds for clause in scores), judged.holds, query.holds])
    return Decision(iteration=verification.iteration, rule=rule, clauses=[*scores, judged, query], revise=revise)


def conjunction(parts: Iterable[bool | None]) -> bool | None:
    """All of them, in three-valued logic."""
    known = list(parts)
    return False if False in known else None if None in known else True


def disjunction(parts: Iterable[bool | None]) -> bool | None:
    """One of them at least, in three-valued logic."""
    known = list(parts)
    return True if True in known else None if None in known else False


def _score(verification: Verification, name: str, bound: float) -> Clause:
    value: float | None = getattr(verification, name)
    below = BOUNDED[name] == "<"
    return Clause(name=name, value=value, bound=bound, holds=None if value is None else value < bound if below else value > bound)


def _judgement(verification: Verification) -> Clause:
    value = verification.judgement
    return Clause(name="judgement", value=value, bound=NOT_TRUE, holds=None if value is None else value != "true")


def _query(verification: Verification) -> Clause:
    value = verification.revised_query
    return Clause(name="revised_query", value=value, bound=NOT_EMPTY, holds=None if value is None else bool(value.strip()))
