"""The app: a tab for each workspace, one line above, one line of keys below."""

from __future__ import annotations

import asyncio
import gc
import os
import time
from collections.abc import Collection, Coroutine, Iterable, Sequence
from functools import cached_property
from importlib import import_module
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import RenderableType
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding
from textual.containers import Container
from textual.driver import Driver
from textual.events import Click, DescendantFocus, Event, Resize
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import ContentSwitcher
from textual.worker import (
    NoActiveWorker,
    Worker,
    WorkerCancelled,
    WorkerState,
    get_current_worker,
)

from ..engines.models.config import Config
from ..sessions.errors import BadInput
from ..sessions.methods import WORKSPACES
from ..sessions.paths import paths
from ..texts import t
from . import actions, defects
from .action_app import Doing
from .app_theme import AppTheme, legible
from .session_opener import SessionOpener
from .showing import clean, clean_line
from .shutdown import Shutdown
from .state import state_of
from .terminal import clipboard, linebreaks
from .terminal.attention import TerminalNotifier
from .terminal.colors import TerminalAnswer, fills_in_color
from .terminal.compat import OpenApp, Palette, mend_page_keys
from .terminal.driver import TerminalDriver
from .terminal.typeahead import TypeAhead
from .terminal.writer import Slim
from .themes import DARK, LIGHT, SHORT, THEMES
from .welcome import welcome
from .widgets.header import CLICK, TabHeader
from .widgets.keyline import KeyLine
from .widgets.origin import OriginLine

if TYPE_CHECKING:
    from ..engines.studies.rating import BlindRater
    from ..sessions.library import Library
    from .play import Play
    from .runs import OpenSessions
    from .screens.focus import Entry
    from .screens.lineup import LineupScreen
    from .workspaces.base import LabelingSession, Workspace

Result = TypeVar("Result")

REPAINT = Binding("ctrl+l", "repaint", priority=True)
"""The key that draws the screen again after something else has written on it; in
dialogs too.
"""

SECONDS: dict[SeverityLevel, int] = {"information": 3, "warning": 6, "error": 10}
"""How long a message stays."""


def types_in(widget: Widget | None) -> bool:
    """Whether keys are typed into this widget, or into the form that it belongs to."""
    if widget is None or hasattr(widget, "cursor_blink"):
        return widget is not None
    return any(getattr(node, "takes_keys", False) for node in widget.ancestors)


class VerifyTui(OpenApp):
    """Holds what all workspaces share: configuration, library, keys, messages.

    It is their `Host`.
    """

    CSS_PATH = ["app.tcss", "workspaces/debate/debate.tcss"]
    TITLE = "VerifyTUI"
    ENABLE_COMMAND_PALETTE = True
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
        sitting: LabelingSession | None = None,
        rater: BlindRater | None = None,
        home: bool = False,
    ) -> None:
        """`first`: the session to open. `folder`: the sessions of a batch to choose
        from. `sitting`: the pairs that a person labels, with nothing else available;
        `rater`: the same for answers. `home`: open Home first if it has something to
        show.
        """
        super().__init__()
        linebreaks.install()
        mend_page_keys()
        self.config = config
        self.workspaces: dict[str, Workspace] = {}
        """Those whose tab has been opened, by name."""
        self.typeahead = TypeAhead(self, super().on_event)
        self.ending = Shutdown(
            self, self.typeahead, lambda: [*self.workspaces.values(), *self.runs.unseen]
        )
        self._defects = defects.Defects(self)
        self._attention = TerminalNotifier(self, config.notify, os.environ)
        self._slim = Slim(fills_in_color)
        self._first = first
        self._folder = folder
        self._sitting = sitting
        self._rater = rater
        self._home = home
        self.opening = SessionOpener(self, folder)
        self._doing = Doing(self, self.opening, sitting is not None)
        self._run_at_once = run
        self._speed = speed
        self.keys_of, self._bad_keys = actions.keymap(actions.keys_in(config))
        self._set_keys()
        for each in THEMES.values():
            self.register_theme(each)
        self._look = AppTheme(theme, config, os.environ)
        wanted = (
            sitting.tab
            if sitting is not None
            else first.session.workspace
            if first is not None
            else ""
        )
        self.front = wanted if wanted in WORKSPACES else WORKSPACES[0]
        """Whose tab is open."""
        self.stream_interval = 1 / 10
        self.animation_level = "none"

    def _set_keys(self) -> None:
        more = [Binding("ctrl+c", "do('quit')")]  # a habit in terminals
        if not any(REPAINT.key in keys.split(",") for keys in self.keys_of.values()):
            more.append(REPAINT)
        self.listen_to(actions.bindings(self.keys_of), *more)

    def get_css_variables(self) -> dict[str, str]:
        variables = super().get_css_variables()
        if self.current_theme in THEMES.values():
            return variables
        return legible(variables, self.current_theme)

    def compose(self) -> ComposeResult:
        yield TabHeader(self.keys_of, self.front)
        yield OriginLine(actions.shown(self.keys_of["parent"]))
        with ContentSwitcher(initial=f"tab-{self.front}", id="tabs"):
            for name in WORKSPACES:
                yield Container(id=f"tab-{name}")
        yield KeyLine(self.keys_of, self.front)

    @cached_property
    def library(self) -> Library:
        from ..sessions.library import Library

        return Library(paths())

    @cached_property
    def runs(self) -> OpenSessions:
        from .runs import OpenSessions

        return OpenSessions(self)

    @property
    def workspace(self) -> Workspace:
        """The workspace in front; mounted after the first paint, or when its tab is
        first opened.
        """
        return self.workspace_of(self.front)

    def workspace_of(self, name: str) -> Workspace:
        """Returns the workspace of a tab; it is made when it is first needed."""
        if name not in self.workspaces:
            module = import_module(f".workspaces.{name}.workspace", __package__)
            self.workspaces[name] = getattr(module, f"{name.capitalize()}Workspace")(
                self
            )
        return self.workspaces[name]

    async def bring(self, name: str) -> Workspace:
        """Opens the tab of a workspace."""
        workspace = self.workspace_of(name)
        comes = not workspace.is_attached or self.front != name
        if not workspace.is_attached:
            workspace.runner.speed = self._speed
            await self.screen_stack[0].query_one(f"#tab-{name}").mount(workspace)
        if self.front != name:
            self.front = name
            self.screen_stack[0].query_one(
                "#tabs", ContentSwitcher
            ).current = f"tab-{name}"
            self.screen_stack[0].set_focus(None)  # keys do not reach what is hidden
            self.say_place()
        if comes:
            self.call_after_refresh(self._give_keys, name)
        return workspace

    def _give_keys(self, name: str) -> None:
        """Focuses what is read in a tab, unless another one has been opened since."""
        if self.front == name:
            self.workspace_of(name).take_keys()

    async def show_tab(self, name: str) -> None:
        """Opens a tab; the first time with the example of its method."""
        workspace = await self.bring(name)
        if workspace.play is None:
            await self._greet(workspace)

    async def _greet(self, workspace: Workspace) -> None:
        """Opens the example of a tab with a word of welcome above it."""
        front = workspace.tab
        await workspace.greet(
            self._example(front),
            lambda width: welcome(front, self.keys_of, width),
        )
        await self.opening.seating.greet(workspace)

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
        await self.show_tab(
            WORKSPACES[(WORKSPACES.index(self.front) + by) % len(WORKSPACES)]
        )

    def on_mount(self) -> None:
        self._defects.listen(lambda: self.is_running)
        self.theme = THEMES.get(self._look.wanted.name, DARK).name
        self.call_after_refresh(self._begin)
        self.set_interval(1.0, self._follow)

    async def _begin(self) -> None:
        """Does, after the first paint, everything that may take time."""
        from .memory import collect_in_quiet_seconds
        from .seating import home_is_of_use

        at_home = self._home and await home_is_of_use(self.config)
        if not at_home:
            await self.bring(self.front)
        # what is there before the first session stays: collections need not look
        # through it
        gc.freeze()
        if not self.is_headless:
            collect_in_quiet_seconds()
        self._take_theme(*self._look.wanted)
        for entry, why in self._bad_keys:
            self.say(
                t(
                    "app.bad_key",
                    entry=clean_line(entry),
                    why=t(f"keys.{why.replace('-', '_')}"),
                ),
                "warning",
            )
        workspace = self.workspace
        if self._sitting is not None:
            await workspace.take_up(self._sitting)
        elif self._first is not None:
            await workspace.open(self._first)
        elif self._folder is not None:
            self.opening.open_folder(self._folder)
        elif at_home:
            self.opening.open_place("home")
        else:
            await self._greet(workspace)
            if self._rater is not None:
                self.dialog(self._rate(self._rater))
        if self._run_at_once:
            workspace.do_run()

    async def _rate(self, rater: BlindRater) -> None:
        """Lets a person rate answers, and leaves."""
        from .screens.rating import RatingScreen

        await self.ask(RatingScreen(rater))
        self.exit()

    def _take_theme(self, name: str, where: str) -> None:
        """Takes a theme that is not one of ours, and from now on remembers what the
        user chooses.
        """
        if name not in THEMES and name in self.available_themes:
            self.theme = name
        elif name not in THEMES:
            words = {
                "name": clean_line(name),
                "where": clean_line(where),
            }
            self.say(
                t(
                    "app.unknown_theme",
                    **words,
                    known=", ".join([*THEMES, *self.available_themes]),
                ),
                "warning",
            )
        self.theme_changed_signal.subscribe(
            self, lambda theme: self._look.remember(SHORT.get(theme.name, theme.name))
        )

    # Messages and dialogs

    @property
    def defects(self) -> list[BaseException]:
        """Those that were reported since the start."""
        return self._defects.seen

    def key(self, action: str) -> str:
        return actions.first(self.keys_of, action)

    def say(self, message: str, severity: SeverityLevel = "information") -> None:
        """Shows a message at the corner; never parsed as markup, and without control
        characters.
        """
        # it is said once at a time, as long as it was said last
        self.forget_message(clean(message))
        self.notify(
            clean(message), severity=severity, timeout=SECONDS[severity], markup=False
        )

    def call_user(self, text: str) -> None:
        self._attention.call(text)

    def name_window(self, text: str) -> None:
        self._attention.name_window(text)

    def result_listed(self, path: Path | None) -> bool:
        return path in self.opening.listed

    def report(self, error: BaseException) -> None:
        self._defects.report(error)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Reports a defect in the background; the app continues."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            self.report(error)

    def last_words(self, error: BaseException | None) -> str:
        return defects.last_words(error)

    def dialog(self, work: Coroutine[Any, Any, None]) -> None:
        self.run_worker(work, group="dialog", exit_on_error=False)

    async def ask(self, screen: Screen[Result]) -> Result | None:
        try:
            get_current_worker()
        except NoActiveWorker:  # Textual waits for a screen only in its own workers
            worker = self.run_worker(
                self.push_screen_wait(screen), group="ask", exit_on_error=False
            )
            try:
                return await worker.wait()
            except (
                WorkerCancelled
            ):  # so Textual says that whoever waits has been cancelled
                raise asyncio.CancelledError from None
        return await self.push_screen_wait(screen)

    def copy(self, text: str) -> None:
        clipboard.copy(self, text)
        if not clipboard.answers(os.environ):
            path = clipboard.keep(paths(), text)
            self.say(t("app.copied_to", path=clean_line(str(path))))

    def say_place(self) -> None:
        """Shows above what is open and in which state, and below the keys that can be
        used now.
        """
        workspace = self.workspaces.get(self.front)
        if workspace is None or workspace.play is None or not workspace.is_attached:
            return
        state = state_of(workspace.runner)
        busy = {
            name: "◆" if each.runner.question is not None else "*"
            for name, each in self.workspaces.items()
            if each.running
        }
        screen = self.screen_stack[0]
        if not (
            screen.query("TabHeader")
            and screen.query("KeyLine")
            and screen.query("OriginLine")
        ):
            return  # the screen is being taken down
        title = " › ".join(dict.fromkeys([*self.opening.crumbs(), workspace.title]))
        screen.query_one(TabHeader).tell(
            self.front, busy, self.runs.badge(), title, state
        )
        screen.query_one(KeyLine).display = not workspace.has_keys
        reading = workspace.reads and state.kind not in ("labelling", "deciding")
        screen.query_one(KeyLine).tell(
            self.front,
            "reading" if reading else state.kind,
            self._doing.can,
            self._sitting.scale if self._sitting is not None else None,
        )
        screen.query_one(OriginLine).tell(
            workspace.play.session, self.size.width, self.opening.parent_title()
        )

    @property
    def works(self) -> Collection[Worker[object]]:
        return self.workers

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Stops cursors from blinking, which would send bytes while nothing happens."""
        if hasattr(event.widget, "cursor_blink"):
            event.widget.cursor_blink = False

    # The terminal

    def to_write(self, update: RenderableType | None) -> RenderableType | None:
        return self._slim.of(update)

    def action_repaint(self) -> None:
        """Draws the whole screen again, whatever the terminal shows."""
        self._slim.forget()
        if self.screen_stack:
            self.screen.refresh()

    def on_resize(self, event: Resize) -> None:
        """Forgets what the terminal shows: after a change of size, or another program,
        that may be anything.
        """
        if self.is_open:
            self.say_place()
        # back from another program, or from another size before anything was drawn
        if self._slim.size == event.size:
            self.action_repaint()
        self._slim.forget()

    def on_terminal_answer(self, answer: TerminalAnswer) -> None:
        """Leaves blanks to a terminal that says it fills them, and takes the light look
        on a light background where nobody has chosen another.
        """
        if answer.fills:
            self._slim.fills = lambda: True
        if answer.light and self._look.take_light():
            self.theme = LIGHT.name

    async def on_event(self, event: Event) -> None:
        if not self.typeahead.takes(event):
            await super().on_event(event)

    def get_driver_class(self) -> type[Driver]:
        usual = super().get_driver_class()
        if issubclass(TerminalDriver, usual):
            return TerminalDriver
        return usual

    # Leaving

    async def do_quit(self) -> None:
        self.ending.begin(self._sure, unsent=self._unsent)

    async def action_quit(self) -> None:
        await self.do_quit()

    async def _sure(self) -> bool | None:
        from .screens.confirm import ConfirmScreen

        count = sum(runner.running for runner in self.runs.working)
        runs = (
            t("app.quit_running")
            if count == 1
            else t("app.quit_many", n=count)
            if count
            else ""
        )
        lost = t("app.quit_unsent") if self._unsent else ""
        return await self.ask(
            ConfirmScreen(
                " ".join(filter(None, (lost, runs))),
                t("app.quit_yes"),
                t("app.quit_no"),
            )
        )

    @property
    def _unsent(self) -> bool:
        """Whether something was written for a person's turn and not sent."""
        forms = [workspace.dock.form for workspace in self.workspaces.values()]
        return bool(self.runs.unsent) or any(
            form is not None and form.changed and not form.sent for form in forms
        )

    def tolerates(self, error: Exception) -> bool:
        return self.ending.caused(error)

    # Keys and the palette

    def do_palette(self) -> None:
        if not any(isinstance(screen, Palette) for screen in self.screen_stack):
            self.push_screen(Palette(t("app.palette"), t("app.palette_nothing")))

    def search_themes(self) -> None:
        from textual.theme import ThemeProvider

        self.push_screen(
            Palette(t("app.palette_themes"), t("app.palette_nothing"), ThemeProvider)
        )

    async def action_do(self, name: str, key: str = "") -> None:
        """Does what a key or a palette entry stands for; every one comes through
        here.
        """
        if len(self.screen_stack) > 1 or not (self.is_open or name == "quit"):
            return
        if not actions.belongs(name, self.front):
            return
        await self._doing.do(name, key)

    async def on_click(self, event: Click) -> None:
        """Does what is said where the mouse has clicked."""
        action = event.style.meta.get(CLICK)
        if action is not None and len(self.screen_stack) == 1:
            await self.run_action(str(action))

    async def action_tab(self, name: str) -> None:
        """Opens the tab that was clicked."""
        if len(self.screen_stack) == 1 and self.is_open and self._sitting is None:
            await self.show_tab(name)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action != "do":
            return True
        name = str(parameters[0])
        free = name in ("write", "help", "palette") or not types_in(self.focused)
        return (
            len(self.screen_stack) == 1 and free and actions.belongs(name, self.front)
        )

    def action_palette(self) -> None:
        self.do_palette()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        if screen is not self.screen_stack[0]:
            sheet: Any = screen
            yield from starmap(SystemCommand, sheet.commands())
            return
        for action, keys, word, about in self._doing.belonging():
            if action.id not in actions.DIGITS:
                yield SystemCommand(
                    f"{t(f'section.{action.section}')}: {word}",
                    f"{keys}  {about}".strip(),
                    lambda name=action.id: self.run_action(f"do('{name}')"),
                )
        yield SystemCommand(
            f"{t('section.look')}: {t('app.theme')}",
            t("app.theme_help"),
            self.action_change_theme,
        )

    async def on_lineup_screen_swapped(self, event: LineupScreen.Swapped) -> None:
        await self.opening.seating.swap(event)

    def do_help(self) -> None:
        from .screens.focus import purpose

        form = self.workspace.dock.form
        rows = [
            (keys, word, about, t(f"section.{action.section}"))
            for action, keys, word, about in self._doing.belonging()
        ]
        if form is not None and form.has_focus_within:
            rows = [(key, word, "", t("help.sheet")) for key, word in form.hints()]
        self._explain(rows, purpose(self.focused))

    def action_explain(self) -> None:
        """Explains the sheet in front."""
        sheet: Any = self.screen
        self._explain(sheet.key_rows(), sheet.purpose(self.focused))

    def _explain(self, rows: Sequence[Entry], about: str) -> None:
        """Says what has the focus, and lists its keys before others."""
        from .screens.focus import keys_here
        from .screens.help import HelpScreen

        self.push_screen(HelpScreen([*keys_here(self.focused), *rows], about))

    def do_go(self) -> None:
        self.dialog(self._ask_place())

    async def _ask_place(self) -> None:
        from .screens.go import GoScreen

        name = await self.ask(GoScreen())
        if name is not None:
            await self.go(name)

    async def go(self, name: str) -> None:
        if name in WORKSPACES:
            await self.show_tab(name)
        else:
            self.opening.open_place(name)

    def do_search(self) -> None:
        from .screens.search import SearchBar

        if not self.workspace.query(SearchBar):
            self.workspace.mount(SearchBar())

    async def open_path(self, path: Path, *, at: int | None = None) -> bool:
        return await self.opening.open_path(path, at=at)

    async def open_play(self, play: Play) -> bool:
        return await self.opening.open_play(play)

    # Background

    async def _follow(self) -> None:
        from .memory import collect_if_due

        for workspace in [*self.workspaces.values()]:
            await workspace.follow()
            if workspace.running:
                self.say_place()  # the seconds
        collect_if_due(time.monotonic() - self.typeahead.last_input)

    @property
    def is_open(self) -> bool:
        """Whether a session is shown."""
        return (
            self.front in self.workspaces
            and self.workspaces[self.front].play is not None
        )
