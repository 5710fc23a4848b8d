"""Reranking and embedding through LiteLLM, over the loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from verifytui.engines.models.config import Config, NamedModel, TokenPrices
from verifytui.engines.models.seating import seat
from verifytui.engines.retrieval.given_references import GivenReferences
from verifytui.engines.retrieval.port import (
    ANY,
    PassageFilter,
    RetrievalError,
    RetrievalResult,
)
from verifytui.engines.retrieval.ranking import Reranker, cosine
from verifytui.sessions.events import Reference, Usage
from verifytui.tests.support.serving import Asked, Says, Server


class Inner:
    """Finds as many as it is asked for, and remembers for how many that was."""

    name = "corpus"

    def __init__(self, size: int = 1000) -> None:
        self.size = size
        self.asked: list[int] = []

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        self.asked.append(k)
        count = min(k, self.size)
        return RetrievalResult(
            references=[
                Reference(n=n, id=f"p{n}", title="T", text=f"text {n}", score=float(-n))
                for n in range(1, count + 1)
            ],
            unknown=["zebra"],
            message=None if count else "Nothing.",
        )

    def lexicon(self) -> None:
        return None


@pytest.fixture
def server(home: object) -> Iterator[Server]:
    with Server() as running:
        running.says = _models
        yield running


def _models(asked: Asked) -> Says:
    """An embedding under which text 7 is nearest to the query, then 6, 8, 5 …, and a
    reranker that likes the last best.
    """
    data = asked.json
    if asked.path.endswith("/embeddings"):
        vectors = [
            [1.0, 0.0],
            *(
                [1.0, abs(int(text.split()[-1]) - 7) + int(text.split()[-1]) / 100]
                for text in data["input"][1:]
            ),
        ]
        items = [
            {"object": "embedding", "index": at, "embedding": vector}
            for at, vector in enumerate(vectors)
        ]
        return Says(
            {
                "object": "list",
                "model": data["model"],
                "data": items,
                "usage": {"prompt_tokens": 30, "total_tokens": 30},
            }
        )
    results = [
        {"index": at, "relevance_score": at / 10}
        for at in reversed(range(len(data["documents"])))
    ]
    return Says(
        {
            "id": "r",
            "results": results,
            "usage": {"total_tokens": 40},
            "meta": {"billed_units": {"total_tokens": 40}},
        }
    )


Make = Callable[..., Reranker]
KEYS = {"NEAR_KEY": "hush-hush-hush"}


@pytest.fixture
def make(server: Server) -> Make:
    def made(
        inner: Any = None,
        *,
        embed: str | None = None,
        rerank: str | None = None,
        prices: bool = True,
        env: Mapping[str, str] = KEYS,
        **more: Any,
    ) -> Reranker:
        price = TokenPrices(input=2.0, output=0.0) if prices else None
        config = Config(
            models={
                "near": NamedModel(
                    model="my-embedder",
                    api_base=f"{server.url}/v1",
                    api_key_env="NEAR_KEY",
                    prices=price,
                    timeout=20,
                ),
                "judge": NamedModel(
                    model="my-reranker",
                    api_base=f"{server.url}/v1",
                    prices=price,
                    timeout=20,
                ),
                "cohere-like": NamedModel(
                    model="cohere/rerank-v3.5", api_base=server.url
                ),
            },
            **more,
        )
        seats = [seat(model, config) if model else None for model in (embed, rerank)]
        return Reranker(
            inner or Inner(), embed=seats[0], rerank=seats[1], config=config, env=env
        )

    return made


async def test_embeddings_order_what_was_found(server: Server, make: Make) -> None:
    inner = Inner()
    found = await make(inner, embed="near").retrieve("query", 3)
    assert inner.asked == [20], "candidates: max(4k, 20)"
    asked = server.asked[0]
    assert asked.headers["authorization"] == "Bearer hush-hush-hush"
    assert asked.json["model"] == "my-embedder"
    assert asked.json["input"][:2] == ["query", "T\ntext 1"]
    assert len(asked.json["input"]) == 21
    assert [(one.n, one.id) for one in found.references] == [
        (1, "p7"),
        (2, "p6"),
        (3, "p8"),
    ]
    assert found.references[0].embed_score == pytest.approx(cosine([1, 0], [1, 0.07]))
    assert (found.references[0].score, found.references[0].rerank_score) == (-7.0, None)
    assert found.unknown == ["zebra"]
    assert (found.usage, found.cost) == (
        Usage(input=30, output=0),
        pytest.approx(60e-6),
    )


async def test_reranking_has_the_last_word_and_both_figures_are_kept(
    server: Server, make: Make
) -> None:
    inner = Inner()
    found = await make(inner, embed="near", rerank="judge").retrieve("query", 6)
    assert inner.asked == [24]
    _, ranking = server.asked
    assert ranking.json["query"] == "query"
    assert ranking.json["documents"][0] == "T\ntext 1"
    assert len(ranking.json["documents"]) == 24
    assert [one.id for one in found.references] == [
        "p24",
        "p23",
        "p22",
        "p21",
        "p20",
        "p19",
    ]
    assert found.references[0].rerank_score == 2.3
    assert found.references[0].embed_score == pytest.approx(cosine([1, 0], [1, 17.24]))
    assert (found.usage, found.cost) == (
        Usage(input=70, output=0),
        pytest.approx(140e-6),
    )


async def test_what_the_reranker_leaves_out_comes_last(
    server: Server, make: Make
) -> None:
    server.says = Says({"id": "r", "results": [{"index": 2, "relevance_score": -0.5}]})
    found = await make(Inner(3), rerank="judge").retrieve("query", 5)
    assert [(one.id, one.rerank_score) for one in found.references] == [
        ("p3", -0.5),
        ("p1", None),
        ("p2", None),
    ]


async def test_unknown_usage_and_prices_stay_unknown(
    server: Server, make: Make
) -> None:
    server.says = Says({"id": "r", "results": [{"index": 0, "relevance_score": 0.5}]})
    found = await make(Inner(1), rerank="judge").retrieve("query", 5)
    assert (found.usage, found.cost) == (Usage(), None), (
        "a model was asked, so what it took is not nothing"
    )
    server.says = _models
    found = await make(Inner(1), embed="near", prices=False).retrieve("query", 5)
    assert (found.usage, found.cost) == (Usage(input=30, output=0), None)


async def test_a_rerankers_own_protocol_at_another_address(
    server: Server, make: Make
) -> None:
    found = await make(Inner(4), rerank="cohere-like").retrieve("query", 2)
    assert server.asked[0].path == "/v2/rerank"
    assert (
        "authorization" not in server.asked[0].headers
        or server.asked[0].headers["authorization"] == "Bearer none"
    )
    assert [one.id for one in found.references] == ["p4", "p3"]
    assert found.cost is None, "the table's price is the provider's, not this server's"


async def test_nothing_found_asks_no_model(server: Server, make: Make) -> None:
    found = await make(Inner(0), embed="near", rerank="judge").retrieve("query", 5)
    assert (found.references, found.message, found.usage) == ([], "Nothing.", None)
    assert server.asked == []


async def test_given_references_are_put_in_order_and_none_is_cut(
    server: Server, make: Make
) -> None:
    given = GivenReferences(
        [Reference(n=n, id=str(n), text=f"text {n}") for n in range(1, 9)]
    )
    found = await make(given, rerank="judge").retrieve("query", 2)
    assert [(one.n, one.id) for one in found.references] == [
        (n, str(9 - n)) for n in range(1, 9)
    ]
    assert (await given.retrieve("query", 2)).references[0].rerank_score is None


async def test_many_texts_go_in_several_calls(
    server: Server, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifytui.engines.models.other_endpoints.AT_ONCE", 8)

    def vectors(asked: Asked) -> Says:
        items = [
            {"object": "embedding", "index": at, "embedding": [1.0, float(len(text))]}
            for at, text in enumerate(asked.json["input"])
        ]
        return Says(
            {
                "object": "list",
                "data": items,
                "usage": {"prompt_tokens": 8, "total_tokens": 8},
            }
        )

    server.says = vectors
    found = await make(embed="near").retrieve("query", 2)
    assert sorted(len(asked.json["input"]) for asked in server.asked) == [5, 8, 8], (
        "they are sent at once, in any order"
    )
    assert found.usage == Usage(input=24, output=0)


def _embedding(*vectors: Any) -> Says:
    return Says(
        {
            "object": "list",
            "data": [
                {"object": "embedding", "index": at, "embedding": one}
                for at, one in enumerate(vectors)
            ],
        }
    )


@pytest.mark.parametrize("which", ["embed", "rerank"])
@pytest.mark.parametrize(
    ("says", "kind"),
    [
        (Says({"error": {"message": "no"}}, status=401), "auth"),
        (Says({"error": {"message": "slow down"}}, status=429), "rate-limit"),
        (Says({"error": {"message": "oops"}}, status=500), "server"),
        (Says({"error": {"message": "no such model"}}, status=404), "bad-request"),
        (Says("<html>nonsense"), "server"),
        (Says({}), "server"),
        (Says({"data": [], "results": []}), "server"),
        (Says(hang=True), "connection"),
    ],
    ids=lambda value: str(getattr(value, "status", value)),
)
async def test_faults_are_one_sentence_and_one_call(
    server: Server, make: Make, which: str, says: Says, kind: str
) -> None:
    server.says = says
    with pytest.raises(RetrievalError) as caught:
        await make(
            Inner(1), **{which: "near" if which == "embed" else "judge"}
        ).retrieve("query", 5)
    assert caught.value.kind == kind
    assert "\n" not in str(caught.value)
    assert "hush" not in str(caught.value)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("which", "says"),
    [
        ("embed", _embedding([1.0, 0.0])),
        ("embed", _embedding([1.0, 0.0], [1.0])),
        ("embed", _embedding([1.0, 0.0], [])),
        ("embed", _embedding([1.0, 0.0], ["x", "y"])),
        (
            "embed",
            Says(
                json.dumps(_embedding([1.0, 0.0], [1.0, 0.5]).body).replace(
                    "0.5", "NaN"
                )
            ),
        ),
        (
            "rerank",
            Says({"id": "r", "results": [{"index": 1, "relevance_score": 0.5}]}),
        ),
        (
            "rerank",
            Says({"id": "r", "results": [{"index": -1, "relevance_score": 0.5}]}),
        ),
        (
            "rerank",
            Says(
                {
                    "id": "r",
                    "results": [
                        {"index": 0, "relevance_score": 0.5},
                        {"index": 0, "relevance_score": 0.6},
                    ],
                }
            ),
        ),
        (
            "rerank",
            Says('{"id": "r", "results": [{"index": 0, "relevance_score": NaN}]}'),
        ),
    ],
)
async def test_nonsense_is_refused(
    server: Server, make: Make, which: str, says: Says
) -> None:
    server.says = says
    with pytest.raises(RetrievalError, match="cannot be read") as caught:
        await make(
            Inner(1), **{which: "near" if which == "embed" else "judge"}
        ).retrieve("query", 5)
    assert caught.value.kind == "server"


@pytest.mark.parametrize(
    ("which", "model"), [("rerank", "ollama/qwen3"), ("embed", "xai/grok-4")]
)
async def test_a_model_that_can_do_no_such_thing(
    make: Make, which: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XAI_API_KEY", "hush-hush-hush")
    ranked = make(**{which: model}, env={"XAI_API_KEY": "hush-hush-hush"})
    with pytest.raises(RetrievalError, match=f"{model} cannot do this") as caught:
        await ranked.retrieve("query", 5)
    assert caught.value.kind == "bad-request"


@pytest.mark.parametrize("which", ["embed", "rerank"])
async def test_cancelling_closes_the_connection(
    server: Server, make: Make, which: str
) -> None:
    server.says = Says(silent=True)
    ranked = make(Inner(1), **{which: "near" if which == "embed" else "judge"})
    asking = asyncio.create_task(ranked.retrieve("query", 5))
    assert await asyncio.to_thread(server.came.wait, 20)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await asyncio.to_thread(server.left.wait, 10)


async def test_local_only_and_missing_keys(make: Make, server: Server) -> None:
    with pytest.raises(RetrievalError, match="local_only") as caught:
        await make(rerank="cohere/rerank-v3.5", local_only=True).retrieve("query", 5)
    assert caught.value.kind == "not-local"
    ranked = make(embed="near", env={})
    with pytest.raises(RetrievalError, match="set NEAR_KEY") as caught:
        await ranked.retrieve("query", 5)
    assert caught.value.kind == "missing-key"
    with pytest.raises(RetrievalError, match="COHERE_API_KEY") as caught:
        await make(rerank="cohere/rerank-v3.5").retrieve("query", 5)
    assert caught.value.kind == "missing-key"
    assert server.asked == []


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [
        ([1, 2], [2, 4], 1),
        ([1, 0], [0, 3], 0),
        ([1, 0], [-2, 0], -1),
        ([0, 0], [1, 1], 0),
    ],
)
def test_cosine(one: list[float], other: list[float], value: float) -> None:
    assert cosine(one, other) == pytest.approx(value)
