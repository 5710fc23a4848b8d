"""What LiteLLM does unasked, seen from outside: each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.processor import of_ended

pytestmark = pytest.mark.slow

START = """
import asyncio, os, sys, time
from verifytui.tests.support.asking import ask, session
from verifytui.engines.models.config import Config
from verifytui.engines.models.desk import Desk
from verifytui.engines.models import litellm_loading
from verifytui.engines.models.port import ModelError

def desk(model, **config):
    config = {"retries": 1, "retry_wait": 0.001, "timeout": 10, **config}
    return Desk(session(judge=model), Config(**config), stream=config.pop("stream", True))
"""

GUARD = """
import socket
asked = []
def guard(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        asked.append(str(arguments[0]))
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        asked.append(str(arguments[1][0]))
sys.addaudithook(guard)
"""


def clean(**env: str) -> dict[str, str]:
    """The environment without what the machine says of models, with `env`."""
    kept = (
        name
        for name in os.environ
        if not name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL"))
        and "LITELLM" not in name
    )
    return {**{name: os.environ[name] for name in kept}, **env}


def run(code: str, **env: str) -> tuple[subprocess.CompletedProcess[str], float]:
    """What came of it, and its processor time in seconds."""
    before = of_ended()
    done = subprocess.run(
        [sys.executable, "-c", START + code],
        capture_output=True,
        text=True,
        env=clean(**env),
        timeout=60,
        check=False,
    )
    return done, of_ended() - before


def test_loading_asks_nobody_on_the_network() -> None:
    done, _ = run(
        GUARD + "asyncio.run(litellm_loading.ready())\nassert "
        "litellm_loading.loaded()\nassert not asked, asked\n"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_call_asks_nobody_but_its_host(loopback: Loopback) -> None:
    code = (
        GUARD + "asyncio.run(ask(desk('openai/"
        "x')))\nasyncio.run(ask(desk('gpt-4')))\nassert set(asked) == "
        "{'127.0.0.1'}, asked\n"
    )
    done, _ = run(code, OPENAI_API_BASE=loopback.base_url, OPENAI_API_KEY="k")
    assert (done.returncode, done.stderr) == (0, "")


def test_no_env_file_is_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-from-a-file-that-came-along\n")
    done, _ = run(
        f"os.chdir({str(tmp_path)!r})\nasyncio.run(litellm_loading.ready())\nprint(os.environ.get('OPENAI_API_KEY'))"
    )
    assert (done.stdout, done.stderr) == ("None\n", "")


FAULTS = """
async def all_of_it():
    for model in MODELS:
        for stream in (True, False):
            one = desk(model)
            one._stream = stream
            try:
                await ask(one)
            except ModelError:
                pass
    one = desk(MODELS[0])
    task = asyncio.ensure_future(ask(one))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except (asyncio.CancelledError, ModelError):
        pass
import logging, gc
"""

ONCE = """
asyncio.run(all_of_it())
gc.collect()
"""


ANSWERS = {
    "good": Answer(),
    "no usage": Answer(usage=None),
    "401": Answer(status=401, error="no"),
    "429": Answer(status=429, error="slow", headers={"retry-after": "0"}),
    "500": Answer(status=500, error="boom"),
    "cut": Answer(chunks=["a", "b"], cut_after=2),
    "broken": Answer(chunks=["a", "b"], cut_after=2, drop=True),
    "not json": Answer(body=b"not json"),
    "dropped": Answer(drop=True),
}

IN_TURN = """
async def in_turn():
    while await asyncio.to_thread(sys.stdin.readline):
        await all_of_it()
        gc.collect()
        os.write(OVER, b".")
asyncio.run(in_turn())
gc.collect()
"""


def test_not_a_byte_on_the_terminal(loopback: Loopback) -> None:
    """One process, which asks again and again while the server answers in another way
    each time.
    """
    models = [
        "openai/x",
        "gpt-5",
        "nonsense",
        "foo/bar",
        "anthropic/claude-sonnet-4-5",
        "replicate/x",
    ]
    over, told = os.pipe()
    code = f"{START}MODELS, OVER = {models!r}, {told}\n{FAULTS}{IN_TURN}"
    env = clean(
        OPENAI_API_BASE=loopback.base_url, OPENAI_API_KEY="k", LITELLM_LOG="DEBUG"
    )
    with TemporaryFile() as said:
        asking = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=said,
            env=env,
            pass_fds=[told],
        )
        os.close(told)
        assert asking.stdin is not None
        for name, answer in ANSWERS.items():
            loopback.answer, before = answer, len(loopback.requests)
            asking.stdin.write(b"\n")
            asking.stdin.flush()
            assert os.read(over, 1) == b".", f"{name}: the process has ended"
            said.seek(0)
            assert (name, said.read()) == (name, b"")
            assert len(loopback.requests) > before
        asking.communicate(timeout=60)
        said.seek(0)
        assert (asking.returncode, said.read()) == (0, b"")
    os.close(over)


def test_not_a_byte_without_a_key() -> None:
    done, _ = run(
        "MODELS = ['gpt-4', 'openai/x', 'mistral/x', 'azure/x', 'cohere/command-r']\n"
        + FAULTS
        + ONCE
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_script_that_ends_while_litellm_loads_waits_for_it() -> None:
    """Python does not take itself apart beside a thread that imports; what the script
    says and its exit code are its own.
    """
    done, _ = run(
        "print('said')\nlitellm_loading.warm()\nassert "
        "litellm_loading.loading()\nsys.exit(7)"
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "said\n", "")


def test_leaving_after_calls(loopback: Loopback) -> None:
    code = (
        "asyncio.run(ask(desk('openai/"
        "x')))\nasyncio.run(ask(desk('gpt-4')))\nprint(time.process_time())"
    )
    done, used = run(code, OPENAI_API_BASE=loopback.base_url, OPENAI_API_KEY="k")
    assert (done.returncode, done.stderr) == (0, "")
    assert used - float(done.stdout) < 0.5


def test_loading_does_not_hold_up_the_event_loop() -> None:
    code = """
async def main():
    waiting = asyncio.ensure_future(litellm_loading.ready())
    gaps = []
    last = time.monotonic()
    while not waiting.done():
        await asyncio.sleep(0.005)
        now = time.monotonic()
        gaps.append(now - last)
        last = now
    await asyncio.gather(*(litellm_loading.ready() for _ in range(3)))
    assert len(gaps) > 20, len(gaps)
asyncio.run(main())
assert not litellm_loading.loading()
"""
    done, _ = run(code)
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_heavy_is_loaded_by_importing() -> None:
    code = (
        "heavy = {'litellm', 'openai', 'httpx', 'aiohttp', 'yaml', 'textual'} & "
        "set(sys.modules)\nassert not heavy, heavy\n"
    )
    code += "import verifytui.engines.models.human, verifytui.engines.models.catalogue"
    done, _ = run(code)
    assert (done.returncode, done.stderr) == (0, "")
