"""A new ranking: everything given is checked, what is not given gets its default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ...prompts import PromptSet
from ...sessions.errors import BadInput
from ...sessions.events import Reference
from ...sessions.new import new_header
from ...sessions.session import Header, Prompts, Seat, Session
from ...texts import t
from ..topic import title_of
from .plan import RANKER, ROLES, criteria
from .settings import SETTINGS

MOST = 20
"""Most answers of one question."""
LONGEST_NAME = 80
LONGEST_QUESTION = 100_000
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
    if not isinstance(question, str) or not question.strip():
        raise BadInput(t("wrong.question.empty"))
    if len(question) > LONGEST_QUESTION:
        raise BadInput(t("wrong.question.long", n=len(question), most=LONGEST_QUESTION))
    about: dict[str, Any] = {
        "question": question.strip(),
        "candidates": _answers(answers),
    }
    if accepted is not None and (right := _texts(accepted)):
        about["accepted"] = right
    if references:
        about["references"] = _references(references)
    seats = dict(lineup or {})
    unknown = [role for role in seats if role not in ROLES]
    if unknown:
        raise BadInput(t("wrong.rank.no_role", unknown=unknown[0], names=RANKER))
    header = new_header(
        workspace="rag",
        method="rank",
        title=title_of(title or about["question"]),
        task=about,
        lineup={RANKER: seats.get(RANKER) or Seat(model="lexical")},
        settings=SETTINGS.over_defaults(settings or {}),
        prompts=Prompts(
            set=prompts.name, hash=prompts.hash, templates=prompts.templates
        ),
    )
    if not criteria(Session(header, [])):
        raise BadInput(t("wrong.rank.no_criterion"))
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
            raise BadInput(t("wrong.rank.name", number=number, most=LONGEST_NAME))
        if any(name.strip() == known["id"] for known in made):
            raise BadInput(t("wrong.rank.twice", name=name))
        if text is not None and not isinstance(text, str):
            raise BadInput(t("wrong.rank.no_text", name=name))
        if len(text or "") > LONGEST_ANSWER:
            raise BadInput(
                t("wrong.question.answer_long", n=len(text or ""), most=LONGEST_ANSWER)
            )
        own, query = one.get("references"), one.get("revised_query")
        if query is not None and (
            not isinstance(query, str) or len(query) > LONGEST_QUESTION
        ):
            raise BadInput(t("wrong.rank.query", name=name))
        made.append(
            {"id": name.strip(), "text": (text or "").strip()}
            | ({"references": _references(own)} if own else {})
        )
        made[-1] |= {} if query is None else {"revised_query": query.strip()}
    if not 2 <= len(made) <= MOST:
        raise BadInput(t("wrong.rank.how_many", n=len(made), most=MOST))
    if not any(one["text"] for one in made):
        raise BadInput(t("wrong.rank.all_empty"))
    return made


def _references(
    given: Sequence[Reference | str | Mapping[str, Any]],
) -> list[dict[str, Any]]:
    from ..retrieval.given_references import references_from

    if not isinstance(given, list | tuple):
        raise BadInput(t("wrong.question.references_list"))
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


def _texts(given: Iterable[str]) -> list[str]:
    made = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(one, str) and one.strip() for one in made):
        raise BadInput(t("wrong.question.answers"))
    return made
