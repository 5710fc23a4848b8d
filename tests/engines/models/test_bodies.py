"""Bodies of replies are bounded: as they come, unpacked, streamed; in memory and in
time.
"""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
import subprocess
import sys
import time
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.models import bodies, litellm_door
from verifytui.engines.models.config import NamedModel
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.port import ModelError
from verifytui.engines.models.tokens import reported
from verifytui.sessions.session import Seat
from verifytui.tests.support.asking import Make, ask, both
from verifytui.tests.support.serving import Asked, Says, Server

pytestmark = pytest.mark.slow

MEGABYTE = 1 << 20


def at(server: Server, make: Make, stream: bool = False, **more: Any) -> Desk:
    named = NamedModel(model="big", api_base=f"{server.url}/v1")
    return make(
        Seat(model="big", name="it"), models={"it": named}, stream=stream, **more
    )


def whole(text: str) -> bytes:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return json.dumps(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "big",
            "choices": [choice],
            "usage": usage,
        }
    ).encode()


def event(text: str) -> bytes:
    choice = {
        "index": 0,
        "delta": {"role": "assistant", "content": text},
        "finish_reason": None,
    }
    data = {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "big",
        "choices": [choice],
    }
    return f"data: {json.dumps(data)}\n\n".encode()


@pytest.mark.parametrize("packing", ["gzip", "deflate", "gzip, gzip", "identity"])
async def test_packed_replies_are_unpacked(make: Make, packing: str) -> None:
    with Server() as server:
        body = whole("Packed. " * 40_000)
        for name in packing.split(", "):
            body = {"gzip": gzip.compress, "deflate": zlib.compress, "identity": bytes}[
                name
            ](body)
        server.says = Says(body, headers={"content-encoding": packing})
        reply = (await ask(at(server, make))).reply
        assert reply.text == "Packed. " * 40_000
        assert server.asked[0].headers["accept-encoding"] == "gzip, deflate"


HEADERS: dict[str, dict[str, str]] = {
    "twice packed": {"content-encoding": "gzip, gzip"},
    "once packed": {"content-encoding": "gzip"},
    "three times packed": {"content-encoding": "gzip, gzip, gzip"},
    "packed in another way": {"content-encoding": "br"},
    "broken": {"content-encoding": "gzip"},
}


@cache
def packed(how: str) -> bytes:
    """A body as one of `HEADERS` says it, which takes a second to make."""
    if how == "twice packed":
        return gzip.compress(gzip.compress(bytes(300 * MEGABYTE), 9), 9)
    if how == "once packed":
        return gzip.compress(bytes(80 * MEGABYTE), 9)
    if how == "broken":
        return b"no gzip at all"
    return b"x"


@both
@pytest.mark.parametrize("how", HEADERS)
async def test_a_reply_that_unpacks_to_too_much_is_refused_in_one_sentence(
    make: Make, stream: bool, how: str
) -> None:
    body, headers = packed(how), HEADERS[how]
    with Server() as server:
        server.says = Says(
            body,
            headers=headers,
            kind="text/event-stream" if stream else "application/json",
        )
        desk = at(server, make, stream, retries=2)
        began = time.monotonic()
        with pytest.raises(
            ModelError,
            match=r"^127.0.0.1:\d+ sends a reply for big that cannot be read: .* \((it is"
            r"|it cannot be|one event)",
        ) as raised:
            await ask(desk)
        assert time.monotonic() - began < 60
        assert raised.value.kind == "too-large"
        assert len(server.asked) == 1, "asking again would bring it again"


@both
async def test_a_reply_without_end_is_left_at_the_limit(
    make: Make, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "LARGEST", MEGABYTE)
    with Server() as server:
        server.says = Says(
            b"".join(event(f"{n} words" * 2000) for n in range(10))
            if stream
            else b" " * 65536,
            endless=True,
            kind="text/event-stream" if stream else "application/json",
        )
        with pytest.raises(ModelError, match="larger than 1 MB") as raised:
            await ask(at(server, make, stream))
        assert raised.value.kind == "too-large"
        assert await asyncio.to_thread(server.left.wait, 10)


@pytest.mark.parametrize(
    "line", [b"data: x\n", b":\n", b"x" * 4096], ids=["data", "comments", "one line"]
)
async def test_an_event_of_a_stream_without_end_is_left(
    make: Make, line: bytes
) -> None:
    """Its reader would take time that grows with the square of its length."""
    with Server() as server:
        server.says = Says(
            line * (65536 // len(line)), endless=True, kind="text/event-stream"
        )
        began = time.monotonic()
        with pytest.raises(ModelError, match="one event of its stream has no end"):
            await ask(at(server, make, True))
        assert time.monotonic() - began < 60
        assert await asyncio.to_thread(server.left.wait, 10)


async def test_of_a_long_stream_not_all_pieces_are_kept(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LiteLLM keeps each as an object of some kilobytes, and counts their tokens at the
    end.
    """
    pieces, most = 1000, 0

    def looked_at(found: Any) -> Any:
        nonlocal most
        most = max(
            most, sum(isinstance(one, ModelResponseStream) for one in gc.get_objects())
        )
        return reported(found)

    from litellm.types.utils import ModelResponseStream

    monkeypatch.setattr(litellm_door, "reported", looked_at)
    with Server() as server:
        last = event("").replace(b"null", b'"stop"')
        server.says = Says(
            b"".join(event(f"{n} ") for n in range(pieces))
            + last
            + b"data: [DONE]\n\n",
            kind="text/event-stream",
        )
        reply = (await ask(at(server, make, True))).reply
    assert reply.text == "".join(f"{n} " for n in range(pieces))
    assert reply.usage is not None
    assert reply.usage.estimated
    assert 0 < most < pieces - 300


BOMB = """
import asyncio, resource, sys, time
from pathlib import Path
from verifytui.engines.models import litellm_loading
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.models.desk import Desk
from verifytui.sessions.session import Seat
from verifytui.tests.support.asking import ask, session
from verifytui.tests.support.serving import Says, Server

async def main():
    await litellm_loading.ready()
    with Server() as server:
        body = Path(sys.argv[1]).read_bytes()
        server.says = Says(body, headers={"content-encoding": "gzip, gzip"})
        config = Config(models={"it": NamedModel(model="big", api_base=f"{server.url}/v1")}, retries=0, timeout=60)
        before, began = resource.getrusage(resource.RUSAGE_SELF), time.process_time()
        try:
            await ask(Desk(session(judge=Seat(model="big", name="it")), config, stream=False))
        except Exception as error:
            print(type(error).__name__, len(body))
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before.ru_maxrss) // 1024, time.process_time() - began)

asyncio.run(main())
"""


@pytest.mark.slow
def test_a_bomb_takes_neither_memory_nor_time(home: Path, tmp_path: Path) -> None:
    """Measured in a process of its own: 300 MB that come as 300 bytes."""
    (tmp_path / "bomb").write_bytes(packed("twice packed"))
    command = [sys.executable, "-c", BOMB, str(tmp_path / "bomb")]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=100, check=True
    )
    error, size, megabytes, seconds = done.stdout.split()
    assert (error, int(size) < 2000) == ("ModelError", True)
    assert int(megabytes) < 250
    assert float(seconds) < 10


def served(_: Asked) -> Says:
    return Says(packed("twice packed"), headers=HEADERS["twice packed"])


async def test_embeddings_rankings_and_searches_are_bounded_too(make: Make) -> None:
    from verifytui.engines.models.other_endpoints import embed, rerank, search
    from verifytui.engines.models.targets import Target

    with Server() as server:
        server.says = served
        target = Target(
            model="m",
            call_as="openai/m",
            provider="openai",
            host="127.0.0.1",
            api_base=f"{server.url}/v1",
            api_key="none-at-all",
        )
        for asked in (
            embed(target, ["a"], {}),
            rerank(target, "q", ["a"], {}),
            search("searxng", "q", 3, key=None, base=server.url, seconds=20, env={}),
        ):
            began = time.monotonic()
            with pytest.raises(ModelError, match="larger than 64 MB"):
                await asked
            assert time.monotonic() - began < 60
