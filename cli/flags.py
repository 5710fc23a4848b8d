"""Options of the command line, made from what the methods declare."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import click

from ..engines.settings import Choice, Option, Setting, Settings, Switch
from ..sessions.errors import BadInput

if TYPE_CHECKING:
    from ..engines.starting import Starter, Wishes

    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType  # which older versions of click cannot index

Command = Callable[..., Any]

output_option = click.option(
    "--output", type=click.Choice(["text", "json"]), default="text", show_default=True, help="json: one object a line."
)


class Value(ParamType):
    """What is typed for an option, read and checked as it is declared."""

    name = "value"

    def __init__(self, option: Option) -> None:
        self.option = option

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        read = self.option.kind.read(value) if isinstance(value, str) else value
        try:
            self.option.check(read)
        except BadInput as error:
            self.fail(str(error).rstrip("."), param, ctx)
        return read


def option_flags(declared: Settings, names: Collection[str] | None = None) -> Callable[[Command], Command]:
    """The options of a method, or those of `names`; the command gets them by their names. `wishes_of` takes them out again."""

    def add(command: Command) -> Command:
        for option in reversed(declared.options):
            if option.help and (names is None or option.name in names):
                command = _flag(option)(command)
        return command

    return add


def wishes_of(declared: Settings, values: dict[str, Any]) -> Wishes:
    """Takes the options of `option_flags` out of a command's values."""
    from ..engines.starting import Wishes

    taken = {option.key: values.pop(option.key) for option in declared.options if option.key in values}
    return Wishes(declared, {name: value for name, value in taken.items() if value not in (None, ())})


def workshop(*, attended: bool = False, many: bool = False) -> Starter:
    """What begins sessions, with the user's configuration and folders. `attended`: in the app; `many`: in a batch. Raises: BadInput."""
    from ..engines.models.config import load_config
    from ..engines.starting import Starter
    from ..sessions.paths import paths
    from .stdin import piped

    places = paths()
    return Starter(load_config(places.config_file, os.environ), places, attended=attended, many=many, piped=piped)


def _flag(option: Option) -> Callable[[Command], Command]:
    if isinstance(option.kind, Switch) and isinstance(option, Setting):
        return click.option(option.flag, option.key, is_flag=True, flag_value=not option.default, default=None, help=option.help)
    metavar = f"[{'|'.join(option.kind.words)}]" if isinstance(option.kind, Choice) else option.metavar
    if option.many:
        return click.option(option.flag, option.key, multiple=True, metavar=metavar, help=option.help)
    return click.option(option.flag, option.key, type=Value(option), metavar=metavar, help=option.help)
