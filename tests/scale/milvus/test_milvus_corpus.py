"""A corpus on Milvus finds what the same corpus on disk finds, in the same order and
with the same scores.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
from verifytui.engines.retrieval.embedding import Dense, VectorSource, embedder
from verifytui.engines.retrieval.home import CorpusFolder
from verifytui.engines.retrieval.port import PassageFilter, RetrievalError
from verifytui.tests.scale.support.milvus import Both, same_found
from verifytui.tests.support.embedding import Embedder, config_for
from verifytui.tests.support.serving import Server

pytest.importorskip("pymilvus", reason="Corpora on Milvus need the extra milvus.")
pytestmark = pytest.mark.slow

ROWS: list[dict[str, Any]] = [
    {
        "title": "Bridge",
        "text": "The bridge was opened in 1932. It crosses the harbour.",
        "year": "1932",
    },
    {
        "title": "Bridge",
        "text": "The bridge was opened in 1932. It crosses the harbour.",
        "year": "1932",
    },
    {
        "title": "Ferry",
        "text": "A ferry crosses the harbour every hour; it doesn't stop at the bridge.",
        "year": "2010",
    },
    {"title": "茶馆", "text": "茶馆创办于1921年，在桥的北边。", "year": "1921"},
    {"title": "", "text": "…"},
    {
        "title": "Tea",
        "text": "\n\n".join(
            f"Tea was sold at the bridge in {year}. "
            + "A long tale of tea follows. " * 60
            for year in (1, 2)
        ),
    },
    *(
        {"title": f"Note {at}", "text": f"Note {at} on the harbour."}
        for at in range(40)
    ),
]
QUERIES = (
    "bridge",
    "Which bridge crosses the harbour?",
    "harbour note",
    "doesn't tea 1932 1932",
    "茶馆在哪座桥？",
    "了",
    "zebra",
    "",
)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("milvus")
        patch.setenv("VERIFYTUI_HOME", str(folder / "home"))
        yield folder


@pytest.fixture(scope="module")
def both(own: Path) -> Iterator[Both]:
    with Both(own / "small.db", "small", ROWS) as made:
        made.fill()
        yield made


@pytest.mark.parametrize(
    "wanted",
    [
        PassageFilter(),
        PassageFilter(duplicates="all"),
        PassageFilter(per_document=1),
        PassageFilter("year >= 1930"),
        PassageFilter("title = bridge and path ~ *.jsonl#*", duplicates="all"),
        PassageFilter("year != 1932"),
    ],
    ids=str,
)
def test_the_same_is_found_as_on_disk(both: Both, wanted: PassageFilter) -> None:
    local, there = both.on_disk(), both.on_milvus()
    for query in QUERIES:
        for k in (1, 5, 30):
            expected, found = (
                local.search(query, k, wanted),
                there.search(query, k, wanted),
            )
            assert found.references == expected.references, query
            assert (found.unknown, found.left_out) == (
                expected.unknown,
                expected.left_out,
            )
            assert bool(found.message) == bool(expected.message)
    local.close()


def test_what_else_an_open_corpus_says(both: Both) -> None:
    local, there = both.on_disk(), both.on_milvus()
    assert there.fields() == local.fields()
    words, known = there.lexicon(), local.lexicon()
    assert (words.size, words.words("The bridges")) == (
        known.size,
        known.words("The bridges"),
    )
    assert [words.frequency(word) for word in ("bridg", "harbour", "zebra")] == [
        known.frequency(word) for word in ("bridg", "harbour", "zebra")
    ]
    for one in there.search("tea", 5).references:
        text = there.document(str(one.file))
        assert (
            text[one.start : one.end]
            == one.text
            == local.document(str(one.file))[one.start : one.end]
        )
    for where, said in (("colour = red", "colour"), ("=", "cannot be read")):
        with pytest.raises(RetrievalError, match=said):
            there.fitting(where)
    with pytest.raises(RetrievalError, match="no vectors"):
        there.search("tea", 5, PassageFilter(mode="dense"))
    with pytest.raises(RetrievalError, match="no document"):
        there.document("nowhere.txt")
    local.close()


def test_a_filter_that_fits_too_few_of_what_milvus_gives_is_refused(
    both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifytui.scale.milvus.ranking.MOST", 3)
    with pytest.raises(RetrievalError, match="only 0 of them match the filter"):
        both.on_milvus().search("harbour", 5, PassageFilter("year = 2010"))


@pytest.mark.parametrize(
    ("passages", "questions"),
    [
        ("xquad/passages.en", "xquad/questions.en"),
        ("xquad/passages.zh", "xquad/questions.zh"),
        ("cmrc2018-trial/passages", "cmrc2018-trial/questions"),
    ],
)
def test_the_five_found_are_those_of_the_index_on_disk(
    own: Path, shared: Path, passages: str, questions: str
) -> None:
    """A tenth of all questions. benchmarks/milvus.py asks all of them."""
    rows = [
        json.loads(line)
        for line in (shared / f"{passages}.jsonl").open(encoding="utf-8")
    ]
    asked = [
        json.loads(line)["question"]
        for line in (shared / f"{questions}.jsonl").open(encoding="utf-8")
    ][::10]
    with Both(own / f"{passages.replace('/', '-')}.db", "set", rows) as both:
        both.fill()
        local, there = both.on_disk(), both.on_milvus()
        assert [
            query
            for query in asked
            if not same_found(there.search(query, 5), local.search(query, 5))
        ] == []
        local.close()


def test_vectors_and_both_together(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from verifytui.engines.models.config import load_config

    monkeypatch.setenv("NEAR_KEY", "hush-hush-hush")
    vectors = {
        "bridge": [1.0, 0.0, 0.0],
        "crosses": [0.9, 0.1, 0.0],
        "Tea": [0.0, 1.0, 0.0],
        "茶": [0.0, 1.0, 0.1],
    }
    with Server() as model, Both(own / "dense.db", "dense", ROWS[:8]) as both:
        model.says = Embedder(vectors, [0.3, 0.3, 0.3])
        config_file = own / "config.yaml"
        config_file.write_text(config_for(model))
        config, env = load_config(config_file, {}), {"NEAR_KEY": "hush-hush-hush"}

        def nothing(*_: object) -> None:
            return None

        async def bought_and_asked() -> list[tuple[Any, Any]]:
            await Dense(
                CorpusFolder(both.corpora.path("dense")),
                "dense",
                VectorSource("near", config, env),
            ).complete(announce=nothing, progress=nothing, say=nothing)
            assert both.fill().head.dense is not None
            local, there = both.on_disk(), both.on_milvus()
            local.embedder = there.embedder = embedder(config, env)
            pairs = []
            for mode in ("dense", "hybrid"):
                for query in ("bridge", "Tea and 茶", "harbour"):
                    wanted = PassageFilter(mode=mode, duplicates="all")  # type: ignore[arg-type]
                    pairs.append(
                        (
                            await local.retrieve(query, 5, wanted),
                            await there.retrieve(query, 5, wanted),
                        )
                    )
            local.close()
            return pairs

        for expected, found in asyncio.run(bought_and_asked()):
            assert [one.id for one in found.references] == [
                one.id for one in expected.references
            ]
            assert found.vectors_by == expected.vectors_by == "my-embedder"
            assert found.usage == expected.usage
            assert numpy.allclose(
                [one.dense_score for one in found.references],
                [one.dense_score for one in expected.references],
                atol=1e-4,
            )
            assert [one.found_by for one in found.references] == [
                one.found_by for one in expected.references
            ]
        assert both.fill().sent == 0
        there = both.on_milvus()
        there.embedder = embedder(config, env)
        model.says = Embedder({}, [0.3, 0.3, 0.3, 0.3])
        with pytest.raises(
            RetrievalError,
            match="vectors of 4 numbers, but the corpus has vectors of 3",
        ):
            asyncio.run(there.retrieve("whoever", 5, PassageFilter(mode="dense")))
        with pytest.raises(RetrievalError, match="Milvus"):
            there.search(
                "whoever",
                5,
                PassageFilter(mode="dense"),
                numpy.ones(4, dtype="float32"),
            )
        both.corpora.build("dense", words="jieba")
        assert both.fill().rebuilt == "words"
