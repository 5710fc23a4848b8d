"""OpenAI's chat completions over HTTP, each answered by a session.

Only `verifytui serve` imports this file: aiohttp takes a while.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import math
import os
import socket
import stat
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from aiohttp import web

from ..engines.models.port import ModelError
from ..engines.retrieval.port import RetrievalError
from ..engines.topic import question_of
from ..sessions.crash import crash_report
from ..sessions.errors import BadInput, SessionError, bad_input, cause
from ..sessions.journal import Journal
from ..sessions.session import Header, Session
from ..texts import english, t
from .console import say

MODEL = "verifytui"
"""The name under which answers are asked for."""
LARGEST = 1 << 20
"""Bytes of a request's body."""
PATIENCE = 30.0
"""Seconds to wait for the head of a first request, for a body, and for a reader."""
BEAT = 10.0
"""Seconds between two signs of life in a stream."""
GRACE = 2.0
"""Seconds for which a server that ends waits for its last replies to leave."""
SILENT = logging.Logger("silent", logging.CRITICAL + 1)
"""aiohttp's log: no tracebacks."""
HERE = ("127.0.0.1", "localhost", "::1")

Reply = dict[str, object]
Body = dict[str, Any]


class ServedWork(NamedTuple):
    """The work that answers requests."""

    begin: Callable[[str], Header]
    """A session of a question; it may be slow. Raises: BadInput."""
    keep: Callable[[Header], Journal]
    """Puts it on disk. Raises: SessionError."""
    finish: Callable[[Journal], Awaitable[Session]]
    """Runs it to its end. Raises: ModelError, SessionError."""
    answer: Callable[[Session], str]
    details: Callable[[Session], Reply]
    search: Callable[[str, int | None], Awaitable[list[Reply]]]
    """Passages of a query. Raises: RetrievalError."""


class RefusedRequest(Exception):
    """A request that is answered with an error in OpenAI's format."""

    def __init__(
        self,
        status: int,
        message: str,
        code: str,
        *,
        kind: str = "invalid_request_error",
        wait: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.wait = status, wait
        message = english(message)  # programs read it
        told = {"message": message, "type": kind, "param": None, "code": code}
        self.body: Reply = {"error": told}

    def response(self) -> web.Response:
        headers = {} if self.wait is None else {"Retry-After": str(self.wait)}
        return web.json_response(self.body, status=self.status, headers=headers)


def refused(status: int, code: str, /, **words: object) -> RefusedRequest:
    """The refusal with the text `wrong.serve.CODE`."""
    return RefusedRequest(status, t(f"wrong.serve.{code}", **words), code)


class JsonConnection(web.RequestHandler):
    """A connection that answers what is not HTTP in OpenAI's format, too."""

    __slots__ = ("heard",)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.heard = False
        """Whether the head of a request has arrived."""
        super().connection_made(transport)
        asyncio.get_running_loop().call_later(PATIENCE, self._drop_unheard)

    def _drop_unheard(self) -> None:
        if not self.heard:
            self.force_close()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if request.writer.output_size > 0:
            raise ConnectionError
        code = "no_http" if 400 <= status < 500 else "broken"
        response = refused(status, code).response()
        response.force_close()
        return response


@dataclass(eq=False)
class ChatServer:
    """Answers requests, with limits on concurrency and rate (0: no limit)."""

    work: ServedWork
    most: int
    per_minute: int
    token: str | None
    """What a request has to bring; None: nothing."""
    on_network: bool
    """Whether it listens where a browser could reach it."""

    def __post_init__(self) -> None:
        self._at_work: set[asyncio.Task[Any]] = set()
        self._came: deque[float] = deque()
        self._ending = False

    def application(self) -> web.Application:
        made = web.Application(middlewares=[self._checked], client_max_size=LARGEST)
        made.router.add_get("/v1/models", self._models)
        made.router.add_post("/v1/chat/completions", self._chat)
        made.router.add_post("/retrieve", self._retrieve)
        return made

    async def stop(self) -> None:
        """Ends what is at work; sessions keep what they have."""
        self._ending = True
        for task in self._at_work:
            task.cancel()

    @web.middleware
    async def _checked(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        try:
            self._check(request)
            if isinstance(request.protocol, JsonConnection):
                request.protocol.heard = True
            return await handler(request)
        except ConnectionError:  # the client has gone
            raise
        except RefusedRequest as error:
            return error.response()
        except web.HTTPException as error:
            code = _STATUS.get(error.status, "no_address")
            return refused(error.status, code, most=LARGEST >> 20).response()
        except Exception as error:
            return _failed(error).response()

    def _check(self, request: web.Request) -> None:
        """Raises: RefusedRequest for what comes from a browser, or without the
        token.
        """
        if "Origin" in request.headers:
            raise refused(403, "origin")
        if self.on_network and _name_of(request.host) not in HERE:
            raise refused(403, "host")
        if self.token is not None:
            given = request.headers.get("Authorization", "")
            wanted = f"Bearer {self.token}".encode()
            if not hmac.compare_digest(given.encode("utf-8", "replace"), wanted):
                message = t("wrong.serve.token")
                kind = "authentication_error"
                raise RefusedRequest(401, message, "invalid_api_key", kind=kind)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Raises: RefusedRequest where too many are at work, or have come lately."""
        now, wait = time.monotonic(), 0
        while self._came and now - self._came[0] >= 60:
            self._came.popleft()
        if self._ending or len(self._at_work) >= self.most:
            code, wait = "busy", 1
        elif self.per_minute and len(self._came) >= self.per_minute:
            code, wait = "often", max(1, math.ceil(60 - (now - self._came[0])))
        if wait:
            message = t(f"wrong.serve.{code}", n=self.most, seconds=wait)
            raise RefusedRequest(
                429, message, "rate_limit_exceeded", kind="requests", wait=wait
            )
        if self.per_minute:
            self._came.append(now)
        task = asyncio.current_task()
        assert task is not None
        self._at_work.add(task)
        try:
            yield
        finally:
            self._at_work.discard(task)

    async def _models(self, request: web.Request) -> web.Response:
        model = {"id": MODEL, "object": "model", "created": 0, "owned_by": MODEL}
        return web.json_response({"object": "list", "data": [model]})

    async def _retrieve(self, request: web.Request) -> web.Response:
        body = await _body(request)
        query, k = body.get("query"), body.get("k")
        if not isinstance(query, str) or not query.strip():
            raise refused(400, "no_query")
        if k is not None and (type(k) is not int or not 1 <= k <= 50):
            raise refused(400, "no_k")
        with self._turn():
            try:
                found = await self.work.search(query, k)
            except RetrievalError as error:
                raise _failed(error) from None
        return web.json_response({"passages": found})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await _body(request)
        asked = _question(body)
        work = asyncio.ensure_future(self._answered(asked))
        work.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            await asyncio.sleep(0)  # so that a refusal comes before a stream begins
            if not body.get("stream") or work.done():
                return web.json_response(_whole(await asyncio.shield(work), self.work))
            return await _stream(request, work, self.work, body.get("stream_options"))
        finally:
            work.cancel()

    async def _answered(self, asked: str) -> Session:
        """The finished session of a question. Raises: RefusedRequest."""
        id_ = ""
        with self._turn():
            try:
                header = await asyncio.to_thread(self.work.begin, asked)
                with self.work.keep(header) as journal:
                    id_ = header.id
                    return await self.work.finish(journal)
            except asyncio.CancelledError:
                if not self._ending:
                    raise
                message = t("wrong.serve.ended", id=id_)
                kind = "server_error"
                raise RefusedRequest(503, message, "stopped", kind=kind) from None
            except Exception as error:
                raise _failed(error, id_) from None


_STATUS = {405: "no_method", 413: "large"}
"""Text of what aiohttp refuses."""


def _failed(error: Exception, id_: str = "") -> RefusedRequest:
    """The refusal of a request that failed. Its reason, which may hold paths and
    addresses, is printed here and, of a model, kept in the session.
    """
    status, code = 500, "internal"
    if isinstance(error, ModelError | RetrievalError):
        status, code = 502, error.kind
    elif isinstance(error, SessionError):
        code = "not_saved"
    elif not isinstance(error, BadInput):
        where = crash_report(error)
        error = RuntimeError(f"{type(error).__name__}: {where or error}")
    say(f"{id_}: {error}" if id_ else str(error))
    name = "failed_kept" if id_ else "failed"
    message = t(f"wrong.serve.{name}", kind=code, id=id_)
    return RefusedRequest(status, message, str(code), kind="server_error")


def _name_of(host: str) -> str | None:
    """The name in a header `Host`."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


async def _body(request: web.Request) -> Body:
    """The object that a request brings. Raises: RefusedRequest."""
    try:
        async with asyncio.timeout(PATIENCE):
            read = json.loads(await request.read())
    except TimeoutError:
        raise refused(408, "slow", seconds=round(PATIENCE)) from None
    except (ValueError, RecursionError, web.RequestPayloadError):
        raise refused(400, "no_json") from None
    if not isinstance(read, dict):
        raise refused(400, "no_json")
    return read


def _question(body: Body) -> str:
    """The question of a chat: its last message of the user. Raises: RefusedRequest."""
    if body.get("model") != MODEL:
        raise refused(404, "model_not_found", name=MODEL)
    if body.get("n") not in (None, 1):
        raise refused(400, "many")
    messages, content = body.get("messages"), None
    for one in messages if isinstance(messages, list) else ():
        if isinstance(one, dict) and one.get("role") == "user":
            content = one.get("content")
    if isinstance(content, list):
        parts = [one.get("text") for one in content if isinstance(one, dict)]
        whole = len(parts) == len(content) and all(
            isinstance(one, str) for one in parts
        )
        content = "\n".join(map(str, parts)) if whole else None
    if not isinstance(content, str):
        raise refused(400, "no_question")
    try:
        return question_of(content)
    except BadInput as error:
        raise RefusedRequest(400, english(error), "bad_question") from None


def _head(session: Session, kind: str) -> Reply:
    made = {"id": f"chatcmpl-{session.header.id}", "object": kind}
    return {**made, "created": int(time.time()), "model": MODEL}


def _usage(session: Session) -> Reply:
    spent = session.totals()
    read, written = spent.input or 0, spent.output or 0
    made = {"prompt_tokens": read, "completion_tokens": written}
    return {**made, "total_tokens": read + written}


def _whole(session: Session, work: ServedWork) -> Reply:
    message = {"role": "assistant", "content": work.answer(session)}
    return {
        **_head(session, "chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": _usage(session),
        MODEL: work.details(session),
    }


async def _stream(
    request: web.Request,
    working: asyncio.Future[Session],
    work: ServedWork,
    options: object,
) -> web.StreamResponse:
    """The same as server-sent events. An answer that may still be replaced is not sent,
    so the text comes at the end; until then a comment says that it is worked on.
    """
    headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    while not (await asyncio.wait({working}, timeout=BEAT))[0]:
        await response.write(b": working\n\n")
    try:
        session = working.result()
        head = _head(session, "chat.completion.chunk")
        text = {"role": "assistant", "content": work.answer(session)}
        last: Reply = {MODEL: work.details(session)}
        events: list[Reply] = [
            {
                **head,
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
                **more,
            }
            for delta, finish, more in ((text, None, Reply()), ({}, "stop", last))
        ]
        if isinstance(options, dict) and options.get("include_usage") is True:
            events.append({**head, "choices": [], "usage": _usage(session)})
    except RefusedRequest as error:
        events = [error.body]
    try:
        async with asyncio.timeout(PATIENCE):
            for event in (*map(json.dumps, events), "[DONE]"):
                await response.write(f"data: {event}\n\n".encode())
            await response.write_eof()
    except TimeoutError:  # nobody reads it
        raise ConnectionResetError from None
    return response


def listening(path: Path | None, port: int) -> socket.socket:
    """A socket that can listen: at `path`, for the user alone, or at a port of this
    machine (0: a free one). Raises: BadInput.
    """
    try:
        if path is None:
            made = socket.socket()
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(("127.0.0.1", port))
            return made
        _forsaken(path)
        made = socket.socket(socket.AF_UNIX)
        mask = os.umask(0o177)
        try:
            made.bind(str(path))
        finally:
            os.umask(mask)
        return made
    except OSError as error:
        where = port if path is None else path
        raise bad_input("wrong.serve.taken", where=where, why=cause(error)) from None


def _forsaken(path: Path) -> None:
    """Remove a socket left behind by a killed process."""
    with suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            return
        with socket.socket(socket.AF_UNIX) as tried:
            try:
                tried.connect(str(path))
            except ConnectionRefusedError:
                path.unlink()


async def serve(
    server: ChatServer, at: socket.socket, ready: Callable[[], None]
) -> None:
    """Serves until it is cancelled; `ready` is called when requests can come."""
    loop = asyncio.get_running_loop()
    runner = web.AppRunner(
        server.application(), handler_cancellation=True, shutdown_timeout=GRACE
    )

    def connection() -> web.RequestHandler:
        assert runner.server is not None
        return JsonConnection(
            runner.server,
            loop=loop,
            access_log=None,  # type: ignore[arg-type]  # aiohttp takes it
            logger=SILENT,
            auto_decompress=False,
        )

    listener: asyncio.Server | None = None
    try:
        await runner.setup()
        listener = await loop.create_server(connection, sock=at)
        ready()
        await asyncio.Event().wait()
    finally:
        if listener is not None:
            listener.close()
        await server.stop()
        await runner.cleanup()
