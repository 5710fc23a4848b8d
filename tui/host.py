"""What workspaces, screens and helpers use of the app that shows them.

`VerifyTui` is one such app; a test may give another.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from textual.geometry import Size
    from textual.notifications import SeverityLevel
    from textual.screen import Screen

    from ..engines.models.config import Config
    from ..sessions.library import Library
    from .play import Play
    from .runs import OpenSessions

Result = TypeVar("Result")


class Host(Protocol):
    """An app with a configuration, a library, messages and dialogs."""

    config: Config
    keys_of: dict[str, str]
    """The keys of each action."""
    stream_interval: float
    """Seconds between two drawings of a reply that streams in, at least."""

    @property
    def library(self) -> Library: ...

    @property
    def runs(self) -> OpenSessions:
        """The sessions that are open."""
        ...

    @property
    def size(self) -> Size:
        """Columns and rows of the screen."""
        ...

    @property
    def screen(self) -> Screen[object]:
        """The screen on top."""
        ...

    def key(self, action: str) -> str:
        """Returns the first key of an action as people write it; empty where it has
        none.
        """
        ...

    def say(self, message: str, severity: SeverityLevel = "information") -> None:
        """Shows a message at the corner."""

    def call_user(self, text: str) -> None:
        """Tells a user whose terminal has lost the focus; clean text of one line."""

    def name_window(self, text: str) -> None:
        """Gives the terminal's window a title; clean text of one line."""

    def result_listed(self, path: Path | None) -> bool:
        """Whether a list has shown how the session in this file came out."""
        ...

    def report(self, error: BaseException) -> None:
        """Tells the user of a defect, and keeps a report of it."""

    def say_place(self) -> None:
        """Refreshes the line above, which names the session and the place in it."""

    def push_screen(self, screen: Screen[Any]) -> object:
        """Shows a screen that nobody waits for."""

    async def ask(self, screen: Screen[Result]) -> Result | None:
        """Shows a screen, and returns what it is dismissed with."""
        ...

    def dialog(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs work that waits for the user, beside the keys."""

    def copy(self, text: str) -> None:
        """Puts text into the clipboard of the user's terminal."""

    def suspend(self) -> AbstractContextManager[None]:
        """Gives the terminal to another program."""
        ...

    async def go(self, name: str) -> None:
        """Opens a tab or a place."""

    async def open_path(self, path: Path, *, at: int | None = None) -> bool:
        """Opens a session file at an event, None for the last; False, after a message,
        where it cannot be opened.
        """
        ...

    async def open_play(self, play: Play) -> bool:
        """Opens a session in the tab of its workspace; False if that tab is missing. A
        run in that tab continues in the background.
        """
        ...
