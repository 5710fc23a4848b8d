"""Every private name of Textual (and the one of Rich) that this project uses: an
upgrade is checked here.

`pyproject.toml` pins the exact version that these names belong to; a test keeps them
out of all other files. Classes here give public names to private hooks, for others to
fill; functions reach for what Textual keeps to itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from queue import Empty
from typing import Any

from rich.align import Align
from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.text import Text
from textual import content
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.binding import Binding, BindingsMap
from textual.command import CommandList, CommandPalette, Provider
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import OptionList
from textual.widgets.option_list import Option

__all__ = ["ChopsUpdate", "CompositorUpdate", "LayoutUpdate", "XTermParser"]

DivideLine = Callable[[str, int, bool], list[int]]


# The app


class OpenApp(App[None]):
    """Textual's app, with hooks for what it shows, for its errors and for its end."""

    def to_write(self, update: RenderableType | None) -> RenderableType | None:
        """Returns what is written to the terminal in the place of an update."""
        return update

    def tolerates(self, error: Exception) -> bool:
        """Whether an error in a handler is no defect, so that the app continues."""
        return False

    def last_words(self, error: BaseException | None) -> str:
        """Returns what is in the terminal after a defect has ended the app."""
        return ""

    def forget_message(self, message: str) -> None:
        """Takes a message away that is still shown."""
        for one in [*self._notifications]:
            if one.message == message:
                self._unnotify(one, refresh=False)

    def _display(
        self, screen: Screen[object], renderable: RenderableType | None
    ) -> None:
        super()._display(screen, self.to_write(renderable))

    def _handle_exception(self, error: Exception) -> None:
        if not self.tolerates(error):
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        self.panic(Text(self.last_words(self._exception)))

    def fail(self, error: Exception) -> None:
        """Deals with an error as with one in a handler: it ends the app, unless it is
        tolerated.
        """
        self._handle_exception(error)

    def listen_to(self, bindings: BindingsMap, *more: Binding) -> None:
        """Sets the keys that the app listens to."""
        self._bindings = bindings
        for binding in more:
            self._bindings._add_binding(binding)

    @property
    def exits(self) -> bool:
        """Whether the app is exiting."""
        return self._exit

    @property
    def nodes(self) -> list[MessagePump]:
        """All widgets and screens."""
        return [*self._registry]

    @property
    def event_loop(self) -> asyncio.AbstractEventLoop | None:
        """None before the app runs."""
        return self._loop


def driver_of(app: App[Any]) -> Driver | None:
    """Returns what writes to the terminal; None before the app runs."""
    return app._driver


def set_clipboard(app: App[object], text: str) -> None:
    """Sets what the app itself pastes, without a word to the terminal."""
    app._clipboard = text


async def mounted(node: MessagePump) -> None:
    """Waits until a widget is mounted."""
    await node._mounted_event.wait()


# Widgets


class Fixed:
    """Before a widget class: its scrollbars do not come and go, so its growing content
    calls for no second layout of the screen.

    Textual lays out and paints again after each change of a virtual size, which doubles
    time and bytes of every step and streamed piece.
    """

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        updated: bool = super()._size_updated(  # type: ignore[misc]
            size, virtual_size, container_size, layout=False
        )
        return updated


class Palette(CommandPalette):
    """Textual's list of what can be done, which says in its user's words that nothing
    was found.

    Each has an id of its own: an earlier one may still be on its way out of the app,
    which takes no id twice.
    """

    _numbers = count(1)

    def __init__(
        self, placeholder: str, nothing: str, *providers: type[Provider]
    ) -> None:
        super().__init__(
            providers or None,
            id=f"--command-palette-{next(self._numbers)}",
            placeholder=placeholder,
        )
        self.nothing = nothing

    def _start_no_matches_countdown(self, search_value: str) -> None:
        self._stop_no_matches_countdown()
        self._no_matches_timer = self.set_timer(
            self._NO_MATCHES_COUNTDOWN, partial(self._say_nothing_found, search_value)
        )

    def _say_nothing_found(self, wanted: str) -> None:
        """Says that nothing was found; nothing is there where nothing was asked
        for.
        """
        if wanted:
            said = Align.center(Text(self.nothing, style="not bold"))
            self.query_one(CommandList).add_option(
                Option(said, disabled=True, id=self._NO_MATCHES)
            )
        self._list_visible = bool(wanted)


def stop_watching(widget: Widget, attribute: str) -> None:
    """Ends a widget's watching of an attribute of the app: Textual keeps every watcher,
    with all that it holds.
    """
    watchers = getattr(widget.app, "__watchers", {}).get(attribute, [])
    watchers[:] = [watcher for watcher in watchers if watcher[0] is not widget]


def mend_page_keys() -> None:
    """Makes a page key do nothing in a list that has not been laid out yet: Textual
    looks its lines up there, fails and ends the app.
    """
    usual = OptionList._move_page
    if usual.__module__ == __name__:
        return

    def move_page(self: OptionList, direction: Any) -> None:
        if (self.highlighted or 0) in self._index_to_line:
            usual(self, direction)

    OptionList._move_page = move_page  # type: ignore[method-assign]


def replace_line_breaking(replaced: Callable[[DivideLine], DivideLine]) -> None:
    """Has Textual break lines by what `replaced` makes of its own function; once,
    however often it is called.
    """
    usual: Any = content.divide_line  # type: ignore[attr-defined]
    if usual.__module__ != __name__:
        own: Any = replaced(usual)
        own.__module__ = __name__
        content.divide_line = own  # type: ignore[attr-defined]


# The terminal


def color_system(console: Console) -> ColorSystem:
    """Returns the colours that a console writes."""
    return console._color_system or ColorSystem.TRUECOLOR


class OpenDriver(LinuxDriver):
    """Textual's driver for Linux, with its file and its writing thread in reach."""

    def wrap_file(self, wrapped: Callable[[Any], Any]) -> None:
        """Replaces the file that is written to."""
        self._file = wrapped(self._file)

    @property
    def writes(self) -> bool:
        """Whether the thread that writes has been started and not been ended."""
        return self._writer_thread is not None

    def drop_unwritten(self) -> None:
        """Drops what waits to be written. From any thread."""
        writer = self._writer_thread
        if writer is not None:
            with suppress(Empty):
                while True:
                    writer._queue.get_nowait()

    def key_parser(self) -> XTermParser:
        """Returns a parser of what the terminal sends."""
        return XTermParser(self._debug)

    def _run_input_thread(self) -> None:
        """Reads keys.

        A terminal that cannot be read any more is no defect: the watchdog ends the app.
        """
        try:
            self.run_input_thread()
        except OSError:
            return
        except BaseException as error:
            self._app.call_later(self._app._handle_exception, error)
