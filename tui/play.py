"""A session on screen: its journal, how far it is shown, and what may be done from
there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from ..sessions.events import Change, Event, Failure, Note, UnknownEvent
from ..sessions.events.relevance import Label
from ..sessions.journal import Journal
from ..sessions.library import Library
from ..sessions.methods import METHODS
from ..sessions.session import Session
from .timeline import Timeline, part_of


def is_result(event: Event) -> bool:
    """Whether a session ends with this event, in any method."""
    return (
        event.kind if isinstance(event, UnknownEvent) else event.__struct_config__.tag
    ) == "result"


Scope = Literal["", "labelling", "deciding"]
"""What a person goes through from piece to piece."""


class Play:
    """A journal with a cursor.

    A new session is only a draft: it gets its file with its first event.
    """

    def __init__(
        self, journal: Journal, cursor: int | None = None, replaying: bool = False
    ) -> None:
        self.journal = journal
        self.replaying = replaying
        """Whether it is only played again: nothing is asked of anybody, and nothing
        added.
        """
        self.own = self.draft
        """Whether the user has begun it here and now: what it names, such as a folder,
        was named by the user.
        """
        self.typed = False
        """Whether the user has filled in a form for it: then it is kept even if nothing
        has been asked yet.
        """
        self.scope: Scope = ""
        """What it is one piece of, where a person goes from piece to piece: the key
        that takes back reaches across all of them.
        """
        self.cursor = len(journal.session.events) if cursor is None else cursor
        self._timeline: Timeline | None = None
        self._wanted: dict[str, tuple[object, object]] = {}

    @property
    def timeline(self) -> Timeline:
        """Figures at any event of the session."""
        if self._timeline is None:
            self._timeline = Timeline(self.session)
        return self._timeline

    @property
    def session(self) -> Session:
        return self.journal.session

    @property
    def view(self) -> Session:
        """The session as it was at the cursor."""
        if self.at_end:
            return self.session
        return self.session.prefix(self.cursor)

    @property
    def at_end(self) -> bool:
        return self.cursor >= len(self.session.events)

    @property
    def current(self) -> Event | None:
        """The last event shown."""
        if self.cursor:
            return self.session.events[self.cursor - 1]
        return None

    @property
    def finished(self) -> bool:
        last = next(
            (
                event
                for event in reversed(self.session.events)
                if not isinstance(event, Change | Failure | Note | Label)
            ),
            None,
        )
        return last is not None and is_result(last)

    @property
    def failed(self) -> Failure | None:
        """The failure that the session ends with; what the user changed after it does
        not count.
        """
        last = next(
            (
                event
                for event in reversed(self.session.events)
                if not isinstance(event, Change | Note | Label)
            ),
            None,
        )
        if isinstance(last, Failure):
            return last
        return None

    @property
    def draft(self) -> bool:
        return self.journal.path is None and self.journal.writable

    @property
    def known(self) -> bool:
        """Whether this version has the method of the session."""
        return self.session.method in METHODS

    @property
    def extendable(self) -> bool:
        """Whether new events can follow the last one, wherever the cursor is."""
        return self.journal.writable and self.known and not self.finished

    def can_go_on(self) -> bool:
        """Whether the next event would be a new one, made now."""
        return self.at_end and self.extendable

    def keep(self, library: Library) -> None:
        """Gives a draft its file."""
        if self.draft:
            self.journal = library.create(self.session.header)
            self._timeline = None

    def change(self, field: str, old: object, new: object) -> None:
        """Records a change by the user, which applies from the next call.

        A user who looks at earlier events stays there.
        """
        at_end = self.at_end
        self.journal.append(
            Change(
                field=field, old=msgspec.to_builtins(old), new=msgspec.to_builtins(new)
            )
        )
        if at_end:
            self.cursor = len(self.session.events)

    def choose(self, field: str, value: object) -> None:
        """Writes a choice into the header of a draft; None leaves a seat empty."""
        part, _, name = field.partition(".")
        header = self.session.header
        made = {**getattr(header, part), name: value}
        if value is None and part == "lineup":
            del made[name]
        self.journal = Journal.create(
            None, msgspec.structs.replace(header, **{part: made})
        )
        self._timeline = None

    def wish(self, field: str, old: object, new: object) -> None:
        """Keeps a change that is made during a call.

        `settle` records it after the call, so that each call precedes later changes.
        """
        old = self._wanted.get(field, (old, new))[0]
        self._wanted[field] = (old, new)
        if old == new:
            del self._wanted[field]

    def wished(self, field: str, now: object) -> Any:
        """Returns what will hold from the next call; `now` where nothing else is
        wished.
        """
        return self._wanted.get(field, (now, now))[1]

    def settle(self) -> bool:
        """Records the wishes, once no call runs; returns whether there were any.

        Raises:
            SessionError: they cannot be written.
        """
        wishes = list(self._wanted.items())
        for field, (old, new) in wishes:
            self.change(field, old, new)
            del self._wanted[field]
        return bool(wishes)

    def fork(self, library: Library, number: int, why: str, **changed: object) -> Play:
        """Returns a new session that shares the events up to `number`."""
        path = library.new_path(self.session.title)
        fork = self.journal.fork(path, number, why, **changed)  # type: ignore[arg-type]
        return Play(fork)

    def part_at(self, number: int) -> int | None:
        """Returns the cursor position after the first event of a round or iteration;
        None if there is no such event.
        """
        for index, event in enumerate(self.session.events, 1):
            if part_of(event) == number:
                return index
        return None

    def close(self) -> None:
        self.journal.close()


def same_file(one: Path, other: Path) -> bool:
    """Whether both names lead to one file, which would be locked against itself if it
    were opened again.
    """
    try:
        return one.samefile(other)
    except OSError:
        return False
