"""`verifytui train`: trains a retriever on judgements, and ranks with it."""

from __future__ import annotations

import click

from ...cli.command import LazyCommands

FILES: dict[str, str] = {"encoder": "train_encoder", "run": "train_run"}
"""Sub-command → its file in this folder."""


@click.group("train", cls=LazyCommands, files=FILES, package=__package__)
def train() -> None: ...
