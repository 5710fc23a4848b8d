"""The analysis plan of a study is frozen at its start; what is changed later is said
first.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.method import method, recomputed_result
from verifytui.engines.models.config import Config
from verifytui.engines.studies.again import measure_again
from verifytui.engines.studies.analysis import frozen
from verifytui.engines.studies.forms import as_text
from verifytui.engines.studies.manifest import (
    freeze,
    read_manifest,
    whole_of,
    write_manifest,
)
from verifytui.engines.studies.opening import begun, reported
from verifytui.tests.support.study_folders import study_of

ANSWERS = {2: {"a": "42", "b": "41"}, 3: {"a": "42", "b": "42"}}


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    return study_of(tmp_path / "out", ANSWERS)


def edit(folder: Path, old: str, new: str) -> None:
    file = folder / "study.yaml"
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def changes(folder: Path) -> list[tuple[Any, ...]]:
    """The changes that the report shows, without their times."""
    listed = reported(folder, method, Config()).as_json()["analysis_changes"]
    assert all(one["time"] > "2026" for one in listed)
    return [
        tuple(one[name] for name in ("sessions", "what", "was", "is")) for one in listed
    ]


def test_the_plan_is_in_the_manifest_and_nothing_is_said_of_it(folder: Path) -> None:
    manifest = read_manifest(folder)
    plan = dict(manifest["analysis"])
    assert plan.pop("time") <= manifest["begun"]
    assert plan.pop("measures")[:2] == ["accuracy", "decided"]
    assert plan == {
        "against": "level=2",
        "margin": 0.02,
        "test": "default",
        "correction": "holm",
    }
    assert changes(folder) == []
    assert "analysis plan" not in as_text(reported(folder, method, Config()))


def test_a_report_under_another_margin_says_so_first(folder: Path) -> None:
    edit(folder, "{to: level=2}", "{to: level=2, margin: .2}")
    assert changes(folder) == [(4, "margin", 0.02, 0.2)]
    report = reported(folder, method, Config())
    assert report.differences["accuracy"]["level=3"].margin == 0.2
    title, _, *rest = as_text(report).split("\n")
    first = " ".join(rest)
    assert title == "Four levels"
    assert first.startswith("The analysis plan changed: margin from 0.02 to 0.2 on 20")
    assert "UTC, after 4 sessions." in first[:120]
    assert read_manifest(folder)["analysis_changes"] == [], "reading writes nothing"


async def test_measuring_again_keeps_a_change_also_when_it_is_taken_back(
    folder: Path,
) -> None:
    async def again() -> None:
        plan = begun(folder, method, Config())
        said: list[str] = []
        await measure_again(
            plan,
            folder,
            Config(),
            said.append,
            recomputed=recomputed_result,
            allow_different=True,
        )

    edit(folder, "measures: [accuracy, decided]", "measures: [decided]")
    edit(folder, "{to: level=2}", "{to: level=3, correct: none}")
    await again()
    edit(folder, "{to: level=3, correct: none}", "{to: level=2}")
    await again()
    await again()
    told = changes(folder)
    assert [one[1] for one in told] == [
        "measures", "against", "correction", "against", "correction",
    ]  # fmt: skip
    assert told[1][2:] == ("level=2", "level=3")
    assert told[3][2:] == ("level=3", "level=2")


def test_going_on_with_another_plan_keeps_the_first_one(folder: Path) -> None:
    before = read_manifest(folder)
    edit(folder, "{to: level=2}", "{to: level=2, test: permutation}")
    plan = begun(folder, method, Config())
    freeze(folder, plan, {})
    freeze(folder, plan, {})
    after = read_manifest(folder)
    assert after["analysis"] == before["analysis"]
    assert [one["what"] for one in after["analysis_changes"]] == ["test"]


def test_a_folder_of_an_older_version_takes_the_plan_from_its_file(
    folder: Path,
) -> None:
    manifest = read_manifest(folder)
    old = {name: one for name, one in manifest.items() if "analysis" not in name}
    write_manifest(folder, old)
    assert "analysis" not in reported(folder, method, Config()).as_json()
    plan = begun(folder, method, Config())
    assert frozen(folder, old, plan)["analysis_changes"] == []
    made = frozen(folder, old, plan)["analysis"]
    assert made == {**manifest["analysis"], "time": manifest["begun"]}


def test_a_merged_study_has_the_changes_of_all_shards(folder: Path) -> None:
    plan = begun(folder, method, Config())
    first = read_manifest(folder)
    second = json.loads(json.dumps(first))
    second["analysis"]["time"] = "2000"
    change = {"time": "2027", "sessions": 1, "what": "margin", "was": 0.1, "is": 0.2}
    second["analysis_changes"] = [change]
    whole = whole_of([first, second], plan)
    assert whole["analysis"]["time"] == "2000"
    assert whole["analysis_changes"] == [change]
