"""Answers and verifies a question, one event at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, get_args

import msgspec

from ...sessions.errors import BadInput
from ...sessions.events import Event, Reference, Usage
from ...sessions.events.rag import Claims, RagAnswer, RagResult, Retrieval, Verification
from ...sessions.session import Session
from ...texts import english
from ..engine import Made, MethodEngine
from ..model_request import ModelRequest
from ..models.panels import Ballot
from ..models.port import ModelError, ModelReply
from ..models.replies import made_by
from ..reading.ownership import texts_in
from ..retrieval.citations import MEASURE, citations
from ..retrieval.port import PassageFilter, RetrievalError, RetrievalResult, Retriever
from ..step import Parts
from ..threads import in_thread
from .check import answer_of, check, flags_of
from .claims_reading import (
    ClaimsReading,
    read_claims,
    read_lines,
    read_nugget_lines,
    read_nuggets,
)
from .messages import MOST_SENTENCES, CheckClaims, again, messages, schema, task
from .plan import (
    SCORES,
    RagIteration,
    RagStep,
    What,
    decided,
    decision_of,
    given_answer,
    in_force,
    kept_turn,
    lacks_query,
    latest,
    next_query,
    question,
    setting,
    stopped_by,
    turns,
    upcoming,
    wanted,
)
from .starting import LEXICAL, UNMEASURED
from .verification import VerificationReading, read, read_query


def result(session: Session) -> RagResult:
    """Return the answer of the iteration that is kept; None if there were no
    references.
    """
    kept = kept_turn(session)
    return RagResult(
        answer=kept.answer.answer
        if kept is not None and kept.answer is not None
        else None,
        iterations=sum(turn.answer is not None for turn in turns(session)),
        stopped_by=stopped_by(session) or "single",
        kept=kept.iteration if kept is not None else None,
    )


GIVEN = "given"
"""The `model` of an answer, or the retriever, that the user gave."""


class ReferenceSearch:
    """Finds the references of an iteration. The retriever is opened on first use, and
    again after a failure, because the corpus may have been rebuilt.
    """

    def __init__(self, retriever: Callable[[], Retriever]) -> None:
        """`retriever` opens it; it may be slow and raise RetrievalError or BadInput."""
        self._open = retriever
        self._opened: Retriever | None = None

    async def step(self, session: Session, step: RagStep) -> Parts:
        """Yields the `Retrieval`. Raises: ModelError of the role `retriever`."""
        yield await self._retrieval(session, step.iteration)

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
        if (
            name != GIVEN
        ):  # a user who gives references wants an answer from all of them
            fresh = fresh[:k]
        message = found.message
        if found.references and not fresh:
            message = "You removed every passage that was found."
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
            self._opened = None
            raise _failed(error) from None


def rag_engine(retriever: Callable[[], Retriever]) -> MethodEngine[RagStep]:
    """The engine of CoV-RAG (section 2.2, Algorithm 1).

    `retriever` opens the retriever; it may be slow and raise RetrievalError or
    BadInput.
    """
    search = ReferenceSearch(retriever)

    def retrieval(session: Session, step: RagStep) -> Parts:
        return search.step(session, step)

    return MethodEngine(
        upcoming,
        {
            **dict.fromkeys(get_args(What), _request),
            "retrieval": retrieval,
            "check": _check,
            "decision": _decision,
            "result": lambda session, step: result(session),
        },
    )


def no_retriever() -> Retriever:
    """The retriever if there is nothing to search. Raises: RetrievalError."""
    raise RetrievalError("internal", "nothing is searched here")


def _request(session: Session, step: RagStep) -> Made:
    """Return the request of a step, or the answer that the user gave."""
    if not step.role:
        return answer_given(session, step)
    about = task(session, step)
    votes = step.what == "verification" and step.role == "verifier"
    return ModelRequest(
        step.role,
        about,
        messages(session, step),
        schema(session, step),
        lambda replies: _event(session, step, replies),
        lambda before, reply, why: again(session, step, before, reply, why),
        ballot=_BALLOT if votes else None,
        templates=session.header.prompts.templates,
        sent=texts_in(about),
    )


def _check(session: Session, step: RagStep) -> Event:
    turn = latest(session) or RagIteration(step.iteration)
    answer = turn.answer.answer or "" if turn.answer is not None else ""
    return check(answer, in_force(turn.retrieval), step.iteration)


def _decision(session: Session, step: RagStep) -> Event:
    turn = latest(session) or RagIteration(step.iteration)
    empty = Verification(iteration=step.iteration, role="")
    return decision_of(session, turn, turn.verification or empty)


def retrieval_given(session: Session, iteration: int = 1) -> Retrieval:
    """Return the references that an existing answer came with and cites: all of them,
    with their own numbers.

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
    """Convert the error of a retrieval to a ModelError of the role `retriever`."""
    if isinstance(error, RetrievalError):
        return ModelError(
            error.kind, english(error), role="retriever", asked=error.asked
        )
    if isinstance(error, BadInput):
        return ModelError("corpus", english(error), role="retriever")
    said = (
        f"The search failed ({type(error).__name__}: {error}); try again, or "
        f"index the documents again."
    )
    return ModelError("internal", " ".join(said.split())[:400], role="retriever")


def _event(
    session: Session, step: RagStep, replies: list[ModelReply]
) -> tuple[Event, str | None]:
    """Return the event of a step, and why the model is called again (None if it is
    not).
    """
    if step.what == "answer":
        return RagAnswer(
            **made_by(step.role, replies), **_answered(step, replies[-1].text)
        ), None
    if step.what == "claims":
        return _claims(session, step, replies)
    sent = texts_in(task(session, step))
    answered = replies[-1].model
    seated = step.role == "verifier" and any(
        member.model == answered for member in session.seat(step.role).members
    )
    unmeasured = UNMEASURED.get(answered, ()) if seated else ()
    readings = [
        read(reply.text, reply.structured, sent, without=unmeasured)
        if step.role == "verifier"
        else read_query(reply.text, reply.structured, sent)
        for reply in replies
    ]
    common = {"unmeasured": list(unmeasured)}
    wanting = [_wanting(session, step, reading, common) for reading in readings]
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
    """Return the claims of a step, and why the verifier is called again (None if it is
    not).
    """
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


def _voted(event: Event) -> dict[str, object]:
    """Return the values of a verification that a panel votes on."""
    if not isinstance(event, Verification) or event.read == "unread":
        return {}
    return {name: getattr(event, name) for name in _BALLOT.fields}


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
    """Return why this reading is not enough: the rule in force cannot decide from it.

    If nothing is decided, any value is enough.

    A missing query with a judgement that is not true is not such a reason: the reviser
    is then asked for it.
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
    """Return earlier references to keep next to those of a new query: all, or the ones
    that the user pinned.
    """
    return [
        one
        for one in in_force(turn.retrieval if turn is not None else None)
        if merge or one.pinned
    ]


def _once(references: list[Reference]) -> list[Reference]:
    """Remove duplicate passages (the first is kept) and number the rest from 1."""
    ids = set()
    texts = set()
    made: list[Reference] = []
    for reference in references:
        text = " ".join(reference.text.split())
        if reference.id not in ids and text not in texts:
            made.append(msgspec.structs.replace(reference, n=len(made) + 1))
        ids.add(reference.id)
        texts.add(text)
    return made


def _flagged(references: list[Reference]) -> list[Reference]:
    flags = [
        dict.fromkeys(
            [
                *reference.flags,
                *flags_of(reference.text, reference.title, len(references)),
            ]
        )
        for reference in references
    ]
    return [
        msgspec.structs.replace(reference, flags=list(flag))
        for reference, flag in zip(references, flags, strict=True)
    ]


def _converted(references: list[Any]) -> list[Reference]:
    """Return the references of a session's task, numbered from 1.

    Raises: ModelError if a foreign file contains something else.
    """
    try:
        made = msgspec.convert(references, list[Reference])
    except msgspec.ValidationError:
        raise ModelError(
            "corpus",
            "The references in this session cannot be read; ask the question again.",
            role="retriever",
        ) from None
    return [
        msgspec.structs.replace(one, n=number) for number, one in enumerate(made, 1)
    ]
