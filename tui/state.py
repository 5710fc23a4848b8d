"""What is in the state line: whether a session continues, runs, is looked back at,
replayed, or may not be changed.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..sessions.events import Failure
from ..texts import t
from ..texts.failures import kind_name
from .showing import clean_line

if TYPE_CHECKING:
    from .runner import SessionRunner

Kind = Literal[
    "empty",
    "fresh",
    "live",
    "failed",
    "running",
    "yours",
    "back",
    "replay",
    "finished",
    "read_only",
    "labelling",
    "deciding",
    "reading",
]

QUIET = 0.3
"""Seconds that a run takes before the screen says so: what a built-in answers at once
leaves the line in peace.
"""


class ViewState(NamedTuple):
    """The state of a session, and the user's position in it."""

    kind: Kind
    words: tuple[str, ...] = ()
    """The state itself, then what else there is room for."""
    keys: tuple[tuple[str, str], ...] = ()
    """Actions that matter now, each with a text that takes its key."""


def state_of(runner: SessionRunner) -> ViewState:
    """Returns the state of the session that is open."""
    play = runner.play
    if play is None:
        return ViewState("empty")
    if play.scope:
        return ViewState(play.scope, (t(f"state.{play.scope}"),))
    place = f"{play.cursor}/{len(play.session.events)}"
    if play.replaying or (runner.running and not runner.live):
        speed = t("play.at_once") if runner.speed == "max" else f"{runner.speed}×"
        return ViewState("replay", (t("state.replay", speed=speed), place))
    seconds = time.monotonic() - runner.began
    at_work = (
        (t("state.running", seconds=int(seconds)),)
        if runner.running and seconds >= QUIET
        else ()
    )
    if runner.question is not None:
        at_work = (t("state.yours"),)
    if not play.at_end:
        keys = (("last", "state.returns"), ("fork", "state.forks"))
        return ViewState(
            "back",
            (t("state.back", place=place), *at_work),
            keys[:1] if at_work else keys,
        )
    if runner.question is not None:
        return ViewState("yours", (t("state.yours"), place))
    if at_work:
        return ViewState("running", (*at_work, place))
    if not play.journal.writable or not play.known or runner.method is None:
        return ViewState("read_only", (t("state.read_only"), place))
    saved = t("state.draft" if play.draft else "state.saved")
    if play.finished:
        return ViewState("finished", (t("state.finished"), place, saved))
    if not play.session.events:
        return ViewState("fresh", (t("state.live"), place, saved))
    last = play.session.events[-1]
    if isinstance(last, Failure):
        why = clean_line(kind_name(last.kind))
        return ViewState("failed", (t("state.failed", why=why), place, saved))
    return ViewState("live", (t("state.live"), place, saved))
