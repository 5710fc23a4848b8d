"""Data sets in the form of BEIR are read as they stand, and what is wrong in one is
said with its place.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from verifytui.learning.encoders.data import PairLevel, by_query, read
from verifytui.learning.encoders.folder import (
    FILE,
    Recipe,
    digest,
    read_recipe,
    write_recipe,
)
from verifytui.sessions.errors import BadInput
from verifytui.tests.support.beir import beir

DOCUMENTS = {"d1": "A ring was taken.", "d2": "一只戒指被盗。"}
QUERIES = {"q1": "Who took it?", "d1": "A ring was taken."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return beir(
        tmp_path / "set",
        DOCUMENTS,
        QUERIES,
        train={"q1": {"d1": 3, "d2": 0}, "d1": {"d2": 1}},
    )


def test_a_data_set_is_read_with_its_digests(folder: Path) -> None:
    with (folder / "corpus.jsonl").open("a") as stream:
        stream.write(
            '\n{"_id": "d3", "title": "Theft", "text": "of a ring", "metadata": {}}\n'
        )
    data = read(folder)
    assert data.documents == {**DOCUMENTS, "d3": "Theft\nof a ring"}
    assert data.queries == QUERIES
    assert data.names() == ["train"]
    labels = data.labels("train")
    assert labels == [
        PairLevel("q1", "d1", 3),
        PairLevel("q1", "d2", 0),
        PairLevel("d1", "d2", 1),
    ]
    assert by_query(labels) == {"q1": {"d1": 3, "d2": 0}, "d1": {"d2": 1}}
    assert data.digests == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in data.digests
    }
    assert set(data.digests) == {"corpus.jsonl", "queries.jsonl", "qrels/train.tsv"}


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        (
            "corpus.jsonl",
            '{"_id": "d1", "text": "again"}',
            "corpus.jsonl, line 3: the _id “d1” occurs twice.",
        ),
        (
            "corpus.jsonl",
            '{"_id": "d 3", "text": "x"}',
            "line 3: an _id must be a text without spaces.",
        ),
        ("queries.jsonl", '{"_id": "q9"}', "line 3: not an object with _id and text"),
        ("qrels/train.tsv", "q1\td1\t2", "line 5: the pair “q1”, “d1” occurs twice."),
        (
            "qrels/train.tsv",
            "q1\tnone\t2",
            "line 5: “none” has no text in corpus.jsonl.",
        ),
        ("qrels/train.tsv", "q1\td2\t4", "the score is a whole number from 0 to 3."),
        ("qrels/train.tsv", "q1 d2 1", "three columns are needed"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    folder: Path, file: str, line: str, said: str
) -> None:
    with (folder / file).open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(BadInput) as wrong:
        read(folder).labels("train")
    assert said in str(wrong.value)


def test_sets_and_folders_that_are_not_there(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no levels “test”; choose one of train"):
        read(folder).labels("test")
    with pytest.raises(BadInput, match="no levels “"):
        read(folder).labels("../train")
    with pytest.raises(BadInput, match="There is no folder"):
        read(tmp_path / "nothing")
    (folder / "qrels" / "bare.tsv").write_text("q1\td1\t3\n")
    with pytest.raises(BadInput, match="the first line of a file of levels"):
        read(folder).labels("bare")


def test_the_digest_of_an_encoder_is_that_of_what_makes_its_vectors(
    tmp_path: Path,
) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    write_recipe(tmp_path, Recipe(chunk=64, stride=32, seed=3))
    found = read_recipe(tmp_path)
    assert found is not None
    assert (found.chunk, found.stride, found.seed) == (64, 32, 3)
    before = digest(tmp_path)
    (tmp_path / "CARD.md").write_text("figures")
    assert digest(tmp_path) == before
    write_recipe(tmp_path, Recipe(chunk=32, stride=32, seed=3))
    assert digest(tmp_path) != before
    (tmp_path / FILE).write_text('{"format": "another/1"}')
    with pytest.raises(
        BadInput, match="is not an encoder description that this version"
    ):
        read_recipe(tmp_path)
