"""The user's changes to judged cases: edited facts, repeated stages, settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ....engines.cases.task import QUERY
from ....engines.relevance.edits import edited_facts, written_facts
from ....engines.relevance.plan import (
    KINDS,
    facts_stage,
    judgement_stage,
    readable,
    setting,
)
from ....engines.threads import in_thread
from ....sessions.errors import BadInput
from ....sessions.events import Event, ReplyEvent, Usage
from ....sessions.events.relevance import Facts, Judgement, Stage
from ....texts import t
from ....texts.settings import setting_value
from ...showing import clean_line
from ...wording import changed_name
from ..changes import Changes, Put
from .cases import hidden_with_word
from .graded import grade_event, is_graded
from .wording import candidate_of

if TYPE_CHECKING:
    from ..session_context import SessionContext
    from .cases import Cases, CasesView

NOTHING = Usage(input=0, output=0)


class CaseChanges(Changes):
    """Changes of judged cases.

    A stage made again is appended: other candidates and labels stay.
    """

    def __init__(self, bench: SessionContext, view: CasesView) -> None:
        super().__init__(bench, lambda: None)
        self._view = view

    # Facts in other words

    def can_edit(self) -> bool:
        play, cases = self._bench.play, self._view.cases
        if (
            not self._bench.open
            or play is None
            or cases is None
            or cases.front is None
            or not play.at_end
            or not play.journal.writable
        ):
            return False
        return bool(self._offered(cases, cases.front))

    can_editor = can_edit

    @staticmethod
    def _offered(cases: Cases, front: str) -> list[tuple[str | None, Facts]]:
        """Returns the facts that may be edited, with their case; None: the query."""
        fold = cases.fold()
        return [
            (case, facts)
            for case, standing in ((front, fold.candidates[front]), (None, fold.query))
            for facts in standing.made.values()
            if isinstance(facts, Facts)
        ]

    async def edit(self, external: bool) -> None:
        """Asks which facts, then for their words, a fact a line; what rests on them is
        made again.
        """
        from ...screens.pick import PickScreen

        play, cases = self._bench.play, self._view.cases
        if (
            play is None
            or cases is None
            or cases.front is None
            or not self._can_append()
            or hidden_with_word(self._bench, self._view)
        ):
            return
        offered = self._offered(cases, cases.front)
        if not offered:
            self._bench.say("edit_what")
            return
        names = [
            t(f"relevance.edit_{facts.kind}", case=_name(case), n=len(facts.items))
            for case, facts in offered
        ]
        chosen: int | None = 0
        if len(names) > 1:
            chosen = await self._bench.host.ask(
                PickScreen(t("relevance.edit_which"), names)
            )
        if chosen is None:
            return
        before = offered[chosen][1]
        text = written_facts(before)
        hint = t("relevance.edit_hint") + (
            t("relevance.edit_hint_secondary") if before.kind == "legal" else ""
        )
        new = await self.written(names[chosen], text, hint, external)
        if new is None or new == text or play is not self._bench.play:
            return
        self._append(edited_facts(play.session, before, new))
        await self._bench.look_at_end()
        again = msgspec.structs.replace(
            before, usage=NOTHING, cost=0.0, seconds=0.0, attempts=0
        )
        self._bench.undo.did(t("undo.edit"), lambda: self._restore(again))

    async def _restore(self, event: Event) -> bool:
        """Appends what was there before; what rests on it is made again."""
        if not self._bench.runner.running:
            await self._bench.look_at_end()
        if not self._can_append():
            return False
        self._append(event)
        await self._bench.look_at_end()
        return True

    def _can_append(self) -> bool:
        """Whether events can be appended now; a message where not."""
        play = self._bench.play
        if play is None or self._bench.busy():
            return False
        if play.replaying or not play.journal.writable:
            self._bench.say("read_only")
            return False
        if not play.at_end:
            self._bench.say("only_at_end")
            return False
        return True

    def _append(self, event: Event) -> None:
        assert self._bench.play is not None
        self._bench.play.keep(self._bench.host.library)
        self._bench.play.journal.append(event)

    async def put(self, field: str, old: object, new: object) -> Put:
        """Appends a change also where all candidates are judged: a stage made again is
        made under it.
        """
        play = self._bench.play
        if (
            play is None
            or self._bench.runner.running
            or not (play.finished and play.at_end and play.journal.writable)
        ):
            return await super().put(field, old, new)
        play.change(field, old, new)
        await self._bench.view.refresh_view()
        return "changed"

    # A stage made again

    async def do_retry(self) -> None:
        """Makes a failed call, or the last stage of the candidate in front, again in
        place.
        """
        play, cases = self._bench.play, self._view.cases
        if play is None or cases is None or self._bench.busy():
            return
        if play.at_end and play.failed:
            self._bench.start("step")
            return
        if cases.front is None or not self._can_append():
            return
        again = self._last_stage(cases, cases.front)
        if again is None:
            self._bench.say("retry_what")
            return
        try:
            chosen = await cases.engine.demonstrations_for(play.session, *again)
        except BadInput as error:
            self._bench.refuse(error)
            return
        self._append(chosen)
        await self._bench.look_at_end()
        self._bench.start("step")

    def _last_stage(self, cases: Cases, front: str) -> tuple[Stage, str | None] | None:
        """Return the stage at the cursor, or the current candidate's last stage."""
        current = self._bench.play.current if self._bench.play is not None else None
        if isinstance(current, Facts):
            return facts_stage(
                current.kind
            ), None if current.case == QUERY else current.case
        if isinstance(current, Judgement):
            return judgement_stage(current.kind), current.candidate
        fold = cases.fold()
        for kind in KINDS:
            if fold.query.facts(kind) is not None and not readable(
                fold.query.facts(kind)
            ):
                return facts_stage(kind), None  # nothing can be compared before
        made = list(fold.candidates[front].made.values())
        if not made:
            return None
        last = max(made, key=lambda event: event.number)
        return (facts_stage if isinstance(last, Facts) else judgement_stage)(
            last.kind
        ), front


class CaseSettings:
    """The key that changes how cases are judged."""

    def __init__(self, bench: SessionContext, changes: CaseChanges) -> None:
        self._bench = bench
        self._changes = changes

    def can_level(self) -> bool:
        """Not where one prompt grades: nothing of that can be changed on the way."""
        return (
            self._bench.changeable
            and self._bench.play is not None
            and not is_graded(self._bench.play.session)
        )

    def do_level(self) -> None:
        play = self._bench.play
        if play is not None and is_graded(play.session):
            self._bench.say("graded_without", "information")
        elif self.can_level() and not self._bench.fixed():
            self._bench.host.dialog(self._settings())

    async def _settings(self) -> None:
        """Asks for settings. They hold from the next call; what is judged stays."""
        from .drafts import demonstration_set, sets_in
        from .screens.settings import SHOWN, JudgingSettings

        play = self._bench.play
        assert play is not None
        view = play.view
        names = ("demonstrations", *SHOWN)
        now = {
            name: play.wished(f"settings.{name}", setting(view, name)) for name in names
        }
        offered = await in_thread(lambda: sets_in(setting(view, "language")))
        wanted = await self._bench.host.ask(JudgingSettings(now, offered))
        new = {
            name: value for name, value in (wanted or {}).items() if value != now[name]
        }
        if not new or play is not self._bench.play:
            return
        before = {name: now[name] for name in new}
        if "demonstrations" in new:
            before["demonstrations_digest"] = setting(view, "demonstrations_digest")
            new["demonstrations_digest"] = await in_thread(
                lambda: demonstration_set(str(new["demonstrations"])).digest
            )
        with self._bench.undo.together():
            if new.get("extraction") and not view.seated(["extractor"]):
                await self._changes.set(
                    "lineup.extractor", None, view.seat("annotator")
                )
            for name, value in new.items():
                await self._changes.set(f"settings.{name}", before[name], value)
        if not self._bench.runner.running:
            changes = "; ".join(
                t(
                    "entry.change",
                    field=changed_name(f"settings.{name}"),
                    old=_value(name, before[name]),
                    new=_value(name, value),
                )
                for name, value in new.items()
                if name != "demonstrations_digest"
            )
            self._bench.say("settings_changed", "information", changes=changes)


def raw_event(bench: SessionContext, cases: Cases | None) -> int:
    """Return the event to show raw.

    The one at the cursor if its case is on screen, otherwise the last of these; 0 for
    none.
    """
    play = bench.play
    if play is None or cases is None or cases.front is None:
        return 0
    current = play.current
    if isinstance(current, ReplyEvent) and candidate_of(current) in (
        cases.front,
        QUERY,
    ):
        return play.cursor
    if is_graded(play.session):
        return grade_event(play.view, cases.front)
    fold = cases.fold_in_view()
    made = [*fold.candidates[cases.front].made.values(), *fold.query.made.values()]
    return max(
        (
            event.number
            for event in made
            if not (isinstance(event, Facts) and event.edited)
        ),
        default=0,
    )


def _value(name: str, value: object) -> str:
    """Returns a setting's value as the form says it."""
    return clean_line(setting_value(name, value))


def _name(case: str | None) -> str:
    if case is None:
        return t("relevance.query")
    return clean_line(case)
