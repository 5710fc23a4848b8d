"""What comes next for a question: a pure function of the session's events (Algorithm 1 of the CoV-RAG paper, section 2.2)."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from ...sessions.errors import BadInput
from ...sessions.events import Check, Decision, RagAnswer, RagResult, Reference, Retrieval, Verification
from ...sessions.session import Session

ROLES = ("generator", "verifier", "reviser")

SCORES = ("reference_correctness", "correctness", "citation_accuracy", "truthfulness", "bias", "conciseness")
"""In the order in which the verifier gives them: the references first, since they bear on the rest. `bias`: 1 is bad."""

INDICATORS = ("nonempty", "thresholds-all", "thresholds-any")

DEFAULTS: dict[str, Any] = {
    "k": 5,
    "iterations": 1,
    "indicator": "nonempty",
    "bounds": {"reference_correctness": 0.27, "correctness": 0.26, "bias": 0.7, "truthfulness": 0.92},
    "revise": "end",
    "chain": True,
    "merge": False,
    "keep": "last",
    "final_check": True,
    "verify": False,
    "rerank": None,
    "embed": None,
    "web_pages": False,
}

RANGES: dict[str, tuple[int, int]] = {"k": (1, 50), "iterations": (0, 5)}
"""Settings that are a whole number: the least and the most."""

CHOICES: dict[str, tuple[str, ...]] = {"indicator": INDICATORS, "revise": ("end", "start", "none"), "keep": ("last", "best")}
"""Settings that are a word, and the words."""

SWITCHES = ("chain", "merge", "final_check", "verify", "web_pages")
"""Settings that are true or false."""

MODELS = ("rerank", "embed")
"""Settings that are a model as LiteLLM names it, or None."""

What = Literal["retrieval", "answer", "check", "verification", "decision", "result"]
Stopped = Literal["indicator", "limit", "repeated-query", "unread", "no-references", "single"]


class Step(NamedTuple):
    """The next thing to happen. `role` is who is asked; "" where nobody is: it is searched or computed."""

    what: What
    role: str
    iteration: int


class Turn(msgspec.Struct):
    """What there is of one iteration. Iteration 0 holds the question rewritten before the first retrieval."""

    iteration: int
    retrieval: Retrieval | None = None
    answer: RagAnswer | None = None
    check: Check | None = None
    verification: Verification | None = None
    decision: Decision | None = None


def setting(session: Session, name: str) -> Any:
    """A setting in force now; the default where a file from elsewhere does not name it or names what cannot be. `bounds`: all four."""
    try:
        value = session.setting(name)
    except KeyError:
        return DEFAULTS[name]
    if not allowed(name, value):
        return DEFAULTS[name]
    return {**DEFAULTS["bounds"], **value} if name == "bounds" else value


def allowed(name: str, value: object) -> bool:
    """True if the setting can have this value."""
    if name in RANGES:
        return isinstance(value, int) and not isinstance(value, bool) and RANGES[name][0] <= value <= RANGES[name][1]
    if name in SWITCHES:
        return isinstance(value, bool)
    if name in MODELS:
        return value is None or (isinstance(value, str) and bool(value.strip()) and len(value) <= 200 and value.isprintable())
    if name == "bounds":
        return isinstance(value, Mapping) and all(key in DEFAULTS["bounds"] and is_share(bound) for key, bound in value.items())
    return value in CHOICES.get(name, ())


def is_share(value: object) -> bool:
    """True for a number from 0 to 1."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and 0 <= value <= 1


def check_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Given settings over the defaults, in a fixed order. Raises BadInput."""
    for name, value in given.items():
        check_setting(name, value)
    made = {**DEFAULTS, **given}
    made["bounds"] = {**DEFAULTS["bounds"], **made["bounds"]}
    if not made["chain"] and made["indicator"] != "nonempty":
        raise BadInput(f"Without the chain there are no scores for {made['indicator']}; take the indicator nonempty, or keep the chain.")
    return made


def check_setting(name: str, value: object) -> None:
    """Raises BadInput if there is no such setting or it cannot have this value."""
    if name not in DEFAULTS:
        raise BadInput(f"There is no setting {name!r:.60} for a question; there are: {', '.join(DEFAULTS)}.")
    if allowed(name, value):
        return
    if name in RANGES:
        least, most = RANGES[name]
        wanted = f"a whole number from {least} to {most}"
    elif name in SWITCHES:
        wanted = "true or false"
    elif name in MODELS:
        wanted = "a model, such as cohere/rerank-v3.5"
    elif name == "bounds":
        wanted = f"numbers from 0 to 1 for {', '.join(DEFAULTS['bounds'])}"
    else:
        wanted = " or ".join(CHOICES[name])
    raise BadInput(f"{name} must be {wanted}, not {value!r:.60}.")


def question(session: Session) -> str:
    """The original question."""
    return str(session.header.task.get("question", ""))


def given_answer(session: Session) -> str | None:
    """The answer to be verified, where the user brought one: then nothing is generated."""
    answer = session.header.task.get("answer")
    return answer if isinstance(answer, str) and answer.strip() else None


def turns(session: Session) -> list[Turn]:
    """The iterations so far, in order. An event makes void what came after it in the method's order: it was made from something else."""
    return _fold(session)[0]


def latest(session: Session) -> Turn | None:
    """The iteration that is on."""
    made = turns(session)
    return made[-1] if made else None


def in_force(retrieval: Retrieval | None) -> list[Reference]:
    """The references of a retrieval without those that the user removed."""
    if retrieval is None:
        return []
    return [reference for reference in retrieval.references if reference.id not in retrieval.dropped]


def queries(session: Session) -> list[str]:
    """The queries used so far, in order."""
    return [turn.retrieval.query for turn in turns(session) if turn.retrieval is not None]


def next_query(session: Session) -> str:
    """What the next retrieval searches for: the query that the turn before revised, else the question."""
    last = latest(session)
    revised = last.verification.revised_query if last is not None and last.verification is not None else None
    return (revised or "").strip() or question(session)


def same_query(one: str, other: str) -> bool:
    """True if two queries differ by nothing but case, width, white space and closing punctuation."""
    return _plain(one) == _plain(other)


def _plain(query: str) -> str:
    return re.sub(r"[\s.?!,;:\u3002\uff61]+$", "", " ".join(unicodedata.normalize("NFKC", query).casefold().split()))


def verified(session: Session, iteration: int) -> bool:
    """True if the answer of this iteration is to be verified."""
    if given_answer(session) is not None:
        return True
    if setting(session, "revise") != "end":
        return bool(setting(session, "verify"))
    return iteration <= setting(session, "iterations") or bool(setting(session, "final_check"))


def decided(session: Session) -> bool:
    """True if verifications are followed by a decision: only where a query may be revised after the answer."""
    return given_answer(session) is None and setting(session, "revise") == "end"


def verifying_role(session: Session) -> str:
    """Who verifies answers: the verifier, or with `chain` off the reviser, who gives the revised query alone."""
    return "verifier" if setting(session, "chain") else "reviser"


def upcoming(session: Session) -> Step | None:
    """The next step, None when the question is done. Failures and notes count for nothing; changes only by what is in force now."""
    made, result = _fold(session)
    if result is not None:
        return None
    if not made:
        if setting(session, "revise") == "start" and given_answer(session) is None:
            return Step("verification", "reviser", 0)
        return Step("retrieval", "", 1)
    turn = made[-1]
    number = turn.iteration
    if number == 0:
        return Step("retrieval", "", 1)
    if stopped_by(session) is not None:
        return Step("result", "", number)
    if turn.answer is None:
        return Step("answer", "generator" if given_answer(session) is None else "", number)
    if turn.check is None:
        return Step("check", "", number)
    if turn.verification is None:
        return Step("verification", verifying_role(session), number)
    if turn.decision is None:
        return Step("decision", "", number)
    return Step("retrieval", "", number + 1)


def stopped_by(session: Session) -> Stopped | None:
    """Why it ends with the iteration that is on; None while there is something to do."""
    made = turns(session)
    if not made or made[-1].iteration == 0:
        return None
    turn = made[-1]
    if not in_force(turn.retrieval):
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
    return "repeated-query" if any(same_query(query, used) for used in queries(session)) else None


_NAMES = {Retrieval: "retrieval", RagAnswer: "answer", Check: "check", Verification: "verification", Decision: "decision"}
_VOIDS = {
    "retrieval": ("answer", "check", "verification", "decision"),
    "answer": ("check", "verification", "decision"),
    "verification": ("decision",),
}
"""What was made from an event that is there anew. The verification does not rest on the check."""


def _fold(session: Session) -> tuple[list[Turn], RagResult | None]:
    made: dict[int, Turn] = {}
    result: RagResult | None = None
    for event in session.events:
        if isinstance(event, RagResult):
            result = event
        elif isinstance(event, Retrieval | RagAnswer | Check | Verification | Decision):
            result = None
            made = {number: turn for number, turn in made.items() if number <= event.iteration}
            turn = made.setdefault(event.iteration, Turn(event.iteration))
            name = _NAMES[type(event)]
            setattr(turn, name, event)
            for later in _VOIDS.get(name, ()):
                setattr(turn, later, None)
    return [made[number] for number in sorted(made)], result
