"""`study measure`: takes the measures of a study again over its saved sessions, those
that its file has got since among them.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...sessions.errors import bad_input
from ..batches.budget import Budget
from ..batches.call_limiter import CallLimiter
from ..batches.folder import locked
from ..figures.contradictions import Recomputed, check_results
from ..figures.external import External
from ..figures.judge.answers import JudgeInstructions
from .analysis import with_changes
from .manifest import STUDY, made_with, read_manifest, write_manifest
from .measuring import judged_outside, left_outside, score, score_outside, sessions_of
from .plan import StudyPlan
from .scores import read_scores, write_scores

if TYPE_CHECKING:
    from ..models.config import Config


async def measure_again(
    plan: StudyPlan,
    folder: Path,
    config: Config,
    say: Callable[[str], None],
    *,
    recomputed: Recomputed,
    commands: bool = False,
    allow_different: bool,
) -> int:
    """Writes scores.jsonl again; returns the number of measurements. No session is
    created or changed.

    `commands`: commands in the study's file that can run. A result that contradicts its
    session's events raises, or is reported with `allow_different`. A folder, and the
    commands in its file, may come from somebody else: they do not run without
    permission. Raises: BadInput.
    """
    with locked(folder, STUDY):
        begun = await asyncio.to_thread(sessions_of, plan, folder, os.cpu_count() or 1)
        cases = (case for of in begun.values() for case in of.values())
        for sentence in check_results(cases, recomputed, allowed=allow_different):
            say(sentence)
        scores = await asyncio.to_thread(score, plan, begun)
        if plan.outside:
            _check_commands(plan, left_outside(plan, begun, folder), commands)
            limiter = CallLimiter(
                Budget(plan.study.budget_tokens, plan.study.budget_usd), 16
            )
            kept = [
                name
                for name, one in plan.outside.items()
                if isinstance(one, External) and not commands
            ]
            asking = JudgeInstructions(config, limiter.step, limiter.budget.add, say)
            scores += await score_outside(
                plan,
                begun,
                folder,
                asking,
                [name for name in plan.outside if name not in kept],
            )
            scores += [score for score in read_scores(folder) if score.measure in kept]
        write_scores(folder, scores)
        before = read_manifest(folder)
        described = {
            **before,
            "measures": plan.measures,
            "compared_with": plan.reference.name,
            **with_changes(folder, before, plan),
        }
        judged = judged_outside(plan, begun, folder)
        conditions = made_with(begun, before["conditions"], judged)
        write_manifest(folder, {**described, "conditions": conditions})
    return len(scores)


def _check_commands(plan: StudyPlan, left: dict[str, int], allowed: bool) -> None:
    for name in left:
        measure = plan.outside[name]
        if isinstance(measure, External) and not allowed:
            raise bad_input(
                "wrong.study.commands", name=name, command=" ".join(measure.command)
            )
