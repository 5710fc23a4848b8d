"""The port of a method: everything that screen, command line and batches ask of it.

A method is loaded by its name, when it is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

from ..sessions.errors import BadInput, SessionError
from ..sessions.events import Event, ReplyEvent, Result
from ..sessions.methods import METHODS
from ..texts import t
from .settings import Settings, settings_of

if TYPE_CHECKING:
    from ..sessions.session import Header, Session
    from .batches.kind import BatchKind
    from .figures.measure import Measure
    from .figures.verdicts import Verdicts
    from .models.port import Message, Model
    from .starting import Starter, Wishes
    from .step import Engine, NextStep
    from .synth.answers.port import Answering
    from .tools import Tools


class RelevanceLevels(Protocol):
    """Levels of relevance for other tools: a module has these names."""

    @property
    def COLUMNS(self) -> tuple[str, ...]: ...

    def rows(
        self, session: Session, name: str, people: Any = None, chosen: Any = None
    ) -> Iterable[dict[str, Any]]:
        """One row a pair, with `COLUMNS`; `name` is that of the session's file,
        `chosen` what `chosen_levels` gave.
        """
        ...

    def with_labels(self, session: Session, people: Any) -> Session:
        """The session with people's labels from files among its events."""
        ...

    def everywhere(self, path: Path, people: Any) -> Any:
        """People's labels, each in all sessions where its pair stands.

        `people` as `read_labels` gives it.
        """
        ...

    def annotators(self, path: Path, people: Any) -> list[str]:
        """Who has labelled here. `people` as `read_labels` gives it."""
        ...

    def chosen_levels(
        self, path: Path, people: Any, how: Any, rater: str | None = None
    ) -> Any:
        """The levels of one person, the majority, the adjudicator or a sum: `levels` by
        pair, `single`.
        """
        ...

    def as_text(self, found: Any, to: Any) -> tuple[str, int]:
        """Levels by pair as qrels or a run, and how many are left out."""
        ...

    def as_qrels(
        self, sessions: Iterable[Session], rater: str | None = None
    ) -> tuple[str, int]: ...

    def as_run(
        self, sessions: Iterable[Session], rater: str | None = None
    ) -> tuple[str, int]: ...


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

        begin_own = import_module(f".{self.name}.starting", __package__).begin
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

    @abstractmethod
    def unscripted(self, header: Header) -> str | None:
        """Why the built-in `script` has no lines for this session, as
        `starting.check_script` takes it; None where it has.
        """

    @property
    def ratings(self) -> RelevanceLevels | None:
        """What its sessions give to others as levels of relevance; None for a method
        that rates nothing.
        """
        return None

    @property
    def answering(self) -> Answering | None:
        """What training data are made of its answers with; None for a method that does
        not answer from references.
        """
        return None

    @abstractmethod
    def engine(self, header: Header, tools: Tools) -> Engine:
        """The engine that makes the events of this session."""

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
        the session begins. Raises: BadInput.
        """

    async def prepare(self, session: Session, tools: Tools) -> None:  # noqa: B027
        """Loads what the next event needs and what may take time, beside the event
        loop.
        """

    @abstractmethod
    def upcoming(self, session: Session, tools: Tools | None = None) -> NextStep | None:
        """The next step; None when the session is finished.

        With `tools` the part in focus goes first.
        """

    @abstractmethod
    def asked(
        self, session: Session, number: int, tools: Tools | None = None
    ) -> list[Message] | None:
        """The exact messages that event `number` answers; None if it answers none.

        `tools`: where demonstrations are found; None: in the user's own folders, and
        then BadInput says if they have changed since, so that the messages could not be
        exact. Raises: BadInput.
        """

    def reply(self, event: ReplyEvent) -> str | None:
        """The reply that an event holds, in the form that its prompt asks for, with
        what a person has changed in it.

        None where not all of it can be read.
        """
        return event.text or None

    def replaced(self, session: Session) -> list[tuple[int, int]]:
        """Pairs of events of this session, not of its forks: what a person replaced,
        and its replacement.
        """
        return []

    @abstractmethod
    def roles_of(self, session: Session) -> list[str]:
        """The roles that are asked in this session, in order, under the settings in
        force now.
        """

    def empty_seats(self, session: Session) -> list[str]:
        """The roles that nobody has in this session and that somebody may be given."""
        return []

    def waits_for_person(self, session: Session) -> bool:
        """True if the session cannot go on before the user has decided something."""
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
        """What can be measured of its sessions beside what all methods share, by name;
        `engines/<method>/measures.py` has them.
        """
        return {}

    @property
    def verdicts(self) -> Verdicts | None:
        """How its machine judges the answer that a session ends with; None for a method
        that judges none.
        """
        return None

    @property
    @abstractmethod
    def batches(self) -> dict[str, BatchKind]:
        """The kinds of batches of this method, by what their lines are (`topics`,
        `questions`, `answers`, `pairs`); the usual one first.
        """


def method(name: str) -> Method:
    """The method of this name. Raises: SessionError if this version has none."""
    if name not in METHODS:
        raise SessionError(t("wrong.method.unknown", name=name))
    return cast(Method, import_module(f".{name}.method", __package__).METHOD)


def roles_of(name: str) -> tuple[str, ...]:
    """All roles of the method of this name. Raises: SessionError as `method`."""
    return method(name).roles


def method_of(header: Header) -> Method:
    """The method of a session. Raises: SessionError if this version does not have it."""
    return method(header.method or header.workspace)


def recomputed_result(session: Session) -> Result | None:
    """See `Method.recomputed_result`."""
    return method_of(session.header).recomputed_result(session)


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header of a new session of the method whose wishes these are.

    Raises: BadInput for whatever does not hold.
    """
    return method(wanted.declared.method).begin(wanted, starter)
