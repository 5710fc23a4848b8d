"""`verifytui ask` and `verifytui verify`: questions answered from references and
verified, and answers that exist verified.
"""

from __future__ import annotations

from pathlib import Path

import click

from ...engines.rag.settings import SETTINGS, VERIFYING
from .. import flags, run_commands
from ..command import command
from ..method_command import asking_command

ask = asking_command("ask", SETTINGS, "questions")


@command()
@click.argument("file", type=flags.PATH, metavar="FILE.jsonl")
@flags.option_flags(SETTINGS, VERIFYING)
@flags.events_option
@run_commands.batch_options
@run_commands.equivalence_option
def verify(file: Path, **values: object) -> int:
    """Verifies the answers in a file, which somebody else gave."""
    from ...engines.rag.method import METHOD

    wishes = flags.wishes_of(SETTINGS, values)
    return run_commands.run_lines(METHOD, "answers", file, values, wishes)
