"""Rank as a method, and how a ranking begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ...prompts import PromptSet, prompt_set_for
from ...sessions.errors import bad_input
from ...sessions.events import Event, Reference
from ...sessions.events.rank import Ranking
from ...sessions.session import Header, Seat, Session
from ...texts import t
from ..method import Method
from ..script import NAME
from ..starting import Starter, Wishes, check_roles, header_of, wishes
from ..topic import LONGEST_TOPIC, question_of, texts_of, title_of
from .plan import RANKER, ROLES, SETTINGS, RankStep, criteria, rankings, turns
from .script import example_of, questions, unscripted

if TYPE_CHECKING:
    from ...sessions.events.rank import RankResult
    from ..engine import MethodEngine
    from ..models.port import Model
    from ..tools import Tools

MOST = 20
"""Most answers of one question."""
LONGEST_NAME = 80
LONGEST_ANSWER = 200_000
"""Characters."""


def new_ranking(
    *,
    question: str,
    answers: Sequence[Mapping[str, Any]],
    accepted: Iterable[str] | None = None,
    references: Sequence[Reference | str | Mapping[str, Any]] | None = None,
    lineup: Mapping[str, Seat] | None = None,
    settings: Mapping[str, Any] | None = None,
    prompts: PromptSet,
    title: str | None = None,
) -> Header:
    """The header of a new session.

    `answers`: each {"name", "text"}, perhaps its own `references`, and the
    `revised_query` that its system would search with next ("": none); `accepted`: what
    is known to be right; `references`: what all answers cite. A seat that is not given
    goes to `lexical`.

    Raises: BadInput.
    """
    about: dict[str, Any] = {
        "question": question_of(question),
        "candidates": _answers(answers),
    }
    if accepted:
        given = [accepted] if isinstance(accepted, str) else accepted
        about["accepted"] = texts_of(given, t("wrong.question.answers"))
    if references:
        about["references"] = _references(references)
    seats = lineup or {}
    check_roles(SETTINGS, seats, ROLES)
    header = header_of(
        SETTINGS,
        title=title_of(title or about["question"]),
        task=about,
        lineup={RANKER: seats.get(RANKER) or Seat(model="lexical")},
        settings=SETTINGS.over_defaults(settings or {}),
        prompts=prompts,
    )
    if not criteria(Session(header, [])):
        raise bad_input("wrong.rank.no_criterion")
    return header


def _answers(given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for number, one in enumerate(given, 1):
        name, text = one.get("name"), one.get("text")
        name = str(number) if name is None else name
        if (
            not isinstance(name, str)
            or not name.strip()
            or len(name) > LONGEST_NAME
            or not name.isprintable()
        ):
            raise bad_input("wrong.rank.name", number=number, most=LONGEST_NAME)
        if any(name.strip() == known["id"] for known in made):
            raise bad_input("wrong.rank.twice", name=name)
        if text is not None and not isinstance(text, str):
            raise bad_input("wrong.rank.no_text", name=name)
        if len(text or "") > LONGEST_ANSWER:
            raise bad_input(
                "wrong.question.answer_long", n=len(text or ""), most=LONGEST_ANSWER
            )
        own, query = one.get("references"), one.get("revised_query")
        if query is not None and (
            not isinstance(query, str) or len(query) > LONGEST_TOPIC
        ):
            raise bad_input("wrong.rank.query", name=name)
        made.append(
            {"id": name.strip(), "text": (text or "").strip()}
            | ({"references": _references(own)} if own else {})
        )
        made[-1] |= {} if query is None else {"revised_query": query.strip()}
    if not 2 <= len(made) <= MOST:
        raise bad_input("wrong.rank.how_many", n=len(made), most=MOST)
    if not any(one["text"] for one in made):
        raise bad_input("wrong.rank.all_empty")
    return made


def _references(
    given: Sequence[Reference | str | Mapping[str, object]],
) -> list[dict[str, Any]]:
    from ..retrieval.given_references import references_from

    if not isinstance(given, list | tuple):
        raise bad_input("wrong.question.references_list")
    whole = [one for one in given if isinstance(one, Reference)]
    listed = (
        whole
        if len(whole) == len(given)
        else references_from(list(given), "“references”")
    )
    return [
        msgspec.to_builtins(msgspec.structs.replace(one, n=number))
        for number, one in enumerate(listed, 1)
    ]


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header of a new session.

    The task is what `new_ranking` takes: question, answers, accepted, references. A
    bundled question without answers gets the bundled ones.

    Raises: BadInput.
    """
    task = dict(wanted.task)
    question, known = (
        str(task.get("question", "")),
        example_of(str(task.get("question", "")).strip()),
    )
    if known is not None and not task.get("answers"):
        task["answers"] = [
            {"name": answer.name, "text": answer.text} for answer in known.answers
        ]
        task |= {"accepted": known.accepted, "references": known.references}
    bundled = (
        not starter.many
        and unscripted(
            {"question": question.strip(), "candidates": task.get("answers")}
        )
        is None
    )
    chosen = prompt_set_for(
        question, wanted=starter.wanted_prompts(wanted), user_dir=starter.places.prompts
    )
    return new_ranking(
        **{"answers": [], **task},
        lineup=starter.seats(wanted, ROLES, ROLES, alone=NAME if bundled else None),
        settings=starter.settings(wanted),
        prompts=starter.prompts(chosen, SETTINGS),
    )


def example(language: str) -> Wishes:
    """The wishes for the bundled question in a language, with what was written for it
    by hand.
    """
    asked = next(
        question for question in questions() if prompt_set_for(question) == language
    )
    return wishes("rank", {"model": NAME}, question=asked)


def rank(
    question: str,
    answers: Mapping[str, str] | Sequence[Mapping[str, Any]],
    *,
    accepted: Sequence[str] | None = None,
    references: Sequence[Any] | None = None,
) -> dict[str, Any]:
    """Several answers to one question, ranked under five criteria.

    `answers`: name to text, or objects with `name`, `text` and perhaps `references`.
    `accepted`: what is known to be right. `references`: what all answers cite.
    `options`: those of `verifytui rank`. Without a model `lexical` ranks, which is no
    language model.
    """
    listed = (
        [{"name": name, "text": text} for name, text in answers.items()]
        if isinstance(answers, Mapping)
        else list(answers)
    )
    return {
        "question": question,
        "answers": listed,
        "accepted": accepted,
        "references": references,
    }


class RankMethod(Method):
    """Several answers to one question are put in order under five criteria (CoV-RAG,
    Appendix G).
    """

    name = "rank"
    roles = ROLES
    call = staticmethod(rank)

    def engine(
        self, header: Header, tools: Tools | None = None
    ) -> MethodEngine[RankStep]:
        from .reading import RANK_ENGINE

        return RANK_ENGINE

    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        from .lexical import LexicalRanker
        from .script import RankScript

        return {
            "lexical": tools.shared((self.name, "lexical"), LexicalRanker),
            "script": RankScript(),
        }

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Ranking)

    def progress(self, session: Session, tools: Tools | None = None) -> tuple[int, int]:
        return len(rankings(session)), len(criteria(session)) * len(turns(session))

    def recomputed_result(self, session: Session) -> RankResult:
        from .plan import result

        return result(session)


METHOD = RankMethod()
