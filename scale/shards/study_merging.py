"""Merges the folders of all shards of a study. Calls no model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...engines.batches.changes import changes_in, join_changes
from ...engines.batches.folder import locked
from ...engines.batches.part import part_in
from ...engines.figures import records
from ...engines.figures.measure import Item
from ...engines.studies.conditions import Methods, PlayedCondition, conditions_of
from ...engines.studies.forms import as_html
from ...engines.studies.manifest import (
    FILE,
    STUDY,
    made_with,
    read_frozen_items,
    read_manifest,
    whole_of,
    write_items,
    write_manifest,
)
from ...engines.studies.measuring import KEPT, judged_outside, score, sessions_of
from ...engines.studies.plan import StudyPlan, plan_of
from ...engines.studies.report import report_of
from ...engines.studies.scores import ScoreRow, read_scores, write_scores
from ...engines.studies.study import read_study
from ...engines.studies.study_runner import REPORT
from ...sessions.clean import json_line
from ...sessions.errors import bad_input
from ...sessions.files import BATCH, has_batch, read_text, write_whole
from ...sessions.label_files import FOLDER
from ...texts import t
from .batch_merging import (
    MERGE,
    Merge,
    Watch,
    begin,
    check_shards,
    check_target,
    join_labels,
    put,
    read_source,
)
from .shards import Shard

if TYPE_CHECKING:
    from ...engines.models.config import Config

ALIKE = ("name", "study", "repeats", "measures", "compared_with", "options", "seeds")
"""Manifest entries that are the same in all shards."""


def _watch_from(read: int, total: int, watch: Watch) -> Watch:
    """Reports the progress of one of several merges, with the lines read before it."""
    return lambda done, _: watch(read + done, total)


def merge_study(
    folders: Sequence[Path], into: Path, methods: Methods, config: Config, watch: Watch
) -> list[Path]:
    """Writes the merged study to a folder; returns files of the shards that do not
    belong to the study.

    Raises: BadInput, SessionError, WriteError.
    """
    shards = _shards(folders)
    paths = [path for path, _ in shards]
    manifests = [manifest for _, manifest in shards]
    told = manifests[0]["shard"]
    plan = _plan(paths, told, manifests[0], methods, config)
    check_target(into, folders, told["digest"], told["of"], FILE)
    with ExitStack() as locks:
        for path in paths:
            locks.enter_context(locked(path, STUDY))
        merges = [
            (one, _merge(one, plan, shards, into))
            for one in plan.played
            if any(has_batch(path / one.folder) for path in paths)
        ]
        for _, merge in merges:
            locks.enter_context(merge.locked())
        total, read = sum(len(merge.rows) for _, merge in merges), 0
        for _, merge in merges:
            merge.check(_watch_from(read, total, watch))
            read += len(merge.rows)
        locks.enter_context(locked(into, STUDY))
        begin(into, told["digest"], told["of"])
        for _, merge in merges:
            with locked(merge.into, BATCH):
                merge.copy()
                merge.write()
        silence = {"silence": config.silence} if config.silence else {}
        _write(plan, shards, into, silence)
    return [path for _, merge in merges for path in merge.left_behind]


def _shards(folders: Sequence[Path]) -> list[tuple[Path, dict[str, Any]]]:
    """The shards with their manifests, in order.

    Raises: BadInput unless they are all shards of one study.
    """
    found = [(path, read_manifest(path)) for path in folders]
    for path, manifest in found:
        told: dict[str, Any] = manifest.get("shard") or {}
        if part_in(told or None, path / FILE) is None:
            raise bad_input(
                "wrong.merge.merged"
                if (path / MERGE).exists()
                else "wrong.merge.whole",
                path=path,
            )
        if not isinstance(told.get("digest"), str) or not isinstance(
            told.get("items"), int
        ):
            raise bad_input("wrong.merge.unread", path=path / FILE)
    first_path, first = found[0]
    for path, manifest in found[1:]:
        names = [name for name in ALIKE if manifest.get(name) != first.get(name)]
        names += ["conditions"] if _conditions(manifest) != _conditions(first) else []
        names += (
            [STUDY] if read_text(path / STUDY) != read_text(first_path / STUDY) else []
        )
        shard, other = manifest["shard"], first["shard"]
        what = t("wrong.merge.study", names=", ".join(names)) if names else ""
        what = what or (t("wrong.merge.of") if shard["of"] != other["of"] else "")
        what = what or (
            t("wrong.merge.digest")
            if (shard["digest"], shard["items"]) != (other["digest"], other["items"])
            else ""
        )
        if what:
            raise bad_input("wrong.merge.other", path=first_path, other=path, what=what)
    ordered = sorted(found, key=lambda one: one[1]["shard"]["index"])
    check_shards([(path, _shard(manifest)) for path, manifest in ordered])
    return ordered


def _shard(manifest: Mapping[str, Any]) -> Shard:
    return Shard(manifest["shard"]["index"], manifest["shard"]["of"])


def _conditions(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    told = ("name", "folder", "method", "lines", "cell", "options", "dropped")
    return [{name: one.get(name) for name in told} for one in manifest["conditions"]]


def _plan(
    paths: Sequence[Path],
    told: Mapping[str, Any],
    manifest: Mapping[str, Any],
    methods: Methods,
    config: Config,
) -> StudyPlan:
    """The merged study. Raises: BadInput if a shard lacks some of its items."""
    dealt = [read_frozen_items(path) for path in paths]
    total = told["items"]
    for number, own in enumerate(dealt):
        if len(own) != len(range(number, total, told["of"])):
            raise bad_input("wrong.merge.unread", path=paths[number] / FILE)
    items: list[Item] = [
        dealt[place % told["of"]][place // told["of"]] for place in range(total)
    ]
    study = read_study(paths[0] / STUDY, paths[0])
    models = manifest.get("options", {}).get("model") or ()
    return plan_of(study, conditions_of(study, methods, models), items, config)


def _merge(
    condition: PlayedCondition,
    plan: StudyPlan,
    shards: Sequence[tuple[Path, Mapping[str, Any]]],
    into: Path,
) -> Merge:
    """The shards of one condition. If the condition uses chosen items, a shard may have
    none.

    Raises: BadInput if a shard has not started the condition.
    """
    paths = [path / condition.folder for path, _ in shards]
    chosen = plan.study.where and condition.name not in plan.study.where
    for path, (_, manifest) in zip(paths, shards, strict=True):
        lines = manifest["items"]["n"] * plan.study.repeats
        if not (chosen or has_batch(path)):
            raise bad_input(
                "wrong.merge.unfinished",
                path=path,
                shard=_shard(manifest),
                n=lines,
                lines=lines,
            )
    return Merge(
        [read_source(path) for path in paths if has_batch(path)],
        into / condition.folder,
        condition.method,
    )


def _write(
    plan: StudyPlan,
    shards: Sequence[tuple[Path, Mapping[str, Any]]],
    into: Path,
    silence: Mapping[str, Any],
) -> None:
    """Writes the files of the study's own folder, with the manifest, which makes it a
    study, before the page.
    """
    paths = [path for path, _ in shards]
    write_whole(into / STUDY, plan.study.text)
    write_items(into, plan)
    join_labels([path / FOLDER for path in paths], into / FOLDER)
    _join_measures([path / KEPT for path in paths], into / KEPT)
    begun = sessions_of(plan, into, os.cpu_count() or 1)
    scores = [*score(plan, begun), *_outside(plan, paths)]
    write_scores(into, scores)
    whole = {**whole_of([manifest for _, manifest in shards], plan), **silence}
    judged = judged_outside(plan, begun, into)
    whole["conditions"] = made_with(begun, whole["conditions"], judged)
    join_changes(paths, into)
    changes = changes_in(into)
    whole |= {"changes": changes} if changes else {}
    write_manifest(into, whole)
    write_whole(into / REPORT, as_html(report_of(plan, scores, whole)))


def _outside(plan: StudyPlan, paths: Sequence[Path]) -> list[ScoreRow]:
    """Merges the measurements of commands and models in the shards, in the order of an
    undivided study.
    """
    measures = {name: place for place, name in enumerate(plan.outside)}
    conditions = {
        condition.name: place for place, condition in enumerate(plan.conditions)
    }
    lines = {
        (item.id, repeat): place
        for place, (item, repeat) in enumerate(plan.by_line.values())
    }
    found = [
        score
        for path in paths
        for score in read_scores(path)
        if score.measure in measures and score.condition in conditions
    ]
    return sorted(
        found,
        key=lambda one: (
            measures[one.measure],
            conditions[one.condition],
            lines.get(one.key, 0),
        ),
    )


def _join_measures(places: Sequence[Path], into: Path) -> None:
    """Merges the outputs of commands and judging models, so that they are not called
    again.
    """
    found: dict[str, dict[str, None]] = {}
    for place in (*places, into):
        for path in sorted(place.glob("*/*.jsonl")):
            name = f"{path.parent.name}/{path.name}"
            found.setdefault(name, {}).update(
                dict.fromkeys(map(json_line, records.read(path)))
            )
    for name, lines in found.items():
        path = into / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        put(path, "".join(lines).encode())
