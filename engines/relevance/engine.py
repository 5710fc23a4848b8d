"""Judges the relevance of cases, one event at a time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any

import msgspec

from ...prompts.demonstrations import DemonstrationSet, load
from ...sessions.errors import BadInput
from ...sessions.events import Event
from ...sessions.events.relevance import (
    DemonstrationItem,
    Demonstrations,
    FactItem,
    Facts,
    Judgement,
    Stage,
)
from ...sessions.session import Session
from ...texts import english, t
from ..cases.task import QUERY
from ..model_request import ModelRequest, RequestOutcome, as_asked, ask
from ..models.panels import Ballot
from ..models.port import Message, ModelError, ModelRemark, ModelReply, Models, Part
from ..models.replies import made_by
from ..reading import Unread
from ..reading.ownership import texts_in
from .extraction import FactsReading, once, read_facts
from .judging import JudgementReading, read_judgement
from .matching import DemonstrationGone, DemonstrationPool, joined
from .messages import RelevanceCall, again, wishes
from .plan import (
    Kind,
    RelevanceState,
    RelevanceStep,
    facts_stage,
    judgement_stage,
    kind_of,
    setting,
)
from .rendered_demonstrations import fitting, size_of
from .result import result
from .score import score
from .spans import find

AHEAD = 30
"""Demonstrations looked at beyond those wanted, if a better one is too long."""

_RUNGS = ("schema", "json", "sliced", "literal", "repaired")
"""How a list was read, best first. For a case in pieces the worst one is reported."""


_Answered = RequestOutcome[FactsReading | JudgementReading | Unread]


class RelevanceEngine:
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
        """`demonstrations` loads a set by its name; it may be slow and raise BadInput.
        `focus`: the candidate that goes first, if any.
        """
        self._load = demonstrations
        self._focus = focus or (lambda: None)
        self._pools: dict[str, DemonstrationPool] = {}
        self._lock = threading.Lock()
        self._fold: RelevanceState | None = None

    def finished(self, session: Session) -> bool:
        return self.upcoming(session) is None

    def beside(self, focus: Callable[[], str | None]) -> RelevanceEngine:
        """Returns an engine for another session, which shares the sets of
        demonstrations with this one.
        """
        other = RelevanceEngine(self._load, focus=focus)
        other._pools, other._lock = self._pools, self._lock
        return other

    def asks(self, session: Session) -> bool:
        step = self.upcoming(session)
        return step is not None and step.role != ""

    def upcoming(self, session: Session) -> RelevanceStep | None:
        """The next step, of the candidate in focus if there is one."""
        return self.folded(session).upcoming(self._focus())

    async def advance(
        self, session: Session, models: Models
    ) -> AsyncGenerator[Part | Event, None]:
        """Yields what streams in, then the next event; nothing if all candidates are
        judged.

        Raises: ModelError, also for demonstrations that cannot be loaded (role
        `demonstrations`) and for a faulty template.
        """
        fold = self.folded(session)
        step = fold.upcoming(self._focus())
        if step is None:
            return
        if step.what == "result":
            yield result(session)
            return
        if step.what == "score":
            assert step.candidate is not None
            yield score(step.candidate, fold.candidates[step.candidate])
            return
        try:
            pool = await self._pool(session)
        except BadInput as error:
            raise ModelError("corpus", english(error), role="demonstrations") from None
        if step.what == "demonstrations":
            assert step.stage is not None
            notice = _changed(session, pool)
            if notice is not None:
                yield notice
            yield await self._matched(session, fold, pool, step.stage, step.candidate)
            return
        try:
            asking = wishes(session, step, pool, fold)
        except DemonstrationGone as error:
            raise ModelError("corpus", english(error), role="demonstrations") from None
        except BadInput as error:  # a template of a session from elsewhere
            raise ModelError("internal", english(error), role=step.role) from None
        heard: list[_Answered] = []
        requests = [_asking(session, step, wish) for wish in asking]
        async with aclosing(_ask_all(models, requests)) as parts:
            async for part in parts:
                if isinstance(part, RequestOutcome):
                    heard.append(part)
                else:
                    yield part
        yield _event(fold, step, asking, heard)

    async def demonstrations_for(
        self, session: Session, stage: Stage, candidate: str | None
    ) -> Demonstrations:
        """The demonstrations for a stage as they would be chosen now.

        Appended to the session, they have the stage made anew. BadInput.
        """
        fold = self.folded(session)
        if fold.standing(candidate) is None or (
            candidate is None and stage.startswith("judgement")
        ):
            raise BadInput(
                t("wrong.cases.no_stage", stage=stage, candidate=candidate or QUERY)
            )
        return await self._matched(
            session, fold, await self._pool(session), stage, candidate
        )

    def asked(self, session: Session, number: int) -> list[Message] | None:
        """The exact messages that event `number` answered, of all parts of a case in
        pieces; None if it answered none. BadInput.
        """
        event = session.events[number - 1]
        if isinstance(event, Facts) and not event.edited:
            step = RelevanceStep(
                "facts",
                "extractor",
                facts_stage(event.kind),
                None if event.case == QUERY else event.case,
            )
        elif isinstance(event, Judgement):
            step = RelevanceStep(
                "judgement", "annotator", judgement_stage(event.kind), event.candidate
            )
        else:
            return None
        before = session.prefix(number - 1)
        threads = [one.messages for one in wishes(before, step, self.pool(session))]
        return as_asked(threads, session, event)

    def unchanged(self, session: Session) -> bool:
        """Whether the demonstrations are those that the session took, so that what it
        asked can be told exactly. BadInput.
        """
        return _changed(session, self.pool(session)) is None

    def pool(self, session: Session) -> DemonstrationPool:
        """The set of demonstrations that a session uses.

        Takes a moment the first time. BadInput.
        """
        name = setting(session, "demonstrations")
        with self._lock:
            if name not in self._pools:
                self._pools[name] = DemonstrationPool(self._load(name))
            return self._pools[name]

    def folded(self, session: Session) -> RelevanceState:
        """Returns what is in force in a session.

        The last session's fold is kept and reads on: there may be tens of thousands of
        events.
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
    """Those of the demonstrations found that fit into the budget.

    In a judgement, relevant and irrelevant ones have shares of it.
    """
    size = partial(
        size_of, pool, found.step, extraction=bool(setting(session, "extraction"))
    )
    wanted: list[tuple[bool | None, str]] = [(None, "shots")]
    if found.step.startswith("judgement"):
        wanted = [(True, "relevant_shots"), (False, "irrelevant_shots")]
    shots = [int(setting(session, name)) for _, name in wanted]
    tokens = int(setting(session, "shown_tokens"))
    chosen: list[DemonstrationItem] = []
    passed: list[str] = []
    for (relevant, _), count in zip(wanted, shots, strict=True):
        those = [item for item in found.items if item.relevant is relevant]
        kept, over = fitting(those, count, tokens * count // max(1, sum(shots)), size)
        chosen += kept
        passed += over
    return Demonstrations(
        step=found.step, candidate=found.candidate, items=chosen, passed_over=passed
    )


async def _ask_all(
    models: Models,
    requests: Sequence[ModelRequest[FactsReading | JudgementReading | Unread]],
) -> AsyncGenerator[Part | _Answered, None]:
    """Asks in order. Ends early: a list without one of its parts is unread."""
    for request in requests:
        async with aclosing(ask(models, request)) as parts:
            async for part in parts:
                yield part
                if isinstance(part, RequestOutcome) and isinstance(part.value, Unread):
                    return


def _asking(
    session: Session, step: RelevanceStep, wish: RelevanceCall
) -> ModelRequest[FactsReading | JudgementReading | Unread]:
    sent = texts_in(wish.task)

    def read(
        replies: list[ModelReply],
    ) -> tuple[FactsReading | JudgementReading | Unread, str | None]:
        value = _read(step, replies[-1], sent)
        return value, value.reason if isinstance(value, Unread) else None

    def once_more(thread: list[Message], reply: str, why: str) -> list[Message]:
        return again(session, thread, reply, why)

    holds = lambda reply: not isinstance(_read(step, reply, sent), Unread)  # noqa: E731
    return ModelRequest(
        step.role,
        wish.task,
        wish.messages,
        wish.schema,
        read,
        once_more,
        holds,
        _BALLOT if step.what == "judgement" else None,
        session.header.prompts.templates,
        sent,
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
        return Unread("it breaks off")
    return found


def _event(
    fold: RelevanceState,
    step: RelevanceStep,
    asked: list[RelevanceCall],
    heard: list[_Answered],
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
    """A remark if the set of demonstrations has changed since the session began."""
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
        f"The demonstrations {name} have changed since this session took them; what "
        f"was made before stays."
    )
    return ModelRemark("", "demonstrations", said, about=str(name))
