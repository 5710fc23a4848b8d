"""RAG as a method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...sessions.errors import BadInput
from ...sessions.events import Event, ReplyEvent
from ...sessions.events.rag import Decision, Verification
from ...sessions.session import Header, Session
from ...texts import t
from ..method import Method
from .new import roles_needed
from .plan import ROLES, RagStep, given_answer, negative, setting, stopped_by, upcoming

if TYPE_CHECKING:
    from ...sessions.events.rag import RagResult
    from ..batches.kind import BatchKind
    from ..figures.measure import Measure
    from ..models.port import Message, Model
    from ..synth.answers.port import Answering
    from ..tools import Tools
    from .engine import RagEngine
    from .verdicts import RagVerdicts


class RagMethod(Method):
    """CoV-RAG: retrieve, answer, verify, revise the query, retrieve and answer again."""

    name = "rag"
    roles = ROLES

    def engine(self, header: Header, tools: Tools) -> RagEngine:
        from .engine import RagEngine

        return RagEngine(tools.retriever(header))

    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        from ..retrieval.opening import place_of
        from .lexical.model import LexicalVerifier
        from .script import RagScript

        retriever, place = tools.retriever(header), place_of(header)
        lexical = (
            LexicalVerifier(retriever)
            if place is None
            else tools.shared(("lexical", place), lambda: LexicalVerifier(retriever))
        )
        return {"lexical": lexical, "script": RagScript()}

    def unscripted(self, header: Header) -> str | None:
        from .script import unscripted

        return unscripted(header.task)

    def open(self, header: Header, tools: Tools) -> None:
        """Opens the corpus; the first time a folder is read, which may take a while.

        Raises: BadInput.
        """
        import os

        from ..retrieval.opening import place_of
        from ..retrieval.port import RetrievalError

        retriever = tools.retriever(header)
        if place_of(header) is None or retriever.is_open:
            return
        where = str(header.task.get("corpus"))
        if os.path.isabs(where):
            tools.say(t("report.said.reading", where=where))
        try:
            retriever()
        except RetrievalError as error:
            raise BadInput(str(error)) from None

    async def prepare(self, session: Session, tools: Tools) -> None:
        """Opens the corpus for `lexical`, which weighs words by it, where nothing was
        searched since the session was opened.
        """
        from contextlib import suppress

        from ..models.port import ModelError
        from ..retrieval.port import RetrievalError
        from ..threads import in_thread

        step, retriever = upcoming(session), tools.retriever(session.header)
        if step is not None and step.role and not retriever.is_open:
            with suppress(RetrievalError, ModelError, OSError, ValueError):
                await in_thread(retriever)

    def upcoming(self, session: Session, tools: Tools | None = None) -> RagStep | None:
        return upcoming(session)

    def asked(
        self, session: Session, number: int, tools: Tools | None = None
    ) -> list[Message] | None:
        from .engine import asked

        return asked(session, number)

    def reply(self, event: ReplyEvent) -> str | None:
        from .messages import reply

        if isinstance(event, Verification):
            return reply(event)
        return super().reply(event)

    def roles_of(self, session: Session) -> list[str]:
        names = ("chain", "revise", "iterations", "final_check", "verify")
        settings = {
            **session.header.settings,
            **{name: setting(session, name) for name in names},
        }
        return roles_needed(
            settings,
            answered=given_answer(session) is not None,
            worse=negative(session) == "query",
        )

    def waits_for_person(self, session: Session) -> bool:
        return stopped_by(session) == "unread"

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Decision)

    def progress(self, session: Session, tools: Tools | None = None) -> tuple[int, int]:
        step = upcoming(session)
        made = [
            part
            for event in session.events
            if (part := getattr(event, "iteration", None))
        ]
        return max([*made, step.iteration if step is not None else 0, 1]), setting(
            session, "iterations"
        ) + 1

    def recomputed_result(self, session: Session) -> RagResult:
        from .result import result

        return result(session)

    @property
    def measures(self) -> dict[str, Measure]:
        from .measures import measures

        return measures()

    @property
    def answering(self) -> Answering:
        from . import synthesis

        return synthesis

    @property
    def verdicts(self) -> RagVerdicts:
        from .verdicts import RagVerdicts

        return RagVerdicts()

    @property
    def batches(self) -> dict[str, BatchKind]:
        from .batch import AnswerBatch, QuestionBatch

        return {"questions": QuestionBatch(), "answers": AnswerBatch()}


METHOD = RagMethod()
