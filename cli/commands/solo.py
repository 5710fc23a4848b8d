"""`verifytui solo`: one model answers one topic, or every topic of a file, alone."""

from __future__ import annotations

import click

from ...engines.solo.state import SETTINGS
from .. import flags
from ..method_command import asking_command

COMMAND = flags.standing_for(
    "VERIFYTUI_ESTIMATOR_COMMAND", "--estimator-command", metavar="COMMAND"
)
"""From this machine only: neither a session nor a line of a batch can name a command.
"""

solo: click.Command = asking_command("solo", SETTINGS, "topics", more=[COMMAND])
