"""Which shard a run is, and what a shard keeps of its lines."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from verifytui.engines.batches.batch import Batch
from verifytui.engines.batches.state import Limits
from verifytui.engines.batches.topics import TopicLine
from verifytui.engines.debate.method import new_debate
from verifytui.engines.debate.script import example_topics
from verifytui.engines.method import method
from verifytui.engines.starting import Wishes, wishes
from verifytui.prompts import load
from verifytui.scale.shards.shard_lines import ShardPart, deal, digest_of, kept_lines
from verifytui.scale.shards.shards import Shard, read_shard, shard_of_task
from verifytui.sessions.errors import BadInput
from verifytui.sessions.methods import METHODS
from verifytui.sessions.session import Seat

ROWS = {
    "topics": {
        "topic": "How far?",
        "answers": ["4 m", 5],
        "wrong_answers": ["6"],
        "cluster": "far",
    },
    "questions": {
        "question": "Who?\ud800",
        "answers": ["Ann"],
        "references": ["Ann did.", {"text": "没有", "title": "二"}],
        "gold": ["Ann"],
    },
    "answers": {
        "question": "Who?",
        "answer": "Ann [1].",
        "references": ["Ann did."],
        "answers": ["Ann"],
    },
    "pairs": {
        "query": {"id": "1", "text": "He took it."},
        "candidate": {"id": "2", "text": "She took it."},
        "label": 2,
    },
    "rank": {
        "question": "Who?",
        "answers": {"a": "Ann", "b": "Bob"},
        "accepted": ["Ann"],
    },
}


@pytest.mark.parametrize(
    "text",
    ["", "0/2", "3/2", "2", "1/0", "-1/2", "1/2/3", "１/２", "a/b", "1/100001", "1 /2"],
)
def test_what_is_no_shard(text: str) -> None:
    with pytest.raises(BadInput):
        read_shard(text)


def test_every_line_is_in_one_shard() -> None:
    shards = [read_shard(f"{index}/3") for index in (1, 2, 3)]
    assert [[place for place in range(8) if one.has(place)] for one in shards] == [
        [0, 3, 6],
        [1, 4, 7],
        [2, 5],
    ]


def test_the_parts_of_a_budget_are_no_more_than_the_whole() -> None:
    parts = [Shard(index, 3).share(Limits(16, 100, 1.0)) for index in (1, 2, 3)]
    assert sum(part.tokens or 0 for part in parts) == 99
    assert sum(part.usd or 0 for part in parts) == pytest.approx(1.0)
    with pytest.raises(BadInput, match="3 shards"):
        Shard(1, 3).share(Limits(16, 2))


def slurm(**told: int) -> dict[str, str]:
    return {f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in told.items()}


@pytest.mark.parametrize(
    ("environment", "of", "shard"),
    [
        (slurm(ID=1, MIN=1, COUNT=8, MAX=8, STEP=1), None, "1/8"),
        (slurm(ID=8, MIN=1, COUNT=8), 8, "8/8"),
        (slurm(ID=0, MIN=0, COUNT=4, MAX=3, STEP=1), None, "1/4"),
        (slurm(ID=14, MIN=10, COUNT=3, MAX=14, STEP=2), None, "3/3"),
        (slurm(ID=14, MIN=10, COUNT=3, MAX=14), None, "3/3"),
        ({"JOB_COMPLETION_INDEX": "0"}, 5, "1/5"),
        ({"JOB_COMPLETION_INDEX": "4"}, 5, "5/5"),
    ],
)
def test_a_task_knows_its_shard(
    environment: dict[str, str], of: int | None, shard: str
) -> None:
    assert str(shard_of_task(environment, of)) == shard


@pytest.mark.parametrize(
    ("environment", "of", "words"),
    [
        ({}, None, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX"),
        ({}, 4, "neither"),
        ({"JOB_COMPLETION_INDEX": "0"}, None, "--shards N"),
        ({"JOB_COMPLETION_INDEX": "4"}, 4, "the last one is 3"),
        ({"JOB_COMPLETION_INDEX": "x"}, 4, "”, which is not a whole number."),
        (
            {"JOB_COMPLETION_INDEX": "0", **slurm(ID=1, MIN=1, COUNT=2)},
            2,
            "both SLURM_ARRAY_TASK_ID and JOB_COMPLETION_INDEX are set",
        ),
        (slurm(ID=1, MIN=1), None, "SLURM_ARRAY_TASK_COUNT is not set"),
        (slurm(ID=5, MIN=5, COUNT=1, MAX=5), 8, "--shard i/8"),
        (slurm(ID=3, MIN=1, COUNT=3, MAX=7, STEP=1), None, "evenly"),
        (slurm(ID=2, MIN=1, COUNT=3, MAX=5, STEP=2), None, "evenly"),
        (slurm(ID=9, MIN=1, COUNT=3), None, "evenly"),
    ],
)
def test_variables_that_are_missing_or_contradict_each_other(
    environment: dict[str, str], of: int | None, words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        shard_of_task(environment, of)


@pytest.mark.parametrize("name", METHODS)
def test_the_lines_of_a_shard_are_kept_as_they_were_read(
    tmp_path: Path, name: str
) -> None:
    played = method(name)
    for many, kind in played.batches.items():
        file = tmp_path / "lines.in"
        row = ROWS["rank" if name == "rank" else many]
        file.write_text(
            "".join(json.dumps({"id": each, **row}) + "\n" for each in ("a", 7)),
            "utf-8",
        )
        lines, _ = kind.read(
            file,
            wishes(
                name,
                {"swap": True, "model": "x"} if name == "debate" else {"model": "x"},
            ),
        )
        assert {type(line) for line in lines} == set(kind.line_types)
        batch = Batch(kind, lines, [None] * len(lines), {}, played, None)  # type: ignore[arg-type]
        ShardPart(Shard(1, 1), "", len(lines), range(len(lines))).keep(tmp_path, batch)
        kept = kept_lines(tmp_path, kind.line_types)
        plain = [
            replace(line, where="", wishes=Wishes(played.settings)) for line in lines
        ]  # type: ignore[call-arg]
        assert [replace(one.line, where="") for one in kept] == plain
        assert [one.place for one in kept] == list(range(len(lines)))


def test_the_digest_of_all_lines_tells_what_else_shapes_their_sessions() -> None:
    def topic(name: str, *answers: str) -> TopicLine:
        return TopicLine(name, answers, "line", "?", Wishes({}), "question", "")

    played, lines = method("debate"), [topic("a"), topic("b")]
    begun = [
        new_debate(topic=example_topics()[0].topic, prompts=load("en")) for _ in lines
    ]
    batch = Batch(played.batches["topics"], lines, begun, {}, played, None)  # type: ignore[arg-type]
    seated = {**begun[1].lineup, "judge": Seat(model="another")}
    found = [
        batch,
        replace(
            batch, headers=[begun[0], msgspec.structs.replace(begun[1], lineup=seated)]
        ),
        replace(batch, lines=[lines[0], topic("c")]),
        replace(batch, lines=[lines[0], topic("b", "no")]),
    ]
    assert len({digest_of([one]) for one in found}) == len(found)
    own, _ = deal(batch, Shard(1, 2))
    other, _ = deal(found[1], Shard(1, 2))
    assert own.part is not None
    assert other.part is not None
    assert own.part.digest != other.part.digest, (
        "it is of the lines of other shards too"
    )


def test_an_address_is_not_written_down(tmp_path: Path) -> None:
    played, file = method("rag"), tmp_path / "lines.in"
    file.write_text(
        json.dumps(
            {"question": "Who?", "retriever": "http://user:secret@example.org/find"}
        )
        + "\n"
    )
    lines, _ = played.batches["questions"].read(file, wishes("rag"))
    batch = Batch(played.batches["questions"], lines, [None], {}, played, None)  # type: ignore[arg-type]
    ShardPart(Shard(1, 1), "", 1, [0]).keep(tmp_path, batch)
    assert "secret" not in (tmp_path / "lines.jsonl").read_text()
