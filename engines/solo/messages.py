"""What the solver is sent: the rendered thread, and the task as data.

`direct` asks for the answer alone. `cot` asks for the reasoning first, one step at a time, as in Kojima et al. 2022, "Large Language
Models are Zero-Shot Reasoners", section 3; the trigger is in our own words, and one call gives reasoning and answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...prompts import render
from ...sessions.session import Session
from ..models.port import Message
from .plan import setting
from .tasks import Solve


def messages(session: Session) -> list[Message]:
    """A system turn and a user turn. Raises BadInput for a faulty template."""
    strategy = setting(session, "strategy")
    return [
        {"role": "system", "content": _text(session, f"{strategy}_system")},
        {"role": "user", "content": _text(session, f"{strategy}_ask")},
    ]


def again(session: Session, thread: Sequence[Message], reply: str) -> list[Message]:
    """The thread for asking once more after a reply that states no answer. Raises BadInput for a faulty template."""
    return [*thread, {"role": "assistant", "content": reply}, {"role": "user", "content": _text(session, "again")}]


def task(session: Session) -> Solve:
    """The same wish as data."""
    about = session.header.task
    return Solve(
        topic=str(about.get("topic", "")),
        kind=str(about.get("kind", "question")),
        source=str(about["from"]) if about.get("from") else None,
        target=str(about["to"]) if about.get("to") else None,
        strategy=setting(session, "strategy"),
    )


def _text(session: Session, key: str) -> str:
    about, templates = session.header.task, session.header.prompts.templates
    values: dict[str, object] = {"topic": about.get("topic", ""), "kind": about.get("kind", "question")}
    return render(templates, key, **values, source=_language(templates, about.get("from")), target=_language(templates, about.get("to")))


def _language(templates: Mapping[str, Any], code: object) -> str:
    """What the prompt set calls a language; the code itself where the set does not know it; "" without a language."""
    names = templates.get("languages")
    known = names.get(str(code)) if isinstance(names, Mapping) else None
    return str(known or code or "")
