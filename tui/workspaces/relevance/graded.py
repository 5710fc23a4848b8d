"""The text for a candidate of a `grade` session: the grade and its reason."""

from __future__ import annotations

from textual.content import Content

from ....engines.grade.plan import GradeState, GradeStep
from ....sessions.events.relevance import RelevanceResult
from ....sessions.session import Session
from ....texts import t
from ... import wording
from ...showing import clean, clean_line
from ...widgets.flowing import flowing
from .wording import CandidateRow, Parts, judged_line


def is_graded(session: Session) -> bool:
    """True for a session of the method `grade`."""
    return session.method == "grade"


def grade_event(session: Session, candidate: str) -> int:
    """Return the event number of the candidate's current grade; 0 for none."""
    grade = GradeState(session).grades.get(candidate)
    if grade is None:
        return 0
    return grade.number


def grade_of(
    session: Session,
    candidate: str,
    shown: CandidateRow,
    invitation: Content | None,
) -> Content:
    """Return the level, the next step, and the current grade.

    In blind mode only a note that they are hidden.
    """
    fold = GradeState(session)
    coming = fold.upcoming(candidate)
    grade = fold.grades.get(candidate)
    graded = [grade] if grade is not None else []
    parts: Parts = [judged_line(shown, bits=False, graded=graded), "\n"]
    if invitation is not None:
        parts += ["\n", invitation, "\n"]
    if coming is not None:
        parts.append((t("relevance.coming", what=step_name(coming)) + "\n", "$quiet"))
    elif isinstance(session.events[-1], RelevanceResult):
        parts.append(
            (
                t(
                    "relevance.all_done",
                    n=len(fold.ids),
                    unread=session.events[-1].unread,
                )
                + "\n",
                "$quiet",
            )
        )
    if shown.hidden:
        return Content.assemble(*parts, (t("relevance.hidden_about"), "$quiet"))
    if grade is not None:
        parts += [
            "\n",
            (t("relevance.stage_grade"), "bold"),
            f"  {'-' if grade.value is None else grade.value}\n",
        ]
        if grade.left_out:
            parts.append(
                (t("relevance.left_out", n=f"{grade.left_out:,}") + "\n", "$warning")
            )
        parts += (
            [(t("relevance.unread") + "\n", "$warning")]
            if grade.unreadable
            else [flowing(clean(grade.reason)), "\n"]
        )
        parts += wording.votes(grade)
    return Content.assemble(*parts)


def step_name(step: GradeStep) -> str:
    """The next step in words: `the grade of c1`."""
    if step.what == "grade":
        return t("relevance.step_grade", case=clean_line(step.candidate or ""))
    return t(f"relevance.step_{step.what}")
