"""Reads the bodies of HTTP responses: decompresses them piece by piece and stops at a
limit.

Imports httpx. A compressed body of a few kilobytes can expand to gigabytes, which httpx
would decompress at once on the event loop.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpx

from .keys import sent_with

LARGEST = 64 << 20
"""Most bytes of a body, both as received and unpacked."""
LAYERS = 2
"""How many times a body may be compressed."""
LONGEST_EVENT = 8 << 20
"""Most bytes of one event of a stream."""
MOST_LINES = 1000
"""Most lines of one event of a stream.

The time to read an event grows with the square of this number.
"""
PACKINGS = "gzip, deflate"
"""The compressions that requests accept: these can be unpacked in steps."""

_STEP = 1 << 16


_allowed: ContextVar[int | None] = ContextVar("largest body", default=None)
"""None: LARGEST."""


@contextmanager
def allowing(largest: int) -> Iterator[None]:
    """Within it, bodies may have this many bytes: for files, which are no replies."""
    token = _allowed.set(largest)
    try:
        yield
    finally:
        _allowed.reset(token)


class BodyError(Exception):
    """A body is not read any further. `str()` says why in a few words."""


class BoundedStream(httpx.AsyncByteStream):
    """The unpacked body of a response.

    Raises: BodyError, while it is read, if it is larger than `largest` or compressed in
    an unknown way.
    """

    def __init__(self, response: httpx.Response, largest: int) -> None:
        assert isinstance(response.stream, httpx.AsyncByteStream)
        self._inner, self._largest = response.stream, largest
        names = response.headers.get("content-encoding", "").lower().split(",")
        self._packings = [
            name
            for name in (one.strip() for one in names)
            if name not in ("", "identity")
        ]
        self._events = (
            response.headers.get("content-type", "").partition(";")[0].strip().lower()
            == "text/event-stream"
        )

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if len(self._packings) > LAYERS:
            raise BodyError(f"it is packed {len(self._packings)} times")
        pieces = self._counted(self._inner.__aiter__())
        for name in reversed(self._packings):
            if name not in ("gzip", "x-gzip", "deflate"):
                raise BodyError(
                    f"it is packed in a way that was not asked for ({name:.20})"
                )
            pieces = self._counted(_unpacked(pieces, name))
        event = _Event()
        async for piece in pieces:
            if self._events:
                event.goes_on(piece)
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _counted(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        size = 0
        async for piece in pieces:
            size += len(piece)
            if size > self._largest:
                raise BodyError(f"it is larger than {self._largest >> 20} MB")
            yield piece


class _Event:
    """Measures the event of a stream that has not ended yet."""

    def __init__(self) -> None:
        self._size, self._lines, self._last = 0, 0, b""

    def goes_on(self, piece: bytes) -> None:
        joined = self._last + piece
        end = max(joined.rfind(b"\n\n"), joined.rfind(b"\n\r\n"), joined.rfind(b"\r\r"))
        if end >= 0:
            self._size, self._lines, piece = 0, 0, joined[end:]
        self._last = joined[-2:]
        self._size += len(piece)
        self._lines += max(piece.count(b"\n"), piece.count(b"\r"))
        if self._size > LONGEST_EVENT or self._lines > MOST_LINES:
            raise BodyError("one event of its stream has no end")


async def _unpacked(pieces: AsyncIterator[bytes], packing: str) -> AsyncIterator[bytes]:
    """Yields at most `_STEP` bytes at a time, and lets other tasks run in between."""
    unpacking: Any = None
    steps = 0
    async for piece in pieces:
        if unpacking is None:
            # some servers send it without zlib's header
            bare = packing == "deflate" and piece[:1] != b"" and piece[0] & 0x0F != 8
            unpacking = zlib.decompressobj(
                -zlib.MAX_WBITS if bare else zlib.MAX_WBITS | 32
            )
        rest = piece
        while True:
            try:
                part = unpacking.decompress(rest, _STEP)
            except zlib.error:
                raise BodyError("it cannot be unpacked") from None
            if part:
                yield part
            steps += 1
            if steps % 8 == 0:
                await asyncio.sleep(0)
            if unpacking.eof:
                rest = unpacking.unused_data
                if rest[:1] != b"\x1f":
                    break
                # gzip may go on with another part
                unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)
                continue
            rest = unpacking.unconsumed_tail
            if not rest and len(part) < _STEP:
                break


def bounded(response: httpx.Response, largest: int = LARGEST) -> httpx.Response:
    """The same response with an unpacked, bounded body, and without the headers that
    say it is compressed.

    Raises: BodyError if the response announces a body that is too large.
    """
    stream = BoundedStream(response, largest)
    length = response.headers.get("content-length", "")
    if length.isdigit() and int(length[:20]) > largest:
        raise BodyError(f"it is larger than {largest >> 20} MB")
    headers = [
        (name, value)
        for name, value in response.headers.raw
        if name.lower() not in (b"content-encoding", b"content-length")
    ]
    return httpx.Response(
        response.status_code,
        headers=headers,
        stream=stream,
        extensions=response.extensions,
    )


class Transport(httpx.AsyncBaseTransport):
    """An httpx transport that bounds all bodies and remembers the keys in the
    requests.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport, largest: int = LARGEST) -> None:
        self._inner, self._largest = inner, largest

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await _handled(self._inner.handle_async_request, request, self._largest)

    async def aclose(self) -> None:
        await self._inner.aclose()


def bound(kind: Any) -> None:
    """Changes a transport class of a library, so that all its instances do the same."""
    inner = kind.handle_async_request
    if getattr(inner, "bounded", False):
        return

    async def handle_async_request(
        self: object, request: httpx.Request
    ) -> httpx.Response:
        return await _handled(
            lambda one: inner(self, one), request, _allowed.get() or LARGEST
        )

    handle_async_request.bounded = True  # type: ignore[attr-defined]
    kind.handle_async_request = handle_async_request


async def _handled(inner: Any, request: httpx.Request, largest: int) -> httpx.Response:
    request.headers["accept-encoding"] = PACKINGS
    sent_with(request.headers.items(), str(request.url))
    response = await inner(request)
    try:
        return bounded(response, largest)
    except BodyError:
        await response.aclose()
        raise
