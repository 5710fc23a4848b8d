"""Pairs of cases as a data set of BEIR, qrels, pairs and triples."""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.metrics.trec import read_qrels
from verifytui.learning.encoders.data import read
from verifytui.learning.synth.cases.judged_pairs import JudgedPair, PairSet
from verifytui.learning.synth.exports.cases import export_cases
from verifytui.learning.synth.exports.options import ExportOptions
from verifytui.tests.learning.support.synthesised import lines

TEXTS = {
    "a": "He climbed through a window at night and took a ring.",
    "b": "He climbed through a window by day and took a watch.",
    "c": "He climbed over a wall at night and took a ring and a watch.",
    "d": "She struck him with a bottle in a tavern.",
    "e": "The weather was fine.",
}
QUERIES = {
    "q1": "Somebody climbed through a window at night and took a ring.",
    "q2": "Somebody was struck in a tavern.",
}


def people(query: str, case: str, level: int | None) -> JudgedPair:
    return JudgedPair(query=query, case=case, level=level, by="people")


DRAWN = [
    PairSet(
        name="train",
        pairs=[
            *(
                people("q1", case, level)
                for case, level in (("a", 3), ("b", 2), ("c", 0), ("d", 0), ("e", 0))
            ),
            *(
                people("q2", case, level)
                for case, level in (("d", 3), ("c", 2), ("a", 0), ("b", 1), ("e", 0))
            ),
        ],
    ),
    PairSet(name="test", pairs=[people("q2", "d", 3), people("q2", "e", 0)]),
    PairSet(
        name="train-2k",
        pairs=[
            JudgedPair(query="a", case="b", level=3),
            JudgedPair(query="a", case="e", level=0),
        ],
    ),
]


def test_a_reader_of_beir_reads_every_set_with_the_levels_it_was_drawn_with(
    tmp_path: Path,
) -> None:
    export_cases(TEXTS, DRAWN, tmp_path, queries=QUERIES, titles={"a": "Case A"})
    found = read(tmp_path)
    assert found.names() == ["test", "train", "train-2k"]
    for drawn in DRAWN:
        assert [(*label,) for label in found.labels(drawn.name)] == [
            (one.query, one.case, one.level) for one in drawn.pairs
        ]
        qrels = read_qrels(
            (tmp_path / "trec" / f"{drawn.name}.qrels").read_text("utf-8"), drawn.name
        )
        assert qrels == {(one.query, one.case): one.level for one in drawn.pairs}
    assert found.documents == {**TEXTS, "a": f"Case A\n{TEXTS['a']}"}
    assert found.queries == {**QUERIES, "a": TEXTS["a"]}


def test_pairs_have_scores_and_a_negative_is_a_positive_elsewhere_the_most_similar_first(
    tmp_path: Path,
) -> None:
    made = export_cases(TEXTS, DRAWN, tmp_path, queries=QUERIES)
    pairs = lines(tmp_path / "pairs" / "train.jsonl")
    assert [list(row) for row in pairs[:1]] == [["sentence1", "sentence2", "score"]]
    assert [row["score"] for row in pairs[:5]] == [1.0, 0.6667, 0.0, 0.0, 0.0]
    rows = lines(tmp_path / "triples" / "train.jsonl")
    assert list(rows[0]) == ["anchor", "positive", "negative"]
    shown = [
        tuple(
            next(id_ for id_, text in {**QUERIES, **TEXTS}.items() if text == row[side])
            for side in row
        )
        for row in rows
    ]
    # `e` is a positive nowhere and `c` is more like the first query than `d`
    assert shown == [
        ("q1", "a", "c"),
        ("q1", "b", "d"),
        ("q2", "d", "a"),
        ("q2", "c", "a"),
    ]
    assert made.counts["triples"] == {"train": 4}
    assert made.left_out["triples"] == {"no-negative": 1}
    assert not (tmp_path / "triples" / "test.jsonl").exists()
    assert "positives nowhere" in (tmp_path / "README.md").read_text("utf-8")


def test_what_cannot_stand_in_a_file_is_counted_and_ids_stay_apart(
    tmp_path: Path,
) -> None:
    texts = {
        **TEXTS,
        "q1": "A case that is called as a query is.",
        "with blank": "Text.",
    }
    pairs = [
        people("q1", "q1", 3),
        people("q1", "a", None),
        people("q1", "gone", 1),
        people("none", "a", 1),
        people("q1", "with blank", 1),
    ]
    pairs += [people("q1", "q1", 2), JudgedPair(query="q1", case="a", level=1)]
    made = export_cases(
        texts,
        [PairSet(name="train", pairs=pairs)],
        tmp_path,
        queries=QUERIES,
        options=ExportOptions(positive=3),
    )
    found = read(tmp_path)
    assert [(*label,) for label in found.labels("train")] == [
        ("q1", "case-q1", 3),
        ("q1", "with_blank", 1),
        ("case-q1", "a", 1),
    ]
    assert found.queries == {"q1": QUERIES["q1"], "case-q1": texts["q1"]}
    assert made.left_out["pairs"] == {"no-level": 1, "no-text": 2, "twice": 1}
    assert made.changed_ids == 2


@pytest.mark.train
def test_datasets_loads_the_folder(tmp_path: Path) -> None:
    import datasets

    into = tmp_path / "out"
    export_cases(TEXTS, DRAWN, into, queries=QUERIES)
    for name, columns in (
        ("pairs", ["sentence1", "sentence2", "score"]),
        ("triples", ["anchor", "positive", "negative"]),
        ("corpus", ["_id", "title", "text"]),
    ):
        whole = datasets.load_dataset(
            str(into), name, cache_dir=str(tmp_path / "cache")
        )
        for part in whole.values():
            assert part.column_names == columns
    assert set(
        datasets.load_dataset(str(into), "pairs", cache_dir=str(tmp_path / "cache"))
    ) == {"train", "test", "train_2k"}
