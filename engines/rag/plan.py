"""Says what comes next for a question: a pure function of the session's events (CoV-RAG
paper, section 2.2, Algorithm 1).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from ...sessions.events import Reference
from ...sessions.events.rag import (
    Check,
    Claims,
    Decision,
    RagAnswer,
    RagResult,
    Retrieval,
    Verification,
)
from ...sessions.session import Session
from ..retrieval.port import PassageFilter
from .abstention import abstains
from .decision import decide, unsupported
from .settings import SETTINGS

ROLES = ("generator", "verifier", "reviser")

SCORES = (
    "reference_correctness",
    "correctness",
    "citation_accuracy",
    "truthfulness",
    "bias",
    "conciseness",
)
"""Scores in the order in which the verifier gives them: the references first, because
the others depend on them. `bias`: 1 is bad.
"""

CLAIMS_OF = ("answer", "accepted", "nuggets")
"""Whose claims are checked, in this order: the answer's, the accepted answer's, and
nuggets that an answer is to hold.
"""

NEGATIVES = ("query", "references")
"""What bad answers are made from, for training data."""

ACCEPTED_ID = "accepted:"
"""Begins the ids of references that are the accepted answers themselves."""

What = Literal[
    "retrieval", "answer", "check", "verification", "decision", "claims", "result"
]
Stopped = Literal[
    "indicator", "limit", "repeated-query", "unread", "no-references", "single"
]


class RagStep(NamedTuple):
    """The next step.

    `role` is the role to call; "" if the step needs no model (a search, or computed).
    """

    what: What
    role: str
    iteration: int
    of: str = ""
    """Whose claims, of `CLAIMS_OF`; "" for another step."""


class RagIteration(msgspec.Struct):
    """The events of one iteration.

    Iteration 0 has the question as rewritten before the first retrieval.
    """

    iteration: int
    retrieval: Retrieval | None = None
    answer: RagAnswer | None = None
    check: Check | None = None
    verification: Verification | None = None
    """The verifier's, with the reviser's query if the reviser was asked for one."""
    revision: Verification | None = None
    """The reviser's, if the verifier judged the answer not true and gave no query."""
    decision: Decision | None = None
    claims: dict[str, Claims] = {}
    """Claim by claim, by whose claims they are: `answer`, `accepted`, `nuggets`."""


setting = SETTINGS.in_force
"""Setting of a session, by name; `bounds` are all four."""


def wanted(session: Session) -> PassageFilter:
    """Return the current options for passages of a corpus."""
    where, *others = (
        setting(session, name)
        for name in (
            *("where", "duplicates", "per_document", "search"),
            *("context", "context_tokens"),
        )
    )
    return PassageFilter(where or "", *others)


def question(session: Session) -> str:
    """Return the original question."""
    return str(session.header.task.get("question", ""))


def given_answer(session: Session) -> str | None:
    """Return the user's own answer to verify; None if an answer is generated."""
    answer = session.header.task.get("answer")
    if isinstance(answer, str) and answer.strip():
        return answer
    return None


def negative(session: Session) -> str | None:
    """Return the kind of bad answer that the session makes for training data: `query`,
    from a bad query that is requested first, or `references`, from those of another
    question. None: no bad answer is wanted.
    """
    kind: str | None = session.header.task.get("negative")
    if kind in NEGATIVES and given_answer(session) is None:
        return kind
    return None


def turns(session: Session) -> list[RagIteration]:
    """Return the iterations so far, in order.

    An event voids the later steps of the method that were made before it.
    """
    return _fold(session)[0]


def latest(session: Session) -> RagIteration | None:
    """Return the current iteration."""
    made = turns(session)
    if made:
        return made[-1]
    return None


def in_force(retrieval: Retrieval | None) -> list[Reference]:
    """Return the references of a retrieval without those that the user removed."""
    if retrieval is None:
        return []
    return [
        reference
        for reference in retrieval.references
        if reference.id not in retrieval.dropped
    ]


def queries(session: Session) -> list[str]:
    """Return the queries used so far, in order."""
    return [
        turn.retrieval.query for turn in turns(session) if turn.retrieval is not None
    ]


def next_query(session: Session) -> str:
    """Return the query of the next retrieval: the revised one of the previous
    iteration, else the question.
    """
    last = latest(session)
    revised = (
        last.verification.revised_query
        if last is not None and last.verification is not None
        else None
    )
    return (revised or "").strip() or question(session)


def same_query(one: str, other: str) -> bool:
    """Return whether two queries differ only in case, width, white space and closing
    punctuation.
    """
    return _plain(one) == _plain(other)


def _plain(query: str) -> str:
    folded = unicodedata.normalize("NFKC", query).casefold()
    return " ".join(folded.split()).rstrip(" .?!,;:\u3002\uff61")


def verified(session: Session, iteration: int) -> bool:
    """Return True if the answer of this iteration is to be verified."""
    if given_answer(session) is not None:
        return True
    if setting(session, "revise") != "end":
        return bool(setting(session, "verify"))
    return iteration <= setting(session, "iterations") or bool(
        setting(session, "final_check")
    )


def decided(session: Session) -> bool:
    """Return True if a decision follows a verification: only if a query can be revised
    after the answer.
    """
    return given_answer(session) is None and setting(session, "revise") == "end"


def verifying_role(session: Session) -> str:
    """Return the role that verifies answers: the verifier, or with `chain` off the
    reviser, which only gives the revised query.
    """
    if setting(session, "chain"):
        return "verifier"
    return "reviser"


def kept_turn(session: Session) -> RagIteration | None:
    """Return the iteration whose answer is the result; None if none answered.

    It is the last, as in Algorithm 1; with `keep: best`, the best verified. An answer
    that does not answer never replaces one that does.
    """
    answered = [turn for turn in turns(session) if turn.answer is not None]
    choice = [
        turn
        for turn in answered
        if turn.answer is not None and not abstains(turn.answer.answer)
    ] or answered
    best = _best(choice) if setting(session, "keep") == "best" else None
    return best or (choice[-1] if choice else None)


def overall(verification: Verification) -> float | None:
    """Return the mean of the scores that were read, 0 to 1, with 1 - bias for bias;
    None if none was read.
    """
    scores = {name: getattr(verification, name) for name in SCORES}
    known = [
        1 - value if name == "bias" else value
        for name, value in scores.items()
        if value is not None
    ]
    if known:
        return float(sum(known) / len(known))
    return None


def _best(answered: list[RagIteration]) -> RagIteration | None:
    """Return the verified iteration with the highest mean; of equal ones, the last."""
    rated = [
        (mean, turn)
        for turn in answered
        if turn.verification is not None
        and (mean := overall(turn.verification)) is not None
    ]
    if rated:
        return max(rated, key=lambda pair: (pair[0], pair[1].iteration))[1]
    return None


def claims_wanted(session: Session, turn: RagIteration | None) -> list[str]:
    """Return which claims to check with this iteration's answer and references, of
    `CLAIMS_OF`.

    An answer that does not answer has no claim and contains no nugget, so no model is
    called.
    """
    if turn is None or not setting(session, "claims"):
        return []
    references, answers = (
        in_force(turn.retrieval),
        turn.answer is not None and not abstains(turn.answer.answer),
    )
    recalled = bool(references) and not any(
        reference.id.startswith(ACCEPTED_ID) for reference in references
    )
    wanted = {
        "answer": answers,
        "accepted": recalled and accepted_answer(session) is not None,
        "nuggets": answers and nuggets(session),
    }
    return [of for of in CLAIMS_OF if wanted[of]]


def accepted_answer(session: Session) -> str | None:
    """Return the accepted answer whose claims the references should support: the first,
    if several mean the same.
    """
    listed = session.header.task.get("answers")
    given = listed if isinstance(listed, list) else []
    return next((one for one in given if isinstance(one, str) and one.strip()), None)


def nuggets(session: Session) -> list[str]:
    """Return the facts that an answer should contain, as given."""
    listed = session.header.task.get("nuggets")
    given = (
        [one.get("text") if isinstance(one, dict) else one for one in listed]
        if isinstance(listed, list)
        else []
    )
    return [
        " ".join(one.split()) for one in given if isinstance(one, str) and one.strip()
    ]


def decision_of(
    session: Session, turn: RagIteration, verification: Verification
) -> Decision:
    """Return the decision of the rule in force about a verification of this iteration's
    answer.
    """
    given = turn.answer is not None and abstains(turn.answer.answer)
    return decide(
        verification,
        setting(session, "indicator"),
        setting(session, "bounds"),
        abstains=given,
        claims=turn.claims.get("answer"),
    )


def lacks_query(
    session: Session, turn: RagIteration, verification: Verification
) -> bool:
    """Return True if the reviser must supply the query that a verification lacks: the
    answer is not true, or a claim is not supported and claims decide, and the decision
    depends on the query.
    """
    if (
        verification.role != "verifier"
        or verification.edited
        or verification.read == "unread"
    ):
        return False
    if (
        (verification.revised_query or "").strip()
        or not decided(session)
        or turn.iteration > setting(session, "iterations")
    ):
        return False
    said = turn.claims.get("answer") if _by_claims(session) else None
    false = (
        (said is not None and unsupported(said))
        or verification.judgement in ("false", "unclear")
        or (turn.answer is not None and abstains(turn.answer.answer))
    )
    return (
        false
        and decision_of(
            session, turn, msgspec.structs.replace(verification, revised_query="?")
        ).revise
        is not False
    )


def upcoming(session: Session) -> RagStep | None:
    """Return the next step; None when the question is done.

    Failures and notes are ignored. Changes apply with the values now in force.
    """
    made, result = _fold(session)
    if result is not None:
        return None
    if not made:
        if negative(session) == "query" or (
            setting(session, "revise") == "start" and given_answer(session) is None
        ):
            return RagStep("verification", "reviser", 0)
        return RagStep("retrieval", "", 1)
    turn = made[-1]
    number = turn.iteration
    if number == 0:
        return RagStep("retrieval", "", 1)
    if stopped_by(session) is not None:
        kept = kept_turn(session)
        unchecked = _unchecked(session, kept) if kept is not None else []
        if kept is not None and unchecked:
            return RagStep("claims", "verifier", kept.iteration, unchecked[0])
        return RagStep("result", "", number)
    if turn.answer is None:
        return RagStep(
            "answer", "generator" if given_answer(session) is None else "", number
        )
    if turn.check is None:
        return RagStep("check", "", number)
    if turn.verification is None:
        return RagStep("verification", verifying_role(session), number)
    if turn.decision is None:
        return _deciding(session, turn, turn.verification)
    return RagStep("retrieval", "", number + 1)


def _deciding(
    session: Session, turn: RagIteration, verification: Verification
) -> RagStep:
    """Return the step that decides about an answer, or that the decision still
    needs.
    """
    number = turn.iteration
    if _by_claims(session) and "answer" in _unchecked(session, turn):
        return RagStep("claims", "verifier", number, "answer")
    if turn.revision is None and lacks_query(session, turn, verification):
        return RagStep("verification", "reviser", number)
    return RagStep("decision", "", number)


def _by_claims(session: Session) -> bool:
    """Return whether the claims of an answer decide about its revision."""
    return setting(session, "indicator") == "claims" and decided(session)


def _unchecked(session: Session, turn: RagIteration) -> list[str]:
    """Return the claims of an iteration that are not checked yet."""
    return [of for of in claims_wanted(session, turn) if of not in turn.claims]


def stopped_by(session: Session) -> Stopped | None:
    """Return why the session ends with the current iteration; None if it continues."""
    made = turns(session)
    if not made or made[-1].iteration == 0:
        return None
    turn = made[-1]
    if not in_force(turn.retrieval) or (turn.answer is None and _nothing_new(made)):
        return "no-references"
    if turn.answer is None or turn.check is None:
        return None
    if turn.verification is None and verified(session, turn.iteration):
        return None
    if not decided(session):
        return "single"
    if turn.verification is None:
        return "limit"
    if turn.decision is None:
        return None
    if turn.decision.revise is None:
        return "unread"
    if not turn.decision.revise:
        return "indicator"
    if turn.iteration > setting(session, "iterations"):
        return "limit"
    query = next_query(session)
    if any(same_query(query, used) for used in queries(session)):
        return "repeated-query"
    return None


def _nothing_new(iterations: Sequence[RagIteration]) -> bool:
    """Return whether the previous answer was none and no reference is new. The same
    references cannot contain the answer now.
    """
    *before, now = iterations
    if (
        not before
        or before[-1].answer is None
        or not abstains(before[-1].answer.answer)
    ):
        return False
    known = {
        " ".join(one.text.split())
        for turn in before
        for one in in_force(turn.retrieval)
    }
    return all(" ".join(one.text.split()) in known for one in in_force(now.retrieval))


_NAMES = {
    Retrieval: "retrieval",
    RagAnswer: "answer",
    Check: "check",
    Verification: "verification",
    Decision: "decision",
}
_VOIDS = {
    "retrieval": ("answer", "check", "verification", "revision", "decision"),
    "answer": ("check", "verification", "revision", "decision"),
    "verification": ("revision", "decision"),
    "revision": ("decision",),
}
"""What was made from an event that is there again.

The verification does not rest on the check.
"""


def _fold(session: Session) -> tuple[list[RagIteration], RagResult | None]:
    made: dict[int, RagIteration] = {}
    result: RagResult | None = None
    for event in session.events:
        if isinstance(event, RagResult):
            result = event
        elif isinstance(event, Claims):
            result = None
            if event.iteration in made:
                made[event.iteration].claims[event.of] = event
        elif isinstance(event, Retrieval | RagAnswer | Check | Verification | Decision):
            result = None
            made = {
                number: turn
                for number, turn in made.items()
                if number <= event.iteration
            }
            turn = made.setdefault(event.iteration, RagIteration(event.iteration))
            name = _NAMES[type(event)]
            if (
                isinstance(event, Verification)
                and event.role == "reviser"
                and turn.verification
                and turn.verification.role == "verifier"
            ):
                turn.verification = msgspec.structs.replace(
                    turn.verification, revised_query=event.revised_query
                )
                name = "revision"
            setattr(turn, name, event)
            for later in _VOIDS.get(name, ()):
                setattr(turn, later, None)
            if name in ("retrieval", "answer"):
                turn.claims = {}
    return [made[number] for number in sorted(made)], result
