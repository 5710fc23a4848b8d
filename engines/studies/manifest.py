"""What a study was made with: `study.yaml` as it was read, `items.jsonl`, and
`manifest.json` with digests, models, versions and seeds.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from ...sessions.clean import json_line
from ...sessions.errors import bad_input, unread
from ...sessions.events import ReplyEvent
from ...sessions.files import STUDY_FILE, has_batch, read_text, sha256, write_whole
from ...sessions.new import timestamp
from ...texts import t
from ..batches.part import check_part
from ..batches.report import attempts, retried
from ..figures.judge.answers import JudgedAnswer
from ..figures.measure import Item
from ..figures.provenance import provenance
from ..figures.runs import RunItem
from ..metrics.bootstrap import RESAMPLES, SEED
from ..reports.panels import agreed, voted
from ..reports.rate_limits import held_up, limits
from .analysis import CHANGES, PLAN, frozen
from .conditions import RUN, PlayedCondition, RecordedCondition
from .measuring import JudgedMeasures
from .plan import StudyPlan

STUDY, ITEMS, FILE = STUDY_FILE, "items.jsonl", "manifest.json"
FORMAT = "verifytui-study-run/1"
JUDGED = re.compile(
    r"method|prompts|corpus$|(model|endpoint|fingerprint)\."
    r"|setting\.(embed|rerank|search)$"
)
"""Facts that certificates and warnings go by."""
ORDER = ("done", "enough", "failed", "budget", "stopped", "interrupted", "running")
"""States of a run, best first."""


def is_study(folder: Path) -> bool:
    """Whether a study was started in this folder."""
    return (folder / FILE).is_file() and (folder / STUDY).is_file()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a study's folder. Raises: BadInput where there is none."""
    path = folder / FILE
    try:
        made = json.loads(path.read_text("utf-8"))
        if (
            isinstance(made, dict)
            and made.get("format") == FORMAT
            and isinstance(made.get("conditions"), list)
        ):
            return made
    except FileNotFoundError:
        raise bad_input("wrong.study.no_folder", path=folder) from None
    except OSError as error:
        raise unread(path, error) from None
    except ValueError:
        pass
    raise bad_input("wrong.study.manifest", path=path)


def read_frozen_items(folder: Path) -> list[Item]:
    """The items as the study was begun with them. Raises: BadInput."""
    path = folder / ITEMS
    try:
        rows = [
            msgspec.json.decode(line)
            for line in read_text(path).split("\n")
            if line.strip()
        ]
        return [
            Item(
                str(row["id"]),
                str(row["cluster"]),
                str(row["digest"]),
                dict(row["fields"]),
            )
            for row in rows
        ]
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError):
        raise bad_input("wrong.study.frozen_items", path=path) from None


def freeze(
    folder: Path,
    plan: StudyPlan,
    options: Mapping[str, object],
    shard: Mapping[str, object] | None = None,
) -> None:
    """Writes down what the study is.

    `shard`: which part of a larger one, as `StudyPart.kept` says. Raises: BadInput as
    for `check`.
    """
    before = read_manifest(folder) if is_study(folder) else None
    check(folder, plan, options, shard)
    analysis = frozen(folder, before, plan)
    write_whole(folder / STUDY, plan.study.text)
    write_items(folder, plan)
    part = {} if shard is None else {"shard": dict(shard)}
    write_manifest(
        folder,
        {
            "format": FORMAT,
            "begun": timestamp() if before is None else before["begun"],
            **_described(plan),
            **analysis,
            "options": dict(options),
            **part,
            "status": "running",
        },
    )


def as_begun(plan: StudyPlan, folder: Path) -> StudyPlan:
    """The plan as this folder was begun. Raises: BadInput.

    Earlier versions did not number the sessions of repeats.
    """
    if not is_study(folder):
        return plan
    return replace(plan, numbered=bool(read_manifest(folder).get("numbered")))


def write_items(folder: Path, plan: StudyPlan) -> None:
    """Writes down the items as the study was begun with them.

    Raises: BadInput, WriteError.
    """
    rows = (
        {
            "id": item.id,
            "cluster": item.cluster,
            "digest": item.digest,
            "fields": dict(item.fields),
        }
        for item in plan.items
    )
    write_whole(folder / ITEMS, "".join(map(json_line, rows)))


def whole_of(shards: Sequence[Mapping[str, Any]], plan: StudyPlan) -> dict[str, Any]:
    """The manifest of a study from those of all its shards. `plan`: the whole."""
    first = {
        name: value
        for name, value in shards[0].items()
        if name not in ("shard", "changes")
    }
    statuses = [str(shard.get("status")) for shard in shards]
    worst = max(
        statuses,
        key=lambda status: ORDER.index(status) if status in ORDER else len(ORDER),
    )
    return {
        **first,
        "begun": min(shard["begun"] for shard in shards),
        "items": {**first["items"], **_counted(plan)},
        **_analysis(shards),
        "status": worst,
    }


def _analysis(shards: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The plan of the shard that began first, and the changes of all."""
    known = [shard for shard in shards if PLAN in shard]
    if not known:
        return {}
    changes = [change for one in known for change in one.get(CHANGES, ())]
    return {
        PLAN: min((one[PLAN] for one in known), key=lambda plan: str(plan["time"])),
        CHANGES: sorted(changes, key=lambda change: str(change["time"])),
    }


def write_manifest(folder: Path, manifest: Mapping[str, object]) -> None:
    write_whole(
        folder / FILE, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
    )


def check(
    folder: Path,
    plan: StudyPlan,
    options: Mapping[str, Any],
    shard: Mapping[str, Any] | None = None,
) -> None:
    """Raises: BadInput where another study was begun in this folder, or one with other
    items or conditions, or another shard.
    """
    if not is_study(folder):
        if has_batch(folder):
            raise bad_input("wrong.study.batch_there", path=folder)
        return
    before = read_manifest(folder)
    if before.get("name") != plan.study.name:
        raise bad_input("wrong.study.other", path=folder, name=before.get("name"))
    check_part(folder / FILE, before.get("shard"), shard)
    _check_options(
        folder,
        {**before.get("options", {}), "repeats": before.get("repeats")},
        {**options, "repeats": plan.study.repeats},
    )
    names = {condition.name for condition in plan.conditions}
    gone = [one["name"] for one in before["conditions"] if one["name"] not in names]
    if gone:
        raise bad_input("wrong.study.gone", path=folder, name=gone[0])
    digests = {item.id: item.digest for item in plan.items}
    for item in read_frozen_items(folder):
        if item.id not in digests:
            raise bad_input("wrong.study.item_gone", path=folder, id=item.id)
        if digests[item.id] != item.digest:
            raise bad_input("wrong.study.other_item", path=folder, id=item.id)


def _check_options(
    folder: Path, then: Mapping[str, object], now: Mapping[str, object]
) -> None:
    """Raises: BadInput, which names what is said otherwise, with both values."""
    names = [name for name in ("repeats", "model") if then.get(name) != now.get(name)]
    if names:
        comma = t("wrong.preflight.comma")
        both = [
            comma.join(_option_text(name, one) for name in names) for one in (then, now)
        ]
        raise bad_input(
            "wrong.batch.other_options", path=folder, then=both[0], now=both[1]
        )


def _option_text(name: str, given: Mapping[str, object]) -> str:
    flag = f"--{name}" if name == "model" else name
    value = given.get(name)
    if not value:
        return t("wrong.batch.no_option", flag=flag)
    values = value if isinstance(value, list) else [value]
    return " ".join(f"{flag} {value}" for value in values)


def _described(plan: StudyPlan) -> dict[str, object]:
    study = plan.study
    return {
        "name": study.name,
        "title": study.title,
        "study": _digest(study.text.encode("utf-8", "surrogatepass")),
        "items": {
            "adapter": study.items.adapter,
            "files": [_file(study.folder, name) for name in study.items.files],
            **_counted(plan),
        },
        "repeats": study.repeats,
        "numbered": plan.numbered,
        "measures": plan.measures,
        "compared_with": plan.reference.name,
        "conditions": [
            {
                "name": condition.name,
                "folder": condition.folder,
                "method": condition.made_by,
                "lines": condition.lines_are
                if isinstance(condition, PlayedCondition)
                else RUN,
                "cell": dict(condition.cell),
                "options": dict(condition.given),
                "dropped": list(condition.dropped),
                **(
                    {"run": _file(study.folder, condition.run)}
                    if isinstance(condition, RecordedCondition)
                    else {}
                ),
            }
            for condition in plan.conditions
        ],
        "seeds": {"take": study.items.seed, "bootstrap": SEED, "resamples": RESAMPLES},
    }


def _counted(plan: StudyPlan) -> dict[str, object]:
    told = "".join(f"{item.id} {item.cluster} {item.digest}\n" for item in plan.items)
    clusters = len({item.cluster for item in plan.items})
    return {
        "n": len(plan.items),
        "clusters": clusters,
        "digest": _digest(told.encode("utf-8", "surrogatepass")),
    }


def made_with(
    begun: Mapping[str, Mapping[str, RunItem]],
    conditions: Sequence[dict[str, Any]],
    judged: JudgedMeasures,
) -> list[dict[str, Any]]:
    """The conditions with what their sessions say of themselves: prompts,
    demonstrations, models as they answered, versions, how the limits of models held
    them up, how many were tried again, and how far the members of panels agreed, those
    that judged for measures too.
    """
    return [
        {**condition, **_made_with(cases, judged.get(condition["name"], {}))}
        for condition in conditions
        for cases in [list(begun.get(condition["name"], {}).values())]
    ]


def _made_with(
    cases: Sequence[RunItem], judged: Mapping[str, Sequence[JudgedAnswer]]
) -> dict[str, object]:
    prompts: dict[str, None] = {}
    shown: dict[str, None] = {}
    versions: dict[str, dict[str, None]] = {}
    models: dict[str, dict[str, None]] = {}
    for case in cases:
        header = case.session.header
        if not header.lineup:
            continue
        prompts[f"{header.prompts.set} {header.prompts.hash}"] = None
        if header.settings.get("demonstrations"):
            shown[
                json.dumps(
                    header.settings["demonstrations"], sort_keys=True, default=str
                )
            ] = None
        for name, version in header.versions.items():
            versions.setdefault(name, {})[str(version)] = None
        for event in case.session.events:
            if isinstance(event, ReplyEvent) and event.model:
                models.setdefault(event.role, {})[event.model] = None
    facts = provenance(case.facts for case in cases).facts
    votes = [
        (case.item.cluster, vote)
        for case in cases
        for vote in voted(case.session.events)
    ]
    clusters = {case.item.id: case.item.cluster for case in cases}
    votes += [
        (clusters.get(one.item, one.item), vote)
        for said in judged.values()
        for one in said
        for vote in voted([one.event])
    ]
    judges = {
        name: {"models": _each(one.model for one in said)}
        | {"prompts": _each(one.prompts for one in said)}
        for name, said in judged.items()
        if said
    }
    return {
        "sessions": {
            status: sum(case.status == status for case in cases)
            for status in ("done", "failed")
        },
        "prompts": list(prompts),
        **({"demonstrations": list(shown)} if shown else {}),
        "models": {role: list(model) for role, model in models.items()},
        "made_with": {name: facts[name] for name in facts if JUDGED.match(name)},
        "versions": {name: list(version) for name, version in versions.items()},
        **_nonempty("limits", limits(held_up(case.session.events) for case in cases)),
        **_nonempty(
            "retried",
            retried((attempts(case.session.events), case.status) for case in cases),
        ),
        **_nonempty("panels", agreed(votes)),
        **_nonempty("judges", judges),
    }


def _each(names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name]


def _nonempty(name: str, value: object) -> dict[str, object]:
    if value:
        return {name: msgspec.to_builtins(value)}
    return {}


def _file(folder: Path, name: str) -> dict[str, Any]:
    path = folder / Path(name).expanduser()
    if not path.is_file():
        return {"file": name}
    return {
        "file": name,
        "bytes": path.stat().st_size,
        "digest": f"sha256:{sha256(path)}",
    }


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
