"""What training learns from and is measured on, and what it refuses. Without torch."""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.learning.encoders.data import PairLevel
from verifytui.learning.training.examples import examples
from verifytui.learning.training.measuring import mean, of_scores
from verifytui.learning.training.options import TrainingOptions
from verifytui.learning.training.trainer import (
    ValidationScore,
    history,
    is_over,
    steps_of,
    steps_of_epoch,
    tidy,
)
from verifytui.learning.training.training_record import TrainingRecord, begin
from verifytui.sessions.errors import BadInput
from verifytui.tests.support.beir import beir

DOCUMENTS = {name: f"text of {name}" for name in ("d1", "d2", "d3", "d4")}
QUERIES = {"q1": "first", "q2": "second", "q3": "third", "d4": "text of d4"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return beir(
        tmp_path / "set",
        DOCUMENTS,
        QUERIES,
        train={"q1": {"d1": 3, "d2": 0}, "q2": {"d2": 1}},
        more={"q2": {"d2": 2, "d3": 2}},
        near={"q1": {"d1": 1}, "q2": {"d2": 1}},
        validation={"q3": {"d1": 2, "d4": 0}},
        found={"d4": {"d1": 1}},
        leaking={"q1": {"d3": 1}},
        empty={"q3": {"d1": 0}},
    )


def options(folder: Path, **more: object) -> TrainingOptions:
    return TrainingOptions(**{"data": folder, "start": "new", **more})  # type: ignore[arg-type]


def test_pairs_of_several_sets_and_the_pool_of_the_validation(folder: Path) -> None:
    found = examples(options(folder, sets=("train", "more")))
    assert found.pairs == [
        PairLevel("q1", "d1", 3),
        PairLevel("q1", "d2", 0),
        PairLevel("q2", "d2", 1),
        PairLevel("q2", "d3", 2),
    ]
    assert found.twice == 1
    assert found.pool == {"q3": ["d1", "d4"]}
    assert found.texts() == [
        "first",
        "second",
        "text of d1",
        "text of d2",
        "text of d3",
    ]
    near = examples(
        options(
            folder,
            sets=("train", "more"),
            loss="contrastive",
            relevant=2,
            validation="found",
        )
    )
    assert [one.document for one in near.pairs] == ["d1", "d3"]
    assert near.near == {"q1": {"d1"}, "q2": {"d3"}}
    assert near.pool == {
        "d4": ["d1", "d2", "d3"]
    }  # all but the case itself, since no query has two levels


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"validation": "leaking"}, "“q1” is in the training and in “leaking”"),
        ({"validation": "empty"}, "No pair of “empty” has a level above 0"),
        ({"sets": ("near",)}, "All pairs of near have the same level"),
        (
            {"loss": "contrastive", "relevant": 3},
            "train must have at least two documents with pairs from level 3 up",
        ),
        ({"sets": ("nothing",)}, "no levels “nothing”"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused(
    folder: Path, more: dict[str, object], said: str
) -> None:
    with pytest.raises(BadInput) as wrong:
        examples(options(folder, **more))
    assert said in str(wrong.value)


def test_ndcg_takes_levels_as_gains_and_averages_ties() -> None:
    levels = {"d1": 3, "d2": 1, "d3": 0}
    assert of_scores({"d1": 0.9, "d2": 0.5, "d3": 0.1}, levels) == 1
    tied = of_scores({"d1": 0.5, "d2": 0.5, "d3": 0.5}, levels)
    assert of_scores({"d3": 0.9, "d2": 0.5, "d1": 0.1}, levels) < tied < 1
    assert mean({"q1": 0.5, "q2": 1.0}) == 0.75


def test_a_folder_goes_on_with_the_same_training_only(
    folder: Path, tmp_path: Path
) -> None:
    now = TrainingRecord(
        options=options(folder).told(), digests={"corpus.jsonl": "a" * 64}
    )
    assert begin(tmp_path, now) == begin(tmp_path, now) == now
    with pytest.raises(BadInput, match="started with another “seed”: 0 then, 1 now"):
        begin(
            tmp_path,
            TrainingRecord(options=options(folder, seed=1).told(), digests=now.digests),
        )
    with pytest.raises(BadInput, match=r"started with another “corpus\.jsonl”"):
        begin(
            tmp_path,
            TrainingRecord(options=now.options, digests={"corpus.jsonl": "b" * 64}),
        )
    (tmp_path / "training.json").write_text("{}")
    with pytest.raises(BadInput, match="does not belong to a training; name another"):
        begin(tmp_path, now)


def test_steps_checkpoints_and_what_was_noted_down(
    folder: Path, tmp_path: Path
) -> None:
    both = examples(options(folder))
    assert steps_of_epoch(3, options(folder, batch=2)) == 2
    assert steps_of_epoch(3, options(folder, batch=2, loss="contrastive")) == 1
    assert steps_of(both, options(folder, batch=2, epochs=4)) == 8
    for step, state in (
        (2, "{}"),
        (10, "{}"),
        (12, None),
        (14, '{"best_global_step": 1'),
        (16, ""),
    ):
        (tmp_path / f"checkpoint-{step}").mkdir()
        if state is not None:
            (tmp_path / f"checkpoint-{step}" / "trainer_state.json").write_text(state)
    assert tidy(tmp_path) == tmp_path / "checkpoint-10"
    assert sorted(path.name for path in tmp_path.glob("checkpoint-*")) == [
        "checkpoint-10",
        "checkpoint-2",
    ]
    assert tidy(tmp_path / "none") is None
    log = [
        {"loss": 2.0, "step": 1},
        {"loss": 1.0, "step": 2},
        {"eval_ndcg": 0.5, "step": 2, "epoch": 1.0},
    ]
    assert history([*log, {"eval_ndcg": 0.6, "step": 3, "epoch": 1.5}]) == [
        ValidationScore(2, 1.0, 1.5, 0.5),
        ValidationScore(3, 1.5, None, 0.6),
    ]


def test_patience_counts_what_was_measured_before_a_kill() -> None:
    log = [{"loss": 1.0}, *({"eval_ndcg": value} for value in (0.5, 0.7, 0.7, 0.6))]
    assert is_over(log, 2)
    assert not is_over(log, 3)
    assert not is_over(log[:2], 1)
    assert not is_over([], 1)
