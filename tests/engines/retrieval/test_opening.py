"""The retriever that a session's header names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.models.config import Config, NamedModel, NamedRetriever
from verifytui.engines.retrieval.given_references import GivenReferences
from verifytui.engines.retrieval.http_retriever import Http
from verifytui.engines.retrieval.opening import open_retriever
from verifytui.engines.retrieval.port import RetrievalError, Retriever
from verifytui.engines.retrieval.ranking import Reranker
from verifytui.engines.retrieval.web import Web
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Header, Prompts

ENV = {"SEARXNG_API_BASE": "http://127.0.0.1:9"}


def opened(
    task: dict[str, Any],
    settings: dict[str, Any] | None = None,
    config: Config | None = None,
    url: str | None = None,
) -> Retriever:
    header = Header(
        id="x", workspace="rag", created="", title="t", task={"question": "Q?", **task}, lineup={}, settings=settings or {},
        prompts=Prompts(set="en", hash="", templates={}),
    )  # fmt: skip
    return open_retriever(header, config or Config(), paths(), ENV, url=url)


async def test_given_references(home: Path) -> None:
    given = opened(
        {"corpus": "given", "references": ["one", {"title": "T", "text": "two"}]}
    )
    assert isinstance(given, GivenReferences)
    assert [one.text for one in (await given.retrieve("Q?", 1)).references] == [
        "one",
        "two",
    ]
    assert (
        await opened({"corpus": "given"}).retrieve("Q?", 1)
    ).message == "No references were given."


def test_the_web(home: Path) -> None:
    web = opened({"corpus": "web:searxng"}, {"web_pages": True})
    assert isinstance(web, Web)
    assert web.name == "web:searxng"


def test_http_by_address_and_by_name(home: Path) -> None:
    named = Config(retrievers={"mine": NamedRetriever(url="http://127.0.0.1:9/find")})
    assert isinstance(opened({"corpus": "http"}, url="http://127.0.0.1:9"), Http)
    assert isinstance(opened({"corpus": "http:mine"}, config=named), Http)


async def test_a_folder(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "sea.txt").write_text("The sea is salty.")
    corpus = opened({"corpus": str(folder)})
    assert corpus.name == "corpus"
    assert [one.text for one in (await corpus.retrieve("salty sea", 5)).references] == [
        "The sea is salty."
    ]


@pytest.mark.parametrize(
    "settings",
    [
        {"rerank": "cohere/rerank-v3.5"},
        {"embed": "mine"},
        {"embed": "mine", "rerank": "mine"},
    ],
)
def test_models_that_rank(home: Path, settings: dict[str, Any]) -> None:
    config = Config(
        models={"mine": NamedModel(model="bge", api_base="http://127.0.0.1:9/v1")}
    )
    ranked = opened({"corpus": "given", "references": ["one"]}, settings, config)
    assert isinstance(ranked, Reranker)
    assert isinstance(ranked.inner, GivenReferences)
    assert ranked.name == "given"


@pytest.mark.parametrize(
    ("task", "settings", "words"),
    [
        ({}, {}, "names no corpus"),
        ({"corpus": "  "}, {}, "names no corpus"),
        ({"corpus": 7}, {}, "names no corpus"),
        ({"corpus": "http"}, {}, "give --retriever URL"),
        ({"corpus": "http:theirs"}, {}, "config.yaml has no retriever 'theirs'"),
        ({"corpus": "web:altavista"}, {}, "no search engine 'altavista'"),
        ({"corpus": "no-such-corpus"}, {}, "no-such-corpus"),
        ({"corpus": "given", "references": [7]}, {}, "reference 1 is neither"),
        ({"corpus": "given", "references": {"a": 1}}, {}, "reference 1 has no text"),
        (
            {"corpus": "given", "references": 7},
            {},
            "has no references; give a list of texts, or of",
        ),
        ({"corpus": "given"}, {"rerank": 7}, "rerank must be a model"),
        ({"corpus": "given"}, {"rerank": "lexical"}, "rerank cannot be lexical"),
        (
            {"corpus": "given"},
            {"embed": "http://evil.example/v1"},
            "contains an address, which belongs in",
        ),
        ({"corpus": "given"}, {"embed": "human"}, "embed cannot be human"),
    ],
    ids=str,
)
def test_what_cannot_be_opened_is_one_sentence(
    home: Path, task: dict[str, Any], settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(RetrievalError, match=words) as caught:
        opened(task, settings)
    assert "\n" not in str(caught.value)


def test_an_address_in_a_session_is_never_asked(home: Path) -> None:
    """A session may come from anyone: what it calls a corpus is at most a path that is
    not there.
    """
    with pytest.raises(RetrievalError, match="There is no corpus"):
        opened({"corpus": "http://evil.example/find"})


def test_a_session_from_elsewhere_does_not_choose_which_folder_is_read(
    home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "diary.txt").write_text("Nobody is to read this.\n")
    header = Header(
        id="x", workspace="rag", created="", title="t", task={"question": "Q?", "corpus": str(folder)}, lineup={}, settings={},
        prompts=Prompts(set="en", hash="", templates={}),
    )  # fmt: skip
    with pytest.raises(RetrievalError, match="needs permission to read"):
        open_retriever(header, Config(), paths(), ENV, foreign=True)
    assert not list((home / "cache").rglob("index.json"))
    assert open_retriever(header, Config(), paths(), ENV).name == "corpus"
    assert open_retriever(header, Config(), paths(), ENV, foreign=True).name == "corpus"
