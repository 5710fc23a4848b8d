"""A question, one event at a time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import msgspec

from ...sessions.errors import BadInput
from ...sessions.events import Event, RagAnswer, Reference, Retrieval, Usage, Verification
from ...sessions.session import Session
from ..asking import Asking, Heard, ask
from ..models.port import Message, ModelError, Models, Part, Reply
from ..models.replies import made_by
from ..retrieval.port import Found, RetrievalError, Retriever
from .check import answer_of, check, citations
from .decision import decide
from .flags import flags_of
from .messages import again, messages, schema, task
from .plan import SCORES, Step, Turn, decided, given_answer, in_force, latest, next_query, question, setting, turns, upcoming
from .result import result
from .verification import Verified, read, read_query

GIVEN = "given"
"""Who answered, or what searched, where the user brought answer or references."""


class RagEngine:
    """CoV-RAG (section 2.2, Algorithm 1). Keeps nothing of a session between two calls; the retriever is opened when first needed."""

    def __init__(self, retriever: Callable[[], Retriever]) -> None:
        """`retriever` may take its time and raise RetrievalError or BadInput; after a failure it is called again."""
        self._open = retriever
        self._opened: Retriever | None = None

    def finished(self, session: Session) -> bool:
        return upcoming(session) is None

    def asks(self, session: Session) -> bool:
        step = upcoming(session)
        return step is not None and step.role != ""

    async def advance(self, session: Session, models: Models) -> AsyncGenerator[Part | Event, None]:
        """Yields what streams in and then the next event; nothing if the question is done.

        Raises ModelError, also for a retrieval that failed (role `retriever`) and for a faulty template.
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
            raise ModelError("internal", str(error)) from None
        asking = Asking(
            step.role,
            task(session, step),
            thread,
            schema(session, step),
            lambda replies: _event(session, step, replies),
            lambda before, reply, why: again(session, before, reply, why),
        )
        async with aclosing(ask(models, asking)) as parts:
            async for part in parts:
                yield part.made if isinstance(part, Heard) else part

    async def _computed(self, session: Session, step: Step) -> Event:
        if step.what == "retrieval":
            return await self._retrieval(session, step.iteration)
        if step.what == "result":
            return result(session)
        turn = latest(session) or Turn(step.iteration)
        if step.what == "answer":
            text = given_answer(session) or ""
            return RagAnswer(
                role="generator", model=GIVEN, text=text, usage=Usage(input=0, output=0), cost=0.0, attempts=0, **_answered(step, text)
            )
        if step.what == "check":
            answer = turn.answer.answer or "" if turn.answer is not None else ""
            return check(answer, in_force(turn.retrieval), step.iteration)
        verification = turn.verification or Verification(iteration=step.iteration, role="")
        return decide(verification, setting(session, "indicator"), setting(session, "bounds"))

    async def _retrieval(self, session: Session, iteration: int) -> Retrieval:
        began = time.monotonic()
        references = session.header.task.get("references")
        if given_answer(session) is not None and isinstance(references, list):
            # An answer that exists cites the references it came with: all of them, as they are numbered.
            shown = _flagged(_converted(references))
            message = None if shown else "The answer came without references."
            return Retrieval(iteration=iteration, query=question(session), references=shown, retriever=GIVEN, message=message)
        query, k, before = next_query(session), setting(session, "k"), turns(session)
        dropped = list(dict.fromkeys(id_ for turn in before if turn.retrieval is not None for id_ in turn.retrieval.dropped))
        found, name = await self._found(query, k + len(dropped))
        fresh = [reference for reference in found.references if reference.id not in dropped]
        if name != GIVEN:  # whoever gives references wants an answer from all of them
            fresh = fresh[:k]
        message = found.message
        if found.references and not fresh:
            message = "All that was found had been removed by you."
        kept = _kept(before[-1] if before else None, merge=setting(session, "merge")) if fresh else []
        return Retrieval(
            iteration=iteration,
            query=query,
            references=_flagged(_once([*kept, *fresh])),
            dropped=dropped,
            unknown=found.unknown,
            message=message,
            retriever=name,
            usage=found.usage,
            cost=found.cost,
            seconds=time.monotonic() - began,
        )

    async def _found(self, query: str, k: int) -> tuple[Found, str]:
        try:
            opened = self._opened = self._opened or await _in_thread(self._open)
            return await opened.retrieve(query, k), opened.name
        except (RetrievalError, BadInput, OSError, ValueError, LookupError, RuntimeError, TypeError, AttributeError) as error:
            self._opened = None  # what is tried again is opened anew: the corpus may have been built again
            raise _failed(error) from None


def _failed(error: Exception) -> ModelError:
    """A retrieval that failed, as the failure of role `retriever` that is kept."""
    if isinstance(error, RetrievalError):
        return ModelError(error.kind, str(error), role="retriever", asked=error.asked)
    if isinstance(error, BadInput):
        return ModelError("corpus", str(error), role="retriever")
    said = f"The search broke down ({type(error).__name__}: {error}); try again, or index the documents anew."
    return ModelError("internal", " ".join(said.split())[:400], role="retriever")


def asked(session: Session, number: int) -> list[Message] | None:
    """The exact messages that event `number` answered; None if it answered none (a retrieval, a check, a result)."""
    before = session.prefix(number - 1)
    step = upcoming(before)
    event = session.events[number - 1]
    if step is None or step.role == "" or getattr(event, "role", None) != step.role:
        return None
    return messages(before, step)


def _event(session: Session, step: Step, replies: list[Reply]) -> tuple[Event, str | None]:
    """The event of a step, and why it has to be asked for again, if so."""
    if step.what == "answer":
        return RagAnswer(**made_by(step.role, replies), **_answered(step, replies[-1].text)), None
    reading = read if step.role == "verifier" else read_query
    readings = [reading(reply.text, reply.structured) for reply in replies]
    wanting = [_wanting(session, step, one) for one in readings]
    # The second reply counts, unless the first could be read further.
    best = max(range(len(replies)), key=lambda at: (wanting[at] is None, _values(readings[at]), at))
    event = _verification(step, readings[best], made_by(step.role, replies, kept=replies[best]))
    return event, wanting[best]


def _verification(step: Step, verified: Verified, common: dict[str, Any]) -> Verification:
    return Verification(**common, iteration=step.iteration, **msgspec.structs.asdict(verified))


def _wanting(session: Session, step: Step, verified: Verified) -> str | None:
    """Why this reading is not enough: the rule in force cannot decide from it. Where nothing is decided, any value will do."""
    if step.iteration and decided(session):
        decision = decide(_verification(step, verified, {"role": step.role}), setting(session, "indicator"), setting(session, "bounds"))
        enough = decision.revise is not None
    else:
        enough = verified.read != "unread"
    return None if enough else " ".join(verified.problems).rstrip(".") or "nothing in it can be read"


def _values(verified: Verified) -> int:
    return sum(getattr(verified, name) is not None for name in (*SCORES, "judgement", "revised_query"))


def _answered(step: Step, text: str) -> dict[str, Any]:
    answer = answer_of(text)
    return {"iteration": step.iteration, "answer": answer, "citations": citations(answer or "")}


def _kept(turn: Turn | None, *, merge: bool) -> list[Reference]:
    """What of the references before is kept beside those of a new query: all of them, or those that the user pinned."""
    return [one for one in in_force(turn.retrieval if turn is not None else None) if merge or one.pinned]


def _once(references: list[Reference]) -> list[Reference]:
    """Each passage once, the first one stays; numbered from 1."""
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
    return [msgspec.structs.replace(one, flags=list(dict.fromkeys([*one.flags, *flags_of(one.text, one.title)]))) for one in references]


def _converted(references: list[Any]) -> list[Reference]:
    """The references of a session's task, numbered from 1. ModelError where a file from elsewhere holds something else."""
    try:
        made = msgspec.convert(references, list[Reference])
    except msgspec.ValidationError:
        raise ModelError("corpus", "The references in this session cannot be read; ask the question anew.", role="retriever") from None
    return [msgspec.structs.replace(one, n=number) for number, one in enumerate(made, 1)]


async def _in_thread(opening: Callable[[], Retriever]) -> Retriever:
    """Runs it beside the event loop, in a thread that holds up nobody who leaves."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Retriever] = loop.create_future()

    def settle(opened: Retriever | None, error: BaseException | None) -> None:
        if future.done():
            return
        if opened is not None:
            future.set_result(opened)
        else:
            future.set_exception(error or RuntimeError("nothing was opened"))

    def run() -> None:
        opened, problem = None, None
        try:
            opened = opening()
        except BaseException as error:
            problem = error
        try:
            loop.call_soon_threadsafe(settle, opened, problem)
        except RuntimeError:
            return  # that loop is closed: nobody waits any more

    threading.Thread(target=run, name="verifytui-retriever", daemon=True).start()
    return await future
