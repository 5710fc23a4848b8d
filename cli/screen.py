"""The way to the app, and what the command line says of language and colours."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ..sessions.errors import BadInput
from ..sessions.session import Header


def has_terminal() -> bool:
    """Whether the app can be shown and keys can be read."""
    return sys.stdout.isatty() and (sys.stdin.isatty() or _tty_opens())


def _tty_opens() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True


def open_app(
    target: Path | None,
    *,
    header: Header | None = None,
    save: Path | None = None,
    replay: bool = False,
    speed: str = "1",
    stdin_bytes: bytes | None = None,
    annotator: str | None = None,
) -> int:
    """The app on a file, a folder, a new session (`header`, kept at `save`) or its start page. Its exit code. BadInput without a terminal.

    Language and colours come by `interface`. `annotator`: who labels candidates.
    """
    if not has_terminal():
        raise BadInput(
            "The app needs a terminal; `verifytui replay FILE --plain` prints a session, `debate` and `ask` run one without the app."
        )
    from ..tui.launch import launch

    return launch(target, header=header, save=save, replay=replay, speed=speed, stdin_bytes=stdin_bytes, annotator=annotator)


def interface(lang: str | None, theme: str | None = None) -> None:
    """What the command line says of language and colours, put where the configuration finds it: above config.yaml."""
    if lang is not None:
        os.environ["VERIFYTUI_LANGUAGE"] = lang
    if theme is not None:
        os.environ["VERIFYTUI_THEME"] = theme


def speak() -> None:
    """Chooses the language for what is printed without the app. BadInput for a language that there is not."""
    from ..engines.models.config import load_config
    from ..sessions.paths import paths
    from ..tui.texts import LANGUAGES, language_of, set_language

    wanted = load_config(paths().config_file, os.environ).language or language_of()
    if wanted not in LANGUAGES:
        raise BadInput(f"The language “{wanted}” is not known; choose one of {', '.join(LANGUAGES)}.")
    set_language(wanted)
