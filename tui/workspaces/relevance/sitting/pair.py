"""A pair as a session of its own: all that a person who labels it may see, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from .....engines.relevance.plan import candidates, query
from .....engines.relevance.queue import PairAt
from .....sessions.events import Event
from .....sessions.events.labels import Label
from .....sessions.journal import Journal
from .....sessions.session import Session
from .....texts import t
from ....play import Play

SCOPE = "pairs"
"""What every pair is a piece of."""


class Pairs:
    """Opens pairs. The session read last is kept, since the next pair is often of the same one."""

    def __init__(self) -> None:
        self._last: tuple[Path, tuple[int, int], Session] | None = None

    def open(self, pair: PairAt, title: str, label: Label | None, *, machine: bool) -> Play:
        """Returns a pair with its label, in memory; `machine`: with what the machine has said and the data's title and level.

        Without it, nothing of these is there, so nothing that shows the pair can show them. Raises: SessionError.
        """
        source = self._session(pair.path)
        asked, candidate = dict(query(source)), dict(candidates(source).get(pair.candidate, {"id": pair.candidate, "text": ""}))
        if not machine:
            asked, candidate = _case(asked), _case(candidate)
        header = msgspec.structs.replace(
            source.header,
            title=source.title if machine else title,
            task={"query": asked, "candidates": [candidate]},
            parent=None,
        )
        events: list[Event] = [event for event in source.events if not isinstance(event, Label)] if machine else []
        if label is not None and not label.undone:
            events.append(msgspec.structs.replace(label, candidate=pair.candidate))
        journal = Journal(None, Session(header, events), [0], None)
        journal.why_read_only = t("labelling.not_here")
        play = Play(journal)
        play.scope = SCOPE
        return play

    def _session(self, path: Path) -> Session:
        try:
            info = path.stat()
            stamp = info.st_mtime_ns, info.st_size
        except OSError:
            stamp = 0, 0
        if self._last is None or self._last[:2] != (path, stamp):
            with Journal.open(path, write=False) as journal:
                self._last = path, stamp, journal.session
        return self._last[2]


def _case(case: Mapping[str, Any]) -> dict[str, Any]:
    """A case without what tells how it is to be judged: its title may be a charge."""
    return {name: case[name] for name in ("id", "text") if name in case}
