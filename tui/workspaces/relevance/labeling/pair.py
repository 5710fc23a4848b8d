"""A pair as a session, with only what its annotator may see."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from .....engines.cases.task import candidates, query
from .....sessions.case_pairs import PairAt
from .....sessions.errors import SessionError, unread
from .....sessions.events import Event
from .....sessions.events.labels import Label
from .....sessions.journal import Journal, read_session
from .....sessions.load import chunks, read_document, read_header
from .....sessions.session import Session
from .....texts import t
from ....play import Play, Scope


def pair_play(
    pair: PairAt, title: str, label: Label | None, scope: Scope, *, machine: bool
) -> Play:
    """Returns a pair with its label, in memory; `machine`: with what the machine has
    said and the data's title and level.

    Without it, nothing of these is read, so nothing that shows the pair can show them.
    Raises: SessionError.
    """
    source = read_session(pair.path) if machine else _begun(pair.path)
    asked, candidate = (
        dict(query(source)),
        dict(
            candidates(source).get(pair.candidate, {"id": pair.candidate, "text": ""})
        ),
    )
    if not machine:
        asked, candidate = _case(asked), _case(candidate)
    header = msgspec.structs.replace(
        source.header,
        title=source.title if machine else title,
        task={"query": asked, "candidates": [candidate]},
        parent=None,
    )
    events: list[Event] = [
        event for event in source.events if not isinstance(event, Label)
    ]
    if label is not None and not label.undone:
        events.append(msgspec.structs.replace(label, candidate=pair.candidate))
    journal = Journal(None, Session(header, events), [0], None)
    journal.why_read_only = t(f"{scope}.not_here")
    play = Play(journal)
    play.scope = scope
    return play


def _begun(path: Path) -> Session:
    """Return a session without events."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unread(path, error, SessionError) from None
    first = next(chunks(data), None)
    mapping = read_document(data, *first, str(path)) if first is not None else None
    if mapping is not None:
        return Session(read_header(mapping, str(path)))
    return read_session(path)


def _case(case: Mapping[str, object]) -> dict[str, object]:
    """A case without what tells how it is to be judged: its title may be a charge."""
    return {name: case[name] for name in ("id", "text") if name in case}
