"""The starting answer of a debate, and the shared evidence. No widgets."""

from __future__ import annotations

from textual.content import Content

from ....engines.debate.plan import DEBATERS, defended
from ....sessions.session import Session
from ....texts import t
from ... import wording
from ...reflow import reflow
from ...showing import clean, clean_line
from .rounds import Parts, colour


def given(session: Session) -> Content | None:
    """The answer that is defended and the passages; None where a debate begins with its
    topic alone.
    """
    parts: Parts = []
    answer = defended(session)
    if answer is not None:
        first = DEBATERS[0]
        parts += [
            (
                t("given.defended", side=wording.role_name(first)) + "\n",
                f"bold {colour(first)}",
            ),
            clean(reflow(answer)),
            "\n\n",
        ]
    evidence = session.header.task.get("evidence")
    passages = (
        [one for one in evidence if isinstance(one, dict)]
        if isinstance(evidence, list)
        else []
    )
    if passages:
        parts.append((t("given.evidence") + "\n", "bold $quiet"))
    for number, passage in enumerate(passages, 1):
        title = clean_line(str(passage.get("title") or passage.get("file") or ""))
        parts += [
            (f"[{passage.get('n', number)}] ", "bold $primary"),
            (title + "\n" if title else "", "bold"),
        ]
        parts += [clean(reflow(str(passage.get("text", "")))), "\n\n"]
    if parts:
        return Content.assemble(*parts)
    return None
