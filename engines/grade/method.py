"""Grade as a method: how a session begins, and what its events say to a reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...prompts import PromptSet, prompt_set_in
from ...sessions.events import Event
from ...sessions.events.grade import Grade
from ...sessions.events.relevance import RelevanceResult, Score
from ...sessions.export.block import Block, Tone, read_as, shared
from ...sessions.session import Header, Seat, Session
from ...texts import t
from ..cases.blocks import (
    case_blocks,
    left_out_note,
    level_in_words,
    say_case_event,
)
from ..cases.case_task import checked_task, title_from
from ..cases.language import is_chinese
from ..cases.task import candidates
from ..method import Method, method
from ..models.seating import at_temperature
from ..starting import Starter, Wishes, check_roles, header_of
from .plan import GRADER, ROLES, SETTINGS, GradeState, GradeStep

if TYPE_CHECKING:
    from ...sessions.events.relevance import RelevanceResult
    from ..engine import MethodEngine
    from ..models.port import Model
    from ..tools import Tools


def new_grade(
    *,
    query: Mapping[str, object] | str,
    candidates: Sequence[Mapping[str, object] | str],
    lineup: Mapping[str, Seat] | None = None,
    settings: Mapping[str, object] | None = None,
    prompts: PromptSet,
) -> Header:
    """The header of a new session; the cases are as `case_task.checked_task` takes
    them. A seat that is not given goes to `lexical`.

    Raises: BadInput.
    """
    task = checked_task(query, candidates)
    seats = lineup or {}
    check_roles(SETTINGS, seats, ROLES)
    return header_of(
        SETTINGS,
        title=title_from(task),
        task=task,
        lineup={GRADER: seats.get(GRADER) or Seat(model="lexical")},
        settings=SETTINGS.over_defaults(settings or {}),
        prompts=prompts,
    )


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header for a query and its candidates.

    The task is what `new_grade` takes, and `temperature` and `repeat` of a batch.

    Raises: BadInput.
    """
    query, repeat, temperature = (
        wanted.task.get("query", ""),
        wanted.task.get("repeat"),
        wanted.task.get("temperature"),
    )
    settings = starter.settings(wanted)
    text = query if isinstance(query, str) else str(query.get("text", ""))
    chosen = prompt_set_in(
        "zh" if is_chinese(text) else "en",
        starter.wanted_prompts(wanted),
        starter.places.prompts,
    )
    lineup = starter.seats(wanted, ROLES, ROLES)
    return new_grade(
        query=query,
        candidates=wanted.task.get("candidates") or [],
        lineup=lineup if temperature is None else at_temperature(lineup, temperature),
        settings=settings if repeat is None else settings | {"repeat": repeat},
        prompts=starter.prompts(chosen, SETTINGS),
    )


TONES: dict[str, Tone] = {"grader": "green"}

READ_OUT = frozenset(ROLES)
"""Roles whose replies are data: a reader gets what was read from them, not the text as
it streams.
"""


def task(session: Session) -> list[Block]:
    """What is graded, then the query and every candidate."""
    notes = [t("judged.graded", n=len(candidates(session)))]
    if any(seat.model == "lexical" for _, seat in session.seated(ROLES)):
        notes.append(t("judged.lexical_grades"))
    return [Block(kind="task", heading="", notes=notes), *case_blocks(session)]


def block(event: Event, session: Session) -> Block:
    """One event."""
    block = shared(event)
    match event:
        case Grade():
            block.remark = t(
                "judged.grade",
                value=level_in_words(session, event.candidate, event.value),
            )
            read_as(block, event.reason)
            block.notes = left_out_note(event.left_out)
        case _:
            say_case_event(block, event, session)
    return block


def closing(session: Session, raters: Sequence[str] = ()) -> list[Block]:
    """Nothing: the result has the agreement."""
    return []


def grade(
    query: str | Mapping[str, Any], candidates: Sequence[str | Mapping[str, Any]]
) -> dict[str, Any]:
    """The relevance of candidate cases to a query case, 0 to 3, each by one prompt.

    The cases are as for `relevance`. `options`: those of `verifytui grade`. The rest,
    and what is raised, as for `engines.api.run`. Without a model `lexical` grades,
    which is not a language model.
    """
    return {"query": query, "candidates": list(candidates)}


class GradeMethod(Method):
    """One prompt gives the level of relevance, after UMBRELA (Upadhyay et al. 2024): a
    baseline for judgements in stages.
    """

    name = "grade"
    roles = ROLES
    call = staticmethod(grade)

    @property
    def ratings(self) -> ModuleType | None:
        from .batch import JUDGED

        return method(JUDGED).ratings

    def recomputed_result(self, session: Session) -> RelevanceResult:
        from ..cases.rating import concluded

        fold = GradeState(session)
        grades = {id_: grade.value for id_, grade in fold.grades.items()}
        return concluded({**fold.in_order(), **grades}, {})

    def engine(
        self, header: Header, tools: Tools | None = None
    ) -> MethodEngine[GradeStep]:
        from .grading import grade_engine

        return grade_engine(None if tools is None else tools.focus)

    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        from .lexical import LexicalGrader

        return {"lexical": tools.shared((self.name, "lexical"), LexicalGrader)}

    def unscripted(self, header: Header) -> str | None:
        return t("wrong.script.no_grades")

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Score)

    def progress(self, session: Session, tools: Tools | None = None) -> tuple[int, int]:
        fold = GradeState(session)
        return len(fold.scores), len(fold.ids)


METHOD = GradeMethod()
