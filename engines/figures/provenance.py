"""How a session was made, as facts by which runs are compared: from its header, and
from the events with replies.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET

from ...sessions.events import ReplyEvent, Vote
from ...sessions.session import Seat, Session
from ..models.lineup import BUILTINS

Fact = tuple[str, str | None]
"""A name, and a value; None: the session does not record it."""

WITHOUT_ENDPOINT = frozenset({*BUILTINS, "given", "command", ""})
"""Models in events that no server answers for."""

SUPPLIED = {"references": ("references", "evidence"), "given": ("answer", "defended")}
"""What an item's task supplies in addition to the question, by fact."""


class Provenance(NamedTuple):
    """The facts of all sessions of a run."""

    facts: dict[str, list[str]]
    """By name all values: `method`, `version`, `prompts`, `corpus`, `index`,
    `model.ROLE`, `endpoint.ROLE`, `fingerprint.ROLE`, `param.ROLE.NAME`,
    `setting.NAME`."""
    unknown: tuple[str, ...]
    """Names of facts that at least one session does not record."""


def provenance(sessions: Iterable[Sequence[Fact]]) -> Provenance:
    """The facts of several sessions together, each given by `facts_of`."""
    values: dict[str, dict[str, None]] = {}
    unknown: dict[str, None] = {}
    for facts in sessions:
        for name, value in facts:
            if value is None:
                unknown[name] = None
            else:
                values.setdefault(name, {})[value] = None
    return Provenance({name: list(of) for name, of in values.items()}, tuple(unknown))


def facts_of(session: Session) -> list[Fact]:
    """The facts of a session, each once; none without a line-up."""
    if session.header.lineup:
        return list(dict.fromkeys(_facts(session)))
    return []


def supplied(task: Mapping[str, object], fact: str) -> str:
    """A digest of what a task supplies under this name of `SUPPLIED`; "" for
    nothing.
    """
    content = [task[name] for name in SUPPLIED[fact] if task.get(name)]
    if content:
        return digest_of(content)
    return ""


def digest_of(content: object) -> str:
    """A short digest of a JSON value."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def _facts(session: Session) -> Iterator[Fact]:
    header = session.header
    yield "method", session.method
    yield "version", header.versions.get("verifytui")
    set_, hash_ = header.prompts.set, header.prompts.hash.removeprefix("sha256:")
    yield "prompts", f"{set_} {hash_[:12]}" if hash_ else None
    corpus = header.task.get("corpus")
    if isinstance(corpus, str):
        yield "corpus", corpus
    yield from _answered(session)
    for name in header.settings:
        value = session.setting(name)
        if value is not None:
            yield f"setting.{name}", _text(value)
    demonstrations = header.settings.get("demonstrations")
    if demonstrations and not header.settings.get("demonstrations_digest"):
        yield "setting.demonstrations_digest", None


def _answered(session: Session) -> Iterator[Fact]:
    """Return the assigned models and those that answered, with endpoint and
    fingerprint.
    """
    made: dict[str, list[ReplyEvent]] = {}
    for event in session.events:
        if isinstance(event, ReplyEvent) and event.role:
            made.setdefault(event.role, []).append(event)
        elif getattr(event, "retriever", "given") != "given":
            yield "index", _short(getattr(event, "index", "")) or None
    seats = dict(session.seated([*session.header.lineup, *made]))
    for role, seat in seats.items():
        yield f"model.{role}", name_of(seat)
        for name, value in seat.params.items():
            yield f"param.{role}.{name}", json.dumps(value, ensure_ascii=False)
    for role, events in made.items():
        members = seats[role].members if role in seats else []
        known = {member.model for member in members}
        for reply in _replies(events):
            if reply.model not in known:
                yield f"model.{role}", reply.model
            if reply.model not in WITHOUT_ENDPOINT:
                yield f"endpoint.{role}", _set(reply.endpoint)
            if reply.fingerprint is not UNSET:
                yield f"fingerprint.{role}", reply.fingerprint


def _replies(events: Iterable[ReplyEvent]) -> Iterator[ReplyEvent | Vote]:
    """The events, and in place of one of a panel the votes of its members."""
    for event in events:
        if event.votes is UNSET:
            yield event
        else:
            yield from (vote for vote in event.votes if vote.error is UNSET)


def name_of(seat: Seat) -> str:
    """`gpt-4`; `turbo (openai/gpt-4)` for a named model; a panel with its members."""
    if seat.panel:
        members = ", ".join(map(name_of, seat.panel))
        return f"{seat.called}: {members} ({seat.rule})"
    if seat.called == seat.model:
        return seat.model
    return f"{seat.called} ({seat.model})"


def _short(digest: str) -> str:
    """The first characters of a SHA-256; anything else as it is."""
    bare = digest.removeprefix("sha256:")
    if bare == digest:
        return digest
    return bare[:12]


def _set(value: object) -> str | None:
    if value is UNSET:
        return None
    return str(value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
