"""How one model that answers alone begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...prompts import prompt_set_for
from ...sessions.errors import BadInput
from ...sessions.session import Header, Seat
from ...texts import t
from ..models.config import Config
from ..models.lineup import BUILTINS, is_command, parse_params
from ..models.seating import at_temperature, seated
from ..starting import Starter, Wishes
from .new import new_solo
from .settings import SETTINGS
from .state import ESTIMATOR, RATED, ROLES, SAMPLED, SOLVER, needed

TEMPERATURE = 0.7
"""Of a solver that is asked the same several times, where the user says nothing else
(Wang et al. 2022, section 3.1, for GPT-3).
"""


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header of a new session.

    The task is what `new_solo` takes: topic, answers, wrong_answers. Raises: BadInput.
    """
    topic, kind = wanted.task.get("topic", ""), wanted.get("kind") or "question"
    chosen = prompt_set_for(
        topic, kind, starter.wanted_prompts(wanted), starter.places.prompts
    )
    settings = starter.settings(wanted)
    strategy = settings.get("strategy", SETTINGS["strategy"].default)
    if strategy in RATED:
        settings = {
            **settings,
            "estimator": _estimator(settings.get("estimator"), starter.config),
        }
    seats = needed(strategy, settings.get("estimator", SETTINGS["estimator"].default))
    unused = [role for role in ROLES if role not in seats]
    lineup = seated(
        SETTINGS,
        starter.config,
        ROLES,
        seats,
        wanted.listed("model"),
        wanted.listed("param"),
        spare=unused,
    )
    if strategy in SAMPLED:
        lineup[SOLVER] = _sampling(
            lineup[SOLVER],
            parse_params(wanted.listed("param"), ROLES).get(SOLVER, {}),
            starter.config,
        )
    return new_solo(
        **wanted.task,
        kind=kind,
        source_lang=wanted.get("source"),
        target_lang=wanted.get("target"),
        lineup=lineup,
        settings=settings,
        prompts=starter.prompts(chosen, SETTINGS),
    )


def _estimator(wished: str | None, config: Config) -> str:
    """Who rates translations: as wished, else the user's command where there is one.

    Raises: BadInput for a command that is not there.
    """
    if wished == "command" and not config.estimator_command:
        raise BadInput(t("wrong.solo.no_command", role=ESTIMATOR))
    return wished or ("command" if config.estimator_command else "model")


def _sampling(seat: Seat, given: Mapping[str, Any], config: Config) -> Seat:
    """The solver's seat for samples: a language model is not asked at temperature 0
    unless the user says so.
    """
    if seat.model in BUILTINS or is_command(seat.model):
        return seat
    named = config.models[seat.name].params if seat.name else {}
    wished = given.get("temperature", named.get("temperature", TEMPERATURE))
    return at_temperature({SOLVER: seat}, wished)[SOLVER]
