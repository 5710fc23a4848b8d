"""Collects people's preferences from saved sessions: what they edited or retried."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ....sessions.errors import SessionError
from ....sessions.events import Event, ReplyEvent
from ....sessions.files import STUDY_FILE
from ....sessions.journal import readable_session
from ....sessions.session import Header, Session
from . import training_files
from .card import preferences_card
from .examples import Preference
from .exportable import MethodOf, asked, one_conversation, said
from .lines import ExportFolder, ExportRecord
from .options import ExportOptions, parts

WHYS = ("edit", "retry")
"""What a person did to a reply, the clearer signal first."""


def export_preferences(
    files: Sequence[Path],
    into: Path,
    *,
    method_of: MethodOf,
    elsewhere: Sequence[Path],
    kinds: Sequence[str],
    options: ExportOptions,
) -> ExportRecord:
    """Writes the preferences in sessions, configurations and a card to the folder
    `into`.

    `files`: the sessions. `elsewhere`: more files to find the origin of a fork in.
    `kinds`: the WHYS to include.

    Raises: BadInput, WriteError.
    """
    folder = ExportFolder(into)
    collector = _PreferenceCollector(method_of, kinds, folder.exported)
    own = into.resolve()
    preferences = collector.all(
        [path for path in files if not path.resolve().is_relative_to(own)], elsewhere
    )
    training_files.write(
        folder,
        [],
        preferences,
        parts(options, (preference.group for preference in preferences)),
        options,
    )
    folder.whole("README.md", preferences_card(folder.exported, options))
    return folder.finish()


class _ReplyPlace(NamedTuple):
    """A reply in a session."""

    session: Session
    event: ReplyEvent


class _PreferenceCollector:
    """Collects preferences, each once."""

    def __init__(
        self, method_of: MethodOf, kinds: Sequence[str], exported: ExportRecord
    ) -> None:
        self._method_of = method_of
        self._kinds = kinds
        self._exported = exported
        self._known: set[str] = set()

    def all(self, files: Sequence[Path], elsewhere: Sequence[Path]) -> list[Preference]:
        """The preferences in all sessions, in the order of the files."""
        paths: dict[str, Path] = {}
        found: list[Preference] = []
        forks = []
        for path in files:
            session = self._known_method(readable_session(path))
            if session is None:
                self._exported.leave_out("sessions", "no-session")
                continue
            paths.setdefault(session.header.id, path)
            found += self._in_place(session)
            if (
                session.header.parent is not None
                and session.header.parent.why in self._kinds
            ):
                forks.append(session)
        missing = {
            fork.header.parent.id for fork in forks if fork.header.parent is not None
        } - paths.keys()
        if missing:
            paths |= _looked_for(missing, elsewhere)
        for fork in forks:
            found += self._forked(fork, paths)
        return found

    def _known_method(self, session: Session | None) -> Session | None:
        """The session, if this version supports its method."""
        try:
            if session is not None and self._method_of(session.header):
                return session
            return None
        except SessionError:
            return None

    def _forked(self, fork: Session, paths: dict[str, Path]) -> Iterator[Preference]:
        parent = fork.header.parent
        assert parent is not None
        origin = readable_session(paths[parent.id]) if parent.id in paths else None
        if origin is None:
            self._exported.leave_out("preferences", "no-parent")
            return
        before, after = (
            _first_reply(origin, parent.number),
            _first_reply(fork, parent.number),
        )
        if before is None or after is None:
            self._exported.leave_out("preferences", "unfinished")
        elif type(before) is not type(after) or before.role != after.role:
            self._exported.leave_out("preferences", "other-prompt")
        else:
            yield from self._pair(
                parent.why, _ReplyPlace(origin, before), _ReplyPlace(fork, after)
            )

    def _in_place(self, session: Session) -> Iterator[Preference]:
        """Edits and retries within one session."""
        for old, new in self._method_of(session.header).replaced(session):
            before, after = session.events[old - 1], session.events[new - 1]
            why = "edit" if _by_person(after) else "retry"
            if (
                isinstance(before, ReplyEvent)
                and isinstance(after, ReplyEvent)
                and why in self._kinds
            ):
                yield from self._pair(
                    why, _ReplyPlace(session, before), _ReplyPlace(session, after)
                )

    def _pair(
        self, why: str, worse: _ReplyPlace, better: _ReplyPlace
    ) -> Iterator[Preference]:
        """A preference pair, if both replies answer the same messages; otherwise the
        reason is counted.
        """
        prompt = asked(worse.session, worse.event, self._method_of)
        same = asked(better.session, better.event, self._method_of)
        chosen, rejected = self._said(better), self._said(worse)
        fault = ""
        if _by_person(worse.event):
            fault = "not-a-model"
        elif prompt is None:
            fault = "no-messages"
        elif not one_conversation(prompt) or (
            same != prompt and not (same is None and _by_person(better.event))
        ):
            fault = "other-prompt"
        elif not chosen.strip() or not rejected.strip():
            fault = "empty"
        elif chosen.strip() == rejected.strip():
            fault = "same"
        key = hashlib.sha256(
            json.dumps([prompt, chosen, rejected]).encode()
        ).hexdigest()
        if not fault and key in self._known:
            fault = "twice"
        if fault or prompt is None:
            self._exported.leave_out("preferences", fault)
            return
        self._known.add(key)
        self._exported.count("methods", better.session.method)
        self._exported.said_by(
            "chosen",
            ["human" if _by_person(better.event) else better.event.model or "unknown"],
        )
        self._exported.said_by("rejected", [worse.event.model or "unknown"])
        name = f"{better.session.header.id}/{better.event.number}"
        yield Preference(
            id=name,
            group=_task(better.session.header),
            kind=why,
            prompt=prompt,
            chosen=chosen,
            rejected=rejected,
        )

    def _said(self, place: _ReplyPlace) -> str:
        method = self._method_of(place.session.header)
        return said(place.event, method) or place.event.text


def session_files(folder: Path) -> list[Path]:
    """The files in a folder that may be sessions, without labels and hidden files."""
    found = []
    for path in sorted((*folder.rglob("*.yaml"), *folder.rglob("*.yml"))):
        inside = path.relative_to(folder).parts
        hidden = any(
            part.startswith(".") or part == "labels" or part.endswith(".labels")
            for part in inside
        )
        if not hidden and path.is_file() and path.name != STUDY_FILE:
            found.append(path)
    return found


def _looked_for(ids: set[str], files: Sequence[Path]) -> dict[str, Path]:
    """The files of the sessions with these ids."""
    found: dict[str, Path] = {}
    for path in files:
        if ids <= found.keys():
            break
        session = readable_session(path)
        if session is not None and session.header.id in ids:
            found.setdefault(session.header.id, path)
    return found


def _first_reply(session: Session, after: int) -> ReplyEvent | None:
    """The first reply after an event; changes, notes and failures in between do not
    count.
    """
    found: Event | None = next(
        (event for event in session.events[after:] if isinstance(event, ReplyEvent)),
        None,
    )
    if isinstance(found, ReplyEvent):
        return found
    return None


def _by_person(event: Event) -> bool:
    return (
        bool(getattr(event, "edited", False)) or getattr(event, "model", "") == "human"
    )


def _task(header: Header) -> str:
    """A digest of a session's subject, so that all forks of a session belong to one
    question.
    """
    return hashlib.sha256(
        json.dumps(header.task, sort_keys=True, default=str).encode()
    ).hexdigest()[:16]
