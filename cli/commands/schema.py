"""`schema`: the JSON Schema of sessions."""

from __future__ import annotations

from .. import console
from ..command import command


@command()
def schema() -> int:
    """Print the JSON Schema of a session's header and events."""
    import json

    from ...sessions.schema import schema as schema_of_sessions

    console.line(json.dumps(schema_of_sessions(), ensure_ascii=False, indent=2))
    return console.DONE
