"""`label`, `adjudicate` and the export of what people said, without a terminal; samples
by level.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.sessions.events.labels import Evidence, Label, Reasons
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.commanding import command, refused
from verifytui.tests.support.pairs import (
    QUERY,
    folder_of,
    labelled,
    session_id,
    text_of,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    return folder_of(tmp_path / "pairs", 6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("", "--annotator NAME"),
        (
            "--annotator Gold",
            "“Gold” is reserved for the adjudicated levels or the machine",
        ),
        ("--annotator ann --assign 4/3", "from 1/3 to 3/3, not 4/3"),
        ("--annotator ann --assign 0/3", "from 1/3 to 3/3, not 0/3"),
        (
            "--annotator ann --overlap 20%",
            "everybody labels; use it with --assign",
        ),
        ("--annotator ann --assign 1/3 --overlap 20", "such as 20% or .2, not 20"),
        ("--annotator ann --sample 5", "such as 100/level, not 5"),
        ("--annotator ann --assign 1/3 --overlap 20%", "needs a terminal"),
    ],
)
def test_options_that_do_not_fit_are_told_in_a_sentence(
    folder: Path, options: str, words: str
) -> None:
    refused(command("label", folder, *options.split()), words)
    assert not (folder / "labels").exists()


def test_what_a_sample_rests_on_is_said(folder: Path) -> None:
    done = command("label", folder, "--annotator", "ann", "--sample", "2/level")
    assert (
        "Sample by the levels of the data: 0: 1, 1: 2, 2: 2, 3: 1 pairs; there are "
        "fewer than 2 of level 0, 3, so all are used" in done.stderr
    )


def test_a_batch_of_a_sample_has_so_many_pairs_of_every_level(
    home: Path, tmp_path: Path
) -> None:
    rows = [
        {"id": f"p{n}", "query": QUERY, "candidate": text_of(n), "label": n % 4}
        for n in range(10)
    ]
    rows.append({"id": "x", "query": QUERY, "candidate": text_of(99)})  # type: ignore[dict-item]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    batch = [
        "relevance",
        "--pairs",
        tmp_path / "pairs.jsonl",
        "--model",
        "lexical",
        "--sample",
        "2/level",
        "--seed",
        "3",
    ]
    done = command(*batch, "--into", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert "1 pairs without such a level are left out" in done.stderr
    made = sorted(path.stem for path in (tmp_path / "run").glob("*.yaml"))
    assert sorted(int(name[1:]) % 4 for name in made) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert command(*batch, "--into", tmp_path / "again").returncode == 0
    assert sorted(path.stem for path in (tmp_path / "again").glob("*.yaml")) == made
    refused(
        command("relevance", "--example", "--sample", "2/level"),
        "--sample applies to a batch",
    )


def test_reasons_and_evidence_are_exported_and_nothing_lists_the_folder_of_labels(
    folder: Path,
) -> None:
    with LabelFile.open(folder, "Anna") as file:
        facts = [
            Evidence(
                case="query", kind="material", text="took a ring", start=68, end=79
            )
        ]
        file.append(
            Label(
                session=session_id(folder, 1),
                candidate="c1",
                value=3,
                reasons=Reasons(legal="one motive"),
                facts=facts,
                note="clear",
            )
        )
    labelled(folder, "Bert", {1: 1})
    rows = [
        json.loads(line)
        for line in command(
            "export", folder, "--to", "jsonl", "--rater", "Anna"
        ).stdout.splitlines()
    ]
    assert len(rows) == 6
    first = next(row for row in rows if row["candidate"] == "c1")
    assert (first["label"], first["labels"]) == (3, {"Anna": 3, "Bert": 1})
    said = {one["annotator"]: one for one in first["said"]}
    assert said["Anna"]["reasons"] == {"material": "", "legal": "one motive"}
    assert said["Anna"]["facts"] == [
        {
            "case": "query",
            "kind": "material",
            "text": "took a ring",
            "start": 68,
            "end": 79,
        }
    ]
    assert said["Anna"]["note"] == "clear"
    assert [row["label"] for row in rows if row is not first] == [None] * 5
    assert len(command("sessions", "--folder", folder).stdout.splitlines()) == 6
    refused(
        command("agreement", folder / "labels" / "Anna.yaml"), "is a file of labels"
    )
    refused(
        command("export", folder / "p01.yaml", "--to", "md", "--majority"),
        "--majority does not apply to md",
    )
    refused(
        command("export", folder, "--to", "qrels", "--majority", "--gold"),
        "--majority",
        "--gold",
    )
    alone = command("export", folder / "p01.yaml", "--to", "qrels", "--rater", "Bert")
    assert alone.stdout == "q1 0 c1 1\n"


def test_what_people_differ_on_is_listed_and_nothing_is_written(folder: Path) -> None:
    labelled(folder, "Anna", {1: 3, 2: 2, 3: None})
    labelled(folder, "Bert", {1: 1, 2: 2, 3: 0, 4: 1})
    before = sorted(path.name for path in (folder / "labels").iterdir())
    listed = [
        json.loads(line)
        for line in command(
            "adjudicate", folder, "--output", "json"
        ).stdout.splitlines()
    ]
    assert [(one["candidate"], one["spread"], one["state"]) for one in listed] == [
        ("c1", 2, "open"),
        ("c3", 0, "open"),
    ]
    assert [one["value"] for one in listed[1]["labels"]] == [None, 0]
    unnamed = command("adjudicate", folder, "--anonymous", "--output", "json").stdout
    assert "Anna" not in unnamed
    assert {
        one["annotator"] for one in json.loads(unnamed.splitlines()[0])["labels"]
    } == {
        "A",
        "B",
    }
    assert sorted(path.name for path in (folder / "labels").iterdir()) == before
    refused(command("adjudicate", folder, "--by", "Wu"), "needs a terminal")
    assert "No labels differ" in command("adjudicate", folder / "p02.yaml").stderr


def test_names_are_told_apart_and_found_however_they_are_normalised(
    folder: Path,
) -> None:
    labelled(folder, "Ren\u00e9", {1: 1})
    assert (
        "Ren\u00e9 has. This starts a new set of labels"
        in command("label", folder, "--annotator", "ren\u00e9").stderr
    )
    assert (
        command("export", folder, "--to", "qrels", "--rater", "Rene\u0301").returncode
        == 0
    )
    refused(
        command("export", folder, "--to", "qrels", "--rater", "anna"),
        "choose one of machine, gold, Ren\u00e9",
    )
