"""`ask` with what is outside: a search engine of the web, embedding and reranking
models, a retriever that fails.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from verifytui.tests.support.commanding import command, documents, refused, rows
from verifytui.tests.support.serving import Asked, Says, Server

pytestmark = pytest.mark.slow

QUESTION = "When was the lighthouse of Vern built?"
SENTENCE = "The lighthouse of Vern was built in 1873."
SECRET = "key-of-the-ranking-server-0123456789"
HITS = [
    {
        "title": "<b>Vern</b>",
        "url": "http://127.0.0.1:1/vern",
        "content": "The lighthouse of <b>Vern</b> was built in 1873.\u001b[31m",
    },
    {
        "title": "Tea",
        "url": "https://example.org/tea",
        "content": "Tea is made of leaves &amp; hot water.",
    },
]


@pytest.fixture
def outside() -> Iterator[Server]:
    with Server() as running:
        running.says = _says
        yield running


def _says(asked: Asked) -> Says:
    """SearXNG, a retriever, an embedding model that finds short texts nearest to the
    query, a reranker that likes the last text best.
    """
    place = asked.path.partition("?")[0]
    if asked.method == "GET":
        return Says({"results": HITS})
    if place.endswith("/embeddings"):
        texts = asked.json["input"]
        vectors = [[1.0, 0.0], *([1.0, len(text) / 100] for text in texts[1:])]
        items = [
            {"object": "embedding", "index": at, "embedding": vector}
            for at, vector in enumerate(vectors)
        ]
        return Says(
            {
                "object": "list",
                "model": "m",
                "data": items,
                "usage": {"prompt_tokens": 9, "total_tokens": 9},
            }
        )
    if place.endswith("/rerank"):
        return Says(
            {
                "id": "r",
                "results": [
                    {"index": at, "relevance_score": at / 10}
                    for at in range(len(asked.json["documents"]))
                ],
            }
        )
    return Says({"passages": [SENTENCE]})


@pytest.fixture
def models(outside: Server, home: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """`near` embeds and `judge` ranks, at that server."""
    monkeypatch.setenv("RANKING_KEY", SECRET)
    common = {"api_base": f"{outside.url}/v1", "api_key_env": "RANKING_KEY"}
    named = {
        "near": {"model": "openai/near", **common},
        "judge": {"model": "cohere/judge", **common},
    }
    home.mkdir()
    (home / "config.yaml").write_text(json.dumps({"models": named}))
    return outside


@pytest.mark.parametrize("pages", [False, True], ids=["excerpts", "pages"])
def test_the_web_is_searched(
    pages: bool, outside: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page on a private address is not fetched, so its excerpt stands in for it."""
    monkeypatch.setenv("SEARXNG_API_BASE", outside.url)
    outside.says = lambda asked: Says({"results": HITS[:1] if pages else HITS})
    more = ["--web-pages"] if pages else []
    done = command(
        "ask", QUESTION, "--web", "searxng", *more, "--save", tmp_path / "s.yaml"
    )
    assert done.returncode == 0, done.stderr
    assert "[1] Vern" in done.stdout
    assert " · only a search engine's excerpt" in done.stdout
    assert "\x1b" not in done.stdout
    header, found, *_ = documents(tmp_path / "s.yaml")
    assert header["task"]["corpus"] == "web:searxng"
    assert found["retriever"] == "web:searxng"
    assert [one["flags"] for one in found["references"]] == [["snippet"]] * (
        1 if pages else 2
    )
    assert len(outside.asked) == 1, "the search, and no page of this machine"
    assert outside.url not in (tmp_path / "s.yaml").read_text()


def test_a_search_engine_that_wants_a_key_is_not_asked_without_one() -> None:
    refused(command("ask", QUESTION, "--web", "tavily", "--no-save"), "TAVILY_API_KEY")


def test_models_rank_what_was_found_and_what_they_cost_is_not_nothing(
    models: Server, tmp_path: Path
) -> None:
    file = tmp_path / "s.yaml"
    done = command(
        "ask",
        "Who was the first on the Moon?",
        "--corpus",
        "example",
        "--embed",
        "near",
        "--rerank",
        "judge",
        "--k",
        "2",
        "--save",
        file,
    )
    assert done.returncode == 0, done.stderr
    _, found, *_ = documents(file)
    scores = [
        (one["rerank_score"], one["embed_score"] is not None, one["score"] is not None)
        for one in found["references"]
    ]
    assert scores == [(max(scores)[0], True, True), (max(scores)[0] - 0.1, True, True)]
    assert (found["usage"], found["cost"]) == (
        {"input": None, "output": None, "estimated": False},
        None,
    )
    assert "4 calls, unknown tokens in, unknown out, cost unknown" in done.stderr, (
        "three of the built-in, which judges false and is asked once for a query, "
        "and one of the models that rank"
    )
    assert all(
        asked.headers["authorization"] == f"Bearer {SECRET}" for asked in models.asked
    )
    assert SECRET not in file.read_text() + done.stdout + done.stderr
    alone = command(
        "ask",
        "Who was the first on the Moon?",
        "--corpus",
        "example",
        "--embed",
        "near",
        "--no-save",
        "--output",
        "json",
    )
    assert rows(alone.stdout)[1]["usage"] == {
        "input": 9,
        "output": 0,
        "estimated": False,
    }


def test_a_search_that_fails_is_no_call_and_costs_nothing(
    outside: Server, tmp_path: Path
) -> None:
    file = tmp_path / "s.yaml"
    outside.says = Says({}, status=500)
    done = command(
        "ask", QUESTION, "--retriever", f"{outside.url}/search", "--save", file
    )
    assert done.returncode == 1
    assert "status 500" in done.stderr
    failure = documents(file)[-1]
    assert (failure["role"], failure["attempts"], failure["cost"]) == (
        "retriever",
        0,
        0,
    )
    outside.says = _says
    again = command("resume", file, "--retriever", f"{outside.url}/search")
    assert again.returncode == 0, again.stderr
    assert "2 calls, 0 tokens in, 0 out, cost $0.00" in again.stderr
    assert f"Result: {SENTENCE}" in again.stdout


def test_a_ranking_model_that_fails_may_have_cost_something(
    models: Server, tmp_path: Path
) -> None:
    file = tmp_path / "s.yaml"
    models.says = Says({"error": {"message": "no"}}, status=500)
    assert (
        command(
            "ask", QUESTION, "--corpus", "example", "--embed", "near", "--save", file
        ).returncode
        == 1
    )
    failure = documents(file)[-1]
    assert (
        failure["role"],
        failure["attempts"],
        failure.get("cost"),
        failure.get("usage"),
    ) == ("retriever", 1, None, None)


def test_a_batch_whose_retriever_was_down_goes_on_when_it_is_back(
    outside: Server, tmp_path: Path
) -> None:
    file, into = tmp_path / "q.jsonl", tmp_path / "out"
    file.write_text(
        "\n".join(
            json.dumps({"id": f"q{n}", "question": QUESTION, "answers": ["1873"]})
            for n in range(3)
        )
    )

    def batch() -> Any:
        return command(
            "ask",
            "--questions",
            file,
            "--retriever",
            f"{outside.url}/search",
            "--into",
            into,
            "--fail-under",
            "accuracy=1",
        )

    outside.says = lambda asked: (
        Says({}, status=503) if len(outside.asked) > 1 else _says(asked)
    )
    first = batch()
    assert first.returncode == 1
    assert "3 questions: 1 done, 2 failed, 0 not finished" in first.stdout
    outside.says, asked = _says, len(outside.asked)
    second = batch()
    assert second.returncode == 0, second.stderr
    assert len(outside.asked) == asked + 2, "what is done is not searched for again"
    told = json.loads((into / "report.json").read_text())
    assert (told["calls"], told["cost"], told["accuracy"]["count"]) == (6, 0.0, 3)
