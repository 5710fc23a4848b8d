"""A real HTTP server on the loopback that speaks the OpenAI chat protocol, with every
fault a provider can have.

In a test: the fixture `loopback`. As a process of its own, for benchmarks: `python
tests/support/loopback.py [--delay SECONDS] [--text TEXT]` prints its base URL on the
first line, then serves until its stdin is closed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from verifytui.tests.support.loopback_batches import Batches

Body = dict[str, Any]
PIECE = 24
"""Characters of a streamed chunk where an answer names no chunks."""


@dataclass
class Answer:
    """What the server says to one request. All times in seconds."""

    text: str = "An answer."
    reasoning: str | None = None
    """Sent in the provider's own field, `reasoning_content`."""
    finish: str | None = "stop"
    usage: tuple[int, int] | None = (11, 7)
    """Tokens in and out; None: the provider gives none."""
    cached_input: int | None = None
    """Tokens in that were in the provider's cache; None: it does not say."""
    chunks: list[str | Body] | None = None
    """Pieces of a streamed answer (a dict is sent as the delta itself).

    Not streamed, the texts are joined.
    """
    status: int = 200
    error: str | Body | None = None
    """The message (or the whole `error` object) of a status that is not 200."""
    headers: dict[str, str] = field(default_factory=dict)
    first_delay: float = 0
    delay: float = 0
    """Between two chunks."""
    cut_after: int | None = None
    """The body of a stream ends after so many chunks, properly, but without finish
    chunk and `[DONE]`.
    """
    stall_after: int | None = None
    """Nothing comes after so many chunks, and the connection stays open."""
    drop: bool = False
    """The connection breaks: before the answer, or with `cut_after` in the middle of
    the body.
    """
    body: bytes | None = None
    """Sent instead of everything above, as it is."""
    model: str | None = None
    fingerprint: str | None = None
    """Sent as `system_fingerprint`."""
    hold: threading.Event | None = None
    """The answer waits until this is set."""


Answering = Callable[[Body], Answer]


def in_turn(*answers: Answer) -> Answering:
    """The first answer to the first request, and so on; the last one goes on for ever."""
    left = list(answers)
    return lambda _body: left.pop(0) if len(left) > 1 else left[0]


class Loopback:
    """`with Loopback() as server:` then use `server.base_url`; set `server.answer` at
    any time.
    """

    def __init__(
        self, answer: Answering | Answer | None = None, *, port: int = 0
    ) -> None:
        self.answer: Answering | Answer = answer or Answer()
        self.requests: list[Body] = []
        """Bodies of the chat requests, in the order they came."""
        self.headers: list[dict[str, str]] = []
        """Their headers, names in lower case."""
        self.gets: list[str] = []
        """Paths of GET requests."""
        self.models: list[str] = ["loopback-model"]
        self.ollama: list[str] | None = None
        """Names that `/api/tags` lists as Ollama does; None: 404."""
        self.batches = Batches(self._batched)
        """Files and batches, whose requests are answered as calls are."""
        self.open_connections = 0
        self.busy = 0
        """Requests that are being answered."""
        self.aborted = 0
        """Requests whose client left before the answer was whole."""
        self._changed = threading.Condition()
        self._port = port
        self._server: asyncio.Server
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._serve, daemon=True, name="loopback"
        )
        self._ready = threading.Event()
        self._transports: set[asyncio.Transport] = set()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        return f"{self.root}/v1"

    def wait_until(
        self, condition: Callable[[Loopback], bool], timeout: float = 10
    ) -> bool:
        """Blocks until the condition holds (checked whenever the server's state
        changes); False if it does not in time.
        """
        with self._changed:
            return self._changed.wait_for(lambda: condition(self), timeout)

    async def until(
        self, condition: Callable[[Loopback], bool], timeout: float = 10
    ) -> bool:
        """The same for a test that runs in an event loop."""
        return await asyncio.to_thread(self.wait_until, condition, timeout)

    def count(self, name: str, by: int) -> None:
        with self._changed:
            setattr(self, name, getattr(self, name) + by)
            self._changed.notify_all()

    def keep(self, body: Body, headers: dict[str, str]) -> None:
        with self._changed:
            self.requests.append(body)
            self.headers.append(headers)
            self._changed.notify_all()

    def answer_for(self, body: Body) -> Answer:
        if isinstance(self.answer, Answer):
            return self.answer
        return self.answer(body)

    def _batched(self, body: Body) -> tuple[int, Body]:
        answer = self.answer_for(body)
        if answer.status != 200:
            return answer.status, {"error": _error(answer)}
        return 200, _whole(body, answer)

    def refuse(self) -> None:
        """Connections break and new ones are refused, until `admit`; the port stays
        this server's. For answering functions.
        """
        self._server.close()
        for transport in list(self._transports):
            transport.abort()

    def admit(self) -> None:
        """Takes connections again after `refuse`; harmless otherwise.

        From any thread but the server's own.
        """

        async def again() -> None:
            if not self._server.is_serving():
                await self._listen()

        asyncio.run_coroutine_threadsafe(again(), self._loop).result(10)

    def __enter__(self) -> Loopback:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        with (
            socket.socket() as held
        ):  # bound and never listening: it keeps the port while connections are refused
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            held.bind(("127.0.0.1", self._port))
            self._port = held.getsockname()[1]
            self._loop.run_until_complete(self._listen())
            self._ready.set()
            self._loop.run_forever()
            self._end()

    async def _listen(self) -> None:
        serving = self._loop.create_server(
            lambda: _Connection(self),
            "127.0.0.1",
            self._port,
            backlog=1024,
            reuse_port=True,
        )
        self._server = await serving

    def _end(self) -> None:
        self._server.close()
        for transport in list(self._transports):
            transport.abort()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()


class _Connection(asyncio.Protocol):
    """One TCP connection: reads requests one after another (keep-alive) and answers
    each in a task.
    """

    def __init__(self, server: Loopback) -> None:
        self.server = server
        self.received = bytearray()
        self.transport: asyncio.Transport
        self.task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server._transports.add(transport)
        self.server.count("open_connections", 1)

    def connection_lost(self, exc: Exception | None) -> None:
        self.server._transports.discard(self.transport)
        self.server.count("open_connections", -1)
        if self.task is not None and not self.task.done():
            self.task.cancel()
            self.server.count("aborted", 1)

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, found, rest = bytes(self.received).partition(b"\r\n\r\n")
        if not found:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        self.received = bytearray(rest[length:])
        method, path, _ = first.split(" ", 2)
        self.task = asyncio.ensure_future(
            self.respond(method, path, headers, rest[:length])
        )

    async def respond(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> None:
        self.server.count("busy", 1)
        try:
            try:
                found = self.server.batches.respond(method, path, headers, body)
            except ConnectionError:
                return self.transport.abort()
            if found is not None:
                self.send(*found)
            elif method == "GET":
                self.listing(path)
            elif path.endswith("/chat/completions"):
                request = json.loads(body)
                self.server.keep(request, headers)
                await self.chat(request, self.server.answer_for(request))
            elif path.endswith("/responses"):
                request = json.loads(body)
                self.server.keep(request, headers)
                self.send(*_responded(request, self.server.answer_for(request)))
            elif path.endswith("/v1/messages"):
                request = json.loads(body)
                self.server.keep(request, headers)
                self.send(
                    200,
                    json.dumps(
                        _claude(request, self.server.answer_for(request))
                    ).encode(),
                )
            else:
                self.send(404, b'{"error": {"message": "no such path"}}')
        finally:
            self.server.count("busy", -1)

    def listing(self, path: str) -> None:
        self.server.gets.append(path)
        if path.endswith("/models"):
            self.send(
                200,
                json.dumps(
                    {
                        "object": "list",
                        "data": [{"id": name} for name in self.server.models],
                    }
                ).encode(),
            )
        elif path == "/api/tags" and self.server.ollama is not None:
            self.send(
                200,
                json.dumps(
                    {"models": [{"name": name} for name in self.server.ollama]}
                ).encode(),
            )
        else:
            self.send(404, b"{}")

    async def chat(self, request: Body, answer: Answer) -> None:
        await asyncio.sleep(answer.first_delay)
        while answer.hold is not None and not answer.hold.is_set():
            await asyncio.sleep(0.005)
        if answer.drop and answer.cut_after is None:
            self.transport.abort()
        elif answer.body is not None:
            self.send(answer.status, answer.body, answer.headers)
        elif answer.status != 200:
            self.send(
                answer.status,
                json.dumps({"error": _error(answer)}).encode(),
                answer.headers,
            )
        elif request.get("stream"):
            await self.stream(request, answer)
        else:
            await self.whole(request, answer)

    async def whole(self, request: Body, answer: Answer) -> None:
        if answer.stall_after is not None:
            await asyncio.Event().wait()
        raw = json.dumps(_whole(request, answer)).encode()
        if answer.cut_after is not None:
            self.send(200, raw, answer.headers, only=len(raw) // 2)
            self.transport.close()
        else:
            self.send(200, raw, answer.headers)
        if answer.headers.get("connection") == "close":
            self.transport.close()

    async def stream(self, request: Body, answer: Answer) -> None:
        head = {
            "content-type": "text/event-stream",
            "transfer-encoding": "chunked",
            **answer.headers,
        }
        self.transport.write(_head(200, head))
        deltas: list[Body] = [{"role": "assistant", "content": ""}]
        deltas += [
            {"reasoning_content": piece} for piece in _pieces(answer.reasoning or "")
        ]
        pieces: list[str | Body] = (
            list(_pieces(answer.text)) if answer.chunks is None else answer.chunks
        )
        deltas += [
            {"content": piece} if isinstance(piece, str) else piece for piece in pieces
        ]
        for number, delta in enumerate(deltas):
            if answer.cut_after == number:
                if answer.drop:
                    return self.transport.abort()
                return self.transport.write(b"0\r\n\r\n")
            if answer.stall_after == number:
                await asyncio.Event().wait()
            if number and (
                answer.delay or number % 500 == 0
            ):  # now and then others have their turn, such as the client's leaving
                await asyncio.sleep(answer.delay)
            choice = {"index": 0, "delta": delta, "finish_reason": None}
            self.event(_envelope(request, answer, "chat.completion.chunk", [choice]))
        if answer.finish is not None:
            last = {"index": 0, "delta": {}, "finish_reason": answer.finish}
            self.event(_envelope(request, answer, "chat.completion.chunk", [last]))
        if answer.usage is not None and (request.get("stream_options") or {}).get(
            "include_usage"
        ):
            self.event(
                {
                    **_envelope(request, answer, "chat.completion.chunk", []),
                    "usage": _usage(answer.usage, answer.cached_input),
                }
            )
        self.event(None)
        self.transport.write(b"0\r\n\r\n")

    def event(self, data: Body | None) -> None:
        line = (
            f"data: {json.dumps(data) if data is not None else '[DONE]'}\n\n".encode()
        )
        self.transport.write(b"%x\r\n%s\r\n" % (len(line), line))

    def send(
        self,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
        *,
        only: int | None = None,
    ) -> None:
        head = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            **(headers or {}),
        }
        self.transport.write(_head(status, head) + body[:only])


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [
        f"HTTP/1.1 {status} X",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _envelope(request: Body, answer: Answer, kind: str, choices: list[Body]) -> Body:
    model = answer.model or request.get("model", "")
    return {
        "id": "chatcmpl-loopback",
        "object": kind,
        "created": 1,
        "model": model,
        "choices": choices,
        **({"system_fingerprint": answer.fingerprint} if answer.fingerprint else {}),
    }


def _whole(request: Body, answer: Answer) -> Body:
    """The body of an answer that is not streamed."""
    text = answer.text
    if answer.chunks is not None:
        text = "".join(
            piece if isinstance(piece, str) else piece.get("content") or ""
            for piece in answer.chunks
        )
    message: Body = {"role": "assistant", "content": text}
    if answer.reasoning is not None:
        message["reasoning_content"] = answer.reasoning
    choice = {"index": 0, "message": message, "finish_reason": answer.finish}
    data = _envelope(request, answer, "chat.completion", [choice])
    if answer.usage is not None:
        data["usage"] = _usage(answer.usage, answer.cached_input)
    return data


def _error(answer: Answer) -> Any:
    if isinstance(answer.error, dict):
        return answer.error
    return {"message": answer.error or "failed", "type": "error"}


def _usage(usage: tuple[int, int], cached: int | None) -> Body:
    told = (
        {} if cached is None else {"prompt_tokens_details": {"cached_tokens": cached}}
    )
    return {
        "prompt_tokens": usage[0],
        "completion_tokens": usage[1],
        "total_tokens": sum(usage),
        **told,
    }


def _claude(request: Body, answer: Answer) -> Body:
    """A whole answer in Anthropic's protocol, where the tokens from the cache are
    counted apart.
    """
    given, made = answer.usage or (0, 0)
    usage = {
        "input_tokens": given - (answer.cached_input or 0),
        "output_tokens": made,
        "cache_read_input_tokens": answer.cached_input or 0,
    }
    content = [{"type": "text", "text": answer.text}]
    head = {
        "id": "msg_loopback",
        "type": "message",
        "role": "assistant",
        "model": request.get("model", ""),
    }
    return {**head, "content": content, "stop_reason": "end_turn", "usage": usage}


def _responded(request: Body, answer: Answer) -> tuple[int, bytes, dict[str, str]]:
    """The answer in OpenAI's Responses protocol; streamed, its events in one piece."""
    given, made = answer.usage or (0, 0)
    thought = {"type": "summary_text", "text": answer.reasoning or ""}
    spoken = {"type": "output_text", "text": answer.text, "annotations": []}
    output: list[Body] = [
        {"type": "reasoning", "id": "rs_1", "summary": [thought]},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [spoken],
        },
    ]
    whole = {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": request.get("model", ""),
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": given,
            "output_tokens": made,
            "total_tokens": given + made,
        },
    }
    if not request.get("stream"):
        return 200, json.dumps(whole).encode(), {}
    place = {"output_index": 0, "content_index": 0, "summary_index": 0}
    events: list[Body] = [
        {
            "type": "response.reasoning_summary_text.delta",
            "item_id": "rs_1",
            "delta": thought["text"],
            **place,
        },
        *(
            {
                "type": "response.output_text.delta",
                "item_id": "msg_1",
                "delta": piece,
                **place,
            }
            for piece in _pieces(answer.text)
        ),
        {"type": "response.completed", "response": whole},
    ]
    lines = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events]
    return 200, "".join(lines).encode(), {"content-type": "text/event-stream"}


def _pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description="A chat server on the loopback, for benchmarks."
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument(
        "--delay", type=float, default=0.0, help="seconds before each answer"
    )
    parser.add_argument("--text", default="An answer.")
    options = parser.parse_args()
    with Loopback(
        Answer(text=options.text, first_delay=options.delay), port=options.port
    ) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
