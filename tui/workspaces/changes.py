"""What a user changes: models, level, rounds, a speech; forks, twins, and the sessions opened and written."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ...engines.debate.new import roles_needed
from ...engines.debate.plan import BOUNDS, setting, upcoming
from ...sessions.clean import clean
from ...sessions.errors import BadInput, SessionError
from ...sessions.events import Change, Made, Speech, Usage
from .. import words
from ..play import Play
from ..texts import t

if TYPE_CHECKING:
    from textual.worker import Worker

    from ...engines.models.catalogue import Choice
    from ..app import VerifyTui
    from ..screens.lineup import LineupScreen
    from ..screens.search import SearchBar


class Changes:
    """The half of the debate workspace that changes things. A change in the past forks; at the end it holds from the next call."""

    if TYPE_CHECKING:
        play: Play | None
        _worker: Worker[None] | None

        @property
        def running(self) -> bool: ...
        @property
        def tui(self) -> VerifyTui: ...
        async def open(self, play: Play) -> None: ...
        async def refresh_view(self) -> None: ...
        async def look(self, cursor: int) -> None: ...
        async def transcript(self) -> Any: ...
        async def halt(self) -> None: ...
        def start(self, until: str) -> None: ...

    def debaters(self) -> list[str]:
        if self.play is None:
            return []
        header = self.play.session.header
        return [
            role
            for role in roles_needed(header.settings, header.task.get("kind", "question"))
            if role not in ("judge", "observer", "baseline")
        ]

    def last_answers(self) -> list[str]:
        """The answers last stated by each debater, for the judge's form."""
        found: dict[str, str] = {}
        for event in self.play.view.events if self.play else []:
            if isinstance(event, Speech) and event.answer:
                found[event.role] = clean(event.answer, newlines=False)
        return list(dict.fromkeys(found.values()))

    def cancel_run(self) -> None:
        if self._worker is not None:
            self._worker.cancel()

    def busy(self) -> bool:
        """True, with a word to the user, while a debate runs."""
        if self.running:
            self.tui.say(t("debate.running"), "warning")
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
        self.tui.say(t(f"debate.forked_{why}", n=number), "information")
        return True

    async def do_fork(self) -> None:
        if not self.busy() and self.play is not None:
            await self._fork(self.play.cursor, "fork")

    async def do_twin(self) -> None:
        """The same debate with the models of the two sides exchanged: the control for a judge's bias by position."""
        if self.busy() or self.play is None:
            return
        lineup = {role: self.play.session.seat(role) for role in self.play.session.header.lineup}
        lineup["affirmative"], lineup["negative"] = lineup["negative"], lineup["affirmative"]
        settings = {name: self.play.session.setting(name) for name in self.play.session.header.settings}
        await self._fork(0, "swap", lineup=lineup, settings=settings)

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
        """Puts other words into a debater's mouth: a fork that ends with the edited speech."""
        from ...engines.debate.answers import closing
        from ..external import edit_in_editor
        from ..screens.edit import EditScreen

        assert self.play is not None
        speech = self.play.current
        if not isinstance(speech, Speech):
            self.tui.say(t("debate.edit_what"), "warning")
            return
        title = t("edit.speech_title", letter=words.letter(speech.role), role=words.role_name(speech.role))
        if external:
            text = edit_in_editor(self.tui, speech.text)
        else:
            text = await self.tui.push_screen_wait(EditScreen(title=title, text=speech.text, hint=t("edit.speech_hint")))
        if text is None or text == clean(speech.text):
            return
        edited = Speech(
            role=speech.role, round=speech.round, model="human", text=text, answer=closing(text), usage=Usage(input=0, output=0), cost=0.0
        )
        if await self._fork(self.play.cursor - 1, "edit"):
            self.play.journal.append(edited)
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
                self.tui.say(t("debate.next_call", change=what), "information")
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
        return self.play.cursor - 1 if last is not None and upcoming(view) is None else self.play.cursor

    def do_level(self) -> None:
        if not self._fixed():
            self.tui.run_worker(self._level(), group="dialog", exit_on_error=False)

    async def _level(self) -> None:
        from ..screens.level import LevelScreen

        assert self.play is not None
        now = self.play.wished("settings.level", setting(self.play.view, "level"))
        level = await self.tui.push_screen_wait(LevelScreen(now))
        if level is not None:
            await self._set("settings.level", now, level)

    async def do_rounds(self) -> None:
        await self._rounds(1)

    async def do_fewer(self) -> None:
        await self._rounds(-1)

    async def _rounds(self, by: int) -> None:
        """Moves the limit of rounds; not below the round that has begun."""
        if self._fixed() or self.play is None:
            return
        now = self.play.wished("settings.rounds", setting(self.play.view, "rounds"))
        coming = upcoming(self.play.view) if self.running else None
        least = max(coming.round if coming else self.play.timeline.round(self.play.cursor), 1)
        await self._set("settings.rounds", now, min(max(now + by, least), BOUNDS["rounds"][1]))

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
        needed = roles_needed(view.header.settings, view.header.task.get("kind", "question"))
        extra = [name for name in view.header.lineup if name not in needed]
        rows = [
            RoleRow(name, words.letter(name), self.play.wished(f"lineup.{name}", view.seat(name)), name in needed)
            for name in [*needed, *extra]
        ]
        screen = LineupScreen(rows, choices(self.tui.config, os.environ), self._more_choices, role, message)
        await self.tui.push_screen_wait(screen)

    async def _more_choices(self) -> AsyncGenerator[list[Choice], None]:
        """First with what answers on this machine, then with LiteLLM's prices, which take seconds to load."""
        from ...engines.models.catalogue import choices, local_choices
        from ...engines.models.litellm_door import ready

        found = await local_choices(os.environ)
        yield [*choices(self.tui.config, os.environ), *found]
        await ready()
        yield [*choices(self.tui.config, os.environ), *found]

    async def on_lineup_screen_swapped(self, event: LineupScreen.Swapped) -> None:
        """Puts a model on a seat; the seat keeps its parameters."""
        from ...engines.debate.seats import seat_for

        if self.play is None:
            return
        role, model = event.role, event.text
        old = self.play.wished(f"lineup.{role}", self.play.view.seat(role))
        try:
            new = seat_for(model, self.tui.config)
        except BadInput as error:
            self.tui.say(clean(str(error)), "error")
            event.screen.seated(role, old)
            return
        if new.model not in words.BUILT_IN:
            new = msgspec.structs.replace(new, params={**new.params, **old.params})
        await self._set(f"lineup.{role}", old, new)

    # Looking closer

    def do_raw(self) -> None:
        """The exact messages, the parameters and the raw reply of the event at the cursor."""
        from ...engines.debate.engine import asked
        from ..screens.raw import RawScreen

        if self.play is None or not isinstance(self.play.current, Made):
            self.tui.say(t("debate.raw_what"), "warning")
            return
        event, before = self.play.current, self.play.session.prefix(self.play.cursor - 1)
        messages = asked(self.play.session, self.play.cursor) or []
        params = {**before.seat(event.role).params} if event.model != "human" else {}
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
        (await self.transcript()).focus()

    def do_copy(self) -> None:
        from ..clipboard import copy

        current = self.play.current if self.play is not None else None
        text = getattr(current, "text", None) or getattr(current, "answer", None)
        if not text:
            self.tui.say(t("debate.copy_what"), "warning")
            return
        copy(self.tui, clean(text))
        self.tui.say(t("debate.copied", n=len(text)), "information")

    # Sessions

    def do_new(self) -> None:
        self.tui.run_worker(self._new(), group="dialog", exit_on_error=False)

    async def _new(self) -> None:
        from ..begin import draft_from, offered
        from ..screens.new import NewDebateScreen

        examples, defaults = offered(self.tui.config)
        topic, message = "", ""
        while True:
            wanted = await self.tui.push_screen_wait(NewDebateScreen(examples, defaults, topic, message))
            if wanted is None:
                return
            try:
                await self.open(draft_from(wanted, self.tui.config))
                return
            except BadInput as error:
                topic, message = wanted.topic, clean(str(error))

    def do_export(self) -> None:
        if self.play is not None:
            self.tui.run_worker(self._export(), group="dialog", exit_on_error=False)

    async def _export(self) -> None:
        from ...sessions.export import export
        from ..screens.export import ExportScreen

        assert self.play is not None
        name = Path(self.play.journal.path).stem if self.play.journal.path else "debate"
        wanted = await self.tui.push_screen_wait(ExportScreen(Path.cwd() / f"{name}.md"))
        if wanted is None:
            return
        kind, path = wanted
        try:
            _write_new(Path(path), export(self.play.session, kind))
        except (OSError, BadInput) as error:
            self.tui.say(t("debate.not_exported", why=clean(str(error))), "error")
        else:
            self.tui.say(t("debate.exported", path=clean(str(path), newlines=False)), "information")


def _write_new(path: Path, text: str) -> None:
    with open(path, "x", encoding="utf-8", newline="") as file:
        file.write(text)
