"""Which session is opened: by its file, out of the library, the one that waits, or
beside the one it came from.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from ..sessions.errors import BadInput, SessionError
from ..sessions.folders import kind_of
from ..sessions.methods import WORKSPACES
from ..texts import t
from .host import Host
from .showing import clean

if TYPE_CHECKING:
    from .play import Play
    from .runner import SessionRunner
    from .screens.batch import BatchScreen
    from .screens.library import LibraryChoice, LibraryScreen
    from .screens.machine import MachineScreen
    from .screens.study import StudyScreen
    from .workspaces.base import Workspace


class Tabbed(Host, Protocol):
    """An app with a tab for each workspace."""

    unfinished: str
    """What the session is called that waits to go on; empty: none."""

    workspaces: dict[str, Workspace]
    """Those that have been opened, by name."""

    @property
    def workspace(self) -> Workspace:
        """The workspace in front."""
        ...

    async def bring(self, name: str) -> Workspace:
        """Opens the tab of a workspace."""
        ...


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
        self._library_before: LibraryScreen | None = None
        self._batch_before: BatchScreen | None = None
        self._study_before: StudyScreen | None = None
        self._machine_before: MachineScreen | None = None

    def do_library(self) -> None:
        self._app.dialog(self._open_dialog(self._folder))

    def can_running(self) -> bool:
        return bool(self._app.runs.unseen)

    def do_running(self) -> None:
        self._app.dialog(self._choose_run())

    async def _choose_run(self) -> None:
        """Shows what runs, and goes to what is chosen there."""
        from .screens.running_sessions import RunningScreen

        chosen = await self._app.ask(RunningScreen(self._app.runs))
        if chosen is not None:
            await self.show_run(chosen)

    def do_machine(self) -> None:
        self._app.dialog(self._choose_on_machine())

    async def _choose_on_machine(self) -> None:
        """Shows the batches and studies of this machine; what is opened there leads
        back to the list.
        """
        from .screens.machine import MachineScreen

        while True:
            self._machine_before = MachineScreen(
                self._app.library.paths, like=self._machine_before
            )
            folder = await self._app.ask(self._machine_before)
            if folder is None:
                return
            if await self._choose(folder):
                return

    async def show_run(self, runner: SessionRunner, at: int | None = None) -> None:
        """Goes to a session that is open. `at`: the event to look at (None: the last)."""
        if runner.play is None:
            return
        workspace = await self._app.bring(runner.play.session.workspace)
        if workspace.runner is not runner:
            await workspace.attach(runner)
        await workspace.bench.look(
            len(runner.play.session.events) if at is None else at
        )

    async def _open_dialog(self, folder: Path | None) -> None:
        await self._choose(folder)

    async def _choose(self, folder: Path | None) -> bool:
        """Shows the library, or a batch, and does what is chosen there.

        What was opened from the library leads back to it.

        True where something was opened in the end.
        """
        shown: Path | str = "left"
        if folder is not None and kind_of(folder) is not None:
            shown = await self._show_run(folder)
            if not isinstance(shown, Path):
                return shown == "opened"
            folder = shown
        while True:
            chosen = await self._ask_library(folder)
            if chosen is None:
                if folder is None or kind_of(folder) is None:
                    return False
                shown = await self._show_run(folder)  # back to the batch
                if not isinstance(shown, Path):
                    return shown == "opened"
                folder = shown
            elif chosen.action == "compare" and chosen.other is not None:
                if not await self._compare(chosen.path, chosen.other):
                    return True
            elif kind_of(chosen.path) is not None:
                shown = await self._show_run(chosen.path)
                if shown == "opened":
                    return True
                folder = shown if isinstance(shown, Path) else folder
            else:
                await self._open_chosen(chosen)
                return True

    async def _ask_library(self, folder: Path | None) -> LibraryChoice | None:
        """Shows a list of sessions as it was left, and returns what is chosen."""
        from .screens.library import LibraryScreen

        before = self._library_before
        screen = LibraryScreen(
            self._app.library,
            folder,
            like=before if before is not None and before.opened == folder else None,
        )
        self._library_before = screen
        chosen: LibraryChoice | None = await self._app.ask(screen)
        self.listed |= screen.listed
        return chosen

    async def _open_chosen(self, chosen: LibraryChoice) -> None:
        await self.open_path(chosen.path, at_start=chosen.action == "replay")
        if chosen.action == "fork":
            await self._app.workspace.action("fork")()
        elif chosen.action == "export":
            self._app.workspace.action("export")()

    async def _compare(self, first: Path, second: Path) -> bool:
        """Shows two sessions beside each other, or compares two batches; True where the
        list is wanted again afterwards.
        """
        from .comparing import compare

        if kind_of(first) is None:
            compare(self._app, first, second)
            return False
        from .screens.comparison import of_folders

        await self._app.ask(of_folders(first, second))
        return True

    async def _show_run(self, folder: Path) -> Path | Literal["opened", "left"]:
        """Shows a batch or a study while it runs, and opens what is chosen there; a
        folder: its sessions are wanted as a list.
        """
        if kind_of(folder) == "study":
            from .screens.study import StudyScreen

            last = self._study_before
            study = self._study_before = StudyScreen(
                folder,
                self._app.config,
                last if last is not None and last.folder == folder else None,
            )
            chosen = await self._app.ask(study)
            found = chosen.path if chosen is not None else None
        else:
            from .screens.batch import BatchScreen

            before = self._batch_before
            batch = self._batch_before = BatchScreen(
                folder,
                like=before if before is not None and before.folder == folder else None,
            )
            choice = await self._app.ask(batch)
            self.listed |= batch.listed
            found = (choice.path or folder) if choice is not None else None
        if found is None:
            return "left"
        if kind_of(found) is not None:
            return found
        await self.open_path(found)
        return "opened"

    def open_folder(self, folder: Path) -> None:
        """Shows the sessions of a batch."""
        self._app.dialog(self._open_dialog(folder))

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

    def can_resume(self) -> bool:
        return bool(self._app.unfinished)

    async def do_resume(self) -> None:
        """Continues the last unfinished session."""
        from .play import last_unfinished

        entry = last_unfinished(self._app.library)
        if entry is None:
            self._app.say(t("app.nothing_unfinished"), "warning")
        else:
            self._app.unfinished = ""
            await self.open_path(entry.path)

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
        needed = _needed_elsewhere(path)
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
        such tab. What runs there goes on unseen.
        """
        name = play.session.workspace
        if name not in WORKSPACES:
            self._app.say(t("app.no_tab", name=clean(name, newlines=False)), "error")
            play.close()
            return False
        workspace = await self._app.bring(name)
        await workspace.open(play)
        return True


def _needed_elsewhere(path: Path) -> bool:
    """Whether the runner of a batch is at work in the folder of a session: it must find
    every one of its sessions free.
    """
    if not (path.parent / "batch.json").is_file():
        return False
    from ..engines.batches.folder import has_runner

    return has_runner(path.parent)
