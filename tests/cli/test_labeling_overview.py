"""The lead's view of a folder that people label, its figures counted again."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean

import pytest
from verifytui.engines.relevance.labeling_overview import overview
from verifytui.engines.relevance.queue import Queue, queue_of
from verifytui.sessions.events.labels import Assignment, Label
from verifytui.sessions.label_store import LabelStore
from verifytui.sessions.label_team import Team, write_team
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.case_pairs import pairs_in
from verifytui.tests.support.commanding import command, refused
from verifytui.tests.support.pairs import folder_of
from verifytui.tests.support.study_folders import run_of

COUNT = 26


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    """Anna labels all but the last pair; Bert the same, one level higher on some."""
    folder = folder_of(tmp_path / "run", COUNT)
    for name, shift in (("Anna", 0), ("Bert", 1)):
        with LabelFile.open(folder, name) as file:
            for number, pair in enumerate(pairs_in(folder)[:-1]):
                value = (number + (shift if number % 3 == 0 else 0)) % 4
                note = "which\x1b[31m law?" if (name, number) == ("Bert", 3) else ""
                file.append(
                    pair.label(Label(value=value, seconds=10.0 + number, note=note))
                )
            file.append(pairs_in(folder)[-1].label(Label(value=None)))
    return folder


def moved(folder: Path, name: str, day: str, after: int) -> None:
    """Dates the labels of a person behind the first `after` to another day."""
    file = folder / "labels" / f"{name}.yaml"
    parts = file.read_text().split("---\n")
    for at in range(after + 1, len(parts)):
        lines = parts[at].split("\n")
        lines = [
            f"time: {day}T10:00:{at % 60:02}.000Z" if line.startswith("time:") else line
            for line in lines
        ]
        parts[at] = "\n".join(lines)
    file.write_text("---\n".join(parts))


def test_people_weeks_and_notes_are_counted(folder: Path) -> None:
    for name in ("Anna", "Bert"):
        moved(folder, name, "2026-11-18", 0)
        moved(folder, name, "2026-11-25", 12)
    store = LabelStore.of_pairs(folder)
    found = overview(store, datetime(2026, 11, 27, tzinfo=UTC), resamples=0)
    anna, bert = found.people
    assert (anna.progress.done, anna.progress.undecided) == (25, 1)
    assert anna.seconds == 22.0
    assert anna.last_week == 13
    assert anna.last.startswith("2026-11-25")
    assert [(one.week, one.pairs) for one in found.weeks] == [
        ("2026-11-16", 12),
        ("2026-11-23", 13),
    ]
    shifts = [
        (number + 1) % 4 - number % 4 if number % 3 == 0 else 0 for number in range(25)
    ]
    assert bert.above_first == pytest.approx(mean(shifts[:12]))
    assert bert.above_second == pytest.approx(mean(shifts[12:]))
    assert anna.above_first == pytest.approx(-mean(shifts[:12]))
    assert (found.unlabeled, found.unassigned) == (1, [])
    assert found.open_disputes == sum(map(bool, shifts)) + 1
    assert [(one.annotator, one.pair.candidate) for one in found.notes] == [
        ("Bert", "c4")
    ]


def test_alpha_of_a_week_is_that_of_agreement(folder: Path) -> None:
    told = json.loads(command("label", folder, "--overview", "--output", "json").stdout)
    (week,) = told["weeks"]
    whole = json.loads(command("agreement", folder, "--output", "json").stdout)
    assert week["pairs"] == whole["alpha"]["pairs"] == 25
    assert week["alpha"]["value"] == whole["alpha"]["levels"]["value"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_overview_is_printed(folder: Path, lang: str) -> None:
    done = command("label", folder, "--overview", "--lang", lang)
    assert done.returncode == 0, done.stderr
    assert "Bert" in done.stdout
    assert "\x1b" not in done.stdout
    assert "law?" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_pairs_of_nobody_are_listed(home: Path, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", COUNT)
    for part, name in enumerate(("Anna", "Bert"), 1):
        with LabelFile.open(folder, name) as file:
            file.append(Assignment(part=part, of=3, hashed=True))
    now = datetime(2026, 11, 27, tzinfo=UTC)
    store = LabelStore.of_pairs(folder)
    third = Queue(store.pairs, "Cleo", Assignment(part=3, of=3, hashed=True)).pairs
    free = overview(store, now, resamples=0).unassigned
    assert {one.key for one in free} == {one.key for one in third} != set()
    shown = command("label", folder, "--overview").stdout
    assert f"Assigned to nobody: {len(third)} (q1 " in shown
    write_team(folder, Team(people={"Anna": 1, "Bert": 1, "Cleo": 1}))
    found = overview(LabelStore.of_pairs(folder), now, resamples=0)
    assert found.unassigned == []
    cleo = found.people[2]
    assert (cleo.seconds, cleo.last, cleo.above_first) == (None, "", None)


def test_training_and_checks_are_everybodys_and_counted(
    home: Path, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path / "run", COUNT)
    training, checks = tmp_path / "training.qrels", tmp_path / "checks.qrels"
    training.write_text("q1 0 c1 1\nq1 0 c2 2\n")
    checks.write_text("q1 0 c3 3\nq1 0 c4 0\n")
    team = ("label", folder, "--team", "Anna,Bert")
    made = command(
        *team, "--training", training, "--checks", checks, "--output", "json"
    )
    assert made.returncode == 0, made.stderr
    told = json.loads(made.stdout)
    assert told["common"] == 4
    assert sum(told["people"].values()) == COUNT + 4
    store = LabelStore.of_pairs(folder)
    for name in ("Anna", "Bert"):
        queue = [pair.candidate for pair in queue_of(store.pairs, name, store).pairs]
        assert set(queue[:2]) == {"c1", "c2"}
        assert {"c3", "c4"} < set(queue[2:])
    with LabelFile.open(folder, "Anna") as file:
        for pair, value in zip(store.pairs[:4], (1, 0, 3, 0), strict=True):
            file.append(pair.label(Label(value=value)))
    done = command("label", folder, "--overview", "--output", "json")
    anna = json.loads(done.stdout)["people"][0]
    assert anna["training"] == {"right": 1, "given": 2}
    assert anna["checks"] == {"right": 2, "given": 2}
    checks.write_text("q1 0 c99 3\n")
    refused(command("label", folder, "--checks", checks), "not here (1)")


def test_notes_are_listed_and_replied_to(folder: Path) -> None:
    listed = command("labels", "notes", folder).stdout
    assert listed.count("Bert, q1 c4: which") == 1
    assert "\x1b" not in listed
    reply = ("labels", "reply", folder, "Bert", "q1", "c4")
    refused(command(*reply, " ", "--by", "Wu"), "reply is empty")
    refused(command(*reply, "this", "--by", "gold"), "reserved")
    refused(
        command("labels", "reply", folder, "Anna", "q1", "c4", "x", "--by", "Wu"),
        "no such note",
    )
    assert command(*reply, "The Theft Act.", "--by", "Wu").returncode == 0
    (told,) = map(
        json.loads,
        command("labels", "notes", folder, "--output", "json").stdout.splitlines(),
    )
    assert (told["annotator"], told["reply"]) == ("Bert", "The Theft Act.")
    assert "→ The Theft Act." in command("label", folder, "--overview").stdout
    assert "gold" not in command("label", folder, "--progress").stdout


def test_answers_have_no_overview(home: Path, tmp_path: Path) -> None:
    folder = run_of(tmp_path / "out", {"q0": "42", "q1": "7"})
    refused(command("label", folder, "--overview"), "works with pairs of cases")
