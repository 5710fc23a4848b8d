"""Options of the command line, made from what the methods declare."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..engines.settings import (
    OneOf,
    Option,
    Setting,
    Settings,
    Shares,
    Switch,
    Whole,
)
from ..sessions.errors import BadInput, Faults
from ..texts import speaking, t

if TYPE_CHECKING:
    from ..engines.models.config import Config, WarningId
    from ..engines.starting import Starter, Wishes
    from ..sessions.paths import Paths

    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType  # which older versions of click cannot index

Command = Callable[..., Any]
GiveOption = Callable[[Command], Command]
Values = dict[str, Any]
"""The options of a command by name."""

PATH = click.Path(path_type=Path)


def english_for_programs(
    ctx: click.Context, parameter: click.Parameter, value: str
) -> str:
    """Use English for output that a program reads, whatever the interface language."""
    if value == "json":
        ctx.with_resource(speaking("en"))
    return value


def typed_option(name: str, kind: Any, metavar: str, default: Any = None) -> GiveOption:
    """An option with a value of this type; its default is shown, where it has one."""
    shown = {} if default is None else {"default": default, "show_default": True}
    return click.option(name, type=kind, metavar=metavar, **shown)


def whole_option(
    name: str,
    low: int,
    high: int | None = None,
    default: int | None = None,
    metavar: str = "N",
) -> GiveOption:
    """An option with a whole number as its value, both ends included."""
    return typed_option(name, click.IntRange(low, high), metavar, default)


def choice_option(name: str, *words: str) -> GiveOption:
    """An option with one of these words as its value; the first one is the default."""
    return click.option(
        name, type=click.Choice(words), default=words[0], show_default=True
    )


def flag_option(name: str) -> GiveOption:
    """An option without a value."""
    return click.option(name, is_flag=True)


def many_option(name: str, metavar: str, kind: Any = str) -> GiveOption:
    """An option that may be given several times."""
    return click.option(name, multiple=True, type=kind, metavar=metavar)


into_option = click.option("--into", type=PATH, metavar="DIR")
without_option = click.option(
    "--without", "without_rater", multiple=True, metavar="NAME"
)
"""Annotators whose labels are left out."""


def with_options(listed: Sequence[GiveOption]) -> GiveOption:
    """A decorator that gives a command these options, in this order."""

    def give(command: Command) -> Command:
        for option in reversed(listed):
            command = option(command)
        return command

    return give


def names_of(listed: Iterable[GiveOption]) -> tuple[str, ...]:
    """The names that the values of these options have in a command."""
    made = click.command()(with_options([*listed])(lambda: None))
    return tuple(str(param.name) for param in made.params)


_OUTPUT: dict[str, Any] = {
    "type": click.Choice(["text", "json"]),
    "default": "text",
    "show_default": True,
}
output_option = click.option("--output", callback=english_for_programs, **_OUTPUT)
"""Objects that hold sentences."""
FORMS = ("text", "json", "md", "html", "csv", "latex")
report_option = click.option(
    "--output",
    callback=english_for_programs,
    **{**_OUTPUT, "type": click.Choice(FORMS)},
)
"""The forms of a report."""
events_option = click.option("--output", **_OUTPUT)
"""Events are in English anyway; messages about them are for people."""


def standing_for(
    variable: str, flag: str, **settings: Any
) -> Callable[[Command], Command]:
    """Return an option that sets an environment variable while the command runs."""

    def set_it(
        ctx: click.Context, parameter: click.Parameter, value: str | None
    ) -> None:
        if value is not None:
            ctx.with_resource(_variable(variable, value))

    return click.option(
        flag, expose_value=False, is_eager=True, callback=set_it, **settings
    )


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


class Value(ParamType):
    """An option's value, parsed and checked as declared."""

    name = "value"

    def __init__(self, option: Option) -> None:
        self.option = option

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        read = self.option.kind.read(value) if isinstance(value, str) else value
        try:
            self.option.check(read)
        except BadInput as error:
            why = str(error).rstrip(".")
            if isinstance(self.option.kind, OneOf):
                from ..texts.closest import with_closest

                stop = t("wrong.command.stop")
                why = with_closest(why + stop, str(value), self.option.kind.words)
            self.fail(why, param, ctx)
        return read


def option_flags(
    declared: Settings, names: Collection[str] | None = None
) -> Callable[[Command], Command]:
    """The options of a method, or those of `names`; the command gets them by their
    names. `wishes_of` takes them out again.
    """

    def add(command: Command) -> Command:
        for option in reversed(declared.options):
            if names is None or option.name in names:
                command = _flag(declared, option)(command)
        return command

    return add


def wishes_of(declared: Settings, values: dict[str, Any]) -> Wishes:
    """Takes the options of `option_flags` out of a command's values."""
    from ..engines.starting import Wishes

    taken = {
        option.key: values.pop(option.key)
        for option in declared.options
        if option.key in values
    }
    return Wishes(
        declared,
        {name: value for name, value in taken.items() if value not in (None, ())},
    )


def workshop(
    *,
    attended: bool = False,
    many: bool = False,
    runs: bool = True,
    faults: Faults | None = None,
) -> Starter:
    """Returns what starts sessions, with the user's configuration and folders.

    `attended`: in the app. `many`: in a batch, whose command has `--allow-commands`.
    `runs`: whether anything can run; otherwise commands need no permission. `faults`:
    collects unusable configuration entries, so that the rest can be checked. Raises:
    BadInput.
    """
    from ..engines.models.config import BadConfig, load_config
    from ..engines.starting import Starter
    from ..sessions.paths import paths
    from .stdin import piped

    places = paths()
    try:
        config = load_config(places.config_file, os.environ)
    except BadConfig as error:
        if faults is None or error.rest is None:
            raise
        faults.add(*error.sentences)
        config = error.rest
    context = click.get_current_context(silent=True)
    given = {} if context is None else context.params
    config.silence = [*silent_warnings(given.get("without_warning", ()), config)]
    config.refuses_commands = many and runs and not given.get("allow_commands")
    return Starter(
        config,
        places,
        attended=attended,
        many=many,
        piped=piped,
        wrong=() if attended else wrong_in(config, places),
        keyed=given.get("ray") is None,
    )


def wrong_in(config: Config, places: Paths) -> list[str]:
    """List all faults in the configuration, one sentence each."""
    from ..engines.method import roles_of
    from ..engines.models.config_check import config_problems

    found = config_problems(config, places, os.environ, roles_of)
    if config.theme or config.keymap:
        from ..tui.config_check import screen_problems

        found += [f"{places.config_file}: {one}" for one in screen_problems(config)]
    return found


class Flag(click.Option):
    """The option of the command line for a declared one. `said` is its help."""

    def __init__(
        self, *names: Any, declared: Settings, option: Option, **settings: Any
    ) -> None:
        super().__init__(*names, **settings)
        self._declared, self._option = declared, option
        self.rare = isinstance(option, Setting) and option.name not in declared.asked

    def said(self) -> str:
        """Describe the option, with its default and its allowed values."""
        about, option = self._declared.help(self._option), self._option
        if (
            not isinstance(option, Setting)
            or option.default in (None, "")
            or isinstance(option.kind, Switch | Shares)
        ):
            return about
        bounds = f", {option.kind.values}" if isinstance(option.kind, Whole) else ""
        return (
            f"{about}  "
            f"[{t('usage.click.default_default', default=option.default)}{bounds}]"
        )


def _flag(declared: Settings, option: Option) -> Callable[[Command], Command]:
    settings: dict[str, Any] = {"cls": Flag, "declared": declared, "option": option}
    if isinstance(option.kind, Switch):
        on = not (isinstance(option, Setting) and option.default)
        return click.option(
            option.flag,
            option.key,
            is_flag=True,
            flag_value=on,
            default=None,
            **settings,
        )
    metavar = option.metavar or (
        f"[{'|'.join(option.kind.words)}]" if isinstance(option.kind, OneOf) else "N"
    )
    if option.many:
        return click.option(
            option.flag, option.key, multiple=True, metavar=metavar, **settings
        )
    return click.option(
        option.flag, option.key, type=Value(option), metavar=metavar, **settings
    )


without_warning_option = click.option("--without-warning", multiple=True, metavar="ID")


def silent_warnings(
    given: Sequence[str], config: Config | None = None
) -> list[WarningId]:
    """Read the warning ids of `--without-warning` and of `silence` in config.yaml.

    Raises: BadInput for an unknown id.
    """
    from ..engines.models.config import load_config
    from ..sessions.paths import paths

    if config is None:
        config = load_config(paths().config_file, os.environ)
    if not given:
        return config.silence
    from ..engines.figures.warnings import known

    return sorted(known([*given, *config.silence]))
