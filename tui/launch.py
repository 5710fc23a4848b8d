"""Opens the app: on a session, a folder of sessions, a new debate, or the bundled
example.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..sessions.errors import BadInput
from ..texts import language, t

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..engines.models.config import Config
    from ..engines.studies.rating import BlindRater
    from ..sessions.session import Header
    from .play import Play
    from .workspaces.base import LabelingSession


def launch(
    target: Path | None = None,
    *,
    header: Header | None = None,
    save: Path | None = None,
    replay: bool = False,
    speed: str = "1",
    theme: str | None = None,
    mouse: bool = True,
    stdin_bytes: bytes | None = None,
    sitting: Callable[[Config], LabelingSession] | None = None,
    rater: BlindRater | None = None,
) -> int:
    """Runs the app until the user leaves, and returns its exit code.

    `target` is a session file or a folder of them; `header` a debate that has not
    begun, kept at `save` from its first event; `stdin_bytes` a session that came
    through a pipe: the keyboard is then read from the terminal itself. `sitting` makes
    what a person goes through, and nothing else is opened then; `rater` rates answers,
    and nothing else.

    Raises: BadInput if the target cannot be opened.
    """
    _go_easy_on_ssh()
    from ..engines.models.config import load_config
    from ..sessions.paths import paths

    config = load_config(paths().config_file, os.environ)
    language()
    is_folder = target is not None and target.is_dir()
    first = None if is_folder else first_play(target, header, save, replay, stdin_bytes)
    work = sitting(config) if sitting is not None else None
    from .terminal.watchdog import Watchdog

    watchdog = Watchdog()
    watchdog.start()
    from .app import VerifyTui

    app = VerifyTui(
        config,
        first,
        run=replay and speed != "1",
        speed=speed,
        theme=theme,
        folder=target if is_folder else None,
        sitting=work,
        rater=rater,
        home=(target, header, stdin_bytes, sitting, rater) == (None,) * 5,
    )
    watchdog.app = app.ending
    if mouse:
        app.run()
    else:
        app.run(mouse=False)
    _close(work, rater)
    watchdog.leave_now()
    # the process frees the rest: to collect a long session object by object takes long
    gc.freeze()
    return app.return_code or 0


def _close(*left: LabelingSession | BlindRater | None) -> None:
    for each in left:
        if each is not None:
            each.close()


def _go_easy_on_ssh() -> None:
    """Paints less often over a network. Textual reads this when it is imported."""
    if os.environ.get("SSH_CONNECTION"):
        os.environ.setdefault("TEXTUAL_FPS", "15")
        os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")


def first_play(
    target: Path | None,
    header: Header | None,
    save: Path | None,
    replay: bool = False,
    stdin_bytes: bytes | None = None,
) -> Play | None:
    """Returns the session that was asked for; None for the bundled example, which is
    made after the first paint.
    """
    if target is None and header is None and stdin_bytes is None:
        return None
    from ..sessions.journal import Journal
    from .play import Play

    if stdin_bytes is not None:
        first = Play(Journal.from_bytes(stdin_bytes), 0, replaying=True)
        _keyboard_from_terminal()
        return first
    if header is not None:
        first = Play(Journal.create(save, header))
        first.own = True
        return first
    if target is None:
        return None
    return Play(Journal.open(target, write=not replay), 0 if replay else None, replay)


def _keyboard_from_terminal() -> None:
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        raise BadInput(t("wrong.command.no_keyboard")) from None
    os.dup2(terminal, 0)
    sys.stdin = os.fdopen(0, "r", closefd=False)
