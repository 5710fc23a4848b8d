"""What an export shows of each event, in words: the same for Markdown and HTML."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from ..events import (
    Baseline,
    Candidates,
    Change,
    DebateResult,
    Demonstrations,
    Event,
    Failure,
    Made,
    Note,
    Speech,
    Stance,
    Verdict,
)
from ..session import Session, Totals


class Passage(msgspec.Struct, kw_only=True):
    """A reference that an answer may cite, for a list of them."""

    n: int
    head: str
    text: str


class Grid(msgspec.Struct, kw_only=True):
    """A table of counts: how often one rater's level i met another's level j."""

    title: str
    down: str
    """Whose levels the rows are."""
    across: str
    counts: list[list[int]]
    shades: list[list[int]]
    """How dark each cell is, 0 to 4."""


class Block(msgspec.Struct, kw_only=True):
    """One event as a reader sees it. All text is as it came: escape it at the sink."""

    number: int
    """The event's; 0: it is part of the task."""
    kind: str
    role: str = ""
    heading: str
    mark: str = ""
    """One letter that tells the speaker apart without colour."""
    meta: list[str] = []
    """Model, seconds, tokens, cost: what stands muted beside the heading."""
    text: str = ""
    reasoning: str | None = None
    raw: str | None = None
    """The reply as it came, where `text` is only what was read from it."""
    facts: list[tuple[str, str]] = []
    passages: list[Passage] = []
    scores: list[tuple[str, str, str]] = []
    """Name, value and remark: rows of a table."""
    grids: list[Grid] = []
    part: str | None = None
    """What it is a part of: `Round 2`, `Iteration 1`."""


MARKS = {"affirmative": "A", "negative": "N", "judge": "J", "observer": "O", "baseline": "B"}


def role_name(role: str) -> str:
    """`affirmative` → Affirmative, `debater3` → Debater 3."""
    if role.startswith("debater") and role[7:].isdigit():
        return f"Debater {role[7:]}"
    return role[:1].upper() + role[1:]


def mark(role: str) -> str:
    """One letter or digit for a speaker."""
    if role.startswith("debater") and role[7:].isdigit():
        return role[7:]
    return MARKS.get(role) or role[:1].upper()


LABELS = {"script": "script (written by hand, no language model)", "lexical": "lexical (by words alone, no language model)"}


def model_name(model: str) -> str:
    """A model as a reader should know it: the built-ins say what they are."""
    return LABELS.get(model, model)


def settings_facts(settings: dict[str, Any]) -> list[tuple[str, str]]:
    """Settings as pairs of name and text; what is off by being nothing is left out."""
    return [(name, _setting(value)) for name, value in settings.items() if value is not None]


def _setting(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(f"{name} {one}" for name, one in value.items()) if isinstance(value, dict) else str(value)


def blocks(session: Session) -> list[Block]:
    """One block an event, in order; in a session about cases each case stands before what is said of it."""
    from .blocks_relevance import with_cases

    made = [_block(event) for event in session.events]
    return with_cases(session.header, made) if session.workspace == "relevance" else made


def _block(event: Event) -> Block:
    kind = str(event.__struct_config__.tag)
    block = Block(number=event.number, kind=kind, heading=kind.capitalize(), part=_part(event))
    if isinstance(event, Made | Failure):
        block.role = event.role
        block.mark = mark(event.role)
        block.heading = role_name(event.role) or block.heading
        block.meta = _meta(event)
    if isinstance(event, Made):
        block.text, block.reasoning = event.text, event.reasoning
    _fill(block, event)
    return block


def _part(event: Event) -> str | None:
    for name in ("round", "iteration"):
        number = getattr(event, name, 0)
        if number:
            return f"{name.capitalize()} {number}"
    case = getattr(event, "case", None) or getattr(event, "candidate", None)
    if isinstance(case, str):
        return "Query" if case == "query" else f"Candidate {case}"
    return "Query" if isinstance(event, Demonstrations) else None


def _fill(block: Block, event: Event) -> None:
    """What is particular to a kind of event."""
    from . import blocks_rag, blocks_relevance  # they are made of this module's parts

    if isinstance(event, Speech):
        said = event.answer is None or event.answer in event.text.rstrip().rpartition("\n")[2]
        block.facts = [] if said else [("Answer", _or(event.answer, ""))]
    elif isinstance(event, Baseline):
        block.facts = [("Answer", _or(event.answer, "not read"))]
    elif isinstance(event, Stance):
        _read(block, event, event.read != "unread", "")
        block.facts = [("Disagreement", "not read" if event.value is None else f"{event.value:.2f}")]
    elif isinstance(event, Verdict):
        _read(block, event, event.read != "unread", event.reason)
        block.facts = _verdict(event)
    elif isinstance(event, Candidates):
        _read(block, event, event.read != "unread", "")
        block.facts = [(f"Candidate {number}", item) for number, item in enumerate(event.items, 1)]
    elif isinstance(event, DebateResult):
        block.facts = result_facts(event)
    elif isinstance(event, Change):
        block.text = f"{event.field}: {_value(event.old)} → {_value(event.new)}"
    elif isinstance(event, Failure):
        block.heading = f"{block.heading}: no reply" if event.role else "No reply"
        block.text, block.facts = event.message, [("Kind", event.kind)]
    elif isinstance(event, Note):
        block.heading = "Note" if event.about is None else f"Note about {event.about}"
        block.text = event.text
    elif not blocks_rag.fill(block, event) and not blocks_relevance.fill(block, event):
        block.facts = _rest(event)


def _read(block: Block, event: Made, was_read: bool, text: str) -> None:
    """Shows what was read; the reply itself stands aside, unless it could not be read."""
    if was_read:
        block.text, block.raw = text, event.text


def _verdict(event: Verdict) -> list[tuple[str, str]]:
    facts = []
    if event.mode == "discriminative":
        facts.append(("Preference", {True: "yes, the debate ends", False: "no, the debate goes on", None: "not read"}[event.preference]))
    if event.supported_side is not None:
        facts.append(("Supports", role_name(event.supported_side)))
    if event.answer is not None:
        facts.append(("Answer", event.answer))
    return facts


def result_facts(event: DebateResult) -> list[tuple[str, str]]:
    """The result as pairs of label and text; what does not apply is left out."""
    how = {
        "discriminative": "the judge's verdict during the debate",
        "extractive": "the judge's extraction at the limit",
        "undecided": "nobody: undecided",
    }
    facts = [("Answer", _or(event.answer, "none")), ("Decided by", how[event.decided_by])]
    if event.supported_side is not None:
        by = " (its last answer is the result)" if event.side_by == "match" else ""
        facts.append(("Supported side", role_name(event.supported_side) + by))
    facts.append(("Rounds", str(event.rounds)))
    if event.adaptive_round is not None:
        facts.append(("Adaptive rule would have stopped after round", str(event.adaptive_round)))
    seen = event.disagreement
    if seen is not None and seen.mode != "none":
        per_round = ", ".join("–" if value is None else f"{value:.2f}" for value in seen.per_round)
        mean = "not measured" if seen.mean is None else f"{seen.mean:.2f}"
        excluded = f"; {seen.excluded} not comparable" if seen.excluded else ""
        facts.append((f"Disagreement by {seen.mode}", f"{mean} (per round: {per_round}{excluded})"))
    return facts


def _rest(event: Event) -> list[tuple[str, str]]:
    """Fields of a kind of event that nothing is known about here."""
    known = {*Made.__struct_fields__, "round", "iteration"}
    return [(name, _value(getattr(event, name))) for name in event.__struct_fields__ if name not in known]


def _meta(event: Made | Failure) -> list[str]:
    parts = [model_name(event.model)] if event.model else []
    if event.seconds:
        parts.append(f"{event.seconds:.1f} s")
    if event.usage is not None and event.usage.output is not None:
        parts.append(f"{'about ' if event.usage.estimated else ''}{event.usage.output:,} tokens")
    if event.cost:
        parts.append(money(event.cost))
    if event.attempts > 1:
        parts.append(f"{event.attempts} attempts")
    if isinstance(event, Made):
        parts += ["not finished: " + event.finish] if event.finish not in (None, "stop") else []
        parts += ["from the cache"] if event.cached else []
        read = getattr(event, "read", None)
        parts += ["could not be read"] if read == "unread" else []
    return parts


def money(dollars: float) -> str:
    """US dollars with as many places as a small sum needs."""
    return f"${dollars:.2f}" if dollars >= 1 else f"${dollars:.4f}" if dollars >= 0.0001 else f"${dollars:.2g}"


def totals_line(totals: Totals) -> str:
    """What was spent, in one line; unknown is said, not counted as nothing."""
    tokens = [f"{name} {'unknown' if value is None else f'{value:,}'}" for name, value in (("in", totals.input), ("out", totals.output))]
    cost = "cost unknown" if totals.cost is None else money(totals.cost) if totals.cost else "no cost"
    mark = " (partly estimated)" if totals.estimated else ""
    return f"tokens {', '.join(tokens)}{mark} · {cost} · {totals.seconds:.1f} s · {totals.calls} calls"


def _or(value: str | None, otherwise: str) -> str:
    return otherwise if value is None else value


def _value(value: Any) -> str:
    plain = msgspec.to_builtins(value)
    if isinstance(plain, dict) and isinstance(plain.get("model"), str):
        return str(plain["model"])
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
