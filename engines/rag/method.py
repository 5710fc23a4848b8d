"""RAG as a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...sessions.events import Event, ReplyEvent
from ...sessions.events.rag import Decision, RagAnswer, Verification
from ...sessions.session import Header, Session
from ...texts import t
from ..method import Method
from .plan import ROLES, RagStep, given_answer, negative, setting, stopped_by, upcoming
from .starting import roles_needed

if TYPE_CHECKING:
    from ...sessions.events.rag import RagResult
    from ..engine import MethodEngine
    from ..models.port import Model
    from ..tools import Tools
    from .verification_measures import RagVerdicts


def ask(
    question: str,
    *,
    references: Sequence[str | Mapping[str, Any]] | None = None,
    answer: str | None = None,
) -> dict[str, object]:
    """Answer a question from references, verify the answer, and repeat if necessary.

    `references`: texts, or objects with `title` and `text`. Without them, an option
    names the source: `corpus`, `web` or `retriever`. `answer`: an existing answer,
    which is only verified. `options`: those of `verifytui ask`, such as
    `corpus="papers"`, `iterations=2`. Without a model, `lexical` answers; it is not a
    language model.
    """
    task: dict[str, object] = {"question": question}
    if references is not None:
        from ..retrieval.given_references import references_from

        task["references"] = references_from(list(references)) if references else []
    if answer is not None:
        task["answer"] = answer
    return task


class RagMethod(Method):
    """CoV-RAG: retrieve, answer, verify, revise the query, then retrieve and answer
    again.
    """

    name = "rag"
    roles = ROLES
    call = staticmethod(ask)

    def engine(
        self, header: Header, tools: Tools | None = None
    ) -> MethodEngine[RagStep]:
        from .engine import no_retriever, rag_engine

        return rag_engine(no_retriever if tools is None else tools.retriever(header))

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

    def open(self, header: Header, tools: Tools) -> None:
        """Open the corpus. The first time, the folder is read, which can take a while.

        Raises: BadInput.
        """
        import os

        from ..retrieval.opening import place_of
        from ..retrieval.port import as_bad_input

        retriever = tools.retriever(header)
        if place_of(header) is None or retriever.is_open:
            return
        where = str(header.task.get("corpus"))
        if os.path.isabs(where):
            tools.say(t("report.said.reading", where=where))
        with as_bad_input():
            retriever()

    async def prepare(self, session: Session, tools: Tools) -> None:
        """Open the corpus for `lexical`, which weights words by it, if the session has
        not searched since it was opened.
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

    def reply(self, event: ReplyEvent) -> str | None:
        from .messages import reply

        if isinstance(event, Verification):
            return reply(event)
        return super().reply(event)

    def edited(self, session: Session, event: Event, text: str) -> Event | None:
        from .edits import edited_answer, edited_query

        if isinstance(event, RagAnswer):
            return edited_answer(event, text)
        return edited_query(event, text) if isinstance(event, Verification) else None

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
        from .engine import result

        return result(session)

    @property
    def verdicts(self) -> RagVerdicts:
        from .verification_measures import RagVerdicts

        return RagVerdicts()


METHOD = RagMethod()
