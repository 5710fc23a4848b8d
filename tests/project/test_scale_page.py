"""docs/scale.md: its OpenSearch adapter runs, against a server that speaks `_search`."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.retrieval.http_retriever import Http
from verifytui.engines.retrieval.port import RetrievalError
from verifytui.tests.support.serving import Asked, Says, Server

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scale.md"
HITS: list[dict[str, Any]] = [
    {
        "_index": "passages",
        "_id": "p7",
        "_score": 4.2,
        "_source": {
            "text": "The tower stood in 1889.",
            "title": "Tower",
            "url": "https://a.example/t",
        },
    },
    {
        "_index": "passages",
        "_id": "p2",
        "_score": 1.5,
        "_source": {"text": "塔建于1889年。"},
    },
]
FOUND = {
    "took": 3,
    "timed_out": False,
    "_shards": {"total": 2, "successful": 2, "skipped": 0, "failed": 0},
    "hits": {"hits": HITS},
}


@contextmanager
def adapter(opensearch: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The page's program, beside an OpenSearch; its address."""
    monkeypatch.setenv("OPENSEARCH_URL", opensearch.url + "/")
    monkeypatch.setenv("OPENSEARCH_USER", "reader")
    monkeypatch.setenv("OPENSEARCH_PASSWORD", "sesame")
    program = next(
        block
        for block in re.findall(
            r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S
        )
        if "_search" in block
    )
    names: dict[str, Any] = {"__name__": "opensearch_retriever"}
    exec(compile(program, str(PAGE), "exec"), names)
    with ThreadingHTTPServer(("127.0.0.1", 0), names["Retriever"]) as served:
        thread = threading.Thread(
            target=served.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        thread.start()
        yield f"http://127.0.0.1:{served.server_address[1]}"
        served.shutdown()
        thread.join()


async def test_what_opensearch_finds_comes_as_references(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Server() as opensearch, adapter(opensearch, monkeypatch) as url:
        opensearch.says = Says(FOUND)
        found = await Http(url).retrieve("塔 the tower?", 2)
        opensearch.says = Says({**FOUND, "hits": {"hits": []}})
        nothing = await Http(url).retrieve("nothing", 2)
    first, second = found.references
    assert (first.id, first.title, first.text, first.score, first.file) == (
        "p7",
        "Tower",
        HITS[0]["_source"]["text"],
        4.2,
        "https://a.example/t",
    )
    assert (second.id, second.text, second.score) == ("p2", "塔建于1889年。", 1.5)
    assert nothing.references == []
    asked = opensearch.asked[0]
    assert (asked.method, asked.path.partition("?")[0]) == ("POST", "/passages/_search")
    assert (asked.json["size"], asked.json["query"]["multi_match"]["query"]) == (
        2,
        "塔 the tower?",
    )
    assert asked.headers["authorization"] == "Basic cmVhZGVyOnNlc2FtZQ=="


def _without(index: Asked) -> Says:
    return Says(
        {
            "error": {
                "type": "index_not_found_exception",
                "reason": "no such index [passages]",
            },
            "status": 404,
        },
        status=404,
    )


@pytest.mark.parametrize(
    ("says", "kind", "words"),
    [
        (_without, "server", "no such index [passages]"),
        (
            Says("Unauthorized", status=401, kind="text/plain"),
            "server",
            "OpenSearch says 401",
        ),
        (
            Says({"error": {"reason": "rejected execution"}}, status=429),
            "rate-limit",
            "accepts no more queries",
        ),
        (Says({**FOUND, "timed_out": True}), "server", "a part of the index only"),
        (Says("no json"), "server", "OpenSearch cannot be asked"),
        (Says(hang=True), "server", "OpenSearch cannot be asked"),
    ],
    ids=["no index", "no user", "full", "half", "no json", "gone"],
)
async def test_what_opensearch_refuses_is_told_in_a_sentence(
    says: Any, kind: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server() as opensearch, adapter(opensearch, monkeypatch) as url:
        opensearch.says = says
        with pytest.raises(RetrievalError) as raised:
            await Http(url).retrieve("tower", 2)
    assert raised.value.kind == kind
    assert words in str(raised.value)
    assert "sesame" not in str(raised.value)
