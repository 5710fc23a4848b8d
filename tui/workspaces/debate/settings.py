"""The user's changes to a debate: level, rounds, exchanged models, edited speeches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ....engines.debate.plan import debaters, setting, upcoming
from ....engines.debate.settings import SETTINGS
from ....sessions.events.debate import Speech
from ....texts import t
from ... import wording
from ..changes import Changes, Edit

if TYPE_CHECKING:
    from ..session_context import SessionContext


class DebateSettings:
    """The keys that change a debate.

    A session of another method, shown in the same tab, has no such settings.
    """

    def __init__(self, bench: SessionContext, changes: Changes) -> None:
        self._bench = bench
        self._changes = changes

    def can_twin(self) -> bool:
        return self._sides > 1 and bool(
            self._bench.play and self._bench.play.session.events
        )

    def can_level(self) -> bool:
        return self._bench.changeable and self._sides > 1

    def can_rounds(self) -> bool:
        return self._bench.changeable and self._sides > 0

    can_fewer = can_rounds

    async def do_twin(self) -> None:
        """Opens the same debate with the models of the two sides exchanged: the control
        for a judge's bias by position.
        """
        play = self._bench.play
        # also while the first speech is being made
        if play is None or not self._is_debate() or self._sides < 2:
            return
        lineup = {role: play.session.seat(role) for role in play.session.header.lineup}
        lineup["affirmative"], lineup["negative"] = (
            lineup["negative"],
            lineup["affirmative"],
        )
        settings = {
            name: play.session.setting(name) for name in play.session.header.settings
        }
        await self._bench.fork(0, "swap", lineup=lineup, settings=settings)

    def do_level(self) -> None:
        if not self._bench.fixed() and self._is_debate():
            self._bench.host.dialog(self._level())

    async def _level(self) -> None:
        from .screens.level import LevelScreen

        play = self._bench.play
        assert play is not None
        now = play.wished("settings.level", setting(play.view, "level"))
        level = await self._bench.host.ask(LevelScreen(now))
        if level is not None:
            await self._changes.set("settings.level", now, level)

    async def do_rounds(self) -> None:
        await self._change_rounds(1)

    async def do_fewer(self) -> None:
        await self._change_rounds(-1)

    async def _change_rounds(self, by: int) -> None:
        """Change the limit of rounds, down to the current round at least."""
        play = self._bench.play
        if self._bench.fixed() or play is None or not self._is_debate():
            return
        now = play.wished("settings.rounds", setting(play.view, "rounds"))
        coming = upcoming(play.view) if self._bench.runner.running else None
        least = max(coming.round if coming else play.timeline.round(play.cursor), 1)
        await self._changes.set(
            "settings.rounds",
            now,
            min(max(now + by, least), SETTINGS.bounds("rounds")[1]),
        )

    def _is_debate(self) -> bool:
        """False, with a message, for a session of another method."""
        if not self._method_is_debate:
            self._bench.host.say(t("play.no_such_setting"), "warning")
        return self._method_is_debate

    @property
    def _sides(self) -> int:
        """How many speak: two or more in a debate, one or none under a control, none in
        a session of another method.
        """
        if self._bench.play is not None and self._method_is_debate:
            return len(debaters(self._bench.play.session))
        return 0

    @property
    def _method_is_debate(self) -> bool:
        return (
            self._bench.play is not None and self._bench.play.session.method == "debate"
        )


def editable_speech(bench: SessionContext) -> Edit | None:
    """Return the speech at the cursor, or None."""
    from ....engines.debate.rounds import edited_speech

    speech = bench.play.current if bench.play is not None else None
    if not isinstance(speech, Speech):
        return None

    title = t(
        "edit.speech_title",
        letter=wording.letter(speech.role),
        role=wording.role_name(speech.role),
    )
    return Edit(
        speech.number,
        title,
        speech.text,
        t("edit.speech_hint"),
        partial(edited_speech, speech),
    )
