"""What 100,000 finished debates cost: the same command again, `sessions --folder`, the
library screen and its search; and the same study again, over 20,000.

A few debates are asked of a server on the loopback; the other sessions are copies with
the topic, the answer and the id of their line, which the command then reads once.

Run: python benchmarks/many.py [SESSIONS [ITEMS]]. Processor seconds, medians of five;
exit 1 if one is over its bound.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from textual.widgets import Input
from verifytui.sessions.library import Library
from verifytui.sessions.paths import paths
from verifytui.tests.support.audited import fair
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.screens_host import Host
from verifytui.tui.screens.library import LibraryScreen

SESSIONS, ITEMS, TURNS = 100_000, 5_000, 5
BOUND, SEARCH_BOUND = 1.0, 0.3
SEARCHES = ("what", "099999", "what is 5", "zzz", "12", "debate 77", "e")
STUDY = """
format: verifytui-study/1
name: many
items: {file: items.jsonl}
base: {method: debate, rounds: 3, model: openai/lb}
grid: {level: [0, 1, 2, 3]}
measures: [accuracy, disagreement, rounds]
by: [condition]
compare: {to: level=2}
"""
SPEECH = "The mean over the whole walk is what counts here.\n" * 8 + "Answer: 12"


def main() -> int:
    """Makes the folders, measures, prints."""
    given = [int(number) for number in sys.argv[1:]]
    sessions, items = (*given, *(SESSIONS, ITEMS)[len(given) :])
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        os.environ |= {"VERIFYTUI_HOME": f"{name}/home", "OPENAI_API_KEY": "none"}
        again, study = made(sessions, items)
        slow = [
            reported("the same batch", [cpu(again) for _ in range(TURNS)]),
            reported("the same study", [cpu(study) for _ in range(TURNS)]),
        ]
        listing = ["sessions", "--folder", "run"]
        cpu(listing)
        slow.append(reported("sessions --folder", [cpu(listing) for _ in range(TURNS)]))
        turns = [asyncio.run(library(Path("run"))) for _ in range(TURNS)]
        for what, *seconds in zip(("library", *SEARCHES), *turns, strict=True):
            bound = BOUND if what == "library" else SEARCH_BOUND
            slow.append(reported(what, seconds, bound))
    return int(any(slow))


def made(sessions: int, items: int) -> tuple[list[str], list[str]]:
    """The commands of a finished batch and of a finished study in this folder."""
    lines(Path("few.jsonl"), 3)
    lines(Path("all.jsonl"), sessions)
    lines(Path("items.jsonl"), items)
    Path("study.yaml").write_text(STUDY)
    batch = ["debate", "--model", "openai/lb", "--into", "run", "--topics"]
    study = ["study", "study.yaml", "--into", "out"]
    with Loopback(answered) as server:
        os.environ["OPENAI_API_BASE"] = server.base_url
        cpu([*batch, "few.jsonl"])
        cpu([*study, "--budget-tokens", "3000"])
        copies(Path("run"), sessions)
        for folder in Path("out").glob("level=*"):
            copies(folder, items)
        for command in ([*batch, "all.jsonl"], study):
            print(f"read once: {cpu(command):.0f} s", flush=True)
    return [*batch, "all.jsonl"], study


def lines(path: Path, count: int) -> None:
    rows = (
        {
            "id": f"q{n:06}",
            "topic": f"What is {n:06} and {n:06}?",
            "answers": [str(2 * n)],
        }
        for n in range(count)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def answered(body: Body) -> Answer:
    """A speech; a fair verdict where an object is asked for."""
    if "JSON" in str(body["messages"]):
        return fair(body)
    return Answer(SPEECH)


def copies(folder: Path, count: int) -> None:
    """Copies of a finished session of a folder for the lines that have none."""
    whole = {
        path: data
        for path in folder.glob("*.yaml")
        if b"\nevent: result" in (data := path.read_bytes())
    }
    path, data = next(iter(whole.items()))
    number = path.stem[1:].encode()
    before, after = re.split(rb"^id: \S+$", data, maxsplit=1, flags=re.MULTILINE)
    pieces = after.split(number)
    for n in range(count):
        target = folder / f"q{n:06}.yaml"
        if target not in whole:
            own = (b"%06d" % n).join(pieces)
            gold = b'answers: ["%d"]' % (2 * int(number))
            own = own.replace(gold, b'answers: ["%d"]' % (2 * n), 1)
            target.write_bytes(before + b"id: 20260101T000000Z-%06x" % n + own)


def cpu(words: Sequence[str]) -> float:
    """Processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "verifytui", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,  # a budget that is reached is no success
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


async def library(folder: Path) -> list[float]:
    """Processor seconds to the first rows of the library, and of each search."""
    host = Host()
    async with host.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        began = time.process_time()
        screen = LibraryScreen(Library(paths()), folder)
        await host.push_screen(screen)
        while not screen._found:
            await pilot.pause(0.05)  # looking costs time, too
        seconds = [time.process_time() - began]
        await host.workers.wait_for_complete()
        await pilot.pause()
        for text in SEARCHES:
            began = time.process_time()
            screen.query_one("#narrow", Input).value = text
            await pilot.pause()
            seconds.append(time.process_time() - began)
    return seconds


def reported(what: str, seconds: Sequence[float], bound: float = BOUND) -> bool:
    """Prints a median with its range; True if it is over its bound."""
    middle = statistics.median(seconds)
    print(
        f"{what}: {middle:.2f} s ({min(seconds):.2f} to {max(seconds):.2f}; bound "
        f"{bound})",
        flush=True,
    )
    return middle > bound


if __name__ == "__main__":
    sys.exit(main())
