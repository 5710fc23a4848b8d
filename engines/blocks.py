"""The blocks of a session: what it says to a reader, for every sink.

A method makes its blocks in `engines/<method>/blocks.py`. `block(event, session)` is
all that it needs; it may add

- `task(session)`: what the session is about, and the cases or documents that stand
  before the events about them (`Block.part`); without it, the topic;
- `closing(session, raters)`: what is computed from the whole session and is at its
  end;
- `coming(session)`: the part that the next event belongs to, where replies stream;
- `TONES`: the colours of its roles;
- `READ_OUT`: roles whose replies are data and are not shown while they stream.

A session of a method that this version does not know is shown as it is in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from ..sessions.errors import bad_input
from ..sessions.events import Event, ReplyEvent
from ..sessions.export import export as drawn
from ..sessions.export.block import Block, Tone, shared
from ..sessions.export.votes import replies_of, votes_of
from ..sessions.methods import METHODS, module_of
from ..sessions.session import Session
from ..texts import speaking, t
from ..texts.roles import letter, model_name, role_name


def block(event: Event, session: Session) -> Block:
    """What one event says."""
    method = _method(session)
    made: Block = shared(event) if method is None else method.block(event, session)
    made.tone = tone(made.role, session)
    if isinstance(event, ReplyEvent) and (told := votes_of(event)):
        made.notes, made.raw = [*made.notes, *told], replies_of(event)
        made.text = replies_of(event) if made.unread else made.text
    return made


def task(session: Session) -> list[Block]:
    """What the session is about.

    Blocks with a part are before the first event of that part.
    """
    make = _own(session, "task")
    if make is not None:
        return list(make(session))
    topic = session.header.task.get("topic")
    if topic is None or _method(session) is None:
        return []
    return [Block(kind="task", heading="", text=str(topic))]


def seats(session: Session) -> list[Block]:
    """Who answers for each role."""
    made = []
    for role, seat in session.seated(session.header.lineup):
        params = [f"{name} {value}" for name, value in seat.params.items()]
        if seat.panel:
            members = t("asked.comma").join(
                model_name(one.model, one.name) for one in seat.panel
            )
            params.append(t(f"vote.rule_{seat.rule}", members=members))
        named = {
            "role": role,
            "letter": letter(role),
            "heading": role_name(role),
            "tone": tone(role, session),
        }
        made.append(
            Block(
                kind="seat",
                model=model_name(seat.model, seat.name),
                meta=params,
                **named,  # type: ignore[arg-type]
            )
        )
    return made


def blocks(session: Session, raters: Sequence[str] = ()) -> list[Block]:
    """The whole session in the order of reading: task, seats, events, and what is
    computed at the end.

    `raters` chooses whose agreement is told; BadInput if the method has no raters, or
    none of that name.
    """
    made = task(session)
    waiting = {one.part: one for one in made if one.part is not None}
    made = [one for one in made if one.part is None] + seats(session)
    for event in session.events:
        shown = block(event, session)
        case = waiting.pop(shown.part or "", None)
        made += [shown] if case is None else [case, shown]
    return [*made, *waiting.values(), *_closing(session, raters)]


def _closing(session: Session, raters: Sequence[str]) -> list[Block]:
    make = _own(session, "closing")
    if make is None and raters:
        raise bad_input("wrong.export.no_raters", method=session.method)
    if make is not None:
        return list(make(session, raters))
    return []


def export(
    session: Session, to: str, raters: Sequence[str] = (), language: str | None = None
) -> str:
    """The session as text in one of `sessions.export.FORMATS`.

    `language`: None is the interface's.

    Raises:
        BadInput: there is no such format, or no such rater.
    """
    with speaking(language):
        return drawn(
            session, to, blocks(session, raters) if to in ("md", "html") else ()
        )


def coming(session: Session) -> str | None:
    """The part of the session that the next event belongs to, where the method says
    it.
    """
    ask = _own(session, "coming")
    if ask is None:
        return None
    part: str | None = ask(session)
    return part


def tone(role: str, session: Session) -> Tone:
    """The colour of a role; none for a role that the method does not know."""
    tones: dict[str, Tone] = getattr(_method(session), "TONES", {})
    return tones.get(role, "")


def streams(role: str, session: Session) -> bool:
    """Whether a role's reply is shown while it streams."""
    return role not in getattr(_method(session), "READ_OUT", ())


def _own(session: Session, name: str) -> Callable[..., Any] | None:
    """A function of the method; None for a name that its module only imports."""
    module = _method(session)
    found: Callable[..., Any] | None = getattr(module, name, None)
    if module is None or getattr(found, "__module__", None) != module.__name__:
        return None
    return found


def _method(session: Session) -> ModuleType | None:
    if session.method in METHODS:
        return module_of(session.method, "blocks")
    return None
