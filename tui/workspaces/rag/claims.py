"""Claim by claim: each claim with its verdict, the passage and the words it rests on.
Nothing here is a widget.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from ....engines.rag.plan import RagIteration
from ....sessions.events.rag import Claim, Claims
from ....texts import has, t
from ... import wording
from ...showing import clean, clean_line
from ...title_columns import end_of, fit
from .passages import readable

Parts = list["str | Content | tuple[str, str]"]

LOOKS = {
    "supported": ("✓", "success"),
    "contradicted": ("✗", "error"),
    "not-found": ("-", "warning"),
    "unread": ("?", "warning"),
}
"""Sign and colour of a verdict."""

AROUND = 70
"""Cells of a passage that are shown before and after the words a claim rests on."""

LONGEST = 240
"""Cells of those words; of longer ones the middle is left out."""


class Place(NamedTuple):
    """A claim: the event that has it, and which of its claims it is, from 0."""

    number: int
    at: int


class ClaimMark(NamedTuple):
    """Words of a passage that a claim rests on, and how they look."""

    words: str
    style: str


def every_claim(turn: RagIteration | None) -> list[tuple[Place, Claims, Claim]]:
    """The claims of an iteration in the order in which they are shown."""
    events = (
        [
            turn.claims[of]
            for of in ("answer", "accepted", "nuggets")
            if of in turn.claims
        ]
        if turn is not None
        else []
    )
    return [
        (Place(event.number, at), event, claim)
        for event in events
        for at, claim in enumerate(event.items)
    ]


def claim_at(turn: RagIteration | None, place: Place | None) -> Claim | None:
    """Return the claim at an index, or None."""
    return next((claim for each, _, claim in every_claim(turn) if each == place), None)


def marks_of(turn: RagIteration, n: int, chosen: Place | None) -> list[ClaimMark]:
    """Return the marks of the claims' evidence in reference `n`.

    The selected claim's marks are highlighted and come last.
    """
    found = []
    for place, event, claim in every_claim(turn):
        if event.of != "nuggets" and claim.n == n and claim.words:
            colour = LOOKS[claim.verdict or "unread"][1]
            found.append(
                (
                    place == chosen,
                    ClaimMark(
                        clean(claim.words),
                        f"bold on ${colour} 50%"
                        if place == chosen
                        else f"on ${colour} 22%",
                    ),
                )
            )
    return [mark for _, mark in sorted(found, key=lambda one: one[0])]


def with_marks(content: Content, marks: Sequence[ClaimMark]) -> Content:
    """A passage with these words marked, where they are in it."""
    for mark in marks:
        span = place_of(mark.words, content.plain)
        if span is not None:
            content = content.stylize(mark.style, *span)
    return content


def place_of(words: str, text: str) -> tuple[int, int] | None:
    """Range of words in a text whose lines may be wrapped differently; None if it does
    not contain them.
    """
    found = (
        re.search(r"\s*".join(map(re.escape, words.split())), text)
        if words.strip()
        else None
    )
    if found is not None:
        return found.span()
    return None


def counts(turn: RagIteration | None) -> Content:
    """Count the answer's claims by verdict, as signs and numbers.

    Empty if the claims were not checked.
    """
    event = turn.claims.get("answer") if turn is not None else None
    parts: Parts = []
    for name, n in _verdicts(event) if event is not None else ():
        sign, colour = LOOKS[name]
        parts += ["  " if parts else "", (f"{sign} {n}", f"bold ${colour}")]
    return Content.assemble(*parts)


def _verdicts(event: Claims) -> Iterator[tuple[str, int]]:
    given = [claim.verdict or "unread" for claim in event.items]
    return ((name, given.count(name)) for name in LOOKS if name in given)


def shown(
    turn: RagIteration | None, chosen: Place | None, width: int
) -> tuple[Content, int]:
    """The claims of an iteration in `width` cells, the selected one with its passage;
    and the line on which that one starts.
    """
    lines: list[Content] = []
    line = 0
    event_before = None
    for place, event, claim in every_claim(turn):
        if event is not event_before:
            lines += [Content("")] if lines else []
            lines += _head(event)
            event_before = event
        if place == chosen:
            line = len(lines)
        lines += _claim(event, claim, width, turn if place == chosen else None)
    empty = (
        [event for event in turn.claims.values() if not event.items]
        if turn is not None
        else []
    )
    for event in empty:
        lines += [*([Content("")] if lines else []), *_head(event)]
    for event in turn.claims.values() if turn is not None else ():
        measure = f"rag.measure_{event.measure.replace('-', '_')}"
        lines += (
            [Content.styled(t(measure), "$quiet")]
            if event.measure and has(measure)
            else []
        )
        lines += [
            Content.styled(f"! {clean_line(problem)}", "$warning")
            for problem in event.problems[:4]
        ]
    return Content("\n").join(lines), line


def _head(event: Claims) -> list[Content]:
    """Format what is checked, by which model, and the count of each verdict."""
    title = Content.assemble(
        (t(f"rag.claims_{event.of}"), "bold"), (f"  {wording.meta(event)}", "$quiet")
    )
    if not event.items:
        unread = event.read == "unread" and not event.measure
        return [
            title,
            Content.styled(
                t("rag.unread") if unread else t("rag.claims_none"),
                "$warning" if unread else "$quiet",
            ),
        ]
    told = [
        (t(f"asked.claims_{name.replace('-', '_')}", n=n), f"${LOOKS[name][1]}")
        for name, n in _verdicts(event)
    ]
    parts: Parts = []
    for words in told:
        parts += [(" · ", "$quiet"), words] if parts else [words]
    return [title, Content.assemble(*parts)]


def _claim(
    event: Claims, claim: Claim, width: int, within: RagIteration | None
) -> list[Content]:
    """A claim with its verdict, below each other where it is long; `within` its
    iteration, the place in the passage too.
    """
    verdict = claim.verdict or "unread"
    sign, colour = LOOKS[verdict]
    numbers = "".join(
        f"[{n}]" for n in ([claim.n] if claim.n is not None else []) + claim.also
    )
    words = (
        "" if verdict == "supported" else t(f"asked.claim_{verdict.replace('-', '_')}")
    )
    text = Content.assemble(
        (
            clean_line(claim.text).strip(),
            "bold" if within is not None else "",
        ),
        (f" {numbers}" if numbers else "", "bold $primary"),
        (f" {words}" if words else "", f"${colour}"),
    )
    first, *rest = text.wrap(max(width - 4, 8)) or [text]
    mark = "▸" if within is not None else " "
    lines = [
        Content.assemble(mark, (f"{sign} ", f"bold ${colour}"), first),
        *(Content.assemble("   ", each) for each in rest),
    ]
    return lines + (_passage(event, claim, within, width) if within is not None else [])


def _passage(
    event: Claims, claim: Claim, turn: RagIteration, width: int
) -> list[Content]:
    """Title and words of what a claim rests on, with some of the text around them."""
    indent, room = "   ", max(width - 3, 8)
    if event.of == "nuggets":
        title, text = (
            "",
            clean(
                (turn.answer.answer or turn.answer.text)
                if turn.answer is not None
                else ""
            ),
        )
    else:
        found = [
            one
            for one in (turn.retrieval.references if turn.retrieval is not None else [])
            if one.n == claim.n
        ]
        if not found:
            return []
        title = clean_line(found[0].title or found[0].file or t("rag.untitled"))
        text = readable(found[0])
    lines = (
        [
            Content.styled(
                indent + fit(title, min(room, cell_len(title))).rstrip(), "$quiet"
            )
        ]
        if title
        else []
    )
    span = place_of(clean(claim.words or ""), text)
    if span is None:
        told = (
            Content.styled(t("rag.claim_no_words"), "$quiet")
            if claim.verdict in ("supported", "contradicted")
            else Content("")
        )
        return lines + [
            Content.assemble(indent, each) for each in told.wrap(room) if told.plain
        ]
    colour = LOOKS[claim.verdict or "unread"][1]
    before, after = text[: span[0]], text[span[1] :]
    head = ".. " + end_of(before, AROUND) if cell_len(before) > AROUND else before
    tail = fit(after, AROUND).rstrip() if cell_len(after) > AROUND else after
    quoted = Content.assemble(
        (" ".join(head.split("\n")), "$quiet"),
        (
            _shortened(" ".join(text[slice(*span)].split("\n"))),
            f"bold on ${colour} 35%",
        ),
        (" ".join(tail.split("\n")), "$quiet"),
    )
    return lines + [Content.assemble(indent, each) for each in quoted.wrap(room)]


def _shortened(words: str) -> str:
    """Words that are quoted at length, without their middle."""
    if cell_len(words) <= LONGEST:
        return words
    return f"{fit(words, LONGEST // 2).rstrip('. ')} .. {end_of(words, LONGEST // 2)}"
