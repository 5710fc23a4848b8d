"""Relevance as a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...sessions.errors import bad_input
from ...sessions.events import Event, ReplyEvent
from ...sessions.events.relevance import Facts, Score
from ...sessions.session import Header, Session
from ..method import Method
from .plan import ROLES, RelevanceState, RelevanceStep, setting, upcoming
from .settings import SWITCHES

if TYPE_CHECKING:
    from ...sessions.events.relevance import RelevanceResult
    from ..models.port import Message, Model
    from ..tools import Tools
    from .engine import RelevanceEngine


def relevance(
    query: str | Mapping[str, Any], candidates: Sequence[str | Mapping[str, Any]]
) -> dict[str, object]:
    """Judge in stages how relevant candidate cases are to a query case.

    A case is its text, or an object with `id` and `text` and optionally `title`. A
    candidate may have `gold`, its known level. `options`: those of `verifytui
    relevance`, such as `demonstrations="en-common-law"`, `shots=1`. Without a model,
    `lexical` judges; it is not a language model.
    """
    return {"query": query, "candidates": list(candidates)}


class RelevanceMethod(Method):
    """LCR: facts of legal cases are extracted and judged in stages, with matched
    demonstrations.
    """

    name = "relevance"
    roles = ROLES
    call = staticmethod(relevance)

    @property
    def ratings(self) -> ModuleType:
        from . import outputs

        return outputs

    def recomputed_result(self, session: Session) -> RelevanceResult:
        from ..cases.rating import concluded
        from .plan import level

        fold = RelevanceState(session)
        return concluded({id_: level(one) for id_, one in fold.candidates.items()}, {})

    def engine(self, header: Header, tools: Tools | None = None) -> RelevanceEngine:
        """One engine for all sessions: it keeps the sets of demonstrations."""
        from ...prompts.demonstrations import load
        from ...sessions.paths import paths
        from .engine import RelevanceEngine

        if tools is None:
            return RelevanceEngine(lambda name: load(name, paths().demonstrations))
        return tools.shared(
            self.name, lambda: RelevanceEngine(tools.demonstrations, focus=tools.focus)
        )

    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        from .lexical.model import LexicalAnnotator
        from .script import RelevanceScript

        return {
            "lexical": tools.shared((self.name, "lexical"), LexicalAnnotator),
            "script": RelevanceScript(),
        }

    def open(self, header: Header, tools: Tools) -> None:
        """Loads the set of demonstrations. Raises: BadInput."""
        self.engine(header, tools).pool(Session(header))

    def upcoming(
        self, session: Session, tools: Tools | None = None
    ) -> RelevanceStep | None:
        if tools is None:
            return upcoming(session)
        return self.engine(session.header, tools).upcoming(session)

    def asked(
        self, session: Session, number: int, tools: Tools | None = None
    ) -> list[Message] | None:
        engine = self.engine(session.header, tools)
        if tools is None and not engine.unchanged(session):
            raise bad_input(
                "wrong.demonstrations.changed",
                name=setting(session, "demonstrations"),
            )
        return engine.asked(session, number)

    def reply(self, event: ReplyEvent) -> str | None:
        from .plan import reply

        if isinstance(event, Facts):
            return reply(event)
        return super().reply(event)

    edits_in_place = True

    def edited(self, session: Session, event: Event, text: str) -> Event | None:
        from .edits import edited_facts

        return edited_facts(session, event, text) if isinstance(event, Facts) else None

    def replaced(self, session: Session) -> list[tuple[int, int]]:
        from .plan import replaced

        return replaced(session)

    def roles_of(self, session: Session) -> list[str]:
        from .starting import roles_needed

        return roles_needed({name: setting(session, name) for name in SWITCHES})

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Score)

    def progress(self, session: Session, tools: Tools | None = None) -> tuple[int, int]:
        fold = (
            RelevanceState(session)
            if tools is None
            else self.engine(session.header, tools).folded(session)
        )
        return sum(one.score is not None for one in fold.candidates.values()), len(
            fold.candidates
        )


METHOD = RelevanceMethod()
