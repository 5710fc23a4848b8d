"""Replies held for equal requests: what is asked on the wire, what is held, and what a
broken cache does.
"""

from __future__ import annotations

import asyncio
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.models import cache as caching
from verifytui.engines.models.cache import Cache, cache_in
from verifytui.engines.models.config import NamedModel
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.port import ModelError, ModelReply, Task
from verifytui.sessions.events import CachedTime, Usage
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Seat
from verifytui.tests.support.asking import MESSAGES, Asked, Make, both
from verifytui.tests.support.loopback import Answer, Loopback, in_turn

HELD = Task(cache=True)
CASE = [{"role": "user", "content": "\u7ecf\u5ba1\u7406\u67e5\u660e"}]


async def ask(
    desk: Desk,
    task: Task = HELD,
    messages: list[dict[str, str]] = MESSAGES,
    **others: Any,
) -> Asked:
    asked = Asked()
    others = {"readable": lambda _: True, **others}
    async with aclosing(desk.ask("judge", task, messages, **others)) as parts:
        async for part in parts:
            asked.parts.append(part)
    return asked


def another_process() -> None:
    """What a new process knows: only what is on disk."""
    for one in caching._caches.values():
        one.close()
    caching._caches.clear()


@pytest.fixture(autouse=True)
def alone(home: Path) -> Any:
    yield
    another_process()


@both
async def test_a_second_session_asks_nobody(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    loopback.answer = Answer(text="Two metres per second.", reasoning="Let me see.")
    first = (await ask(make(stream=stream))).reply
    another_process()
    desk = make(stream=stream)
    asked = await ask(desk)
    second = asked.reply
    assert len(loopback.requests) == 1
    assert asked.parts == [second], "nothing streams, and nothing goes to a host"
    assert (second.text, second.reasoning, second.model, second.finish) == (
        first.text,
        first.reasoning,
        first.model,
        first.finish,
    )
    assert not first.cached
    assert first.usage == Usage(input=11, output=7)
    assert second.cached
    assert second.usage == Usage(input=0, output=0)
    assert (second.cost, second.attempts, second.seconds) == (0.0, 0, 0.0)
    assert second.took == CachedTime(
        input=11, output=7, cost=first.cost, seconds=first.seconds, calls=1
    )
    spent = desk.take_spent()
    assert spent is not None
    assert (spent.usage, spent.cost, spent.attempts) == (
        Usage(input=0, output=0),
        0.0,
        0,
    )


async def test_equal_requests_at_once_share_one_call(
    loopback: Loopback, make: Make
) -> None:
    loopback.answer = Answer(text="Shared.", first_delay=0.05)
    desks = [make(stream=False) for _ in range(20)]
    asked = await asyncio.gather(*[ask(desk) for desk in desks])
    assert len(loopback.requests) == 1
    assert {one.reply.text for one in asked} == {"Shared."}
    assert [one.reply.cached for one in asked].count(False) == 1, "one has paid"
    assert sum(one.reply.usage.input or 0 for one in asked if one.reply.usage) == 11
    assert not cache_in(paths().cache).flights


async def test_whoever_waits_goes_on_when_the_first_leaves(
    loopback: Loopback, make: Make
) -> None:
    loopback.answer = in_turn(Answer(stall_after=0), Answer(text="For the others."))
    first = asyncio.create_task(ask(make(stream=False)))
    assert await loopback.until(lambda server: server.busy == 1)
    others = [asyncio.create_task(ask(make(stream=False))) for _ in range(3)]
    await asyncio.sleep(0)
    first.cancel()
    done = await asyncio.gather(*others)
    assert {one.reply.text for one in done} == {"For the others."}
    assert len(loopback.requests) == 2


async def test_a_failure_is_shared_and_not_held(loopback: Loopback, make: Make) -> None:
    loopback.answer = in_turn(Answer(status=401, first_delay=0.05), Answer(text="Now."))
    made = [make(stream=False) for _ in range(4)]
    failed = await asyncio.gather(*[ask(desk) for desk in made], return_exceptions=True)
    assert [one.kind for one in failed if isinstance(one, ModelError)] == ["auth"] * 4
    assert len(loopback.requests) == 1
    assert (await ask(make())).reply.text == "Now."


async def test_retry_asks_anew_and_replaces(loopback: Loopback, make: Make) -> None:
    loopback.answer = in_turn(Answer(text="One."), Answer(text="Two."))
    await ask(make())
    again = await ask(make(), Task(cache=True, fresh=True))
    assert (again.reply.text, again.reply.cached) == ("Two.", False)
    assert ((await ask(make())).reply.text, len(loopback.requests)) == ("Two.", 2)


@pytest.mark.parametrize(
    ("answer", "readable"),
    [
        (Answer(text="Perhaps."), False),
        (Answer(text="Cut off in the", finish="length"), True),
        (Answer(text="I cannot", finish="content_filter"), True),
    ],
    ids=["unread", "cut", "refused"],
)
async def test_what_is_no_good_is_not_held(
    loopback: Loopback, make: Make, answer: Answer, readable: bool
) -> None:
    loopback.answer = answer
    await ask(make(), readable=lambda _: readable)
    await ask(make(), readable=lambda _: readable)
    assert len(loopback.requests) == 2
    assert cache_in(paths().cache).held().replies == 0


@pytest.mark.parametrize(
    "answer",
    [Answer(text="  "), Answer(status=400), Answer(cut_after=1)],
    ids=["empty", "refused", "cut"],
)
async def test_errors_are_not_held(
    loopback: Loopback, make: Make, answer: Answer
) -> None:
    loopback.answer = answer
    with pytest.raises(ModelError):
        await ask(make(retries=0))
    assert cache_in(paths().cache).held().replies == 0


async def test_what_can_no_longer_be_read_is_asked_again(
    loopback: Loopback, make: Make
) -> None:
    loopback.answer = in_turn(Answer(text="somewhat"), Answer(text="yes"))
    await ask(make())
    assert (
        await ask(make(), readable=lambda reply: reply.text == "yes")
    ).reply.text == "yes"


@pytest.mark.parametrize(
    ("task", "others", "config"),
    [
        (Task(), {}, {}),
        (HELD, {"readable": None}, {}),
        (HELD, {}, {"cache": False}),
    ],
    ids=["not wanted", "nobody can tell what is readable", "switched off"],
)
async def test_off(
    loopback: Loopback,
    make: Make,
    task: Task,
    others: dict[str, Any],
    config: dict[str, Any],
) -> None:
    for _ in range(2):
        assert not (await ask(make(**config), task, **others)).reply.cached
    assert len(loopback.requests) == 2
    assert not (paths().cache / "replies").exists()


async def test_everything_that_matters_is_in_the_key(
    loopback: Loopback, make: Make
) -> None:
    named = {
        "models": {
            "mine": NamedModel(
                model="some-model", api_base=loopback.base_url, params={"top_k": 4}
            )
        }
    }
    asks: list[Callable[[], Any]] = [
        lambda: ask(make()),
        lambda: ask(make("openai/another-model")),
        lambda: ask(make(Seat(model="openai/some-model", params={"temperature": 0.7}))),
        lambda: ask(make(), Task(cache=True, repeat=1)),
        lambda: ask(make(), messages=CASE),
        lambda: ask(make(), schema={"type": "object"}),
        lambda: ask(make(Seat(model="some-model", name="mine"), **named)),
    ]
    for one in [*asks, *asks]:
        await one()
    assert len(loopback.requests) == len(asks), (
        "each is asked once, and none for another"
    )


async def test_another_server_of_the_same_name_is_asked_itself(
    loopback: Loopback, make: Make
) -> None:
    with Loopback(Answer(text="From elsewhere.")) as other:
        for url in (loopback.base_url, other.base_url):
            named = NamedModel(model="some-model", api_base=url)
            await ask(
                make(Seat(model="some-model", name="mine"), models={"mine": named})
            )
        assert len(loopback.requests) == len(other.requests) == 1


async def test_a_reply_needs_neither_key_nor_litellm_again(
    loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask(make())
    monkeypatch.delenv("OPENAI_API_KEY")
    assert (await ask(make())).reply.cached


async def test_only_the_owner_can_read_it(make: Make) -> None:
    await ask(make())
    folder = paths().cache / "replies"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
    assert set(modes.values()) == {0o600}, modes


@pytest.mark.parametrize(
    "content", [b"this is no database at all" * 400, None], ids=["foreign", "torn"]
)
async def test_a_damaged_file_is_moved_aside_with_a_sentence(
    loopback: Loopback, make: Make, content: bytes | None
) -> None:
    await ask(make())
    another_process()
    file = paths().cache / "replies" / "replies.sqlite"
    file.write_bytes(content or file.read_bytes()[:4096] + b"\xff" * 4096)
    asked = await ask(make())
    assert [remark.kind for remark in asked.remarks if remark.kind == "cache"] == [
        "cache"
    ]
    assert asked.remarks[-1].message.startswith(
        "The reply cache was damaged; it is now "
    )
    assert Path(asked.remarks[-1].about).exists()
    assert not asked.reply.cached
    again = await ask(make())
    assert again.reply.cached, "a new one was created"
    assert not again.remarks
    assert cache_in(paths().cache).clear() == 1
    assert not list(file.parent.glob("*damaged*"))


async def test_without_a_place_to_write_everybody_is_asked(
    loopback: Loopback, make: Make
) -> None:
    place = paths().cache
    place.parent.mkdir(parents=True)
    place.write_text("a file where the folder should be")
    desk = make()
    first, second = await ask(desk), await ask(desk)
    assert [remark.kind for remark in first.remarks] == ["remote-host", "cache"][
        -len(first.remarks) :
    ]
    assert "cannot be used" in first.remarks[-1].message
    assert not second.reply.cached
    assert len(loopback.requests) == 2


WRITER = """
import sys
from pathlib import Path
from verifytui.engines.models.cache import Cache
from verifytui.engines.models.port import ModelReply
cache = Cache(Path(sys.argv[1]))
print("ready", flush=True)
for number in range(int(sys.argv[3])):
    cache.put(f"{sys.argv[2]}{number}".encode(), ModelReply(text="x" * 5000, model=sys.argv[2], finish="stop"))
    if number == 20:
        print("writing", flush=True)
problem = cache.problem()
sys.exit(problem.sentence if problem else 0)
"""


def writer(folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), name, str(count)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_killed_while_writing_it_still_opens(tmp_path: Path) -> None:
    process = writer(tmp_path / "replies", "a", 10_000_000)
    assert process.stdout is not None
    assert [process.stdout.readline().strip() for _ in range(2)] == ["ready", "writing"]
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    cache = Cache(tmp_path / "replies")
    held = cache.held()
    assert held.replies >= 20
    assert cache.problem() is None
    assert all(
        (reply := cache.get(f"a{number}".encode())) is not None
        and reply.text == "x" * 5000
        for number in range(held.replies)
    )
    cache.put(b"new", ModelReply(text="new", model="m"))
    assert cache.held().replies == held.replies + 1
    cache.close()


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    running = [writer(tmp_path / "replies", name, 300) for name in ("a", "b")]
    for one in running:
        one.communicate()
    assert [one.returncode for one in running] == [0, 0]
    cache = Cache(tmp_path / "replies")
    assert cache.held().replies == 600
    cache.close()


def test_a_reply_comes_back_as_it_was(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "replies")
    reply = ModelReply(
        text="\u76d7\u7a83\u7f6a\n\U0001f600",
        model="m",
        reasoning="r",
        usage=Usage(input=1, output=2),
        finish="stop",
        dropped=["seed"],
    )
    cache.put(b"k", reply)
    assert cache.get(b"k") == reply
    assert cache.get(b"other") is None
    cache.close()


def test_clearing_makes_it_small(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "replies")
    assert cache.clear() == 0
    assert not (tmp_path / "replies").exists(), "nothing is made to be emptied"
    for number in range(200):
        cache.put(bytes([number]), ModelReply(text="x" * 10_000, model="m"))
    before = cache.held().bytes
    assert (cache.clear(), cache.held().replies) == (200, 0)
    assert cache.held().bytes < before / 20
    cache.close()
