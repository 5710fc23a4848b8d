"""A topic: a question to answer, or a text to translate, with the checks that methods
share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..sessions.errors import BadInput, Faults, bad_input
from ..texts import t
from ..texts.closest import closest
from .settings import OneOf, Option

if TYPE_CHECKING:
    from ..sessions.session import Header
    from .script import ScriptedTopic

KINDS = ("question", "translation")
DEFAULT_SOURCE, DEFAULT_TARGET = "zh", "en"
"""Default languages of a translation."""
LONGEST_TOPIC = 100_000
"""Characters."""

OPTIONS = (
    Option("kind", OneOf(*KINDS)),
    Option("source", option="from", metavar="LANG"),
    Option("target", option="to", metavar="LANG"),
)
"""Options of sessions with a topic, besides settings."""


def topic_task(
    topic: str,
    kind: str,
    source: str | None,
    target: str | None,
    templates: Mapping[str, object],
) -> dict[str, Any]:
    """Creates the task of a session with this topic, for these prompt templates.

    Raises: BadInput for inconsistent options.
    """
    faults = Faults()
    if not isinstance(topic, str) or not topic.strip():
        faults.add(t("wrong.topic.empty"))
    elif len(topic) > LONGEST_TOPIC:
        faults.add(t("wrong.topic.long", n=len(topic), most=LONGEST_TOPIC))
    if kind not in KINDS:
        faults.add(t("wrong.topic.kind", kind=kind, names=" or ".join(KINDS)))
    elif kind == "translation":
        source, target = source or DEFAULT_SOURCE, target or DEFAULT_TARGET
        for code in dict.fromkeys((source, target)):
            faults.add(*_language_problem(code, templates.get("languages")))
        if source == target:
            told = {"source": source, "target": target}
            faults.add(t("wrong.topic.same_language", **told))
    elif source or target:
        faults.add(t("wrong.topic.no_languages"))
    faults.refuse()
    topic, source, target = topic.strip(), source or None, target or None
    return {"kind": kind, "topic": topic, "from": source, "to": target}


def _language_problem(code: str, known: object) -> list[str]:
    """Why this is not a language that the prompts can name."""
    if not code.strip() or len(code) > 40 or not code.isprintable():
        return [t("wrong.topic.language", code=code)]
    code = code.strip()
    if not isinstance(known, Mapping) or code in known:
        return []
    why = t("wrong.topic.no_language", code=code, names=", ".join(known))
    names = {str(name).casefold(): word for word, name in known.items()}
    base = code.partition("-")[0]
    alike = base if base in known else closest(code, known)
    near = names.get(code.casefold()) or alike
    return [why if near is None else t("wrong.preflight.closest", why=why, name=near)]


def unscripted(
    header: Header, find: Callable[[str], ScriptedTopic | None]
) -> str | None:
    """Why the built-in `script` has no lines for this topic, for
    `starting.check_script`; None if it has. `find`: returns the lines for a topic.
    """
    task = header.task
    known = find(str(task.get("topic", "")))
    if known is None:
        return t("wrong.script.topic")
    if known.asked_as == (task["kind"], task["from"], task["to"]):
        return None
    kind, source, target = known.asked_as
    return t(
        "wrong.script.languages",
        options=f"--kind {kind}{f' --from {source} --to {target}' if source else ''}",
    )


def known_answers(
    answers: Iterable[str] | None, wrong_answers: Iterable[str] | None
) -> dict[str, list[str]]:
    """The known answers to a topic, as stored in a task. Raises: BadInput."""
    known = {"answers": answers, "wrong_answers": wrong_answers}
    return {
        name: texts_of(given, t("wrong.topic.answers", name=name))
        for name, given in known.items()
        if given is not None
    }


def texts_of(given: Iterable[str], why: str) -> list[str]:
    """The texts as a list. Raises: BadInput (`why`) unless all are non-empty texts."""
    made = list(given)
    if isinstance(given, str) or not all(
        isinstance(one, str) and one.strip() for one in made
    ):
        raise BadInput(why)
    return made


def question_of(given: object) -> str:
    """A question, stripped of blanks. Raises: BadInput."""
    if not isinstance(given, str) or not given.strip():
        raise bad_input("wrong.question.empty")
    if len(given) > LONGEST_TOPIC:
        raise bad_input("wrong.question.long", n=len(given), most=LONGEST_TOPIC)
    return given.strip()


def title_of(text: str) -> str:
    """A text as a title: one line of at most 80 characters."""
    line = " ".join(text.split())
    if len(line) <= 80:
        return line
    return line[:79].rstrip() + "…"
