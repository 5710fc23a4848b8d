"""The RAG workspace: question, references, answer, scores and decision; stepping from iteration to iteration."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import OptionList, Static

from ...engines.models.port import ModelError
from ...engines.models.seating import seat_for
from ...engines.rag.engine import RagEngine
from ...engines.rag.engine import asked as asked_of
from ...engines.rag.new import roles_needed
from ...engines.rag.plan import Step, Turn, given_answer, latest, question, setting, turns, upcoming
from ...engines.retrieval.opening import open_retriever
from ...engines.retrieval.port import RetrievalError, Retriever
from ...sessions.clean import clean
from ...sessions.events import Decision, Event, Failure, RagResult, Reference
from ...sessions.paths import paths
from .. import rag_words, words
from ..background import in_thread
from ..play import Play
from ..widgets.answer import AnswerView
from ..widgets.references import References
from .base import Stage
from .columns import InColumns
from .rag_changes import RagChanges

if TYPE_CHECKING:
    from ...engines.models.config import Config
    from ...engines.models.port import Message, Model
    from ...sessions.session import Header, Seat, Session


class Shelf:
    """The retriever of one session, opened when it is first needed, from whichever thread that is."""

    def __init__(self, header: Header, config: Config, *, foreign: bool) -> None:
        """`foreign`: see `open_retriever`."""
        self._header, self._config, self._foreign = header, config, foreign
        self._lock = threading.Lock()
        self._opened: Retriever | None = None

    @property
    def is_open(self) -> bool:
        return self._opened is not None

    def get(self) -> Retriever:
        """RetrievalError."""
        with self._lock:
            if self._opened is None:
                self._opened = open_retriever(self._header, self._config, paths(), os.environ, foreign=self._foreign)
            return self._opened

    def close(self) -> None:
        close = getattr(self._opened, "close", None)
        self._opened = None
        if close is not None:
            close()


class RagWorkspace(RagChanges, InColumns):
    """What the user sees and does of one question."""

    method = "rag"
    columns = ("references", "answer", "scores")
    DEFAULT_CSS = Path(__file__).with_name("rag.tcss").read_text(encoding="utf-8")
    SCOPED_CSS = False

    def __init__(self) -> None:
        super().__init__()
        self.shelf: Shelf | None = None
        self._engine: RagEngine | None = None

    def compose(self) -> ComposeResult:
        yield Static("", id="topic", markup=False)
        yield Static("", id="scores-line", markup=False)
        with Horizontal(id="one"):
            with VerticalScroll(id="left", can_focus=False):
                yield Static("", id="references-head", markup=False)
                yield References()
            yield AnswerView(self.tui.stream_interval)
            with VerticalScroll(id="scores"):
                yield Static("", id="figures", markup=False)
                yield Static("", id="about", markup=False)
        yield Horizontal(id="beside")

    def on_mount(self) -> None:
        self.show_column("answer")
        self.query_one("#beside").display = False

    # What a question is

    def example(self, config: Config) -> Play:
        from ..asking import example_draft

        return example_draft(config)

    async def open(self, play: Play) -> None:
        await self.halt()
        if play is not self.play:
            if self.shelf is not None:
                self.shelf.close()
            self.shelf = Shelf(play.session.header, self.tui.config, foreign=not play.own)
            self._engine = RagEngine(self.shelf.get)
        await super().open(play)

    async def close(self) -> None:
        await super().close()
        if self.shelf is not None:
            self.shelf.close()

    def engine(self) -> RagEngine:
        assert self._engine is not None
        return self._engine

    def builtins(self) -> Mapping[str, Model]:
        from ...engines.models.human import Human
        from ...engines.rag.lexical import Lexical
        from .rag_people import ask_person

        shelf = self.shelf
        assert shelf is not None
        return {"lexical": Lexical(shelf.get), "human": Human(lambda call: ask_person(self, call))}

    async def prepare(self) -> None:
        """Opens the corpus for `lexical`, which weighs words by it, where nothing was searched since the session was opened."""
        step = self.upcoming(self.play.session) if self.play is not None else None
        if step is not None and step.role and self.shelf is not None and not self.shelf.is_open:
            with suppress(RetrievalError, ModelError, OSError, ValueError):
                await in_thread(self.shelf.get)

    def upcoming(self, session: Session) -> Step | None:
        return upcoming(session)

    def asked(self, session: Session, number: int) -> list[Message] | None:
        return asked_of(session, number)

    def seat_for(self, model: str) -> Seat:
        return seat_for(model, self.tui.config)

    def roles(self, session: Session) -> list[str]:
        return roles_needed({**session.header.settings, **self._settings(session)}, answered=given_answer(session) is not None)

    def _settings(self, session: Session) -> dict[str, object]:
        return {name: setting(session, name) for name in ("chain", "revise", "iterations", "final_check", "verify")}

    @property
    def reference(self) -> Reference | None:
        """The reference under the cursor."""
        return self.query_one(References).chosen

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Decision)

    # What is shown

    async def show(self, play: Play) -> None:
        view = play.view
        made = turns(view)
        turn = made[-1] if made else None
        ends = play.session.events[play.cursor - 1] if play.cursor else None
        result = ends if isinstance(ends, RagResult) else None
        asked = question(view)
        self._show_topic(clean(asked))
        coming = upcoming(view)
        shown = rag_words.Shown(turn, [one for one in made[:-1] if one.iteration or one.verification], result)
        self._tell_references(turn, view)
        if not play.cursor:
            self.query_one(AnswerView).settle(rag_words.plain(self._invitation()))
        else:
            settled = rag_words.middle(shown, asked, coming.what if coming is not None else None)
            if isinstance(ends, Failure):
                settled = words.line_of(ends) + rag_words.plain("\n\n") + settled
            self.query_one(AnswerView).settle(settled)
        if self._speaking is None:
            await self.query_one(AnswerView).end_live()
        self.query_one("#figures", Static).update(rag_words.right(turn, setting(view, "indicator")))
        seats = view.seated(self.roles(view))
        about = rag_words.about(view, seats, self._speaking or (coming.role if coming else ""), play.timeline.totals(play.cursor))
        self.query_one("#about", Static).update(about)
        self.query_one("#scores-line", Static).update(rag_words.scores_line(turn))
        if self.query_one("#beside").display:
            await self._show_beside(made)

    def _tell_references(self, turn: Turn | None, view: Session) -> None:
        head = rag_words.references_head(turn, len(turns(view)), clean(str(view.header.task.get("corpus", "")), newlines=False))
        self.query_one("#references-head", Static).update(head)
        width = self.tui.size.width
        self.query_one(References).tell(turn, max(width // 3 - 5 if width >= 100 else width - 6, 16))

    async def stage(self) -> Stage:
        return self.query_one(AnswerView)

    def focus_words(self) -> None:
        self.screen.set_focus(self.query_one(References if self._column == "references" else AnswerView))

    # Looking

    async def do_beside(self) -> None:
        """The iterations side by side, or one at a time."""
        beside = self.query_one("#beside")
        beside.display = not beside.display
        self.query_one("#one").display = not beside.display
        await self.refresh_view()

    async def _show_beside(self, made: list[Turn]) -> None:
        beside = self.query_one("#beside")
        contents = [rag_words.column(turn) for turn in made]
        with self.app.batch_update():
            await beside.remove_children()
            await beside.mount(*(VerticalScroll(Static(each, markup=False), classes="iteration") for each in contents))

    async def do_jump(self, number: int) -> None:
        """To the end of an iteration: its answer with its scores."""
        play = self.play
        events = play.session.events if play is not None else []
        places = [at for at, event in enumerate(events, 1) if getattr(event, "iteration", None) == number]
        if places:
            await self.look(places[-1])
        else:
            self.tui.say(self.told("no_part", n=number), "warning")

    def do_cited(self) -> None:
        """To the next reference that the answer cites."""
        turn = latest(self.play.view) if self.play is not None else None
        there = {one.n for one in turn.retrieval.references} if turn is not None and turn.retrieval is not None else set()
        cited = sorted(there & set(turn.answer.citations)) if turn is not None and turn.answer is not None else []
        if not cited:
            self.tui.say(self.told("nothing_cited"), "warning")
            return
        if self.tui.size.width < 100:
            self.show_column("references")
        references = self.query_one(References)
        now = references.chosen.n if references.chosen is not None and references.has_focus else 0
        references.focus()
        references.go(next((n for n in cited if n > now), cited[0]))

    @on(OptionList.OptionSelected, "#references")
    def _open_reference(self) -> None:
        reference = self.reference
        if reference is not None:
            self.tui.run_worker(self.open_reference(reference), group="dialog", exit_on_error=False)

    async def do_reasoning(self) -> None:
        current = self.play.current if self.play is not None else None
        if getattr(current, "reasoning", None):
            self.do_raw()
        else:
            self.tui.say(self.told("no_reasoning"), "warning")
