"""The way to the app, and what the command line says of it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..sessions.errors import bad_input
from ..texts import t
from .console import needs_terminal, run
from .flags import GiveOption, with_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..engines.models.config import Config
    from ..engines.studies.rating import BlindRater
    from ..sessions.session import Header
    from ..tui.workspaces.base import LabelingSession


def _keep(ctx: click.Context, option: click.Parameter, value: object) -> None:
    """Keeps what the command line says of the app, for the command that runs: it counts
    more than config.yaml.
    """
    if value:
        ctx.meta[f"verifytui.{option.name}"] = value


def _app_option(*names: str, **settings: Any) -> GiveOption:
    return click.option(*names, expose_value=False, callback=_keep, **settings)


app_options = with_options(
    [
        _app_option("--theme", metavar="NAME"),
        _app_option("--no-mouse", is_flag=True),
    ]
)
plain_option = _app_option("--plain", is_flag=True)
"""The session as lines, in the place of the app."""


def is_plain() -> bool:
    """Whether lines are wanted in the place of the app."""
    return "verifytui.plain" in click.get_current_context().meta


def open_app(
    target: Path | None,
    *,
    header: Header | None = None,
    save: Path | None = None,
    replay: bool = False,
    speed: str = "1",
    stdin_bytes: bytes | None = None,
    sitting: Callable[[Config], LabelingSession] | None = None,
    rater: BlindRater | None = None,
) -> int:
    """Opens the app on a file, a folder, a new session (`header`, kept at `save`) or
    its start page; returns its exit code.

    `sitting` makes what a person goes through pair by pair; `rater`: who rates answers.
    With `--plain` it is opened as lines.

    Raises:
        BadInput: there is no terminal, or the target cannot be opened.
    """
    meta = click.get_current_context().meta
    if is_plain():
        from .plain import open_plain

        if rater is not None:
            from .person import InputLines
            from .plain_answers import PlainAnswers

            return run(PlainAnswers(rater, InputLines(0)).serve())
        return open_plain(target, header, save, sitting)
    needs_terminal()
    from ..tui.launch import launch

    return launch(
        target,
        header=header,
        save=save,
        replay=replay,
        speed=speed,
        theme=meta.get("verifytui.theme"),
        mouse="verifytui.no_mouse" not in meta,
        stdin_bytes=stdin_bytes,
        sitting=sitting,
        rater=rater,
    )


TYPED = "verifytui.typed"


def words_typed() -> tuple[str, ...]:
    """The words of the command, as they were typed."""
    return tuple(map(str, click.get_current_context().meta.get(TYPED, ())))


def typed() -> str:
    """The command as it was typed, for a shell.

    Addresses are left out: a key may be in one.
    """
    shown = (_ADDRESS.sub(t("batch.address"), argument) for argument in words_typed())
    return shlex.join(["verifytui", *shown])


_ADDRESS = re.compile(r"\w+://.*", re.DOTALL)


def must_exist(file: Path) -> None:
    """Raises: BadInput where there is no such file."""
    if not file.is_file():
        raise bad_input("wrong.command.no_file", file=file)
