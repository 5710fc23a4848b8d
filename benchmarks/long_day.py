"""A long day in one app: 2,000 steps over the three tabs, every reply from a server on
the loopback in a process of its own.

A new session is begun whenever one is over, in each tab in turn. Printed are, twenty
times, the memory (resident, after a collection) and how many sessions and widgets that
are no longer shown are still in it; then what is left behind (threads, tasks,
connections) and how long leaving takes at several moments of a reply. Exit code 1 if
memory after step 1,900 is more than 1.2 times that after step 200, if sessions or
widgets gather, if anything is left behind, or if leaving takes longer than 0.5 s.

One connection to the server may stay: LiteLLM keeps it for its next call, and closes it
when it drops the client or the process ends.
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
import weakref
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.pilot import Pilot
    from textual.widget import Widget
    from verifytui.sessions.session import Header
    from verifytui.tui.app import VerifyTui
    from verifytui.tui.play import Play
    from verifytui.tui.workspaces.base import Workspace

SIZE = (120, 36)
SAID = (
    "The way up takes d/1 seconds, the way down d/3 seconds, so the whole takes "
    "4d/3 seconds for 2d metres. " * 6
)
SLOW = "slowly"
"""In a topic: the replies take seconds."""
MOMENTS = (0.0, 0.1, 0.5, 1.0)
"""Seconds after which a reply is left."""


def serve() -> None:
    """The server: verdicts that never end a debate, verifications that ask again, facts
    that differ with what is asked.
    """
    from verifytui.tests.support.loopback import Answer, Body, Loopback

    def reply(body: Body) -> Answer:
        server.requests.clear()
        server.headers.clear()
        asked = body["messages"][-1]["content"]
        mark = hashlib.sha256(asked.encode()).hexdigest()[:8]
        if SLOW in json.dumps(body["messages"]):
            return Answer(SAID * 10, delay=0.05)
        if '"relevant"' in asked.rpartition(">>>")[2]:
            return Answer(
                json.dumps(
                    {"reason": f"Both take by stealth, {mark}.", "relevant": mark < "8"}
                )
            )
        if '"facts"' in asked:
            return Answer(json.dumps({"facts": [f"fact {mark}", "taken by stealth"]}))
        if '"candidates"' in asked:
            return Answer(json.dumps({"candidates": ["1.5"]}))
        if '"preference"' in asked:
            return Answer(
                json.dumps(
                    {
                        "preference": False,
                        "supported_side": "negative",
                        "reason": "Not yet.",
                        "answer": "",
                    }
                )
            )
        if '"supported_side"' in asked:
            return Answer(
                json.dumps(
                    {
                        "supported_side": "negative",
                        "reason": "It holds.",
                        "answer": "1.5",
                    }
                )
            )
        if '"bias"' in asked:
            scores = {
                "reference_correctness": 0.1,
                "correctness": 0.1,
                "citation_accuracy": 1,
                "truthfulness": 0.2,
                "bias": 0.1,
            }
            return Answer(
                json.dumps(
                    {
                        **scores,
                        "conciseness": 0.7,
                        "judgement": "false",
                        "revised_query": f"What else, {mark}?",
                    }
                )
            )
        return Answer(f"{SAID} [1] {mark}\n\nAnswer: 1.5", chunks=None)

    with Loopback(reply) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


def headers(topic: str) -> dict[str, Callable[[], Header]]:
    """A new session of each method, its seats at the loopback."""
    from verifytui.engines.debate.method import new_debate
    from verifytui.engines.models.config import Config
    from verifytui.prompts import load
    from verifytui.sessions.new import new_header
    from verifytui.sessions.session import Seat
    from verifytui.tui.workspaces.rag import drafts as asking
    from verifytui.tui.workspaces.relevance import drafts as judging

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
    return sum(
        1 for link in links if link.startswith("socket:[") and link[8:-1] in inodes
    )


def stays(thread: threading.Thread) -> bool:
    """Whether a thread would hold up the end of the process.

    Those that are told to end have a second for it.
    """
    if not thread.daemon:
        thread.join(1)
    return thread.is_alive() and not thread.daemon


async def until(
    app: VerifyTui, pause: Callable[..., Awaitable[None]], holds: Callable[[], object]
) -> None:
    end = time.monotonic() + 60
    while not holds():
        await pause()
        if time.monotonic() > end:
            raise SystemExit("the app stands still")
        await asyncio.sleep(0.005)
    if app.defects:
        raise SystemExit(f"a defect: {app.defects[0]!r}")


@dataclass
class Day:
    """What is measured on the way."""

    steps: int
    each: int
    """Steps of a session at most."""
    done: int = 0
    begun: int = 0
    memory: dict[int, float] = field(default_factory=dict)
    """Megabytes after so many steps."""
    sessions: list[int] = field(default_factory=list)
    """How many that are not shown are still in memory, each time."""
    widgets: list[int] = field(default_factory=list)
    plays: weakref.WeakSet[Play] = field(default_factory=weakref.WeakSet)
    seen: weakref.WeakSet[Widget] = field(default_factory=weakref.WeakSet)

    @property
    def every(self) -> int:
        return max(self.steps // 20, 1)

    def measure(self, app: VerifyTui) -> None:
        self.memory[self.done] = memory()
        shown = set(app.screen.walk_children())
        self.sessions.append(
            len(self.plays)
            - len({workspace.play for workspace in app.workspaces.values()})
        )
        self.widgets.append(sum(1 for widget in self.seen if widget not in shown))
        told = (
            f"step {self.done:5}  {self.memory[self.done]:6.1f} MB  {self.begun} "
            f"sessions begun, {self.sessions[-1]} left in memory"
        )
        counts = (
            f"{len(shown)} widgets and {self.widgets[-1]} left, "
            f"{threading.active_count()} threads, {len(asyncio.all_tasks())} tasks"
        )
        print(f"{told}, {counts}, {sockets()} connections", flush=True)

    @property
    def gathers(self) -> bool:
        """Whether what is no longer shown stays.

        What was there when LiteLLM's objects were set aside, in the first steps, may
        stay.
        """
        return max(self.sessions) > 1 or max(self.widgets) > self.widgets[0] + 20


async def begin(app: VerifyTui, pilot: Pilot[None], header: Header) -> Play:
    from verifytui.sessions.journal import Journal
    from verifytui.tui.play import Play

    play = Play(Journal.create(None, header))
    assert await app.open_play(play)
    await pilot.pause()
    return play


async def look_around(day: Day, app: VerifyTui, pilot: Pilot[None]) -> None:
    """What a person does now and then: looks back, reads the help, opens the library."""
    if day.done % 7 == 0:
        await pilot.press("left", "right")
    if day.done % 50 == 0:
        await pilot.press("f1")
        await pilot.press("escape")
    if day.done % 100 == 0:
        await pilot.press("o")
        await until(app, pilot.pause, lambda: len(app.screen_stack) > 1)
        await pilot.press("escape")
        await until(app, pilot.pause, lambda: len(app.screen_stack) == 1)


async def one_session(
    day: Day, app: VerifyTui, pilot: Pilot[None], workspace: Workspace
) -> None:
    """Steps until it is finished, has failed, or waits for a person."""
    last = min(day.steps, day.done + day.each)
    while day.done < last:
        play = workspace.play
        assert play is not None
        if play.finished or play.failed:
            return
        before = len(play.session.events)
        await workspace.do_next()
        await until(app, pilot.pause, lambda: not workspace.running)
        if len(play.session.events) == before:
            return
        day.done += 1
        day.seen.update(app.screen.walk_children())
        await look_around(day, app, pilot)
        if day.done % day.every == 0:
            day.measure(app)


async def spend(day: Day) -> None:
    """Goes through the day."""
    from verifytui.engines.models.config import Config
    from verifytui.tui.app import VerifyTui

    app = VerifyTui(Config(), theme="dark")
    new = list(headers("How fast is Alice?").values())
    async with app.run_test(size=SIZE) as pilot:
        await until(app, pilot.pause, lambda: app.workspace.play is not None)
        while day.done < day.steps:
            day.plays.add(await begin(app, pilot, new[day.begun % 3]()))
            day.begun += 1
            await one_session(day, app, pilot, app.workspace)
            if len(app.screen_stack) > 1:
                await pilot.press("escape")
            await pilot.pause()


async def leave(moment: float) -> float:
    """Seconds from leaving, so long after a reply has begun to stream in, until the app
    has ended.
    """
    from verifytui.engines.models.config import Config
    from verifytui.tui.app import VerifyTui

    app = VerifyTui(Config(), theme="dark")
    async with app.run_test(size=SIZE) as pilot:
        await until(app, pilot.pause, lambda: app.workspace.play is not None)
        await begin(app, pilot, headers(f"How {SLOW}?")["debate"]())
        workspace = app.workspace
        await workspace.do_next()
        from verifytui.tui.widgets.event_view import LiveEntry

        await until(
            app,
            pilot.pause,
            lambda: any(live.said.source for live in workspace.query(LiveEntry)),
        )
        await asyncio.sleep(moment)
        assert workspace.running
        began = time.perf_counter()
        await app.ending.leave(0)
    return time.perf_counter() - began


async def all_of_it(day: Day) -> tuple[list[float], list[str]]:
    """Seconds that leaving took, and the tasks that are left."""
    await spend(day)
    left = [await leave(moment) for moment in MOMENTS]
    await asyncio.sleep(0.2)
    return left, [
        task.get_name()
        for task in asyncio.all_tasks()
        if task is not asyncio.current_task()
    ]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument(
        "--each", type=int, default=100, help="steps of a session at most"
    )
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return 0
    with (
        tempfile.TemporaryDirectory() as home,
        subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as server,
    ):
        assert server.stdout is not None
        assert server.stdin is not None
        os.environ |= {
            "VERIFYTUI_HOME": home,
            "OPENAI_API_BASE": server.stdout.readline().strip(),
            "OPENAI_API_KEY": "none",
        }
        began = time.perf_counter()
        day = Day(options.steps, options.each)
        left, tasks = asyncio.run(all_of_it(day))
        print(
            f"{options.steps} steps in {time.perf_counter() - began:.0f} s; "
            f"leaving in the middle of a reply took at most {max(left):.2f} s"
        )
        threads = [
            thread.name
            for thread in threading.enumerate()
            if thread is not threading.main_thread() and stays(thread)
        ]
        connections = sockets()
        server.stdin.close()
    print(
        f"left behind: threads {threads}, tasks {tasks}, connections "
        f"{connections} (one may be kept for the next call)"
    )
    early, late = (day.memory.get(at) for at in (200, 1900))
    ratio = late / early if early and late else None
    print(
        f"memory after step 1,900 against step 200: {ratio:.2f}"
        if ratio
        else "too few steps for the ratio"
    )
    return int(
        bool(
            day.gathers
            or threads
            or tasks
            or connections > 1
            or max(left) > 0.5
            or (ratio or 0) > 1.2
        )
    )


if __name__ == "__main__":
    sys.exit(main())
