"""A judged pair as the evidence of a debate: both cases, their facts, and the reasons
given so far.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...sessions.events import Reference
from ...sessions.session import Session
from ...texts import catalogue
from ..cases.language import is_chinese
from ..cases.task import text_of
from .plan import KINDS, CurrentStages, RelevanceState, setting
from .rendered_demonstrations import numbered


def topic_of(session: Session) -> str:
    """Return the question, with the criteria of relevance, in the language of the
    session.
    """
    return _words(session)["relevance.debate_topic"]


def evidence_of(session: Session, candidate: str) -> list[Reference]:
    """Return both cases in full, with the facts and judgements that the session has so
    far from models or people.
    """
    fold = RelevanceState(session)
    sides = {"a": None, "b": candidate}
    words = _words(session)
    pieces: list[tuple[str, str]] = [
        (words[f"relevance.debate_case_{side}"], fold.text(id_))
        for side, id_ in sides.items()
    ]
    for side, id_ in sides.items():
        standing = fold.standing(id_)
        lines = (
            []
            if standing is None
            else list(_facts(standing, words["relevance.debate_secondary"]))
        )
        if lines:
            pieces.append((words[f"relevance.debate_facts_{side}"], "\n".join(lines)))
    for kind in KINDS:
        judged = fold.candidates[candidate].judgement(kind)
        if judged is not None and judged.relevant is not None:
            said = words[
                "relevance.debate_relevant"
                if judged.relevant
                else "relevance.debate_irrelevant"
            ]
            pieces.append(
                (
                    words[f"relevance.debate_reason_{kind}"],
                    f"{said}\n{judged.reason}".strip(),
                )
            )
    return [
        Reference(n=number, id=name, title=name, text=text)
        for number, (name, text) in enumerate(pieces, 1)
    ]


def _facts(standing: CurrentStages, secondary: str) -> Iterator[str]:
    for kind in KINDS:
        found = standing.facts(kind)
        items = found.items if found is not None else []
        for one, item in zip(numbered(items, kind), items, strict=True):
            yield f"{one.line}{secondary if item.secondary else ''}"


def _words(session: Session) -> dict[str, str]:
    """Return the texts in the language of the demonstrations, or of the cases if there
    are no demonstrations.
    """
    language = setting(session, "language") or (
        "zh" if is_chinese(text_of(session, None)) else "en"
    )
    return catalogue("zh" if str(language).startswith("zh") else "en")
