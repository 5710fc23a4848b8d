"""The indicator of Algorithm 1: whether to retrieve again (CoV-RAG paper, section 2.2
and its footnote).

The paper says that the indicator typically asks whether there is a revised query
(`nonempty`), and for speed gives the values (0.27, (correct 0.26, bias 0.7,
truthfulness 0.92), False, not empty). The numbers are the paper's; the direction of
each comparison, and how they combine, is our reading:

- `thresholds-all`: reference_correctness < .27 and correctness < .26 and bias > .7 and
  truthfulness < .92 and judgement not true and a revised query. The paper's own example
  of a second iteration (appendix F) lies just inside each of these bounds.
- `thresholds-any`: one of the four scores out of bounds, and judgement not true, and a
  revised query.
- `claims`, which is not the paper's: a claim of the answer is contradicted or not found
  in the references, and there is a revised query, whatever the judgement was.

Under the paper's rules a query beside the judgement `true` is not used, since the paper
asks for one only where the answer is not true. Under every rule an answer that does not
answer is not true, whatever it scores: it is revised if there is a query. A score that
the verifier cannot measure is left out of the rule.

Logic has three values. A value that could not be read is unknown; a conjunction with a
false part is false whatever the unknown parts are, and with an unknown part and no
false one it is unknown; a disjunction the other way round. Unknown is not a decision:
nothing is made up. The judgement `unclear` is not true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...sessions.events.rag import Claims, Clause, Decision, Verification

BOUNDED = {
    "reference_correctness": "<",
    "correctness": "<",
    "bias": ">",
    "truthfulness": "<",
}
"""Scores that have a bound, and how the score stands to it where it speaks for a
revision.
"""

NOT_TRUE = "not true"
NOT_EMPTY = "not empty"
NOT_SUPPORTED = "not all supported"
ABSTENTION = Clause(name="abstention", value="no answer", bound="an answer", holds=True)


def decide(
    verification: Verification,
    rule: str,
    bounds: Mapping[str, float],
    *,
    abstains: bool = False,
    claims: Claims | None = None,
) -> Decision:
    """Return the decision of a rule: each of its clauses with value, bound and whether
    it holds.

    `abstains`: the answer does not answer. `claims`: those of the answer; None before
    they are checked, when only the query counts.
    """
    query, judged = _query(verification), _judgement(verification)
    if abstains:
        return Decision(
            iteration=verification.iteration,
            rule=rule,
            clauses=[ABSTENTION, query],
            revise=query.holds,
        )
    if rule == "claims":
        found = [query] if claims is None else [_claims(claims), query]
        return Decision(
            iteration=verification.iteration,
            rule=rule,
            clauses=found,
            revise=conjunction(clause.holds for clause in found),
        )
    if rule == "nonempty":
        # A query that a person wrote is used, whatever the judgement was.
        unused = query.holds and judged.holds is False and not verification.edited
        clauses = [judged, query] if unused else [query]
        return Decision(
            iteration=verification.iteration,
            rule=rule,
            clauses=clauses,
            revise=conjunction(clause.holds for clause in clauses),
        )
    scores = [
        _score(verification, name, bounds[name])
        for name in BOUNDED
        if name not in verification.unmeasured
    ]
    together = conjunction if rule == "thresholds-all" else disjunction
    revise = conjunction(
        [together(clause.holds for clause in scores), judged.holds, query.holds]
    )
    return Decision(
        iteration=verification.iteration,
        rule=rule,
        clauses=[*scores, judged, query],
        revise=revise,
    )


def conjunction(parts: Iterable[bool | None]) -> bool | None:
    """Return whether all hold, in three-valued logic."""
    known = list(parts)
    if False in known:
        return False
    if None in known:
        return None
    return True


def disjunction(parts: Iterable[bool | None]) -> bool | None:
    """Return whether at least one holds, in three-valued logic."""
    known = list(parts)
    if True in known:
        return True
    if None in known:
        return None
    return False


def unsupported(claims: Claims) -> bool | None:
    """Return whether a claim is contradicted or not found; None if that could not be
    read.
    """
    if claims.read == "unread":
        return None
    return disjunction(
        None if claim.verdict is None else claim.verdict != "supported"
        for claim in claims.items
    )


def _claims(claims: Claims) -> Clause:
    unread = claims.read == "unread"
    supported = sum(claim.verdict == "supported" for claim in claims.items)
    return Clause(
        name="claims",
        value=None if unread else f"{supported}/{len(claims.items)}",
        bound=NOT_SUPPORTED,
        holds=unsupported(claims),
    )


def _score(verification: Verification, name: str, bound: float) -> Clause:
    value: float | None = getattr(verification, name)
    below = BOUNDED[name] == "<"
    return Clause(
        name=name,
        value=value,
        bound=bound,
        holds=None if value is None else value < bound if below else value > bound,
    )


def _judgement(verification: Verification) -> Clause:
    value = verification.judgement
    return Clause(
        name="judgement",
        value=value,
        bound=NOT_TRUE,
        holds=None if value is None else value != "true",
    )


def _query(verification: Verification) -> Clause:
    value = verification.revised_query
    return Clause(
        name="revised_query",
        value=value,
        bound=NOT_EMPTY,
        holds=None if value is None else bool(value.strip()),
    )
