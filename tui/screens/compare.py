"""Two sessions side by side from the first event in which they differ; one above the other where the screen is narrow."""

from __future__ import annotations

from itertools import zip_longest
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from ...engines.blocks import block
from ...sessions.events import Event
from ...sessions.session import Session
from ...texts import t
from .. import wording
from ..showing import clean
from ..widgets.entry import Entry
from .sheet import Pages, Sheet

STEP = 10
"""Pairs of events laid out at a time; scrolling to the end brings more."""


class CompareScreen(Sheet[None]):
    """`first_difference`: index of the first event that is not the same in both, from 0."""

    DEFAULT_CSS = """
    CompareScreen {
        #sheet.tall { width: 100%; max-width: 100%; height: 100%; max-height: 100%; }
        .pair { height: auto; }
        .pair > Vertical { width: 1fr; height: auto; }
        .pair > .right { border-left: blank $panel; }
        .pair .which { display: none; color: $quiet; height: 1; }
        .setup Static { height: auto; }
        #same { color: $quiet; height: auto; margin-top: 1; }
        .nothing { color: $quiet; margin: 1 1 0 0; height: auto; }
        &.-narrow .pair { layout: vertical; margin-bottom: 1; }
        &.-narrow .pair > Vertical { width: 100%; }
        &.-narrow .pair > .right { border-left: none; }
        &.-narrow .pair .which { display: block; }
        &.-low #title { margin: 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "leave", show=False)]
    AUTO_FOCUS = "Pages"
    tall = True

    def __init__(self, left: Session, right: Session, first_difference: int) -> None:
        super().__init__()
        self._left = left
        self._right = right
        self._same = first_difference
        self._pairs = list(zip_longest(left.events[first_difference:], right.events[first_difference:]))
        self._laid_out = 0

    def heading(self) -> str:
        return t("compare.title")

    def body(self) -> ComposeResult:
        with Pages():
            yield self._head()
            yield Static(self._about_same(), id="same", markup=False)

    def keys(self) -> list[tuple[str, str]]:
        return [("j k", t("compare.scroll")), ("space b", t("compare.page")), ("esc", t("sheet.back"))]

    def on_mount(self) -> None:
        self._more()
        self.watch(self.query_one(Pages), "scroll_y", self._at_end, init=False)

    def _at_end(self) -> None:
        pages = self.query_one(Pages)
        if pages.scroll_y >= pages.max_scroll_y - pages.size.height:
            self._more()

    def _more(self) -> None:
        begin, self._laid_out = self._laid_out, min(self._laid_out + STEP, len(self._pairs))
        if begin < self._laid_out:
            pairs = self._pairs[begin : self._laid_out]
            self.query_one(Pages).mount_all([_row(_entry(left, self._left), _entry(right, self._right)) for left, right in pairs])

    def _about_same(self) -> str:
        if not self._pairs:
            return t("compare.all_same", n=self._same)
        return t("compare.same", n=self._same) if self._same else t("compare.from_start")

    def _head(self) -> Horizontal:
        """Returns the titles, and the seats and settings that differ now."""
        mine, other = _setup(self._left), _setup(self._right)
        differing = [name for name in {**mine, **other} if mine.get(name) != other.get(name)]
        left, right = (_about(session, setup, differing) for session, setup in ((self._left, mine), (self._right, other)))
        return _row(left, right, "pair setup")


def _about(session: Session, setup: dict[str, str], names: list[str]) -> Static:
    lines = "".join(f"\n{name}  {setup.get(name, '-')}" for name in names)
    return Static(Content.assemble((clean(session.title, newlines=False), "bold"), lines))


def _setup(session: Session) -> dict[str, str]:
    found = {wording.role_name(role): wording.model_name(session.seat(role)) for role in session.header.lineup}
    for name in session.header.settings:
        found[wording.changed_name(f"settings.{name}")] = wording.changed(f"settings.{name}", session.setting(name))
    return found


def _row(left: Widget, right: Widget, classes: str = "pair") -> Horizontal:
    return Horizontal(Vertical(_which("left"), left), Vertical(_which("right"), right, classes="right"), classes=classes)


def _which(side: str) -> Static:
    return Static(t(f"compare.{side}"), classes="which", markup=False)


def _entry(event: Event | None, session: Session) -> Entry | Static:
    return Entry(block(event, session)) if event is not None else Static(t("compare.nothing"), classes="nothing", markup=False)
