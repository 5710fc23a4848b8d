"""The manifest of a study says what its conditions were made with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.studies.manifest import made_with, read_manifest, write_manifest
from verifytui.engines.studies.opening import reported
from verifytui.engines.studies.runs import Case, read_run
from verifytui.engines.studies.tables import tables
from verifytui.sessions.events import Held
from verifytui.tests.support.study_folders import study_of


def held(case: Case, waited: float) -> Case:
    """The case, whose first call had to wait so long."""
    first, *rest = case.session.events
    waiting = msgspec.structs.replace(first, held=Held(waited=waited, slowed=1))
    return replace(case, session=replace(case.session, events=[waiting, *rest]))


def test_how_limits_held_the_conditions_up_stands_in_the_report_of_the_study(home: Path, tmp_path: Path) -> None:
    folder = study_of(tmp_path / "out", {2: {"a": "42", "b": "41"}, 3: {"a": "42", "b": "42"}})
    names = {name: read_run(folder / name).cases for name in ("level=2", "level=3")}
    begun = {name: {id_: held(case, 1.5) for id_, case in cases.items()} for name, cases in names.items()}
    before = read_manifest(folder)
    assert not [note for table in tables(reported(folder, method, Config())) for note in table.notes if "limits of" in note]
    conditions = made_with(begun, before["conditions"])
    assert conditions[0]["limits"] == {"gpt-4o": {"events": 2, "waited": 3.0, "slowed": 2}}
    write_manifest(folder, {**before, "conditions": conditions})
    notes = [note for table in tables(reported(folder, method, Config())) for note in table.notes]
    assert "limits of gpt-4o: 4 calls waited, 6.0 s together; slowed down 4 times" in notes
