"""Judges the relevance of cases, one event at a time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from ...prompts.demonstrations import DemonstrationSet, load
from ...sessions.errors import BadInput, bad_input
from ...sessions.events import Event
from ...sessions.events.relevance import (
    Demonstrations,
    FactItem,
    Facts,
    Judgement,
    Stage,
)
from ...sessions.session import Session
from ...texts import english
from ..cases.task import QUERY
from ..engine import JointRequest, MethodEngine
from ..model_request import ModelRequest, RequestOutcome, read_request
from ..models.panels import Ballot
from ..models.port import ModelError, ModelRemark, ModelReply
from ..models.replies import made_by
from ..reading import Unread
from ..reading.ownership import texts_in
from ..step import Parts
from .extraction import FactsReading, once, read_facts
from .judging import JudgementReading, read_judgement
from .matching import DemonstrationPool, joined
from .messages import RelevanceCall, wishes
from .plan import (
    Kind,
    RelevanceState,
    RelevanceStep,
    facts_stage,
    judgement_stage,
    kind_of,
    result,
    score,
    setting,
)
from .rendered_demonstrations import fitting, size_of
from .spans import find

AHEAD = 30
"""Demonstrations looked at beyond those wanted, if a better one is too long."""

_RUNGS = ("schema", "json", "sliced", "literal", "repaired")
"""How a list was read, best first. For a case in pieces the worst one is reported."""


_Answered = RequestOutcome[FactsReading | JudgementReading | Unread]


class RelevanceEngine(MethodEngine[RelevanceStep]):
    """LCR (section 3.2). One engine may serve many sessions at once, in one thread.

    It loads sets of demonstrations when first needed and keeps them. The next step
    always comes from the session.
    """

    def __init__(
        self,
        demonstrations: Callable[[str], DemonstrationSet] = load,
        *,
        focus: Callable[[], str | None] | None = None,
    ) -> None:
        """`demonstrations` loads a set by name; it may be slow and raise BadInput.
        `focus`: the candidate to process first, if any.
        """
        self._load = demonstrations
        self._focus = focus or (lambda: None)
        self._pools: dict[str, DemonstrationPool] = {}
        self._lock = threading.Lock()
        self._fold: RelevanceState | None = None
        super().__init__(
            self._coming,
            {
                "demonstrations": self._demonstrations,
                "facts": self._requests,
                "judgement": self._requests,
                "score": self._score,
                "result": lambda session, step: result(session),
            },
            step_of=_step_of,
            prepare=self._ready,
        )

    def beside(self, focus: Callable[[], str | None]) -> RelevanceEngine:
        """Returns an engine for another session, which shares the sets of
        demonstrations with this one.
        """
        other = RelevanceEngine(self._load, focus=focus)
        other._pools, other._lock = self._pools, self._lock
        return other

    def _coming(self, session: Session) -> RelevanceStep | None:
        """Return the next step, of the candidate in focus if there is one."""
        return self.folded(session).upcoming(self._focus())

    async def _ready(self, session: Session, step: RelevanceStep) -> None:
        """Loads the demonstrations. Raises: ModelError of the role `demonstrations`."""
        if step.what in ("score", "result"):
            return
        try:
            await self._pool(session)
        except BadInput as error:
            raise ModelError("corpus", english(error), role="demonstrations") from None

    def _score(self, session: Session, step: RelevanceStep) -> Event:
        assert step.candidate is not None
        stages = self.folded(session).candidates[step.candidate]
        return score(step.candidate, stages)

    async def _demonstrations(self, session: Session, step: RelevanceStep) -> Parts:
        assert step.stage is not None
        pool, fold = self.pool(session), self.folded(session)
        notice = _changed(session, pool)
        if notice is not None:
            yield notice
        yield await self._matched(session, fold, pool, step.stage, step.candidate)

    def _requests(self, session: Session, step: RelevanceStep) -> JointRequest:
        fold = self.folded(session)
        calls = wishes(session, step, self.pool(session), fold)
        return JointRequest(
            [_asking(session, step, call) for call in calls],
            lambda outcomes: _event(fold, step, calls, outcomes),
        )

    async def demonstrations_for(
        self, session: Session, stage: Stage, candidate: str | None
    ) -> Demonstrations:
        """Return the demonstrations that would be chosen for a stage now.

        Append them to the session to repeat the stage. Raises: BadInput.
        """
        fold = self.folded(session)
        if fold.standing(candidate) is None or (
            candidate is None and stage.startswith("judgement")
        ):
            raise bad_input(
                "wrong.cases.no_stage", stage=stage, candidate=candidate or QUERY
            )
        return await self._matched(
            session, fold, await self._pool(session), stage, candidate
        )

    def unchanged(self, session: Session) -> bool:
        """Whether the demonstrations are still those that the session used, so that its
        messages can be reproduced. Raises: BadInput.
        """
        return _changed(session, self.pool(session)) is None

    def pool(self, session: Session) -> DemonstrationPool:
        """Return the set of demonstrations that a session uses.

        The first call takes a moment. Raises: BadInput.
        """
        name = setting(session, "demonstrations")
        with self._lock:
            if name not in self._pools:
                self._pools[name] = DemonstrationPool(self._load(name))
            return self._pools[name]

    def folded(self, session: Session) -> RelevanceState:
        """Return what is in force in a session.

        The state of the last session is cached and updated with new events, because a
        session can have tens of thousands of events.
        """
        fold = self._fold
        if fold is None or fold.session is not session:
            fold = self._fold = RelevanceState(session)
        fold.update()
        return fold

    async def _pool(self, session: Session) -> DemonstrationPool:
        known = self._pools.get(setting(session, "demonstrations"))
        if known is not None:
            return known
        return await asyncio.to_thread(self.pool, session)

    async def _matched(
        self,
        session: Session,
        fold: RelevanceState,
        pool: DemonstrationPool,
        stage: Stage,
        candidate: str | None,
    ) -> Demonstrations:
        judged = stage.startswith("judgement")
        if judged and not setting(session, "annotation"):
            return Demonstrations(step=stage, candidate=candidate)
        extraction = setting(session, "extraction")
        sides = (None, candidate) if judged else (candidate,)
        texts = [fold.text(side) for side in sides]
        if stage == "facts-material" or (judged and not extraction):
            hand = joined(texts)
        else:
            kinds: tuple[Kind, ...] = (
                ("legal", "material") if stage == "judgement-legal" else ("material",)
            )
            hand = joined(
                item.text
                for kind in kinds
                for side in sides
                for item in _items(fold, side, kind)
            )
        if not pool.is_ready(stage):
            await asyncio.to_thread(pool.ready, stage)
        found = pool.match(
            stage,
            hand,
            texts,
            lambda name: (
                setting(session, name) + (AHEAD if name.endswith("shots") else 0)
            ),
            candidate,
        )
        return _fitting(
            session, pool, Demonstrations(step=stage, candidate=candidate, items=found)
        )


def _fitting(
    session: Session, pool: DemonstrationPool, found: Demonstrations
) -> Demonstrations:
    """Return the matched demonstrations that fit into the budget.

    In a judgement, relevant and irrelevant ones each have a share of it.
    """
    size = partial(
        size_of, pool, found.step, extraction=bool(setting(session, "extraction"))
    )
    wanted: list[tuple[bool | None, str]] = [(None, "shots")]
    if found.step.startswith("judgement"):
        wanted = [(True, "relevant_shots"), (False, "irrelevant_shots")]
    shots = [int(setting(session, name)) for _, name in wanted]
    tokens = int(setting(session, "shown_tokens"))
    chosen = []
    passed = []
    for (relevant, _), count in zip(wanted, shots, strict=True):
        those = [item for item in found.items if item.relevant is relevant]
        kept, over = fitting(
            those,
            count,
            tokens * count // max(1, sum(shots)),
            size,
        )
        chosen += kept
        passed += over
    return Demonstrations(
        step=found.step, candidate=found.candidate, items=chosen, passed_over=passed
    )


def _step_of(before: Session, event: Event) -> RelevanceStep | None:
    match event:
        case Facts(edited=False):
            case_ = None if event.case == QUERY else event.case
            return RelevanceStep("facts", "extractor", facts_stage(event.kind), case_)
        case Judgement():
            stage = judgement_stage(event.kind)
            return RelevanceStep("judgement", "annotator", stage, event.candidate)
    return None


def _asking(
    session: Session, step: RelevanceStep, wish: RelevanceCall
) -> ModelRequest[FactsReading | JudgementReading | Unread]:
    sent = texts_in(wish.task)
    return read_request(
        session,
        step.role,
        wish.task,
        wish.messages,
        wish.schema,
        lambda reply: _read(step, reply, sent),
        lambda replies, value: value,
        _BALLOT if step.what == "judgement" else None,
    )


def _values(read: FactsReading | JudgementReading | Unread) -> dict[str, Any]:
    if isinstance(read, JudgementReading):
        return {"reason": read.reason, "relevant": read.relevant}
    return {}


_BALLOT = Ballot({"reason": "text", "relevant": "choice"}, _values)


def _read(
    step: RelevanceStep, reply: ModelReply, sent: list[str]
) -> FactsReading | JudgementReading | Unread:
    if step.what == "judgement":
        return read_judgement(reply.text, reply.structured, sent)
    found = read_facts(reply.text, reply.structured, sent)
    if (
        not isinstance(found, Unread)
        and reply.finish == "length"
        and found.read not in ("schema", "json")
    ):
        return Unread("the reply is cut off")
    return found


def _event(
    fold: RelevanceState,
    step: RelevanceStep,
    asked: list[RelevanceCall],
    heard: Sequence[_Answered],
) -> Event:
    assert step.stage is not None
    kind = kind_of(step.stage)
    common = made_by(step.role, [reply for one in heard for reply in one.replies])
    left_out = asked[0].left_out
    value = heard[-1].value
    if step.what == "judgement":
        assert step.candidate is not None
        if isinstance(value, JudgementReading):
            common |= {
                "relevant": value.relevant,
                "reason": value.reason,
                "read": value.read,
            }
        return Judgement(
            **common, kind=kind, candidate=step.candidate, left_out=left_out
        )
    common["text"] = "\n\n".join(one.replies[-1].text for one in heard)
    lists = [one.value for one in heard if isinstance(one.value, FactsReading)]
    made = Facts(
        **common,
        kind=kind,
        case=QUERY if step.candidate is None else step.candidate,
        left_out=left_out,
        pieces=len(asked),
    )
    if len(lists) == len(asked):
        facts = once([fact for one in lists for fact in one.facts])
        secondary = (
            {fact for one in lists for fact in one.secondary} if kind == "legal" else ()
        )
        spans = {fact: span for one in lists for fact, span in one.spans.items()}
        items = (
            find(fold.text(step.candidate), facts, spans)
            if kind == "material"
            else [FactItem(text=fact) for fact in facts]
        )
        made.items = [
            msgspec.structs.replace(item, secondary=item.text in secondary)
            for item in items
        ]
        made.read = max((one.read for one in lists), key=_RUNGS.index)
    return made


def _items(fold: RelevanceState, candidate: str | None, kind: Kind) -> list[FactItem]:
    standing = fold.standing(candidate)
    facts = standing.facts(kind) if standing is not None else None
    if facts is not None:
        return facts.items
    return []


def _changed(session: Session, pool: DemonstrationPool) -> ModelRemark | None:
    """Return a remark if the set of demonstrations has changed since the
    session began.
    """
    taken, name, first = (
        setting(session, "demonstrations_digest"),
        setting(session, "demonstrations"),
        session.header.settings,
    )
    if taken in (None, pool.digest) or (
        name != first.get("demonstrations")
        and taken == first.get("demonstrations_digest")
    ):
        return None
    said = (
        f"The demonstrations {name} have changed since this session read them; "
        f"earlier results are kept."
    )
    return ModelRemark("", "demonstrations", said, about=str(name))
