"""What one model alone can be set to, and what the events of its session say so far:
pure functions.
"""

from __future__ import annotations

from ...sessions.events import Failure
from ...sessions.events.solo import (
    Analysis,
    Attempt,
    Estimate,
    Review,
)
from ...sessions.session import Session
from ..settings import OneOf, Setting, Settings, Whole
from ..topic import OPTIONS

SETTINGS = Settings(
    "solo",
    [
        Setting(
            "strategy",
            OneOf("direct", "cot", "sc", "reflect", "rerank", "maps"),
            default="direct",
            fixed=True,
        ),
        Setting(
            "samples",
            Whole(1, 100),
            default=5,
            of_kind={"translation": 4},
        ),
        Setting("token_budget", Whole(1, 1_000_000_000, optional=True)),
        Setting("iterations", Whole(1, 20), default=3),
        Setting("estimator", OneOf("model", "command"), default="model", fixed=True),
        Setting("hints", OneOf("none", "all"), default="none", fixed=True),
    ],
    options=OPTIONS,
    builtins=("script",),
)


SOLVER, ESTIMATOR = "solver", "estimator"


ROLES = (SOLVER, ESTIMATOR)


SAMPLED = frozenset({"sc", "rerank"})
"""Strategies with several equal requests, which say different things only above
temperature 0.
"""


RATED = frozenset({"rerank", "maps"})
"""Strategies that choose the best of several translations."""


ASKED_AS = {
    "direct": "direct",
    "cot": "cot",
    "sc": "cot",
    "reflect": "cot",
    "rerank": "direct",
    "maps": "direct",
}
"""How the first attempt of a strategy is asked for."""


setting = SETTINGS.in_force
"""Setting of a session, by name."""


def attempts(session: Session) -> list[Attempt]:
    """All attempts so far, in order."""
    return [event for event in session.events if isinstance(event, Attempt)]


def stated(session: Session, iteration: int) -> str | None:
    """What an attempt states as its answer; None where it states none, or there is no
    such attempt, as in a file from elsewhere.
    """
    return next(
        (one.answer for one in attempts(session) if one.iteration == iteration), None
    )


def review_of(session: Session, iteration: int) -> Review | None:
    """The review of an attempt; None if there is none."""
    return next(
        (
            event
            for event in reversed(session.events)
            if isinstance(event, Review) and event.iteration == iteration
        ),
        None,
    )


def analyses(session: Session) -> dict[str, str]:
    """What was found in the text, by what it is about."""
    return {
        event.about: event.text
        for event in session.events
        if isinstance(event, Analysis)
    }


def estimates(session: Session) -> dict[int, float | None]:
    """The estimates of the attempts that were rated, by the number of the attempt."""
    rated = [event for event in session.events if isinstance(event, Estimate)]
    return {
        number: value
        for event in rated
        for number, value in zip(event.iterations, event.values, strict=False)
    }


def by_command(session: Session) -> bool:
    """True if the user's own command rates the candidates, and no model."""
    return bool(setting(session, "estimator") == "command")


def roles_of(session: Session) -> list[str]:
    """The roles that are asked."""
    return needed(setting(session, "strategy"), setting(session, "estimator"))


def needed(strategy: str, estimator: str) -> list[str]:
    """The roles that a strategy asks."""
    if strategy in RATED and estimator == "model":
        return [SOLVER, ESTIMATOR]
    return [SOLVER]


def failed_tokens(session: Session) -> int:
    """Tokens of calls of the solver that brought nothing, as far as they are known."""
    lost = [
        event.usage
        for event in session.events
        if isinstance(event, Failure)
        and event.role == SOLVER
        and event.usage is not None
    ]
    return sum((usage.input or 0) + (usage.output or 0) for usage in lost)
