"""Debate as a method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...sessions.events import Event
from ...sessions.events.debate import Verdict
from ...sessions.session import Header, Session
from ..method import Method
from .new import roles_needed
from .plan import ROLES, DebateStep, defended, observed, setting, upcoming

if TYPE_CHECKING:
    from ...sessions.events.debate import DebateResult
    from ..batches.kind import BatchKind
    from ..figures.measure import Measure
    from ..models.port import Message, Model
    from ..tools import Tools
    from .engine import DebateEngine


class DebateMethod(Method):
    """Multi-Agent Debate (Liang et al. 2023)."""

    name = "debate"
    roles = ROLES

    def engine(self, header: Header, tools: Tools) -> DebateEngine:
        from .engine import DebateEngine

        return DebateEngine()

    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        from .script import DebateScript

        return {"script": DebateScript()}

    def unscripted(self, header: Header) -> str | None:
        from ...texts import t
        from ..topic import unscripted
        from .script import example_of

        if header.settings.get("control", "none") != "none":
            return t("wrong.script.control")
        known = example_of(str(header.task.get("topic", "")))
        return unscripted(
            header,
            None
            if known is None
            else (known.kind, known.source_lang, known.target_lang),
        )

    def upcoming(
        self, session: Session, tools: Tools | None = None
    ) -> DebateStep | None:
        return upcoming(session)

    def asked(
        self, session: Session, number: int, tools: Tools | None = None
    ) -> list[Message] | None:
        from .engine import asked

        return asked(session, number)

    def roles_of(self, session: Session) -> list[str]:
        needed = roles_needed(
            {
                name: setting(session, name)
                for name in ("debaters", "opening", "control")
            }
        )
        asked = [
            role for role in needed if role != "baseline" or defended(session) is None
        ]
        if observed(session):
            return [*asked, "observer"]
        return asked

    def empty_seats(self, session: Session) -> list[str]:
        rated = (
            setting(session, "disagreement") == "stance"
            and setting(session, "control") == "none"
        )
        if rated and not observed(session):
            return ["observer"]
        return []

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Verdict)

    def progress(self, session: Session, tools: Tools | None = None) -> tuple[int, int]:
        last = next(
            (
                part
                for event in reversed(session.events)
                if (part := getattr(event, "round", None))
            ),
            0,
        )
        step = upcoming(session)
        return max(step.round if step is not None else 0, last), setting(
            session, "rounds"
        )

    def recorded(self, path: Path) -> Iterator[tuple[Header, list[Event]]]:
        """The debates of the MAD repository. Raises: BadInput."""
        from .importer import import_debates

        return import_debates(path)

    def recomputed_result(self, session: Session) -> DebateResult:
        from .result import decided

        return decided(session)

    @property
    def measures(self) -> Mapping[str, Measure]:
        from .measures import measures

        return measures()

    @property
    def batches(self) -> dict[str, BatchKind]:
        from .batch import DebateBatch

        return {"topics": DebateBatch()}


METHOD = DebateMethod()
