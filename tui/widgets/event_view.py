"""One event in a transcript: any event, of any method."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from ...sessions.export.block import Block, fact
from ...texts import t
from .. import wording
from ..showing import clean, clean_line
from ..terminal.compat import Fixed
from .flowing import flowing
from .hits import HitText
from .prose_view import ProseView


class EventLines(Fixed, HitText):
    """A part of an entry: some lines that are laid out once."""


class EventView(Fixed, Vertical):
    """What was said, with its speaker; a change, a failure, a result."""

    def __init__(self, block: Block, unfold: bool = False) -> None:
        super().__init__(classes=_classes(block))
        self.block = block
        self._unfold = unfold

    def compose(self) -> ComposeResult:
        block = self.block
        if block.kind == "result":
            yield EventLines(_result_heading(block), classes="heading")
            yield EventLines(outcome(block), classes="outcome")
        elif block.kind in _ASIDES:
            yield EventLines(wording.aside(block))
            return
        else:
            yield EventLines(_heading(block), classes="heading")
        if block.reasoning:
            yield EventLines(
                _reasoning(block.reasoning, self._unfold), classes="reasoning"
            )
        if block.kind != "result":
            yield from _said(block)
        rest = _rest(block)
        if rest:
            yield EventLines(rest, markup=False)

    def fold(self, unfold: bool) -> None:
        """Shows or hides the reasoning."""
        if self.block.reasoning:
            self.query_one(".reasoning", EventLines).update(
                _reasoning(self.block.reasoning, unfold)
            )


class LiveEntry(Fixed, Vertical):
    """A reply while it streams in, with the seconds it has taken.

    It is replaced by an `EventView` when it is whole.
    """

    def __init__(
        self,
        role: str,
        model: str,
        state: Callable[[], str],
        since: float | None = None,
    ) -> None:
        """`state` says in a few words what is going on; it is asked every second.

        `since`: when the reply was asked for, else now.
        """
        super().__init__(classes=f"entry {wording.side_class(role)}")
        self.role = role
        self._model = model
        self._state = state
        self._began = since or time.monotonic()
        self._thinking = 0
        self.said = ProseView()

    def compose(self) -> ComposeResult:
        yield EventLines(self._heading(), classes="heading")
        yield self.said

    def on_mount(self) -> None:
        self.set_interval(1.0, self._tell)

    def _heading(self) -> Content:
        name = f"{wording.letter(self.role)} {wording.role_name(self.role)}"
        state = (
            t("entry.thinking", n=self._thinking)
            if self._thinking and not self.said.source
            else self._state()
        )
        seconds = int(time.monotonic() - self._began)
        return Content.assemble(
            (name, "bold"),
            (
                f"  {self._model} · {state}" + (f" · {seconds} s" if seconds else ""),
                "$quiet",
            ),
        )

    def _tell(self) -> None:
        self.query_one(".heading", EventLines).update(self._heading(), layout=False)

    def thought(self, text: str) -> None:
        """Reasoning is counted while it streams, and shown folded when it is whole."""
        self._thinking += len(text)


_ASIDES = ("failure", "change", "note")
"""Kinds that are in one muted line."""


def _classes(block: Block) -> str:
    if block.kind in _ASIDES:
        return "entry aside"
    if block.kind == "result":
        winner = wording.side_class(block.winner) if block.winner else ""
        return f"entry result {'undecided' if block.doubtful else winner}"
    return f"entry {wording.side_class(block.role)}"


def _heading(block: Block) -> Content:
    """Letter and name, what the call was, and what it comes to."""
    remark = t("entry.unread") if block.unread else clean_line(block.remark)
    apart = "\n" if block.kind == "verdict" else "  "
    return Content.assemble(
        (wording.joined([f"{block.letter} {block.heading}".strip()]), "bold"),
        ("  " + wording.joined([block.model, *block.meta]), "$quiet"),
        (
            f"{apart}{remark}" if remark else "",
            "$warning" if block.unread or block.doubtful else "",
        ),
    )


def speaker_line(block: Block) -> Content:
    """Who says it, in their colour."""
    if block.kind == "result":
        return _result_heading(block)
    name = wording.joined([f"{block.letter} {block.heading}".strip()])
    color = f"bold ${wording.side_class(block.role)}" if block.role else "bold"
    return _heading(block).stylize(color, 0, len(name))


def whole(block: Block, reasoning: bool = False) -> Content:
    """A whole event as one text, as it was written: for places that draw lines."""
    if block.kind in _ASIDES:
        return wording.aside(block)
    if block.kind == "result":
        return Content.assemble(_result_heading(block), "\n", outcome(block))
    parts: list[Content | tuple[str, str]] = [speaker_line(block)]
    if reasoning and block.reasoning:
        parts.append((clean(block.reasoning), "$quiet"))
    if block.text:
        parts.append((clean(block.text).rstrip(), "$quiet" if block.unread else ""))
    facts = [] if block.answer is None else [(t("block.answer"), block.answer)]
    closing = " · ".join(
        clean(fact(name, value))
        for name, value in [*facts, *(block.facts if block.role else [])]
    )
    parts += [(closing, "bold")] if closing else []
    rest = _rest(block)
    parts += [(rest, "")] if rest else []
    return Content("\n").join(
        [part if isinstance(part, Content) else Content.styled(*part) for part in parts]
    )


def searched(block: Block) -> str:
    """All that an event says, in the order of reading."""
    passages = (clean(passage.text) for passage in block.passages)
    return "\n".join([whole(block, reasoning=True).plain, *passages])


def _result_heading(block: Block) -> Content:
    """That it is the result, and whose side it takes."""
    side = (
        f"  {wording.letter(block.winner)} {wording.role_name(block.winner)}"
        if block.winner
        else ""
    )
    return Content.assemble((f" {t('result.title')} ", "bold reverse"), (side, "bold"))


def outcome(block: Block) -> Content:
    """How it ended: the answer, then how it was decided."""
    notes = (wording.joined(block.notes), "$quiet")
    if block.answer is None:
        return Content.assemble(notes)
    return Content.assemble(flowing(clean(block.answer), "bold"), "\n", notes)


def _reasoning(text: str, unfold: bool) -> Content:
    mark = t("entry.reasoning", n=len(text))
    if not unfold:
        return Content.styled(f"▸ {mark}", "$quiet")
    return Content.assemble((f"▾ {mark}\n", "$quiet"), flowing(clean(text), "$quiet"))


def _said(block: Block) -> ComposeResult:
    """The text, and in a line of its own what it states as its answer."""
    text, closing = clean(block.text), ""
    if block.closes:
        head, _, last = text.rstrip().rpartition("\n")
        text, closing = head.rstrip(), last.strip()
    if text and block.prose:
        yield ProseView(text.rstrip())
    elif text:
        yield EventLines(text, classes="raw" if block.unread else "", markup=False)
    facts = [] if block.answer is None else [(t("block.answer"), block.answer)]
    facts += block.facts if block.role else []
    closing = " · ".join(
        [
            *([closing] if closing else []),
            *(clean(fact(name, value)) for name, value in facts),
        ]
    )
    if closing:
        yield ProseView(closing, classes="closing apart" if text else "closing")


def _rest(block: Block) -> str:
    """Notes, scores, references and, for an event without a speaker, its facts: one
    line each.
    """
    if block.kind == "result":
        return ""
    lines = list(block.notes) + (
        [] if block.role else [fact(name, value) for name, value in block.facts]
    )
    lines += [" ".join(part for part in score if part) for score in block.scores]
    lines += [f"[{passage.n}] {passage.head}" for passage in block.passages]
    return "\n".join(clean_line(line) for line in lines)
