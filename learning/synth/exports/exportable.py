"""The messages that an event of a saved session replied to, so that a trained model can
take the same role.

Reply marks are removed from messages and replies, because models should not learn them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ....engines.method import Method
from ....engines.model_request import mark_text, marks_in
from ....engines.models.port import Message
from ....engines.reading.marks import unmarked
from ....sessions.errors import BadInput
from ....sessions.events import Event, ReplyEvent
from ....sessions.journal import readable_session
from ....sessions.session import Header, Session

MethodOf = Callable[[Header], Method]
"""The method of a session. Raises: SessionError if there is none."""


class Sessions:
    """Saved sessions of a folder. Requests are cached, because an answer is paired with
    several others.
    """

    def __init__(self, folder: Path, method_of: MethodOf) -> None:
        """Base of the session paths."""
        self._folder = folder
        self._method_of = method_of
        self._prompts: dict[tuple[str, str], list[Message] | None] = {}

    def asked(self, path: str | None, role: str) -> list[Message] | None:
        """The last request to this role; None if the session cannot be read, or the
        role was not called.
        """
        if path is None:
            return None
        if (path, role) not in self._prompts:
            found = self.reply(path, role)
            self._prompts[path, role] = found[0] if found is not None else None
        return self._prompts[path, role]

    def reply(
        self, path: str | None, role: str
    ) -> tuple[list[Message], str | None] | None:
        """The last request to this role, and its reply as the method returns it; None
        as above.
        """
        session = self._read(path) if path else None
        if session is None:
            return None
        for event in reversed(session.events):
            if isinstance(event, ReplyEvent) and event.role == role:
                messages = asked(session, event, self._method_of)
                if messages is not None:
                    return messages, said(event, self._method_of(session.header))
        return None

    def _read(self, path: str) -> Session | None:
        """A session by its path in the folder; None if it cannot be read or the path
        leads outside.
        """
        file = (self._folder / path).resolve()
        if not file.is_relative_to(self._folder.resolve()):
            return None
        return readable_session(file)


def asked(session: Session, event: Event, method_of: MethodOf) -> list[Message] | None:
    """The messages that an event of a session replied to; None if there are none, or
    the method cannot tell.
    """
    try:
        messages = method_of(session.header).asked(session, event.number)
        if messages is None:
            return None
        return _unmarked(messages, session, event)
    except BadInput:
        return None


def said(event: ReplyEvent, method: Method) -> str | None:
    """The reply in an event, as from `Method.reply`."""
    text = method.reply(event)
    if text is None:
        return text
    return _without(text, marks_in(event))


def one_conversation(messages: Sequence[Message]) -> bool:
    """Whether these messages are one conversation that waits for a reply; those of a
    case in several pieces are more than one.
    """
    roles = [message["role"] for message in messages]
    turns = roles[1:] if roles[:1] == ["system"] else roles
    return (
        bool(turns)
        and all(
            role == ("assistant" if at % 2 else "user") for at, role in enumerate(turns)
        )
        and turns[-1] == "user"
    )


def _unmarked(messages: list[Message], session: Session, event: Event) -> list[Message]:
    """Removes the texts that ask for a mark from messages, and the marks from replies.

    Raises: BadInput if a template has an error.
    """
    templates = session.header.prompts.templates
    asking = [f"\n\n{mark_text(templates, mark)}" for mark in marks_in(event)]
    given = [mark for event in session.events for mark in marks_in(event)]
    made = []
    for message in messages:
        text = message["content"]
        if message["role"] == "assistant":
            text = _without(text, given)
        for one in asking:
            text = text.removesuffix(one)
        made.append({**message, "content": text})
    return made


def _without(text: str, marks: list[str]) -> str:
    for mark in marks:
        if mark in text:
            text = unmarked(text, mark)
    return text
