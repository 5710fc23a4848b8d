"""A new debate: everything given is checked, what is not given gets its default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...prompts import PromptSet
from ...sessions.errors import BadInput
from ...sessions.events import Reference
from ...sessions.new import new_header
from ...sessions.session import Header, Prompts, Seat
from ...texts import t
from ..topic import LONGEST_TOPIC, texts_of, title_of, topic_task
from .plan import DEBATERS, ROLES, speakers
from .settings import SETTINGS


def roles_needed(settings: Mapping[str, Any], kind: str = "question") -> list[str]:
    """The roles that will be asked, in order.

    `baseline` may stay empty: then the affirmative's model answers.

    `observer` is never needed: without one, `stance` is not measured.
    """
    wanted = SETTINGS.defaults(kind) | dict(settings)
    sides = speakers(wanted["control"], wanted["debaters"])
    return [
        *sides,
        "judge",
        *(["baseline"] if sides and wanted["opening"] == "seeded" else []),
    ]


def new_debate(
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
    evidence: Sequence[Reference] | None = None,
    defended: str | None = None,
    swapped: bool = False,
) -> Header:
    """The header of a new debate.

    Seats that are needed and not given go to `script`. Raises BadInput.

    `evidence` is what both sides may cite; `defended` the answer that the first debater
    defends, where the opening is seeded: nobody is asked for one then. `swapped`: the
    models of the two sides in `lineup` have changed places.
    """
    about = topic_task(topic, kind, source_lang, target_lang, prompts.templates)
    if evidence:
        about["evidence"] = _evidence(evidence)
    if defended is not None and defended.strip():
        about["defended"] = defended.strip()
    if swapped:
        about["swapped"] = True
    for name, given in (("answers", answers), ("wrong_answers", wrong_answers)):
        if given is not None:
            about[name] = texts_of(name, given)
    checked = check_settings(settings or {}, kind)
    return new_header(
        workspace="debate",
        title=title_of(title or about["topic"]),
        task=about,
        lineup=_lineup(lineup or {}, checked, kind),
        settings=checked,
        prompts=Prompts(
            set=prompts.name, hash=prompts.hash, templates=prompts.templates
        ),
    )


def check_settings(wanted: Mapping[str, Any], kind: str = "question") -> dict[str, Any]:
    """All settings: what is wanted, above the defaults.

    At level 0 `negative` is always `unprompted`: all are to agree.

    Raises: BadInput.
    """
    made = SETTINGS.over_defaults(wanted, kind)
    if made["level"] == 0:
        return made | {"negative": "unprompted"}
    return made


def _evidence(given: Sequence[Reference]) -> list[dict[str, Any]]:
    """Number, title and text of each; whatever else is known of them stays where they
    come from.
    """
    if sum(len(one.text) for one in given) > LONGEST_TOPIC:
        raise BadInput(t("wrong.debate.evidence", most=LONGEST_TOPIC))
    return [{"n": one.n, "title": one.title, "text": one.text} for one in given]


def _lineup(
    given: Mapping[str, Seat], settings: Mapping[str, Any], kind: str
) -> dict[str, Seat]:
    unknown = [role for role in given if role not in ROLES]
    if unknown:
        raise BadInput(
            t("wrong.debate.no_role", unknown=unknown[0], names=", ".join(ROLES))
        )
    needed = roles_needed(settings, kind)
    surplus = [role for role in given if role in DEBATERS and role not in needed]
    if surplus:
        if settings["control"] != "none":
            raise BadInput(
                t(
                    "wrong.debate.no_seat_in_control",
                    surplus=surplus[0],
                    control=settings["control"],
                )
            )
        raise BadInput(
            t("wrong.debate.no_seat", surplus=surplus[0], settings=settings["debaters"])
        )
    seats = {
        role: given.get(role) or Seat(model="script")
        for role in needed
        if role != "baseline"
    }
    return seats | {
        role: given[role] for role in ("observer", "baseline") if role in given
    }
