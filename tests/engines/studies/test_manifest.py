"""The manifest of a study says what its conditions were made with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
from verifytui.engines.figures.judge.answers import JudgedAnswer
from verifytui.engines.figures.runs import RunItem, read_run
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.studies.manifest import made_with, read_manifest, write_manifest
from verifytui.engines.studies.opening import reported
from verifytui.engines.studies.tables import tables
from verifytui.sessions.events import Failure, LimitWait, Vote
from verifytui.sessions.events.debate import Verdict
from verifytui.tests.support.study_folders import study_of


def held(case: RunItem, waited: float) -> RunItem:
    """The case, whose first call had to wait so long."""
    first, *rest = case.session.events
    waiting = msgspec.structs.replace(first, held=LimitWait(waited=waited, slowed=1))
    return replace(case, source=replace(case.session, events=[waiting, *rest]))


def test_how_limits_held_the_conditions_up_stands_in_the_report_of_the_study(
    home: Path, tmp_path: Path
) -> None:
    folder = study_of(
        tmp_path / "out", {2: {"a": "42", "b": "41"}, 3: {"a": "42", "b": "42"}}
    )
    names = {name: read_run(folder / name).cases for name in ("level=2", "level=3")}
    begun = {
        name: {id_: held(case, 1.5) for id_, case in cases.items()}
        for name, cases in names.items()
    }
    before = read_manifest(folder)
    assert not [
        note
        for table in tables(reported(folder, method, Config()))
        for note in table.notes
        if "limits of" in note
    ]
    # a panel that judged for a measure
    votes = [
        [
            {"model": name, "read": "json", "values": {"right": right}}
            for name, right in said.items()
        ]
        for said in ({"x": True, "y": True}, {"x": True, "y": False})
    ]
    lines = [
        {"id": f"d{n}", "seat": "jury", "item": "ab"[n], "model": "jury: x, y"}
        | {"about": "correctness", "votes": given, "text": "{}"}
        for n, given in enumerate(votes)
    ]
    said = [msgspec.convert(one, JudgedAnswer) for one in lines]
    judged = {"level=2": {"judge-correctness": said}}
    conditions = made_with(begun, before["conditions"], judged)
    [panel] = conditions[0]["panels"]
    assert (panel["role"], panel["events"]) == ("judge", 2)
    assert panel["alpha"]["right"]["of"] == 2
    assert "panels" not in conditions[1]
    assert conditions[0]["limits"] == {
        "gpt-4o": {"events": 2, "waited": 3.0, "slowed": 2}
    }
    write_manifest(folder, {**before, "conditions": conditions})
    notes = [
        note
        for table in tables(reported(folder, method, Config()))
        for note in table.notes
    ]
    assert (
        "limits of gpt-4o: 4 calls waited, 6.0 s in total; slowed down 4 times" in notes
    )


def test_how_many_were_tried_again_stands_in_the_report_of_the_study(
    home: Path, tmp_path: Path
) -> None:
    folder = study_of(
        tmp_path / "out", {2: {"a": "42", "b": "41"}, 3: {"a": "42", "b": "42"}}
    )
    begun = {
        name: dict(read_run(folder / name).cases) for name in ("level=2", "level=3")
    }
    case = begun["level=3"]["b"]
    events = [
        Failure(role="judge", kind=kind, message="no")
        for kind in ("server", "cancelled", "timeout")
    ]
    events += case.session.events
    begun["level=3"]["b"] = replace(case, source=replace(case.session, events=events))
    before = read_manifest(folder)
    conditions = made_with(begun, before["conditions"], {})
    assert "retried" not in conditions[0]
    assert conditions[1]["retried"] == {"lines": 1, "attempts": 2, "done": 1}
    write_manifest(folder, {**before, "conditions": conditions})
    report = reported(folder, method, Config())
    assert report.as_json()["conditions"] == conditions
    assert (
        "level=3: 1 sessions were retried after a failure, 2 times in total; 1 "
        "of them are done"
    ) in [note for table in tables(report) for note in table.notes]


def judged_by(case: RunItem, *sides: str) -> RunItem:
    """The case, with a verdict of a panel whose members chose these sides; "": one that
    could not be read.
    """
    votes = [
        Vote(model=f"m{n}", values={"supported_side": side}, read="json")
        if side
        else Vote(model=f"m{n}")
        for n, side in enumerate(sides)
    ]
    verdict = Verdict(
        role="judge",
        round=1,
        mode="discriminative",
        model="jury: m0, m1, m2",
        votes=votes,
    )
    return replace(
        case, source=replace(case.session, events=[verdict, *case.session.events])
    )


def test_how_far_the_members_of_panels_agree_stands_in_the_report_of_the_study(
    home: Path, tmp_path: Path
) -> None:
    folder = study_of(
        tmp_path / "out", {2: {"a": "42", "b": "41"}, 3: {"a": "42", "b": "42"}}
    )
    sides = {
        "a": ("affirmative", "affirmative", ""),
        "b": ("affirmative", "negative", "negative"),
    }
    begun = {
        "level=3": {
            id_: judged_by(case, *sides[id_])
            for id_, case in read_run(folder / "level=3").cases.items()
        }
    }
    before = read_manifest(folder)
    write_manifest(
        folder, {**before, "conditions": made_with(begun, before["conditions"], {})}
    )
    table = tables(reported(folder, method, Config()))[-1]
    assert [[row[0], row[2], row[3], row[5]] for row in table.rows] == [
        ["level=3", "alpha of side", "0.333", "2"],
        ["", "AC2 of side", "0.400", "2"],
        ["", "all agree", "50.0%", "2"],
    ]
    assert "1 could not be read" in table.notes[0]
