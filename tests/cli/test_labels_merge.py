"""Several files of labels of one person are merged into one, and nothing is lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from verifytui.sessions.events.labels import Assignment, Label
from verifytui.sessions.label_store import read_labels
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.case_pairs import pairs_in
from verifytui.tests.support.commanding import command, refused
from verifytui.tests.support.pairs import folder_of

COUNT = 6


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    """A folder in which Anna has two files that differ on the fourth pair, and each of
    which has a pair that the other lacks.
    """
    folder = folder_of(tmp_path / "run", COUNT)
    pairs = pairs_in(folder)
    with LabelFile.open(folder, "Anna") as file:
        file.append(Assignment(part=1, of=2, hashed=True))
        for number, pair in enumerate(pairs[:4]):
            file.append(pair.label(Label(value=number)))
        anna = file.path
    copy = anna.with_name("Anna (conflicted copy).yaml")
    shutil.copy(anna, copy)
    with LabelFile.open(folder, "Anna") as file:
        file.append(pairs[4].label(Label(value=1)))
    anna.rename(anna.with_suffix(".aside"))
    copy.rename(anna)
    with LabelFile.open(folder, "Anna") as file:
        file.append(pairs[3].label(Label(value=0, note="again")))
        file.append(pairs[5].label(Label(value=2)))
    anna.rename(copy)
    anna.with_suffix(".aside").rename(anna)
    return folder


def levels(folder: Path) -> list[int | None]:
    labels = read_labels(folder)["Anna"]
    return [labels[pair.key].value for pair in pairs_in(folder)]


def test_where_files_differ_nothing_is_written_until_it_is_said(folder: Path) -> None:
    before = {path: path.read_bytes() for path in (folder / "labels").iterdir()}
    refused(
        command("labels", "merge", folder),
        "--newest",
        "q1 c4 (0 in Anna (conflicted copy).yaml, 3 in Anna.yaml)",
    )
    refused(command("labels", "merge", folder, "--prefer", folder / "p01.yaml"), "p01")
    both = ("--newest", "--prefer", folder / "labels" / "Anna.yaml")
    refused(command("labels", "merge", folder, *both), "cannot be used together")
    assert before == {path: path.read_bytes() for path in (folder / "labels").iterdir()}


@pytest.mark.parametrize(("choice", "fourth"), [("--newest", 0), ("--prefer", 3)])
def test_a_merge_keeps_every_label_and_the_files_as_they_were(
    folder: Path, choice: str, fourth: int
) -> None:
    place = folder / "labels"
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    options = [choice] if choice == "--newest" else [choice, place / "Anna.yaml"]
    refused(command("agreement", folder), f"verifytui labels merge {folder}")
    done = command("labels", "merge", folder, *options, "--output", "json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["labels"], told["differed"]) == (COUNT, 1)
    assert levels(folder) == [0, 1, 2, fourth, 1, 2]
    assert {path.name for path in place.iterdir()} == {
        "Anna.yaml",
        *(f"{name}.before-merge" for name in before),
    }
    for name, data in before.items():
        assert (place / f"{name}.before-merge").read_bytes() == data
    assert "note: again" in (place / "Anna.yaml").read_text()
    with LabelFile.open(folder, "Anna") as file:
        assert file.assignment is not None
        assert file.assignment.of == 2
        file.append(pairs_in(folder)[0].label(Label(value=3)))
    assert levels(folder)[0] == 3
    assert "has one file of labels" in command("labels", "merge", folder).stderr


def test_labels_from_another_machine_are_merged_and_stay_there(
    folder: Path, tmp_path: Path
) -> None:
    copy = folder / "labels" / "Anna (conflicted copy).yaml"
    laptop = tmp_path / "laptop.yaml"
    copy.rename(laptop)
    data = laptop.read_bytes()
    refused(command("labels", "merge", folder, laptop), "3 in Anna.yaml")
    done = command("labels", "merge", folder, laptop, "--newest")
    assert done.returncode == 0, done.stderr
    assert levels(folder) == [0, 1, 2, 0, 1, 2]
    assert laptop.read_bytes() == data
    other = folder_of(tmp_path / "other", COUNT)
    assert command("labels", "merge", other, laptop).returncode == 0
    there = read_labels(other)["Anna"]
    assert sorted(one.value or 0 for one in there.values()) == [0, 0, 1, 2, 2]


def test_a_damaged_file_of_somebody_else_stops_no_merge(folder: Path) -> None:
    with LabelFile.open(folder, "Bert") as file:
        file.append(pairs_in(folder)[0].label(Label(value=1)))
    bert = file.path
    bert.write_text(bert.read_text().replace("value: 1", "value: one"))
    assert command("labels", "merge", folder, "--newest").returncode == 0
    anna = folder / "labels" / "Anna.yaml"
    copy = anna.with_name("copy.yaml")
    copy.write_text(anna.read_text().replace("value: 2", "value: two"))
    refused(command("labels", "merge", folder, "--newest"), "labels of Anna")


def test_a_file_that_is_open_is_not_merged(folder: Path) -> None:
    copy = folder / "labels" / "Anna (conflicted copy).yaml"
    copy.rename(folder / "copy")
    with LabelFile.open(folder, "Anna"):
        (folder / "copy").rename(copy)
        done = command("labels", "merge", folder, "--newest")
        assert done.returncode == 2
    assert copy.exists()
    assert not list((folder / "labels").glob("*.before-merge"))
