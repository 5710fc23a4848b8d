"""The messages that an event of a saved session answered, so that a trained model can
sit in the same seat as it is.

Marks of replies are left out, of messages and replies alike: what is learnt is no mark.
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
    """Saved sessions of a folder.

    What was asked is kept: an answer stands against several others.
    """

    def __init__(self, folder: Path, method_of: MethodOf) -> None:
        """`folder`: what the paths of sessions are relative to."""
        self._folder = folder
        self._method_of = method_of
        self._prompts: dict[tuple[str, str], list[Message] | None] = {}

    def asked(self, path: str | None, role: str) -> list[Message] | None:
        """What the last event of this role was asked; None where the session cannot be
        read or nobody was asked in this role.
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
        """What the last event of this role was asked, and its reply as the method gives
        it; None as above.
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
        """A session by its path in the folder; None if it cannot be read or would stand
        outside.
        """
        file = (self._folder / path).resolve()
        if not file.is_relative_to(self._folder.resolve()):
            return None
        return readable_session(file)


def asked(session: Session, event: Event, method_of: MethodOf) -> list[Message] | None:
    """The messages that an event of a session answered; None if it answered none, or
    the method cannot say.
    """
    try:
        messages = method_of(session.header).asked(session, event.number)
        if messages is None:
            return None
        return _unmarked(messages, session, event)
    except BadInput:
        return None


def said(event: ReplyEvent, method: Method) -> str | None:
    """The reply that an event holds, as `Method.reply`."""
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
    """The messages without the texts that ask for a mark, and without those in replies.

    Raises: BadInput for a faulty template.
    """
    templates = session.header.prompts.templates
    asking = [f"\n\n{mark_text(templates, mark)}" for mark in marks_in(event)]
    given = [mark for one in session.events for mark in marks_in(one)]
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
