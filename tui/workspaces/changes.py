"""The user's changes in any workspace: settings, edits, and forks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...sessions.clean import editable
from ...sessions.errors import BadInput
from ...sessions.events import Change, Event
from ...texts import t
from .. import wording

if TYPE_CHECKING:
    from .session_context import SessionContext
    from .undo import Back

Put = Literal["", "wished", "changed", "forked"]
"""How a setting was changed: from the next call of a run, at the end of the session, in
a fork; empty: not at all.
"""


class Edit(NamedTuple):
    """Something that the user may put other words to."""

    number: int
    """Of the event that is replaced."""
    title: str
    text: str
    hint: str
    make: Callable[[str], Event]
    """Returns the event with other words."""


class Changes:
    """The keys that fork, retry and edit.

    A change in the past forks the session; one at its end holds from the next call.
    """

    def __init__(
        self, bench: SessionContext, editable_now: Callable[[], Edit | None]
    ) -> None:
        """`editable_now` returns what can be edited at the cursor."""
        self._bench = bench
        self._editable_now = editable_now

    def can_fork(self) -> bool:
        return bool(self._bench.play and self._bench.play.session.events)

    def can_retry(self) -> bool:
        return self._bench.free_here and self.can_fork()

    def can_edit(self) -> bool:
        return self._bench.free_here and self._editable_now() is not None

    can_editor = can_edit

    async def do_fork(self) -> None:
        if self._bench.play is not None:
            await self._bench.fork(self._bench.play.cursor, "fork")

    async def do_retry(self) -> None:
        """Makes the last event again: a failed call in place, anything kept in a fork
        without it.
        """
        play = self._bench.play
        if self._bench.working_here() or play is None:
            return
        current = play.current
        in_place = current is None or (
            play.at_end and (play.failed or isinstance(current, Change))
        )
        if in_place or await self._bench.fork(play.cursor - 1, "retry"):
            self._bench.start("step")

    def do_edit(self) -> None:
        if not self._bench.working_here():
            self._bench.host.dialog(self.edit(external=False))

    def do_editor(self) -> None:
        if not self._bench.working_here():
            self._bench.host.dialog(self.edit(external=True))

    async def edit(self, external: bool) -> None:
        """Asks for other words for an event, and opens a fork that ends with it.

        `external`: in the user's own editor.
        """
        edit = self._editable_now()
        if edit is None:
            self._bench.say("edit_what")
            return
        text = await self.written(edit.title, edit.text, edit.hint, external)
        if text is not None and text != editable(edit.text):
            await self.replace(edit.number, edit.make(text), t("undo.edit"))

    async def written(
        self, title: str, text: str, hint: str, external: bool
    ) -> str | None:
        """Returns what the user makes of a text; None where they leave it as it is."""
        from ..screens.edit import EditScreen
        from ..terminal.editor import edit_in_editor

        if external:
            return edit_in_editor(self._bench.host, text)
        return await self._bench.host.ask(EditScreen(title=title, text=text, hint=hint))

    async def replace(self, number: int, event: Event, what: str = "") -> bool:
        """Opens a fork with another event in the place of event `number`; `what`: how
        that is called when it is undone.
        """
        back = self._way_back()
        if not await self._bench.fork(number - 1, "edit") or self._bench.play is None:
            return False
        self._bench.play.journal.append(event)
        await self._bench.look_at_end()
        if what and back is not None:
            self._bench.undo.did(what, back, forked=True)
        return True

    async def set(self, field: str, old: object, new: object) -> None:
        """Changes a setting or a seat where the user stands: in the header of a draft,
        from the next call of a live run, at the end of a session, else in a fork.
        """
        play = self._bench.play
        if play is None or old == new:
            return
        words = {"old": wording.changed(field, old), "new": wording.changed(field, new)}
        what = (
            t("entry.change", field=wording.changed_name(field), **words)
            if not field.endswith("_digest")
            else ""
        )
        back = self._way_back()
        how = await self.put(field, old, new)
        if how == "wished":
            self._bench.host.say(t("play.next_call", change=what), "information")
        if how == "forked" and back is not None:
            self._bench.undo.did(what, back, forked=True)
        elif how:
            self._bench.undo.did(what, lambda: self._put_back(field, new, old))

    async def put(self, field: str, old: object, new: object) -> Put:
        """Does what `set` says, and returns how; empty, after a message, where it could
        not be done.
        """
        play = self._bench.play
        assert play is not None
        how: Put = "changed"
        try:
            if self._bench.runner.live and play.at_end:
                play.wish(field, old, new)
                return "wished"
            if not play.can_go_on():
                if not await self._bench.fork(self._last_open(), "fork"):
                    return ""
                how = "forked"
            play = self._bench.play or play
            if play.draft and not play.session.events:
                play.choose(field, new)
            else:
                play.keep(self._bench.host.library)
                play.change(field, old, new)
        except BadInput as error:
            self._bench.refuse(error)
            how = ""
        await self._bench.view.refresh_view()
        self._bench.warm_models()
        return how

    async def _put_back(self, field: str, old: object, new: object) -> bool:
        """Changes a setting back, in the session in which it was changed."""
        await self._bench.look_at_end()
        play = self._bench.play
        if play is None or not (play.can_go_on() or play.finished):
            self._bench.say("read_only")
            return False
        if play.finished:
            play.change(field, old, new)
            await self._bench.view.refresh_view()
            return True
        return bool(await self.put(field, old, new))

    def _way_back(self) -> Back | None:
        """Returns what opens the session of now again, where the user stands; None
        where it has no file.
        """
        play = self._bench.play
        path, at = (play.journal.path, play.cursor) if play is not None else (None, 0)
        if path is not None:
            return partial(self._bench.host.open_path, path, at=at)
        return None

    def _last_open(self) -> int:
        """The last event after which a fork can continue: the one at the cursor, but
        not the result.
        """
        play, method = self._bench.play, self._bench.method
        assert play is not None
        ended = (
            play.cursor and method is not None and method.upcoming(play.view) is None
        )
        if ended:
            return play.cursor - 1
        return play.cursor
