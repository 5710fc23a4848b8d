"""What a user changes of judged cases: facts in other words, a stage made anew, new cases, a debate of a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engines.relevance.matching import digest
from ...engines.relevance.plan import (
    CHOICES,
    KINDS,
    QUERY,
    SWITCHES,
    Fold,
    Kind,
    facts_stage,
    judgement_stage,
    readable,
    setting,
    text_of,
)
from ...engines.relevance.spans import find
from ...sessions.clean import clean
from ...sessions.errors import BadInput
from ...sessions.events import Event, FactItem, Facts, Judgement, Made, Stage, Usage
from ..texts import t
from ..words import changed_name
from .changes import Changes

if TYPE_CHECKING:
    from ...engines.relevance.engine import RelevanceEngine
    from ...sessions.session import Session

NOTHING = Usage(input=0, output=0)


class RelevanceChanges(Changes):
    """The half of the relevance workspace that changes things. A stage made anew is appended: other candidates and labels stay."""

    if TYPE_CHECKING:

        @property
        def front(self) -> str | None: ...
        def fold(self) -> Fold: ...
        def fold_in_view(self) -> Fold: ...
        def engine(self) -> RelevanceEngine: ...
        def _hides_front(self) -> bool: ...

    # Facts in other words

    async def _edit(self, external: bool) -> None:
        """Asks which facts, then for their words, a fact a line; what rests on them is made anew."""
        from ..external import edit_in_editor
        from ..screens.edit import EditScreen
        from ..screens.pick import PickScreen

        play, front = self.play, self.front
        if play is None or front is None or not self._changeable_here():
            return
        fold = self.fold()
        offered = [(case, made) for case, one in ((front, fold.candidates[front]), (None, fold.query)) for made in _facts(one.made)]
        if not offered:
            self.tui.say(self.told("edit_what"), "warning")
            return
        names = [t(f"relevance.edit_{made.kind}", case=_name(case), n=len(made.items)) for case, made in offered]
        chosen = 0 if len(names) == 1 else await self.tui.push_screen_wait(PickScreen(t("relevance.edit_which"), names))
        if chosen is None:
            return
        case, before = offered[chosen]
        text = "\n".join(clean(one.text, newlines=False) for one in before.items)
        if external:
            new = edit_in_editor(self.tui, text)
        else:
            new = await self.tui.push_screen_wait(EditScreen(title=names[chosen], text=text, hint=t("relevance.edit_hint")))
        if new is None or new == text or play is not self.play:
            return
        self._append(self._edited(case, before.kind, new))
        await self.look(len(play.session.events))

    def _edited(self, case: str | None, kind: Kind, text: str) -> Facts:
        """The event of facts that a person has written, a line each."""
        assert self.play is not None
        lines = list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
        items = find(text_of(self.play.session, case), lines) if kind == "material" else [FactItem(text=line) for line in lines]
        name = QUERY if case is None else case
        return Facts(role="extractor", model="human", kind=kind, case=name, items=items, edited=True, usage=NOTHING, cost=0.0)

    def _changeable_here(self) -> bool:
        """Whether events can be appended now; a word to the user where not."""
        play = self.play
        if play is None or self.busy():
            return False
        if play.replaying or not play.journal.writable:
            self.tui.say(self.told("read_only"), "warning")
            return False
        if not play.at_end:
            self.tui.say(self.told("only_at_end"), "warning")
            return False
        return True

    # Settings

    def do_level(self) -> None:
        if not self._fixed():
            self.tui.run_worker(self._settings(), group="dialog", exit_on_error=False)

    async def _settings(self) -> None:
        """Asks for settings. They hold from the next call; what is judged stays."""
        from ..background import in_thread
        from ..judging import demonstration_set, sets_in
        from ..screens.judging_settings import NUMBERS, JudgingSettings

        play = self.play
        assert play is not None
        view = play.view
        now = {name: play.wished(f"settings.{name}", setting(view, name)) for name in ("demonstrations", *SWITCHES, *CHOICES, *NUMBERS)}
        offered = await in_thread(lambda: sets_in(setting(view, "language")))
        wanted = await self.tui.push_screen_wait(JudgingSettings(now, offered))
        new = {name: value for name, value in (wanted or {}).items() if value != now[name]}
        if not new or play is not self.play:
            return
        before = {name: now[name] for name in new}
        if "demonstrations" in new:
            before["demonstrations_digest"] = setting(view, "demonstrations_digest")
            new["demonstrations_digest"] = await in_thread(lambda: digest(demonstration_set(str(new["demonstrations"]))))
        if new.get("extraction") and not view.seated(["extractor"]):
            await self._set("lineup.extractor", None, view.seat("annotator"))
        for name, value in new.items():
            await self._set(f"settings.{name}", before[name], value)
        if not self.running:
            told = "; ".join(
                t("entry.change", field=changed_name(f"settings.{name}"), old=_value(before[name]), new=_value(value))
                for name, value in new.items()
                if name != "demonstrations_digest"
            )
            self.tui.say(self.told("settings_changed", changes=told), "information")

    async def _set(self, field: str, old: object, new: object) -> None:
        """A change is appended also where all candidates are judged: a stage made again is made under it."""
        play = self.play
        if old == new or play is None or self.running or not (play.finished and play.at_end and play.journal.writable):
            await super()._set(field, old, new)
            return
        play.change(field, old, new)
        await self.refresh_view()

    def _append(self, event: Event) -> None:
        assert self.play is not None
        self.play.keep(self.tui.library)
        self.play.journal.append(event)

    # A stage made anew

    async def do_retry(self) -> None:
        """Has a failed call, or the last stage of the candidate in front, made again in place."""
        play, front = self.play, self.front
        if play is None or self.busy():
            return
        if play.at_end and play.failed:
            self.start("step")
            return
        if front is None or not self._changeable_here():
            return
        again = self._last_stage(front)
        if again is None:
            self.tui.say(self.told("retry_what"), "warning")
            return
        stage, case = again
        try:
            chosen = await self.engine().demonstrations_for(play.session, stage, case)
        except BadInput as error:
            self.tui.say(clean(str(error)), "error")
            return
        self._append(chosen)
        await self.look(len(play.session.events))
        self.start("step")

    def _last_stage(self, front: str) -> tuple[Stage, str | None] | None:
        """The stage at the cursor, else the last one made of the candidate in front."""
        current = self.play.current if self.play is not None else None
        if isinstance(current, Facts):
            return facts_stage(current.kind), None if current.case == QUERY else current.case
        if isinstance(current, Judgement):
            return judgement_stage(current.kind), current.candidate
        fold = self.fold()
        for kind in KINDS:
            if fold.query.facts(kind) is not None and not readable(fold.query.facts(kind)):
                return facts_stage(kind), None  # nothing can be compared before
        made = list(fold.candidates[front].made.values())
        if not made:
            return None
        last = max(made, key=lambda one: one.number)
        return (facts_stage if isinstance(last, Facts) else judgement_stage)(last.kind), front

    # Looking closer

    def raw_at(self) -> int:
        """The event whose messages are wanted: the one at the cursor, if it is of a case on screen; else the last one of these."""
        play, front = self.play, self.front
        if play is None or front is None:
            return 0
        here = (front, QUERY)
        current = play.current
        if isinstance(current, Made) and _case_of(current) in here:
            return play.cursor
        made = [*self.fold_in_view().candidates[front].made.values(), *self.fold_in_view().query.made.values()]
        return max((one.number for one in made if not (isinstance(one, Facts) and one.edited)), default=0)

    def do_raw(self) -> None:
        if not self._hides_front():
            super().do_raw()

    def do_copy(self) -> None:
        if not self._hides_front():
            super().do_copy()

    # Sessions

    async def new(self) -> None:
        from ..background import in_thread
        from ..judging import NewRelevance, draft_from, sets
        from ..screens.judge_cases import JudgeCasesScreen

        wanted, message = NewRelevance(), ""
        while True:
            asked = await self.tui.push_screen_wait(JudgeCasesScreen(sets(), wanted, message))
            if asked is None:
                return
            try:
                play = await in_thread(lambda asked=asked: draft_from(asked, self.tui.config))  # type: ignore[misc]
            except BadInput as error:
                wanted, message = asked, clean(str(error))
                continue
            await self.open(play)
            return

    def exported(self, session: Session, kind: str) -> str:
        from ...engines.relevance.agreed import agreement_blocks
        from ...sessions.export import export

        return export(session, kind, agreement_blocks(session))

    async def do_handover(self) -> None:
        """A debate of the pair."""
        from ..handover import pair_handed_over

        play, front = self.play, self.front
        if play is None or front is None or self.busy():
            return
        try:
            made = pair_handed_over(play, front, self.tui.config)
        except BadInput as error:
            self.tui.say(clean(str(error)), "error")
            return
        if await self.tui.open_play(made):
            self.tui.say(self.told("handed_over"), "information")

    def do_demonstrations(self) -> None:
        from ..screens.demonstrations import DemonstrationsScreen

        if self.play is not None and self.front is not None and not self._hides_front():
            self.tui.push_screen(DemonstrationsScreen(self.play.session, self.fold(), self.front, self.engine()))


def _facts(made: object) -> list[Facts]:
    assert isinstance(made, dict)
    return [one for one in made.values() if isinstance(one, Facts)]


def _value(value: object) -> str:
    """A setting's value as the screen says it."""
    return t(f"relevance.{'yes' if value else 'no'}") if isinstance(value, bool) else clean(str(value), newlines=False)


def _name(case: str | None) -> str:
    return t("relevance.query") if case is None else clean(case, newlines=False)


def _case_of(event: Event) -> str | None:
    return event.case if isinstance(event, Facts) else getattr(event, "candidate", None)
