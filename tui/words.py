"""Sentences and labels of the debate screen, made from events. Nothing here is a widget."""

from __future__ import annotations

from textual.content import Content

from ..sessions.clean import clean
from ..sessions.events import Baseline, Candidates, Change, DebateResult, Event, Failure, Made, Note, Speech, Stance, Verdict
from ..sessions.session import Seat, Totals
from .said import kind_name, original, said
from .texts import t

LETTERS = {
    "affirmative": "A",
    "negative": "N",
    "judge": "J",
    "observer": "O",
    "baseline": "B",
    "generator": "G",
    "verifier": "V",
    "reviser": "R",
    "retriever": "S",
    "extractor": "E",
    "annotator": "M",
}

BUILT_IN = ("human", "script", "lexical")


def letter(role: str) -> str:
    """One letter or digit by which a speaker is known without colour."""
    return LETTERS.get(role) or clean(role[-1:], newlines=False).strip() or "?"


def role_name(role: str) -> str:
    if role.startswith("debater"):
        return t("role.debater", n=role.removeprefix("debater"))
    return t(f"role.{role}") if role in LETTERS else clean(role, newlines=False)


def side_class(role: str) -> str:
    """The CSS class that colours a speaker."""
    if role in ("affirmative", "negative", "judge"):
        return f"side-{role}"
    return "side-third" if role == "debater3" else "side-other"


def level_name(level: int) -> str:
    return t(f"levels.name{level}")


def model_name(seat: Seat) -> str:
    """What stands for a model on screen: the user's name for it with the real id, built-ins labelled as such."""
    if seat.model in BUILT_IN:
        return t(f"model.{seat.model}")
    return clean(f"{seat.name} ({seat.model})" if seat.name and seat.name != seat.model else seat.model, newlines=False)


def short_name(seat: Seat) -> str:
    """The model in one word, where there is little room."""
    return clean(seat.name or seat.model.rsplit("/", 1)[-1], newlines=False)


def spoken_by(event: Made | Failure) -> str:
    if event.model in (*BUILT_IN, "given"):
        return t(f"model.{event.model}")
    return clean(event.model, newlines=False)


def money(cost: float | None, estimated: bool = False) -> str:
    if cost is None:
        return t("side.unknown")
    digits = 4 if 0 < abs(cost) < 1 else 2
    return f"{'~' if estimated else ''}${cost:,.{digits}f}"


def tokens(count: int | None, estimated: bool = False) -> str:
    if count is None:
        return t("side.unknown")
    return f"{'~' if estimated else ''}{count:,}"


def spent(totals: Totals) -> list[tuple[str, str]]:
    """Label and value of what a session has cost so far."""
    used = t("side.tokens_value", input=tokens(totals.input, totals.estimated), output=tokens(totals.output, totals.estimated))
    if totals.input is None and totals.output is None:
        used = t("side.unknown")
    return [
        (t("side.tokens"), used),
        (t("side.cost"), money(totals.cost, totals.estimated)),
        (t("side.time"), f"{totals.seconds:.1f} s"),
    ]


def meta(event: Made) -> str:
    """Model, seconds and tokens, muted beside a speaker's name."""
    parts = [spoken_by(event)]
    if event.model not in (*BUILT_IN, "given"):
        if event.seconds:  # 0 in what was recorded elsewhere: nobody took the time
            parts.append(f"{event.seconds:.1f} s")
        usage = event.usage
        if usage is not None and usage.output is not None:
            parts.append(t("entry.tokens", n=tokens(usage.output, usage.estimated)))
    if event.attempts > 1:
        parts.append(t("entry.attempts", n=event.attempts))
    if event.finish not in (None, "stop"):
        parts.append(t("entry.finish", finish=clean(str(event.finish), newlines=False)))
    if event.cached:
        parts.append(t("entry.cached"))
    if event.dropped:
        parts.append(t("entry.dropped", names=clean(", ".join(event.dropped), newlines=False)))
    return " · ".join(parts)


def heading(event: Made) -> Content:
    """Letter, name and what the call was."""
    return Content.assemble((f"{letter(event.role)} {role_name(event.role)}", "bold"), ("  " + meta(event), "$quiet"), remark(event))


def remark(event: Made) -> Content | str:
    """What a verdict or another read reply comes to, in a few words."""
    match event:
        case Verdict(read="unread"):
            return Content.styled("  " + t("entry.unread"), "$warning")
        case Verdict(mode="discriminative", preference=True, answer=str(answer)) if answer:
            return Content("  " + t("entry.ends"))
        case Verdict(mode="discriminative", answer=str(answer)) if answer:
            return Content.styled("  " + t("entry.answer_without_preference"), "$warning")
        case Verdict(mode="discriminative"):
            return Content("  " + t("entry.goes_on"))
        case Verdict():
            return Content("  " + t("entry.extracts"))
        case Candidates(read="unread") | Stance(read="unread") | Baseline(read="unread"):
            return Content.styled("  " + t("entry.unread"), "$warning")
        case Candidates():
            return Content("  " + t("entry.candidates"))
        case Stance(value=float(value)):
            return Content("  " + t("entry.stance", value=f"{value:.2f}"))
        case Baseline():
            return Content("  " + t("entry.baseline"))
    return ""


def decision(event: Verdict) -> str:
    """The answer that a judge saw and the side that it named; empty where there is neither."""
    parts = [t("entry.answer", answer=clean(event.answer))] if event.answer else []
    if event.supported_side:
        parts.append(t("entry.side", side=t("result.tie") if event.supported_side == "tie" else role_name(event.supported_side)))
    return " · ".join(parts)


def line_of(event: Event) -> Content:
    """One muted line for events that nobody said."""
    match event:
        case Change(field=field, old=old, new=new):
            return Content.styled(
                "· " + t("entry.change", field=changed_name(field), old=changed(field, old), new=changed(field, new)), "$quiet"
            )
        case Note(text=text):
            return Content.styled("· " + t("entry.note", text=clean(text)), "$quiet")
        case Failure(kind="cancelled"):
            return Content.styled("· " + t("entry.cancelled", role=role_name(event.role)), "$quiet")
        case Failure():
            head = f"! {role_name(event.role)}" if event.role else "!"
            beside = " · ".join(part for part in (spoken_by(event), kind_name(event.kind)) if part)
            kept = original(event)
            return Content.assemble(
                (head, "bold $error"),
                (f"  {beside}", "$quiet"),
                f"\n{said(event)}\n",
                (f"{kept}\n" if kept else "", "$quiet"),
                (failure_hint(event.kind if event.role != "retriever" else ""), "$quiet"),
            )
    return Content(type(event).__name__)


def failure_hint(kind: str) -> str:
    return t("entry.failure_lineup" if kind in NEEDS_OTHER_MODEL else "entry.failure_retry")


NEEDS_OTHER_MODEL = frozenset({"auth", "missing-key", "not-found", "not-local", "unknown-model", "no-line", "bad-request"})
"""Failures that trying again does not cure: the line-up opens."""


def changed_name(field: str) -> str:
    kind, _, name = field.partition(".")
    if kind == "lineup":
        return role_name(name)
    key = f"setting.{name or kind}"
    try:
        return t(key)
    except KeyError:
        return clean(name or kind, newlines=False)


def changed(field: str, value: object) -> str:
    if field == "settings.level" and isinstance(value, int) and 0 <= value <= 3:
        return f"{value} {level_name(value)}"
    if isinstance(value, Seat):
        return model_name(value)
    if isinstance(value, dict) and "model" in value:
        return clean(str(value["model"]), newlines=False)
    return "-" if value is None else clean(str(value), newlines=False)


def result_lines(event: DebateResult) -> Content:
    """The outcome: answer first, then how it was decided."""
    answer = clean(event.answer) if event.answer else t("result.undecided")
    side = t("result.no_side")
    if event.supported_side == "tie":
        side = t("result.tie")
    elif event.supported_side:
        side = t(f"result.side_{event.side_by or 'judge'}", side=role_name(event.supported_side))
    how = [] if event.decided_by == "undecided" else [t(f"result.{event.decided_by}", rounds=event.rounds)]
    parts: list[Content | str | tuple[str, str]] = [(answer, "bold"), "\n", (" · ".join([*how, side]), "$quiet")]
    if event.adaptive_round is not None:
        parts.append((" · " + t("result.adaptive", n=event.adaptive_round), "$quiet"))
    if event.disagreement is not None and event.disagreement.mean is not None:
        parts.append(
            (" · " + t("result.disagreement", value=f"{event.disagreement.mean:.2f}", mode=t(f"mode.{event.disagreement.mode}")), "$quiet")
        )
    return Content.assemble(*parts)


def split_answer(event: Speech) -> tuple[str, str]:
    """A speech as (argument, closing line), both cleaned; the second is empty where no answer was read."""
    text = clean(event.text).rstrip()
    if event.answer is None:
        return text, ""
    head, _, last = text.rpartition("\n")
    if event.answer.strip() and clean(event.answer).strip() in last:
        return head.rstrip(), last.strip().strip("*").strip()
    return text, ""
