"""Commands whose words stand in texts/: what each is for, its options, and what click itself says."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from typing import Any

import click
from click import core, exceptions, formatting, parser, types

from ..texts import has, language, t
from ..texts.columns import cells


class Command(click.Command):
    """A command. Its help is the text `usage.command.NAME`; that of an option `usage.NAME.OPTION`, or `usage.option.OPTION`."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        name = _name(ctx)
        self.help = t(f"usage.command.{name}")
        for option in self.params:
            if isinstance(option, click.Option):
                option.help = option_help(name, option)
        super().format_help(ctx, formatter)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = t("usage.option.help")
        return option

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Those of the command; `--lang` goes with every one, before or after its name."""
        _LANG.help = t("usage.option.lang")
        self.params.append(_LANG)
        try:
            super().format_options(ctx, formatter)
        finally:
            self.params.remove(_LANG)


class Group(Command, click.Group):
    """A command with sub-commands, each told in the first line of its help."""

    command_class = Command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section(t("usage.click.commands")):
            formatter.write_dl(
                [
                    (name, self.short_help_of(ctx, name))
                    for name in self.list_commands(ctx)
                ]
            )

    def short_help_of(self, ctx: click.Context, name: str) -> str:
        """What a sub-command does, in a line."""
        full = "_".join((*ctx.command_path.split()[1:], name)).replace("-", "_")
        key = f"usage.short.{full}"
        return t(key) if has(key) else t(f"usage.command.{full}").partition("\n")[0]


class Shelf(Group):
    """A command whose sub-commands stand in files of their own, each imported when it is asked for."""

    def __init__(self, *args: Any, files: Mapping[str, str], **settings: Any) -> None:
        """`files`: sub-command → the file in cli/commands/, which has a command of its own name."""
        super().__init__(*args, **settings)
        self._files = files

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._files)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        file = self._files.get(name)
        if file is None:
            return None
        found: click.Command = getattr(
            importlib.import_module(f".commands.{file}", __package__), file
        )
        return found


def command(
    name: str | None = None, **settings: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Makes a function a command; as `click.command`."""
    return click.command(name, cls=Command, **settings)


def group(
    name: str | None = None, **settings: Any
) -> Callable[[Callable[..., Any]], Group]:
    """Makes a function a command with sub-commands; as `click.group`."""
    return click.group(name, cls=Group, **settings)


def speak_chinese_too() -> None:
    """Puts the texts of texts/ in the place of those that click asks gettext for. Nothing else touches click's private names."""
    for module in (core, exceptions, formatting, parser, types):
        for name, words in (("_", _words), ("ngettext", _numbered)):
            if hasattr(module, name):
                setattr(module, name, words)
    formatting.wrap_text = _wrapped


def _words(message: str) -> str:
    key = f"usage.click.{re.sub(r'[^a-z]+', '_', message.lower()).strip('_')}"
    return t(key) if has(key) else message


def _numbered(one: str, many: str, count: int) -> str:
    return _words(one if count == 1 else many)


_LANG = click.Option(["--lang"], type=click.Choice(["en", "zh"]))
_english_wrap = formatting.wrap_text


def _name(ctx: click.Context) -> str:
    """`sessions_rename` of `verifytui sessions rename`."""
    return "_".join(ctx.command_path.split()[1:]).replace("-", "_") or "verifytui"


def option_help(command: str, option: click.Option) -> str:
    """What an option of a command is for."""
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
    """As click breaks lines; Chinese also between its characters, which take two cells each."""
    if language() != "zh":
        return _english_wrap(
            text, width, initial_indent, subsequent_indent, preserve_paragraphs
        )
    return "\n\n".join(
        _filled(part, width, initial_indent, subsequent_indent)
        for part in text.split("\n\n")
    )


_UNIT = re.compile(
    r"\s*(?:[^\x00-\u2fff][，。；：、！？）”]*|[^\s\u3000-\uffff]+[，。；：、！？）”]*|\S)"
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
