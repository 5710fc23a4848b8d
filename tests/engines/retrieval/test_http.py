"""A retriever behind HTTP, over the loopback."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import Iterator
from typing import Any

import pytest
from verifytui.engines.models.config import Config, NamedRetriever
from verifytui.engines.retrieval.http_retriever import LARGEST, Http, http
from verifytui.engines.retrieval.port import RetrievalError
from verifytui.tests.support.serving import Says, Server


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


async def test_query_and_k_go_out_and_passages_come_back(server: Server) -> None:
    server.says = Says(
        {
            "passages": [
                {
                    "id": "p1",
                    "title": "Sea",
                    "text": "Salt.",
                    "score": 2.5,
                    "url": "https://a.example/sea",
                },
                {"content": "Wet.", "file": "sea.txt"},
                "Deep.",
            ]
        }
    )
    found = await Http(server.url + "/find").retrieve("What is the sea?", 5)
    assert server.asked[0].path == "/find"
    assert server.asked[0].json == {"query": "What is the sea?", "k": 5}
    assert not {"authorization", "cookie"} & server.asked[0].headers.keys()
    first, second, third = found.references
    assert (first.n, first.id, first.title, first.text, first.score, first.file) == (
        1,
        "p1",
        "Sea",
        "Salt.",
        2.5,
        "https://a.example/sea",
    )
    assert (second.n, second.text, second.score, second.file) == (
        2,
        "Wet.",
        None,
        "sea.txt",
    )
    assert (third.n, third.text) == (3, "Deep.")
    assert len({one.id for one in found.references}) == 3
    assert found.message is None


async def test_a_bare_list_and_more_than_k(server: Server) -> None:
    server.says = Says(["a", "b", "c"])
    found = await Http(server.url).retrieve("q", 2)
    assert [one.text for one in found.references] == ["a", "b"]


@pytest.mark.parametrize("nothing", [[], {"passages": []}])
async def test_nothing_found_is_said(server: Server, nothing: Any) -> None:
    server.says = Says(nothing)
    found = await Http(server.url).retrieve("q", 2)
    assert found.references == []
    assert found.message == "The retriever at 127.0.0.1 found nothing for this query."


async def test_a_passage_without_text_is_left_out_with_a_remark(server: Server) -> None:
    server.says = Says(["one", {"title": "x"}, {"text": " "}, "two"])
    found = await Http(server.url).retrieve("q", 4)
    assert [(one.n, one.text) for one in found.references] == [(1, "one"), (2, "two")]
    assert "without text in the reply of the retriever" in (found.message or "")
    assert (found.message or "").endswith("left out: 2.")


@pytest.mark.parametrize(
    ("says", "kind", "words"),
    [
        (Says("<html>hello"), "server", "does not answer in JSON"),
        (Says("[" * 100_000), "server", "does not answer in JSON"),
        (Says(b"\xff\xfe\x00"), "server", "does not answer in JSON"),
        (Says("7"), "server", "answers without passages"),
        (Says({"hits": 3}), "server", "answers without passages"),
        (Says({"passages": "many"}), "server", "answers without passages"),
        (Says([3]), "server", "number 1 is neither a text nor an object"),
        (
            Says({"error": {"message": "bad\x1b[2J key"}}, status=401),
            "auth",
            "does not accept the key",
        ),
        (Says({}, status=404), "bad-request", "knows no such address"),
        (
            Says({"detail": "k too large"}, status=422),
            "bad-request",
            r"refuses the query \(status 422\) \(k too large\)",
        ),
        (Says({}, status=429), "rate-limit", "accepts no more queries"),
        (Says({}, status=500), "server", "failed with status 500"),
        (
            Says({}, status=302, headers={"location": "http://169.254.169.254/"}),
            "bad-request",
            "to another address",
        ),
        (Says(hang=True), "connection", "cannot be reached"),
        (Says(b"x" * (LARGEST // 8), endless=True), "server", "larger than 8 MB"),
    ],
    ids=lambda value: getattr(value, "kind", str(value))[:24],
)
async def test_each_fault_is_one_sentence(
    server: Server, says: Says, kind: str, words: str
) -> None:
    server.says = says
    with pytest.raises(RetrievalError, match=words) as caught:
        await Http(server.url).retrieve("q", 2)
    assert caught.value.kind == kind
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert len(server.asked) == 1


async def test_a_server_that_is_not_there() -> None:
    with Server() as gone:
        url = gone.url
    with pytest.raises(
        RetrievalError, match=r"The retriever at 127\.0\.0\.1 cannot be reached"
    ) as caught:
        await Http(url).retrieve("q", 2)
    assert caught.value.kind == "connection"


async def test_a_slow_server_is_left(server: Server) -> None:
    server.says = Says(silent=True)
    with pytest.raises(
        RetrievalError, match=r"did not answer within 1 seconds"
    ) as caught:
        await Http(server.url, timeout=1).retrieve("q", 2)
    assert caught.value.kind == "timeout"
    assert await asyncio.to_thread(server.left.wait, 10)


async def test_cancelling_closes_the_connection(server: Server) -> None:
    server.says = Says(silent=True)
    asking = asyncio.create_task(Http(server.url).retrieve("q", 2))
    assert await asyncio.to_thread(server.came.wait, 10)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await asyncio.to_thread(server.left.wait, 10)


async def test_a_named_one_sends_its_key_and_no_message_shows_it(
    server: Server,
) -> None:
    config = Config(
        retrievers={
            "mine": NamedRetriever(url=server.url, api_key_env="MY_KEY", timeout=5)
        }
    )
    mine = http("mine", None, config, {"MY_KEY": "hush-hush-hush"})
    assert mine.name == "http"
    server.says = Says(["a"])
    await mine.retrieve("q", 1)
    assert server.asked[0].headers["authorization"] == "Bearer hush-hush-hush"
    server.says = Says({"error": "hush-hush-hush is no key"}, status=403)
    with pytest.raises(RetrievalError, match="key hidden") as caught:
        await mine.retrieve("q", 1)
    assert "hush-hush" not in str(caught.value)


async def test_a_key_in_a_passage_is_hidden(server: Server) -> None:
    server.says = Says(
        [
            {
                "id": "hush-hush-hush",
                "title": "hush-hush-hush",
                "text": "It is hush money's: hush-\nhush-\nhush.",
                "url": "x",
            },
            "b",
        ]
    )
    found = await Http(server.url, key="hush-hush-hush").retrieve("q", 2)
    assert found.altered
    first, second = found.references
    assert (first.id, first.title, first.text) == (
        "[key hidden]",
        "[key hidden]",
        "It is hush money's: [key hidden].",
    )
    assert second.text == "b"
    server.says = Says(["b"])
    assert not (await Http(server.url, key="hush-hush-hush").retrieve("q", 2)).altered


async def test_an_answer_that_unpacks_to_too_much_is_left(server: Server) -> None:
    bomb = gzip.compress(gzip.compress(bytes(100 << 20), 9), 9)
    server.says = Says(bomb, headers={"content-encoding": "gzip, gzip"})
    began = time.process_time()
    with pytest.raises(RetrievalError, match="larger than 8 MB") as caught:
        await Http(server.url).retrieve("q", 2)
    assert caught.value.kind == "server"
    assert time.process_time() - began < 5
    server.says = Says(
        gzip.compress(b'["Packed."]'), headers={"content-encoding": "gzip"}
    )
    assert (await Http(server.url).retrieve("q", 2)).references[0].text == "Packed."


@pytest.mark.parametrize(
    ("name", "url", "kind", "words"),
    [
        ("other", None, "bad-request", "has no retriever 'other'.*available: mine"),
        ("mine", None, "missing-key", "set MY_KEY"),
        ("", None, "bad-request", "give --retriever URL"),
        ("", "localhost:80", "bad-request", "needs an address"),
        ("", "file:///etc/passwd", "bad-request", "needs an address"),
        ("", "http://[", "bad-request", "needs an address"),
        (
            "",
            "http://me:secret@127.0.0.1/",
            "bad-request",
            "The retriever's address contains a password;",
        ),
    ],
)
def test_what_cannot_be_asked(
    name: str, url: str | None, kind: str, words: str
) -> None:
    config = Config(
        retrievers={
            "mine": NamedRetriever(url="http://127.0.0.1:9", api_key_env="MY_KEY")
        }
    )
    with pytest.raises(RetrievalError, match=words) as caught:
        http(name, url, config, {})
    assert caught.value.kind == kind
    assert "secret" not in str(caught.value)


def test_local_only_lets_only_own_hosts_be_asked() -> None:
    config = Config(local_only=True, private_hosts=["gpu.example.lan"])
    http("", "http://127.0.0.1:9000/find", config, {})
    http("", "http://gpu.example.lan/find", config, {})
    with pytest.raises(
        RetrievalError, match=r"at search\.example, and config.yaml says local_only"
    ) as caught:
        http("", "https://search.example/find", config, {})
    assert caught.value.kind == "not-local"
