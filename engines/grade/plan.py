"""What comes next when one prompt grades each candidate: a pure function of the
session's events.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ...sessions.events.grade import Grade
from ...sessions.events.labels import Label
from ...sessions.events.relevance import RelevanceResult, Score
from ...sessions.labels import is_own
from ...sessions.session import Session
from ..cases.rating import GOLD, MACHINE, rater_name
from ..cases.task import candidates, gold
from ..settings import Setting, Settings, Whole

SETTINGS = Settings(
    "grade",
    [
        Setting(
            "budget_tokens",
            Whole(200, 1_000_000),
            option="case_tokens",
            default=6000,
        ),
        Setting("repeat", Whole(0, 1_000_000), default=0, counted=True),
    ],
    builtins=("lexical",),
    judging=("grader",),
    asked=(),
)


GRADER = "grader"
ROLES = (GRADER,)


class GradeStep(NamedTuple):
    """The next step.

    `role` is called; "" for none: the score is the grade, the result is computed.
    """

    what: Literal["grade", "score", "result"]
    role: str
    candidate: str | None = None


class GradeState:
    """What is in force in a session: the last grade, score and label of each candidate.
    A new grade makes the score and the result void.
    """

    def __init__(self, session: Session) -> None:
        self.grades: dict[str, Grade] = {}
        self.scores: dict[str, int | None] = {}
        self.labels: dict[str, dict[str, int | None]] = {}
        self.ended = False
        self.ids = list(candidates(session))
        for event in session.events:
            match event:
                case Grade():
                    self.grades[event.candidate] = event
                    self.scores.pop(event.candidate, None)
                    self.ended = False
                case Score():
                    self.scores[event.candidate] = event.value
                case Label() if is_own(session.header, event) and not event.measure:
                    own = self.labels.setdefault(rater_name(event.annotator), {})
                    own.pop(event.candidate, None)
                    if not event.undone:
                        own[event.candidate] = event.value
                case RelevanceResult():
                    self.ended = True

    def upcoming(self, focus: str | None = None) -> GradeStep | None:
        """The next step: that of the candidate `focus` as long as it has no score, then
        the others in order; None when all is done.
        """
        if self.ended:
            return None
        first = [focus] if focus in self.ids else []
        for id_ in [*first, *self.ids]:
            if id_ not in self.scores:
                if id_ in self.grades:
                    return GradeStep("score", "", id_)
                return GradeStep("grade", GRADER, id_)
        return GradeStep("result", "")

    def in_order(self) -> dict[str, int | None]:
        """Candidate to score, in the order given; None: unread, or not graded yet."""
        return {id_: self.scores.get(id_) for id_ in self.ids}

    def rated(self, session: Session) -> dict[str, Mapping[str, int]]:
        """Rater to candidate to level: the machine, the data, and people."""
        found: dict[str, Mapping[str, int | None]] = {
            MACHINE: self.scores,
            GOLD: gold(session),
            **self.labels,
        }
        known = {
            rater: {id_: level for id_, level in levels.items() if level is not None}
            for rater, levels in found.items()
        }
        return {rater: levels for rater, levels in known.items() if levels}


setting = SETTINGS.in_force
"""Setting of a session, by name."""
