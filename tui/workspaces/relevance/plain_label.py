"""A person's levels without a screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....sessions.errors import BadInput
from ....texts import t
from ...showing import clean_line
from .drafts import annotator
from .labeling_state import SAID, LabelingState
from .side_labels import SideLabels

if TYPE_CHECKING:
    from ....engines.models.config import Config
    from ...method import SessionMethod
    from ...play import Play


def label(
    play: Play,
    method: SessionMethod,
    config: Config,
    state: LabelingState | None,
    text: str,
) -> tuple[LabelingState, str, Callable[[], None]]:
    """Saves a level, `2 NAME`, or `2` for the first candidate without one, next to a
    session that has a file; returns the person's new state, a sentence, and what takes
    the level back.

    Raises: BadInput if there is no such candidate, or nothing can be saved.
    """
    if play.session.method != "relevance":
        raise BadInput(t("plain.no_label"))
    name = annotator(config)
    state, aside = state or LabelingState(name), SideLabels(play, name)
    engine: Any = method.engine()
    fold = engine.folded(play.session)
    aside.lay(fold)
    state.shown(fold, fold)
    free = [one for one in fold.candidates if state.own(fold, one) is None]
    candidate = text[1:].strip() or next(iter(free), "")
    if candidate not in fold.candidates:
        raise BadInput(t("plain.no_candidate", names=", ".join(fold.candidates)))
    before, path = state.said(fold, candidate), play.journal.path
    aside.keep(path, state.label(fold, candidate, value=int(text[0])))
    said = {name: getattr(before, name) for name in SAID} if before else {}
    taken = said or {"value": None, "undone": True}

    def back() -> None:
        aside.keep(path, state.label(fold, candidate, **taken))

    left = len(free) - (candidate in free)
    words = {"candidate": clean_line(candidate), "level": text[0], "left": left}
    return state, t("plain.labelled", **words), back
