"""A long day in one app: 2,000 steps over the three tabs, every reply from a server on the loopback in a process of its own.

Printed are the memory after every 200 steps (resident, after a collection), what is left behind at the end (threads, sockets, tasks), and
how long leaving takes in the middle of a reply. Exit code 1 if memory after step 1,900 is more than 1.2 times that after step 200, if
anything is left, or if leaving takes longer than 0.5 s.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verifytui.sessions.session import Header
    from verifytui.tui.app import VerifyTui

TESTS = Path(__file__).resolve().parents[1] / "tests"
SIZE = (120, 36)
SAID = "The way up takes d/1 seconds, the way down d/3 seconds, so the whole takes 4d/3 seconds for 2d metres. " * 6
SLOW = "slowly"
"""In a question: its reply takes seconds."""


def serve() -> None:
    """The server: verdicts that never end a debate, verifications that ask again, facts that differ with what is asked."""
    sys.path.insert(0, str(TESTS))
    from loopback import Answer, Body, Loopback

    def reply(body: Body) -> Answer:
        server.requests.clear()
        server.headers.clear()
        asked = body["messages"][-1]["content"]
        mark = hashlib.sha256(asked.encode()).hexdigest()[:8]
        if SLOW in asked:
            return Answer(SAID * 10, delay=0.05)
        if '"relevant"' in asked.rpartition(">>>")[2]:
            return Answer(json.dumps({"reason": f"Both take by stealth, {mark}.", "relevant": mark < "8"}))
        if '"facts"' in asked:
            return Answer(json.dumps({"facts": [f"fact {mark}", "taken by stealth"]}))
        if '"candidates"' in asked:
            return Answer(json.dumps({"candidates": ["1.5"]}))
        if '"preference"' in asked:
            return Answer(json.dumps({"preference": False, "supported_side": "negative", "reason": "Not yet.", "answer": ""}))
        if '"supported_side"' in asked:
            return Answer(json.dumps({"supported_side": "negative", "reason": "It holds.", "answer": "1.5"}))
        if '"bias"' in asked:
            scores = {"reference_correctness": 0.1, "correctness": 0.1, "citation_accuracy": 1, "truthfulness": 0.2, "bias": 0.1}
            return Answer(json.dumps({**scores, "conciseness": 0.7, "judgement": "false", "revised_query": f"What else, {mark}?"}))
        return Answer(f"{SAID} [1] {mark}\n\nAnswer: 1.5", chunks=None)

    with Loopback() as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


def headers(topic: str) -> dict[str, Callable[[], Header]]:
    """A new session of each method, its seats at the loopback."""
    from verifytui.engines.debate.new import new_debate
    from verifytui.engines.models.config import Config
    from verifytui.prompts import load
    from verifytui.sessions.new import new_header
    from verifytui.sessions.session import Seat
    from verifytui.tui import asking, judging

    seat = Seat(model="openai/lb")

    def again(header: Header) -> Header:
        made = new_header(
            workspace=header.workspace,
            title=header.title,
            task=header.task,
            lineup=dict.fromkeys(header.lineup, seat),
            settings=header.settings,
            prompts=header.prompts,
        )
        return made

    debate = dict.fromkeys(("affirmative", "negative", "judge"), seat)
    return {
        "debate": lambda: new_debate(topic=topic, lineup=debate, prompts=load("en")),
        "relevance": lambda: again(judging.example_draft(Config()).session.header),
        "rag": lambda: again(asking.example_draft(Config()).session.header),
    }


def memory() -> float:
    """Megabytes that are resident, after a collection."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def sockets() -> int:
    """Connections to somebody, not the pairs that an event loop talks to itself with."""
    with open("/proc/self/net/tcp") as file:
        inodes = {line.split()[9] for line in file.readlines()[1:]}
    links = []
    for name in os.listdir("/proc/self/fd"):
        try:
            links.append(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            continue
    return sum(1 for link in links if link.startswith("socket:[") and link[8:-1] in inodes)


async def until(app: VerifyTui, pause: Callable[..., Any], holds: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not holds():
        await pause()
        if time.monotonic() > end:
            raise SystemExit("the app stands still")
        await asyncio.sleep(0.005)
    if app.defects:
        raise SystemExit(f"a defect: {app.defects[0]!r}")


async def day(steps: int) -> tuple[list[tuple[int, float]], float]:
    """Goes through the day: memory after so many steps, and seconds that leaving took in the middle of a reply."""
    from verifytui.engines.models.config import Config
    from verifytui.sessions.journal import Journal
    from verifytui.tui.app import VerifyTui
    from verifytui.tui.play import Play

    app = VerifyTui(Config(), theme="dark")
    new = headers("How fast is Alice?")
    kept: list[tuple[int, float]] = []
    done = 0
    async with app.run_test(size=SIZE) as pilot:
        await until(app, pilot.pause, lambda: app.workspace.play is not None)

        async def begin(header: Header) -> None:
            assert await app.open_play(Play(Journal.create(None, header)))
            await pilot.pause()

        number = 0
        while done < steps:
            await begin(list(new.values())[number % 3]())
            number += 1
            workspace = app.workspace
            while done < steps:
                play = workspace.play
                assert play is not None
                if play.finished or play.failed:
                    break
                before = len(play.session.events)
                workspace.do_next()
                await until(app, pilot.pause, lambda w=workspace: not w.running)
                if len(play.session.events if play is workspace.play else workspace.play.session.events) == before:
                    break  # a person is asked
                done += 1
                if done % 7 == 0:
                    await pilot.press("left", "right")
                if done % 50 == 0:
                    await pilot.press("f1")
                    await pilot.press("escape")
                if done % 100 == 0:
                    await pilot.press("o")
                    await until(app, pilot.pause, lambda: len(app.screen_stack) > 1)
                    await pilot.press("escape")
                    await until(app, pilot.pause, lambda: len(app.screen_stack) == 1)
                if done % 100 == 0:
                    kept.append((done, memory()))
                    tasks = len(asyncio.all_tasks())
                    told = f"step {done:5}  {kept[-1][1]:6.1f} MB  {number} sessions, {threading.active_count()} threads, {tasks} tasks"
                    print(f"{told}, {sockets()} connections, {sum(1 for _ in app.screen.walk_children())} widgets", flush=True)
            if len(app.screen_stack) > 1:
                await pilot.press("escape")
            await pilot.pause()
        await begin(headers(f"How {SLOW}?")["debate"]())
        app.workspace.do_next()
        await until(app, pilot.pause, lambda: app.workspace.running)
        await asyncio.sleep(0.5)
        began = time.perf_counter()
        await app._leave(0)
        left = time.perf_counter() - began
    return kept, left


async def all_of_it(steps: int) -> tuple[list[tuple[int, float]], float, list[str]]:
    kept, left = await day(steps)
    await asyncio.sleep(0.2)
    return kept, left, [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return 0
    with (
        tempfile.TemporaryDirectory() as home,
        subprocess.Popen([sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdout is not None
        assert server.stdin is not None
        os.environ |= {"VERIFYTUI_HOME": home, "OPENAI_API_BASE": server.stdout.readline().strip(), "OPENAI_API_KEY": "none"}
        began = time.perf_counter()
        kept, left, tasks = asyncio.run(all_of_it(options.steps))
        print(f"{options.steps} steps in {time.perf_counter() - began:.0f} s; leaving in the middle of a reply took {left:.2f} s")
        server.stdin.close()
    threads = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread() and not thread.daemon]
    print(f"left behind: threads {threads}, tasks {tasks}, connections {sockets()}")
    early, late = (dict(kept).get(at) for at in (200, 1900))
    ratio = late / early if early and late else None
    print(f"memory after step 1,900 against step 200: {ratio:.2f}" if ratio else "too few steps for the ratio")
    return int(bool(threads or tasks or sockets() or left > 0.5 or (ratio or 0) > 1.2))


if __name__ == "__main__":
    sys.exit(main())
