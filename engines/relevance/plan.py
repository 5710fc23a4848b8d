"""Says what comes next for a query and its candidates: a pure function of the session's
events (LCR, section 3.2).

Material facts come first and legal facts second, in the extraction and in the
judgement. A new or edited event voids only the events that depend on it. Other
candidates keep their scores, and labels always stay. A fork has its parent's scores but
not its labels, because its annotators have not seen it yet.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ...sessions.events import Change, Event
from ...sessions.events.labels import Label
from ...sessions.events.relevance import (
    Agreement,
    Demonstrations,
    Facts,
    Judgement,
    RelevanceResult,
    Score,
    Stage,
)
from ...sessions.labels import is_own
from ...sessions.session import Session
from ..cases import rating
from ..cases.rating import GOLD, MACHINE, concluded, rater_name
from ..cases.task import QUERY, candidates, gold, query
from .settings import CHOOSING, SETTINGS


def score(candidate: str, standing: CurrentStages) -> Score:
    """Return the level 0 to 3; None if either judgement is unread or could not
    be made.
    """
    return Score(candidate=candidate, value=_level(standing))


def level(standing: CurrentStages) -> int | None:
    """Return the level that follows from the judgements; the scored level if a
    judgement is missing.

    None: no score is in force.
    """
    if standing.score is None:
        return None
    judged = standing.judgement("material") and standing.judgement("legal")
    if judged is None:
        return standing.score.value
    return _level(standing)


def _level(standing: CurrentStages) -> int | None:
    material, legal = standing.judgement("material"), standing.judgement("legal")
    if (
        material is None
        or legal is None
        or material.relevant is None
        or legal.relevant is None
    ):
        return None
    return int(material.relevant) + 2 * int(legal.relevant)


def result(session: Session) -> RelevanceResult:
    """Return the result in the form of `cases.rating.concluded`."""
    fold = RelevanceState(session)
    return concluded(machine(fold), raters(session, fold))


def machine(fold: RelevanceState) -> dict[str, int | None]:
    """Return the model's level by candidate, in the given order; None if unread or not
    judged yet.
    """
    return {
        id_: one.score.value if one.score is not None else None
        for id_, one in fold.candidates.items()
    }


def raters(
    session: Session, fold: RelevanceState | None = None
) -> dict[str, dict[str, int]]:
    """Return levels by rater and candidate: the model, the data's own labels, then each
    annotator's last labels. Raters without any are omitted.
    """
    fold = fold or RelevanceState(session)
    found: dict[str, dict[str, int]] = {
        MACHINE: {
            id_: level for id_, level in machine(fold).items() if level is not None
        },
        GOLD: gold(session),
    }
    for id_, one in fold.candidates.items():
        for annotator, label in one.labels.items():
            if label.value is not None:
                found.setdefault(rater_name(annotator), {})[id_] = label.value
    return {rater: levels for rater, levels in found.items() if levels}


def agreements(session: Session, fold: RelevanceState | None = None) -> list[Agreement]:
    """Return how far the raters of a session agree, as
    `cases.rating.agreements` does.
    """
    return rating.agreements(raters(session, fold))


def replaced(session: Session) -> list[tuple[int, int]]:
    """Return the model's last reply and its replacement, for each stage of a case that
    was made more than once.
    """
    made: dict[tuple[str, str, str], list[Facts | Judgement]] = {}
    for event in session.events:
        if isinstance(event, Facts):
            made.setdefault(("facts", event.kind, event.case), []).append(event)
        elif isinstance(event, Judgement):
            made.setdefault(("judgement", event.kind, event.candidate), []).append(
                event
            )
    found = []
    for *before, last in made.values():
        by_model = next(
            (one for one in reversed(before) if not getattr(one, "edited", False)), None
        )
        if by_model is not None:
            found.append((by_model.number, last.number))
    return found


def reply(facts: Facts) -> str | None:
    """Return the object requested from the extractor, with these facts; None if they
    are unread.
    """
    if facts.read == "unread" and not facts.edited:
        return None
    listed = {"facts": [item.text for item in facts.items if not item.secondary]}
    if facts.kind == "legal":
        listed["secondary"] = [item.text for item in facts.items if item.secondary]
    return json.dumps(listed, ensure_ascii=False)


ROLES = ("extractor", "annotator")

Kind = Literal["material", "legal"]
KINDS: tuple[Kind, ...] = ("material", "legal")

STAGES: tuple[Stage, ...] = (
    "facts-material",
    "facts-legal",
    "judgement-material",
    "judgement-legal",
)


class RelevanceStep(NamedTuple):
    """The next step.

    `role` is the role to call; "" if the step needs no model (matched or computed).
    """

    what: Literal["demonstrations", "facts", "judgement", "score", "result"]
    role: str
    stage: Stage | None = None
    candidate: str | None = None
    """None for the query's own facts, and for the result."""


@dataclass
class CurrentStages:
    """The events in force for the query or for one candidate."""

    made: dict[Stage, Facts | Judgement] = field(default_factory=dict)
    demonstrations: dict[Stage, Demonstrations] = field(default_factory=dict)
    score: Score | None = None
    labels: dict[str, Label] = field(default_factory=dict)
    """Annotator -> last label of this session itself."""

    def facts(self, kind: Kind) -> Facts | None:
        found = self.made.get(facts_stage(kind))
        if isinstance(found, Facts):
            return found
        return None

    def judgement(self, kind: Kind) -> Judgement | None:
        found = self.made.get(judgement_stage(kind))
        if isinstance(found, Judgement):
            return found
        return None


def facts_stage(kind: Kind) -> Stage:
    if kind == "material":
        return "facts-material"
    return "facts-legal"


def judgement_stage(kind: Kind) -> Stage:
    if kind == "material":
        return "judgement-material"
    return "judgement-legal"


def kind_of(stage: Stage) -> Kind:
    if stage.endswith("material"):
        return "material"
    return "legal"


_RESTS: dict[Stage, tuple[Stage, ...]] = {
    "facts-material": ("facts-legal", "judgement-material", "judgement-legal"),
    "facts-legal": ("judgement-legal",),
}
"""The stages that depend on a stage.

The legal judgement depends on facts, not on the material judgement.
"""


class RelevanceState:
    """What is in force in a session, computed from its events.

    Call `update` to read the events appended since.

    The time of a step does not grow with the number of events or finished candidates.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.query = CurrentStages()
        self._cases = candidates(session)
        self.candidates = {id_: CurrentStages() for id_ in self._cases}
        """In the order given."""
        self.result: RelevanceResult | None = None
        self.rated = 0
        """Counts scores, labels, and scores that become void: while it is unchanged, no
        level has changed.
        """
        self._seen = 0
        self._order = list(self.candidates)
        self._places = {id_: place for place, id_ in enumerate(self._order)}
        self._open = 0
        """All candidates before this place have a score."""
        self._ever: set[tuple[str | None, Stage]] = set()
        self.update()

    def update(self) -> None:
        """Read the events after the last one read."""
        events = self.session.events
        while self._seen < len(events):
            self._take(events[self._seen])
            self._seen += 1

    def standing(self, candidate: str | None) -> CurrentStages | None:
        """Return the events in force of a candidate, or of the query for None; None if
        there is no such candidate.
        """
        if candidate is None:
            return self.query
        return self.candidates.get(candidate)

    def text(self, candidate: str | None) -> str:
        """Return the text of a candidate, or of the query for None.

        Raises: KeyError if there is no such candidate.
        """
        return str(
            (query(self.session) if candidate is None else self._cases[candidate]).get(
                "text", ""
            )
        )

    def made_before(self, step: RelevanceStep) -> bool:
        """Return whether this session has had this stage before, even if it is void
        now. If so, a new reply is requested.
        """
        return step.stage is not None and (step.candidate, step.stage) in self._ever

    def _take(self, event: Event) -> None:
        if isinstance(event, RelevanceResult):
            self.result = event
        elif isinstance(event, Label):
            if (
                not event.measure
                and event.candidate in self.candidates
                and is_own(self.session.header, event)
            ):
                self.candidates[event.candidate].labels.pop(event.annotator, None)
                if not event.undone:
                    self.candidates[event.candidate].labels[event.annotator] = event
                self.rated += 1
        elif isinstance(event, Score):
            if event.candidate in self.candidates:
                self.candidates[event.candidate].score = event
                self.result = None
                self.rated += 1
        elif isinstance(event, Demonstrations | Facts | Judgement):
            self._make(event)
        elif (
            isinstance(event, Change)
            and event.field.removeprefix("settings.") in CHOOSING
        ):
            self._choose_anew()

    def _choose_anew(self) -> None:
        """A change applies from the next call, so it voids demonstrations chosen for
        stages that are not made yet.
        """
        for one in (self.query, *self.candidates.values()):
            one.demonstrations = {
                stage: chosen
                for stage, chosen in one.demonstrations.items()
                if stage in one.made
            }

    def _make(self, event: Demonstrations | Facts | Judgement) -> None:
        if isinstance(event, Facts):
            candidate, stage = (
                None if event.case == QUERY else event.case,
                facts_stage(event.kind),
            )
        elif isinstance(event, Judgement):
            candidate, stage = event.candidate, judgement_stage(event.kind)
        else:
            candidate, stage = event.candidate, event.step
        one = self.standing(candidate)
        if one is None:
            return
        if isinstance(event, Demonstrations):
            one.demonstrations[stage] = event
            one.made.pop(stage, None)
        else:
            one.made[stage] = event
            self._ever.add((candidate, stage))
        self.result = None
        self._open = (
            0 if candidate is None else min(self._open, self._places[candidate])
        )
        voided = _RESTS.get(stage, ())
        for standing in (
            [self.query, *self.candidates.values()] if candidate is None else [one]
        ):
            self.rated += standing.score is not None
            standing.score = None
            for later in (
                voided
                if standing is one
                else [later for later in voided if later.startswith("judgement")]
            ):
                standing.made.pop(later, None)
                standing.demonstrations.pop(later, None)

    def next_of(self, candidate: str) -> RelevanceStep | None:
        """Return the next step towards this candidate's score, including the query's
        facts; None if it has a score.
        """
        one = self.candidates[candidate]
        if one.score is not None:
            return None
        extraction, annotation = (
            setting(self.session, "extraction"),
            setting(self.session, "annotation"),
        )
        if extraction:
            comparable = [kind for kind in KINDS if readable(self.query.facts(kind))]
            step = _extracted(self.query, None, KINDS) or _extracted(
                one, candidate, comparable
            )
            if step is not None:
                return step
        for kind in KINDS:
            stage = judgement_stage(kind)
            if stage in one.made or (
                extraction
                and not (readable(self.query.facts(kind)) and readable(one.facts(kind)))
            ):
                continue
            if annotation and stage not in one.demonstrations:
                return RelevanceStep("demonstrations", "", stage, candidate)
            return RelevanceStep("judgement", "annotator", stage, candidate)
        return RelevanceStep("score", "", None, candidate)

    def upcoming(self, focus: str | None = None) -> RelevanceStep | None:
        """Return the next step: that of the candidate `focus` until it has a score,
        then the others in order; None when all are done.
        """
        if self.result is not None:
            return None
        if focus in self.candidates:
            step = self.next_of(focus)
            if step is not None:
                return step
        while self._open < len(self._order):
            step = self.next_of(self._order[self._open])
            if step is not None:
                return step
            self._open += 1
        return RelevanceStep("result", "")


def _extracted(
    one: CurrentStages, candidate: str | None, kinds: Sequence[Kind]
) -> RelevanceStep | None:
    """Return the next step of an extraction; None if it is done, or if the material
    facts could not be read.

    `kinds` of a candidate are those of the query, whose facts it is compared with.
    """
    for kind in kinds:
        stage = facts_stage(kind)
        if stage not in one.made:
            if stage in one.demonstrations:
                return RelevanceStep("facts", "extractor", stage, candidate)
            return RelevanceStep("demonstrations", "", stage, candidate)
        if not readable(one.facts(kind)):
            return None
    return None


def readable(facts: Facts | None) -> bool:
    """Return whether later stages can use these facts.

    An empty list is usable; an unread reply is not.
    """
    return facts is not None and (facts.edited or facts.read != "unread")


def upcoming(session: Session, focus: str | None = None) -> RelevanceStep | None:
    """Return the next step; None when the query is done.

    Failures, notes and labels are ignored. Changes apply with the values now in force.
    """
    return RelevanceState(session).upcoming(focus)


def stages(session: Session, candidate: str | None) -> CurrentStages:
    """Return what is in force for a candidate, or for the query with None.

    Raises: KeyError if there is no such candidate.
    """
    found = RelevanceState(session).standing(candidate)
    if found is None:
        raise KeyError(candidate)
    return found


setting = SETTINGS.in_force
"""Setting of a session, by name."""
