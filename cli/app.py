"""The command line: which words there are. A command's own file is imported only when its word is typed."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..sessions.methods import METHODS
from . import console
from .console import say


class Word(NamedTuple):
    """Where a command lives and what it does."""

    module: str
    attribute: str
    help: str
    """"": the first line of its file says it."""


COMMANDS = {
    "debate": Word("debate", "debate", "Let models debate a topic, or every topic of a file."),
    "ask": Word("ask", "ask", "Answer a question from references, verify and revise; or every question of a file."),
    "verify": Word("ask", "verify", "Verify answers that exist."),
    "relevance": Word("relevance", "relevance", "Judge the relevance of legal cases in stages: a query's candidates, or many pairs."),
    "label": Word("relevance", "label", "Label the candidates of a session of relevance yourself, in the app."),
    "demonstrations": Word("demonstrations", "demonstrations", "List, show and check sets of demonstrations."),
    "index": Word("index", "index", "Make a corpus of your documents, or bring it up to date."),
    "corpora": Word("corpora", "corpora", "List, search and delete corpora."),
    "agreement": Word("agreement", "agreement", "How far raters agree, and what to adjudicate."),
    "ranking": Word("ranking", "ranking", "How good a ranking is: nDCG, P and MAP."),
    "resume": Word("resume", "resume", "Go on with any unfinished session."),
    "replay": Word("replay", "replay", "Play a recorded session again, without any model."),
    "export": Word("export", "export", "Write a session as Markdown, HTML, JSON lines or CSV."),
    "import": Word("import_", "import_", "Make sessions of debates recorded elsewhere."),
    "sessions": Word("sessions", "sessions", "List, rename, delete, restore and copy saved sessions."),
    "models": Word("models", "models", "List the models that can be used now."),
    "cache": Word("cache", "cache", "Say how many replies of models are held for equal requests, or forget them."),
    "prompts": Word("prompts", "prompts", "List, show and copy the sets of prompts."),
    "locate": Word("locate", "locate", "Print every path that is used."),
    "doctor": Word("doctor", "doctor", "Look at everything VerifyTUI stands on, as text for a bug report."),
    "schema": Word("schema", "schema", "Print the JSON Schema of sessions."),
}

for _name in METHODS:
    if _name not in COMMANDS and importlib.util.find_spec(f".commands.{_name}", __package__):
        COMMANDS[_name] = Word(_name, _name, "")
HIDDEN = {"open": Word("open_", "open_", "Open the app.")}


class Words(click.Group):
    """Sub-commands by name, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        word = COMMANDS.get(name) or HIDDEN.get(name)
        if word is None:
            return None
        command: click.Command = getattr(importlib.import_module(f".commands.{word.module}", __package__), word.attribute)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in COMMANDS:
            return super().resolve_command(ctx, args)
        if Path(args[0]).exists():
            return super().resolve_command(ctx, ["open", *args])
        raise click.UsageError(f"“{args[0]}” is neither a command nor a file or folder; `verifytui --help` lists the commands.")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, word.help or _first_line(word.module)) for name, word in COMMANDS.items()])


def _first_line(module: str) -> str:
    """What the first line of a command's file says behind its name. The file is read, not imported: that would load its method."""
    import ast

    text = ast.get_docstring(ast.parse((Path(__file__).parent / "commands" / f"{module}.py").read_text("utf-8"))) or ""
    line = text.partition("\n")[0].partition(": ")[2]
    return line[:1].upper() + line[1:]


def _version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        from .. import __version__

        click.echo(f"verifytui {__version__}")
        ctx.exit()


@click.group(
    cls=Words,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    options_metavar="[OPTIONS]",
    subcommand_metavar="[FILE | DIR | COMMAND …]",
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Print the version and leave.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the interface (default: the locale's).")
@click.option("--theme", metavar="NAME", help="Colours of the app.")
@click.pass_context
def group(ctx: click.Context, lang: str | None, theme: str | None) -> int | None:
    """Verifies what language models say.

    Without a word it opens the app; with a FILE it opens that session, with a DIR the sessions of a batch.
    """
    from .screen import interface, open_app

    interface(lang, theme)
    if ctx.invoked_subcommand is None:
        return open_app(None)
    return None


def main(arguments: Sequence[str]) -> int:
    """Runs one command and returns its exit code. What goes wrong is one sentence on stderr."""
    from ..sessions.crash import no_tracebacks
    from ..sessions.errors import BadInput, WriteError, disk_is_full, machine_fault

    no_tracebacks()
    console.fill_closed_streams()
    console.plain_streams()
    console.ends_like_ctrl_c()
    try:
        return _invoke(list(arguments))
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        say(_sentence(error))
        return console.BAD_INPUT
    except WriteError as error:
        say(str(error))
        return console.FAILED
    except BadInput as error:
        say(str(error))
        return console.BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        return console.INTERRUPTED
    except BrokenPipeError:
        console.forget_stdout()
        return console.DONE
    except Exception as error:
        if isinstance(error, OSError) and disk_is_full(error):
            console.forget_stdout()
            say(f"The output could not be written ({error.strerror or error}); what was on disk is kept.")
            return console.FAILED
        fault = machine_fault(error)
        if fault is not None:
            say(f"{fault} What was on disk is kept.")
            return console.FAILED
        from ..sessions.crash import crash_report

        where = crash_report(error)
        told = f"a report without any session text is in {where}." if where else "no report could be written."
        say(f"Something went wrong inside VerifyTUI ({type(error).__name__}); what was on disk is kept; {told}")
        return console.FAILED


def _invoke(arguments: list[str]) -> int:
    from .screen import TYPED

    with group.make_context("verifytui", [*arguments]) as context:
        context.meta[TYPED] = tuple(arguments)
        code: Any = group.invoke(context)
        return code if isinstance(code, int) else console.DONE


def _sentence(error: click.ClickException) -> str:
    text = " ".join(error.format_message().split())
    return text if text.endswith((".", "!", "?")) else text + "."
