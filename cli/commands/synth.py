"""`verifytui synth`: data for training, made of judgements."""

from __future__ import annotations

import click

from ..command import LazyCommands

FILES: dict[str, str] = {
    "rag": "synth_rag",
    "cases": "synth_cases",
    "preferences": "synth_preferences",
}
"""Sub-command → its file in cli/commands/."""


@click.group("synth", cls=LazyCommands, files=FILES)
def synth() -> None: ...
