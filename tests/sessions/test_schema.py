"""docs/session-format.md, the JSON Schema and the types say the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest
import yaml
from verifytui.sessions.emit import document
from verifytui.sessions.events import Event, ReplyEvent, event_kinds
from verifytui.sessions.journal import Journal
from verifytui.sessions.methods import METHODS
from verifytui.sessions.schema import schema
from verifytui.sessions.session import Header

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "session-format.md").read_text()
HEADINGS = {
    "debate": "Debate",
    "rag": "RAG",
    "relevance": "Relevance",
    "solo": "Solo",
    "grade": "Grade",
    "rank": "Rank",
}
CHECK = jsonschema.Draft202012Validator(schema())


def rows(heading: str) -> list[list[str]]:
    """Cells of the table under a heading, without its first two lines."""
    part = re.split(
        r"^#+ ", PAGE.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE
    )[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in part.splitlines()
        if line.startswith("| `")
    ]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_header_fields() -> None:
    assert [names(row[0])[0] for row in rows("Header")] == list(
        Header.__struct_fields__
    )


def test_fields_made_by_a_model() -> None:
    own = [
        name
        for name in ReplyEvent.__struct_fields__
        if name not in Event.__struct_fields__
    ]
    assert [names(row[0])[0] for row in rows("Made by a model")] == own


@pytest.mark.parametrize("workspace", list(METHODS))
def test_events_and_their_fields(workspace: str) -> None:
    told = {
        names(row[0])[0]: row
        for row in rows("All workspaces") + rows(HEADINGS[workspace])
    }
    known = event_kinds(workspace)
    assert list(told) == list(known)
    for kind, struct in known.items():
        made = issubclass(struct, ReplyEvent)
        base = ReplyEvent if made else Event
        assert told[kind][1] == ("yes" if made else "no")
        assert names(told[kind][2]) == [
            name
            for name in struct.__struct_encode_fields__
            if name not in base.__struct_fields__
        ]
        assert struct.__struct_fields__[-1] != "text"


def test_every_word_of_a_closed_list_is_told() -> None:
    words = [word for part in schema()["$defs"].values() for word in _enums(part)]
    assert len(words) > 20
    assert [word for word in words if f"`{word}`" not in PAGE] == []


def test_the_schema_has_exactly_the_fields_of_the_types() -> None:
    parts = schema()["$defs"]
    jsonschema.Draft202012Validator.check_schema(schema())
    assert list(parts["Header"]["properties"]) == list(Header.__struct_fields__)
    for struct in (
        kind for workspace in list(METHODS) for kind in event_kinds(workspace).values()
    ):
        assert list(parts[struct.__name__]["properties"]) == [
            "event",
            *struct.__struct_encode_fields__,
        ]


def test_the_page_shows_a_session_that_can_be_read() -> None:
    shown = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert shown
    journal = Journal.from_bytes(shown[1].encode())
    header = journal.session.header
    assert journal.torn is None
    assert [event.number for event in journal.session.events] == [1]
    fields = list(yaml.safe_load_all(shown[1]))
    assert list(fields[0]) == list(Header.__struct_fields__)
    written = [
        document(msgspec.to_builtins(item), first=item is header)
        for item in (header, *journal.session.events)
    ]
    assert b"".join(written).decode() == shown[1]
    event = journal.session.events[0]
    said = [
        name
        for name in event.__struct_fields__
        if getattr(event, name) is not msgspec.UNSET
    ]
    assert list(fields[1]) == ["event", *said]


def test_the_schema_accepts_sessions_and_refuses_others(saved: Path) -> None:
    journal = Journal.open(saved)
    lines = [
        json.loads(msgspec.json.encode(item))
        for item in (journal.session.header, *journal.session.events)
    ]
    for line in lines:
        CHECK.validate(line)
    changes: list[tuple[int, dict[str, object]]] = [
        (0, {"workspace": "cooking"}),
        (0, {"format": "verifytui/2"}),
        (1, {"event": "hologram"}),
        (1, {"number": 0}),
        (1, {"text": 5}),
        (3, {"mode": "loud"}),
        (4, {"decided_by": "chance"}),
    ]
    for index, change in changes:
        assert not CHECK.is_valid({**lines[index], **change})
    del lines[1]["round"]
    assert not CHECK.is_valid(lines[1])


def _enums(part: object) -> list[str]:
    if isinstance(part, dict):
        return [
            *(w for w in part.get("enum", ()) if isinstance(w, str)),
            *(w for item in part.values() for w in _enums(item)),
        ]
    if isinstance(part, list):
        return [word for item in part for word in _enums(item)]
    return []
