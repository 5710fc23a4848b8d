"""A session as text for people, on stdout: as it happens, or replayed. One printer for both."""

from __future__ import annotations

from ..engines.models.port import Delta, Part, Remark, Waiting
from ..sessions.clean import clean
from ..sessions.events import Baseline, Candidates, Change, DebateResult, Event, Failure, Made, Note, Speech, Stance, Verdict
from ..sessions.session import Seat, Session, Totals
from ..tui.said import original, said
from ..tui.texts import t
from .console import out, say

READ_OUT = frozenset({"judge", "observer"})
"""Roles whose replies are data: what was read of them is printed, not the text as it streams."""


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
    """Prints a session. With `stream`, speeches appear while they are made."""

    def __init__(self, *, stream: bool = False) -> None:
        self.stream = stream
        self._speaking: str | None = None
        """The role whose heading is printed and whose text is streaming."""
        self._round = 0

    def header(self, session: Session) -> None:
        seats = "; ".join(f"{role_name(role)}: {model_name(session.seat(role))}" for role in session.header.lineup)
        out(f"{_about(session)}\n\n{seats}\n")

    def part(self, part: Part) -> None:
        """A short-lived part: streamed text on stdout, everything else on stderr."""
        match part:
            case Delta(role=role, text=text, reasoning=False) if self.stream and role not in READ_OUT:
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

    def round(self, number: int) -> None:
        """A round begins; said once."""
        if number > self._round:
            self._round = number
            out(f"\n{t('plain.round', n=number)}\n")

    def event(self, event: Event) -> None:
        """An event of the session."""
        if isinstance(event, Speech) and self._speaking is None:
            self.round(event.round)
        if isinstance(event, Speech | Baseline) and self._speaking == event.role:
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
            case DebateResult():
                return "\n" + _result(event)
            case Change():
                return f"\n{t('plain.change', field=clean(event.field, newlines=False), old=_short(event.old), new=_short(event.new))}\n"
            case Note():
                return f"\n{t('plain.note', text=clean(event.text))}\n"
            case Made():
                named = event.model and f" ({clean(event.model, newlines=False)})"
                return f"\n[{role_name(event.role)}{named}]\n{_said(event)}\n"
        return ""

    def _failure(self, event: Failure) -> str:
        told, kept = said(event), original(event)
        if event.role:
            told = t("plain.failure", role=role_name(event.role), message=told)
        return f"{told}\n{kept}" if kept else told


def _about(session: Session) -> str:
    """The whole topic, under its title where the user gave it one of its own."""
    title, topic = clean(session.title, newlines=False), clean(str(session.header.task.get("topic", "")))
    same = " ".join(topic.split()).startswith(title.removesuffix("…"))
    return topic if same else f"{title}\n{topic}".strip()


def _said(event: Made) -> str:
    text = clean(event.text).strip("\n")
    match event:
        case Verdict(read="unread") | Candidates(read="unread") | Stance(read="unread"):
            return f"{t('plain.unread')}\n{text}"
        case Verdict():
            lines = [clean(event.reason)] if event.reason else []
            if event.preference is not None:
                lines.append(t("plain.preferred" if event.preference else "plain.not_preferred"))
            if event.supported_side:
                lines.append(t("plain.side", side=_side(event.supported_side)))
            lines.append(t("plain.answer", answer=clean(event.answer) if event.answer else "-"))
            return "\n".join(lines)
        case Candidates():
            return "\n".join(f"- {clean(item, newlines=False)}" for item in event.items)
        case Stance(value=float(value)):
            return t("entry.stance", value=f"{value:.2f}")
    return text


def _result(event: DebateResult) -> str:
    lines = [t("plain.result", answer=clean(event.answer) if event.answer else t("result.undecided"))]
    if event.decided_by != "undecided":
        lines.append(t(f"result.{event.decided_by}", rounds=event.rounds))
    if event.supported_side == "tie":
        lines.append(t("result.tie"))
    elif event.supported_side:
        lines.append(t(f"result.side_{event.side_by or 'judge'}", side=role_name(event.supported_side)))
    if event.adaptive_round is not None:
        lines.append(t("result.adaptive", n=event.adaptive_round))
    measured = event.disagreement
    if measured is not None and measured.mean is not None:
        per_round = ", ".join("-" if value is None else f"{value:.2f}" for value in measured.per_round)
        lines.append(t("result.disagreement", value=f"{measured.mean:.2f}", mode=t(f"mode.{measured.mode}")) + f" ({per_round})")
        if measured.excluded:
            lines.append(t("side.excluded", n=measured.excluded))
    return "\n".join(lines) + "\n"


def _side(role: str) -> str:
    return t("result.tie") if role == "tie" else role_name(role)


def _short(value: object) -> str:
    if isinstance(value, dict):
        value = value.get("name") or value.get("model")
    if isinstance(value, Seat):
        value = value.name or value.model
    return "-" if value is None else clean(str(value), newlines=False)


def _count(tokens: int | None, estimated: bool) -> str:
    return t("side.unknown") if tokens is None else f"{'~' if estimated else ''}{tokens}"
