"""The way to the app, and what the command line says of language and colours."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..sessions.errors import BadInput
from ..texts import t

if TYPE_CHECKING:
    from ..sessions.session import Header

lang_option = click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the interface.")
theme_option = click.option("--theme", metavar="NAME", help="Colours of the app.")


def has_terminal() -> bool:
    """Whether the app can be shown and keys can be read."""
    return sys.stdout.isatty() and ((sys.stdin is not None and sys.stdin.isatty()) or _tty_opens())


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
    """Opens the app on a file, a folder, a new session (`header`, kept at `save`) or its start page; returns its exit code.

    Language and colours are those of `interface`. `annotator`: who labels candidates.

    Raises:
        BadInput: there is no terminal, or the target cannot be opened.
    """
    if not has_terminal():
        raise BadInput(
            "The app needs a terminal; `verifytui replay FILE --plain` prints a session, `debate` and `ask` run one without the app."
        )
    from ..tui.launch import launch

    return launch(
        target,
        header=header,
        save=save,
        replay=replay,
        speed=speed,
        lang=_said(LANGUAGE),
        theme=_said(THEME),
        stdin_bytes=stdin_bytes,
        annotator=annotator,
    )


LANGUAGE, THEME, TYPED = "verifytui.language", "verifytui.theme", "verifytui.typed"


def interface(lang: str | None, theme: str | None = None) -> None:
    """Keeps what the command line says of language and colours, for the command that runs: it counts more than config.yaml."""
    said = click.get_current_context().meta
    said.update({name: value for name, value in ((LANGUAGE, lang), (THEME, theme)) if value is not None})


def speak() -> None:
    """Chooses the language for what is printed without the app.

    Raises:
        BadInput: the configuration names a language that there is not.
    """
    from ..engines.models.config import load_config
    from ..sessions.paths import paths
    from ..tui.launch import choose_language

    choose_language(_said(LANGUAGE), load_config(paths().config_file, os.environ))


def typed() -> str:
    """The command as it was typed, for a shell. Addresses are left out: a key may stand in one."""
    arguments = click.get_current_context().meta.get(TYPED, ())
    shown = (_ADDRESS.sub(t("batch.address"), str(argument)) for argument in arguments)
    return shlex.join(["verifytui", *shown])


_ADDRESS = re.compile(r"\w+://.*", re.DOTALL)


def _said(name: str) -> str | None:
    context = click.get_current_context(silent=True)
    return context.meta.get(name) if context is not None else None


def must_exist(file: Path) -> None:
    """Raises: BadInput where there is no such file."""
    if not file.is_file():
        raise BadInput(f"There is no file {file}; `verifytui sessions` lists those you have.")
