"""A debate of an answer: the question is its topic, the references are evidence for
both sides, the first debater defends the answer.
"""

from __future__ import annotations

from typing import Any

from ...engines.method import method_of
from ...engines.models.config import Config
from ...engines.rag.plan import RagIteration, in_force, question
from ...engines.relevance.evidence import evidence_of, topic_of
from ...engines.starting import wishes
from ...sessions.session import Parent
from ..play import Play
from ..wording import BUILT_IN
from .drafts import draft


def handed_over(play: Play, turn: RagIteration, config: Config) -> Play:
    """The draft of the debate.

    Raises: BadInput where the configuration names what cannot be used.
    """
    answer = turn.answer.answer if turn.answer is not None else None
    about = {
        "topic": question(play.session),
        "evidence": in_force(turn.retrieval),
        "defended": answer,
    }
    return _debate(play, config, "generator", "seeded", about)


def pair_handed_over(play: Play, candidate: str, config: Config) -> Play:
    """The draft of a debate about how relevant a candidate is, with `evidence_of` the
    pair. Raises: BadInput.
    """
    seen = play.session.prefix(play.cursor)
    about = {"topic": topic_of(seen), "evidence": evidence_of(seen, candidate)}
    judge = method_of(play.session.header).roles_of(play.session)[-1]
    return _debate(play, config, judge, "free", about)


def _debate(
    play: Play, config: Config, role: str, opening: str, about: dict[str, Any]
) -> Play:
    """A draft whose debaters have the model of `role`, unless the user's own
    configuration seats debates, or it is a built-in.
    """
    seat = play.view.seat(role)
    own = config.model or config.lineup.get("debate")
    options: dict[str, object] = {"opening": opening}
    if not own and seat.model not in BUILT_IN:
        options["model"] = seat.name or seat.model
    return draft(
        wishes("debate", options, **about),
        config,
        Parent(id=play.session.header.id, number=play.cursor, why="handover"),
    )
