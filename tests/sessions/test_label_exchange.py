"""Labels go to Label Studio, INCEpTION and Argilla, and come back as they were."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from verifytui.sessions.events import plain
from verifytui.sessions.events.labels import Bits, Evidence, Label, Reasons
from verifytui.sessions.label_exchange import labeled_pairs
from verifytui.sessions.label_store import read_labels
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.case_pairs import pairs_in
from verifytui.tests.support.commanding import command, refused
from verifytui.tests.support.pairs import folder_of

TOOLS = ("label-studio", "inception", "argilla")
COUNT = 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two people's labels: one has said everything that a label can hold."""
    made = folder_of(tmp_path / "run", COUNT)
    first, second, third = labeled_pairs(made)
    fact = Evidence(
        case=first.pair.candidate,
        kind="legal",
        text=first.candidate[2:6],
        start=2,
        end=6,
    )
    with LabelFile.open(made, "李雷") as file:
        full = Label(
            value=1,
            bits=Bits(material=True, legal=False),
            reasons=Reasons(material="same 😀 deed"),
            facts=[fact],
            note="which one?\n[b]",
            seconds=4.5,
            seen_machine=True,
        )
        file.append(first.pair.label(full))
        file.append(second.pair.label(Label(value=None, note="unsure")))
    with LabelFile.open(made, "Anna") as file:
        file.append(third.pair.label(Label(value=0)))
    return made


def everything(folder: Path) -> dict[str, list[dict[str, object]]]:
    return {
        name: sorted(({**plain(one), "number": 0} for one in of.values()), key=str)
        for name, of in read_labels(folder).items()
    }


@pytest.mark.parametrize("tool", TOOLS)
def test_a_round_trip_loses_nothing(folder: Path, tmp_path: Path, tool: str) -> None:
    out = tmp_path / "out.json"
    told = command("labels", "export", folder, out, "--to", tool)
    assert told.returncode == 0, told.stderr
    assert "3 labels of 3 pairs" in told.stdout + told.stderr
    refused(command("labels", "export", folder, out, "--to", tool), "out.json")
    before = everything(folder)
    shutil.rmtree(folder / "labels")
    for _ in range(2):  # the second time adds nothing
        told = command("labels", "import", folder, out, "--from", tool)
        assert told.returncode == 0, told.stderr
        assert everything(folder) == before


def own(folder: Path, tool: str) -> object:
    """A file as the tool writes it, by its documentation, without a word of ours."""
    one = labeled_pairs(folder)[0]
    if tool == "label-studio":  # 1.20, JSON; spans in code points
        result = [
            {
                "id": "Dx_aB91ISN",
                "from_name": "relevance",
                "to_name": "candidate",
                "type": "choices",
                "value": {"choices": ["2"]},
            },
            {
                "id": "Dx_aB91ISO",
                "from_name": "facts",
                "to_name": "candidate",
                "type": "labels",
                "value": {"start": 1, "end": 4, "text": "…", "labels": ["material"]},
            },
            {
                "id": "Dx_aB91ISP",
                "from_name": "remark",
                "to_name": "candidate",
                "type": "textarea",
                "value": {"text": ["ask"]},
            },
        ]
        annotation = {
            "id": 1001,
            "result": result,
            "was_cancelled": False,
            "ground_truth": False,
            "created_at": "2026-03-09T22:16:08.728353Z",
            "lead_time": 4.288,
            "completed_by": 10,
        }
        data = {"query": one.query, "candidate": one.candidate}
        other = {"query": "another", "candidate": "pair"}
        return [
            {"id": 1, "data": data, "annotations": [annotation], "predictions": []},
            {"id": 2, "data": other, "annotations": [annotation], "predictions": []},
        ]
    if tool == "argilla":  # 2.8, records.to_json
        user = "735cae92-d4b4-4d8b-9f4f-5e5f5a5f5b5c"
        return [
            {
                "id": "1",
                "fields": {"query": one.query, "candidate": one.candidate},
                "metadata": {},
                "suggestions": {},
                "responses": {
                    "level": [{"value": "2", "user_id": user}],
                    "note": [{"value": "ask", "user_id": user}],
                },
                "vectors": {},
                "_server_id": None,
            }
        ]
    begin = len(one.document) - len(one.candidate) + 1  # CAS JSON 0.4.0
    level = {"%ID": 3, "%TYPE": "webanno.custom.Relevance", "@sofa": 1, "begin": 0}
    fact = {"%ID": 4, "%TYPE": "webanno.custom.Fact", "@sofa": 1, "begin": begin}
    sofa = {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "mimeType": "text"}
    view = {"%SOFA": 1, "%INDEX": 2, "%MEMBERS": [3, 4]}
    return {
        "%TYPES": {},
        "%FEATURE_STRUCTURES": [
            {**sofa, "sofaID": "_InitialView", "sofaString": one.document},
            {**level, "end": len(one.document), "level": "2", "note": "ask"},
            {**fact, "end": begin + 3, "kind": "material"},
        ],
        "%VIEWS": {"_InitialView": view},
    }


@pytest.mark.parametrize("tool", TOOLS)
def test_a_file_of_the_tools_own(folder: Path, tmp_path: Path, tool: str) -> None:
    file = tmp_path / "Mei.json"
    file.write_text(json.dumps(own(folder, tool)))
    user = {"label-studio": "10", "argilla": "735cae92-d4b4-4d8b-9f4f-5e5f5a5f5b5c"}
    name = () if tool == "inception" else ("--name", f"{user[tool]}=Mei")
    told = command("labels", "import", folder, file, "--from", tool, *name)
    assert told.returncode == 0, told.stderr
    one = labeled_pairs(folder)[0]
    label = read_labels(folder)["Mei"][one.pair.key]
    assert (label.value, label.note) == (2, "ask")
    if tool == "label-studio":
        assert (label.time, label.seconds) == ("2026-03-09T22:16:08.728Z", 4.288)
        assert "1 labels in the file match no pair" in told.stdout + told.stderr
    if tool != "argilla":
        assert [fact.text for fact in label.facts] == [one.candidate[1:4]]


def test_what_the_tool_changed_counts(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command("labels", "export", folder, out, "--to", "label-studio")
    told = json.loads(out.read_text("utf-8"))
    told[0]["annotations"][0]["result"][0]["value"]["choices"] = ["3"]
    out.write_text(json.dumps(told))
    asked = ("labels", "import", folder, out, "--from", "label-studio")
    refused(command(*asked), "--newest")
    key = pairs_in(folder)[0].key
    assert read_labels(folder)["李雷"][key].value == 1
    assert command(*asked, "--newest").returncode == 0
    label = read_labels(folder)["李雷"][key]
    assert (label.value, label.bits) == (3, None)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '[{"a": 1}]',
        "[1]",
        "null",
        "\xff",
        "[" * 10**5,
        '{"%FEATURE_STRUCTURES": []}',
    ],
)
def test_another_file_is_refused(
    folder: Path, tmp_path: Path, tool: str, text: str
) -> None:
    file = tmp_path / "x.json"
    file.write_text(text, "latin-1")
    before = everything(folder)
    refused(command("labels", "import", folder, file, "--from", tool), "x.json")
    assert everything(folder) == before
