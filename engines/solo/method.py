"""Solo as a method: how a session begins, and what its events say to a reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...prompts import PromptSet, prompt_set_for
from ...sessions.errors import bad_input
from ...sessions.events import Event
from ...sessions.events.solo import Analysis, Attempt, Estimate, Review, SoloResult
from ...sessions.export.block import Block, Tone, mark_closing, read_as, shared
from ...sessions.session import Header, Seat, Session
from ...texts import t
from ..method import Method
from ..models.config import Config
from ..models.lineup import BUILTINS, is_command, parse_params
from ..models.seating import at_temperature
from ..starting import Starter, Wishes, check_roles, header_of
from ..topic import known_answers, title_of, topic_task
from .plan import SoloStep, progress, upcoming
from .state import (
    ESTIMATOR,
    RATED,
    ROLES,
    SAMPLED,
    SETTINGS,
    SOLVER,
    needed,
    roles_of,
    setting,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...sessions.events.solo import SoloResult
    from ..engine import MethodEngine
    from ..models.port import Model
    from ..tools import Tools

TONES: dict[str, Tone] = {"solver": "blue", "estimator": "violet"}

READ_OUT = frozenset({"estimator"})
"""Roles whose replies are data: a reader gets what was read from them, not the text as
it streams.
"""


def coming(session: Session) -> str | None:
    """The part of the session that the next event belongs to."""
    step = upcoming(session)
    if step is not None and step.what != "result" and _iterates(session):
        return t("block.iteration", n=step.iteration)
    return None


def block(event: Event, session: Session) -> Block:
    """One event."""
    block = shared(event)
    if not _iterates(session):
        block.part = None
    match event:
        case Attempt():
            block.prose = True
            block.remark = _numbered(event, session)
            mark_closing(block, event.answer)
        case Review():
            read_as(block, event.reason)
            block.prose = not block.unread
            if event.satisfied is not None:
                block.remark = t(
                    "solo.is_satisfied" if event.satisfied else "solo.not_satisfied"
                )
        case Analysis():
            block.prose, block.remark = True, t(f"solo.analysis_{event.about}")
        case Estimate():
            _estimate(block, event)
        case SoloResult():
            _result(block, event)
    return block


def _iterates(session: Session) -> bool:
    """True if each attempt is a part of its own, with its review."""
    return bool(setting(session, "strategy") == "reflect")


def _numbered(attempt: Attempt, session: Session) -> str:
    """Which sample or candidate an attempt is."""
    strategy = setting(session, "strategy")
    if attempt.based_on is not None:
        return t(
            "solo.candidate_on",
            n=attempt.iteration,
            about=t(f"solo.analysis_{attempt.based_on}"),
        )
    if strategy in RATED:
        return t("solo.candidate", n=attempt.iteration)
    if strategy == "sc":
        return t("solo.sample", n=attempt.iteration)
    return ""


def _estimate(block: Block, event: Estimate) -> None:
    read_as(block, event.reason)
    block.prose = not block.unread
    rows = zip(event.iterations, event.values, strict=False)
    block.scores = [
        (t("solo.candidate", n=number), f"{value:g}", "")
        for number, value in rows
        if value is not None
    ]


def _result(block: Block, event: SoloResult) -> None:
    """The answer, then how it was decided."""
    block.answer = event.answer or t("solo.no_answer")
    block.doubtful = event.answer is None
    match event.decided_by:
        case "majority":
            sizes = [len(group) for group in event.groups]
            block.notes = [
                t("solo.majority", n=sizes[0] if sizes else 0, total=event.attempts)
            ]
            if sizes[1:] and sizes[0] == sizes[1]:
                block.notes.append(t("solo.tie", n=sizes.count(sizes[0])))
            if sum(sizes) < event.attempts:
                block.notes.append(t("solo.without", n=event.attempts - sum(sizes)))
        case "estimator" if event.chosen is not None:
            block.notes = [t("solo.estimator", n=event.chosen, total=event.attempts)]
        case "estimator":
            block.notes = [t("solo.no_estimate")]
        case _:
            block.notes = [t(f"solo.{event.decided_by}", n=event.attempts)]


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
    about |= known_answers(answers, wrong_answers)
    seats = lineup or {}
    check_roles(SETTINGS, seats, ROLES)
    chosen = SETTINGS.over_defaults(settings or {}, kind)
    _check(chosen, kind, seats.get(SOLVER))
    return header_of(
        SETTINGS,
        title=title_of(title or about["topic"]),
        task=about,
        lineup={
            role: seats.get(role) or seats.get(SOLVER) or Seat(model="script")
            for role in needed(chosen["strategy"], chosen["estimator"])
        },
        settings=chosen,
        prompts=prompts,
    )


def _check(settings: Mapping[str, object], kind: str, solver: Seat | None) -> None:
    """Raises BadInput for settings that do not fit together, or not to the topic."""
    strategy = settings["strategy"]
    if strategy in RATED and kind != "translation":
        raise bad_input("wrong.solo.translations", strategy=strategy)
    if strategy == "sc" and kind == "translation":
        raise bad_input("wrong.solo.questions", strategy=strategy)
    if (
        strategy in SAMPLED
        and solver is not None
        and solver.params.get("temperature") == 0
    ):
        raise bad_input("wrong.solo.temperature", strategy=strategy)


TEMPERATURE = 0.7
"""Default temperature of a solver with several samples (Wang et al. 2022, section 3.1,
for GPT-3).
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
    lineup = starter.seats(wanted, ROLES, seats, spare=unused)
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
        raise bad_input("wrong.solo.no_command", role=ESTIMATOR)
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


def solo(topic: str) -> dict[str, object]:
    """One model's answer to a question, or its translation with `kind="translation"`.

    `options`: those of `verifytui solo`, such as `strategy="cot"`. Without a model the
    script answers, which knows only the bundled topics.
    """
    return {"topic": topic}


class SoloMethod(Method):
    """One model answers alone, by one of several strategies: the baselines of the MAD
    paper, section 4.1.
    """

    name = "solo"
    roles = ROLES
    call = staticmethod(solo)

    def engine(
        self, header: Header, tools: Tools | None = None
    ) -> MethodEngine[SoloStep]:
        from .command import rater
        from .replies import solo_engine

        if tools is None:
            return solo_engine()
        return solo_engine(rater(tools.config.estimator_command))

    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        from .script import SoloScript

        return {"script": SoloScript()}

    def unscripted(self, header: Header) -> str | None:
        from ..topic import unscripted
        from .script import lines_of

        return unscripted(header, lines_of)

    def upcoming(self, session: Session, tools: Tools | None = None) -> SoloStep | None:
        return upcoming(session)

    def roles_of(self, session: Session) -> list[str]:
        return roles_of(session)

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Attempt)

    def progress(
        self, session: Session, tools: Tools | None = None
    ) -> tuple[int, int] | None:
        return progress(session)

    def recomputed_result(self, session: Session) -> SoloResult:
        from .replies import result

        return result(session)


METHOD = SoloMethod()
