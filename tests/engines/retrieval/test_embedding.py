"""Dense indexes: bought from an embedding model over the loopback, searched, brought up
to date.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.models.config import Config, NamedModel, load_config
from verifytui.engines.models.seating import seat
from verifytui.engines.retrieval.corpus import Corpora, Corpus
from verifytui.engines.retrieval.embedding import (
    Dense,
    EmbeddingPlan,
    EmbeddingPurchase,
    VectorSource,
    drop,
    embedder,
)
from verifytui.engines.retrieval.home import CorpusFolder
from verifytui.engines.retrieval.port import (
    PassageFilter,
    RetrievalError,
    RetrievalResult,
)
from verifytui.engines.retrieval.ranking import Reranker
from verifytui.sessions.errors import BadInput
from verifytui.sessions.paths import paths
from verifytui.tests.support.embedding import Embedder, config_for
from verifytui.tests.support.serving import Asked, Says, Server

KEYS = {"NEAR_KEY": "hush-hush-hush"}
TEXTS = {
    "bridge.txt": "The bridge over the harbour carries eight lanes.",
    "ferry.txt": "A ferry takes twenty minutes.",
    "lake.txt": "The lake is calm.",
    "panda.txt": "大熊猫生活在竹林里。",
}
VECTORS = {
    "bridge": [1.0, 0.0, 0.0],
    "ferry": [0.9, 0.4, 0.0],
    "lake": [0.0, 1.0, 0.0],
    "熊猫": [0.0, 0.0, 1.0],
    "panda": [0.0, 0.0, 1.0],
}


class Place:
    """A folder of texts, its corpus, and the model that embeds it."""

    def __init__(self, docs: Path, server: Server, config: Config) -> None:
        self.docs, self.server, self.config = docs, server, config
        self.model = Embedder(VECTORS, [0.5, 0.5, 0.5])
        server.says = self.model
        self.corpora = Corpora(paths())
        self.home = CorpusFolder(self.corpora.path("mine"))
        self.plans: list[EmbeddingPlan] = []
        for name, text in TEXTS.items():
            (docs / name).write_text(text, "utf-8")

    def dense(
        self, model: str = "near", batch: int = 96, env: Mapping[str, str] = KEYS
    ) -> Dense:
        return Dense(self.home, "mine", VectorSource(model, self.config, env), batch)

    async def complete(self, **options: Any) -> EmbeddingPurchase:
        self.corpora.build("mine", [self.docs])
        made = self.dense(**options)
        return await made.complete(
            announce=self.plans.append,
            progress=lambda done, total: None,
            say=lambda message: None,
        )

    def open(self) -> Corpus:
        corpus = self.corpora.open("mine")
        corpus.embedder = embedder(self.config, KEYS)
        return corpus

    async def ask(
        self, query: str, mode: Any, k: int = 4, **wanted: Any
    ) -> RetrievalResult:
        return await self.open().retrieve(query, k, PassageFilter(mode=mode, **wanted))


@pytest.fixture
def place(home: Path, tmp_path: Path) -> Iterator[Place]:
    docs = tmp_path / "docs"
    docs.mkdir()
    with Server() as server:
        home.mkdir()
        (home / "config.yaml").write_text(config_for(server))
        yield Place(docs, server, load_config(home / "config.yaml", {}))


def files(found: RetrievalResult) -> list[str | None]:
    return [one.file for one in found.references]


@pytest.mark.slow
async def test_words_vectors_or_both(place: Place) -> None:
    bought = await place.complete()
    assert bought == EmbeddingPurchase(
        "near", "my-embedder", 3, 4, 4, bought.usage, pytest.approx(8e-5)
    )
    assert place.plans == [
        EmbeddingPlan(
            "near", "127.0.0.1", 4, 4, place.plans[0].tokens, place.plans[0].cost
        )
    ]
    assert place.plans[0].cost == pytest.approx(place.plans[0].tokens * 2e-6)
    by_words = await place.ask("ferry over the bridge", "bm25")
    by_vector = await place.ask("panda", "dense", 2)
    assert files(by_vector)[0] == "docs/panda.txt"
    assert by_vector.references[0].score is None
    assert by_vector.references[0].dense_score == pytest.approx(1.0, abs=1e-3)
    assert not by_vector.references[0].found_by
    assert by_vector.usage is not None
    assert by_vector.vectors_by == "my-embedder"
    both = await place.ask("lake ferry", "hybrid")
    assert len(both.references) == 4
    assert all(one.dense_score is not None for one in both.references)
    first = both.references[0]
    assert first.found_by == {"bm25": 1, "dense": 1}
    assert "bm25" not in both.references[-1].found_by
    assert both.references[-1].score is None
    assert not by_words.references[0].found_by
    assert by_words.usage is None


async def test_filters_and_near_duplicates_hold_for_vectors_too(place: Place) -> None:
    (place.docs / "again").mkdir()
    (place.docs / "again" / "bridge.txt").write_text(TEXTS["bridge.txt"] + " Truly.")
    await place.complete()
    found = await place.ask("bridge", "hybrid", 2)
    assert found.left_out == {"duplicates": 1}
    assert files(await place.ask("bridge", "dense", 9, where="path=docs/lake.txt")) == [
        "docs/lake.txt"
    ]
    with pytest.raises(RetrievalError, match="colour"):
        await place.ask("bridge", "dense", 9, where="colour=red")


async def test_only_what_changed_is_embedded_again(place: Place) -> None:
    (place.docs / "twin.txt").write_text(TEXTS["lake.txt"])
    (place.docs / "lake.txt").unlink()
    (place.docs / "other.md").write_text("# lake\n\nThe lake is calm.")
    await place.complete()
    (place.docs / "ferry.txt").write_text("The ferry takes an hour.")
    (place.docs / "panda.txt").unlink()
    place.model.batches.clear()
    bought = await place.complete()
    assert place.model.texts == ["ferry\nThe ferry takes an hour."]
    assert (bought.passages, bought.embedded) == (4, 1)
    assert files(await place.ask("ferry", "dense", 1)) == ["docs/ferry.txt"]
    place.model.batches.clear()
    files_now = sorted(place.home.path.glob("dense-*.npy"))
    assert len(files_now) == 2
    assert (await place.complete()).embedded == 0
    assert place.model.batches == []
    assert sorted(place.home.path.glob("dense-*.npy")) == files_now


async def test_broken_off_it_goes_on_from_what_is_on_disk(place: Place) -> None:
    place.model.failing[2] = Says({"error": {"message": "no money left"}}, status=401)
    with pytest.raises(RetrievalError):
        await place.complete(batch=1)
    done = place.model.texts
    assert len(done) == 2
    for mode in ("dense", "hybrid"):
        with pytest.raises(RetrievalError, match="no vector of near yet"):
            await place.ask("lake", mode)
    assert files(await place.ask("lake", "bm25")) == ["docs/lake.txt"]
    place.model.batches.clear()
    assert (await place.complete(batch=3)).embedded == 2
    assert set(place.model.texts).isdisjoint(done)
    assert files(await place.ask("lake", "dense", 1)) == ["docs/lake.txt"]


async def test_what_is_paid_for_is_on_disk_before_the_next_call(
    place: Place, tmp_path: Path
) -> None:
    """What stands on disk when the third call comes is what a kill would leave."""
    left = tmp_path / "left"

    def answer(asked: Asked) -> Says:
        if place.model.calls == 2:
            shutil.copytree(place.home.path, left)
        return place.model(asked)

    place.server.says = answer
    await place.complete(batch=1)
    shutil.rmtree(place.home.path)
    left.rename(place.home.path)
    paid = place.model.texts[:2]
    place.model.batches.clear()
    assert (await place.complete()).embedded == 2
    assert set(place.model.texts).isdisjoint(paid)


async def test_cancelled_it_keeps_what_was_paid_for_and_lets_go(place: Place) -> None:
    place.corpora.build("mine", [place.docs])
    told: list[int] = []
    costs: list[float | None] = []
    seen: list[tuple[Any, ...]] = []
    task: asyncio.Task[Any]
    dense = place.dense(batch=1)

    def progress(done: int, total: int) -> None:
        told.append(done)
        costs.append(dense.cost)
        building = place.home.building()
        assert building is not None
        seen.append((building.done, building.total, building.vectors))
        if done == 2:
            task.cancel()

    task = asyncio.ensure_future(
        dense.complete(
            announce=place.plans.append, progress=progress, say=lambda message: None
        )
    )
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told == [0, 1, 2]
    assert costs == [0.0, pytest.approx(2e-5), pytest.approx(4e-5)]
    assert seen[0] == (0, 4, True)
    assert place.home.building() is None
    assert (await place.complete()).embedded == 2


async def test_a_call_that_fails_in_passing_is_made_again(place: Place) -> None:
    place.model.failing = {
        0: Says({"error": {"message": "busy"}}, status=503),
        1: Says({"error": {"message": "slowly"}}, status=429),
    }
    said: list[str] = []
    place.corpora.build("mine", [place.docs])
    await place.dense().complete(
        announce=place.plans.append, progress=lambda done, total: None, say=said.append
    )
    assert len(said) == 2
    assert len(place.model.batches) == 1


@pytest.mark.parametrize(
    ("vector", "words"),
    [
        ([0.0, 0.0, 0.0], r"returned a vector without a direction \(all zeros"),
        ([1.0, 0.0], "lengths"),
        ([1e400, 0.0, 0.0], "cannot be read"),
    ],
    ids=str,
)
async def test_vectors_that_are_none(
    place: Place, vector: list[float], words: str
) -> None:
    place.model.vectors = {**VECTORS, "ferry": vector}
    place.model.failing[0] = _as_json(place, vector)
    place.config.retries = 0
    with pytest.raises(RetrievalError, match=words) as caught:
        await place.complete()
    assert "\n" not in str(caught.value)


def _as_json(place: Place, vector: list[float]) -> Says:
    texts = [
        f"{name.removesuffix('.txt')}\n{text}" for name, text in sorted(TEXTS.items())
    ]
    data = [
        {"index": at, "embedding": vector if "ferry" in text else VECTORS["bridge"]}
        for at, text in enumerate(texts)
    ]
    return Says(
        {
            "object": "list",
            "model": "my-embedder",
            "data": data,
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }
    )


async def test_vectors_of_another_length_or_another_model_are_not_mixed_in(
    place: Place,
) -> None:
    await place.complete()
    place.model.vectors = {}
    place.model.other = [1.0, 0.0]
    with pytest.raises(
        RetrievalError, match="vectors of 2 numbers, but the corpus has vectors of 3"
    ):
        await place.ask("lake", "dense")
    place.model.other, place.model.model = [1.0, 0.0, 0.0], "another"
    with pytest.raises(
        RetrievalError, match=r"reports itself as another, but my-embedder made"
    ):
        await place.ask("lake", "dense")
    (place.docs / "new.txt").write_text("Something new.")
    with pytest.raises(RetrievalError, match="itself as another"):
        await place.complete()


async def test_another_model_takes_the_place_of_the_first_when_it_is_done(
    place: Place,
) -> None:
    await place.complete()
    place.config.models["far"] = NamedModel(
        model="far-embedder", api_base=f"{place.server.url}/v1"
    )
    place.server.says = Says({"error": {"message": "no such model"}}, 404)
    with pytest.raises(RetrievalError):
        await place.complete(model="far")
    place.server.says = place.model
    assert files(await place.ask("lake", "dense", 1)) == ["docs/lake.txt"]
    place.model.model, place.model.vectors, place.model.other = (
        "far-embedder",
        {},
        [0.0, 1.0],
    )
    assert (await place.complete(model="far")).embedded == 4
    corpus = place.open()
    assert corpus.meta.dense is not None
    assert (
        corpus.meta.dense.model,
        corpus.meta.dense.answered,
        corpus.meta.dense.size,
    ) == ("far", "far-embedder", 2)
    assert drop(place.home, "mine")
    assert not drop(place.home, "mine")
    assert not list(place.home.path.glob("dense-*"))
    with pytest.raises(RetrievalError, match="has no vectors"):
        await place.ask("lake", "dense")


async def test_no_key_is_written_and_local_only_holds(place: Place) -> None:
    place.model.model = "hush-hush-hush"
    await place.complete()
    assert place.server.asked[-1].headers["authorization"] == "Bearer hush-hush-hush"
    assert not [
        path
        for path in place.home.path.rglob("*")
        if path.is_file() and b"hush" in path.read_bytes()
    ]
    place.config.local_only = True
    with pytest.raises(RetrievalError, match="local_only"):
        await place.complete(
            model="openai/text-embedding-3-small", env={"OPENAI_API_KEY": "sk-x"}
        )
    with pytest.raises(BadInput, match="lexical"):
        place.dense("lexical")


async def test_an_index_of_another_version_keeps_its_model_and_its_vectors(
    place: Place,
) -> None:
    await place.complete()
    told = place.home.path / "index.json"
    told.write_text(told.read_text().replace('"format":', '"format":9'))
    place.model.batches.clear()
    assert place.corpora.build("mine", [place.docs]).indexed == 4
    assert place.home.meta("mine").dense is not None
    assert (await place.complete()).embedded == 0
    assert files(await place.ask("lake", "dense", 1)) == ["docs/lake.txt"]


async def test_a_model_that_is_called_as_another_was_is_another(place: Place) -> None:
    await place.complete()
    place.config.models["near"] = NamedModel(
        model="far-embedder", api_base=f"{place.server.url}/v1"
    )
    place.model.model, place.model.vectors, place.model.other = (
        "far-embedder",
        {},
        [0.0, 1.0],
    )
    (place.docs / "new.txt").write_text("Something new.")
    assert (await place.complete()).embedded == 5


async def test_what_a_query_took_is_counted_beside_what_ranks(place: Place) -> None:
    await place.complete()
    ranked = Reranker(
        place.open(),
        embed=seat("near", place.config),
        rerank=None,
        config=place.config,
        env=KEYS,
    )
    found = await ranked.retrieve("lake", 2, PassageFilter(mode="hybrid"))
    assert found.usage is not None
    assert found.usage.input == 10 + 10 * 5


async def test_damaged_vectors_stop_no_search_by_words(place: Place) -> None:
    await place.complete()
    for path in place.home.path.glob("dense-*.npy"):
        path.write_bytes(path.read_bytes()[:-2])
    assert files(await place.ask("lake", "bm25")) == ["docs/lake.txt"]
    with pytest.raises(RetrievalError, match="cannot be read"):
        await place.ask("lake", "dense")
