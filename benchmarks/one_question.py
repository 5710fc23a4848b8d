"""One question, headless, against a script that imports LiteLLM and makes the same
call; the server takes 0.1 s for it.

Each is a process of its own, in turn. Printed: the median of each, and of the ratios of
each pair, in wall time and in processor time.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

TURNS = 9
SERVER = """
import sys
from verifytui.tests.support.loopback import Answer, Loopback
with Loopback(answer=Answer("1.5 m/s", first_delay=0.1)) as server:
    print(server.base_url, flush=True)
    sys.stdin.read()
"""
BARE = """
import asyncio, litellm
asked = litellm.acompletion(model="openai/lb", messages=[{"role": "user", "content": "How fast is Alice?"}], temperature=0, max_retries=0)
print(asyncio.run(asked).choices[0].message.content)
"""
OURS = [
    sys.executable,
    "-m",
    "verifytui",
    "solo",
    "How fast is Alice?",
    "--model",
    "openai/lb",
    "--output",
    "json",
]


def seconds(command: list[str], env: dict[str, str]) -> tuple[float, float]:
    """Wall time and processor time of a command."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=env, check=True, capture_output=True)
    took, after = (
        time.perf_counter() - began,
        resource.getrusage(resource.RUSAGE_CHILDREN),
    )
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    found: dict[str, list[tuple[float, float]]] = {
        "verifytui solo": [],
        "bare LiteLLM": [],
    }
    try:
        with tempfile.TemporaryDirectory() as home:
            more = {
                "OPENAI_API_BASE": server.stdout.readline().strip(),
                "OPENAI_API_KEY": "none",
                "VERIFYTUI_HOME": home,
            }
            env = {**os.environ, **more, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
            env.pop("PYTHONDONTWRITEBYTECODE", None)
            for command in (OURS, [sys.executable, "-c", BARE]):
                seconds(
                    command, env
                )  # its modules are compiled and in the cache of the disk
            for _ in range(TURNS):
                found["verifytui solo"].append(seconds(OURS, env))
                found["bare LiteLLM"].append(seconds([sys.executable, "-c", BARE], env))
    finally:
        server.kill()
        server.wait()
    for name, taken in found.items():
        wall, core = (statistics.median(times) for times in zip(*taken, strict=True))
        print(f"  {name}: {wall:.2f} s, {core:.2f} s of a core")
    pairs = list(zip(*found.values(), strict=True))
    wall, core = (
        statistics.median(ours[n] / theirs[n] for ours, theirs in pairs) for n in (0, 1)
    )
    print(f"  ratio: {wall:.2f}; of a core: {core:.2f}")


if __name__ == "__main__":
    main()
