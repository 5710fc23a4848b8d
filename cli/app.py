"""The command line: which words there are.

A command's own file is imported only when its word is typed.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from ..sessions import plugins
from ..sessions.methods import BUILTIN, METHODS
from ..texts import LANGUAGES, MissingText, choose_later, t
from . import console
from .command import Command, CommandGroup, speak_chinese_too, write_sections
from .console import say
from .help_groups import grouped_commands
from .screen import TYPED, app_options, open_app, plain_option
from .start import COMPLETING, guarded, usual_language


class CommandPlace(NamedTuple):
    """Where a command lives."""

    module: str
    attribute: str


_FILES = {"verify": "ask", "import": "import_"}
"""Commands that are not in a file of their own name."""
_LISTED = [
    "debate",
    "ask",
    "verify",
    "relevance",
    "label",
    "adjudicate",
    "labels",
    "demonstrations",
    "serve",
    "index",
    "corpora",
    "study",
    "runs",
    "agreement",
    "calibrate",
    "audit",
    "compare",
    "gate",
    "frame",
    "ranking",
    "data",
    "resume",
    "replay",
    "export",
    "import",
    "sessions",
    "models",
    "cache",
    "prompts",
    "locate",
    "doctor",
    "schema",
    "completion",
]
_METHODS = [
    name
    for name in BUILTIN
    if name not in _LISTED
    and importlib.util.find_spec(f".commands.{name}", __package__)
]
COMMANDS = {
    name: CommandPlace(_FILES.get(name, name), "import_" if name == "import" else name)
    for name in (*_LISTED, *_METHODS)
}
EXAMPLES = {
    "ask": 'ask "Since when has there been a tower in Paris?" --corpus example',
    "debate": 'debate "Is 0.999… equal to 1?" --model deepseek/deepseek-chat',
}
"""By the texts that say what they do. The first one needs no key."""


def command_names() -> list[str]:
    """Our own commands, then those of plugins and of their methods."""
    more = [*plugins.names("commands"), *plugins.names("methods")]
    return list(dict.fromkeys([*COMMANDS, *more]))


def _of_plugin(name: str) -> bool:
    return any(name in plugins.names(kind) for kind in ("commands", "methods"))


_WORD = re.compile(r"[\w-]+")
HIDDEN = {"open": CommandPlace("open_", "open_")}


class LazyGroup(CommandGroup):
    """Sub-commands by name, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return command_names()

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        word = COMMANDS.get(name) or HIDDEN.get(name)
        if word is None:
            if name in plugins.names("commands"):
                plugin: click.Command = plugins.load("commands", name)
                return plugin
            if name not in METHODS:
                return None
            from .method_command import command_of

            return command_of(name)
        command: click.Command = getattr(
            importlib.import_module(f".commands.{word.module}", __package__),
            word.attribute,
        )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in COMMANDS:
            return super().resolve_command(ctx, args)
        # Plugins are not looked up for a file's name, so that the app opens quickly.
        if _WORD.fullmatch(args[0]) and _of_plugin(args[0]):
            return super().resolve_command(ctx, args)
        if ctx.resilient_parsing or Path(args[0]).exists():
            return super().resolve_command(ctx, ["open", *args])
        from ..texts.closest import with_closest

        why = t("wrong.command.no_such_word", word=args[0])
        raise click.UsageError(with_closest(why, args[0], command_names()))

    def format_help_text(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Format the summary of the program, then two examples."""
        super().format_help_text(ctx, formatter)
        with formatter.section(t("usage.help.examples")):
            for key, line in EXAMPLES.items():
                formatter.write(f"  # {t(f'usage.help.{key}')}\n")
                formatter.write(f"  verifytui {line}\n")

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        grouped = grouped_commands(self.list_commands(ctx))
        write_sections(
            formatter,
            {
                t(f"usage.group.{group}"): [
                    (name, self.short_help_of(ctx, name)) for name in names
                ]
                for group, names in grouped.items()
            },
        )

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """The groups of commands come first."""
        self.format_commands(ctx, formatter)
        Command.format_options(self, ctx, formatter)


def _version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from .. import __version__

        click.echo(f"verifytui {__version__}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    options_metavar="[OPTIONS]",
    subcommand_metavar="[FILE | DIR | COMMAND …]",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version
)
@app_options
@plain_option
@click.pass_context
def group(ctx: click.Context) -> int | None:
    """All that is typed behind `verifytui`: a word, a file, a folder, or nothing for
    the app.
    """
    if ctx.invoked_subcommand is None:
        return open_app(None)
    return None


def main(arguments: Sequence[str]) -> int:
    """Runs one command and returns its exit code.

    What goes wrong is one sentence on stderr.
    """
    if COMPLETING in os.environ:
        return _complete(os.environ[COMPLETING])
    speak_chinese_too()
    return guarded(lambda: _invoke(list(arguments)))


def _complete(instruction: str) -> int:
    from .completion import complete

    choose_later(usual_language)
    return complete(group, instruction)


def _language(arguments: list[str]) -> tuple[str | None, list[str]]:
    """The language of `--lang LANGUAGE`, anywhere in the arguments, and the other
    arguments.

    It is read first, so that every later message is in that language. Raises: BadInput
    for an unknown language.
    """
    lang: str | None = None
    rest: list[str] = []
    left = iter(arguments)
    for word in left:
        if word == "--":
            return lang, [*rest, word, *left]
        name, equals, value = word.partition("=")
        if name != "--lang":
            rest.append(word)
            continue
        lang = value if equals else next(left, "")
        if lang not in LANGUAGES:
            raise click.BadParameter(
                t("wrong.command.lang", lang=lang, known=", ".join(LANGUAGES)),
                param_hint="'--lang'",
            )
    return lang, rest


def _invoke(arguments: list[str]) -> int:
    """Runs what was typed. What click finds wrong is one sentence on stderr."""
    try:
        lang, rest = _language(arguments)
        choose_later(lambda: lang or usual_language())
        with group.make_context("verifytui", rest) as context:
            context.meta[TYPED] = tuple(arguments)
            code: object = group.invoke(context)
            if isinstance(code, int):
                return code
            return console.DONE
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        say(_sentence(error))
        return console.BAD_INPUT
    except click.Abort:
        return console.INTERRUPTED
    except MissingText as error:
        from .method_texts import missing_texts

        keys = dict.fromkeys([error.key, *missing_texts(COMMANDS)])
        say(t("wrong.command.no_text", keys=", ".join(keys), file=error.file))
        return console.FAILED
    finally:
        for told in plugins.BROKEN.values():
            say(told)


def _sentence(error: click.ClickException) -> str:
    text = " ".join(error.format_message().split()).removesuffix(".")
    if text.endswith(("!", "?", "。", "！", "？", "）")):
        return text
    return text + t("wrong.command.stop")
