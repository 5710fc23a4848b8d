"""`verifytui serve`: a real server, asked by LiteLLM, by VerifyTUI, and by others."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from verifytui.sessions.journal import read_session
from verifytui.tests.support.commanding import (
    COMMAND,
    answering,
    command,
    documents,
    refused,
    rows,
)
from verifytui.tests.support.loopback import Answer, Loopback

pytestmark = pytest.mark.slow

QUESTION = "When was the lighthouse of Vern built?"
TOKEN = "a-token-of-the-tests-0123456789"


class Served:
    """A server in a process of its own."""

    def __init__(self, *arguments: str | Path) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "serve", *map(str, arguments), "--output", "json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=os.environ["HOME"],
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        assert first, self.process.communicate()[1]
        self.told = json.loads(first)
        self.address: str = self.told["address"]
        self.root = self.address.removesuffix("/v1")
        self.headers = {"Authorization": f"Bearer {self.told['token'] or TOKEN}"}

    def post(self, path: str, body: Any, **more: Any) -> httpx.Response:
        headers = self.headers | more.pop("headers", {})
        given = {"content": body} if isinstance(body, bytes | str) else {"json": body}
        return httpx.post(
            self.root + path, headers=headers, timeout=120, **given, **more
        )

    def ask(self, question: Any = QUESTION, **more: Any) -> httpx.Response:
        return self.post("/v1/chat/completions", chat(question, **more))

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """The exit code, and all that was printed meanwhile."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=20)
        assert "Traceback" not in out + err
        return self.process.returncode, out + err


def chat(question: Any = QUESTION, **more: Any) -> dict[str, Any]:
    return {
        "model": "verifytui",
        "messages": [
            {"role": "user", "content": "Hello."},
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": question},
        ],
        **more,
    }


@contextmanager
def serving(*arguments: str | Path) -> Iterator[Served]:
    made = Served(*arguments)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.process.kill()
        made.process.communicate()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "vern.md").write_text("The lighthouse of Vern was built in 1873.")
    (folder / "tea.md").write_text("Tea is made of leaves and hot water.")
    return folder


def test_a_reply_holds_answer_citations_scores_claims_and_no_path(
    docs: Path, tmp_path: Path
) -> None:
    into = tmp_path / "kept"
    with serving("--corpus", docs, "--claims", "--into", into, "--port", "0") as here:
        reply = here.ask()
        assert reply.status_code == 200
        told = reply.json()
        more = told["verifytui"]
        session = read_session(into / f"{more['session']}.yaml")
        result = session.events[-1]
        assert session.header.task["question"] == QUESTION
        assert told["choices"][0]["message"]["content"] == more["answer"]
        assert more["answer"] == result.answer
        assert "1873" in more["answer"]
        assert more["citations"] == [1]
        assert more["references"][0]["file"] == "docs/vern.md"
        assert more["verification"]["judgement"] == "true"
        assert more["verification"]["bias"] is None
        assert more["claims"][0]["verdict"] == "supported"
        assert more["models"] == {"generator": "lexical", "verifier": "lexical"}
        assert more["stopped_by"] == "indicator"
        assert str(tmp_path) not in reply.text
        _refuses(here)
        _streams(here)
        _finds(here)
        nothing = here.ask("Xyzzy?").json()
        said = "The references do not contain the answer."
        assert nothing["choices"][0]["message"]["content"] == said
        assert nothing["verifytui"]["stopped_by"] == "no-references"
        assert len(list(into.iterdir())) == 3
        code, printed = here.end(signal.SIGINT)
        assert code == 130
        assert str(here.told["token"]) not in printed


def _refuses(here: Served) -> None:
    """What is no request, each with one sentence in OpenAI's format."""
    path = "/v1/chat/completions"
    cases = [
        (here.post(path, b"{"), 400),
        (here.post(path, b"\xff"), 400),
        (here.post(path, "[" * 100_000), 400),
        (here.post(path, []), 400),
        (here.post(path, b"abc", headers={"Content-Encoding": "gzip"}), 400),
        (here.post(path, chat(model="gpt-4o")), 404),
        (here.post(path, {"model": "verifytui"}), 400),
        (here.post(path, {"model": "verifytui", "messages": {"role": 1}}), 400),
        (here.ask("  "), 400),
        (here.ask([{"type": "image_url", "image_url": {"url": "x"}}]), 400),
        (here.ask("x" * 200_000), 400),
        (here.ask("x" * 2_000_000), 413),
        (here.ask(n=2), 400),
        (here.ask(stream=True, n=2), 400),
        (here.post(path, chat(), headers={"Origin": "http://127.0.0.1"}), 403),
        (here.post(path, chat(), headers={"Host": "evil.example"}), 403),
        (here.post(path, chat(), headers={"Host": "[::1"}), 403),
        (here.post(path, chat(), headers={"Authorization": "Bearer x"}), 401),
        (here.post("/etc/passwd", chat()), 404),
        (here.post("/v1/models", chat()), 405),
        (here.post("/retrieve", {"query": "  "}), 400),
        (here.post("/retrieve", {"query": "x", "k": True}), 400),
    ]
    for reply, status in cases:
        assert reply.status_code == status, reply.text
        error = reply.json()["error"]
        assert re.fullmatch(r"[^\n]+\.( \(.*\))?", error["message"])
        assert {"message", "type", "param", "code"} == error.keys()
    assert httpx.get(here.address + "/models").status_code == 401
    for raw in (b"X\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", httpx.URL(here.root).port)) as one:
            one.sendall(raw)
            assert b" 400 " in one.recv(100)
    assert httpx.get(here.address + "/models", headers=here.headers).json()["data"]


def _streams(here: Served) -> None:
    reply = here.ask(
        [{"type": "text", "text": QUESTION}],
        stream=True,
        stream_options={"include_usage": True},
    )
    assert reply.headers["content-type"] == "text/event-stream"
    events = [one.removeprefix("data: ") for one in reply.text.split("\n\n") if one]
    assert events.pop() == "[DONE]"
    text, last, usage = map(json.loads, events)
    assert "1873" in text["choices"][0]["delta"]["content"]
    assert last["choices"][0]["finish_reason"] == "stop"
    assert last["verifytui"]["citations"] == [1]
    assert usage["usage"]["total_tokens"] == 0


def _finds(here: Served) -> None:
    found = here.post("/retrieve", {"query": "lighthouse of Vern", "k": 1}).json()
    assert [one["file"] for one in found["passages"]] == ["docs/vern.md"]


def test_litellm_and_verifytui_are_clients(
    docs: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", TOKEN)
    options = ("--port", "0", "--token-env", "OPENAI_API_KEY")
    with serving("--corpus", docs, *options) as here:
        assert here.told["token"] is None
        monkeypatch.setenv("OPENAI_API_BASE", here.address)
        _litellm(here)
        solo = command("solo", QUESTION, "--model", "openai/verifytui", "--no-save")
        assert solo.returncode == 0, solo.stderr
        assert "1873" in solo.stdout
        named = {"url": f"{here.root}/retrieve", "api_key_env": "OPENAI_API_KEY"}
        (home / "config.yaml").write_text(yaml.safe_dump({"retrievers": {"v": named}}))
        asked = command(
            *("ask", QUESTION, "--retriever", "v", "--k", "1", "--no-save"),
            *("--output", "json"),
        )
        assert asked.returncode == 0, asked.stderr
        found = rows(asked.stdout)[1]["references"]
        assert [one["file"] for one in found] == ["docs/vern.md"]
    kept = command("sessions").stdout
    assert "lighthouse of Vern" in kept


def _litellm(here: Served) -> None:
    import litellm

    async def ask() -> tuple[Any, str]:
        asked = {
            "model": "openai/verifytui",
            "messages": [{"role": "user", "content": QUESTION}],
            "api_base": here.address,
            "api_key": TOKEN,
        }
        whole = await litellm.acompletion(**asked)
        parts = await litellm.acompletion(**asked, stream=True)
        texts = [one.choices[0].delta.content or "" async for one in parts]
        return whole, "".join(texts)

    whole, streamed = asyncio.run(ask())
    assert "1873" in whole.choices[0].message.content
    assert streamed == whole.choices[0].message.content
    assert whole.model_dump()["verifytui"]["citations"] == [1]


def test_more_requests_than_allowed_are_told_when_to_retry(
    server: Loopback, docs: Path, tmp_path: Path
) -> None:
    held = threading.Event()
    server.answer = lambda body: Answer("It was built in 1873 [1].", hold=held)
    options = ("--model", "openai/lb", "--port", "0", "--into", tmp_path / "kept")
    limits = ("--max-requests", "1", "--per-minute", "2")
    plain = ("--revise", "none")
    with (
        serving("--corpus", docs, *options, *limits, *plain) as here,
        ThreadPoolExecutor() as pool,
    ):
        first = pool.submit(here.ask)
        assert server.wait_until(lambda s: len(s.requests) == 1)
        for stream in (False, True):
            second = here.ask(stream=stream)
            assert second.status_code == 429
            assert second.headers["retry-after"] == "1"
        held.set()
        assert first.result().status_code == here.ask().status_code == 200
        fourth = here.ask()
        assert fourth.status_code == 429
        assert 50 < int(fourth.headers["retry-after"]) <= 60
    assert len(server.requests) == len(list((tmp_path / "kept").iterdir())) == 2


def test_who_leaves_or_stops_it_loses_nothing(
    server: Loopback, docs: Path, tmp_path: Path
) -> None:
    """A client that leaves stops the work; a signal answers 503; a failing model is 502
    without its reason. Each session is kept, and continues.
    """
    into = tmp_path / "kept"
    options = ("--model", "openai/lb", "--into", into, "--port", "0")
    with serving("--corpus", docs, *options) as here, ThreadPoolExecutor() as pool:
        server.answer = Answer(status=401, error=f"no {docs}")
        failed = here.ask()
        assert failed.status_code == 502
        assert str(docs) not in failed.text
        assert failed.json()["error"]["code"] == "auth"
        told = json.loads(
            here.ask(stream=True).text.partition("data: ")[2].partition("\n")[0]
        )
        assert told["error"]["code"] == "auth"
        server.answer = Answer(first_delay=60)
        for stream in (False, True):
            with pytest.raises(httpx.ReadTimeout):
                httpx.post(
                    here.address + "/chat/completions",
                    json=chat(stream=stream),
                    headers=here.headers,
                    timeout=1.5,
                )
        assert server.wait_until(lambda s: s.aborted == 2)
        waiting = pool.submit(here.ask)
        assert server.wait_until(lambda s: s.busy == 1)
        code, printed = here.end()
        assert code == 130
        assert "auth" in printed or "key" in printed
        stopped = waiting.result()
        assert stopped.status_code == 503
    files = sorted(into.iterdir())
    assert len(files) == 5
    server.answer = answering()
    for file in files:
        assert documents(file)[1]["event"] == "retrieval"
        assert command("resume", file).returncode == 0
        assert "1873" in documents(file)[-1]["answer"]


def test_a_unix_socket_is_for_its_owner(docs: Path, tmp_path: Path) -> None:
    path = tmp_path / "s"
    with serving("--corpus", docs, "--socket", path) as here:
        assert path.stat().st_mode & 0o777 == 0o600
        assert here.told == {
            "address": str(path),
            "token": None,
            "model": "verifytui",
        }
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(path))) as client:
            url = "http://x/v1/chat/completions"
            assert client.post(url, json=chat()).status_code == 200
            origin = {"Origin": "http://x"}
            assert client.post(url, json=chat(), headers=origin).status_code == 403
        refused(command("serve", "--corpus", docs, "--socket", path), "already in use")
        here.process.kill()
        here.process.wait()
    assert path.is_socket()
    with serving("--corpus", docs, "--socket", path) as again:
        assert again.end()[0] == 130
    assert not path.exists()
    path.write_text("mine")
    refused(command("serve", "--corpus", docs, "--socket", path), "already in use")
    assert path.read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--corpus", "nowhere"], "nowhere"),
        ([], "There is no source to search"),
        (["--corpus", "example", "--model", "openai/x"], "OPENAI_API_KEY"),
        (["--corpus", "example", "--model", "human"], "person"),
        (["--corpus", "example", "--model", "script"], "script"),
        (["--corpus", "example", "--token-env", "NO_SUCH"], "NO_SUCH"),
        (["--corpus", "example", "--socket", "x" * 200], "too long"),
    ],
)
def test_what_cannot_be_served_is_refused_at_once(
    options: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    refused(command("serve", *options, "--port", "0"), words)


MANY = 50


@pytest.mark.timeout(400)  # 85 s beside ten other processes
def test_fifty_at_once_and_a_kill_lose_nothing(
    server: Loopback, docs: Path, tmp_path: Path
) -> None:
    server.answer = answering()
    options = ("--model", "openai/lb", "--port", "0", "--max-requests", str(MANY))

    def everybody(here: Served) -> list[int]:
        def one(number: int) -> int:
            try:
                return here.ask(f"{QUESTION} ({number})").status_code
            except httpx.HTTPError:
                return 0

        with ThreadPoolExecutor(MANY) as pool:
            return list(pool.map(one, range(MANY)))

    whole = tmp_path / "whole"
    with serving("--corpus", docs, *options, "--into", whole) as here:
        assert everybody(here) == [200] * MANY
    sessions = [read_session(file) for file in whole.iterdir()]
    assert len({one.header.task["question"] for one in sessions}) == MANY
    assert all(one.events[-1].stopped_by == "indicator" for one in sessions)

    broken, before = tmp_path / "broken", len(server.requests)
    server.answer = answering(delay=0.2)
    with serving("--corpus", docs, *options, "--into", broken) as here:
        killer = threading.Thread(
            target=lambda: (
                server.wait_until(lambda s: len(s.requests) - before >= 1.2 * MANY, 60),
                here.process.kill(),
            )
        )
        killer.start()
        statuses = everybody(here)
        killer.join()
    assert statuses.count(200) < MANY
    found = [read_session(file) for file in broken.iterdir()]
    assert len(found) == MANY
    kinds = [[event.__struct_config__.tag for event in one.events] for one in found]
    assert all(one[0] == "retrieval" for one in kinds)
    assert sum("result" in one for one in kinds) >= statuses.count(200)
    some = next(file for file in broken.iterdir() if "result" not in file.read_text())
    server.answer = answering()
    assert command("resume", some).returncode == 0


@asynccontextmanager
async def impatient(
    monkeypatch: pytest.MonkeyPatch, patience: float
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection to a server that waits so many seconds for what is sent."""
    from verifytui.cli import http_api

    def never(*_: object) -> Any:
        raise AssertionError

    monkeypatch.setattr(http_api, "PATIENCE", patience)
    work = http_api.ServedWork(never, never, never, never, never, never)
    at = http_api.listening(None, 0)
    ready = asyncio.Event()
    serving = asyncio.ensure_future(
        http_api.serve(http_api.ChatServer(work, 1, 0, None, True), at, ready.set)
    )
    await asyncio.wait_for(ready.wait(), 10)
    reader, writer = await asyncio.open_connection(*at.getsockname())
    yield reader, writer
    writer.close()
    serving.cancel()
    await asyncio.wait({serving})


async def test_a_body_that_does_not_come_is_no_longer_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    head = b"POST /retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"
    async with impatient(monkeypatch, 0.05) as (reader, writer):
        writer.write(head)
        assert b" 408 " in await asyncio.wait_for(reader.readline(), 10)


async def test_a_head_that_does_not_end_is_no_longer_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with impatient(monkeypatch, 0.05) as (reader, writer):
        writer.write(b"POST /retrieve HTTP/1.1\r\nHost: local")
        assert await asyncio.wait_for(reader.read(), 10) == b""


@pytest.mark.parametrize(
    "sent", [b"GET / HTTP/1.1\r\nbad header\r\n\r\n", b"\x16\x03\x01\x02\r\n\r\n"]
)
async def test_what_is_no_http_gets_one_sentence(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with impatient(monkeypatch, 60) as (reader, writer):
        writer.write(sent)
        whole = await asyncio.wait_for(reader.read(), 10)
    head, _, body = whole.partition(b"\r\n\r\n")
    assert b" 400 " in head
    assert json.loads(body)["error"]["code"] == "no_http"
