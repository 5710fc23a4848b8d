"""The app as lines: a key and enter, and what comes of it is printed.

For screen readers, slow links and scripts: no colour, the cursor never moves, every
line ends. The session is taken further by the app's own runner and kept in the same
file.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from ..engines.method import method as method_named
from ..engines.method import method_of
from ..sessions.clean import clean
from ..sessions.errors import BadInput, bad_input
from ..sessions.events import Event, Usage
from ..sessions.export.block import fact
from ..sessions.methods import METHODS, WORKSPACES
from ..sessions.paths import paths
from ..sessions.prose.reader import read
from ..sessions.prose.structure import ProseTable
from ..texts import has, t
from ..texts.roles import role_name
from ..tui.launch import first_play
from ..tui.method import SessionMethod
from ..tui.runner import SessionRunner
from . import console
from .console import out, say
from .person import InputLines, Person
from .printer import Printer

if TYPE_CHECKING:
    from ..engines.models.config import Config
    from ..engines.models.port import ModelRemark
    from ..sessions.session import Header
    from ..sessions.summary import SessionSummary
    from ..tui.play import Play
    from ..tui.runner import PendingReply, Stage

KEYS = {
    "n": "round",
    "r": "end",
    "m": "seats",
    "f": "fork",
    "e": "edit",
    "Z": "undo",
    "l": "setting",
    "0-3": "label",
    "T": "task",
    "c": "new",
    "o": "saved",
    "]": "tab",
    "?": "help",
    "q": "quit",
}
"""As in the app, each with the text that says what it does."""
MOST = 50
"""Sessions that are listed."""


def open_plain(
    target: Path | None,
    header: Header | None,
    save: Path | None,
    sitting: Callable[[Config], Any] | None = None,
) -> int:
    """Offers a session, the newest one of a folder, or what a person goes through pair
    by pair, as lines until the user leaves; returns the exit code.

    Raises: BadInput if the target cannot be opened.
    """
    from ..engines.models.config import load_config

    config = load_config(paths().config_file, os.environ)
    if sitting is not None:
        queue = sitting(config)
        room = f"..tui.workspaces.{queue.tab}.labeling.plain_pairs"
        pairs = import_module(room, __package__).PlainPairs
        code: int = console.run(pairs(queue, InputLines(0), out, say).serve())
        return code
    folder = target if target is not None and target.is_dir() else None
    app = PlainApp(config, folder)
    if folder is not None:
        target = app.newest()
    first = first_play(target, header, save) or example(WORKSPACES[0], config)
    return console.run(app.serve(first))


def example(workspace: str, config: Config) -> Play:
    """The bundled example of a workspace."""
    drafts = import_module(f"..tui.workspaces.{workspace}.drafts", __package__)
    made: Play = drafts.example_draft(config)
    return made


def rows_as_lines(text: str) -> str:
    """A text with a line for each row of a table, the head's words before the cells."""
    made = text = clean(text)
    for part in read(text):
        if isinstance(part, ProseTable):
            head, *rows = [
                ["".join(span.shown for span in cell).strip() for cell in row]
                for row in part.rows
            ]
            written = "\n".join(
                "".join(span.text for span in line.spans) for line in part.lines
            )
            lines = [
                "; ".join(fact(*pair) for pair in zip(head, row, strict=False))
                for row in rows
            ]
            made = made.replace(written, "\n".join(lines), 1)
    return made


class PlainApp:
    """One open session as plain lines.

    Prints events as they happen. Does not stream replies or show earlier events.
    """

    def __init__(self, config: Config, folder: Path | None = None) -> None:
        """`folder`: whose sessions are listed; None: the library's own."""
        from ..sessions.library import Library

        self._config = config
        self._folder = folder
        self._library = Library(paths())
        self._listed: list[SessionSummary] = []
        self._deeds: list[tuple[str, Callable[[], Awaitable[None]]]] = []
        """What the user has done, in words, and what takes it back."""
        self._lines = InputLines(0)
        self._runner = SessionRunner(self, config, lambda: self._library)
        self._runner.speed = "max"
        self._printer = Printer(text=rows_as_lines)
        self._printed = 0
        self._spent: Any = None
        """What the workspace knows of the person who labels."""
        self._defect: BaseException | None = None

    @property
    def _play(self) -> Play:
        play = self._runner.play
        assert play is not None
        return play

    @property
    def _tab(self) -> str:
        return self._play.session.workspace

    @property
    def _method(self) -> SessionMethod:
        method = self._runner.method
        if method is None:
            raise bad_input(
                "play.unknown_method", name=clean(self._play.session.method)
            )
        return method

    async def serve(self, first: Play) -> int:
        """Obeys line after line until `q` or the end of the input; returns the exit
        code, 1 where the session ends with a failure.
        """
        try:
            await self._open(first)
            if self._folder is not None:
                await self._saved("")
            while True:
                out(f"\n{self._prompt()}\n")
                line = await self._lines.next()
                if line is None or line.strip() == "q":
                    break
                await self._obey(line)
            return console.FAILED if self._play.failed else console.DONE
        finally:
            if self._play.journal.path is not None:
                console.note(t("report.said.saved", path=self._play.journal.path))
            await self._runner.close()

    async def _open(self, play: Play) -> None:
        from ..engines.tools import Tools

        person, method = Person(self._lines), None
        tools = Tools(self._config, paths(), person, foreign=not play.own)
        if play.session.method in METHODS:
            method = SessionMethod(method_of(play.session.header), play, tools)
        await self._runner.open(play, method)
        self._deeds = []
        self._printer, self._printed, self._labelling = (
            Printer(text=rows_as_lines),
            0,
            None,
        )
        out("\n")
        self._printer.header(play.session)
        await self.refresh_view()

    def _prompt(self) -> str:
        """Format what is done, what comes next, and the keys."""
        play = self._play
        method = self._runner.method
        coming = None if method is None else method.upcoming(play.session)
        words = (
            t("library.status_finished")
            if coming is None
            else role_name(coming.role) or coming.what
        )
        return t("plain.prompt", n=len(play.session.events), next=clean(words))

    # Keys

    async def _obey(self, line: str) -> None:
        key, _, rest = line.strip().partition(" ")
        keys: dict[str, Callable[[str], Awaitable[None]]] = {
            "": self._step,
            "n": self._step,
            "r": self._step,
            "m": self._seats,
            "f": self._fork,
            "e": self._edit,
            "Z": self._undo,
            "l": self._setting,
            "T": self._task,
            "c": self._new,
            "o": self._saved,
            "]": self._next_tab,
            "?": self._help,
            **dict.fromkeys("0123", self._label),
        }
        if key not in keys:
            say(t("plain.no_key", key=clean(key, newlines=False)[:40]))
            return
        try:
            given = key + rest if keys[key] in (self._step, self._label) else rest
            await keys[key](given.strip())
        except BadInput as error:
            say(str(error))

    async def _step(self, key: str) -> None:
        """One step, to the end of the round or to the end of the session."""
        until: Literal["step", "round", "end"] = (
            "round" if key == "n" else "end" if key == "r" else "step"
        )
        hindrance = self._runner.start(until)
        if hindrance:
            words = f"{self._tab}.{hindrance}"
            say(t(words) if has(words) else t("plain.stuck"))
        await self._runner.at_rest()
        if self._defect is not None:
            raise self._defect

    async def _seats(self, text: str) -> None:
        """`m` lists the line-up; `m MODEL` and `m ROLE=MODEL` change it."""
        from ..engines.models.seating import check_panel, seat_for, with_params

        session = self._play.session
        roles = self._method.roles(session)
        role, equals, model = text.partition("=")
        if text and equals and role not in roles:
            raise bad_input("plain.no_role", role=role, roles=", ".join(roles))
        for name in [role] if equals else roles if text else []:
            seat = seat_for(model if equals else text, self._config)
            check_panel(self._method.settings, name, seat)
            old = dict(session.seated([name])).get(name)
            if old is not None and seat.model not in self._method.builtins():
                seat = with_params(seat, old.params)
            await self._change(f"lineup.{name}", old, seat)
        for name, seat in self._play.session.seated(roles):
            out(f"{clean(role_name(name))}: {clean(seat.called)}\n")

    async def _fork(self, text: str) -> None:
        """`f N` forks after event N; `f` after the last one."""
        await self._forked(self._number(text), "fork")

    async def _edit(self, text: str) -> None:
        """`e N` puts other words in the place of event N, in a fork."""
        number = self._number(text)
        event = self._play.session.events[number - 1] if number else None
        method, session = method_of(self._play.session.header), self._play.session
        if event is None or method.edited(session, event, "") is None:
            raise bad_input("plain.edit_what")
        hint = f"{self._tab}.edit_hint"
        out((t(hint) + "\n" if has(hint) else "") + t("plain.write") + "\n")
        words = []
        while (line := await self._lines.next()) is not None and line != ".":
            words.append(line)
        edited = method.edited(session, event, "\n".join(words))
        if line is None or not "".join(words).strip() or edited is None:
            raise bad_input("plain.unchanged")
        if method.edits_in_place:
            await self._append(edited)
            before = replace(
                event, usage=Usage(input=0, output=0), cost=0.0, seconds=0.0
            )
            self._deeds.append((t("undo.edit"), partial(self._append, before)))
            return
        await self._forked(number - 1, "edit")
        self._play.journal.append(edited)
        self._play.cursor = number
        await self.refresh_view()

    async def _setting(self, text: str) -> None:
        """`l` lists the settings; `l 1` sets the level, `l NAME=VALUE` another one."""
        settings, session = self._method.settings, self._play.session
        digested = {one.content_of for one in settings}
        free = {
            one.name: one
            for one in settings
            if not (one.fixed or one.computed or one.name in digested)
        }
        now = {name: session.setting(name) for name in free}
        if not text:
            for name, value in now.items():
                out(f"{name}: {clean(str(value), newlines=False)}\n")
            return
        name, equals, value = text.rpartition("=")
        name = name.strip() if equals else "level"
        if name not in free:
            raise bad_input("plain.no_setting", name=name, names=", ".join(free))
        read = free[name].kind.read(value.strip())
        settings.check(name, read)
        await self._change(f"settings.{name}", now[name], read)

    async def _change(self, field: str, old: object, new: object) -> None:
        """Changes something from the next call on; in a fork where the session has
        ended.
        """
        if old == new:
            return
        if self._play.finished:
            await self._forked(len(self._play.session.events) - 1, "fork")
        else:
            back = partial(self._changed, field, new, old)
            self._deeds.append((clean(field), back))
        await self._changed(field, old, new)

    async def _changed(self, field: str, old: object, new: object) -> None:
        self._play.keep(self._library)
        self._play.change(field, old, new)
        await self.refresh_view()

    async def _append(self, event: Event) -> None:
        """Appends an event; what rests on what it replaces is made again."""
        self._play.keep(self._library)
        self._play.journal.append(event)
        self._play.cursor = len(self._play.session.events)
        await self.refresh_view()

    async def _forked(self, number: int, why: str) -> None:
        before, own = self._play.journal.path, self._play.own
        fork = self._play.fork(self._library, number, why)
        fork.own = own
        await self._open(fork)
        if before is not None:
            back = partial(self._open_file, before)
            self._deeds = [(t(f"plain.did_{why}"), back)]

    async def _open_file(self, path: Path) -> None:
        """Opens a saved session; one that a batch works on is only read."""
        from ..sessions.journal import Journal
        from ..tui.play import Play
        from ..tui.session_opener import needed_elsewhere

        needed = needed_elsewhere(path)
        await self._open(Play(Journal.open(path, write=not needed)))

    async def _undo(self, text: str) -> None:
        """Takes back what was done last since a session was opened; the file keeps
        both.
        """
        if not self._deeds:
            raise bad_input("undo.nothing")
        what, back = self._deeds.pop()
        await back()
        say(t("undo.done", what=what))

    def newest(self) -> Path:
        """Return the newest session of the folder.

        Raises: BadInput if the folder has none.
        """
        listed = self._library.entries(self._folder)
        if not listed:
            raise bad_input("wrong.command.plain_folder", folder=self._folder)
        return listed[0].path

    async def _saved(self, text: str) -> None:
        """`o` lists the saved sessions, `o WORDS` those with all of these words; `o N`
        opens one of them.
        """
        if text.isascii() and text.isdigit():
            if not 1 <= int(text) <= len(self._listed):
                raise bad_input("plain.no_session", n=len(self._listed))
            await self._open_file(self._listed[int(text) - 1].path)
            return
        self._listed = self._library.find(text, self._folder)
        for number, one in enumerate(self._listed[:MOST], 1):
            told = clean(f"{one.title}; {one.result or one.status}", newlines=False)
            out(f"{number}: {told}\n")
        out(t("plain.listed", n=len(self._listed)) + "\n")

    def _number(self, text: str) -> int:
        """Parse the number of an event; default: the last event."""
        most = len(self._play.session.events)
        number = int(text) if text.isascii() and text.isdigit() else -1
        if not text:
            return most
        if not 0 <= number <= most:
            raise bad_input("plain.no_event", n=most)
        return number

    async def _label(self, text: str) -> None:
        """`2 NAME` gives a candidate your level; `2` the first that has none."""
        kept = find_spec(f"..tui.workspaces.{self._tab}.plain_label", __package__)
        if kept is None:
            raise bad_input("plain.no_label")
        label = import_module(kept.name).label
        self._play.keep(self._library)
        self._spent, said, back = label(
            self._play, self._method, self._config, self._spent, text
        )
        out(said + "\n")

        async def taken() -> None:
            back()

        self._deeds.append((t("plain.did_label", level=text[0]), taken))

    async def _task(self, text: str) -> None:
        """`T` prints all that the session is about, `T NAME` a case."""
        task = self._play.session.header.task
        cases = [task.get("query"), *(task.get("candidates") or [])]
        named = [one for one in cases if isinstance(one, dict)]
        for one in named:
            if not text or one.get("id") == text:
                out(f"[{clean(str(one.get('id')))}]\n{clean(str(one.get('text')))}\n")
        if not named:
            self._printer.header(self._play.session)

    async def _new(self, text: str) -> None:
        """`c TEXT` begins a new debate or question."""
        from ..engines.starting import wishes
        from ..tui.workspaces.drafts import draft

        asked = next(iter(method_named(self._tab).batches)).removesuffix("s")
        if asked == "pair" or not text:
            raise bad_input("plain.new_what")
        wanted = wishes(self._tab, {}, **{asked: text})
        await self._open(draft(wanted, self._config))

    async def _next_tab(self, text: str) -> None:
        """The example of the next workspace."""
        place = WORKSPACES.index(self._tab) + 1
        await self._open(example(WORKSPACES[place % len(WORKSPACES)], self._config))

    async def _help(self, text: str) -> None:
        for key, name in KEYS.items():
            out(f"{key}: {t(f'plain.key_{name}')}\n")

    # The face of the runner

    async def refresh_view(self) -> None:
        """Prints the events that have come."""
        for event in self._play.session.events[self._printed : self._play.cursor]:
            self._printer.event(event)
        self._printed = max(self._printed, self._play.cursor)

    def grown(self) -> None:
        """Does nothing: plain mode does not show earlier events."""

    asked = rested = grown

    async def announce(self, stage: Stage, reply: PendingReply) -> None:
        """There is no stage."""

    async def stage(self) -> Stage | None:
        """Prints only when a call waits: replies are not streamed here."""
        reply = self._runner.reply
        if reply is not None and reply.waiting is not None:
            self._printer.part(reply.waiting)
        return None

    def at_work(self, reply: PendingReply) -> None:
        console.note(t("plain.asks", role=clean(role_name(reply.role))))

    def remark(self, part: ModelRemark) -> None:
        self._printer.part(part)

    def say(self, message: str, severity: str = "information") -> None:
        say(message)

    def report(self, error: BaseException) -> None:
        self._defect = error
