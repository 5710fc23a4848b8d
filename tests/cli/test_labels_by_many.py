"""Three people label one folder of LeCaRD's pairs at once, one decides; what comes out is counted again by other code."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score
from verifytui.engines.relevance.adjudication import decide, disputes
from verifytui.engines.relevance.queue import pairs_in
from verifytui.sessions.labels import LabelFile, read_labels
from verifytui.tests.support.commanding import command, refused

PAIRS = 60
PEOPLE = ["Anna", "Bert", "李四"]
LABELLER = """
import random, sys
from pathlib import Path
from verifytui.engines.relevance.queue import Queue, pairs_in
from verifytui.sessions.events.labels import Assignment, Label
from verifytui.sessions.labels import LabelFile

folder, name, part = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
mine = Assignment(part=part, of=3, overlap=0.8, seed=7)
with LabelFile.open(folder, name) as file:
    file.append(mine)
    print("ready", flush=True)
    sys.stdin.readline()
    queue = Queue(pairs_in(folder), name, mine)
    while (pair := queue.next(file.own)) is not None:
        chance = random.Random(pair.candidate)
        level = chance.randrange(4)
        chance = random.Random(pair.candidate + name)
        level = level if chance.random() < 0.6 else chance.randrange(4)
        file.append(Label(session=pair.session, candidate=pair.candidate, value=level))
"""

Levels = dict[str, dict[tuple[str, str], int]]


def lecard(shared: Path) -> str:
    """Pairs of LeCaRD, one a line."""
    folder = shared / "lecard"
    if not folder.is_dir():
        pytest.skip("LeCaRD is not in ../shared/data")
    queries = {row["qid"]: row["fact"] for row in lines(folder / "queries.jsonl")}
    texts = {row["did"]: row["text"] for row in lines(folder / "docs.jsonl")}
    made = []
    for row in lines(folder / "pairs_with_text.jsonl")[:PAIRS]:
        query, candidate = {"id": row["qid"], "text": queries[row["qid"]][:600]}, {"id": row["did"], "text": texts[row["did"]][:600]}
        known = {} if row["label"] is None else {"label": row["label"]}
        made.append(json.dumps({"id": f"{row['qid']}-{row['did']}", "query": query, "candidate": candidate} | known))
    return "\n".join(made)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def folder(shared: Path, home: Path, tmp_path: Path) -> Path:
    (tmp_path / "pairs.jsonl").write_text(lecard(shared))
    done = command("relevance", "--pairs", tmp_path / "pairs.jsonl", "--into", tmp_path / "cases", "--model", "lexical")
    assert done.returncode == 0, done.stderr
    return tmp_path / "cases"


def label_at_once(folder: Path) -> None:
    """Each person in a process of their own; all begin at the same moment."""
    running = [
        subprocess.Popen([sys.executable, "-c", LABELLER, folder, name, str(part)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for part, name in enumerate(PEOPLE, 1)
    ]
    for one in running:
        assert one.stdout is not None
        assert one.stdout.readline() == b"ready\n"
    for one in running:
        assert one.stdin is not None
        one.stdin.write(b"\n")
        one.stdin.flush()
    assert [one.wait(60) for one in running] == [0, 0, 0]


def own_levels(folder: Path) -> Levels:
    """Annotator to pair to last level, read with a general reader of YAML."""
    import yaml

    sessions = {}
    for path in folder.glob("*.yaml"):
        header = next(yaml.safe_load_all(path.read_text("utf-8")))
        sessions[header["id"]] = header["task"]["query"]["id"]
    found: Levels = {}
    for path in (folder / "labels").glob("*.yaml"):
        header, *events = yaml.safe_load_all(path.read_text("utf-8"))
        for event in events:
            if event["event"] == "label":
                found.setdefault(header["annotator"], {})[sessions[event["session"]], event["candidate"]] = event["value"]
    return found


def alpha(levels: Levels) -> float:
    """Krippendorff's alpha, ordinal: observed over expected distance, rating by rating (Krippendorff 2011)."""
    pairs = {pair for own in levels.values() for pair in own}
    units = [values for pair in pairs if len(values := [own[pair] for own in levels.values() if pair in own]) > 1]
    count = Counter(value for unit in units for value in unit)
    total = sum(count.values())

    def distance(one: int, other: int) -> float:
        low, high = sorted((one, other))
        between = sum(count[level] for level in range(low, high + 1))
        return float(between - (count[low] + count[high]) / 2) ** 2

    observed = sum(sum(distance(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units) / total
    expected = sum(count[a] * count[b] * distance(a, b) for a in count for b in count) / (total * (total - 1))
    return 1 - observed / expected


def qrels(folder: Path, *options: str) -> tuple[dict[tuple[str, str], int], str]:
    done = command("export", folder, "--to", "qrels", *options)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    return {(query, candidate): int(level) for query, _, candidate, level in rows}, done.stderr


def test_three_people_label_sixty_pairs_at_once_and_one_decides(folder: Path) -> None:
    label_at_once(folder)
    levels = own_levels(folder)
    assert sorted(levels) == sorted(PEOPLE)
    pairs = set().union(*levels.values())
    common = set.intersection(*map(set, levels.values()))
    assert (len(pairs), len(common)) == (PAIRS, 48)
    assert [len(own) for own in levels.values()] == [52, 52, 52]
    told = [json.loads(line) for line in command("label", folder, "--progress", "--output", "json").stdout.splitlines()]
    assert [(one["annotator"], one["done"], one["assigned"]) for one in told] == [(name, 52, 52) for name in sorted(PEOPLE)]

    # Agreement, counted again
    found = json.loads(command("agreement", folder, "--output", "json").stdout)
    assert sorted(one["name"] for one in found["raters"]) == sorted(PEOPLE)
    for one in found["comparisons"]:
        first, second = (levels[name] for name in one["raters"])
        both = sorted(first.keys() & second.keys())
        assert one["pairs"] == len(both) == 48
        mine, theirs = [first[pair] for pair in both], [second[pair] for pair in both]
        figures = {"levels": (mine, theirs, None), "levels_quadratic": (mine, theirs, "quadratic")}
        figures["material"] = ([level % 2 for level in mine], [level % 2 for level in theirs], None)
        figures["legal"] = ([level // 2 for level in mine], [level // 2 for level in theirs], None)
        for name, (ones, others, weights) in figures.items():
            assert one["kappa"][name]["value"] == pytest.approx(cohen_kappa_score(ones, others, weights=weights))
            assert one["kappa"][name]["low"] <= one["kappa"][name]["value"] <= one["kappa"][name]["high"]
    assert found["alpha"]["levels"]["value"] == pytest.approx(alpha(levels))
    by_query = {one["query"]: one for one in found["by_query"]}
    for query, one in by_query.items():
        own = [[level for name in PEOPLE if (level := levels[name].get(pair)) is not None] for pair in pairs if pair[0] == query]
        couples = [couple for rated in own for couple in combinations(rated, 2)]
        assert one["raw"]["levels"] == pytest.approx(sum(a == b for a, b in couples) / len(couples))

    # One decides on what people differ on
    differ = {pair for pair in common if len({own[pair] for own in levels.values()}) > 1}
    listed = [json.loads(line) for line in command("adjudicate", folder, "--output", "json").stdout.splitlines()]
    assert {(one["query"], one["candidate"]) for one in listed} == differ
    assert not (folder / "labels" / "gold.yaml").exists()
    with LabelFile.open(folder, "gold", adjudicator=True) as file:
        for place, one in enumerate(disputes(pairs_in(folder), read_labels(folder))):
            decide(file, one, place % 4, by="Dr. Wu", reason="read again")
    decided = [json.loads(line) for line in command("adjudicate", folder, "--output", "json").stdout.splitlines()]
    assert {one["state"] for one in decided} == {"decided"}
    assert {one["gold"]["by"] for one in decided} == {"Dr. Wu"}
    gold = {(one["query"], one["candidate"]): one["gold"]["value"] for one in decided}
    assert gold.keys() == differ
    unanimous = {pair: next(own[pair] for own in levels.values() if pair in own) for pair in pairs - differ}
    assert qrels(folder, "--gold")[0] == unanimous | gold

    # Nobody is mixed with anybody
    refused(command("export", folder, "--to", "qrels"), "3 people have labelled here", "--majority", "--gold", "--sum")
    refused(command("export", folder, "--to", "jsonl"), "3 people have labelled here")
    assert qrels(folder, "--rater", "Bert")[0] == levels["Bert"]
    votes = {pair: Counter(own[pair] for own in levels.values() if pair in own) for pair in pairs}
    strict = {pair: level for pair, count in votes.items() for level, n in count.items() if 2 * n > count.total()}
    exported, said = qrels(folder, "--majority")
    assert exported == strict
    assert f"{PAIRS - len(strict)} pairs have no level" in said
    summed, said = qrels(folder, "--sum")
    assert summed == {pair: _lecard(sum(own[pair] + 1 for own in levels.values())) - 1 for pair in common}
    assert f"{PAIRS - len(common)} pairs have no level" in said


def _lecard(total: int) -> int:
    """A level 1 to 4 from the sum of three labels of 1 to 4, as LeCaRD cuts it."""
    return 1 if total <= 4 else 2 if total <= 7 else 3 if total <= 10 else 4
