"""The key that takes back what a user did last: an edit, a label, a dropped reference,
a setting.

Nothing is removed from a file: an event that restores follows, or the session is opened
again that a fork was made of.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ...texts import t

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

Back = Callable[[], Awaitable[bool]]
"""Restores what was before; False, after a message, where that cannot be done now."""


class Deed(NamedTuple):
    """Something that the user did."""

    session: str
    """The id of the session that was open after it."""
    what: str
    back: Back
    forked: bool
    """Whether it was done in a fork, so that the session before is opened again."""


class Say(Protocol):
    def __call__(self, message: str, severity: SeverityLevel) -> None:
        """Shows a message."""


class Undo:
    """What was done in this tab since the start, and the key that takes back the last
    of it.
    """

    def __init__(self, session: Callable[[], str], say: Say) -> None:
        """`session` gives the id of the session that is open; empty: none is."""
        self._session = session
        self._say = say
        self._deeds: list[Deed] = []

    def did(self, what: str, back: Back, *, forked: bool = False) -> None:
        """Notes what the user has just done, named by `what`; `forked`: in a fork,
        which `back` leaves.
        """
        if self._session():
            self._deeds.append(Deed(self._session(), what, back, forked))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Makes one of all that is done meanwhile: one form, one undo."""
        before = len(self._deeds)
        yield
        done = self._deeds[before:]

        async def back() -> bool:
            return all(
                [
                    await each.back()
                    for each in (done[:1] if done[0].forked else reversed(done))
                ]
            )

        if len(done) > 1:
            what = "; ".join(each.what for each in done if each.what)
            self._deeds[before:] = [
                Deed(
                    done[-1].session,
                    what,
                    back,
                    done[0].forked,
                )
            ]

    @property
    def _last(self) -> Deed | None:
        """The last thing done in the session that is open."""
        here = self._session()
        return next(
            (deed for deed in reversed(self._deeds) if deed.session == here), None
        )

    def can_undo(self) -> bool:
        return self._last is not None

    async def do_undo(self) -> None:
        """Takes back what was done last in this session, and says what that was."""
        deed = self._last
        if deed is None:
            self._say(t("undo.nothing"), "warning")
            return
        self._deeds.remove(deed)
        if await deed.back():
            self._say(
                t("undo.left" if deed.forked else "undo.done", what=deed.what),
                "information",
            )
        else:
            self._deeds.append(deed)
