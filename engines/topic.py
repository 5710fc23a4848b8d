"""A topic: a question to answer, or a text to translate. What methods that take one check alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..sessions.errors import BadInput
from ..texts import t
from .models.closest import closest
from .settings import Choice, Option

if TYPE_CHECKING:
    from ..sessions.session import Header

KINDS = ("question", "translation")
DEFAULT_SOURCE, DEFAULT_TARGET = "zh", "en"
"""Languages of a translation that names none."""
LONGEST_TOPIC = 100_000
"""Characters."""

OPTIONS = (
    Option("kind", Choice(*KINDS)),
    Option("source", option="from", metavar="LANG"),
    Option("target", option="to", metavar="LANG"),
)
"""What can be asked for of a session about a topic, beside its settings."""


def topic_task(
    topic: str,
    kind: str,
    source: str | None,
    target: str | None,
    templates: Mapping[str, Any],
) -> dict[str, Any]:
    """The task of a session about this topic, under these templates of prompts.

    Raises: BadInput for what does not fit together.
    """
    if not isinstance(topic, str) or not topic.strip():
        raise BadInput(t("wrong.topic.empty"))
    if len(topic) > LONGEST_TOPIC:
        raise BadInput(t("wrong.topic.long", n=len(topic), most=LONGEST_TOPIC))
    if kind not in KINDS:
        raise BadInput(t("wrong.topic.kind", kind=kind, names=" or ".join(KINDS)))
    if kind == "question":
        if source or target:
            raise BadInput(t("wrong.topic.no_languages"))
        return {"kind": kind, "topic": topic.strip(), "from": None, "to": None}
    source, target = source or DEFAULT_SOURCE, target or DEFAULT_TARGET
    for code in (source, target):
        if not code.strip() or len(code) > 40 or not code.isprintable():
            raise BadInput(t("wrong.topic.language", code=code))
        _check_language(code.strip(), templates.get("languages"))
    if source == target:
        raise BadInput(t("wrong.topic.same_language", source=source, target=target))
    return {"kind": kind, "topic": topic.strip(), "from": source, "to": target}


def _check_language(code: str, known: Any) -> None:
    """Raises: BadInput for a language that the prompts cannot name."""
    if not isinstance(known, Mapping) or code in known:
        return
    why = t("wrong.topic.no_language", code=code, names=", ".join(known))
    names = {str(name).casefold(): word for word, name in known.items()}
    base = code.partition("-")[0]
    alike = base if base in known else closest(code, known)
    near = names.get(code.casefold()) or alike
    if near is not None:
        why = t("wrong.preflight.closest", why=why, name=near)
    raise BadInput(why)


def unscripted(
    header: Header, known: tuple[str, str | None, str | None] | None
) -> str | None:
    """Why the built-in `script` has no lines for this topic, as `starting.check_script` takes it; None where it has.

    `known`: the kind and the languages in which it knows this topic; None: it does not know it.
    """
    task = header.task
    if known is None:
        return t("wrong.script.topic")
    if known == (task["kind"], task["from"], task["to"]):
        return None
    kind, source, target = known
    return t(
        "wrong.script.languages",
        wanted=f"--kind {kind}{f' --from {source} --to {target}' if source else ''}",
    )


def texts_of(name: str, given: Iterable[str]) -> list[str]:
    """The texts as a list. Raises BadInput for anything but texts that say something."""
    made = list(given)
    if isinstance(given, str) or not all(
        isinstance(one, str) and one.strip() for one in made
    ):
        raise BadInput(t("wrong.topic.answers", name=name))
    return made


def title_of(text: str) -> str:
    """A text as a title: one line of at most 80 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79].rstrip() + "…"
