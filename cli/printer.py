"""A session as text for people, on stdout: as it happens, or replayed."""

from __future__ import annotations

from collections.abc import Callable

from ..engines import blocks
from ..engines.metrics.heatmap import heatmap
from ..engines.models.port import Delta, ModelRemark, Part, Waiting
from ..sessions.clean import clean
from ..sessions.events import Event
from ..sessions.export.about import spent
from ..sessions.export.block import Block, Grid, capital, fact
from ..sessions.session import Session, Totals
from ..texts import t
from ..texts.columns import cells
from ..texts.failures import said
from ..texts.roles import role_name
from .console import note, out, say

FIRST_LINE = 110
"""Characters of a passage or a case that are printed: enough to know it by."""


class Printer:
    """Prints the blocks of one session, with a heading above each part."""

    def __init__(
        self, *, stream: bool = False, text: Callable[[str], str] = clean
    ) -> None:
        """`stream`: replies appear while they are made. `text` makes what was said safe
        to print.
        """
        self.stream = stream
        self._text = text
        self._session: Session | None = None
        self._cases: dict[str | None, Block] = {}
        self._part: str | None = None
        self._speaking: str | None = None
        """The role whose heading is printed and whose text is being streamed."""

    def header(self, session: Session) -> None:
        """Print the task and the line-up."""
        self._session = session
        tasks = blocks.task(session)
        self._cases = {block.part: block for block in tasks if block.part is not None}
        lines = [_about(session, block) for block in tasks if block.part is None] or [
            _line(session.title)
        ]
        seats = "; ".join(
            fact(_line(seat.heading), _line(seat.model))
            for seat in blocks.seats(session)
        )
        out("\n".join(lines) + f"\n\n{seats}\n")

    def part(self, part: Part) -> None:
        """A short-lived part: streamed text on stdout, everything else on stderr."""
        match part:
            case Delta(role=role, text=text, reasoning=False) if self._streams(role):
                if self._speaking != role:
                    self._break_off()
                    out(f"\n[{_line(role_name(role))}]\n")
                    self._speaking = role
                out(clean(text))
            case Waiting():
                self._break_off()
                key = (
                    "waiting"
                    if part.kind != "limit"
                    else "limit"
                    if part.seconds
                    else "limit_open"
                )
                note(
                    t(
                        f"plain.{key}",
                        role=_line(role_name(part.role)),
                        message=_line(said(part)),
                        seconds=f"{part.seconds:.0f}",
                    )
                )
            case ModelRemark():
                self._break_off()
                note(_line(said(part)))

    def before(self, session: Session) -> None:
        """The next step begins: the heading of its part is above it."""
        self._begin(blocks.coming(session))

    def event(self, event: Event) -> None:
        """Prints an event; the message of a failure also goes to stderr."""
        assert self._session is not None
        block = blocks.block(event, self._session)
        streamed = self._speaking is not None and self._speaking == block.role
        if block.kind == "failure":
            self._break_off()
            say(
                fact(_line(block.heading), _line(block.text))
                + (f"\n{clean(block.raw)}" if block.raw else "")
            )
        elif streamed:
            meta = [f"({_meta(block)})"] if block.meta else []
            out("\n" + "".join(f"{line}\n" for line in [*meta, *_rest(block)]))
        else:
            self._break_off()
            self._begin(block.part)
            out(
                "\n"
                + "".join(
                    f"{line}\n"
                    for line in [*_head(block, self._text(block.text)), *_rest(block)]
                )
            )
        self._speaking = None

    def spent(self, totals: Totals) -> None:
        """Print the cost on stderr."""
        note(spent(totals))

    def _streams(self, role: str) -> bool:
        return (
            self.stream
            and self._session is not None
            and blocks.streams(role, self._session)
        )

    def _begin(self, part: str | None) -> None:
        """Prints the heading of a part, once, with the name or the first words of the
        case that it is about.
        """
        if part is None or part == self._part:
            return
        self._part, case = part, self._cases.get(part)
        named = "" if case is None else _short(case.heading or case.text)
        out(f"\n{_line(capital(part))}{f' · {named}' if named else ''}\n")

    def _break_off(self) -> None:
        if self._speaking is not None:
            out("\n")
            self._speaking = None


def _about(session: Session, task: Block) -> str:
    """All that it is about, under its title where the user gave it one of its own."""
    title, text = _line(session.title), clean(task.text)
    own = not text or not " ".join(text.split()).startswith(title.removesuffix("…"))
    return "\n".join(
        [
            *([title] if own else []),
            *([text] if text else []),
            *map(_line, task.notes),
            *map(_fact, task.facts),
        ]
    )


def _head(block: Block, said: str) -> list[str]:
    """Format the speaker and the result, then the text."""
    heading, remark = _line(block.heading), _line(block.remark)
    text = said.strip("\n")
    if block.role:
        named = " · ".join(
            part for part in (heading, _line(block.model), _meta(block)) if part
        )
        lines = [
            f"[{named}]{' ' if remark else ''}{remark}",
            *([t("plain.unread")] if block.unread else []),
        ]
        if text:
            return [*lines, text]
        return lines
    if block.kind == "result":
        answer = clean(block.answer or block.remark)
        return [t("plain.result", answer=answer)]
    heading = capital(" ".join(part for part in (heading, remark) if part))
    return [fact(heading, text) if text else heading]


def _meta(block: Block) -> str:
    return " · ".join(map(_line, block.meta))


def _rest(block: Block) -> list[str]:
    """All but the text: scores, answer, notes, facts, tables, passages."""
    lines = _scores(block.scores)
    if block.answer is not None and block.kind != "result":
        lines.append(fact(t("block.answer"), clean(block.answer)))
    lines += [*map(_line, block.notes), *map(_fact, block.facts)]
    for grid in block.grids:
        lines += _grid(grid)
    for passage in block.passages:
        lines += [f"[{passage.n}] {_line(passage.head)}", f"    {_short(passage.text)}"]
    return lines


def _fact(pair: tuple[str, str]) -> str:
    return fact(_line(capital(pair[0])), _line(pair[1]))


def _scores(scores: list[tuple[str, str, str]]) -> list[str]:
    width = max((cells(_line(name)) for name, _, _ in scores), default=0)
    rows = [
        (_line(name), _line(value), _line(remark)) for name, value, remark in scores
    ]
    return [
        f"  {name}{' ' * (width - cells(name))}  {value}  {remark}".rstrip()
        for name, value, remark in rows
    ]


def _grid(grid: Grid) -> list[str]:
    return heatmap(
        grid.counts,
        _line(
            t(
                "block.grid",
                title=grid.title,
                down=grid.down,
                across=grid.across,
            )
        ),
    )


def _line(text: str) -> str:
    return clean(text, newlines=False)


def _short(text: str) -> str:
    line = " ".join(_line(text).split())
    if len(line) <= FIRST_LINE:
        return line
    return line[: FIRST_LINE - 1].rstrip() + "…"
