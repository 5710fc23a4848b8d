"""What an encoder, or BM25, ranks for the queries of a data set, and the run that is
written.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy
import pytest
from verifytui.cli.app import main
from verifytui.engines.metrics.trec import read_run
from verifytui.engines.retrieval.whole_texts import WholeTexts
from verifytui.learning.encoders.data import read
from verifytui.learning.encoders.port import score
from verifytui.learning.training.ranking import by_encoder, by_words, ranked
from verifytui.tests.support.beir import beir

DOCUMENTS = {
    "d1": "The defendant stole a phone at night.",
    "d2": "被告人盗窃手机一部。",
    "d3": "A car was driven while drunk.",
    "q1": "Stole a phone.",
}
QUERIES = {"q1": "He stole the phone.", "q2": "盗窃他人手机"}
LEVELS = {"q1": {"d1": 3, "d3": 0}, "q2": {"d2": 2, "d3": 0, "d1": 0}}


class Blocks:
    """An encoder of two numbers a word: a block a word."""

    size = 2

    def encode(self, texts: object, *, progress: object = None) -> list[numpy.ndarray]:
        found = []
        for text in texts:  # type: ignore[attr-defined]
            turns = [float(sum(map(ord, word)) % 360) for word in text.split()]
            found.append(
                numpy.array(
                    [[numpy.cos(turn), numpy.sin(turn)] for turn in turns],
                    dtype="float32",
                )
            )
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return beir(tmp_path / "data", DOCUMENTS, QUERIES, test=LEVELS)


def test_bm25_ranks_what_has_a_level(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = folder / "bm25.trec"
    assert (
        main(
            [
                "train",
                "run",
                "--encoder",
                "bm25",
                "--data",
                str(folder),
                "-o",
                str(run),
                "--output",
                "json",
            ]
        )
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert (told["queries"], told["ranked"], told["ndcg@30"]) == (2, 5, 1.0)
    found = read_run(run)
    assert [one.candidate for one in found["q1"]] == ["d1", "d3"]
    assert [(one.candidate, one.score > 0) for one in found["q2"]] == [
        ("d2", True),
        ("d1", False),
        ("d3", False),
    ]
    assert (
        main(
            [
                "train",
                "run",
                "--lang",
                "zh",
                "--encoder",
                "bm25",
                "--data",
                str(folder),
                "-o",
                str(run),
            ]
        )
        == 0
    )
    assert "2 个查询" in capsys.readouterr().out


def test_the_whole_corpus_is_ranked_but_for_the_query_itself(folder: Path) -> None:
    run = folder / "bm25.trec"
    words = [
        "train",
        "run",
        "--encoder",
        "bm25",
        "--data",
        str(folder),
        "--pool",
        "all",
        "--depth",
        "2",
        "-o",
        str(run),
    ]
    assert main(words) == 0
    found = read_run(run)
    assert [one.candidate for one in found["q1"]] == ["d1", "d2"]
    assert [one.candidate for one in found["q2"]] == ["d2", "d1"]


def test_a_labelled_document_with_the_querys_own_id_is_ranked(tmp_path: Path) -> None:
    data = read(beir(tmp_path, DOCUMENTS, QUERIES, test={"q1": {"q1": 3, "d1": 0}}))
    assert {
        name for name, _ in ranked(data, data.labels("test"), by_words, "all")["q1"]
    } == set(DOCUMENTS)


def test_scores_of_whole_texts_are_those_of_bm25() -> None:
    """Lucene's form by hand: q1's words `stole` and `phone` in one of three texts."""
    index = WholeTexts(["stole a phone", "drove a car", "stole a car at night"])
    scores = index.scores("phone").tolist()
    index.close()
    idf, mean = numpy.log(1 + (3 - 1 + 0.5) / (1 + 0.5)), (3 + 3 + 5) / 3
    assert scores == pytest.approx([idf * 1 / (1 + 0.9 * (0.6 + 0.4 * 3 / mean)), 0, 0])


def test_an_encoder_scores_by_its_nearest_blocks(folder: Path) -> None:
    data, encoder = read(folder), Blocks()
    lists = ranked(data, data.labels("test"), by_encoder(encoder), "all")
    for query, found in lists.items():
        (asked,) = encoder.encode([QUERIES[query]])
        alone = {
            name: score(asked, encoder.encode([DOCUMENTS[name]])[0])
            for name in DOCUMENTS
            if name != query
        }
        assert dict(found) == pytest.approx(alone)
        assert [value for _, value in found] == sorted(alone.values(), reverse=True)


def test_scores_that_differ_stay_different_in_the_file(tmp_path: Path) -> None:
    from verifytui.engines.metrics.trec import run

    path = tmp_path / "near.trec"
    path.write_text(run("q", [("a", 0.98765432), ("b", 0.98765431)]))
    assert len({one.score for one in read_run(path)["q"]}) == 2


def test_what_cannot_be_ranked_is_bad_input(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = {
        "--encoder": "bm25",
        "--data": str(folder),
        "-o": str(tmp_path / "run.trec"),
    }
    cases = {
        "no encoder": {"--encoder": str(tmp_path / "nothing")},
        "run.trec does not exist": {"-o": str(tmp_path / "nothing" / "run.trec")},
        "“dev”": {"--split": "dev"},
    }
    for words, other in cases.items():
        assert (
            main(
                [
                    "train",
                    "run",
                    *(part for pair in {**good, **other}.items() for part in pair),
                ]
            )
            == 2
        )
        said = capsys.readouterr().err
        assert words in said, said


@pytest.mark.train
def test_an_encoder_on_disk_writes_a_run(folder: Path, tmp_path: Path) -> None:
    from verifytui.learning.encoders.local import new

    new(DOCUMENTS.values(), layers=1, width=32).save(tmp_path / "encoder")
    words = [
        "train",
        "run",
        "--encoder",
        f"local:{tmp_path / 'encoder'}",
        "--data",
        str(folder),
        "-o",
        str(tmp_path / "run.trec"),
    ]
    assert main(words) == 0
    assert {
        query: len(found) for query, found in read_run(tmp_path / "run.trec").items()
    } == {"q1": 2, "q2": 3}
