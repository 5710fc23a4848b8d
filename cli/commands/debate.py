"""`verifytui debate`: one topic, or every topic of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...engines.debate.settings import SETTINGS
from ..topics import topic_command

if TYPE_CHECKING:
    from ...sessions.events import Reference


def _passages(file: Path) -> Sequence[Reference]:
    from ...engines.retrieval.given import read_references

    return read_references(file)


EVIDENCE = click.option(
    "--evidence", type=click.Path(path_type=Path), metavar="FILE", help="Passages that both sides may cite: paragraphs, or JSON lines."
)

debate = topic_command(
    SETTINGS,
    """Let models debate TOPIC, or with --topics every topic of a file.

    Without --model the built-in script answers, which knows the bundled example topics only. A seat named human
    reads stdin: a speech ends at a line that holds only a dot, a verdict is one line of JSON.
    """,
    evidence=(EVIDENCE, _passages),
)
