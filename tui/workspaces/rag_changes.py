"""What a user changes of a question: answer, revised query, references, k, the rule; the decision that nobody could read; the hand-over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ...engines.rag.check import answer_of, citations
from ...engines.rag.plan import RANGES, Turn, given_answer, latest, question, setting, stopped_by, verifying_role
from ...sessions.clean import clean
from ...sessions.errors import BadInput
from ...sessions.events import Decision, Event, RagAnswer, Reference, Retrieval, Usage, Verification
from ..texts import t
from .changes import Changes, Edit

if TYPE_CHECKING:
    from ...sessions.session import Session
    from .rag import Shelf

NOTHING = Usage(input=0, output=0)


class RagChanges(Changes):
    """The half of the RAG workspace that changes things."""

    if TYPE_CHECKING:
        shelf: Shelf | None

        @property
        def reference(self) -> Reference | None: ...

    # The answer and the query

    def editable(self) -> Edit | None:
        """The answer where the cursor stands on it, else the query that was revised in this iteration."""
        view = self.play.view if self.play is not None else None
        turn = latest(view) if view is not None else None
        if turn is None or self.play is None:
            return None
        if turn.verification is None or isinstance(self.play.current, RagAnswer):
            return _edit_answer(turn.answer) if turn.answer is not None else None
        return _edit_query(turn.verification)

    # The references

    async def do_drop(self) -> None:
        await self._mark(self.reference, drop=True)

    async def do_pin(self) -> None:
        await self._mark(self.reference, drop=False)

    async def _mark(self, reference: Reference | None, *, drop: bool) -> None:
        """A retrieval without a reference, or with one pinned, in the place of the one on screen; the answer is asked for anew."""
        turn = latest(self.play.view) if self.play is not None else None
        if self.play is None or self.busy():
            return
        if reference is None or turn is None or turn.retrieval is None:
            self.tui.say(self.told("no_reference"), "warning")
            return
        if given_answer(self.play.session) is not None:
            self.tui.say(self.told("answer_given"), "warning")
            return
        changed = _dropped(turn.retrieval, reference) if drop else _pinned(turn.retrieval, reference)
        number = turn.retrieval.number
        if self.play.at_end and self.play.can_go_on() and isinstance(self.play.current, Retrieval):
            self.play.journal.append(changed)
            await self.look(len(self.play.session.events))
        else:
            await self._replace(number, changed)

    # Settings

    def do_level(self) -> None:
        if not self._fixed():
            self.tui.run_worker(self._rule(), group="dialog", exit_on_error=False)

    async def _rule(self) -> None:
        from ..screens.rule import RuleScreen

        assert self.play is not None
        view = self.play.view
        names = ("indicator", "bounds", "iterations", "k")
        now = {name: self.play.wished(f"settings.{name}", setting(view, name)) for name in names}
        chain = bool(setting(view, "chain"))
        wanted = await self.tui.push_screen_wait(RuleScreen(now, chain=chain))
        for name, value in (wanted or {}).items():
            await self._set(f"settings.{name}", now[name], value)

    async def do_rounds(self) -> None:
        await self._change_k(1)

    async def do_fewer(self) -> None:
        await self._change_k(-1)

    async def _change_k(self, by: int) -> None:
        if self._fixed() or self.play is None:
            return
        now = self.play.wished("settings.k", setting(self.play.view, "k"))
        least, most = RANGES["k"]
        await self._set("settings.k", now, min(max(now + by, least), most))
        if not self.running:
            self.tui.say(self.told("k", n=setting(self.play.session, "k")), "information")

    # A decision that could not be read

    def wants_person(self) -> bool:
        if self.play is None:
            return False
        session = self.play.session
        return stopped_by(session) == "unread" and not self.play.finished

    def ask_user(self) -> None:
        self.tui.run_worker(self._decide(), group="dialog", exit_on_error=False)

    async def _decide(self) -> None:
        from ..screens.decide import DecideScreen

        play = self.play
        turn = latest(play.session) if play is not None else None
        if play is None or turn is None or isinstance(self.tui.screen, DecideScreen):
            return
        query = turn.verification.revised_query if turn.verification is not None else None
        wanted = await self.tui.push_screen_wait(DecideScreen(query or question(play.session)))
        if wanted is None or play is not self.play or not self.wants_person():
            return
        for event in _decided(play.session, turn, wanted):
            play.journal.append(event)
        iterations = setting(play.session, "iterations")
        if wanted and turn.iteration > iterations and turn.iteration <= RANGES["iterations"][1]:
            play.change("settings.iterations", iterations, turn.iteration)
        await self.look(len(play.session.events))
        self.start("step")

    # Sessions

    async def new(self) -> None:
        from ..asking import NewQuestion, draft_from, example_questions
        from ..screens.ask import AskScreen, sources
        from ..screens.edit import EditScreen

        own = self.tui.config.settings.get("rag", {})
        wanted, message = NewQuestion(""), ""
        offered = await sources(self.tui.config)
        while True:
            asked = await self.tui.push_screen_wait(AskScreen(example_questions(), offered, own, wanted, message))
            if asked is None:
                return
            if asked.pasted is not None:
                pasted = await self.tui.push_screen_wait(EditScreen(t("rag.paste_title"), asked.pasted, t("rag.paste_hint")))
                if pasted is None:
                    wanted, message = asked, ""
                    continue
                asked = asked._replace(pasted=pasted)
            try:
                play = draft_from(asked, self.tui.config)
            except BadInput as error:
                wanted, message = asked, clean(str(error))
                continue
            await self.open(play)
            return

    def do_corpora(self) -> None:
        from ..screens.corpora import CorporaScreen

        self.tui.push_screen(CorporaScreen())

    async def open_reference(self, reference: Reference) -> None:
        """The document around a reference, scrolled to it; the passage alone where no document is at hand."""
        from ..background import in_thread
        from ..screens.document import DocumentScreen, around

        shelf = self.shelf
        text, why = await in_thread(lambda: around(shelf.get if shelf is not None else None, reference))
        self.tui.push_screen(DocumentScreen(reference, text, why))

    async def do_handover(self) -> None:
        """A debate of this answer."""
        from ..handover import handed_over

        play = self.play
        if play is None or self.busy():
            return
        turn = latest(play.view)
        if turn is None or turn.answer is None or not turn.answer.answer:
            self.tui.say(self.told("nothing_to_debate"), "warning")
            return
        try:
            made = handed_over(play, turn, self.tui.config)
        except BadInput as error:
            self.tui.say(clean(str(error)), "error")
            return
        if await self.tui.open_play(made):
            self.tui.say(self.told("handed_over"), "information")


def _edit_answer(answer: RagAnswer) -> Edit:
    def make(text: str) -> Event:
        found = answer_of(text)
        return RagAnswer(
            role=answer.role,
            iteration=answer.iteration,
            model="human",
            text=text,
            answer=found,
            citations=citations(found or ""),
            usage=NOTHING,
            cost=0.0,
        )

    return Edit(answer.number, t("rag.edit_answer"), answer.answer or answer.text, t("edit.speech_hint"), make)


def _edit_query(verification: Verification) -> Edit:
    def make(text: str) -> Event:
        return msgspec.structs.replace(verification, revised_query=" ".join(text.split()), edited=True)

    return Edit(verification.number, t("rag.edit_query"), verification.revised_query or "", t("rag.edit_query_hint"), make)


def _dropped(retrieval: Retrieval, reference: Reference) -> Retrieval:
    ids = [each for each in retrieval.dropped if each != reference.id]
    if len(ids) == len(retrieval.dropped):
        ids.append(reference.id)
    return msgspec.structs.replace(retrieval, dropped=ids)


def _pinned(retrieval: Retrieval, reference: Reference) -> Retrieval:
    listed = [msgspec.structs.replace(one, pinned=not one.pinned) if one.id == reference.id else one for one in retrieval.references]
    return msgspec.structs.replace(retrieval, references=listed)


def _decided(session: Session, turn: Turn, query: str) -> list[Event]:
    """What a person said in the verifier's place: keep the answer (""), or retrieve again with this query."""
    made: list[Event] = []
    if query:
        before = turn.verification or Verification(iteration=turn.iteration, role=verifying_role(session))
        made.append(msgspec.structs.replace(before, revised_query=query, edited=True, usage=NOTHING, cost=0.0, seconds=0.0, attempts=0))
    return [*made, Decision(iteration=turn.iteration, rule="person", revise=bool(query))]
