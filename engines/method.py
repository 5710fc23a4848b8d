"""The port of a method: everything that screen, command line and batches ask of it.

A method is loaded by its name, when it is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ..sessions.errors import BadInput, SessionError
from ..sessions.events import Event, ReplyEvent, Result
from ..sessions.methods import METHODS, module_of
from ..texts import t
from .settings import Settings, settings_of

if TYPE_CHECKING:
    from ..sessions.session import Header, Session
    from .batches.kind import BatchKind
    from .engine import MethodEngine
    from .figures.measure import Measure
    from .figures.verdicts import Verdicts
    from .judges.seats import JudgingSeat
    from .models.port import Message, Model
    from .starting import Starter, Wishes
    from .step import NextStep
    from .tools import Tools


class Method(ABC):
    """One method.

    It keeps nothing of a session; what many sessions share is kept by `Tools`.
    """

    name: ClassVar[str]
    """As in `sessions.methods.METHODS`: the name of its folders, of its events and of
    its command.
    """
    roles: ClassVar[tuple[str, ...]]
    """All roles that it can ask, in order."""
    call: ClassVar[Callable[..., dict[str, Any]]]
    """What a program calls it with: its name and arguments are those of the method's
    function in Python, its docstring is the function's, and what it returns is the task
    of a session, as `begin` takes it. `engines.api.session_functions` makes the
    function.
    """

    @property
    def workspace(self) -> str:
        """The workspace that shows its sessions."""
        return METHODS[self.name]

    @property
    def settings(self) -> Settings:
        """What can be asked for when a session begins, as
        `engines/<method>/settings.py` declares it.
        """
        return settings_of(self.name)

    def begin(self, wanted: Wishes, starter: Starter) -> Header:
        """The header of a new session, as `engines/<method>/starting.py` makes it.

        Raises: BadInput, which names all that does not hold.
        """
        from .starting import check_script

        begin_own = module_of(self.name, "starting").begin
        try:
            header = cast("Header", begin_own(wanted, starter))
            if not starter.attended:
                check_script(header, self.unscripted)
        except BadInput as error:
            if starter.attended:
                raise
            from .all_wrong import all_wrong

            raise all_wrong(begin_own, wanted, starter, self.roles, error) from None
        return header

    def unscripted(self, header: Header) -> str | None:
        """Why the built-in `script` has no lines for this session, as
        `starting.check_script` takes it; None where it has. `unscripted` of
        `engines/<method>/script.py` says so of the task.
        """
        why: str | None = module_of(self.name, "script").unscripted(header.task)
        return why

    @property
    def ratings(self) -> ModuleType | None:
        """What gives the levels of its sessions to other tools: a module that has
        `COLUMNS`, `rows`, `with_labels`, `annotators`, `chosen_levels`, `as_text`,
        `as_qrels` and `as_run`. None for a method that rates nothing.
        """
        return None

    @abstractmethod
    def engine(self, header: Header, tools: Tools | None = None) -> MethodEngine[Any]:
        """The engine that makes the events of this session.

        Without `tools` it only says what comes next and what was asked.
        """

    @abstractmethod
    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        """The built-in models of this method by name, without `human`."""

    def models(self, header: Header, tools: Tools) -> dict[str, Model]:
        """All built-in models that can be seated in this session, by name: those of the
        method, and `human`.
        """
        from .models.human import Human

        return {"human": Human(tools.person), **self.builtins(header, tools)}

    def open(self, header: Header, tools: Tools) -> None:  # noqa: B027
        """Opens what the session retrieves or shows, so that a fault is reported before
        the session starts. Raises: BadInput.
        """

    async def prepare(self, session: Session, tools: Tools) -> None:  # noqa: B027
        """Loads what the next event needs and what may take time, beside the event
        loop.
        """

    def upcoming(self, session: Session, tools: Tools | None = None) -> NextStep | None:
        """The next step; None when the session is finished.

        With `tools` the part in focus goes first. A method that can say it without its
        engine, which is slow to load, does so.
        """
        step: NextStep | None = self.engine(session.header, tools).upcoming(session)
        return step

    def asked(
        self, session: Session, number: int, tools: Tools | None = None
    ) -> list[Message] | None:
        """The exact messages that event `number` answers; None if it answers none.

        `tools`: where demonstrations are found; None: in the user's own folders, and
        then BadInput says if they have changed since, so that the messages could not be
        exact. Raises: BadInput.
        """
        return self.engine(session.header, tools).asked(session, number)

    def reply(self, event: ReplyEvent) -> str | None:
        """The reply that an event holds, in the form that its prompt asks for, with
        what a person has changed in it.

        None where not all of it can be read.
        """
        return event.text or None

    edits_in_place = False
    """Whether an event in other words is appended, not begun in a fork."""

    def edited(self, session: Session, event: Event, text: str) -> Event | None:
        """An event in a person's words; None where it has none that can be changed."""
        return None

    def replaced(self, session: Session) -> list[tuple[int, int]]:
        """Pairs of events of this session, not of its forks: what a person replaced,
        and its replacement.
        """
        return []

    def roles_of(self, session: Session) -> list[str]:
        """The roles that are asked in this session, in order, under the settings in
        force now.
        """
        return list(self.roles)

    def empty_seats(self, session: Session) -> list[str]:
        """Roles without a model in this session that a person can take."""
        return []

    def waits_for_person(self, session: Session) -> bool:
        """Whether the session waits for a decision of the user."""
        return False

    @abstractmethod
    def ends_part(self, event: Event) -> bool:
        """True if a round, an iteration or a candidate ends with this event."""

    def progress(
        self, session: Session, tools: Tools | None = None
    ) -> tuple[int, int] | None:
        """The round, iteration or number of scored candidates that a session is at, and
        how many there are at most.

        None for a method without parts.
        """
        return None

    def is_result(self, event: Event) -> bool:
        """True if a session ends with this event."""
        return isinstance(event, Result)

    def recomputed_result(self, session: Session) -> Result | None:
        """The result that the events of a session lead to, without its statistics.

        None: the method cannot compute it. `session`: as it was before its result.
        Raises: LookupError, ValueError or TypeError for events that do not fit
        together.
        """
        return None

    def recorded(self, path: Path) -> Iterator[tuple[Header, list[Event]]] | None:
        """The sessions that another program recorded in this file; None if the method
        knows no such records. Raises: BadInput.
        """
        return None

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Measures of its usual batches besides those of all methods, by name."""
        return next((kind.own() for kind in self.batches.values()), {})

    @property
    def verdicts(self) -> Verdicts | None:
        """How its machine judges the answer that a session ends with; None for a method
        that judges none.
        """
        return None

    @property
    def judging_seats(self) -> Mapping[str, JudgingSeat]:
        """How the judges of its sessions are audited, by what their seats are called
        there: `SEATS` of `engines/<method>/audited.py`, or of its `batch.py`.
        """
        part = module_of(self.name, "audited")
        if not hasattr(part, "SEATS"):
            part = module_of(self.name, "batch")
        seats: Mapping[str, JudgingSeat] = getattr(part, "SEATS", {})
        return seats

    @property
    def batches(self) -> dict[str, BatchKind]:
        """The kinds of batches of this method, by what their lines are (`topics`,
        `questions`, `answers`, `pairs`); the usual one first: `BATCHES` of
        `engines/<method>/batch.py`.
        """
        kinds: dict[str, BatchKind] = module_of(self.name, "batch").BATCHES
        return kinds


def method(name: str) -> Method:
    """The method of this name. Raises: SessionError if this version has none."""
    if name not in METHODS:
        raise SessionError(t("wrong.method.unknown", name=name))
    return cast(Method, module_of(name, "method").METHOD)


def roles_of(name: str) -> tuple[str, ...]:
    """All roles of the method of this name. Raises: SessionError as `method`."""
    return method(name).roles


def method_of(header: Header) -> Method:
    """The method of a session.

    Raises: SessionError if this version does not have it.
    """
    return method(header.method or header.workspace)


def verdicts_of(name: str) -> Verdicts | None:
    """How the machine of a method judges. Raises: SessionError."""
    return method(name).verdicts


def judging_seats() -> dict[str, JudgingSeat]:
    """How the judges of all methods are audited, by seat."""
    found: dict[str, JudgingSeat] = {}
    for name in METHODS:
        found |= method(name).judging_seats
    return found


def recomputed_result(session: Session) -> Result | None:
    """See `Method.recomputed_result`."""
    return method_of(session.header).recomputed_result(session)


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header of a new session.

    Raises: BadInput for any invalid wish.
    """
    return method(wanted.declared.method).begin(wanted, starter)
