"""Debates through the engine against the same calls with bare `litellm.acompletion`.

The server runs in a process of its own on the loopback interface. It counts the calls
and the bytes of their messages; both sides must make the same calls. Debates run one
after another at zero latency, and 100 at once at 200 ms a call, once against a server
that keeps connections and once against one that closes them.
`engine.py cpu`: our processor time alone, to compare two versions on a busy machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import httpx

CALLS = 6
"""Of each debate: two rounds of two speeches and a verdict."""
EVENTS = 7
"""Those calls, and the result."""
SERVER = """
import json, sys
from verifytui.tests.support.loopback import Answer, Loopback
SPEECH = "The time is d/1 + d/3."
counts = {{"calls": 0, "bytes": 0}}
def answer(body):
    messages = [each["content"] for each in body["messages"]]
    if messages == ["counts"]:
        found = json.dumps(counts)
        counts.update(calls=0, bytes=0)
        return Answer(text=found)
    counts["calls"] += 1
    counts["bytes"] += sum(len(each.encode()) for each in messages)
    how = dict(usage=(120, 40), first_delay={delay}, headers={headers})
    if "JSON" not in messages[-1]:
        return Answer(text=SPEECH + "\\n\\nAnswer: 1.5 m/s", **how)
    # Two rounds have four speeches. What the prompt says must not decide this.
    done = sum(each.count(SPEECH) for each in messages) >= 4
    verdict = {{
        "reason": "r",
        "preference": done,
        "supported_side": "none",
        "answer": "1.5 m/s" if done else "",
    }}
    return Answer(text=json.dumps(verdict), **how)
with Loopback(answer=answer) as server:
    print(server.base_url, flush=True)
    sys.stdin.read()
"""


class Server:
    """The loopback server in its own process. `closes`: after every reply."""

    def __init__(self, delay: float, *, closes: bool = False) -> None:
        headers = {"connection": "close"} if closes else {}
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER.format(delay=delay, headers=headers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def counts(url: str) -> tuple[int, int]:
    """Calls and bytes of messages since the last look."""
    body = {"model": "local", "messages": [{"role": "user", "content": "counts"}]}
    reply = httpx.post(f"{url}/chat/completions", json=body, timeout=10).json()
    found = json.loads(reply["choices"][0]["message"]["content"])
    return found["calls"], found["bytes"]


def same_work(url: str, debates: int, length: int) -> None:
    """Asserts that `debates` debates were held since the last look."""
    calls, found = counts(url)
    assert calls == CALLS * debates, (calls, debates)
    assert abs(found - length * debates) <= 0.03 * length * debates, (found, length)


async def debate(
    folder: Path | None, index: int, url: str, record: list[list[dict[str, str]]] | None
) -> None:
    from verifytui.engines.debate.engine import DEBATE_ENGINE
    from verifytui.engines.debate.method import new_debate
    from verifytui.engines.models.config import Config, NamedModel
    from verifytui.engines.models.desk import Desk
    from verifytui.engines.models.seating import seat
    from verifytui.engines.step import step
    from verifytui.prompts import load
    from verifytui.sessions.journal import Journal

    config = Config(models={"local": NamedModel(model="openai/local", api_base=url)})
    lineup = {
        role: seat("local", config) for role in ("affirmative", "negative", "judge")
    }
    header = new_debate(
        topic=f"How fast is Alice {index}?",
        lineup=lineup,
        settings={"rounds": 3},
        prompts=load("en"),
    )
    with Journal.create(
        folder / f"{index}.yaml" if folder else None, header
    ) as journal:
        desk = Desk(lambda: journal.session, config, stream=False)
        engine = DEBATE_ENGINE
        while not engine.finished(journal.session):
            async for _ in step(journal, engine, desk):
                pass
        assert len(journal.session.events) == EVENTS, journal.session.events
        if record is not None:
            from verifytui.engines.debate.messages import messages
            from verifytui.engines.debate.plan import upcoming

            for number in range(len(journal.session.events)):
                before = journal.session.prefix(number)
                coming = upcoming(before)
                if coming is not None and coming.role:
                    record.append(messages(before, coming))


async def bare(calls: list[list[dict[str, str]]], url: str) -> None:
    import litellm

    for messages in calls:
        await litellm.acompletion(
            model="openai/local",
            api_base=url,
            messages=messages,
            temperature=0,
            max_retries=0,
        )


async def one_after_another(count: int) -> None:
    server = Server(0)
    try:
        with tempfile.TemporaryDirectory() as name:
            calls: list[list[dict[str, str]]] = []
            await debate(None, -1, server.url, calls)
            assert len(calls) == CALLS
            counts(server.url)
            await bare(calls, server.url)
            _, length = counts(server.url)
            found: dict[str, list[float]] = {
                "in memory": [],
                "each event synced to disk": [],
            }
            part = count // 10
            for turn in range(10):
                for kind, folder in (
                    ("in memory", None),
                    ("each event synced to disk", Path(name)),
                ):
                    began = time.perf_counter()
                    for index in range(part):
                        await debate(folder, turn * part + index, server.url, None)
                    ours = time.perf_counter() - began
                    same_work(server.url, part, length)
                    began = time.perf_counter()
                    for _ in range(part):
                        await bare(calls, server.url)
                    theirs = time.perf_counter() - began
                    same_work(server.url, part, length)
                    found[kind].append(ours / theirs)
            for kind, ratios in found.items():
                middle, low, high = statistics.median(ratios), min(ratios), max(ratios)
                print(
                    f"  {count} debates of {CALLS} calls, {kind}: "
                    f"median {middle:.2f} ({low:.2f} to {high:.2f})"
                )
    finally:
        server.close()


def at_once(count: int, turns: int, *, closes: bool) -> None:
    """Each side in a process of its own, which has made its first calls by then."""
    server = Server(0.2, closes=closes)
    found: dict[str, list[float]] = {"batch": [], "bare acompletion": [], "ratio": []}
    try:
        with ProcessPoolExecutor(
            1, multiprocessing.get_context("spawn"), max_tasks_per_child=1
        ) as fresh:
            for _ in range(turns):
                theirs = fresh.submit(gathered, server.url, count).result()
                ours = fresh.submit(batch, server.url, count).result()
                for kind, value in zip(
                    found, (ours, theirs, ours / theirs), strict=True
                ):
                    found[kind].append(value)
    finally:
        server.close()
    for kind, values in found.items():
        middle, low, high = statistics.median(values), min(values), max(values)
        print(
            f"  {count} debates, {kind}: median {middle:.2f} ({low:.2f} to {high:.2f})"
        )


def gathered(url: str, count: int) -> float:
    """Seconds that the calls of `count` debates take, all debates at once."""
    calls: list[list[dict[str, str]]] = []

    async def all_of_them() -> None:
        await asyncio.gather(*(bare(calls, url) for _ in range(count)))

    asyncio.run(debate(None, -1, url, calls))
    _, length = counts(url)
    # A script of its own with bare calls leaves Python's collector as it is.
    gc.unfreeze()
    began = time.perf_counter()
    asyncio.run(all_of_them())
    took = time.perf_counter() - began
    same_work(url, count, length)
    return took


def batch(url: str, count: int) -> float:
    """Seconds that the command takes for `count` debates, all at once.

    It reads the topics, and writes the folder, the sessions and the report.
    """
    from verifytui.cli.app import main as command

    asyncio.run(debate(None, -1, url, []))
    _, length = counts(url)
    with tempfile.TemporaryDirectory() as name, open(os.devnull, "w") as nowhere:
        os.environ.update(VERIFYTUI_HOME=name, OPENAI_API_BASE=url)
        topics = Path(name, "topics.jsonl")
        topics.write_text(
            "".join(
                json.dumps({"id": f"t{n}", "topic": f"How fast is Alice {n}?"}) + "\n"
                for n in range(count)
            )
        )
        options = [
            "--topics",
            str(topics),
            "--into",
            str(Path(name, "batch")),
            "--model",
            "openai/local",
            "--concurrency",
            str(count),
        ]
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            began = time.perf_counter()
            code = command(["debate", *options])
            took = time.perf_counter() - began
        folder = Path(name, "batch")
        assert len(list(folder.glob("*.yaml"))) == count
    assert code == 0, code
    same_work(url, count, length)
    return took


async def worked(url: str, count: int) -> None:
    """Prints the processor's milliseconds a debate.

    A machine that is busy elsewhere changes them less than seconds.
    """
    with tempfile.TemporaryDirectory() as name:
        for kind, folder in (
            ("in memory", None),
            ("each event synced to disk", Path(name)),
        ):
            began = time.process_time()
            for index in range(count):
                await debate(folder, index, url, None)
            print(f"  {kind}: {(time.process_time() - began) * 1000 / count:.1f} ms")


def processor() -> None:
    server = Server(0)
    try:
        asyncio.run(debate(None, -1, server.url, []))
        asyncio.run(worked(server.url, 60))
        counts(server.url)
        began = time.process_time()
        batch(server.url, 100)
        took = time.process_time() - began
        print(f"  a batch of 100 by the command: {took * 10:.1f} ms a debate")
    finally:
        server.close()


def main() -> None:
    # Where this is set, each process compiles the modules that it imports in the clock.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("OPENAI_API_KEY", "none")
    if sys.argv[1:] == ["cpu"]:
        print("processor time a debate")
        return processor()
    print("one after another, zero latency")
    asyncio.run(one_after_another(200))
    for closes, kind in ((False, "kept"), (True, "closed")):
        print(f"100 at once, 200 ms a call, connections {kind}")
        at_once(100, 7, closes=closes)


if __name__ == "__main__":
    main()
