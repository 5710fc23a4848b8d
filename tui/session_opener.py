"""Opens sessions: from a file, from the library, the one that waits, or the one next to
its parent.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..sessions.errors import BadInput, SessionError
from ..sessions.folders import kind_of
from ..sessions.methods import WORKSPACES
from ..texts import t
from .showing import clean, clean_line

if TYPE_CHECKING:
    from .action_app import Tabbed
    from .play import Play
    from .runner import SessionRunner
    from .screens.place import Place, PlaceChoice
    from .seating import Seating


class SessionOpener:
    """The keys that open a session."""

    def __init__(self, app: Tabbed, folder: Path | None) -> None:
        """`folder`: the sessions of a batch, shown instead of the library's own."""
        self._app = app
        self._folder = folder
        self._titles: dict[str, str] = {}
        """Parents by id, as they are called; "" for one that was not found."""
        self.listed: set[Path] = set()
        """The files of the sessions whose results a list has shown."""
        self._stack: list[Place] = []
        """The places that lead to what is in front, the outermost first."""
        self._left: dict[type[Place], Place] = {}
        """The place of each kind that was shown last."""
        self._entered: Path | None = None
        """The session that was opened from the last place of the stack."""

    @cached_property
    def seating(self) -> Seating:
        from .seating import Seating

        return Seating(self._app)

    def open_place(self, name: str) -> None:
        """Shows a place of `GoScreen` that is no tab, with nothing behind it."""
        self._app.dialog(self._begin(self._place(name)))

    def _place(self, name: str) -> Place:
        app = self._app
        if name == "machine":
            from .screens.machine import MachineScreen

            return MachineScreen(app.library.paths)
        if name == "corpora":
            from .workspaces.rag.screens.corpora import CorporaScreen

            return CorporaScreen(app.config)
        if name == "models":
            from .workspaces.lineup import models_place

            lineup = app.workspace.lineup
            if lineup is not None and app.workspace.can("lineup"):
                return lineup.screen()
            return models_place(app)
        if name == "home":
            from .screens.home import HomeScreen

            return HomeScreen(app, self.seating.everywhere)
        return self._list_of(self._folder)

    def do_library(self) -> None:
        self.open_place("library")

    def do_corpora(self) -> None:
        self.open_place("corpora")

    def can_return(self) -> bool:
        return bool(self._stack)

    def do_return(self) -> None:
        self._app.dialog(self._walk())

    def crumbs(self) -> list[str]:
        """Returns the names of the places that lead to the session in front, and that
        of its file in a folder; none where it was not opened from a place.
        """
        play, file = self._app.workspace.play, self._entered
        if not self._stack or file is None or play is None or play.journal.path != file:
            return []
        names = [place.crumb() for place in self._way()]
        if self._stack[-1].about:
            names.append(file.stem)
        return [clean_line(name) for name in names]

    def _way(self) -> list[Place]:
        """Returns the places of the stack, Home only where it leads on directly."""
        return self._stack[self._stack[0].ABOUT == "home_about" :] or self._stack

    def can_running(self) -> bool:
        return bool(self._app.runs.unseen)

    def do_running(self) -> None:
        self.open_place("home")

    def do_machine(self) -> None:
        self.open_place("machine")

    async def show_run(self, runner: SessionRunner, at: int | None = None) -> None:
        """Goes to a session that is open.

        `at`: the event to look at (None: the last).
        """
        if runner.play is None:
            return
        workspace = await self._app.bring(runner.play.session.workspace)
        if workspace.runner is not runner:
            await workspace.attach(runner)
        await workspace.bench.look(
            len(runner.play.session.events) if at is None else at
        )

    async def _begin(self, *places: Place) -> None:
        """Shows the last of these places, with the others behind it."""
        self._stack = []
        for place in places:
            self._push(place)
        await self._walk()

    def _push(self, place: Place) -> None:
        """Puts a place in front, as it was left if it was shown before."""
        left = self._left.get(type(place))
        same = left is not None and left.about == place.about
        self._stack.append(left if left is not None and same else place)

    async def _walk(self) -> None:
        """Shows the place in front and does what is chosen there, until a session is
        open or the last place is left.
        """
        while self._stack:
            place = self._stack[-1].again()
            place.trail = tuple(each.crumb() for each in self._way()[:-1])
            if place is not self._stack[-1]:
                self._left[type(place)] = self._stack[-1] = place
            chosen = await self._app.ask(place)
            self.listed |= place.listed
            if chosen is None:
                self._stack.pop()
            elif await self._follow(chosen):
                return
        if self._app.workspace.play is None:
            await self._app.go(self._app.workspace.tab)
        self._app.say_place()

    async def _follow(self, chosen: PlaceChoice) -> bool:
        """Does what was chosen in a place; True where a session is open afterwards."""
        path = chosen.path
        name, _, tab = chosen.action.partition(".")
        if path == Path() and tab:
            workspace = await self._app.bring(tab)
            before = workspace.play
            workspace.bench.warm_configured()
            await workspace.new()
            return workspace.play is not before
        if path == Path() and name in WORKSPACES:
            await self._app.go(name)
            return True
        if name == "retry":
            await self._app.workspace.action("retry")()
            return True
        if path == Path():
            behind = [one for one in self._stack if one.ABOUT == "home_about"]
            self._stack = behind if name != "home" else []
            self._push(self._place(name))
        elif chosen.other is not None and kind_of(path) is None:
            from .comparing import compare

            await compare(self._app, path, chosen.other)
        elif chosen.other is not None:
            from .screens.comparison import of_folders

            self._push(of_folders(path, chosen.other))
        elif chosen.action == "sessions":
            from .screens.library import LibraryScreen

            self._push(LibraryScreen(self._app.library, path))
        elif kind_of(path) is not None:
            self._push(self._list_of(path))
        else:
            return await self._open_chosen(chosen)
        return False

    def _list_of(self, folder: Path | None) -> Place:
        """Returns the place of a folder: a study, an audit, a batch or saved sessions;
        None: the library.
        """
        if folder is None or kind_of(folder) is None:
            from .screens.library import LibraryScreen

            return LibraryScreen(self._app.library, folder)
        if kind_of(folder) == "study":
            from .screens.study import StudyScreen

            return StudyScreen(folder, self._app.config)
        if _audited(folder):
            from .screens.comparison import of_audit

            return of_audit(folder)
        from .screens.batch import BatchScreen

        return BatchScreen(folder)

    async def _open_chosen(self, chosen: PlaceChoice) -> bool:
        """Opens a session; where it cannot be opened, the place is shown again."""
        if not await self.open_path(chosen.path, at_start=chosen.action == "replay"):
            return False
        self._entered = chosen.path
        self._app.say_place()
        if chosen.action == "fork":
            await self._app.workspace.action("fork")()
        elif chosen.action == "export":
            self._app.workspace.action("export")()
        return True

    def open_folder(self, folder: Path) -> None:
        """Shows the sessions of a batch, and behind them Home."""
        self._app.dialog(self._begin(self._place("home"), self._list_of(folder)))

    def can_compare(self) -> bool:
        play = self._app.workspace.play
        return play is not None and play.session.header.parent is not None

    async def do_compare(self) -> None:
        from .comparing import compare_with_parent

        if self._app.workspace.play is not None and not self._app.workspace.withholds():
            await compare_with_parent(self._app, self._app.workspace.play, self._folder)

    can_parent = can_compare

    async def do_parent(self) -> None:
        """Opens the session that this one came from, where the two parted."""
        from .comparing import parent_of

        play = self._app.workspace.play
        path = (
            await parent_of(self._app, play, self._folder) if play is not None else None
        )
        if play is None or path is None:
            return
        number = (
            play.session.header.parent.number
            if play.session.header.parent is not None
            else 0
        )
        await self.open_path(path, at=number)
        if self._app.workspace.play is not play:
            self._app.say(t("app.at_parent", n=number))

    def parent_title(self) -> str:
        """Returns the title of the session that the one in front was handed over from;
        "" where it is not in the library.

        It is looked for once.
        """
        play = self._app.workspace.play
        parent = play.session.header.parent if play is not None else None
        if parent is None or parent.why != "handover":
            return ""
        if parent.id not in self._titles:
            near = (
                each.play.session.header
                for each in self._app.workspaces.values()
                if each.play is not None
            )
            title = next(
                (header.title for header in near if header.id == parent.id), None
            )
            path = (
                self._app.library.path_of(parent.id, *filter(None, [self._folder]))
                if title is None
                else None
            )
            with suppress(SessionError):
                title = (
                    self._app.library.whole_title(path) if path is not None else title
                )
            self._titles[parent.id] = title or ""
        return self._titles[parent.id]

    async def open_path(
        self, path: Path, at_start: bool = False, at: int | None = None
    ) -> bool:
        """Opens a session file; False, after one sentence on what is wrong, where it
        cannot be opened.

        `at`: the event to look at (None: the last).
        """
        from ..sessions.journal import Journal
        from .play import Play

        runner = self._app.runs.at(path)
        if runner is not None:
            await self.show_run(runner, 0 if at_start else at)
            return True
        needed = needed_elsewhere(path)
        try:
            journal = Journal.open(path, write=not at_start and not needed)
        except BadInput as error:
            self._app.say(clean(str(error)), "error")
            return False
        if needed:
            journal.why_read_only = t("follow.read_only")
        cursor = (
            0
            if at_start
            else None
            if at is None
            else min(max(at, 0), len(journal.session.events))
        )
        return await self.open_play(Play(journal, cursor, at_start))

    async def open_play(self, play: Play) -> bool:
        """Opens a session in the tab of its workspace; returns False if there is no
        such tab. A run in that tab continues in the background.
        """
        name = play.session.workspace
        if name not in WORKSPACES:
            self._app.say(t("app.no_tab", name=clean_line(name)), "error")
            play.close()
            return False
        workspace = await self._app.bring(name)
        await workspace.open(play)
        return True


def _audited(folder: Path) -> bool:
    """Whether the folder holds an audit that is not running."""
    from ..engines.batches.registry import has_runner

    return (folder / "audit.jsonl").is_file() and not has_runner(folder)


def needed_elsewhere(path: Path) -> bool:
    """Whether the runner of a batch is at work in the folder of a session: it must find
    every one of its sessions free.
    """
    if not (path.parent / "batch.json").is_file():
        return False
    from ..engines.batches.registry import has_runner

    return has_runner(path.parent)
