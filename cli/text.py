"""A session as text for people, on stdout: as it happens, or replayed. One printer for both, with a part of its own for each method."""

from __future__ import annotations

from typing import ClassVar

from ..engines.models.port import Delta, Part, Remark, Waiting
from ..sessions.clean import clean
from ..sessions.events import Change, Event, Failure, Made, Note
from ..sessions.session import Seat, Session, Totals
from ..tui.said import original, said
from ..tui.texts import t
from .console import out, say


def printer(workspace: str, *, stream: bool = False) -> TextOut:
    """The printer for sessions of a workspace. `stream`: what is said appears while it is made."""
    if workspace == "rag":
        from .text_rag import RagText

        return RagText(stream=stream)
    if workspace == "relevance":
        from .text_relevance import RelevanceText

        return RelevanceText(stream=stream)
    from .text_debate import DebateText

    return DebateText(stream=stream)


def role_name(role: str) -> str:
    if role.startswith("debater"):
        return t("role.debater", n=role.removeprefix("debater"))
    try:
        return t(f"role.{role}")
    except KeyError:
        return clean(role, newlines=False)


def model_name(seat: Seat) -> str:
    real = clean(seat.model, newlines=False)
    return f"{clean(seat.name, newlines=False)} ({real})" if seat.name and seat.name != seat.model else real


class TextOut:
    """Prints what sessions of all workspaces have."""

    READ_OUT: ClassVar[frozenset[str]] = frozenset()
    """Roles whose replies are data: what was read of them is printed, not the text as it streams."""
    STREAMED: ClassVar[tuple[type[Event], ...]] = ()
    """Events whose text has been printed as it streamed."""
    SUBJECT: ClassVar[str] = "topic"
    """Where the task says what it is about."""

    def __init__(self, *, stream: bool = False) -> None:
        self.stream = stream
        self._speaking: str | None = None
        """The role whose heading is printed and whose text is streaming."""

    def header(self, session: Session) -> None:
        seats = "; ".join(f"{role_name(role)}: {model_name(session.seat(role))}" for role in session.header.lineup)
        out(f"{self._about(session)}\n\n{seats}\n")

    def part(self, part: Part) -> None:
        """A short-lived part: streamed text on stdout, everything else on stderr."""
        match part:
            case Delta(role=role, text=text, reasoning=False) if self.stream and role not in self.READ_OUT:
                if self._speaking != role:
                    self._break_off()
                    out(f"\n[{role_name(role)}]\n")
                    self._speaking = role
                out(clean(text))
            case Waiting():
                self._break_off()
                say(t("plain.waiting", role=role_name(part.role), message=said(part), seconds=f"{part.seconds:.0f}"))
            case Remark():
                self._break_off()
                say(said(part))

    def before(self, session: Session) -> None:
        """The next step begins: what stands above it is printed here."""

    def event(self, event: Event) -> None:
        """An event of the session."""
        if isinstance(event, self.STREAMED) and self._speaking == getattr(event, "role", None):
            out("\n")
        elif isinstance(event, Failure):
            self._break_off()
            say(self._failure(event))
        else:
            self._break_off()
            out(self._text(event))
        if isinstance(event, Made) and event.finish not in (None, "stop"):
            out(f"({t('entry.finish', finish=clean(event.finish, newlines=False))})\n")
        self._speaking = None

    def spent(self, totals: Totals) -> None:
        """What it cost, on stderr."""
        say(
            t(
                "plain.spent",
                calls=totals.calls,
                input=_count(totals.input, totals.estimated),
                output=_count(totals.output, totals.estimated),
                cost=t("side.unknown") if totals.cost is None else f"${totals.cost:.4f}",
                seconds=f"{totals.seconds:.1f}",
            )
        )

    def _break_off(self) -> None:
        if self._speaking is not None:
            out("\n")
            self._speaking = None

    def _text(self, event: Event) -> str:
        match event:
            case Change():
                return f"\n{t('plain.change', field=clean(event.field, newlines=False), old=_short(event.old), new=_short(event.new))}\n"
            case Note():
                return f"\n{t('plain.note', text=clean(event.text))}\n"
            case Made():
                named = event.model and f" ({clean(event.model, newlines=False)})"
                return f"\n[{role_name(event.role)}{named}]\n{self._said(event)}\n"
        return ""

    def _said(self, event: Made) -> str:
        """What was read of a reply."""
        return clean(event.text).strip("\n")

    def _failure(self, event: Failure) -> str:
        told, kept = said(event), original(event)
        if event.role:
            told = t("plain.failure", role=role_name(event.role), message=told)
        return f"{told}\n{kept}" if kept else told

    def _about(self, session: Session) -> str:
        """All that it is about, under its title where the user gave it one of its own."""
        title, subject = clean(session.title, newlines=False), clean(str(session.header.task.get(self.SUBJECT, "")))
        same = " ".join(subject.split()).startswith(title.removesuffix("…"))
        return subject if same else f"{title}\n{subject}".strip()


def _short(value: object) -> str:
    if isinstance(value, dict):
        value = value.get("name") or value.get("model")
    if isinstance(value, Seat):
        value = value.name or value.model
    return "-" if value is None else clean(str(value), newlines=False)


def _count(tokens: int | None, estimated: bool) -> str:
    return t("side.unknown") if tokens is None else f"{'~' if estimated else ''}{tokens}"
