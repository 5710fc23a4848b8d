"""Labels belong to pairs of texts: they count beside a new run of the same pairs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from verifytui.engines.relevance.adjudication import decide, disputes
from verifytui.sessions.case_pairs import pair_digest
from verifytui.sessions.events.labels import Label
from verifytui.sessions.label_store import read_labels
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.case_pairs import pairs_in
from verifytui.tests.support.commanding import command
from verifytui.tests.support.pairs import QUERY, folder_of, text_of

COUNT = 12


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A folder that two people have labelled."""
    folder = folder_of(tmp_path / "first", COUNT)
    for name, shift in (("Anna", 0), ("Bert", 1)):
        with LabelFile.open(folder, name) as file:
            for number, pair in enumerate(pairs_in(folder)):
                file.append(pair.label(Label(value=(number + shift) % 4)))
    return folder


@pytest.fixture
def second(first: Path, tmp_path: Path) -> Path:
    """Another run of the same pairs, with the labels of the first beside it."""
    folder = folder_of(tmp_path / "second", COUNT)
    shutil.copytree(first / "labels", folder / "labels")
    return folder


def done(folder: Path) -> tuple[dict[str, int], str]:
    """How many labels each person has, and what else was said."""
    told = command("label", folder, "--progress", "--output", "json")
    assert told.returncode == 0, told.stderr
    rows = map(json.loads, told.stdout.splitlines())
    return {one["annotator"]: one["done"] for one in rows}, told.stderr


def test_the_digest_is_of_both_texts(first: Path) -> None:
    event = read_labels(first)["Anna"][pairs_in(first)[0].key]
    assert event.pair == pair_digest(QUERY, text_of(1) + "\n")
    assert event.pair != pair_digest(text_of(1), QUERY)


def test_labels_count_beside_a_new_run(first: Path, second: Path) -> None:
    assert done(second) == ({"Anna": COUNT, "Bert": COUNT}, "")
    for words in (
        ("agreement", "--output", "json"),
        ("export", "--to", "qrels", "--rater", "Anna"),
        ("calibrate", "--rater", "Anna", "--output", "json"),
    ):
        one, other = (command(words[0], at, *words[1:]) for at in (first, second))
        assert one.returncode == other.returncode == 0, other.stderr
        same = one.stdout.replace(str(first), str(second))
        assert other.stdout == same


def test_labels_without_a_digest_count_by_session_alone(
    first: Path, second: Path
) -> None:
    for folder in (first, second):
        for file in (folder / "labels").iterdir():
            lines = file.read_text("utf-8").splitlines(keepends=True)
            file.write_text(
                "".join(one for one in lines if not one.startswith("pair: "))
            )
    assert done(first) == ({"Anna": COUNT, "Bert": COUNT}, "")
    counts, told = done(second)
    assert counts == {"Anna": 0, "Bert": 0}
    assert f"{2 * COUNT} labels match no pair here: Anna {COUNT}, Bert {COUNT}" in told


def test_labels_given_after_seeing_the_machine_are_compared_apart(first: Path) -> None:
    pairs = pairs_in(first)
    with LabelFile.open(first, "Cleo") as file:
        for number, pair in enumerate(pairs, 1):
            seen = number > 5
            value = number % 4 if seen else 0
            file.append(pair.label(Label(value=value, seen_machine=seen)))
    asked = ("agreement", first, "--output", "json", "--raters")
    told = json.loads(command(*asked, "machine,Cleo").stdout)
    found = {tuple(one["raters"]): one for one in told["comparisons"]}
    blind = found["Cleo, blind labels only", "machine"]
    after = found["Cleo, labels after seeing the machine", "machine"]
    assert (blind["pairs"], after["pairs"]) == (5, COUNT - 5)
    raw = [one["raw_agreement"]["levels"] for one in (blind, after)]
    assert raw == [0.2, 1.0]
    told = json.loads(command(*asked, "machine,Anna").stdout)
    assert len(told["comparisons"]) == 1


def test_what_does_not_count_is_said(first: Path) -> None:
    with LabelFile.open(first, "gold", adjudicator=True) as file:
        dispute = disputes(pairs_in(first), read_labels(first))[0]
        decide(file, dispute, 2, by="Wu")
    dispute.pair.path.unlink()
    anna = first / "labels" / "Anna.yaml"
    anna.write_bytes(b"")
    (first / "labels" / "Bert.yaml").unlink()
    told = done(first)[1]
    assert "1 label matches no pair here: gold 1." in told
    assert f"{anna} is empty." in told
    for name in ("Anna", "Bert"):
        assert f"{name} took part in a decision, but" in told


def test_one_damaged_file_stops_nobody_else(first: Path) -> None:
    anna = first / "labels" / "Anna.yaml"
    anna.write_text(anna.read_text().replace("value: 3", "value: three"))
    counts, told = done(first)
    assert counts == {"Anna": 3, "Bert": COUNT}
    assert f"Event 4 of {anna}" in told
    with LabelFile.open(first, "Cleo") as file:
        for pair in pairs_in(first):
            file.append(pair.label(Label(value=1)))
    for words in (
        ("agreement", first, "--output", "json"),
        ("export", first, "--to", "qrels", "--majority"),
        ("adjudicate", first, "--output", "json"),
    ):
        refusal = command(*words)
        assert refusal.returncode == 2
        assert f"Event 4 of {anna}" in refusal.stderr
        assert "labels of Anna" in refusal.stderr
        without = command(*words, "--without", "Anna")
        assert without.returncode == 0, without.stderr
        assert "Anna" not in without.stdout


def test_two_files_of_one_person_are_named(first: Path) -> None:
    anna = first / "labels" / "Anna.yaml"
    copy = anna.with_name("Anna (conflicted copy).yaml")
    copy.write_text(anna.read_text().replace("value: 3", "value: 0", 1))
    for words in (("agreement",), ("export", "--to", "csv"), ("adjudicate",)):
        refusal = command(words[0], first, *words[1:])
        assert refusal.returncode == 2
        assert f"{copy} and {anna}" in refusal.stderr
        assert "They differ on: q1 c4." in refusal.stderr
    refusal = command("label", first, "--annotator", "Anna")
    assert refusal.returncode == 2
    assert f"{copy} and {anna}" in refusal.stderr
    assert f"{copy} and {anna}" in done(first)[1]
