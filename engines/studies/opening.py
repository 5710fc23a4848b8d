"""A study from its file or from its folder, as a plan: with the methods and the user's
configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..figures.certificates import read_certificates
from .analysis import with_changes
from .conditions import Methods, conditions_of
from .items import read_items
from .manifest import STUDY, read_frozen_items, read_manifest
from .plan import StudyPlan, plan_of
from .report import StudyReport, report_of
from .scores import read_scores
from .study import Options, Study, read_study, searching

if TYPE_CHECKING:
    from ..models.config import Config


def planned(
    study: Study,
    methods: Methods,
    config: Config,
    models: Sequence[str] = (),
    take: int | None = None,
    source: Options | None = None,
) -> StudyPlan:
    """The plan of a study with the items that its files have now. `source`: where its
    questions look, in place of what `base` says. Raises: BadInput.
    """
    study = searching(study, source or {})
    conditions = conditions_of(study, methods, models)
    # a fault of the study comes before those of the files that it names
    plan_of(study, conditions, (), config)
    spec = study.items if take is None else replace(study.items, most=take)
    return plan_of(
        replace(study, items=spec), conditions, read_items(spec, study.folder), config
    )


def begun(folder: Path, methods: Methods, config: Config) -> StudyPlan:
    """The plan of a study that was begun in a folder, as it is there.

    Raises: BadInput.
    """
    manifest = read_manifest(folder)
    options = manifest.get("options", {})
    study = read_study(folder / STUDY, folder)
    study = searching(study, options.get("source") or {})
    models = options.get("model") or ()
    return plan_of(
        study, conditions_of(study, methods, models), read_frozen_items(folder), config
    )


def reported(
    folder: Path, methods: Methods, config: Config, certificates: Sequence[Path] = ()
) -> StudyReport:
    """The report of a study's folder, from what was measured. `certificates`: files
    beside the user's. Raises: BadInput.
    """
    plan, manifest = begun(folder, methods, config), read_manifest(folder)
    manifest |= with_changes(folder, manifest, plan)
    known = read_certificates(certificates)
    return report_of(plan, read_scores(folder), manifest, known)
