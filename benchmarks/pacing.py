"""What the limits of models cost: microseconds a call, and how near the calls come to a
limit.

python benchmarks/pacing.py [--calls 100000] python benchmarks/pacing.py refused     #
100 questions at a server that takes 5 calls a second: refusals, failed lines, seconds
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from verifytui.engines.models.attempt_permits import AttemptPermit
from verifytui.engines.models.calls import Target
from verifytui.engines.models.limits import RateLimits
from verifytui.engines.models.pacing import ProcessPacing
from verifytui.sessions.events import Usage
from verifytui.tests.support.loopback import Answer, Loopback

USED = Usage(input=900, output=100)
PACES = {
    "no limit": RateLimits(),
    "concurrency": RateLimits(concurrency=1000),
    "max_rps, never reached": RateLimits(max_rps=1e9),
    "max_tpm, never reached": RateLimits(max_tpm=10**15),
}


def micro(pace: RateLimits, calls: int) -> float:
    """Microseconds of taking a turn and giving it back, where nobody has to wait."""
    pacing, target = (
        ProcessPacing(),
        Target(
            model="m", call_as="m", provider="openai", host="h", paced_as="m", pace=pace
        ),
    )
    began = time.perf_counter()
    for _ in range(calls):
        turn = AttemptPermit(pacing, target, 1000)
        assert not turn.waits
        turn.end(USED)
    return (time.perf_counter() - began) / calls * 1e6


async def reached(rate: float, callers: int, seconds: float) -> float:
    """The share of a limit that so many callers use who ask again and again."""
    pacing, pace, begun = ProcessPacing(), RateLimits(max_rps=rate), 0

    async def calls() -> None:
        nonlocal begun
        while True:
            ticket = pacing.at_once("m", pace, 0) or await pacing.enter("m", pace, 0)
            begun += 1
            pacing.leave(ticket, None)
            await asyncio.sleep(0)

    tasks = [asyncio.create_task(calls()) for _ in range(callers)]
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return begun / (rate * seconds)


RATE = 5
"""Calls a second that the server takes."""


def refused(model: str, headers: dict[str, str]) -> str:
    """What becomes of 100 questions, 16 at a time.

    `model`: more settings of the named model; `headers`: of a refusal.
    """
    lately: deque[float] = deque()
    calls = [0, 0]

    def answer(_: object) -> Answer:
        now = time.monotonic()
        while lately and lately[0] <= now - 1:
            lately.popleft()
        taken = len(lately) < RATE
        calls[taken] += 1
        if not taken:
            return Answer(status=429, error="too many calls", headers=headers)
        lately.append(now)
        return Answer("Answer: 4", first_delay=0.3)

    with Loopback(answer) as server, tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "config.yaml").write_text(
            f"models: {{local: {{model: openai/local, api_base: "
            f"'{server.base_url}'{model}}}}}\n"
        )
        (home / "topics.jsonl").write_text(
            "".join(
                json.dumps({"topic": f"What is {n} + {n}?"}) + "\n" for n in range(100)
            )
        )
        began = time.perf_counter()
        subprocess.run(
            [  # noqa: RUF005
                sys.executable,
                "-m",
                "verifytui",
                "solo",
                "--model",
                "local",
                "--concurrency",
                "16",
            ]
            + ["--topics", str(home / "topics.jsonl"), "--into", str(home / "out")],
            env={**os.environ, "VERIFYTUI_HOME": name, "OPENAI_API_KEY": "none"},
            capture_output=True,
        )
        seconds = time.perf_counter() - began
        failed = json.loads((home / "out" / "report.json").read_bytes())["failed"]
    return (
        f"{calls[0]} of {sum(calls)} calls refused, {failed} lines failed, "
        f"{seconds:.0f} s"
    )


def main() -> None:
    if sys.argv[1:] == ["refused"]:
        print("no limit set:", refused("", {}))
        print("Retry-After: 2:", refused("", {"Retry-After": "2"}))
        print("max_rps 5:", refused(f", max_rps: {RATE}", {}))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    for name, pace in PACES.items():
        print(
            f"{name}: {min(micro(pace, options.calls) for _ in range(3)):.2f} µs a call"
        )
    for rate in (2, 20, 200, 1000):
        share = asyncio.run(reached(rate, 64, options.seconds))
        print(f"max_rps {rate}, 64 callers: {share:.1%} of the limit used")


if __name__ == "__main__":
    main()
