"""A study's analysis plan: frozen when the study begins; later changes are kept with
their times.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...sessions.clean import clean_line
from ...sessions.files import STUDY_FILE
from ...sessions.new import timestamp
from ...texts import t
from ...texts.settings import listed
from .plan import StudyPlan
from .study import read_study

PLAN, CHANGES = "analysis", "analysis_changes"
"""Keys of the manifest: the plan that the study began with, and its changes.

A change is {time, sessions, what, was, is}: `sessions` had begun by then.
"""
NAMES = ("measures", "against", "margin", "test", "correction")


def analysis_of(plan: StudyPlan) -> dict[str, object]:
    """The analysis plan by `NAMES`."""
    against = plan.study.against
    return {
        "measures": list(plan.measures),
        "against": plan.reference.name,
        "margin": against.margin,
        "test": against.test,
        "correction": against.correct,
    }


def frozen(
    folder: Path, before: Mapping[str, object] | None, plan: StudyPlan
) -> dict[str, object]:
    """The entries of the manifest of a study that starts or continues.

    `before`: the existing manifest; None: the study starts now.
    """
    if before is None:
        return {PLAN: {"time": timestamp(), **analysis_of(plan)}, CHANGES: []}
    begun = before if PLAN in before else {**before, PLAN: _kept(folder, before)}
    return with_changes(folder, begun, plan, timestamp())


def with_changes(
    folder: Path, manifest: Mapping[str, Any], plan: StudyPlan, time: str = ""
) -> dict[str, Any]:
    """The entries of the manifest, with what differs in `plan` added to the changes.

    `time`: of the change; "": that of the study's file. A manifest of an older version
    has no plan: then nothing is known of changes.
    """
    if PLAN not in manifest:
        return {}
    changes = [*manifest.get(CHANGES, ())]
    last = dict(manifest[PLAN]) | {change["what"]: change["is"] for change in changes}
    now = analysis_of(plan)
    changed = [name for name in NAMES if last.get(name) != now[name]]
    if changed:
        at = {"time": time or _edited(folder), "sessions": _sessions(folder, manifest)}
        changes += [
            {**at, "what": name, "was": last.get(name), "is": now[name]}
            for name in changed
        ]
    return {PLAN: manifest[PLAN], CHANGES: changes}


def changes_in_words(manifest: Mapping[str, Any]) -> list[str]:
    """A sentence for each change; none for a plan that is as it was at the start."""
    return [
        clean_line(
            t(
                "report.study.plan_changed",
                what=t(f"report.study.plan_{one['what']}"),
                old=_value(one["was"]),
                new=_value(one["is"]),
                time=str(one["time"])[:16].replace("T", " "),
                n=one["sessions"],
            ),
        )
        for one in manifest.get(CHANGES, ())
    ]


def _kept(folder: Path, before: Mapping[str, object]) -> dict[str, object]:
    """The plan of a study that an older version began, from the file in its folder."""
    against = read_study(folder / STUDY_FILE, folder).against
    return {
        "time": before.get("begun", ""),
        "measures": before.get("measures"),
        "against": before.get("compared_with"),
        "margin": against.margin,
        "test": against.test,
        "correction": against.correct,
    }


def _sessions(folder: Path, manifest: Mapping[str, Any]) -> int:
    """Number of started sessions."""
    folders = [folder / str(one.get("folder")) for one in manifest["conditions"]]
    return sum(len(list(each.glob("*.yaml"))) for each in folders)


def _edited(folder: Path) -> str:
    """When the study's file was last written."""
    changed = (folder / STUDY_FILE).stat().st_mtime
    return timestamp(datetime.fromtimestamp(changed, UTC))


def _value(value: object) -> str:
    if isinstance(value, list):
        return listed(map(str, value))
    if isinstance(value, int | float):
        return f"{value:g}"
    return str(value)
