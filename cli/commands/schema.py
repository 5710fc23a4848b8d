"""`schema`: the JSON Schema of sessions, and of figures for programs."""

from __future__ import annotations

import click

from .. import console
from ..command import command

FIGURES = ("report", "compare", "study")


@command()
@click.argument("figures", required=False, type=click.Choice(FIGURES))
def schema(figures: str | None) -> int:
    """Print the JSON Schema of sessions, or of the figures that a command prints."""
    import json

    from ...engines.reports.json_schemas import SCHEMAS
    from ...sessions.schema import schema as schema_of_sessions

    made = schema_of_sessions if figures is None else SCHEMAS[figures]
    console.line(json.dumps(made(), ensure_ascii=False, indent=2))
    return console.DONE
