"""Debates through the engine, each session on disk, against the same calls made with bare `litellm.acompletion`.

The server runs in a process of its own on the loopback. One after another at zero latency, and 100 at once at 200 ms a call.
`engine.py cpu`: our processor time alone, to compare two versions on a machine that is busy with other work.
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

ROUNDS = 2
SERVER = """
import json, sys
from verifytui.tests.support.loopback import Answer, Loopback
def answer(body):
    text = body["messages"][-1]["content"]
    if "JSON" not in text:
        return Answer(text="The time is d/1 + d/3.\\n\\nAnswer: 1.5 m/s", usage=(120, 40), first_delay={delay})
    if "candidates" in text:
        return Answer(text='{{"candidates": ["1.5 m/s"]}}', usage=(120, 40), first_delay={delay})
    done = "Round 2" in text or "decide" in text
    verdict = {{"preference": done, "supported_side": "none", "reason": "r", "answer": "1.5 m/s" if done else ""}}
    return Answer(text=json.dumps(verdict), usage=(120, 40), first_delay={delay})
with Loopback(answer=answer) as server:
    print(server.base_url, flush=True)
    sys.stdin.read()
"""


class Server:
    """The loopback server in its own process."""

    def __init__(self, delay: float) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER.format(delay=delay)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


async def debate(
    folder: Path | None, index: int, url: str, record: list[list[dict[str, str]]] | None
) -> None:
    from verifytui.engines.debate.engine import DebateEngine
    from verifytui.engines.debate.new import new_debate
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
        engine = DebateEngine()
        while not engine.finished(journal.session):
            async for _ in step(journal, engine, desk):
                pass
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
            await bare(calls, server.url)
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
                    began = time.perf_counter()
                    for _ in range(part):
                        await bare(calls, server.url)
                    found[kind].append(ours / (time.perf_counter() - began))
            for kind, ratios in found.items():
                middle, low, high = statistics.median(ratios), min(ratios), max(ratios)
                print(
                    f"  {count} debates of {len(calls)} calls, {kind}: median {middle:.2f} ({low:.2f} to {high:.2f})"
                )
    finally:
        server.close()


def at_once(count: int, turns: int) -> None:
    """Each time in a process of its own, where LiteLLM is loaded and has made its first calls before the clock starts."""
    server = Server(0.2)
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
        print(
            f"  {count} debates, {kind}: median {statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"
        )


def gathered(url: str, count: int) -> float:
    """Seconds that the calls of `count` debates take, all debates at once."""
    calls: list[list[dict[str, str]]] = []

    async def all_of_them() -> None:
        await asyncio.gather(*(bare(calls, url) for _ in range(count)))

    asyncio.run(debate(None, -1, url, calls))
    gc.unfreeze()  # a script of its own with bare calls leaves Python's collector as it is
    began = time.perf_counter()
    asyncio.run(all_of_them())
    return time.perf_counter() - began


def batch(url: str, count: int) -> float:
    """Seconds that the command takes for `count` debates, all at once: reading the topics, writing folder, sessions and report."""
    from verifytui.cli.app import main as command

    asyncio.run(debate(None, -1, url, []))
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
    assert code == 0, code
    return took


async def worked(url: str, count: int) -> None:
    """Prints the processor's milliseconds a debate, which a machine that is busy elsewhere changes less than seconds."""
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
        began = time.process_time()
        batch(server.url, 100)
        print(
            f"  a batch of 100 by the command: {(time.process_time() - began) * 10:.1f} ms a debate"
        )
    finally:
        server.close()


def main() -> None:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("OPENAI_API_KEY", "none")
    if sys.argv[1:] == ["cpu"]:
        print("processor time a debate")
        return processor()
    print("one after another, zero latency")
    asyncio.run(one_after_another(200))
    print("100 at once, 200 ms a call")
    at_once(100, 7)


if __name__ == "__main__":
    main()
