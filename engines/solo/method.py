"""Solo as a method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...sessions.events import Event
from ...sessions.events.solo import Attempt
from ...sessions.session import Header, Session
from ..method import Method
from .plan import ROLES, Step, upcoming

if TYPE_CHECKING:
    from ..batches.kind import BatchKind
    from ..models.port import Message, Model
    from ..tools import Tools
    from .engine import SoloEngine


class SoloMethod(Method):
    """One model answers alone, directly or one step at a time (Kojima et al. 2022)."""

    name = "solo"
    roles = ROLES

    def engine(self, header: Header, tools: Tools) -> SoloEngine:
        from .engine import SoloEngine

        return SoloEngine()

    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        from .script import Script

        return {"script": Script()}

    def unscripted(self, header: Header) -> str | None:
        from ..topic import unscripted
        from .script import known_as

        return unscripted(header, known_as(str(header.task.get("topic", ""))))

    def upcoming(self, session: Session, tools: Tools | None = None) -> Step | None:
        return upcoming(session)

    def asked(self, session: Session, number: int, tools: Tools | None = None) -> list[Message] | None:
        from .engine import asked

        return asked(session, number)

    def roles_of(self, session: Session) -> list[str]:
        return list(ROLES)

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Attempt)

    @property
    def batches(self) -> dict[str, BatchKind]:
        from .batch import Topics

        return {"topics": Topics()}


METHOD = SoloMethod()
