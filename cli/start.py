"""Starts every command: streams, signals, language, and error messages.

The app without arguments starts here, without importing click.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from ..sessions.crash import crash_report, no_tracebacks
from ..sessions.errors import (
    BadInput,
    WorkersGone,
    WriteError,
    bad_input,
    cause,
    disk_is_full,
    machine_fault,
)
from ..sessions.paths import paths
from ..texts import LANGUAGES, choose_later, language_of, t
from . import console
from .console import say

COMPLETING = "_VERIFYTUI_COMPLETE"
"""A variable with which a shell asks how a word can be completed."""


def start_page() -> int:
    """Opens the app on its start page; returns the exit code."""

    def opened() -> int:
        choose_later(usual_language)
        console.needs_terminal()
        from ..tui.launch import launch

        return launch()

    return guarded(opened)


def refuse_system() -> int:
    """Says that the program does not run on this system; returns the exit code."""

    def refused() -> int:
        choose_later(usual_language)
        raise bad_input("wrong.command.no_posix")

    return guarded(refused)


def guarded(work: Callable[[], int]) -> int:
    """Does the work of a command and returns its exit code.

    What goes wrong is one sentence on stderr.
    """
    no_tracebacks()
    console.fill_closed_streams()
    console.plain_streams()
    console.ends_like_ctrl_c()
    try:
        return work()
    except (WriteError, WorkersGone) as error:
        say(str(error))
        return console.FAILED
    except BadInput as error:
        say(str(error))
        return console.BAD_INPUT
    except KeyboardInterrupt:
        return console.INTERRUPTED
    except BrokenPipeError:
        console.forget_stdout()
        return console.DONE
    except Exception as error:
        say(_why(error))
        return console.FAILED


def _why(error: Exception) -> str:
    """The sentence for a fault of the machine; for a defect it names the report."""
    if isinstance(error, OSError) and disk_is_full(error):
        console.forget_stdout()
        return t("wrong.command.not_written", why=cause(error))
    fault = machine_fault(error)
    if fault is not None:
        return t("wrong.command.kept", what=fault)
    where = crash_report(error)
    report = (
        t("wrong.command.report", path=where) if where else t("wrong.command.no_report")
    )
    return t("wrong.command.defect", what=type(error).__name__, report=report)


def usual_language() -> str:
    """Return the language from the environment, config.yaml, or the locale.

    Reads only the one line of config.yaml that it needs, to start fast.
    """
    wanted = os.environ.get("VERIFYTUI_LANGUAGE") or os.environ.get("VERIFYTUI_LANG")
    if not wanted:
        try:
            found = re.search(
                r"(?m)^language: *[\"']?(\w+)",
                paths().config_file.read_text("utf-8", "replace"),
            )
        except OSError:
            found = None
        wanted = found[1] if found else ""
    if wanted in LANGUAGES:
        return wanted
    return language_of()
