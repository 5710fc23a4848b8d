"""What a user changes in any workspace: models, settings, what was said; forks, and the sessions opened and written."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ...sessions.clean import clean
from ...sessions.errors import BadInput, SessionError
from ...sessions.events import Change, Event, Made
from .. import words
from ..play import Play
from ..texts import t
from .looking import Looking

if TYPE_CHECKING:
    from textual.worker import Worker

    from ...engines.models.catalogue import Choice
    from ...engines.models.port import Message
    from ...sessions.session import Seat, Session
    from ..screens.lineup import LineupScreen
    from ..screens.search import SearchBar


class Edit(NamedTuple):
    """Something that the user may put other words to."""

    number: int
    """Of the event that is replaced."""
    title: str
    text: str
    hint: str
    make: Callable[[str], Event]
    """The event with other words."""


class Changes(Looking):
    """The half of a workspace that changes things. A change in the past forks; at the end it holds from the next call."""

    if TYPE_CHECKING:
        _worker: Worker[None] | None

        async def open(self, play: Play) -> None: ...
        def start(self, until: str) -> None: ...
        def upcoming(self, session: Session) -> Any: ...
        def roles(self, session: Session) -> list[str]: ...
        def seat_for(self, model: str) -> Seat: ...
        def asked(self, session: Session, number: int) -> list[Message] | None: ...

    def editable(self) -> Edit | None:
        """What can be edited at the cursor."""
        raise NotImplementedError

    async def new(self) -> None:
        """Asks for a new session, and opens its draft."""
        raise NotImplementedError

    def focus_words(self) -> None:
        """Gives the keys back to what is read, after a search."""
        raise NotImplementedError

    def cancel_run(self) -> None:
        if self._worker is not None:
            self._worker.cancel()

    def busy(self) -> bool:
        """True, with a word to the user, while something runs."""
        if self.running:
            self.tui.say(self.told("running"), "warning")
        return self.running or self.play is None

    def _fixed(self) -> bool:
        """True, with a word to the user, where no setting and no model can be changed now: while a recording plays."""
        live = self.running and self.play is not None and self.play.can_go_on()
        return not live and self.busy()

    def _keep_wishes(self) -> None:
        """After a call, however it ended: what was changed while it ran."""
        try:
            if self.play is not None:
                self.play.settle()
        except SessionError as error:
            self.tui.say(clean(str(error)), "error")

    # Forks

    async def _fork(self, number: int, why: str, **changed: object) -> bool:
        assert self.play is not None
        try:
            fork = self.play.fork(self.tui.library, number, why, **changed)
        except BadInput as error:
            self.tui.say(clean(str(error)), "error")
            return False
        await self.open(fork)
        self.tui.say(self.told(f"forked_{why}", n=number), "information")
        return True

    async def do_fork(self) -> None:
        if not self.busy() and self.play is not None:
            await self._fork(self.play.cursor, "fork")

    async def do_retry(self) -> None:
        """Has the last event made again: a failed call in place, anything kept in a fork without it."""
        if self.busy() or self.play is None:
            return
        current = self.play.current
        if current is None or (self.play.at_end and (self.play.failed or isinstance(current, Change))):
            self.start("step")
            return
        number = self.play.cursor - 1
        if await self._fork(number, "retry"):
            self.start("step")

    def do_edit(self) -> None:
        if not self.busy():
            self.tui.run_worker(self._edit(external=False), group="dialog", exit_on_error=False)

    def do_editor(self) -> None:
        if not self.busy():
            self.tui.run_worker(self._edit(external=True), group="dialog", exit_on_error=False)

    async def _edit(self, external: bool) -> None:
        """Puts other words into somebody's mouth: a fork that ends with the edited event."""
        from ..external import edit_in_editor
        from ..screens.edit import EditScreen

        edit = self.editable()
        if edit is None:
            self.tui.say(self.told("edit_what"), "warning")
            return
        if external:
            text = edit_in_editor(self.tui, edit.text)
        else:
            text = await self.tui.push_screen_wait(EditScreen(title=edit.title, text=edit.text, hint=edit.hint))
        if text is not None and text != clean(edit.text):
            await self._replace(edit.number, edit.make(text))

    async def _replace(self, number: int, event: Event) -> None:
        """A fork with another event in the place of event `number`."""
        if await self._fork(number - 1, "edit") and self.play is not None:
            self.play.journal.append(event)
            await self.look(len(self.play.session.events))

    # Settings and models

    async def _set(self, field: str, old: object, new: object) -> None:
        """Changes one thing, where the user stands."""
        assert self.play is not None
        if old == new:
            return
        try:
            if self.running and self.play.can_go_on():
                self.play.wish(field, old, new)
                what = t("entry.change", field=words.changed_name(field), old=words.changed(field, old), new=words.changed(field, new))
                self.tui.say(t("play.next_call", change=what), "information")
                return
            if not self.play.can_go_on() and not await self._fork(self._changeable(), "fork"):
                return
            self.play.keep(self.tui.library)
            self.play.change(field, old, new)
        except BadInput as error:
            self.tui.say(clean(str(error)), "error")
        await self.refresh_view()
        self.tui.warm_models()

    def _changeable(self) -> int:
        """The event up to which a fork is still open: the cursor, but before the result."""
        assert self.play is not None
        view = self.play.view
        last = view.events[-1] if view.events else None
        return self.play.cursor - 1 if last is not None and self.upcoming(view) is None else self.play.cursor

    def do_lineup(self, role: str | None = None, message: str | None = None) -> None:
        if not self._fixed():
            self.tui.run_worker(self._lineup(role, message), group="dialog", exit_on_error=False)

    async def _lineup(self, role: str | None, message: str | None) -> None:
        from ...engines.models.catalogue import choices
        from ..screens.lineup import LineupScreen, RoleRow

        assert self.play is not None
        if isinstance(self.tui.screen, LineupScreen):  # a call failed while it was open
            self.tui.screen.say(message or "")
            return
        view = self.play.view
        needed = self.roles(view)
        extra = [name for name in view.header.lineup if name not in needed]
        rows = [
            RoleRow(name, words.letter(name), self.play.wished(f"lineup.{name}", _seat(view, name)), name in needed)
            for name in [*needed, *extra]
        ]
        screen = LineupScreen(rows, choices(self.tui.config, os.environ), self._more_choices, role, message)
        await self.tui.push_screen_wait(screen)

    async def _more_choices(self) -> AsyncGenerator[list[Choice], None]:
        """First with what answers on this machine, then with LiteLLM's prices, which take seconds to load."""
        from ...engines.models.catalogue import choices, local_choices
        from ...engines.models.litellm_loading import ready

        found = await local_choices(os.environ)
        yield [*choices(self.tui.config, os.environ), *found]
        await ready()
        yield [*choices(self.tui.config, os.environ), *found]

    async def on_lineup_screen_swapped(self, event: LineupScreen.Swapped) -> None:
        """Puts a model on a seat; the seat keeps its parameters."""
        if self.play is None:
            return
        role, model = event.role, event.text
        old = self.play.wished(f"lineup.{role}", _seat(self.play.view, role))
        try:
            new = self.seat_for(model)
        except BadInput as error:
            self.tui.say(clean(str(error)), "error")
            event.screen.seated(role, old)
            return
        if new.model not in words.BUILT_IN:
            new = msgspec.structs.replace(new, params={**new.params, **old.params})
        await self._set(f"lineup.{role}", old, new)

    # Looking closer

    def raw_at(self) -> int:
        """Number of the event that is looked at closer; 0: none."""
        return self.play.cursor if self.play is not None else 0

    def do_raw(self) -> None:
        """The exact messages, the parameters and the raw reply of the event at the cursor."""
        from ..screens.raw import RawScreen

        number = self.raw_at() if self.play is not None else 0
        event = self.play.session.events[number - 1] if self.play is not None and number else None
        if self.play is None or not isinstance(event, Made):
            self.tui.say(self.told("raw_what"), "warning")
            return
        before = self.play.session.prefix(number - 1)
        messages = self.asked(self.play.session, number) or []
        params = {**_seat(before, event.role).params} if event.model != "human" else {}
        meta = {name: value for name, value in msgspec.to_builtins(event).items() if name not in ("text", "reasoning")}
        title = f"{words.letter(event.role)} {words.role_name(event.role)} · {event.number}"
        self.tui.push_screen(
            RawScreen(title=title, messages=messages, params=params, reply=event.text, reasoning=event.reasoning, meta=meta)
        )

    async def on_search_bar_search(self, event: SearchBar.Search) -> None:
        """Goes to the next event that holds the text."""
        if self.play is None or self.busy():
            return
        places = self.play.find(event.text)
        if places:
            ahead = (
                [place for place in places if place > self.play.cursor]
                if event.forward
                else [p for p in reversed(places) if p < self.play.cursor]
            )
            place = ahead[0] if ahead else places[0 if event.forward else -1]
            await self.look(place)
            event.bar.found(places.index(place) + 1, len(places))
        else:
            event.bar.found(0, 0)

    async def on_search_bar_closed(self, event: SearchBar.Closed) -> None:
        await event.bar.remove()
        self.focus_words()

    def do_copy(self) -> None:
        from ..clipboard import copy

        current = self.play.current if self.play is not None else None
        text = getattr(current, "text", None) or getattr(current, "answer", None)
        if not text:
            self.tui.say(self.told("copy_what"), "warning")
            return
        copy(self.tui, clean(text))
        self.tui.say(t("play.copied", n=len(text)), "information")

    # Sessions

    def do_new(self) -> None:
        self.tui.run_worker(self.new(), group="dialog", exit_on_error=False)

    def do_export(self) -> None:
        if self.play is not None:
            self.tui.run_worker(self._export(), group="dialog", exit_on_error=False)

    def exported(self, session: Session, kind: str) -> str:
        """The text of an export. BadInput."""
        from ...sessions.export import export

        return export(session, kind)

    async def _export(self) -> None:
        from ..screens.export import ExportScreen

        assert self.play is not None
        name = Path(self.play.journal.path).stem if self.play.journal.path else self.play.session.workspace
        wanted = await self.tui.push_screen_wait(ExportScreen(Path.cwd() / f"{name}.md"))
        if wanted is None:
            return
        kind, path = wanted
        try:
            _write_new(Path(path), self.exported(self.play.session, kind))
        except (OSError, BadInput) as error:
            self.tui.say(t("play.not_exported", why=clean(str(error))), "error")
        else:
            self.tui.say(t("play.exported", path=clean(str(path), newlines=False)), "information")


def _write_new(path: Path, text: str) -> None:
    with open(path, "x", encoding="utf-8", newline="") as file:
        file.write(text)


def _seat(session: Session, role: str) -> Seat:
    """Who answers for a role; a file from elsewhere may name nobody."""
    from ...sessions.session import Seat

    return dict(session.seated([role])).get(role) or Seat(model="")
