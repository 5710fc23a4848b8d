"""Commands whose help texts are in texts/, including the messages of click."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click
from click import core, exceptions, formatting, parser, types

from ..texts import has, language, t
from ..texts.columns import cells
from ..texts.patterns import lazy
from . import console, help_groups

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COLUMN = 27
"""Cells of the names of options and commands in a help at most."""


Row = tuple[str, str]


class Command(click.Command):
    """A command.

    Its help is the text `usage.command.NAME`; that of an option `usage.NAME.OPTION`, or
    `usage.option.OPTION`.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Those of the command, and those that go with every one."""
        params = [*super().get_params(ctx)]
        shared = [_QUIET, _LANG] if _name(ctx) in help_groups.PROGRESS else [_LANG]
        params[-1:-1] = shared  # before --help
        if ctx.resilient_parsing:  # only while the shell completes a word
            from .completion import complete_values

            complete_values(_name(ctx), params)
        return params

    def tell_options(self, ctx: click.Context) -> None:
        """Gives the command and its options their help."""
        name = _name(ctx)
        self.help = t(f"usage.command.{name}")
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and "--help" not in option.opts:
                option.help = option_help(name, option)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.tell_options(ctx)
        super().format_help(ctx, formatter)

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        """Options, each with its help; of an argument see `complete_values`."""
        self.tell_options(ctx)
        return super().shell_complete(ctx, incomplete)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = t("usage.option.help")
        return option

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """All options under one heading, or in groups where there are many."""
        shown = [
            (help_groups.option_group(_name(ctx), option), option, record)
            for option in self.get_params(ctx)
            if isinstance(option, click.Option)
            and (record := option.get_help_record(ctx)) is not None
        ]
        if len(shown) < help_groups.LONG:
            rows = [record for _, _, record in shown]
            write_sections(formatter, {t("usage.click.options"): rows})
            return
        sections: dict[str, list[Row]] = {group: [] for group in help_groups.OPTIONS}
        shown.sort(key=lambda one: help_groups.place(one[1]))
        for group, _, (names, about) in shown:
            if group == "batch":
                about = about.removeprefix(t("usage.options.of_batch"))
                about = about[:1].upper() + about[1:]
            sections[group].append((names, about))
        write_sections(
            formatter,
            {t(f"usage.options.{group}"): rows for group, rows in sections.items()},
        )


def write_sections(
    formatter: click.HelpFormatter, sections: Mapping[str, list[Row]]
) -> None:
    """Writes lists under headings, with their second columns below each other."""
    widest = max((cells(name) for rows in sections.values() for name, _ in rows))
    width = min(widest, COLUMN)
    for heading, rows in sections.items():
        if rows:
            with formatter.section(heading):
                formatter.write_dl(
                    [(name.ljust(width), about) for name, about in rows],
                    col_max=COLUMN,
                )


class CommandGroup(Command, click.Group):
    """A command with subcommands, each listed with the first line of its help."""

    command_class = Command

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """The options, then the sub-commands."""
        Command.format_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        rows = [
            (name, self.short_help_of(ctx, name)) for name in self.list_commands(ctx)
        ]
        write_sections(formatter, {t("usage.click.commands"): rows})

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        """Sub-commands by name, without importing them, and options."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=self.short_help_of(ctx, name))
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        self.tell_options(ctx)
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def short_help_of(self, ctx: click.Context, name: str) -> str:
        """Return the one-line help of a subcommand."""
        full = "_".join((*ctx.command_path.split()[1:], name)).replace("-", "_")
        key = f"usage.short.{full}"
        if has(key):
            return t(key)
        return t(f"usage.command.{full}").partition("\n")[0]


class LazyCommands(CommandGroup):
    """A command with subcommands in separate files, each imported on first use."""

    def __init__(
        self, *args: Any, files: Mapping[str, str], package: str, **settings: Any
    ) -> None:
        """`files`: sub-command → the file in `package`, which has a command of its own
        name.
        """
        super().__init__(*args, **settings)
        self._files, self._package = files, package

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._files)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        file = self._files.get(name)
        if file is None:
            return None
        found: click.Command = getattr(
            importlib.import_module(f".{file}", self._package), file
        )
        return found


def command(
    name: str | None = None, **settings: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Makes a function a command; as `click.command`."""
    return click.command(name, cls=Command, **settings)


def group(
    name: str | None = None, **settings: Any
) -> Callable[[Callable[..., Any]], CommandGroup]:
    """Makes a function a command with sub-commands; as `click.group`."""
    return click.group(name, cls=CommandGroup, **settings)


def speak_chinese_too() -> None:
    """Puts the texts of texts/ in the place of those that click asks gettext for.

    Nothing else touches click's private names.
    """
    for module in (core, exceptions, formatting, parser, types):
        for name, words in (("_", _words), ("ngettext", _numbered)):
            if hasattr(module, name):
                setattr(module, name, words)
    formatting.wrap_text = _wrapped
    formatting.HelpFormatter.write_heading = _heading  # type: ignore[method-assign]
    types.Choice.get_invalid_choice_message = _no_choice  # type: ignore[method-assign]
    types._NumberRangeBase._describe_range = _range  # type: ignore[method-assign]


def _words(message: str) -> str:
    key = f"usage.click.{re.sub(r'[^a-z]+', '_', message.lower()).strip('_')}"
    if has(key):
        return t(key)
    return message


_told_choices = types.Choice.get_invalid_choice_message


def _no_choice(self: Any, value: Any, ctx: click.Context | None) -> str:
    from ..texts.closest import with_closest

    why = _told_choices(self, value, ctx)
    return with_closest(why, str(value), map(str, self.choices))


def _heading(self: click.HelpFormatter, heading: str) -> None:
    """Writes a heading with the colon of the language."""
    shown = t("usage.click.heading", heading=heading)
    self.write(f"{'':>{self.current_indent}}{shown}\n")


def _range(self: Any) -> str:
    """`1–10`, `≥ 1` or `≤ 10`."""
    if self.max is None:
        return f"{'>' if self.min_open else '≥'} {self.min}"
    if self.min is None:
        return f"{'<' if self.max_open else '≤'} {self.max}"
    if self.min_open or self.max_open:
        return str(_told_range(self))
    return f"{self.min}–{self.max}"


_told_range = types._NumberRangeBase._describe_range


def _numbered(one: str, many: str, count: int) -> str:
    return _words(one if count == 1 else many)


def _be_quiet(ctx: click.Context, option: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.with_resource(console.quietly())


_LANG = click.Option(["--lang"], type=click.Choice(["en", "zh"]), expose_value=False)
"""For the help only: `--lang` is taken out before anything is read."""
_QUIET = click.Option(
    ["-q", "--quiet"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_be_quiet,
)
_english_wrap = formatting.wrap_text


def _name(ctx: click.Context) -> str:
    """`sessions_rename` of `verifytui sessions rename`."""
    names: list[str] = []
    at: click.Context | None = ctx
    while at is not None and at.parent is not None:
        names.insert(0, at.info_name or "")
        at = at.parent
    return "_".join(names).replace("-", "_") or "verifytui"


def option_help(command: str, option: click.Option) -> str:
    """Return the help text of an option."""
    said = getattr(option, "said", None)  # of a declared one
    if said is not None:
        return str(said())
    key = f"usage.{command}.{option.name}"
    return t(key if has(key) else f"usage.option.{option.name}")


def _wrapped(
    text: str,
    width: int = 78,
    initial_indent: str = "",
    subsequent_indent: str = "",
    preserve_paragraphs: bool = False,
) -> str:
    """As click breaks lines; Chinese also between its characters, which take two cells
    each.
    """
    if language() != "zh":
        return _english_wrap(
            text, width, initial_indent, subsequent_indent, preserve_paragraphs
        )
    return "\n\n".join(
        _filled(part, width, initial_indent, subsequent_indent)
        for part in text.split("\n\n")
    )


_UNIT = lazy(
    r"\s*(?:[^\x00-\u2fff][，。；：、！？）”]*"
    r"|[^\s\u3000-\uffff]+[，。；：、！？）”]*|\S)"
)


def _filled(text: str, width: int, first: str, others: str) -> str:
    lines, line = [], first
    for unit in _UNIT.findall(text.replace("\n", " ")):
        if cells(line) + cells(unit) > width and line.strip():
            lines.append(line)
            line = others + unit.lstrip()
        else:
            line += unit if line.strip() else unit.lstrip()
    return "\n".join([*lines, line])
