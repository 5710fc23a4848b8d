"""Checks the given cases before a session begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...sessions.errors import bad_input
from ...texts import t
from ..topic import title_of
from .task import QUERY, is_level

LONGEST_CASE = 1_000_000
LONGEST_ID = 200
"""Characters."""
MOST_CANDIDATES = 100_000

BASIC_FACTS = "ajjbqk"
"""Where LeCaRD has the basic facts of a judgment: nothing else of it is used."""


def checked_task(
    query: Mapping[str, object] | str, candidates: Sequence[Mapping[str, object] | str]
) -> dict[str, object]:
    """Return the task of a session: {query, candidates}.

    A case is a text or {id, text, title?}; a candidate can also have `gold` (its level
    0 to 3 in the data). LeCaRD's `ajjbqk` is accepted instead of `text`. A case without
    an id gets a number. Raises: BadInput.
    """
    asked = checked_case(query, t("wrong.cases.The_query"), "1")
    asked.pop("gold", None)
    return {"query": asked, "candidates": checked_candidates(candidates)}


def title_from(task: Mapping[str, Any]) -> str:
    """Return the title of a session: the title of the query, or its first words."""
    query = task["query"]
    return title_of(query.get("title") or query["text"])


def checked_candidates(
    given: Sequence[Mapping[str, object] | str],
) -> list[dict[str, object]]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise bad_input("wrong.cases.no_candidates")
    if len(given) > MOST_CANDIDATES:
        raise bad_input(
            "wrong.cases.many_candidates", n=len(given), most=MOST_CANDIDATES
        )
    made = {}
    for number, one in enumerate(given, 1):
        case = checked_case(one, t("wrong.cases.Candidate", number=number), str(number))
        if case["id"] in made:
            raise bad_input("wrong.cases.same_candidate", case=case["id"])
        if case["id"] == QUERY:
            raise bad_input("wrong.cases.reserved_id", id=QUERY)
        made[case["id"]] = case
    return list(made.values())


def checked_case(
    given: Mapping[str, Any] | str, name: str, number: str
) -> dict[str, Any]:
    if isinstance(given, str):
        given = {"text": given}
    if not isinstance(given, Mapping):
        raise bad_input("wrong.cases.case_form", name=name)
    text = given.get("text", given.get(BASIC_FACTS))
    if not isinstance(text, str):
        raise bad_input("wrong.cases.case_text", name=name)
    if not any(sign.isalnum() for sign in text):
        raise bad_input("wrong.cases.case_empty", name=name)
    if len(text) > LONGEST_CASE:
        raise bad_input(
            "wrong.cases.case_long", name=name, n=len(text), most=LONGEST_CASE
        )
    if "\0" in text:
        raise bad_input("wrong.cases.case_binary", name=name)
    raw = given.get("id", number)
    id_ = str(raw)
    if isinstance(raw, bool) or not isinstance(raw, str | int) or not id_.strip():
        raise bad_input("wrong.cases.case_id", name=name)
    if len(id_) > LONGEST_ID or not id_.isprintable():
        raise bad_input("wrong.cases.case_id_long", name=name, most=LONGEST_ID)
    made: dict[str, Any] = {"id": id_, "text": text.strip()}
    if isinstance(given.get("title"), str) and given["title"].strip():
        made["title"] = title_of(given["title"])
    if given.get("gold") is not None:
        if not is_level(given["gold"]):
            raise bad_input("wrong.cases.level", name=name, value=given["gold"])
        made["gold"] = given["gold"]
    return made
