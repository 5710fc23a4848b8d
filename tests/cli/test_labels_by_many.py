"""Three people label one folder of LeCaRD's pairs at once, one decides; what comes out
is counted again by other code.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from verifytui.engines.relevance.adjudication import decide, disputes
from verifytui.sessions.label_store import read_labels
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.case_pairs import pairs_in
from verifytui.tests.support.commanding import command, refused
from verifytui.tests.support.lecard import (
    PAIRS,
    check_agreement,
    lecard_folder,
    own_levels,
)

PEOPLE = ["Anna", "Bert", "李四"]
LABELLER = """
import sys
from pathlib import Path
from verifytui.engines.relevance.queue import Queue
from verifytui.tests.support.case_pairs import pairs_in
from verifytui.sessions.events.labels import Assignment, Label
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.lecard import level_by

folder, name, part = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
mine = Assignment(part=part, of=3, overlap=0.8, seed=7)
with LabelFile.open(folder, name) as file:
    file.append(mine)
    print("ready", flush=True)
    sys.stdin.readline()
    queue = Queue(pairs_in(folder), name, mine)
    while (pair := queue.next(file.own)) is not None:
        file.append(pair.label(Label(value=level_by(name, pair.candidate))))
"""


def label_at_once(folder: Path) -> None:
    """Each person in a process of their own; all begin at the same moment."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", LABELLER, folder, name, str(part)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
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


def qrels(folder: Path, *options: str) -> tuple[dict[tuple[str, str], int], str]:
    done = command("export", folder, "--to", "qrels", *options)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    return {
        (query, candidate): int(level) for query, _, candidate, level in rows
    }, done.stderr


@pytest.mark.slow
def test_three_people_label_sixty_pairs_at_once_and_one_decides(
    shared: Path, home: Path, tmp_path: Path
) -> None:
    folder = lecard_folder(shared, tmp_path)
    label_at_once(folder)
    levels = own_levels(folder)
    assert sorted(levels) == sorted(PEOPLE)
    pairs = set().union(*levels.values())
    common = set.intersection(*map(set, levels.values()))
    assert (len(pairs), len(common)) == (PAIRS, 48)
    assert [len(own) for own in levels.values()] == [52, 52, 52]
    told = [
        json.loads(line)
        for line in command(
            "label", folder, "--progress", "--output", "json"
        ).stdout.splitlines()
    ]
    assert [(one["annotator"], one["done"], one["assigned"]) for one in told] == [
        (name, 52, 52) for name in sorted(PEOPLE)
    ]

    check_agreement(folder, levels)

    # One decides on what people differ on
    differ = {
        pair for pair in common if len({own[pair] for own in levels.values()}) > 1
    }
    listed = [
        json.loads(line)
        for line in command(
            "adjudicate", folder, "--output", "json"
        ).stdout.splitlines()
    ]
    assert {(one["query"], one["candidate"]) for one in listed} == differ
    assert not (folder / "labels" / "gold.yaml").exists()
    assert (
        f"  {len(differ)}: raters differ, and no decision is recorded. To decide, "
        f"run `verifytui adjudicate {folder}`." in qrels(folder, "--gold")[1]
    )
    with LabelFile.open(folder, "gold", adjudicator=True) as file:
        for place, one in enumerate(disputes(pairs_in(folder), read_labels(folder))):
            decide(file, one, place % 4, by="Dr. Wu", reason="read again")
    decided = [
        json.loads(line)
        for line in command(
            "adjudicate", folder, "--output", "json"
        ).stdout.splitlines()
    ]
    assert {one["state"] for one in decided} == {"decided"}
    assert {one["gold"]["by"] for one in decided} == {"Dr. Wu"}
    gold = {(one["query"], one["candidate"]): one["gold"]["value"] for one in decided}
    assert gold.keys() == differ
    unanimous = {
        pair: next(own[pair] for own in levels.values() if pair in own)
        for pair in pairs - differ
    }
    assert qrels(folder, "--gold")[0] == unanimous | gold
    assert (
        "To export the adjudicated levels, use --gold."
        in (qrels(folder, "--rater", "gold")[1])
    )
    told = command("agreement", folder).stdout
    assert (
        f"Nothing to adjudicate: all {len(differ)} pairs on which raters differ "
        f"are decided." in " ".join(told.split())
    )

    # Nobody is mixed with anybody
    refused(
        command("export", folder, "--to", "qrels"),
        "3 people have labelled (",
        "--majority",
        "--gold",
        "--sum",
    )
    refused(command("export", folder, "--to", "jsonl"), "3 people have labelled (")
    assert qrels(folder, "--rater", "Bert")[0] == levels["Bert"]
    votes = {
        pair: Counter(own[pair] for own in levels.values() if pair in own)
        for pair in pairs
    }
    strict = {
        pair: level
        for pair, count in votes.items()
        for level, n in count.items()
        if 2 * n > count.total()
    }
    exported, said = qrels(folder, "--majority")
    assert exported == strict
    assert f"{PAIRS - len(strict)} pairs have no level" in said
    summed, said = qrels(folder, "--sum")
    assert summed == {
        pair: _lecard(sum(own[pair] + 1 for own in levels.values())) - 1
        for pair in common
    }
    assert f"{PAIRS - len(common)} pairs have no level" in said
    assert (
        f"  {PAIRS - len(common)}: the number of labels with a level is not three."
        in said
    )


def _lecard(total: int) -> int:
    """A level 1 to 4 from the sum of three labels of 1 to 4, as LeCaRD cuts it."""
    if total <= 4:
        return 1
    if total <= 7:
        return 2
    if total <= 10:
        return 3
    return 4
