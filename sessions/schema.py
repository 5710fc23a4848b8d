"""The session file as JSON Schema, made from the types that read and write it."""

from __future__ import annotations

from typing import Any

from .events import event_kinds
from .events.labels import Assignment, Reveal
from .label_files import FORMAT as LABELS
from .label_files import LabelHeader
from .methods import METHODS, WORKSPACES
from .session import FORMAT, Header


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of one document of a session file or of a file of labels,
    also of one line of `--output json`.

    `$defs` holds one schema a type; `properties.event.enum` of an event's schema is its
    kind.
    """
    import msgspec

    kinds = {method: list(event_kinds(method).values()) for method in METHODS}
    events: list[Any] = [
        *dict.fromkeys(kind for group in kinds.values() for kind in group),
        Reveal,
        Assignment,
    ]
    everything: list[Any] = [Header, LabelHeader, *events]
    found, parts = msgspec.json.schema_components(
        everything,
        ref_template="#/$defs/{name}",
        schema_hook=lambda kind: {"description": "any value"},
    )
    parts["Header"]["properties"]["format"] = {"const": FORMAT}
    parts["LabelHeader"]["properties"]["format"] = {"const": LABELS}
    parts["LabelHeader"]["required"] = ["format", *parts["LabelHeader"]["required"]]
    parts["Header"]["properties"]["workspace"] = {"enum": list(WORKSPACES)}
    parts["Header"]["required"] = ["format", *parts["Header"]["required"]]
    for kind in events:
        part = parts[kind.__name__]
        part["required"] = [
            "event",
            "number",
            "time",
            *(name for name in part["required"] if name != "event"),
        ]
        part["properties"]["number"]["minimum"] = 1
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{FORMAT}: one document of a session file or of a file of labels, "
        "one "
        f"line of --output json",
        "anyOf": list(found),
        "$defs": parts,
    }
