"""Two sessions side by side: how they ended, what was set otherwise, and the events in
which they differ.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import partial
from itertools import accumulate, groupby
from pathlib import Path

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from ...engines.blocks import block
from ...sessions.export.block import Block
from ...sessions.journal import Journal
from ...sessions.pairs import StepPair, pairs
from ...sessions.session import Session
from ...texts import t
from .. import wording
from ..showing import clean_line
from ..timeline import Timeline
from ..title_columns import Apart, fit
from ..widgets.event_view import whole
from ..widgets.side_by_side import BETWEEN, GUTTER, SideBySide, SideBySideRow, Texts
from .sheet import LazyLine
from .text_sheet import TextSheet

NARROW = 96
"""Cells below which one text is below the other."""
LABEL = 14
"""Cells of the names of what is compared on top."""
_WORD = re.compile(r"[\u3040-\u9fff]|\w+|\s+|.", re.DOTALL)
"""A word, a Chinese character, blanks, a mark: what is told apart in two texts."""
ALIKE = 0.5
"""How much two texts must have in common before single words are marked; else all of it
would be.
"""
DIFFERS = "underline $text-warning"
"""How such a word looks."""
LONGEST = 6000
"""Longest text, in characters, whose words are compared."""


class CompareScreen(TextSheet):
    """Dismissed with None.

    A parent and its child are called so, any other two by their titles.
    """

    DEFAULT_CSS = """
    CompareScreen {
        #sheet.tall { width: 100%; max-width: 100%; height: 100%; max-height: 100%; }
        #title { margin: 0; }
        #names { height: 1; margin-bottom: 1; }
        &.-low #names { margin: 0; }
    }
    """
    # it covers everything: what is below is not painted, dimmed, for nothing
    CSS = "CompareScreen.sheet { background: $surface; }"
    BINDINGS = [
        ("q", "leave"),
        ("},full_stop", "go(1)"),
        ("{,comma", "go(-1)"),
    ]
    KEYS = {"j k": "compare.scroll", "space": "compare.page"}
    AUTO_FOCUS = "SideBySide"
    NAME = "comparison"
    tall = True

    def __init__(
        self, left: Session, right: Session, names: tuple[str, str] = ("", "")
    ) -> None:
        """`names`: those of the runs that the two are in; empty: as the two call
        themselves.
        """
        super().__init__()
        self._sides = left, right
        shown = _names(left, right)
        if any(names):
            titles = (
                clean_line(left.title),
                clean_line(right.title),
            )
            first, second = names
            shown = (
                (clean_line(first), clean_line(second)),
                titles,
            )
        self._names = shown
        self._pairs = pairs(left, right)
        self._view = SideBySide([*self._summary(), *self._steps()], NARROW)

    def heading(self) -> str:
        """Returns the title, with the difference that is marked."""
        at, count = self._view.place
        where = (
            t("compare.place", n=at, total=count)
            if count
            else t("compare.all_same", n=len(self._pairs))
        )
        return f"{t('compare.title')}: {where}"

    def body(self) -> ComposeResult:
        yield Static(LazyLine(self._heads), id="names")
        yield self._view

    def keys(self) -> dict[str, str]:
        more = {"}": t("compare.next"), "{": t("compare.before")}
        return (more if self._view.place[1] else {}) | super().keys()

    def action_go(self, by: int) -> None:
        """Goes to the next difference, or to the one before."""
        self._view.go(by)
        self.query_one("#title", Static).update(self.heading(), layout=False)

    def text(self) -> str:
        return self._view.text()

    def count(self, pattern: re.Pattern[str]) -> int:
        return self._view.count(pattern)

    def mark(self, pattern: re.Pattern[str] | None, at: int) -> None:
        self._view.mark(pattern, at)

    # On top

    def _heads(self, width: int) -> Content:
        """Returns the line that names the two columns."""
        roles, titles = self._names
        apart = Apart(titles)
        column = (width - 1 - GUTTER - BETWEEN) // 2
        cells = []
        for role, title in zip(roles, titles, strict=True):
            before = f"{role}: " if role else ""
            cells.append(
                fit(before + apart.fit(title, max(column - len(before), 8)), column)
            )
        return Content.assemble(
            " " * GUTTER, (cells[0], "bold"), " " * BETWEEN, (cells[1], "bold")
        )

    def _summary(self) -> list[SideBySideRow]:
        """Returns how each ended, how far it disagreed and what it cost; then the seats
        and settings that differ now.
        """
        one, other = map(_setup, self._sides)
        differing = {
            name: (one.get(name, "-"), other.get(name, "-"))
            for name in {**one, **other}
            if one.get(name) != other.get(name)
        }
        left, right = map(_outcome, self._sides)
        facts = {
            name: (left.get(name, "-"), right.get(name, "-"))
            for name in {**left, **right}
        } | differing
        last = [*facts][-1:]
        return [
            SideBySideRow(partial(_fact, name, values), gap=int([name] == last))
            for name, values in facts.items()
        ]

    # Events

    def _steps(self) -> list[SideBySideRow]:
        rows: list[SideBySideRow] = []
        before = 0
        for same, found in groupby(self._pairs, lambda pair: pair.same):
            run = list(found)
            first, before = (
                before + 1,
                before + sum(pair.left is not None for pair in run),
            )
            rows += (
                [_same(first, before)]
                if same
                else [
                    SideBySideRow(
                        partial(self._pair, pair),
                        True,
                        _marked if all(pair[:2]) else None,
                    )
                    for pair in run
                ]
            )
        return rows

    def _pair(self, pair: StepPair, beside: bool) -> Texts:
        """Returns the two events of a step; where the columns are below each other,
        each with its column's name.
        """
        left, right = (
            whole(block(event, session))
            if event is not None
            else Content.styled(t("compare.nothing"), "$quiet")
            for event, session in zip((pair.left, pair.right), self._sides, strict=True)
        )
        if beside:
            return left, right
        heads = [Content.styled(name + "\n", "$quiet") for name in _short(self._names)]
        return Content.assemble(heads[0], left, "\n"), Content.assemble(heads[1], right)


def side_by_side(left: Path, right: Path, names: tuple[str, str]) -> CompareScreen:
    """Returns the screen that shows the sessions of two files, under the names of their
    runs. Raises: BadInput.
    """
    with (
        Journal.open(left, write=False) as one,
        Journal.open(right, write=False) as other,
    ):
        return CompareScreen(one.session, other.session, names)


def _names(left: Session, right: Session) -> tuple[tuple[str, str], tuple[str, str]]:
    """Returns what the two are to each other, empty for strangers, and their titles."""
    roles = ("", "")
    if right.header.parent is not None and right.header.parent.id == left.header.id:
        roles = t("compare.parent"), t("compare.this")
    elif left.header.parent is not None and left.header.parent.id == right.header.id:
        roles = t("compare.this"), t("compare.parent")
    titles = [clean_line(session.title) for session in (left, right)]
    if titles[0] == titles[1] and not roles[0]:
        titles = [
            f"{title} ({clean_line(session.header.id)})"
            for title, session in zip(titles, (left, right), strict=True)
        ]
    return roles, (titles[0], titles[1])


def _short(names: tuple[tuple[str, str], tuple[str, str]]) -> tuple[str, str]:
    """Returns a name for each column that fits in a line of its own."""
    roles, titles = names
    apart = Apart(titles)
    return (roles[0] or apart.fit(titles[0], 60).rstrip()), (
        roles[1] or apart.fit(titles[1], 60).rstrip()
    )


def _fact(name: str, values: tuple[str, str], beside: bool) -> Texts:
    """Returns a line on top: in both columns, or one value after the other."""
    label, style = (
        (fit(name, LABEL) + " ", "$quiet"),
        "" if values[0] == values[1] else "$text-warning",
    )
    if beside:
        return Content.assemble(label, (values[0], style)), Content.assemble(
            label, (values[1], style)
        )
    return Content.assemble(label, (" | ".join(dict.fromkeys(values)), style)), None


def _outcome(session: Session) -> dict[str, str]:
    """Returns how a session ended, by name of the figure; without what was not
    measured.
    """
    timeline, end = Timeline(session), len(session.events)
    result = block(session.result, session) if session.result is not None else None
    found = {
        t("compare.result"): t("compare.unfinished")
        if result is None
        else _result_text(result)
    }
    mean = timeline.disagreement(end).mean
    if mean is not None:
        found[t("setting.disagreement")] = f"{mean:.2f}"
    found[t("side.cost")] = wording.cost_short(timeline.totals(end))
    return found


def _result_text(result: Block) -> str:
    """Returns the answer in one line of reasonable length; without one, what the result
    says of itself.
    """
    if result.answer:
        return fit(result.answer, 200).rstrip()
    return wording.joined([result.remark, *result.notes]) or "-"


def _setup(session: Session) -> dict[str, str]:
    found = {
        wording.role_name(role): wording.model_name(session.seat(role))
        for role in session.header.lineup
    }
    for name in session.header.settings:
        found[wording.changed_name(f"settings.{name}")] = wording.changed(
            f"settings.{name}", session.setting(name)
        )
    return found


def _same(first: int, last: int) -> SideBySideRow:
    """Returns the line that stands for events in which both are the same; they are
    counted on the left.
    """
    line = Content.styled(
        t("compare.same_one", n=first)
        if first == last
        else t("compare.same", n=first, last=last),
        "$quiet",
    )
    return SideBySideRow(lambda _: (line, None))


def _marked(left: Content, right: Content, beside: bool) -> Texts:
    """Returns two texts with the words underlined that differ, if most of them do not.
    Names of columns above them do not count.
    """
    skip = [0, 0] if beside else [text.plain.index("\n") + 1 for text in (left, right)]
    one, other = left.plain[skip[0] :], right.plain[skip[1] :]
    if max(len(one), len(other)) > LONGEST:
        return left, right
    words = _WORD.findall(one), _WORD.findall(other)
    matcher = SequenceMatcher(None, *words, autojunk=False)
    if matcher.quick_ratio() < ALIKE or matcher.ratio() < ALIKE:
        return left, right
    places = [
        list(accumulate(map(len, found), initial=start))
        for found, start in zip(words, skip, strict=True)
    ]
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind != "equal":
            left = left.stylize(DIFFERS, places[0][i], places[0][j])
            right = right.stylize(DIFFERS, places[1][k], places[1][m])
    return left, right
