"""`verifytui synth`: creates training data from judgements."""

from __future__ import annotations

import click

from ...cli.command import LazyCommands

FILES: dict[str, str] = {
    "rag": "synth_rag",
    "questions": "synth_questions",
    "cases": "synth_cases",
    "preferences": "synth_preferences",
}
"""Sub-command → its file in this folder."""


@click.group("synth", cls=LazyCommands, files=FILES, package=__package__)
def synth() -> None: ...
