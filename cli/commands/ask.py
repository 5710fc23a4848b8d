"""`verifytui ask` and `verifytui verify`: questions answered from references and verified, and answers that exist verified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...engines.rag.settings import SETTINGS, VERIFYING
from .. import flags, running
from ..asking import asking_command
from ..command import command

ask = asking_command("ask", SETTINGS, "questions")


@command()
@click.argument("file", type=flags.PATH, metavar="FILE.jsonl")
@flags.option_flags(SETTINGS, VERIFYING)
@flags.events_option
@running.batch_options
@running.equivalence_option
def verify(file: Path, **values: Any) -> int:
    """Verifies the answers in a file, which somebody else gave."""
    from ...engines.rag.method import METHOD

    wishes = flags.wishes_of(SETTINGS, values)
    return running.run_lines(METHOD, "answers", file, values, wishes)
