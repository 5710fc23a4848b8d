"""A new query with its candidates: everything given is checked, what is not given gets its default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...prompts import PromptSet, prompt_set_in
from ...prompts.demonstrations import DemonstrationSet
from ...sessions.errors import BadInput
from ...sessions.new import new_header
from ...sessions.session import Header, Prompts, Seat
from ...texts import t
from ..topic import title_of
from .plan import QUERY, ROLES, is_level
from .settings import SETTINGS

LONGEST_CASE = 1_000_000
LONGEST_ID = 200
"""Characters."""
MOST_CANDIDATES = 100_000

BASIC_FACTS = "ajjbqk"
"""Where LeCaRD has the basic facts of a judgment: nothing else of it is used."""


def prompt_set_for(demonstrations: DemonstrationSet, wanted: str | Path | None = None, user_dir: Path | None = None) -> str:
    """The prompt set for the language of a set of demonstrations, as `prompts.prompt_set_for`."""
    return prompt_set_in("zh" if demonstrations.about.language.casefold().startswith("zh") else "en", wanted, user_dir)


def roles_needed(settings: Mapping[str, Any]) -> list[str]:
    """The roles that will be asked, in order. The annotator may stay empty: then the extractor's model answers."""
    return ["extractor", "annotator"] if settings.get("extraction", True) else ["annotator"]


def new_relevance(
    *,
    query: Mapping[str, Any] | str,
    candidates: Sequence[Mapping[str, Any] | str],
    demonstrations: DemonstrationSet,
    lineup: Mapping[str, Seat] | None = None,
    settings: Mapping[str, Any] | None = None,
    prompts: PromptSet,
    title: str | None = None,
) -> Header:
    """The header of a new session. Raises BadInput.

    A case is a text or {id, text, title?}, for a candidate also `gold` (its level 0 to 3 in the data); in place of `text` it may have
    LeCaRD's `ajjbqk`. A case without an id gets a number. `demonstrations` is the set loaded; if it came from a folder or file, that
    stands in `settings["demonstrations"]`. The extractor's seat goes to `lexical` if it is not given.
    """
    asked = _case(query, t("wrong.cases.The_query"), "1")
    asked.pop("gold", None)
    given = dict(settings or {})
    checked = SETTINGS.over_defaults({"demonstrations": demonstrations.name} | given)
    checked |= {"demonstrations_digest": demonstrations.digest, "language": demonstrations.about.language}
    _check_guidance(prompts, checked)
    return new_header(
        workspace="relevance",
        title=title_of(title or asked.get("title") or asked["text"]),
        task={"query": asked, "candidates": _candidates(candidates)},
        lineup=_lineup(lineup or {}, checked),
        settings=checked,
        prompts=Prompts(set=prompts.name, hash=prompts.hash, templates=prompts.templates),
    )


def _check_guidance(prompts: PromptSet, settings: Mapping[str, Any]) -> None:
    """BadInput where a set of the user's own would state the expert's criteria although they are to be left out (section 4.6)."""
    for name in ("judge_material_system", "judge_legal_system"):
        if not settings["annotation"] and "guided" not in str(prompts.templates.get(name)):
            raise BadInput(t("wrong.cases.criteria", name=prompts.name, name2=name))


def _candidates(given: Sequence[Mapping[str, Any] | str]) -> list[dict[str, Any]]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise BadInput(t("wrong.cases.no_candidates"))
    if len(given) > MOST_CANDIDATES:
        raise BadInput(t("wrong.cases.many_candidates", n=len(given), most=MOST_CANDIDATES))
    made: dict[str, dict[str, Any]] = {}
    for number, one in enumerate(given, 1):
        case = _case(one, t("wrong.cases.Candidate", number=number), str(number))
        if case["id"] in made:
            raise BadInput(t("wrong.cases.same_candidate", case=case["id"]))
        if case["id"] == QUERY:
            raise BadInput(t("wrong.cases.reserved_id", id=QUERY))
        made[case["id"]] = case
    return list(made.values())


def _case(given: Mapping[str, Any] | str, name: str, number: str) -> dict[str, Any]:
    if isinstance(given, str):
        given = {"text": given}
    if not isinstance(given, Mapping):
        raise BadInput(t("wrong.cases.case_form", name=name))
    text = given.get("text", given.get(BASIC_FACTS))
    if not isinstance(text, str):
        raise BadInput(t("wrong.cases.case_text", name=name))
    if not any(sign.isalnum() for sign in text):
        raise BadInput(t("wrong.cases.case_empty", name=name))
    if len(text) > LONGEST_CASE:
        raise BadInput(t("wrong.cases.case_long", name=name, n=len(text), most=LONGEST_CASE))
    if "\0" in text:
        raise BadInput(t("wrong.cases.case_binary", name=name))
    raw = given.get("id", number)
    id_ = str(raw)
    if isinstance(raw, bool) or not isinstance(raw, str | int) or not id_.strip():
        raise BadInput(t("wrong.cases.case_id", name=name))
    if len(id_) > LONGEST_ID or not id_.isprintable():
        raise BadInput(t("wrong.cases.case_id_long", name=name, most=LONGEST_ID))
    made: dict[str, Any] = {"id": id_, "text": text.strip()}
    if isinstance(given.get("title"), str) and given["title"].strip():
        made["title"] = title_of(given["title"])
    if given.get("gold") is not None:
        if not is_level(given["gold"]):
            raise BadInput(t("wrong.cases.level", name=name, given=given["gold"]))
        made["gold"] = given["gold"]
    return made


def _lineup(given: Mapping[str, Seat], settings: Mapping[str, Any]) -> dict[str, Seat]:
    unknown = [role for role in given if role not in ROLES]
    if unknown:
        raise BadInput(t("wrong.cases.no_role", unknown=unknown[0], names=", ".join(ROLES)))
    first = roles_needed(settings)[0]
    return dict(given) if first in given or "extractor" in given else {first: Seat(model=next(iter(SETTINGS.builtins))), **given}
