"""The way to the app, and what the command line says of colours."""

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
    from collections.abc import Callable

    from ..engines.models.config import Config
    from ..engines.studies.rating import BlindRater
    from ..sessions.session import Header
    from ..tui.workspaces.base import LabelingSession

theme_option = click.option("--theme", metavar="NAME")


def has_terminal() -> bool:
    """Whether the app can be shown and keys can be read."""
    return sys.stdout.isatty() and (
        (sys.stdin is not None and sys.stdin.isatty()) or _tty_opens()
    )


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
    sitting: Callable[[Config], LabelingSession] | None = None,
    rater: BlindRater | None = None,
) -> int:
    """Opens the app on a file, a folder, a new session (`header`, kept at `save`) or
    its start page; returns its exit code.

    Colours are those of `interface`. `annotator`: who labels candidates; `sitting`
    makes what a person goes through pair by pair; `rater`: who rates answers.

    Raises:
        BadInput: there is no terminal, or the target cannot be opened.
    """
    if not has_terminal():
        raise BadInput(t("wrong.command.no_terminal"))
    from ..tui.launch import launch

    return launch(
        target,
        header=header,
        save=save,
        replay=replay,
        speed=speed,
        theme=click.get_current_context().meta.get(THEME),
        stdin_bytes=stdin_bytes,
        annotator=annotator,
        sitting=sitting,
        rater=rater,
    )


THEME, TYPED = "verifytui.theme", "verifytui.typed"


def interface(theme: str | None) -> None:
    """Keeps what the command line says of colours, for the command that runs: it counts
    more than config.yaml.
    """
    if theme is not None:
        click.get_current_context().meta[THEME] = theme


def words_typed() -> tuple[str, ...]:
    """The words of the command, as they were typed."""
    return tuple(map(str, click.get_current_context().meta.get(TYPED, ())))


def typed() -> str:
    """The command as it was typed, for a shell.

    Addresses are left out: a key may stand in one.
    """
    shown = (_ADDRESS.sub(t("batch.address"), argument) for argument in words_typed())
    return shlex.join(["verifytui", *shown])


_ADDRESS = re.compile(r"\w+://.*", re.DOTALL)


def must_exist(file: Path) -> None:
    """Raises: BadInput where there is no such file."""
    if not file.is_file():
        raise BadInput(t("wrong.command.no_file", file=file))
