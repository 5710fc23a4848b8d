"""The port of a method: everything that the screen, the command line and batches need
from it.

A method is loaded by name, on use.
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
    """One method. It stores nothing of a session; `Tools` holds what sessions share."""

    name: ClassVar[str]
    """As in `sessions.methods.METHODS`: the name of its folders, events and command."""
    roles: ClassVar[tuple[str, ...]]
    """All roles that it can call, in order."""
    call: ClassVar[Callable[..., dict[str, Any]]]
    """The Python function: its name, arguments and docstring are those of the method's
    function in the package, and it returns the task of a session, as `begin` takes it.
    `engines.api.session_functions` builds the function.
    """

    @property
    def workspace(self) -> str:
        """The workspace that shows its sessions."""
        return METHODS[self.name]

    @property
    def settings(self) -> Settings:
        """Its settings and options, declared in `engines/<method>/settings.py`."""
        return settings_of(self.name)

    def begin(self, wanted: Wishes, starter: Starter) -> Header:
        """Creates the header of a session; see `engines/<method>/starting.py`.

        Raises: BadInput, which names all problems.
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
        """Why the built-in `script` has no lines for this session, for
        `starting.check_script`; None if it has. `unscripted` in
        `engines/<method>/script.py` checks the task.
        """
        why: str | None = module_of(self.name, "script").unscripted(header.task)
        return why

    @property
    def ratings(self) -> ModuleType | None:
        """The module that exports the levels of its sessions, with `COLUMNS`, `rows`,
        `with_labels`, `annotators`, `chosen_levels`, `as_text`, `as_qrels` and
        `as_run`. None for a method without ratings.
        """
        return None

    @abstractmethod
    def engine(self, header: Header, tools: Tools | None = None) -> MethodEngine[Any]:
        """The engine that makes the events of this session. Without `tools`, it only
        returns the next step and past requests.
        """

    @abstractmethod
    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        """The method's own built-in models by name, without `human`."""

    def models(self, header: Header, tools: Tools) -> dict[str, Model]:
        """All built-in models for this session by name: those of the method, and
        `human`.
        """
        from .models.human import Human

        return {"human": Human(tools.person), **self.builtins(header, tools)}

    def open(self, header: Header, tools: Tools) -> None:  # noqa: B027
        """Opens the sources of the session, so that problems are reported before it
        starts.

        Raises: BadInput.
        """

    async def prepare(self, session: Session, tools: Tools) -> None:  # noqa: B027
        """Loads what the next event needs in a thread, if it may take time."""

    def upcoming(self, session: Session, tools: Tools | None = None) -> NextStep | None:
        """The next step; None when the session is finished. With `tools`, the part in
        focus comes first. Methods that can tell without their engine, which is slow to
        load, do so.
        """
        step: NextStep | None = self.engine(session.header, tools).upcoming(session)
        return step

    def asked(
        self, session: Session, number: int, tools: Tools | None = None
    ) -> list[Message] | None:
        """The exact messages that event `number` replied to; None if there are none.

        `tools`: the source of demonstrations; None: the user's own folders, and
        BadInput is raised if they have changed since.

        Raises: BadInput.
        """
        return self.engine(session.header, tools).asked(session, number)

    def reply(self, event: ReplyEvent) -> str | None:
        """The reply in an event, in the format that its prompt asks for, with a
        person's changes. None if parts of it are unread.
        """
        return event.text or None

    edits_in_place = False
    """Whether an edited event is appended to the session instead of starting a fork."""

    def edited(self, session: Session, event: Event, text: str) -> Event | None:
        """The event with a person's text; None if it has no editable text."""
        return None

    def replaced(self, session: Session) -> list[tuple[int, int]]:
        """Pairs of events of this session, not of its forks: an event and the one a
        person replaced it with.
        """
        return []

    def roles_of(self, session: Session) -> list[str]:
        """The roles called in this session, in order, under the current settings."""
        return list(self.roles)

    def empty_seats(self, session: Session) -> list[str]:
        """Roles without a model in this session that a person can take."""
        return []

    def waits_for_person(self, session: Session) -> bool:
        """Whether the session waits for the user's decision."""
        return False

    @abstractmethod
    def ends_part(self, event: Event) -> bool:
        """Whether a round, an iteration or a candidate ends with this event."""

    def progress(
        self, session: Session, tools: Tools | None = None
    ) -> tuple[int, int] | None:
        """The current round, iteration or number of scored candidates, and its maximum.
        None for a method without parts.
        """
        return None

    def is_result(self, event: Event) -> bool:
        """Whether a session ends with this event."""
        return isinstance(event, Result)

    def recomputed_result(self, session: Session) -> Result | None:
        """The result computed from the events of a session, without statistics. None:
        the method cannot compute it.

        `session`: the session before its result.

        Raises: LookupError, ValueError or TypeError for inconsistent events.
        """
        return None

    def recorded(self, path: Path) -> Iterator[tuple[Header, list[Event]]] | None:
        """The sessions recorded in another program's file; None if the method does not
        support such files.

        Raises: BadInput.
        """
        return None

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The measures of its default kind of batch by name, in addition to those of
        all methods.
        """
        return next((kind.own() for kind in self.batches.values()), {})

    @property
    def verdicts(self) -> Verdicts | None:
        """How its machine judges the final answer of a session; None for a method
        without such a judgement.
        """
        return None

    @property
    def judging_seats(self) -> Mapping[str, JudgingSeat]:
        """How the judges of its sessions are audited, by seat name: `SEATS` in
        `engines/<method>/audited.py` or in its `batch.py`.
        """
        part = module_of(self.name, "audited")
        if not hasattr(part, "SEATS"):
            part = module_of(self.name, "batch")
        seats: Mapping[str, JudgingSeat] = getattr(part, "SEATS", {})
        return seats

    @property
    def batches(self) -> dict[str, BatchKind]:
        """The kinds of batches of this method by line type (`topics`, `questions`,
        `answers`, `pairs`), the default one first: `BATCHES` in
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
    """Creates the header of a new session. Raises: BadInput for any invalid option."""
    return method(wanted.declared.method).begin(wanted, starter)
