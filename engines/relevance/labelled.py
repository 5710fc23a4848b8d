"""A session with the labels that stand in files beside it, for those who read labels
among its events.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from ...sessions.annotators import GOLD
from ...sessions.labels import LabelReader, Latest, labels_in
from ...sessions.session import Session


def with_labels(session: Session, people: Mapping[str, Latest]) -> Session:
    """The session with people's labels from files at its end; where the session holds a
    later one itself, that counts.

    `people` as `LabelReader.people` has it. The adjudicator's are left out.
    """
    inside = labels_in(session)
    more = []
    for name, latest in people.items():
        if name == GOLD:
            continue
        own = inside.get(name, {})
        for key, label in latest.items():
            if (
                key.session == session.header.id
                and not key.measure
                and not (key in own and own[key].time > label.time)
            ):
                more.append(label)
    first = len(session.events) + 1
    added = [
        msgspec.structs.replace(label, number=first + place)
        for place, label in enumerate(sorted(more, key=lambda one: one.time))
    ]
    return Session(session.header, [*session.events, *added])


def people_of(path: Path) -> dict[str, Latest]:
    """Everybody's labels in files of a session or folder. Raises: SessionError."""
    reader = LabelReader(path)
    reader.look()
    return reader.people
