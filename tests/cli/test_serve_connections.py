"""Connections that send no request, or what is not HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from verifytui.cli import http_api
from verifytui.cli.http_api import ChatServer, listening, serve


@asynccontextmanager
async def serving() -> AsyncIterator[int]:
    """A server without work; its port."""
    work: Any = None
    at, ready = listening(None, 0), asyncio.Event()
    server = ChatServer(work, 4, 0, None, on_network=True)
    task = asyncio.ensure_future(serve(server, at, ready.set))
    await ready.wait()
    try:
        yield at.getsockname()[1]
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def told(port: int, sent: bytes) -> tuple[str, dict[str, Any]]:
    """Status line and error of what the server replies until it closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    async with asyncio.timeout(20):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    error: dict[str, Any] = json.loads(body)["error"]
    return head.decode().splitlines()[0], error


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
        b"GET /v1/models HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost b\r\n\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ],
)
async def test_what_is_not_http_is_answered_in_one_sentence(sent: bytes) -> None:
    async with serving() as port:
        status, error = await told(port, sent)
    assert status.split()[1] == "400"
    assert error["message"] == ("This is not an HTTP request that the server can read.")
    assert error["code"] == "no_http"


@pytest.mark.parametrize("sent", [b"", b"GET /v1/models HTTP/1.1\r\nHost: local"])
async def test_slow_headers_end_the_connection(
    monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(http_api, "PATIENCE", 0.3)
    async with serving() as port:
        status, error = await told(port, sent)
    assert status.split()[1] == "408"
    assert error["code"] == "slow"


async def test_an_idle_connection_that_was_answered_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_api, "PATIENCE", 0.3)
    request = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"
    async with serving() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request + b"GET /v1/mod")
        async with asyncio.timeout(20):
            whole = await reader.read()
        writer.close()
    assert whole.startswith(b"HTTP/1.1 200")
