"""A debate as text for people."""

from __future__ import annotations

from typing import ClassVar

from ..sessions.clean import clean
from ..sessions.events import Baseline, Candidates, DebateResult, Event, Made, Speech, Stance, Verdict
from ..sessions.session import Session
from ..tui.texts import t
from .console import out
from .text import TextOut, role_name


class DebateText(TextOut):
    """Prints a debate, with a heading above each round."""

    READ_OUT: ClassVar[frozenset[str]] = frozenset({"judge", "observer"})
    STREAMED: ClassVar[tuple[type[Event], ...]] = (Speech, Baseline)

    def __init__(self, *, stream: bool = False) -> None:
        super().__init__(stream=stream)
        self._round = 0

    def before(self, session: Session) -> None:
        from ..engines.debate.plan import upcoming

        following = upcoming(session)
        if following is not None and following.what == "speech":
            self._begin(following.round)

    def event(self, event: Event) -> None:
        if isinstance(event, Speech) and self._speaking is None:
            self._begin(event.round)
        super().event(event)

    def _begin(self, number: int) -> None:
        """A round begins; said once."""
        if number > self._round:
            self._round = number
            out(f"\n{t('plain.round', n=number)}\n")

    def _text(self, event: Event) -> str:
        return "\n" + _result(event) if isinstance(event, DebateResult) else super()._text(event)

    def _said(self, event: Made) -> str:
        text = super()._said(event)
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
