"""The user's changes to a question.

Answer, revised query, references, k, the rule, and a decision that could not be read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from ....engines.rag.edits import edited_answer, edited_query
from ....engines.rag.plan import (
    RagIteration,
    given_answer,
    latest,
    question,
    setting,
    verifying_role,
)
from ....engines.rag.settings import SETTINGS
from ....sessions.events import Event, Reference, Usage
from ....sessions.events.rag import Decision, RagAnswer, Retrieval, Verification
from ....texts import t
from ..changes import Edit
from .kinds import is_ranked

if TYPE_CHECKING:
    from ....sessions.session import Session
    from ..changes import Changes
    from ..session_context import SessionContext
    from .screens.decide import DecideForm

NOTHING = Usage(input=0, output=0)


def editable_turn(bench: SessionContext) -> Edit | None:
    """Returns the answer where the cursor is on it, else the query that was revised
    in this iteration.
    """
    turn = latest(bench.play.view) if bench.play is not None else None
    if turn is None or bench.play is None:
        return None
    if turn.verification is None or isinstance(bench.play.current, RagAnswer):
        if turn.answer is not None:
            return _edit_answer(turn.answer)
        return None
    return _edit_query(turn.verification)


class ReferenceChanges:
    """The keys that drop and pin references."""

    def __init__(
        self,
        bench: SessionContext,
        changes: Changes,
        chosen: Callable[[], Reference | None],
    ) -> None:
        """`chosen` returns the reference under the cursor."""
        self._bench = bench
        self._changes = changes
        self._chosen = chosen

    def can_drop(self) -> bool:
        play = self._bench.play
        return (
            self._bench.free_here
            and play is not None
            and self._chosen() is not None
            and given_answer(play.session) is None
        )

    can_pin = can_drop

    async def do_drop(self) -> None:
        await self._mark(_dropped, "dropped")

    async def do_pin(self) -> None:
        await self._mark(_pinned, "pinned")

    async def _mark(
        self, marked: Callable[[Retrieval, Reference], Retrieval], how: str
    ) -> None:
        """Puts a retrieval with a reference marked in the place of the one on screen;
        the answer is requested again.
        """
        play, reference = self._bench.play, self._chosen()
        if play is None or self._bench.working_here():
            return
        turn = latest(play.view)
        if reference is None or turn is None or turn.retrieval is None:
            self._bench.say("no_reference")
            return
        if given_answer(play.session) is not None:
            self._bench.say("answer_given")
            return
        before, what = turn.retrieval, t(f"undo.{how}", n=reference.n)
        if play.at_end and play.can_go_on() and isinstance(play.current, Retrieval):
            play.journal.append(marked(before, reference))
            await self._bench.look_at_end()
            self._bench.undo.did(what, lambda: self._restore(before))
        else:
            await self._changes.replace(before.number, marked(before, reference), what)

    async def _restore(self, before: Retrieval) -> bool:
        """Brings the marks of before back: in place, or in a fork where an answer has
        been given since.
        """
        if self._bench.busy() or self._bench.play is None:
            return False
        await self._bench.look_at_end()
        play = self._bench.play
        if play.can_go_on() and isinstance(play.current, Retrieval):
            play.journal.append(before)
            await self._bench.look_at_end()
            return True
        return await self._changes.replace(before.number, before)


class RagSettings:
    """The keys that change the rule of revision and k."""

    def __init__(self, bench: SessionContext, changes: Changes) -> None:
        self._bench = bench
        self._changes = changes

    def can_level(self) -> bool:
        """Not where answers are ranked: nothing is retrieved there, and nothing
        revised.
        """
        return self._bench.changeable and not self._ranked()

    can_rounds = can_fewer = can_level

    def _ranked(self) -> bool:
        return self._bench.play is not None and is_ranked(self._bench.play.session)

    def do_level(self) -> None:
        if self._ranked():
            self._bench.say("ranked_without", "information")
        elif not self._bench.fixed():
            self._bench.host.dialog(self._rule())

    async def _rule(self) -> None:
        from .screens.rule import CHANGED, RuleScreen

        play = self._bench.play
        assert play is not None
        view = play.view
        now = {
            name: play.wished(f"settings.{name}", setting(view, name))
            for name in CHANGED
        }
        wanted = await self._bench.host.ask(
            RuleScreen(
                now,
                chain=bool(setting(view, "chain")),
                claims=bool(setting(view, "claims")),
            )
        )
        with self._bench.undo.together():
            for name, value in (wanted or {}).items():
                await self._changes.set(f"settings.{name}", now[name], value)

    async def do_rounds(self) -> None:
        await self._change_k(1)

    async def do_fewer(self) -> None:
        await self._change_k(-1)

    async def _change_k(self, by: int) -> None:
        play = self._bench.play
        if self._ranked():
            self._bench.say("ranked_without", "information")
            return
        if self._bench.fixed() or play is None:
            return
        now = play.wished("settings.k", setting(play.view, "k"))
        least, most = SETTINGS.bounds("k")
        await self._changes.set("settings.k", now, min(max(now + by, least), most))
        play = self._bench.play
        if not self._bench.runner.running and play is not None:
            self._bench.say("k", "information", n=setting(play.session, "k"))


def decision(bench: SessionContext) -> DecideForm | None:
    """Returns the form for the decision of an iteration whose verification could not be
    read.
    """
    from .screens.decide import DecideForm

    play = bench.play
    turn = latest(play.session) if play is not None else None
    if play is None or turn is None:
        return None
    query = turn.verification.revised_query if turn.verification is not None else None
    return DecideForm(query or question(play.session))


async def decide(bench: SessionContext, wanted: str) -> None:
    """Stores the decision, and continues.

    `wanted`: the query to retrieve again with; "" keeps the answer.
    """
    play = bench.play
    turn = latest(play.session) if play is not None else None
    if play is None or turn is None:
        return
    for event in _decided(play.session, turn, wanted):
        play.journal.append(event)
    iterations = setting(play.session, "iterations")
    if (
        wanted
        and turn.iteration > iterations
        and turn.iteration <= SETTINGS.bounds("iterations")[1]
    ):
        play.change("settings.iterations", iterations, turn.iteration)
    await bench.look_at_end()
    bench.start("step")


def _edit_answer(answer: RagAnswer) -> Edit:
    return Edit(
        answer.number,
        t("rag.edit_answer"),
        answer.answer or answer.text,
        t("edit.speech_hint"),
        partial(edited_answer, answer),
    )


def _edit_query(verification: Verification) -> Edit:
    return Edit(
        verification.number,
        t("rag.edit_query"),
        verification.revised_query or "",
        t("rag.edit_query_hint"),
        partial(edited_query, verification),
    )


def _dropped(retrieval: Retrieval, reference: Reference) -> Retrieval:
    """Drop a reference and unpin it; restore it if it was dropped."""
    if reference.id in retrieval.dropped:
        return _undropped(retrieval, reference)
    return msgspec.structs.replace(
        _pin_set(retrieval, reference, False),
        dropped=[*retrieval.dropped, reference.id],
    )


def _pinned(retrieval: Retrieval, reference: Reference) -> Retrieval:
    """Pins a reference, which then is dropped no longer; one that is pinned is let
    go.
    """
    return _pin_set(
        _undropped(retrieval, reference),
        reference,
        reference.id in retrieval.dropped or not reference.pinned,
    )


def _undropped(retrieval: Retrieval, reference: Reference) -> Retrieval:
    return msgspec.structs.replace(
        retrieval, dropped=[id_ for id_ in retrieval.dropped if id_ != reference.id]
    )


def _pin_set(retrieval: Retrieval, reference: Reference, pinned: bool) -> Retrieval:
    listed = [
        msgspec.structs.replace(one, pinned=pinned) if one.id == reference.id else one
        for one in retrieval.references
    ]
    return msgspec.structs.replace(retrieval, references=listed)


def _decided(session: Session, turn: RagIteration, query: str) -> list[Event]:
    """Returns what a person said in the verifier's place: keep the answer (""), or
    retrieve again with this query.
    """
    events: list[Event] = []
    if query:
        before = turn.verification or Verification(
            iteration=turn.iteration, role=verifying_role(session)
        )
        events.append(
            msgspec.structs.replace(
                before,
                revised_query=query,
                edited=True,
                usage=NOTHING,
                cost=0.0,
                seconds=0.0,
                attempts=0,
            )
        )
    return [
        *events,
        Decision(iteration=turn.iteration, rule="person", revise=bool(query)),
    ]
