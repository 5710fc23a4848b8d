"""Answers and verifies a question, one event at a time."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import msgspec

from ...sessions.errors import BadInput
from ...sessions.events import Event, Reference, Usage
from ...sessions.events.rag import Claims, RagAnswer, Retrieval, Verification
from ...sessions.session import Session
from ...texts import english
from ..model_request import ModelRequest, RequestOutcome, as_asked, ask
from ..models.panels import Ballot
from ..models.port import Message, ModelError, ModelReply, Models, Part
from ..models.replies import made_by
from ..reading.ownership import texts_in
from ..retrieval.citations import MEASURE, citations
from ..retrieval.port import PassageFilter, RetrievalError, RetrievalResult, Retriever
from ..threads import in_thread
from .check import answer_of, check
from .claims_reading import (
    ClaimsReading,
    read_claims,
    read_lines,
    read_nugget_lines,
    read_nuggets,
)
from .flags import flags_of
from .messages import MOST_SENTENCES, again, messages, schema, task
from .plan import (
    SCORES,
    RagIteration,
    RagStep,
    decided,
    decision_of,
    given_answer,
    in_force,
    lacks_query,
    latest,
    next_query,
    question,
    setting,
    turns,
    upcoming,
    wanted,
)
from .result import result
from .seats import LEXICAL, UNMEASURED
from .tasks import CheckClaims
from .verification import VerificationReading, read, read_query

GIVEN = "given"
"""The `model` of an answer, or the retriever, that the user gave."""


class RagEngine:
    """CoV-RAG (section 2.2, Algorithm 1).

    It keeps no state of a session; the retriever is opened when first needed.
    """

    def __init__(self, retriever: Callable[[], Retriever]) -> None:
        """`retriever` opens it; it may be slow and raise RetrievalError or BadInput.

        After a failure it is called again.
        """
        self._open = retriever
        self._opened: Retriever | None = None

    def finished(self, session: Session) -> bool:
        return upcoming(session) is None

    def asks(self, session: Session) -> bool:
        step = upcoming(session)
        return step is not None and step.role != ""

    async def advance(
        self, session: Session, models: Models
    ) -> AsyncGenerator[Part | Event, None]:
        """Yields what streams in, then the next event; nothing if the question is done.

        Raises: ModelError, also for a retrieval that failed (role `retriever`) and for
        a faulty template.
        """
        step = upcoming(session)
        if step is None:
            return
        if step.role == "":
            yield await self._computed(session, step)
            return
        try:
            thread = messages(session, step)
        except BadInput as error:  # a template of a session from elsewhere
            raise ModelError("internal", english(error)) from None
        request = ModelRequest(
            step.role,
            task(session, step),
            thread,
            schema(session, step),
            lambda replies: _event(session, step, replies),
            lambda before, reply, why: again(session, step, before, reply, why),
            ballot=_BALLOT
            if step.what == "verification" and step.role == "verifier"
            else None,
            templates=session.header.prompts.templates,
            sent=texts_in(task(session, step)),
        )
        async with aclosing(ask(models, request)) as parts:
            async for part in parts:
                yield part.value if isinstance(part, RequestOutcome) else part

    async def _computed(self, session: Session, step: RagStep) -> Event:
        if step.what == "retrieval":
            return await self._retrieval(session, step.iteration)
        if step.what == "result":
            return result(session)
        turn = latest(session) or RagIteration(step.iteration)
        if step.what == "answer":
            return answer_given(session, step)
        if step.what == "check":
            answer = turn.answer.answer or "" if turn.answer is not None else ""
            return check(answer, in_force(turn.retrieval), step.iteration)
        verification = turn.verification or Verification(
            iteration=step.iteration, role=""
        )
        return decision_of(session, turn, verification)

    async def _retrieval(self, session: Session, iteration: int) -> Retrieval:
        began = time.monotonic()
        if given_answer(session) is not None and isinstance(
            session.header.task.get("references"), list
        ):
            return retrieval_given(session, iteration)
        query, k, before = next_query(session), setting(session, "k"), turns(session)
        dropped = list(
            dict.fromkeys(
                id_
                for turn in before
                if turn.retrieval is not None
                for id_ in turn.retrieval.dropped
            )
        )
        found, name = await self._found(query, k + len(dropped), wanted(session))
        fresh = [
            reference for reference in found.references if reference.id not in dropped
        ]
        if name != GIVEN:  # who gives references wants an answer from all of them
            fresh = fresh[:k]
        message = found.message
        if found.references and not fresh:
            message = "All that was found had been removed by you."
        kept = (
            _kept(before[-1] if before else None, merge=setting(session, "merge"))
            if fresh
            else []
        )
        return Retrieval(
            iteration=iteration,
            query=query,
            references=_flagged(_once([*kept, *fresh])),
            dropped=dropped,
            unknown=found.unknown,
            message=message,
            retriever=name,
            vectors_by=found.vectors_by,
            index=found.index,
            altered=found.altered,
            left_out=found.left_out,
            usage=found.usage,
            cost=found.cost,
            seconds=time.monotonic() - began,
        )

    async def _found(
        self, query: str, k: int, wanted: PassageFilter
    ) -> tuple[RetrievalResult, str]:
        try:
            if self._opened is None:
                self._opened = await in_thread(self._open)
            opened = self._opened
            return await opened.retrieve(query, k, wanted), opened.name
        except (
            RetrievalError,
            BadInput,
            OSError,
            ValueError,
            LookupError,
            RuntimeError,
            TypeError,
            AttributeError,
        ) as error:
            self._opened = (
                None  # open it again for the next try: the corpus may have been rebuilt
            )
            raise _failed(error) from None


def retrieval_given(session: Session, iteration: int = 1) -> Retrieval:
    """The references that an answer which exists came with and cites: all of them, as
    they are numbered.

    Raises: ModelError if they cannot be read.
    """
    shown = _flagged(_converted(session.header.task.get("references") or []))
    message = None if shown else "The answer came without references."
    return Retrieval(
        iteration=iteration,
        query=question(session),
        references=shown,
        retriever=GIVEN,
        message=message,
    )


def answer_given(session: Session, step: RagStep) -> RagAnswer:
    """The answer that the user gave."""
    text = given_answer(session) or ""
    return RagAnswer(
        role="generator",
        model=GIVEN,
        text=text,
        usage=Usage(input=0, output=0),
        cost=0.0,
        attempts=0,
        **_answered(step, text),
    )


def _failed(error: Exception) -> ModelError:
    """The error of a retrieval as a ModelError of the role `retriever`."""
    if isinstance(error, RetrievalError):
        return ModelError(
            error.kind, english(error), role="retriever", asked=error.asked
        )
    if isinstance(error, BadInput):
        return ModelError("corpus", english(error), role="retriever")
    said = (
        f"The search broke down ({type(error).__name__}: {error}); try again, or "
        f"index the documents anew."
    )
    return ModelError("internal", " ".join(said.split())[:400], role="retriever")


def asked(session: Session, number: int) -> list[Message] | None:
    """The exact messages that event `number` answered; None if it answered none (a
    retrieval, a check, a result).
    """
    before = session.prefix(number - 1)
    step = upcoming(before)
    event = session.events[number - 1]
    if step is None or step.role == "" or getattr(event, "role", None) != step.role:
        return None
    return as_asked([messages(before, step)], session, event)


def _event(
    session: Session, step: RagStep, replies: list[ModelReply]
) -> tuple[Event, str | None]:
    """The event of a step, and why the model is asked again (None if it is not)."""
    if step.what == "answer":
        return RagAnswer(
            **made_by(step.role, replies), **_answered(step, replies[-1].text)
        ), None
    if step.what == "claims":
        return _claims(session, step, replies)
    sent = texts_in(task(session, step))
    answered = replies[-1].model
    seated = step.role == "verifier" and any(
        one.model == answered for one in session.seat(step.role).members
    )
    unmeasured = UNMEASURED.get(answered, ()) if seated else ()
    readings = [
        read(reply.text, reply.structured, sent, without=unmeasured)
        if step.role == "verifier"
        else read_query(reply.text, reply.structured, sent)
        for reply in replies
    ]
    common = {"unmeasured": list(unmeasured)}
    wanting = [_wanting(session, step, one, common) for one in readings]
    # The second reply counts, unless the first could be read further.
    best = max(
        range(len(replies)),
        key=lambda at: (wanting[at] is None, _values(readings[at]), at),
    )
    event = _verification(
        step, readings[best], common | made_by(step.role, replies, kept=replies[best])
    )
    return event, wanting[best]


def _claims(
    session: Session, step: RagStep, replies: list[ModelReply]
) -> tuple[Event, str | None]:
    """The claims of a step, and why the verifier is asked again (None if it is not)."""
    about, human = task(session, step), session.seat(step.role).model == "human"
    assert isinstance(about, CheckClaims)
    sent, sentences = (
        texts_in(about),
        min(len(about.texts), MOST_SENTENCES) if about.of == "answer" else 0,
    )

    def read_one(reply: ModelReply) -> ClaimsReading:
        by_line = human and not reply.text.lstrip().startswith(("{", "["))
        if about.of == "nuggets":
            if by_line:
                return read_nugget_lines(reply.text, about.texts, about.answer)
            return read_nuggets(
                reply.text,
                about.texts,
                about.answer,
                structured=reply.structured,
                sent=sent,
            )
        if by_line:
            return read_lines(reply.text, about.references, sentences)
        return read_claims(
            reply.text,
            about.references,
            sentences,
            structured=reply.structured,
            sent=sent,
        )

    readings = [read_one(reply) for reply in replies]
    # The second reply counts, unless the first has all its verdicts, or more of them.
    best = max(
        range(len(replies)),
        key=lambda at: (
            readings[at].wanting is None,
            readings[at].read != "unread",
            readings[at].verdicts,
            at,
        ),
    )
    computed = replies[best].model == session.seat(step.role).model == LEXICAL
    event = Claims(
        **made_by(step.role, replies, kept=replies[best]),
        iteration=step.iteration,
        of=about.of,
        **readings[best]._asdict(),
        measure=MEASURE if computed else "",
    )
    return event, readings[best].wanting


def _verification(
    step: RagStep, verified: VerificationReading, common: dict[str, Any]
) -> Verification:
    return Verification(
        **common, iteration=step.iteration, **msgspec.structs.asdict(verified)
    )


def _voted(made: Event) -> dict[str, Any]:
    """What is voted on in a verification."""
    if not isinstance(made, Verification) or made.read == "unread":
        return {}
    return {name: getattr(made, name) for name in _BALLOT.fields}


_BALLOT: Ballot[Event] = Ballot(
    {
        "reason": "text",
        **dict.fromkeys(SCORES, "number"),
        "judgement": "choice",
        "revised_query": "query",
    },
    _voted,
)
"""What a panel on the verifier's seat votes on."""


def _wanting(
    session: Session,
    step: RagStep,
    verified: VerificationReading,
    common: dict[str, Any],
) -> str | None:
    """Why this reading is not enough: the rule in force cannot decide from it.

    Where nothing is decided, any value will do.

    A query that is missing beside a judgement that is not true is no such reason: the
    reviser is asked for it then.
    """
    if step.iteration and decided(session) and step.role == "verifier":
        turn, made = (
            latest(session) or RagIteration(step.iteration),
            _verification(step, verified, {"role": step.role, **common}),
        )
        if lacks_query(session, turn, made):
            made.revised_query = "?"
        enough = decision_of(session, turn, made).revise is not None
    else:
        enough = verified.read != "unread"
    if enough:
        return None
    return " ".join(verified.problems).rstrip(".") or "nothing in it can be read"


def _values(verified: VerificationReading) -> int:
    return sum(
        getattr(verified, name) is not None
        for name in (*SCORES, "judgement", "revised_query")
    )


def _answered(step: RagStep, text: str) -> dict[str, Any]:
    answer = answer_of(text)
    return {
        "iteration": step.iteration,
        "answer": answer,
        "citations": citations(answer or ""),
    }


def _kept(turn: RagIteration | None, *, merge: bool) -> list[Reference]:
    """The earlier references that stay beside those of a new query: all, or those that
    the user pinned.
    """
    return [
        one
        for one in in_force(turn.retrieval if turn is not None else None)
        if merge or one.pinned
    ]


def _once(references: list[Reference]) -> list[Reference]:
    """Each passage once (the first stays), numbered from 1."""
    ids: set[str] = set()
    texts: set[str] = set()
    made: list[Reference] = []
    for one in references:
        text = " ".join(one.text.split())
        if one.id not in ids and text not in texts:
            made.append(msgspec.structs.replace(one, n=len(made) + 1))
        ids.add(one.id)
        texts.add(text)
    return made


def _flagged(references: list[Reference]) -> list[Reference]:
    flags = [
        dict.fromkeys([*one.flags, *flags_of(one.text, one.title, len(references))])
        for one in references
    ]
    return [
        msgspec.structs.replace(one, flags=list(found))
        for one, found in zip(references, flags, strict=True)
    ]


def _converted(references: list[Any]) -> list[Reference]:
    """The references of a session's task, numbered from 1.

    Raises: ModelError if a file from elsewhere holds something else.
    """
    try:
        made = msgspec.convert(references, list[Reference])
    except msgspec.ValidationError:
        raise ModelError(
            "corpus",
            "The references in this session cannot be read; ask the question anew.",
            role="retriever",
        ) from None
    return [
        msgspec.structs.replace(one, n=number) for number, one in enumerate(made, 1)
    ]
