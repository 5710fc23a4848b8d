"""A new session of one model alone: everything given is checked, what is not given gets
its default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...prompts import PromptSet
from ...sessions.errors import BadInput
from ...sessions.new import new_header
from ...sessions.session import Header, Prompts, Seat
from ...texts import t
from ..topic import texts_of, title_of, topic_task
from .settings import SETTINGS
from .state import RATED, ROLES, SAMPLED, SOLVER, needed


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
    """The header of a new session.

    A seat that is not given goes to the solver's model, or to `script`. Raises
    BadInput.
    """
    about = topic_task(topic, kind, source_lang, target_lang, prompts.templates)
    for name, texts in (("answers", answers), ("wrong_answers", wrong_answers)):
        if texts is not None:
            about[name] = texts_of(name, texts)
    seats = dict(lineup or {})
    unknown = [role for role in seats if role not in ROLES]
    if unknown:
        raise BadInput(
            t("wrong.solo.no_role", unknown=unknown[0], names=", ".join(ROLES))
        )
    chosen = SETTINGS.over_defaults(settings or {}, kind)
    _check(chosen, kind, seats.get(SOLVER))
    return new_header(
        workspace="debate",
        method="solo",
        title=title_of(title or about["topic"]),
        task=about,
        lineup={
            role: seats.get(role) or seats.get(SOLVER) or Seat(model="script")
            for role in needed(chosen["strategy"], chosen["estimator"])
        },
        settings=chosen,
        prompts=Prompts(
            set=prompts.name, hash=prompts.hash, templates=prompts.templates
        ),
    )


def _check(settings: Mapping[str, Any], kind: str, solver: Seat | None) -> None:
    """Raises BadInput for settings that do not fit together, or not to the topic."""
    strategy = settings["strategy"]
    if strategy in RATED and kind != "translation":
        raise BadInput(t("wrong.solo.translations", strategy=strategy))
    if strategy == "sc" and kind == "translation":
        raise BadInput(t("wrong.solo.questions", strategy=strategy))
    if (
        strategy in SAMPLED
        and solver is not None
        and solver.params.get("temperature") == 0
    ):
        raise BadInput(t("wrong.solo.temperature", strategy=strategy))
