"""A new session of one model alone: everything given is checked, what is not given gets its default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...prompts import PromptSet
from ...sessions.errors import BadInput
from ...sessions.new import new_header
from ...sessions.session import Header, Prompts, Seat
from ...texts import t
from ..topic import texts_of, title_of, topic_task
from .plan import ROLES, SOLVER
from .settings import SETTINGS


def new_solo(
    *,
    topic: str,
    kind: str = "question",
    source_lang: str | None = None,
    target_lang: str | None = None,
    lineup: Mapping[str, Seat] | None = None,
    settings: Mapping[str, Any] | None = None,
    prompts: PromptSet,
    answers: Iterable[str] | None = None,
    wrong_answers: Iterable[str] | None = None,
    title: str | None = None,
) -> Header:
    """The header of a new session. A seat that is not given goes to `script`. Raises BadInput."""
    about = topic_task(topic, kind, source_lang, target_lang)
    for name, texts in (("answers", answers), ("wrong_answers", wrong_answers)):
        if texts is not None:
            about[name] = texts_of(name, texts)
    seats = dict(lineup or {})
    unknown = [role for role in seats if role not in ROLES]
    if unknown:
        raise BadInput(t("wrong.solo.no_role", unknown=unknown[0], names=SOLVER))
    return new_header(
        workspace="debate",
        method="solo",
        title=title_of(title or about["topic"]),
        task=about,
        lineup={SOLVER: seats.get(SOLVER) or Seat(model="script")},
        settings=SETTINGS.over_defaults(settings or {}, kind),
        prompts=Prompts(set=prompts.name, hash=prompts.hash, templates=prompts.templates),
    )
