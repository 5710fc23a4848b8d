"""A new query with its candidates: everything given is checked, what is not given gets
its default.
"""

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
from ..cases.given import checked_task, title_from
from .plan import ROLES
from .settings import SETTINGS


def prompt_set_for(
    demonstrations: DemonstrationSet,
    wanted: str | Path | None = None,
    user_dir: Path | None = None,
) -> str:
    """The prompt set for the language of a set of demonstrations, as
    `prompts.prompt_set_for`.
    """
    return prompt_set_in(
        "zh" if demonstrations.about.language.casefold().startswith("zh") else "en",
        wanted,
        user_dir,
    )


def roles_needed(settings: Mapping[str, Any]) -> list[str]:
    """The roles that will be asked, in order.

    The annotator may stay empty: then the extractor's model answers.
    """
    if settings.get("extraction", True):
        return ["extractor", "annotator"]
    return ["annotator"]


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

    The cases are as `cases.given.checked_task` takes them. `demonstrations` is the set
    loaded; if it came from a folder or file, that stands in
    `settings["demonstrations"]`. The extractor's seat goes to `lexical` if it is not
    given.
    """
    task = checked_task(query, candidates)
    given = dict(settings or {})
    checked = SETTINGS.over_defaults({"demonstrations": demonstrations.name} | given)
    checked |= {
        "demonstrations_digest": demonstrations.digest,
        "language": demonstrations.about.language,
    }
    _check_guidance(prompts, checked)
    return new_header(
        workspace="relevance",
        title=title_from(task, title),
        task=task,
        lineup=_lineup(lineup or {}, checked),
        settings=checked,
        prompts=Prompts(
            set=prompts.name, hash=prompts.hash, templates=prompts.templates
        ),
    )


def _check_guidance(prompts: PromptSet, settings: Mapping[str, Any]) -> None:
    """BadInput where a set of the user's own would state the expert's criteria although
    they are to be left out (section 4.6).
    """
    for name in ("judge_material_system", "judge_legal_system"):
        if not settings["annotation"] and "guided" not in str(
            prompts.templates.get(name)
        ):
            raise BadInput(
                t("wrong.cases.criteria", prompts=prompts.name, template=name)
            )


def _lineup(given: Mapping[str, Seat], settings: Mapping[str, Any]) -> dict[str, Seat]:
    unknown = [role for role in given if role not in ROLES]
    if unknown:
        raise BadInput(
            t("wrong.cases.no_role", unknown=unknown[0], names=", ".join(ROLES))
        )
    first = roles_needed(settings)[0]
    if first in given or "extractor" in given:
        return dict(given)
    return {first: Seat(model=next(iter(SETTINGS.builtins))), **given}
