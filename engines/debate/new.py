"""A new debate: everything given is checked, what is not given gets its default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...prompts import PromptSet
from ...sessions.errors import BadInput
from ...sessions.events import Reference
from ...sessions.new import new_header
from ...sessions.session import Header, Prompts, Seat
from .plan import BOUNDS, CHOICES, DEBATERS, DEFAULTS, ROLES, allowed

KINDS = ("question", "translation")
LONGEST_TOPIC = 100_000
"""Characters."""


def default_settings(kind: str = "question") -> dict[str, Any]:
    """All settings of a debate; disagreement is measured by answers for questions, by the observer for translations."""
    return DEFAULTS | {"disagreement": "stance" if kind == "translation" else "answer"}


def roles_needed(settings: Mapping[str, Any], kind: str = "question") -> list[str]:
    """The roles that will be asked, in order. `baseline` may stay empty: then the affirmative's model answers.

    `observer` is never needed.
    """
    wanted = default_settings(kind) | dict(settings)
    return [*DEBATERS[: wanted["debaters"]], "judge", *(["baseline"] if wanted["opening"] == "seeded" else [])]


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
) -> Header:
    """The header of a new debate. Seats that are needed and not given go to `script`. Raises BadInput.

    `evidence` is what both sides may cite; `defended` the answer that the first debater defends, where the opening is seeded: nobody is
    asked for one then.
    """
    about = _task(topic, kind, source_lang, target_lang)
    if evidence:
        about["evidence"] = _evidence(evidence)
    if defended is not None and defended.strip():
        about["defended"] = defended.strip()
    for name, given in (("answers", answers), ("wrong_answers", wrong_answers)):
        if given is not None:
            about[name] = _texts(name, given)
    checked = check_settings(settings or {}, kind)
    return new_header(
        workspace="debate",
        title=_title(title or about["topic"]),
        task=about,
        lineup=_lineup(lineup or {}, checked, kind),
        settings=checked,
        prompts=Prompts(set=prompts.name, hash=prompts.hash, templates=prompts.templates),
    )


def check_settings(given: Mapping[str, Any], kind: str = "question") -> dict[str, Any]:
    """Given settings over the defaults, in a fixed order. Raises BadInput."""
    unknown = [name for name in given if name not in DEFAULTS]
    if unknown:
        raise BadInput(f"There is no setting {unknown[0]!r} in a debate; there are: {', '.join(DEFAULTS)}.")
    for name, value in given.items():
        check_setting(name, value)
    return default_settings(kind) | dict(given)


def check_setting(name: str, value: object) -> None:
    """Raises BadInput if a setting cannot have this value."""
    if allowed(name, value):
        return
    if name in BOUNDS:
        least, most = BOUNDS[name]
        raise BadInput(f"{name} must be a whole number from {least} to {most}, not {value!r:.60}.")
    raise BadInput(f"{name} must be {' or '.join(CHOICES[name])}, not {value!r:.60}.")


def _task(topic: str, kind: str, source: str | None, target: str | None) -> dict[str, Any]:
    if not isinstance(topic, str) or not topic.strip():
        raise BadInput("The topic is empty; give a question or a text to translate.")
    if len(topic) > LONGEST_TOPIC:
        raise BadInput(f"The topic has {len(topic):,} characters; shorten it to at most {LONGEST_TOPIC:,}.")
    if kind not in KINDS:
        raise BadInput(f"There is no kind of debate {kind!r}; it is {' or '.join(KINDS)}.")
    if kind == "question":
        if source or target:
            raise BadInput("A question has no languages to translate from and to; leave them out or choose the kind translation.")
        return {"kind": kind, "topic": topic.strip(), "from": None, "to": None}
    source, target = source or "zh", target or "en"
    for code in (source, target):
        if not code.strip() or len(code) > 40 or not code.isprintable():
            raise BadInput(f"{code!r} is no language; give a code such as zh or en, or the name of a language.")
    if source == target:
        raise BadInput(f"The text cannot be translated from {source} to {target}; give two different languages.")
    return {"kind": kind, "topic": topic.strip(), "from": source, "to": target}


def _evidence(given: Sequence[Reference]) -> list[dict[str, Any]]:
    """Number, title and text of each; whatever else is known of them stays where they come from."""
    if sum(len(one.text) for one in given) > LONGEST_TOPIC:
        raise BadInput(f"The evidence has more than {LONGEST_TOPIC:,} characters; give fewer or shorter passages.")
    return [{"n": one.n, "title": one.title, "text": one.text} for one in given]


def _lineup(given: Mapping[str, Seat], settings: Mapping[str, Any], kind: str) -> dict[str, Seat]:
    unknown = [role for role in given if role not in ROLES]
    if unknown:
        raise BadInput(f"There is no role {unknown[0]!r} in a debate; there are: {', '.join(ROLES)}.")
    needed = roles_needed(settings, kind)
    surplus = [role for role in given if role in DEBATERS and role not in needed]
    if surplus:
        raise BadInput(
            f"{surplus[0]} has no seat in a debate of {settings['debaters']}; raise the number of debaters or leave the role out."
        )
    seats = {role: given.get(role) or Seat(model="script") for role in needed if role != "baseline"}
    return seats | {role: given[role] for role in ("observer", "baseline") if role in given}


def _texts(name: str, given: Iterable[str]) -> list[str]:
    made = list(given)
    if isinstance(given, str) or not all(isinstance(one, str) and one.strip() for one in made):
        raise BadInput(f"{name} must be a list of texts.")
    return made


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79].rstrip() + "…"
