"""Three annotators over three months, as docs/relevance.md tells it: the machine is run
again, twenty pairs are added, one person leaves, one file is damaged.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score
from verifytui.engines.relevance.queue import queue_of
from verifytui.sessions.annotators import GOLD
from verifytui.sessions.events.labels import Label
from verifytui.sessions.label_store import LabelStore
from verifytui.sessions.labels import LabelFile, Latest
from verifytui.tests.support.case_pairs import pairs_in
from verifytui.tests.support.commanding import command, refused
from verifytui.tests.support.pairs import folder_of, judged

pytestmark = pytest.mark.slow

PAIRS, MORE = 40, 20
PEOPLE = ("Anna", "Bert", "Cleo")


def level(name: str, candidate: str) -> int:
    """What a person says of a case: they differ on every seventh."""
    number = int(candidate[1:])
    return (number + (number % 7 == 0 and name == "Bert")) % 4


def label(folder: Path, name: str, most: int = 10**6) -> None:
    """A person's work of some days: their own next pairs."""
    store = LabelStore.of_pairs(folder, name)
    queue = queue_of(store.pairs, name, store)
    with LabelFile.open(folder, name) as file:
        for _ in range(most):
            labels = dict(file.own)
            pair = queue.next(labels)
            if pair is None:
                break
            file.append(pair.label(Label(value=level(name, pair.candidate))))


def progress(folder: Path) -> dict[str, tuple[int, int]]:
    told = command("label", folder, "--progress", "--output", "json")
    assert told.returncode == 0, told.stderr
    rows = map(json.loads, told.stdout.splitlines())
    return {one["annotator"]: (one["done"], one["assigned"]) for one in rows}


def common(folder: Path) -> set[str]:
    store = LabelStore.of_pairs(folder)
    shares = [
        {pair.candidate for pair in queue_of(store.pairs, name, store).pairs}
        for name in PEOPLE
    ]
    return set.intersection(*shares)


def figures_again(folder: Path, people: Mapping[str, Latest]) -> None:
    """Kappas by scikit-learn."""
    told = json.loads(command("agreement", folder, "--output", "json").stdout)
    compared = 0
    for one in told["comparisons"]:
        first, second = (people[name] for name in one["raters"])
        both = [(first[key].value, second[key].value) for key in first if key in second]
        assert one["pairs"] == len(both)
        if len(both) < told["least_pairs"]:
            continue
        compared += 1
        levels = [list(column) for column in zip(*both, strict=True)]
        bits = {
            "material": [[level % 2 for level in column] for column in levels],
            "legal": [[level // 2 for level in column] for column in levels],
        }
        for kind, weights, values in (
            ("levels", None, levels),
            ("levels_linear", "linear", levels),
            ("levels_quadratic", "quadratic", levels),
            ("material", None, bits["material"]),
            ("legal", None, bits["legal"]),
        ):
            again = cohen_kappa_score(*values, weights=weights)
            assert one["kappa"][kind]["value"] == pytest.approx(again, abs=1e-9)
    assert compared


def test_three_people_three_months(home: Path, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", PAIRS)
    made = command("label", folder, "--team", ",".join(PEOPLE), "--overlap", "30%")
    assert made.returncode == 0, made.stderr
    shared = common(folder)
    assert shared

    # First month: everybody labels what is theirs
    for name in PEOPLE:
        label(folder, name)
    assert all(done == of for done, of in progress(folder).values())

    # The machine is run again with another model
    again = folder_of(tmp_path / "again", PAIRS)
    shutil.copytree(folder / "labels", again / "labels")
    assert progress(again) == progress(folder)
    folder = again

    # Twenty pairs more: nobody's other pairs change
    before = progress(folder)
    for number in range(PAIRS + 1, PAIRS + MORE + 1):
        judged(folder / f"p{number:02}.yaml", number)
    after = progress(folder)
    for name in PEOPLE:
        assert after[name][0] == before[name][0]
        assert 0 <= after[name][1] - before[name][1] <= MORE
    label(folder, "Cleo", 3)
    cleos = progress(folder)["Cleo"][0]

    # Cleo leaves: what she labelled stays hers
    left = command("label", folder, "--team", "Anna,Bert")
    assert left.returncode == 0, left.stderr
    assert progress(folder)["Cleo"] == (cleos, cleos)
    label(folder, "Anna")
    label(folder, "Bert")
    told = json.loads(command("label", folder, "--overview", "--output", "json").stdout)
    assert (told["unlabeled"], told["unassigned"]) == (0, [])

    # One file is damaged, and mended from a copy
    anna = folder / "labels" / "Anna.yaml"
    whole = anna.read_bytes()
    anna.write_bytes(whole.replace(b"value: 2", b"value: two", 1))
    assert progress(folder)["Bert"][0] > 0
    refused(command("agreement", folder), "labels of Anna")
    alone = command("agreement", folder, "--without", "Anna", "--output", "json")
    assert alone.returncode == 0, alone.stderr
    anna.write_bytes(whole)

    # Agreement, and what is to be decided, counted again
    people = LabelStore.of_pairs(folder).people
    votes: dict[str, Counter[int | None]] = {}
    for name in people.keys() - {GOLD}:
        for one in people[name].values():
            votes.setdefault(one.candidate, Counter())[one.value] += 1
    assert len(votes) == PAIRS + MORE
    figures_again(folder, people)
    differ = {candidate for candidate, levels in votes.items() if len(levels) > 1}
    listed = command("adjudicate", folder, "--output", "json").stdout.splitlines()
    assert {json.loads(line)["candidate"] for line in listed} == differ != set()
    gold = command("export", folder, "--to", "qrels", "--gold")
    levels = {
        line.split()[2]: int(line.split()[3]) for line in gold.stdout.splitlines()
    }
    assert levels == {
        candidate: next(iter(counted))
        for candidate, counted in votes.items()
        if candidate not in differ
    }
    assert len(pairs_in(folder)) == PAIRS + MORE
