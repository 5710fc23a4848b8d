"""The app: a tab for each workspace, one line above, one line of keys below."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterable
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding
from textual.content import Content
from textual.events import DescendantFocus
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static, TabbedContent, TabPane

from ..engines.models.config import Config
from ..sessions.clean import clean
from ..sessions.errors import BadInput
from ..sessions.paths import paths
from . import actions, breaking
from .defects import ReportingApp
from .fitting import fit
from .leaving import LeavingApp
from .play import WORKSPACES
from .slim_app import REPAINT, SlimApp
from .texts import t
from .themes import DARK, THEMES
from .typeahead import TypeAheadApp
from .widgets.keyline import KeyLine

if TYPE_CHECKING:
    from ..sessions.library import Library
    from .play import Play
    from .screens.library import LibraryScreen
    from .screens.lineup import LineupScreen
    from .workspaces.base import Workspace


def types_in(widget: Widget | None) -> bool:
    """Whether keys are typed into this widget."""
    return hasattr(widget, "cursor_blink")


class VerifyTui(SlimApp, TypeAheadApp, LeavingApp, ReportingApp):
    """Holds what all workspaces share: configuration, library, keys, messages."""

    CSS_PATH = ["app.tcss", "workspaces/debate.tcss"]
    TITLE = "VerifyTUI"
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"
    AUTO_FOCUS = None
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]

    def __init__(
        self,
        config: Config,
        first: Play | None = None,
        *,
        run: bool = False,
        speed: str = "1",
        theme: str | None = None,
        folder: Path | None = None,
        annotator: str | None = None,
    ) -> None:
        super().__init__()
        breaking.install()
        self.annotator = annotator
        """Whose labels are given here; None: nobody has said."""
        self.config = config
        self._first = first
        self._folder = folder
        self._shelf: LibraryScreen | None = None
        self._run_at_once = run
        self._speed = speed
        self.keys_of, self._bad_keys = actions.keymap(
            {name: keys if isinstance(keys, str) else ",".join(keys) for name, keys in config.keymap.items()}
        )
        self._bindings = actions.bindings(self.keys_of)
        self._bindings._add_binding(Binding("ctrl+c", "do('quit')", show=False))  # what a hand does without thinking in a terminal
        self._bindings._add_binding(Binding(self.COMMAND_PALETTE_BINDING, "command_palette", show=False, priority=True))
        if not any(REPAINT.key in keys.split(",") for keys in self.keys_of.values()):
            self._bindings._add_binding(REPAINT)
        for made in THEMES.values():
            self.register_theme(made)
        self._wanted_theme = theme or config.theme or "dark"
        self.front = first.session.workspace if first is not None and first.session.workspace in WORKSPACES else WORKSPACES[0]
        """Whose tab is open."""
        self.stream_interval = 1 / 10
        self.animation_level = "none"

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The speakers' colours, where a theme of Textual's own names none."""
        return DARK.variables

    def compose(self) -> ComposeResult:
        yield Static(Content.styled(" VerifyTUI", "bold"), id="place")
        with TabbedContent(initial=f"tab-{self.front}", id="tabs"):
            for number, name in enumerate(WORKSPACES, 1):
                yield TabPane(Content(f"{number} {t(f'app.{name}')}"), id=f"tab-{name}")
        yield KeyLine(self.keys_of, self.front)

    @cached_property
    def library(self) -> Library:
        from ..sessions.library import Library

        return Library(paths())

    @property
    def workspace(self) -> Workspace:
        """The one in front; mounted after the first paint, or when its tab is first opened."""
        return self.workspace_of(self.front)

    def workspace_of(self, name: str) -> Workspace:
        if name not in self._made:
            made = import_module(f".workspaces.{name}", __package__)
            self._made[name] = getattr(made, f"{name.capitalize()}Workspace")()
        return self._made[name]

    async def bring(self, name: str) -> Workspace:
        """Opens the tab of a workspace, which is made when it is first needed."""
        workspace = self.workspace_of(name)
        if not workspace.is_attached:
            workspace.speed = self._speed
            await self.screen_stack[0].query_one(f"#tab-{name}").mount(workspace)
        if self.front != name:
            self.front = name
            self.screen_stack[0].set_focus(None)  # a focus in the tab that is left would open that tab again
            with self.prevent(TabbedContent.TabActivated):
                self.screen_stack[0].query_one("#tabs", TabbedContent).active = f"tab-{name}"
            self.screen_stack[0].query_one(KeyLine).tell(name)
            self.call_after_refresh(self._give_keys, name)
            self.say_place()
        return workspace

    def _give_keys(self, name: str) -> None:
        """Focuses what is read in a tab, unless another one has been opened since: a focus there would open it again."""
        if self.front == name:
            self.workspace_of(name).focus_words()

    async def on_tabbed_content_tab_activated(self, event: TabbedContent.TabActivated) -> None:
        name = (event.pane.id or "").removeprefix("tab-")
        late = event.tabbed_content.active != event.pane.id  # another tab has been opened since
        if not late and name != self.front and name in WORKSPACES:
            await self.show_tab(name)

    async def show_tab(self, name: str) -> None:
        """Opens a tab; the first time with the example of its method."""
        workspace = await self.bring(name)
        if workspace.play is None:
            await workspace.open(self._example(name))

    def _example(self, name: str) -> Play:
        try:
            return self.workspace_of(name).example(self.config)
        except BadInput as error:  # a setting of the user's that cannot be used
            self.say(clean(str(error)), "error")
            return self.workspace_of(name).example(Config())

    async def do_tab_after(self) -> None:
        await self._next_tab(1)

    async def do_tab_before(self) -> None:
        await self._next_tab(-1)

    async def _next_tab(self, by: int) -> None:
        await self.show_tab(WORKSPACES[(WORKSPACES.index(self.front) + by) % len(WORKSPACES)])

    def on_mount(self) -> None:
        self.hear_defects()
        self.theme = THEMES.get(self._wanted_theme, DARK).name
        self.call_after_refresh(self._begin)
        if not self.is_headless:
            self.end_on_signals()
        self.set_interval(1.0, self._follow)

    async def _begin(self) -> None:
        """After the first paint: everything that may take time."""
        workspace = await self.bring(self.front)
        gc.freeze()  # what is there before the first session stays for good: collections need not look through it
        wanted = self._wanted_theme
        if wanted not in THEMES and wanted in self.available_themes:
            self.theme = wanted
        elif wanted not in THEMES:
            self.say(t("app.unknown_theme", name=clean(wanted, newlines=False), known=", ".join(THEMES)), "warning")
        for entry, why in self._bad_keys:
            self.say(t("app.bad_key", entry=clean(entry, newlines=False), why=t(f"keys.{why.replace('-', '_')}")), "warning")
        if self._first is not None:
            await workspace.open(self._first)
        else:
            await workspace.open(self._example(self.front))
            if self._folder is not None:
                self.open_folder(self._folder)
            else:
                await self._offer_last()
        if self._run_at_once:
            workspace.do_run()

    async def _offer_last(self) -> None:
        from .play import last_unfinished

        entry = await asyncio.to_thread(last_unfinished, self.library)
        if entry is not None:
            self.say(t("app.unfinished", key=actions.shown(self.keys_of["resume"]), name=clean(entry.title, newlines=False)), "warning")

    # Messages

    def say_place(self) -> None:
        """The line above: which session, where in it, whether it is on disk."""
        play = self.workspace.play
        if play is None or not self.workspace.is_attached:
            return
        where = t("app.step", n=play.cursor, of=len(play.session.events))
        state = t("app.draft" if play.draft else "app.saved" if play.journal.writable else "app.read_only")
        name, tail = f" VerifyTUI · {t(f'app.{self.front}')}", f" · {where} · {state}"
        title = fit(play.session.title, max(self.size.width - cell_len(name + tail) - 4, 4)).rstrip()
        gap = " " * max(self.size.width - cell_len(name + title + tail) - 1, 1)
        line = Content.assemble((name[:10], "bold"), (name[10:], "$quiet"), gap, (title + tail, "$quiet"))
        self.screen_stack[0].query_one("#place", Static).update(line, layout=False)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """A cursor that blinks sends bytes while nothing happens."""
        if types_in(event.widget):
            event.widget.cursor_blink = False  # type: ignore[attr-defined]

    def on_resize(self) -> None:
        if self._open:
            self.say_place()

    # Keys and the palette

    async def action_do(self, name: str, key: str = "") -> None:
        """Every key and every palette entry comes through here."""
        if len(self.screen_stack) > 1 or not (self._open or name == "quit"):
            return
        if not actions.belongs(name, self.front):
            return
        own = getattr(self, f"do_{name}", None) or getattr(self.workspace, f"do_{name}")
        result = own(int(key)) if name in actions.DIGITS else own()
        if result is not None and hasattr(result, "__await__"):
            await result

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action != "do":
            return True
        return len(self.screen_stack) == 1 and not types_in(self.focused) and actions.belongs(str(parameters[0]), self.front)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        for action in actions.ACTIONS:
            if action.id not in actions.DIGITS and actions.belongs(action.id, self.front):
                keys, (word, about) = actions.shown(self.keys_of[action.id]), actions.said(action.id, self.front)
                yield SystemCommand(word, f"{keys}  {about}".strip(), lambda name=action.id: self.run_action(f"do('{name}')"))
        yield SystemCommand(t("app.theme"), t("app.theme_help"), self.action_change_theme)

    async def on_lineup_screen_swapped(self, event: LineupScreen.Swapped) -> None:
        await self.workspace.on_lineup_screen_swapped(event)

    def do_help(self) -> None:
        from .screens.help import HelpScreen

        rows = [
            (
                actions.shown(self.keys_of[action.id]),
                *actions.said(action.id, self.front),
                t(f"section.{action.section}"),
            )
            for action in actions.ACTIONS
            if actions.belongs(action.id, self.front)
        ]
        self.push_screen(HelpScreen(rows))

    def do_search(self) -> None:
        from .screens.search import SearchBar

        if not self.workspace.query(SearchBar):
            self.workspace.mount(SearchBar())

    def do_library(self) -> None:
        if not self.workspace.busy():
            self.run_worker(self._library(self._folder), group="dialog", exit_on_error=False)

    async def _library(self, folder: Path | None) -> None:
        from .screens.library import LibraryScreen

        screen = LibraryScreen(self.library, folder, like=self._shelf)
        self._shelf = screen
        chosen = await self.push_screen_wait(screen)
        if chosen is None:
            return
        from .choosing import carry_out

        await carry_out(self, chosen)

    def open_folder(self, folder: Path) -> None:
        """The sessions of a batch."""
        self.run_worker(self._library(folder), group="dialog", exit_on_error=False)

    def do_compare(self) -> None:
        from .choosing import compare_with_parent

        compare_with_parent(self)

    async def do_resume(self) -> None:
        """Continues the last unfinished session."""
        from .play import last_unfinished

        entry = last_unfinished(self.library)
        if entry is None:
            self.say(t("app.nothing_unfinished"), "warning")
        elif not self.workspace.busy():
            await self.open_path(entry.path)

    async def open_path(self, path: Path, at_start: bool = False) -> None:
        """Opens a session file; what is wrong with it is said in one sentence."""
        from ..sessions.journal import Journal
        from .play import Play, same_file

        for name, workspace in self._made.items():
            play = workspace.play
            if play is not None and play.journal.writable and play.journal.path and same_file(play.journal.path, path):
                await self.bring(name)
                await workspace.look(0 if at_start else len(play.session.events))
                return
        try:
            journal = Journal.open(path, write=not at_start)
        except BadInput as error:
            self.say(clean(str(error)), "error")
            return
        await self.open_play(Play(journal, 0 if at_start else None, at_start))

    async def open_play(self, play: Play) -> bool:
        """Opens a session in the tab of its workspace, unless something runs there; False then."""
        name = play.session.workspace
        if name not in WORKSPACES:
            self.say(t("app.no_tab", name=clean(name, newlines=False)), "error")
            play.close()
            return False
        workspace = await self.bring(name)
        if workspace.play is not None and workspace.busy():
            play.close()
            return False
        await workspace.open(play)
        return True

    # Background

    def warm_models(self) -> None:
        """Loads LiteLLM after the paint, and only if somebody sits on a seat who needs it."""
        play = self.workspace.play
        if play is None or not play.journal.writable or play.finished:
            return
        from .words import BUILT_IN

        seats = [play.session.seat(role) for role in play.session.header.lineup]
        if any(seat.model not in BUILT_IN for seat in seats):
            from ..engines.models.litellm_loading import warm

            warm()

    async def _follow(self) -> None:
        for workspace in self._made.values():
            await workspace.follow()

    @property
    def _open(self) -> bool:
        """Whether a session is shown."""
        return self.front in self._made and self._made[self.front].play is not None
