"""`Block`: what one event says to a reader.

Every method makes blocks, every sink draws them and knows no method.

This file has the types, and the blocks of the events that all methods share.
"""

from __future__ import annotations

import json
from typing import Literal

import msgspec

from ...texts import has, t
from ...texts.amounts import money, tokens
from ...texts.failures import kind_name, said
from ...texts.failures import original as original_sentence
from ...texts.roles import BUILT_IN, letter, model_name, role_name
from ...texts.settings import setting_name, setting_value
from ..clean import clean
from ..events import Change, Event, Failure, Note, ReplyEvent, UnknownEvent
from ..session import Seat

Tone = Literal["", "blue", "amber", "green", "violet", "teal", "rose", "ink"]
"""The colour of a speaker."""

PARTS = ("round", "iteration", "candidate")
"""Fields that say which part of a session an event belongs to."""


class CitedPassage(msgspec.Struct, kw_only=True):
    """A reference that an answer may cite."""

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
    """One event as a reader sees it, in the language of the interface.

    All text is as it came: each sink escapes it.

    Headings, notes and labels begin with a small letter; a sink may capitalise them.
    """

    number: int = 0
    """The event's. 0: part of the task, or computed from the whole session."""
    kind: str
    """The event's, `raw` for an unknown one; or `task`, `case`, `seat`; or `summary`
    for what is computed from the whole session.
    """
    role: str = ""
    letter: str = ""
    tone: Tone = ""
    heading: str
    model: str = ""
    """Who answered, as people call it."""
    meta: list[str] = []
    """Seconds, tokens, attempts: muted text after the heading."""
    cost: str = ""
    remark: str = ""
    """What it comes to, in a few words."""
    doubtful: bool = False
    """The remark says that something is not as it should be."""
    unread: bool = False
    """The reply could not be read: `text` is the reply."""
    failed: str = ""
    """The kind of a failure that somebody must see to."""
    text: str = ""
    prose: bool = False
    """`text` is written for people, in Markdown perhaps."""
    closes: bool = False
    """The last line of `text` states the answer."""
    answer: str | None = None
    """What it states as its answer, where `text` does not show it."""
    winner: str = ""
    """The role whose side a result takes."""
    reasoning: str | None = None
    raw: str | None = None
    """The reply as it came, where `text` is only what was read from it."""
    notes: list[str] = []
    """Sentences."""
    facts: list[tuple[str, str]] = []
    """Label and value."""
    passages: list[CitedPassage] = []
    scores: list[tuple[str, str, str]] = []
    """Name, value and remark: rows of a table."""
    grids: list[Grid] = []
    part: str | None = None
    """What it is a part of: `round 2`, `iteration 1`."""

    @property
    def about(self) -> list[str]:
        """The muted text next to the heading."""
        unread = t("block.unread") if self.unread else ""
        parts = [self.model, *self.meta, self.cost, self.remark, unread]
        return [part for part in parts if part]


def _unknown(event: UnknownEvent) -> Block:
    """An event of a method that this version does not have, as it stands."""
    known = ("event", "number", "time")
    facts = [
        (name, plain_value(value))
        for name, value in event.fields.items()
        if name not in known
    ]
    return Block(
        number=event.number,
        kind="raw",
        heading=event.kind,
        facts=facts,
        part=part_of(event),
    )


def shared(event: Event) -> Block:
    """The block of an event with all that the events of every method have in common; a
    method fills in the rest.
    """
    match event:
        case UnknownEvent():
            return _unknown(event)
        case Change():
            text = (
                f"{changed_value(event.field, event.old)} → "
                f"{changed_value(event.field, event.new)}"
            )
            return Block(
                number=event.number,
                kind="change",
                heading=changed_name(event.field),
                text=text,
            )
        case Note():
            about = "" if event.about is None else t("block.about", about=event.about)
            return Block(
                number=event.number,
                kind="note",
                heading=t("event.note"),
                remark=about,
                text=event.text,
            )
        case Failure():
            return _failure(event)
    kind = str(event.__struct_config__.tag)
    name = t(f"event.{kind}") if has(f"event.{kind}") else kind
    block = Block(
        number=event.number,
        kind=kind,
        heading=name,
        part=part_of(event),
    )
    if isinstance(event, ReplyEvent):
        block.role, block.letter = event.role, letter(event.role)
        block.heading = role_name(event.role) or name
        block.model, block.meta = speaker(event), call_meta(event)
        block.cost = money(event.cost) if event.cost else ""
        block.text, block.reasoning = event.text, event.reasoning
        block.unread = event.unreadable
    return block


def _failure(event: Failure) -> Block:
    block = Block(
        number=event.number,
        kind="failure",
        heading=role_name(event.role) or t("event.failure"),
        role=event.role,
    )
    block.letter = letter(event.role) if event.role else ""
    block.model, block.meta, block.cost = (
        speaker(event),
        call_meta(event),
        money(event.cost) if event.cost else "",
    )
    if event.kind == "cancelled":
        block.text = t("entry.cancelled", role=role_name(event.role))
    else:
        block.failed, block.remark, block.text, block.raw = (
            event.kind,
            kind_name(event.kind),
            said(event),
            original_sentence(event) or None,
        )
    return block


def mark_closing(block: Block, answer: str | None) -> None:
    """Mark the last line of a text if it states the answer.

    Otherwise the answer is shown separately.
    """
    if not (answer and answer.strip()):
        return
    block.closes = clean(answer).strip() in last_line(block.text)
    block.answer = None if block.closes else answer


def last_line(text: str) -> str:
    """The last line of a text."""
    return clean(text).rstrip().rpartition("\n")[2]


def read_as(block: Block, text: str) -> None:
    """Show the parsed reply, with the raw reply as detail.

    An unread reply stays unchanged.
    """
    if not block.unread:
        block.text, block.raw = text, block.text


def part_of(event: Event) -> str | None:
    """The part of the session that an event belongs to: `round 2`, `iteration 1`,
    `Candidate c1`.
    """
    fields = event.fields if isinstance(event, UnknownEvent) else None
    for name in PARTS:
        value = fields.get(name) if fields is not None else getattr(event, name, None)
        if isinstance(value, int | str) and value:
            return t(f"block.{name}", n=value)
    return None


def speaker(event: ReplyEvent | Failure) -> str:
    """Return the display name of a call's model; empty if unknown."""
    if event.model:
        return model_name(event.model)
    return ""


def call_meta(event: ReplyEvent | Failure) -> list[str]:
    """Seconds, tokens and whatever was unusual about a call.

    Time and tokens of built-ins say nothing and are left out.
    """
    parts = []
    if event.model not in (*BUILT_IN, "given"):
        if event.seconds:  # 0 in what was recorded elsewhere: nobody took the time
            parts.append(f"{event.seconds:.1f} s")
        if event.usage is not None and event.usage.output is not None:
            parts.append(
                t("entry.tokens", n=tokens(event.usage.output, event.usage.estimated))
            )
    if event.attempts > 1:
        parts.append(t("entry.attempts", n=event.attempts))
    if isinstance(event, ReplyEvent):
        if event.finish not in (None, "stop"):
            parts.append(t("entry.finish", finish=event.finish))
        if event.cached:
            parts.append(t("entry.cached"))
        if event.dropped:
            parts.append(t("entry.dropped", names=", ".join(event.dropped)))
    return parts


def changed_name(field: str) -> str:
    """The name of what a `change` changes: `lineup.judge` → judge, `settings.level` →
    level.
    """
    kind, _, name = field.partition(".")
    if kind == "lineup":
        return role_name(name)
    return setting_name(name or kind)


def changed_value(field: str, value: object) -> str:
    """A setting's value in words, or the model of a seat."""
    if isinstance(value, Seat):
        return model_name(value.model, value.name)
    if isinstance(value, dict) and "model" in value:
        return model_name(str(value["model"]))
    if value is None:
        return "-"
    kind, _, name = field.partition(".")
    if kind != "settings" or not isinstance(value, bool | int | str):
        return plain_value(value)
    said = setting_value(name, value)
    if isinstance(value, int) and not isinstance(value, bool) and said != str(value):
        return f"{value} {said}"
    return said


def plain_value(value: object) -> str:
    """Any value of an event as text: text as it is, the rest as JSON."""
    plain = msgspec.to_builtins(value)
    if isinstance(plain, str):
        return plain
    return json.dumps(plain, ensure_ascii=False)


def capital(text: str) -> str:
    """The text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def fact(label: str, value: str) -> str:
    """`label: value` in one line."""
    return t("block.fact", label=label, value=value)
